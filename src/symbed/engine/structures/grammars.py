"""A grammar as tables, what is wanted of its sampler, and how its words are read."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from symbed._types import Integers
from symbed.language.expression import Item
from symbed.limits import NESTING


@dataclass(frozen=True, eq=False)
class GrammarTables:
    """A grammar as arrays. A symbol is a token's number, or ``~k`` for the k-th nonterminal.

    Attributes
    ----------
    rules : Integers
        Where the rules of each nonterminal begin; number 0 is the start.
    thresholds : NDArray[np.uint64]
        Summed probabilities within a nonterminal, times 2^53.
    sides : Integers
        Where each right-hand side begins.
    symbols : NDArray[np.int32]
        Right-hand sides, last symbol first, as a stack wants them.
    growth : Integers
        By how many tokens each rule makes the shortest word longer.
    n_tokens, shortest : int
        Number of terminals; length of the shortest word.
    order : Integers
        For each rule of the tables, its place among the grammar's rules.
    """

    rules: Integers
    thresholds: NDArray[np.uint64]
    sides: Integers
    symbols: NDArray[np.int32]
    growth: Integers
    n_tokens: int
    shortest: int
    order: Integers


@dataclass(frozen=True, eq=False)
class ReaderTables:
    """What the tokens of a grammar mean in the text of an expression.

    Attributes
    ----------
    terminals : tuple of str
        The tokens.
    items : tuple of Item
        The operators, names and numbers that postfix sequences hold.
    numbers : dict
        An item's ``repr`` to its number.
    tokens : NDArray[np.int32]
        For each token its role and item where a value is wanted, the same where an operator is, its
        precedence and its bracket (0 round, 1 bar).
    rows : NDArray[np.int32]
        For each item its arity and precedence, and the items it becomes when negated and when it is
        an exponent (-1: none).
    power, negation : int
        The items of these operators, -1 if they do not occur.
    nesting : int
        Most brackets and stacked powers inside each other.
    """

    terminals: tuple[str, ...]
    items: tuple[Item, ...]
    numbers: dict[str, int]
    tokens: NDArray[np.int32]
    rows: NDArray[np.int32]
    power: int
    negation: int
    nesting: int = NESTING.maximum


FOUND, NO_ROOM, EXHAUSTED, UNREADABLE = range(4)  # what a call of ``Backend.sample`` ends with


@dataclass(eq=False)
class SampleRequest:
    """What is wanted of a grammar's sampler, and how far it got; the arrays are filled in place.

    Attributes
    ----------
    tables : GrammarTables
        The grammar.
    reader : ReaderTables, optional
        How words are read, if no two of them may be the same expression.
    origin : int
        Hash of the seed.
    shortest, longest : int
        Lengths of the words wanted.
    patience : int
        Rules to apply without finding a word before giving up.
    tokens, starts : NDArray[np.int32], Integers
        The words found, one after the other, and where each begins.
    counts : Integers
        How often each rule was applied in them.
    seen : NDArray[np.uint64]
        Hash table of the expressions found, for the native sampler.
    sequences : set
        The same for the NumPy engine's.
    attempt, steps, n_found : int
        The next derivation, the rules applied in vain, the words found.
    """

    tables: GrammarTables
    reader: ReaderTables | None
    origin: int
    shortest: int
    longest: int
    patience: int
    tokens: NDArray[np.int32]
    starts: Integers
    counts: Integers
    seen: NDArray[np.uint64]
    sequences: set[tuple[int, ...]] = field(default_factory=set)
    attempt: int = 0
    steps: int = 0
    n_found: int = 0


class ReadWords(NamedTuple):
    """Postfix sequences of words.

    Attributes
    ----------
    items : NDArray[np.int32]
        The sequences, one after the other, as numbers of items.
    starts : Integers
        Where each begins.
    failed : int
        The first word that is no expression, where reading stopped; -1 if all are.
    """

    items: NDArray[np.int32]
    starts: Integers
    failed: int

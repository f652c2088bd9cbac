"""What the workbench asks of an engine: fits, words of a grammar, distances of trees."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from symbed._types import Counts, Floats, Integers
from symbed.language.expression import Item
from symbed.limits import NESTING


@dataclass(frozen=True, eq=False)
class FitTask:
    """Programs, and the targets that each of them is fitted to.

    Fit number ``k * n_targets + t`` is that of program k to target t.

    Attributes
    ----------
    words, starts : NDArray[np.int32], Integers
        Code of all programs, and (n_programs + 1,) where each begins.
    variables : Floats
        (n_variables, n_points) inputs.
    target : Floats
        (n_points,) or (n_targets, n_points) the wanted outputs, times ``scale``; NaN leaves a point
        out.
    scale : float or Floats
        A power of two that brings the target nearer to 1, so that squares stay in range; one for
        all targets, or (n_targets,).
    floor : float or Floats
        Sums of squared errors of the scaled target up to this are rounding: a perfect fit; one for
        all targets, or (n_targets,).
    bounds : Floats
        (n_ranges, 2) low and high of the parameters of each range.
    initial : Floats
        (n_ranges, n_starts, n_slots) where descents may start; a program takes for each of its
        slots the column of the slot's range.
    n_descents : int
        How many of the starts, the best ones, are gone down from.
    max_iterations : int
        Steps tried in one descent.
    places : Integers
        (n_fits + 1,) where the values of each fit begin.
    own : Floats, optional
        (n_targets, n_own, n_slots) starts of each target, which come before the others.
    middles : Floats, optional
        (n_targets,) sizes of the targets: descents go over the circle first, where outputs pass
        through poles (see ``symbed.engine.reference._fitting``); None goes down plainly.
    """

    words: NDArray[np.int32]
    starts: Integers
    variables: Floats
    target: Floats
    scale: float | Floats
    floor: float | Floats
    bounds: Floats
    initial: Floats
    n_descents: int
    max_iterations: int
    places: Integers
    own: Floats | None = None
    middles: Floats | None = None

    @property
    def targets(self) -> Floats:
        """The targets as (n_targets, n_points)."""
        return np.atleast_2d(self.target)

    @property
    def scales(self) -> Floats:
        """The scale of each target."""
        return np.broadcast_to(np.asarray(self.scale, np.float64), len(self.targets))

    @property
    def floors(self) -> Floats:
        """The floor of each target."""
        return np.broadcast_to(np.asarray(self.floor, np.float64), len(self.targets))

    @property
    def own_starts(self) -> Floats:
        """Each target's own starts, (n_targets, n_own, n_slots)."""
        if self.own is None:
            return np.empty((len(self.targets), 0, self.initial.shape[2]))
        return self.own


@dataclass(frozen=True, eq=False)
class FitResults:
    """What an engine fills.

    Attributes
    ----------
    values : Floats
        Fitted parameters of all fits by slot, cut by ``FitTask.places``.
    errors : Floats
        (n_fits, 2) root mean squared and mean absolute error, inf where undefined.
    counts : NDArray[np.int32]
        (n_fits, 2) evaluations of the program, and whether the best descent came to rest.
    """

    values: Floats
    errors: Floats
    counts: NDArray[np.int32]

    @classmethod
    def empty(cls, places: Integers) -> FitResults:
        """Arrays for fits whose values begin at these places."""
        n = len(places) - 1
        return cls(np.empty(places[-1]), np.empty((n, 2)), np.empty((n, 2), np.int32))


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


class Trees:
    """Some ordered trees, their nodes in postorder one after the other.

    Attributes
    ----------
    labels, arities : Counts
        Of all nodes: the number of the label, and of the children.
    starts : Integers
        (n_trees + 1,) where each tree begins.
    """

    def __init__(self, labels: Counts, arities: Counts, starts: Integers) -> None:
        self.labels, self.arities, self.starts = labels, arities, starts

    def __len__(self) -> int:
        return len(self.starts) - 1

    def part(self, which: slice) -> Trees:
        """Some consecutive trees, without a copy."""
        return Trees(self.labels, self.arities, self.starts[which.start : which.stop + 1])

    def nodes(self, tree: int) -> tuple[list[int], list[int]]:
        """Labels and arities of one tree."""
        span = slice(self.starts[tree], self.starts[tree + 1])
        return self.labels[span].tolist(), self.arities[span].tolist()


class EditCosts(NamedTuple):
    """What edits cost, by label: inserting or removing a node, and relabeling one."""

    weights: Counts
    changes: Counts

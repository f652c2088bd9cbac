"""Samples: words of a grammar as flat arrays go in; texts, tokens and trees come out, lazily."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any, NoReturn, TypeVar, overload

import numpy as np
from numpy.typing import NDArray

from symbed.engine.backend import backend
from symbed.errors import ShapeError
from symbed.language.expression import Expression, Item
from symbed.language.parser import parse
from symbed.workbench.grammar import native_sampler as grammar_native
from symbed.workbench.grammar import reference_sampler as grammar_twin
from symbed.workbench.grammar.grammar import Grammar
from symbed.workbench.grammar.tables import ReaderTables, tabulate_reader

T = TypeVar("T")
BLOCK = 1 << 16  # words that are spelled at once


@dataclass(frozen=True, eq=False, repr=False)
class Sample(Sequence[Expression]):
    """Random expressions, kept as flat arrays; texts and trees are made when asked for.

    Attributes
    ----------
    grammar, seed : where they come from.
    token_ids : the tokens of all words, as places in ``grammar.terminals``.
    starts : where each word begins; one more than words.
    rule_counts : how often each rule of the grammar was applied in these words.
    n_attempts : derivations that were begun.
    """

    grammar: Grammar
    seed: int
    token_ids: NDArray[np.int32]
    starts: NDArray[np.int64]
    rule_counts: NDArray[np.int64]
    n_attempts: int

    def __len__(self) -> int:
        return len(self.starts) - 1

    @overload
    def __getitem__(self, place: int) -> Expression: ...
    @overload
    def __getitem__(self, place: slice) -> list[Expression]: ...
    def __getitem__(self, place: int | slice) -> Expression | list[Expression]:
        if isinstance(place, slice):
            return [self[number] for number in range(*place.indices(len(self)))]
        number = range(len(self))[place]
        items, starts = self.postfix
        names = self._reader.items
        sequence = items[starts[number] : starts[number + 1]].tolist()
        return Expression.unchecked(tuple(names[item] for item in sequence), None)

    def __iter__(self) -> Iterator[Expression]:
        for sequence in _cut(*self.postfix, self.items):
            yield Expression.unchecked(tuple(sequence), None)

    def tokens(self) -> Iterator[list[str]]:
        """The words as token lists."""
        return _cut(self.token_ids, self.starts, self.grammar.terminals)

    def texts(self) -> Iterator[str]:
        """The words as text; brackets are those of the grammar."""
        table = np.array([spell(token).encode() for token in (*self.grammar.terminals, "\n")])
        for first in range(0, len(self), BLOCK):
            yield from _spelled(table, self.token_ids, self.starts[first : first + BLOCK + 1])

    def check(self) -> None:
        """Raise the parser's error if a word of the grammar is no expression."""
        _ = self.postfix

    @property
    def items(self) -> tuple[Item, ...]:
        """The operators, names and numbers that ``postfix`` refers to."""
        return self._reader.items

    @cached_property
    def postfix(self) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
        """The postfix sequences of all words, as places in ``items``, and where each begins."""
        found, starts, failed = engine().read_words(self._reader, self.token_ids, self.starts)
        if failed >= 0:
            reject(self.grammar, self.token_ids[self.starts[failed] : self.starts[failed + 1]])
        return found, starts

    @cached_property
    def _reader(self) -> ReaderTables:
        return tabulate_reader(self.grammar.terminals)

    def __repr__(self) -> str:
        return f"Sample({len(self)} expressions, {len(self.token_ids)} tokens, seed {self.seed})"


def engine() -> Any:
    """The sampler of the engine in use; both give the same words."""
    return grammar_native if backend().name == "native" else grammar_twin


def reject(grammar: Grammar, word: NDArray[np.int32]) -> NoReturn:
    """Raise the parser's error for a word that is no expression."""
    text = " ".join(grammar.terminals[token] for token in word)
    parse(text)
    raise ShapeError(f"the word {text!r} was not read")


def spell(token: str) -> str:
    """A token in the text of a word: with spaces around sums and differences."""
    return f" {token} " if token in ("+", "-") else token


def _spelled(
    table: NDArray[np.bytes_], tokens: NDArray[np.int32], starts: NDArray[np.int64]
) -> list[str]:
    """The texts of some words, through one array of bytes; ``table`` ends with the newline."""
    ends = starts[1:] - starts[0]
    lines = np.insert(tokens[starts[0] : starts[-1]], ends, len(table) - 1)
    spelled = table[lines].view(np.uint8)  # fixed width, filled up with zero bytes
    text: str = spelled[spelled != 0].tobytes().decode()
    return text.split("\n")[:-1]


def _cut(
    flat: NDArray[np.int32], starts: NDArray[np.int64], meanings: Sequence[T]
) -> Iterator[list[T]]:
    """The pieces of a flat array, as lists of what its numbers mean, a block at a time."""
    table = np.empty(len(meanings), dtype=object)
    table[:] = meanings
    for first in range(0, len(starts) - 1, BLOCK):
        bounds = starts[first : first + BLOCK + 1]
        block = table[flat[bounds[0] : bounds[-1]]].tolist()
        for begin, end in pairwise((bounds - bounds[0]).tolist()):
            yield block[begin:end]

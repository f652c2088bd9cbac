"""Many programs as one run of words: what the engines evaluate."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from functools import cached_property, lru_cache
from itertools import accumulate
from typing import overload

import numpy as np
from numpy.typing import NDArray

from symbed._types import Floats, Integers
from symbed.engine.backend import active_backend
from symbed.engine.program import NUMBER, PARAMETER, SLOT_MASK, Program, decode
from symbed.engine.structures.observations import Observation


class ManyPrograms(Sequence[Program]):
    """A sequence of programs, of which parts are packs."""

    @abstractmethod
    def part(self, first: int, last: int) -> PackedPrograms:
        """The programs from ``first`` to ``last``."""

    @abstractmethod
    def take(self, rows: Integers) -> PackedPrograms:
        """Some of the programs."""

    @abstractmethod
    def at(self, number: int) -> Program:
        """One program, by its place from 0 on."""

    @overload
    def __getitem__(self, number: int) -> Program: ...
    @overload
    def __getitem__(self, number: slice) -> PackedPrograms: ...
    def __getitem__(self, number: int | slice) -> Program | PackedPrograms:
        if isinstance(number, slice):
            first, last, step = number.indices(len(self))
            if step == 1:
                return self.part(first, max(first, last))
            return self.take(np.arange(first, last, step))
        if not -len(self) <= number < len(self):
            raise IndexError(number)
        return self.at(number % len(self))


class PackedPrograms(ManyPrograms):
    """Programs one after the other.

    Attributes
    ----------
    words : ndarray of int
        The code of all programs.
    starts : ndarray of int
        Where each program begins, and where the last one ends, (n + 1,).
    n_parameters : ndarray of int
        Number of parameter slots of each program, (n,).
    """

    def __init__(
        self, words: NDArray[np.int32], starts: Integers, n_parameters: NDArray[np.int32]
    ) -> None:
        self.words, self.starts, self.n_parameters = words, starts, n_parameters

    @classmethod
    def of(cls, programs: Sequence[Program]) -> PackedPrograms:
        """Pack some programs."""
        if isinstance(programs, PackedPrograms):
            return programs
        if isinstance(programs, ChainedPrograms):
            return programs.part(0, len(programs))
        ends = accumulate(len(program.words) // 4 for program in programs)
        starts = np.array([0, *ends], np.int64)
        words = np.frombuffer(b"".join(program.words for program in programs), np.int32)
        return cls(words, starts, np.array([p.n_parameters for p in programs], np.int32))

    @classmethod
    def join(cls, parts: Sequence[PackedPrograms]) -> PackedPrograms:
        """Several packs as one."""
        if not parts:
            return cls.of([])
        if len(parts) == 1:
            return parts[0]
        ends = np.cumsum([0] + [len(part.words) for part in parts])
        # There is one end more than parts: that of the last one.
        starts = [part.starts[:-1] + end for part, end in zip(parts, ends, strict=False)]
        return cls(
            np.concatenate([part.words for part in parts]),
            np.concatenate([*starts, ends[-1:]]).astype(np.int64),
            np.concatenate([part.n_parameters for part in parts]),
        )

    @cached_property
    def most_parameters(self) -> int:
        """The largest number of parameter slots; 0 if there are no programs."""
        return int(self.n_parameters.max(initial=0))

    def part(self, first: int, last: int) -> PackedPrograms:
        """The programs from ``first`` to ``last``, without copying the code."""
        starts = self.starts[first : last + 1]
        words = self.words[starts[0] : starts[-1]]
        return PackedPrograms(words, starts - starts[0], self.n_parameters[first:last])

    def take(self, rows: Integers) -> PackedPrograms:
        """Some of the programs; their code is not copied where they follow each other."""
        if (span := _span(rows)) is not None:
            return self.part(*span)
        lengths = self.starts[rows + 1] - self.starts[rows]
        starts = np.zeros(len(rows) + 1, np.int64)
        np.cumsum(lengths, out=starts[1:])
        # Word by word: its place in the result, moved by as much as its program was moved.
        places = np.arange(starts[-1]) + np.repeat(self.starts[rows] - starts[:-1], lengths)
        return PackedPrograms(self.words[places], starts, self.n_parameters[rows])

    def __len__(self) -> int:
        return len(self.n_parameters)

    def at(self, number: int) -> Program:
        """One program, by its place from 0 on."""
        words = self.words[self.starts[number] : self.starts[number + 1]]
        return Program(words.tobytes(), int(self.n_parameters[number]))


class ChainedPrograms(ManyPrograms):
    """Packs one after the other, as one sequence that copies nothing before it is asked for."""

    def __init__(self, packs: Sequence[PackedPrograms]) -> None:
        self.packs = tuple(packs)
        self._ends = np.cumsum([len(pack) for pack in self.packs], dtype=np.int64)

    def part(self, first: int, last: int) -> PackedPrograms:
        """The programs from ``first`` to ``last``, joined."""
        parts, start = [], 0
        for pack, end in zip(self.packs, self._ends.tolist(), strict=True):
            if first < end and last > start:
                parts.append(pack.part(max(first, start) - start, min(last, end) - start))
            start = end
        return PackedPrograms.join(parts)

    def take(self, rows: Integers) -> PackedPrograms:
        """Some of the programs."""
        if (span := _span(rows)) is not None:
            return self.part(*span)
        numbers = np.searchsorted(self._ends, rows, side="right")
        used: list[int] = np.unique(numbers).tolist()
        firsts = [int(self._ends[number]) - len(self.packs[number]) for number in used]
        if len(used) == 1:
            return self.packs[used[0]].take(rows - firsts[0])
        parts = [
            self.packs[number].take(rows[numbers == number] - first)
            for number, first in zip(used, firsts, strict=True)
        ]
        # The parts hold the rows sorted by pack; the inverse of that order puts them back.
        return PackedPrograms.join(parts).take(np.argsort(np.argsort(numbers, kind="stable")))

    def __len__(self) -> int:
        return int(self._ends[-1]) if len(self._ends) else 0

    def at(self, number: int) -> Program:
        """One program, by its place from 0 on."""
        return self.take(np.array([number])).at(0)


def _span(rows: Integers) -> tuple[int, int] | None:
    """The first row and the one after the last, if rows follow each other."""
    if not len(rows):
        return 0, 0
    first, last = int(rows[0]), int(rows[-1]) + 1
    follow = last - first == len(rows) and bool((np.diff(rows) == 1).all())
    return (first, last) if follow else None


def outputs_at(program: Program, inputs: Floats, vectors: Floats) -> Floats:
    """The outputs (n_vectors, n_points) of a program; NaN where undefined.

    Parameters
    ----------
    program : Program
        Whatever ranges its parameters have.
    inputs : ndarray of shape (n_variables, n_points)
        Values of the variables.
    vectors : ndarray of shape (n_vectors, n_slots)
        Values of the parameters, by slot.
    """
    n, p = vectors.shape
    words = _with_one_range(program.words)
    # Each vector is a program with columns of its own, one for each slot. A column for each range
    # and slot would be p times as many: 6 GB where 24,000 vectors had 189 slots.
    observation = Observation(
        np.tile(words, n),
        np.arange(n + 1, dtype=np.int64) * len(words),
        inputs,
        vectors.reshape(n * p, 1, 1),
        np.arange(n, dtype=np.int64) * p,
        n_columns=p,
        n_draws=1,
    )
    n_points = inputs.shape[1]
    outputs, defined = np.empty((n, 1, n_points)), np.empty((n, n_points), np.int32)
    active_backend().observe(observation, outputs, defined)
    return outputs[:, 0]


@lru_cache(maxsize=256)  # the same form is evaluated again and again
def _with_one_range(words: bytes) -> NDArray[np.int32]:
    """The code of a program whose parameters are all of range 0."""
    code = np.frombuffer(words, np.int32).copy()
    place = 0
    for kind, rest, _ in decode(code.tolist()):
        if kind == PARAMETER:
            code[place] = PARAMETER | rest & SLOT_MASK
        place += 3 if kind == NUMBER else 1  # its 64 bits follow
    code.setflags(write=False)  # the cache hands the same array to everybody
    return code

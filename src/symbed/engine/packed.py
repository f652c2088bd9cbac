"""Packed programs: many programs as one run of words; what the engines evaluate."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import overload

import numpy as np
from numpy.typing import NDArray

from symbed.engine.program import Program


@dataclass(frozen=True, eq=False)
class Packed(Sequence[Program]):
    """Programs one after the other.

    Attributes
    ----------
    words : the code of all programs.
    starts : (n + 1,) where each begins, and where the last one ends.
    n_parameters : (n,).
    """

    words: NDArray[np.int32]
    starts: NDArray[np.int64]
    n_parameters: NDArray[np.int32]

    @classmethod
    def of(cls, programs: Sequence[Program]) -> Packed:
        """Pack some programs."""
        if isinstance(programs, Packed):
            return programs
        starts = np.zeros(len(programs) + 1, np.int64)
        np.cumsum([len(program.words) // 4 for program in programs], out=starts[1:])
        words = np.frombuffer(b"".join(program.words for program in programs), np.int32)
        return cls(words, starts, np.array([p.n_parameters for p in programs], np.int32))

    @classmethod
    def join(cls, parts: Sequence[Packed]) -> Packed:
        """Several packs as one."""
        if not parts:
            return cls.of([])
        if len(parts) == 1:
            return parts[0]
        ends = np.cumsum([0] + [len(part.words) for part in parts])
        starts = [part.starts[:-1] + end for part, end in zip(parts, ends, strict=False)]
        return cls(
            np.concatenate([part.words for part in parts]),
            np.concatenate([*starts, ends[-1:]]).astype(np.int64),
            np.concatenate([part.n_parameters for part in parts]),
        )

    def part(self, first: int, last: int) -> Packed:
        """The programs from ``first`` to ``last``, without copying the code."""
        starts = self.starts[first : last + 1]
        words = self.words[starts[0] : starts[-1]]
        return Packed(words, starts - starts[0], self.n_parameters[first:last])

    def take(self, rows: NDArray[np.int64]) -> Packed:
        """Some of the programs."""
        return Packed.of([self[row] for row in rows.tolist()])

    def __len__(self) -> int:
        return len(self.n_parameters)

    @overload
    def __getitem__(self, number: int) -> Program: ...
    @overload
    def __getitem__(self, number: slice) -> Packed: ...
    def __getitem__(self, number: int | slice) -> Program | Packed:
        if isinstance(number, slice):
            first, last, step = number.indices(len(self))
            if step == 1:
                return self.part(first, max(first, last))
            return Packed.of([self[n] for n in range(first, last, step)])
        if not -len(self) <= number < len(self):
            raise IndexError(number)
        number %= len(self)
        words = self.words[self.starts[number] : self.starts[number + 1]]
        return Program(words.tobytes(), int(self.n_parameters[number]))

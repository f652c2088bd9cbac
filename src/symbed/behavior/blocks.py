"""Blocks: many rows of outputs of one shape, stored or recomputed when they are asked for."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from symbed._types import Counts, Floats
from symbed.behavior.family import Family
from symbed.behavior.observation import Observer
from symbed.engine.packed_programs import ChainedPrograms, PackedPrograms
from symbed.engine.program import Program


class Block(Protocol):
    """Rows of sorted outputs (m, n_points) and their counts (n_points,)."""

    @property
    def rows(self) -> Sequence[Program | Family]:
        """The program or callable of each row; empty where they are not known."""

    def __len__(self) -> int: ...

    def tiles(self, size: int) -> Iterator[tuple[Floats, Counts]]:
        """All rows in order, by at most so many at once."""

    def take(self, rows: NDArray[np.int64]) -> tuple[Floats, Counts]:
        """The outputs (rows, m, n_points) and counts (rows, n_points) of some rows."""


@dataclass(frozen=True, eq=False)
class Stored:
    """Rows of outputs of one shape, kept in the segments they were computed in.

    Attributes
    ----------
    values : segments of (rows, m, n_points) sorted outputs.
    defined : for each segment, (rows, n_points) counts.
    rows : the program or callable of each row, where they are known.
    """

    values: tuple[NDArray[np.float64], ...] = ()
    defined: tuple[NDArray[np.int32], ...] = ()
    rows: Sequence[Program | Family] = ()

    def __len__(self) -> int:
        return sum(map(len, self.values))

    def tiles(self, size: int) -> Iterator[tuple[Floats, Counts]]:
        """All rows in order, by at most so many at once, without copying."""
        for values, defined in zip(self.values, self.defined, strict=True):
            for first in range(0, len(values), size):
                yield values[first : first + size], defined[first : first + size]

    def take(self, rows: NDArray[np.int64]) -> tuple[Floats, Counts]:
        """The outputs and counts of some rows, contiguous."""
        if len(self.values) == 1:
            return self.values[0][rows], self.defined[0][rows]
        ends = np.cumsum([len(segment) for segment in self.values])
        segments = np.searchsorted(ends, rows, side="right")
        outputs = np.empty((len(rows), *self.values[0].shape[1:]))
        counts = np.empty((len(rows), self.values[0].shape[2]), np.int32)
        for segment in np.unique(segments):
            here = segments == segment
            inside = rows[here] - (ends[segment] - len(self.values[segment]))
            outputs[here] = self.values[segment][inside]
            counts[here] = self.defined[segment][inside]
        return outputs, counts


@dataclass(frozen=True, eq=False)
class Recomputed:
    """Rows that are known by their programs (or callables) and evaluated whenever they are needed.

    A program takes a hundred bytes where its outputs take sixteen thousand, and evaluating it costs
    about as much as reading those from memory.
    """

    rows: Sequence[Program | Family]
    observer: Observer

    def __len__(self) -> int:
        return len(self.rows)

    def tiles(self, size: int) -> Iterator[tuple[Floats, Counts]]:
        """All rows in order, by at most so many at once, evaluated as they are asked for."""
        for first in range(0, len(self.rows), size):
            yield self.observer.evaluate(self.rows[first : first + size])

    def take(self, rows: NDArray[np.int64]) -> tuple[Floats, Counts]:
        """The outputs and counts of some rows."""
        if isinstance(self.rows, (PackedPrograms, ChainedPrograms)):
            return self.observer.evaluate(self.rows.take(rows))
        return self.observer.evaluate([self.rows[row] for row in rows.tolist()])

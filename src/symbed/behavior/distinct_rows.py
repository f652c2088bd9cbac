"""The distinct behaviors of an atlas: how they are stored, numbered, cut and sent away.

Behaviors without parameters have one output at each point, those with parameters one for each
draw, so the two kinds stand in blocks of their own. Everybody else sees one list of rows, numbered
from 0; only ``DistinctRows`` knows where a number lives.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import compress
from typing import NamedTuple, Protocol

import numpy as np

from symbed._types import Counts, Floats, Integers
from symbed.behavior.behavior import Behavior
from symbed.behavior.observation import Family, Observer
from symbed.engine.packed_programs import ChainedPrograms, PackedPrograms
from symbed.engine.program import Program
from symbed.engine.structures.observations import SortedOutputs
from symbed.sampling.probe import Probe

Rows = Sequence[Program | Family]

# Rows are worked on in chunks that stay in the cache of a core: a few hundred, fewer if they have
# many outputs.
CHUNK_ROWS = 256
CHUNK_OUTPUTS = 1 << 20  # 8 MB


class Block(Protocol):
    """Rows of sorted outputs of one shape, (m, n_points), and their counts (n_points,)."""

    @property
    def rows(self) -> Rows:
        """The program or callable of each row; empty where they are not known."""

    @property
    def can_be_swept(self) -> bool:
        """Whether distances to the rows can be computed without keeping their outputs."""

    def __len__(self) -> int: ...

    def tiles(self, size: int) -> Iterator[SortedOutputs]:
        """All rows in order, by at most so many at once."""

    def take(self, rows: Integers) -> SortedOutputs:
        """The outputs (rows, m, n_points) and counts (rows, n_points) of some rows."""

    def pick(self, rows: Integers) -> Block:
        """Some rows as a block that needs nothing else, and can be sent to another process."""


@dataclass(frozen=True, eq=False)
class Stored:
    """Rows of outputs of one shape, kept in the segments they were computed in."""

    values: tuple[Floats, ...] = ()  # (rows, m, n_points) sorted outputs, segment by segment
    defined: tuple[Counts, ...] = ()  # (rows, n_points) how many of them are defined
    rows: Rows = ()  # the program or callable of each row, where they are known

    @property
    def can_be_swept(self) -> bool:
        """Never: the outputs are there."""
        return False

    def __len__(self) -> int:
        return sum(map(len, self.values))

    def tiles(self, size: int) -> Iterator[SortedOutputs]:
        """All rows in order, by at most so many at once, without copying."""
        for values, defined in zip(self.values, self.defined, strict=True):
            for first in range(0, len(values), size):
                yield values[first : first + size], defined[first : first + size]

    def take(self, rows: Integers) -> SortedOutputs:
        """The outputs and counts of some rows; not copied where they stand together."""
        together = self._together(rows)
        if together is not None:
            return together
        if len(self.values) == 1:
            return self.values[0][rows], self.defined[0][rows]
        ends = np.cumsum([len(segment) for segment in self.values])
        segments = np.searchsorted(ends, rows, side="right")
        outputs = np.empty((len(rows), *self.values[0].shape[1:]))
        counts = np.empty((len(rows), self.values[0].shape[2]), np.int32)
        for segment in np.unique(segments):
            here = segments == segment
            # ends[segment] less its length is the number of the segment's first row.
            inside = rows[here] - (ends[segment] - len(self.values[segment]))
            outputs[here] = self.values[segment][inside]
            counts[here] = self.defined[segment][inside]
        return outputs, counts

    def _together(self, rows: Integers) -> SortedOutputs | None:
        """Consecutive rows of one segment, as views; None for any others."""
        if not len(rows) or (np.diff(rows) != 1).any():
            return None
        first, last, start = int(rows[0]), int(rows[-1]) + 1, 0
        for values, defined in zip(self.values, self.defined, strict=True):
            if start <= first and last <= start + len(values):
                some = slice(first - start, last - start)
                return values[some], defined[some]
            start += len(values)
        return None

    def pick(self, rows: Integers) -> Block:
        """Some rows as a block of its own."""
        if not len(rows):
            return Stored()
        values, defined = self.take(rows)
        return Stored((values,), (defined,), take_programs(self.rows, rows))


@dataclass(frozen=True, eq=False)
class Recomputed:
    """Rows that are known by their programs (or callables) and evaluated whenever they are needed.

    A program takes a hundred bytes where its outputs take sixteen thousand, and evaluating it costs
    about as much as reading those from memory.
    """

    rows: Rows  # what is evaluated
    observer: Observer  # evaluates it

    @property
    def can_be_swept(self) -> bool:
        """Whether all rows are programs; draws of their own for each have to be kept."""
        return (
            isinstance(self.rows, (PackedPrograms, ChainedPrograms))
            and not self.observer.probe.row.fresh
        )

    def __len__(self) -> int:
        return len(self.rows)

    def tiles(self, size: int) -> Iterator[SortedOutputs]:
        """All rows in order, by at most so many at once, evaluated as they are asked for."""
        for first in range(0, len(self.rows), size):
            yield self.observer.evaluate(self.rows[first : first + size])

    def take(self, rows: Integers) -> SortedOutputs:
        """The outputs and counts of some rows."""
        return self.observer.evaluate(take_programs(self.rows, rows))

    def pick(self, rows: Integers) -> Block:
        """Some rows as a block of its own."""
        if not len(rows):
            return Stored()
        return Recomputed(take_programs(self.rows, rows), self.observer)


def take_programs(known: Rows, rows: Integers) -> Rows:
    """The programs of some rows, packed; a list if there are callables among them.

    Where those of all rows are not ``known``, the result is empty.
    """
    if isinstance(known, (PackedPrograms, ChainedPrograms)):
        return known.take(rows)
    chosen = [known[row] for row in rows.tolist()] if len(known) else []
    programs = [row for row in chosen if isinstance(row, Program)]
    return PackedPrograms.of(programs) if programs and len(programs) == len(chosen) else chosen


def pick_light(block: Block, rows: Integers, probe: Probe | None) -> Block:
    """Some rows as a block that is sent away, as small as it can be.

    A program travels a hundred times lighter than its outputs; they are evaluated at the other end.
    """
    if not isinstance(block, Stored):
        return block.pick(rows)
    # Where there is no probe, nothing could be evaluated again at the other end.
    if probe is not None:
        programs = take_programs(block.rows, rows)
        if isinstance(programs, PackedPrograms) and len(programs):
            return Recomputed(programs, Observer(probe))
    outputs, counts = block.take(rows)
    return Stored((outputs,), (counts,))


class Part(NamedTuple):
    """Those of some numbered rows that one block holds."""

    block: Block  # where they are
    rows: Integers  # (k,) which rows of the block
    where: Integers  # (k,) their positions among the numbers that were asked for
    first: int  # the number of the block's first row: ``rows + first`` are their numbers
    which: int  # the position of the block among the blocks


@dataclass(frozen=True, eq=False)
class DistinctRows:
    """Distinct behaviors, numbered from 0.

    Behaviors without parameters come first; adding more of these shifts the numbers of the others.
    What is written down for good is therefore a *place*, as the catalog of the engine gives it: the
    row of a behavior without parameters, or minus one minus the row of one with parameters.
    """

    fixed: Block = field(default_factory=Stored)  # without parameters: one output at each point
    varied: Block = field(default_factory=Stored)  # with parameters: an output for every draw

    @classmethod
    def of(cls, behaviors: Sequence[Behavior]) -> tuple[DistinctRows, Integers]:
        """Behaviors of one number of draws, each a row of its own; and their numbers."""
        is_fixed = np.array([len(b.outputs) == 1 for b in behaviors])
        blocks = []
        for mask in (is_fixed, ~is_fixed):
            some = list(compress(behaviors, mask))
            outputs, counts = [b.outputs for b in some], [b.counts for b in some]
            blocks.append(Stored((np.stack(outputs),), (np.stack(counts),)) if some else Stored())
        numbers = np.where(is_fixed, 0, len(blocks[0])) - 1
        numbers += np.where(is_fixed, np.cumsum(is_fixed), np.cumsum(~is_fixed))
        return cls(*blocks), numbers

    def __len__(self) -> int:
        return len(self.fixed) + len(self.varied)

    @property
    def blocks(self) -> tuple[Block, Block]:
        """The blocks, in the order in which their rows are numbered."""
        return self.fixed, self.varied

    @property
    def named_blocks(self) -> tuple[tuple[str, Block], tuple[str, Block]]:
        """The blocks with the names under which they are kept on disk."""
        return ("fixed", self.fixed), ("varied", self.varied)

    @property
    def firsts(self) -> tuple[int, int]:
        """The number of the first row of each block."""
        return 0, len(self.fixed)

    @property
    def can_be_swept(self) -> bool:
        """Whether distances to all rows can be computed without keeping their outputs."""
        return all(block.can_be_swept for block in self.blocks)

    @property
    def keeps_outputs(self) -> bool:
        """Whether outputs are stored, or evaluated when they are needed."""
        return isinstance(self.varied, Stored)

    @property
    def has_parameters(self) -> bool:
        """Whether any behavior depends on the draws."""
        return len(self.varied) > 0

    def sizes(self, n_points: int, n_draws: int) -> tuple[int, int]:
        """Number of outputs that a row of each block has."""
        return n_points, n_points * n_draws

    def numbers_at(self, places: Integers) -> Integers:
        """The numbers of the rows at some places."""
        # place = -1 - row, and the number is n_fixed + row; the same formula leads back.
        return np.where(places >= 0, places, len(self.fixed) - 1 - places)

    def places_of(self, numbers: Integers) -> Integers:
        """The places of some rows."""
        n_fixed = len(self.fixed)
        return np.where(numbers < n_fixed, numbers, n_fixed - 1 - numbers)

    def has_places(self, places: Integers) -> bool:
        """Whether there is a row at each of some places."""
        largest, smallest = places.max(initial=-1), places.min(initial=0)
        return bool(largest < len(self.fixed) and -1 - smallest < len(self.varied))

    def split(self, numbers: Integers) -> Iterator[Part]:
        """Some rows, block by block; blocks that hold none of them are left out."""
        is_fixed = numbers < len(self.fixed)
        for which, mask in enumerate((is_fixed, ~is_fixed)):
            where = np.flatnonzero(mask)
            if len(where):
                first = self.firsts[which]
                yield Part(self.blocks[which], numbers[where] - first, where, first, which)

    def take_one(self, number: int) -> SortedOutputs:
        """The outputs (m, n_points) and counts (n_points,) of one row."""
        (part,) = self.split(np.array([number]))
        outputs, counts = part.block.take(part.rows)
        return outputs[0], counts[0]

    def tiles(self, n_outputs: int) -> Iterator[SortedOutputs]:
        """All rows in the order of their numbers, by as many as are worked on at once."""
        for block in self.blocks:
            yield from block.tiles(rows_at_once(n_outputs))

    def with_outputs(self) -> DistinctRows:
        """The same rows, whose outputs are there."""
        return DistinctRows(
            *(
                block
                if isinstance(block, Stored) or not len(block)
                else _evaluated(block.rows, block.take(np.arange(len(block))))
                for block in self.blocks
            )
        )

    def observed(self, observer: Observer) -> DistinctRows:
        """The programs of these rows, observed with another probe."""
        return DistinctRows(
            *(
                _evaluated(block.rows, observer.evaluate(block.rows)) if len(block) else Stored()
                for block in self.blocks
            )
        )

    def pick(self, numbers: Integers) -> DistinctRows:
        """Some rows, ascending, as rows of their own, which can be sent to another process."""
        n_fixed = len(self.fixed)
        return DistinctRows(
            self.fixed.pick(numbers[numbers < n_fixed]),
            self.varied.pick(numbers[numbers >= n_fixed] - n_fixed),
        )

    def slice_blocks(self, some: slice) -> DistinctRows:
        """The same slice of each block."""
        return DistinctRows(*(block.pick(np.arange(len(block))[some]) for block in self.blocks))


def _evaluated(rows: Rows, outputs: SortedOutputs) -> Stored:
    return Stored((outputs[0],), (outputs[1],), rows)


@dataclass(frozen=True, eq=False)
class SourceGroups:
    """Which sources share a distinct behavior."""

    members: Integers  # (n_sources,) sources, ordered by their distinct behavior
    starts: Integers  # (n_distinct + 1,) where the sources of each distinct behavior begin

    @classmethod
    def of(cls, numbers: Integers, n_distinct: int) -> SourceGroups:
        """The groups of sources whose distinct behaviors have these numbers."""
        counts = np.bincount(numbers, minlength=n_distinct)
        starts = np.concatenate([[0], np.cumsum(counts)])
        # Stable: the first member of a group is the first source that was given, which `first`
        # needs.
        return cls(np.argsort(numbers, kind="stable"), starts)

    def counts(self, numbers: Integers) -> Integers:
        """The number of sources of some distinct behaviors."""
        return self.starts[numbers + 1] - self.starts[numbers]

    def first(self, numbers: Integers, k: int) -> Integers:
        """Among some distinct behaviors, those k that own the first sources."""
        if len(numbers) <= k:
            return numbers
        return numbers[np.argpartition(self.members[self.starts[numbers]], k - 1)[:k]]

    def expand(self, numbers: Integers) -> tuple[Integers, Integers]:
        """The sources of some distinct behaviors, and which of these each comes from."""
        counts = self.counts(numbers)
        owners = np.repeat(np.arange(len(numbers)), counts)
        # 0, 1, 2 ... anew for each behavior: positions less the position where its run begins.
        inside = np.arange(len(owners)) - np.repeat(np.cumsum(counts) - counts, counts)
        return self.members[self.starts[numbers][owners] + inside], owners


def chunked(rows: Integers, n_outputs: int) -> Iterator[Integers]:
    """Rows by as many as are worked on at once, if each has so many outputs."""
    step = rows_at_once(n_outputs)
    return (rows[first : first + step] for first in range(0, len(rows), step))


def rows_at_once(n_outputs: int) -> int:
    """How many rows of so many outputs are worked on at once.

    >>> rows_at_once(64 * 32), rows_at_once(1 << 24)
    (256, 1)
    """
    return max(1, min(CHUNK_ROWS, CHUNK_OUTPUTS // n_outputs))

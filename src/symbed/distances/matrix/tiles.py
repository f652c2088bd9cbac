"""Tiles of a distance matrix: how it is cut, and how one tile is computed, anywhere.

A matrix is computed between distinct behaviors, in the order in which they first appear. A tile is
a pure function of its two sides, so that it can be computed by any thread, process or machine, and
again if a worker was lost; each entry has the same bits in a tile of any size.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Iterable, Iterator
from concurrent.futures import Executor, ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from symbed._types import Floats, Integers
from symbed.behavior.atlas import Atlas
from symbed.behavior.distinct_rows import (
    Block,
    Recomputed,
    SourceGroups,
    pick_light,
    take_programs,
)
from symbed.distances import kernels
from symbed.distances.measure import Measure
from symbed.engine.packed_programs import PackedPrograms
from symbed.engine.structures.observations import SortedOutputs
from symbed.parallel import count_workers

# A tile of so many rows and columns is a tenth of a second of work, and 8 MB come back.
ROWS = 1024  # of one side of a tile, or fewer if they have many outputs
OUTPUTS = 1 << 21  # of one side of a tile: 16 MB
FEWEST = 64  # rows that are worth a call
SMALL = 1 << 16  # entries that one call computes sooner than several are handed out
SWEPT = 4  # so few behaviors on one side, and programs on the other are swept past them
SWEPT_ROWS = 4096  # of the other side, whose outputs nobody keeps
TILES_EACH = 8  # tiles for each worker, so that nobody waits long for the last ones

Tile = tuple[int, int]  # its row and column among the tiles


@dataclass(frozen=True, eq=False)
class TileSide:
    """Some consecutive distinct behaviors: one side of a tile."""

    # Blocks, each with the rows of it that belong to the side, and their positions there.
    parts: tuple[tuple[Block, Integers, Integers], ...]
    count: int

    @property
    def can_be_swept(self) -> bool:
        """Whether all behaviors are programs that are evaluated when they are needed."""
        return all(block.can_be_swept for block, _, _ in self.parts)

    def outputs(self, measure: Measure) -> list[tuple[Integers, SortedOutputs]]:
        """Outputs as the measure wants to see them, evaluated now where they are not stored."""
        return [
            (where, kernels.prepare(block.take(rows), measure)) for block, rows, where in self.parts
        ]


def measure_tile(a: TileSide, b: TileSide | None, measure: Measure, within: float | None) -> Floats:
    """The distances between two sides; within one side, if the other is None."""
    if b is not None and can_sweep(measure, within):
        if b.count <= SWEPT and a.can_be_swept:
            return _sweep(a, b, measure)
        if a.count <= SWEPT and b.can_be_swept:
            return _sweep(b, a, measure).T
    down = a.outputs(measure)
    across = down if b is None else b.outputs(measure)
    if len(down) == len(across) == 1:
        return kernels.cross(down[0][1], across[0][1], measure, within)
    distances = np.empty((a.count, a.count if b is None else b.count))
    for i, (rows, u) in enumerate(down):
        for j, (columns, v) in enumerate(across):
            if b is None and j < i:
                continue
            part = kernels.cross(u, v, measure, within)
            distances[np.ix_(rows, columns)] = part
            if b is None and j > i:
                distances[np.ix_(columns, rows)] = part.T
    return distances


def can_sweep(measure: Measure, within: float | None) -> bool:
    """Whether programs can be measured while they are evaluated, without keeping their outputs."""
    # The core's sweep knows p and mismatch, and nothing else of a measure.
    return within is None and measure == Measure(p=measure.p, mismatch=measure.mismatch)


def _sweep(many: TileSide, few: TileSide, measure: Measure) -> Floats:
    """The distances of many programs to a few behaviors; the outputs of the many are not kept."""
    distances = np.empty((many.count, few.count))
    targets = few.outputs(measure)
    for block, rows, where in many.parts:
        assert isinstance(block, Recomputed)
        swept = take_programs(block.rows, rows)
        assert isinstance(swept, PackedPrograms)
        for columns, side in targets:
            part = block.observer.sweep(swept, side, measure.p, measure.mismatch)
            distances[np.ix_(where, columns)] = part
    return distances


@dataclass(frozen=True, eq=False)
class MatrixAxis:
    """The rows or the columns of a matrix: the order in which distinct behaviors stand there.

    ``ordered`` by their first appearance, as in a file; otherwise as they are numbered, which takes
    no time to find.
    """

    atlas: Atlas
    ordered: bool = True

    @cached_property
    def order(self) -> Integers:
        """(n_distinct,) the numbers of the distinct behaviors, in order."""
        if not self.ordered:
            return np.arange(self.atlas.n_distinct)
        numbers = self.atlas.numbers
        first = np.empty(self.atlas.n_distinct, np.int64)
        backwards = np.arange(len(numbers))[::-1]
        first[numbers[backwards]] = backwards  # of several sources the first is the last to write
        order: Integers = numbers[first[numbers] == np.arange(len(numbers))]
        return order

    @cached_property
    def positions(self) -> Integers:
        """(n_sources,) where each source's behavior stands in that order."""
        if not self.ordered:
            return self.atlas.numbers
        rank = np.empty(self.atlas.n_distinct, np.int64)
        rank[self.order] = np.arange(len(self.order))
        return rank[self.atlas.numbers]

    @cached_property
    def groups(self) -> SourceGroups:
        """Which sources stand at each place."""
        return SourceGroups.of(self.positions, self.atlas.n_distinct)

    @property
    def is_plain(self) -> bool:
        """Whether all sources behave differently, so that they stand where their behaviors do."""
        return self.ordered and len(self.order) == len(self.atlas)

    def side(self, first: int, last: int, *, portable: bool) -> TileSide:
        """The distinct behaviors from ``first`` to ``last``; portable ones can be sent away."""
        numbers = self.order[first:last]
        parts: list[tuple[Block, Integers, Integers]] = []
        for part in self.atlas.rows.split(numbers):
            block, rows = part.block, part.rows
            if portable:
                block, rows = pick_light(block, rows, self.atlas.probe), np.arange(len(rows))
            parts.append((block, rows, part.where))
        return TileSide(tuple(parts), len(numbers))

    def digest(self) -> str:
        """What identifies the behaviors and their order: programs and probe, or outputs."""
        digest = hashlib.blake2b(self.positions.tobytes(), digest_size=16)
        digest.update(self.order.tobytes())
        for block in self.atlas.rows.blocks:
            for content in _content(block, self.atlas):
                digest.update(content)
        return digest.hexdigest()


@dataclass(frozen=True)
class Grid:
    """How a matrix is cut into tiles; a symmetric one has only those on and above the diagonal."""

    n_rows: int
    n_columns: int
    step: int
    symmetric: bool

    @classmethod
    def of(cls, down: MatrixAxis, across: MatrixAxis, n_jobs: int, *, swept: bool) -> Grid:
        """Tiles that fit into memory, and at least ``n_jobs`` along each side.

        ``swept`` says whether programs may be swept past a few behaviors.
        """
        n_rows, n_columns = len(down.order), len(across.order)
        n_outputs = len(down.atlas.points) * max(down.atlas.n_draws, across.atlas.n_draws)
        step = max(1, min(ROWS, OUTPUTS // n_outputs))
        many = across if n_rows <= SWEPT else down if n_columns <= SWEPT else None
        if swept and many is not None and many.atlas.rows.can_be_swept:
            step = SWEPT_ROWS
        small = n_rows * n_columns <= SMALL
        wanted = step if small else max(FEWEST, -(-max(n_rows, n_columns) // n_jobs))
        return cls(n_rows, n_columns, min(step, wanted), down is across)

    def tiles(self) -> list[Tile]:
        """All tiles, row by row."""
        n_down, n_across = (-(-n // self.step) for n in (self.n_rows, self.n_columns))
        first = range(n_down)
        return [(i, j) for i in first for j in range(i if self.symmetric else 0, n_across)]

    def place(self, tile: Tile) -> tuple[slice, slice]:
        """The rows and columns of a tile."""
        i, j = (number * self.step for number in tile)
        return (
            slice(i, min(i + self.step, self.n_rows)),
            slice(j, min(j + self.step, self.n_columns)),
        )

    def size(self, tile: Tile) -> int:
        """Number of entries that a tile brings, its mirror image included."""
        rows, columns = (range(some.start, some.stop) for some in self.place(tile))
        mirrored = self.symmetric and tile[0] != tile[1]
        return len(rows) * len(columns) * (1 + mirrored)


@dataclass(frozen=True, eq=False)
class MatrixTask:
    """What is computed: the distinct behaviors of both sides, and how they are compared."""

    down: MatrixAxis
    across: MatrixAxis
    measure: Measure
    within: float | None

    def grid(self, pool: Executor) -> Grid:
        """The tiles, enough of them for all workers."""
        n_workers = count_workers(pool)
        # Along one side: the tiles are its square.
        n_jobs = math.isqrt(TILES_EACH * n_workers) + 1 if n_workers > 1 else 1
        swept = can_sweep(self.measure, self.within)
        return Grid.of(self.down, self.across, n_jobs, swept=swept)

    def blocks(
        self, grid: Grid, tiles: Iterable[Tile], pool: Executor
    ) -> Iterator[tuple[TileSide, TileSide | None, Measure, float | None]]:
        """The arguments of ``measure_tile``; threads share the atlas, others get pieces of it."""
        portable = not isinstance(pool, ThreadPoolExecutor)
        for tile in tiles:
            rows, columns = grid.place(tile)
            a = self.down.side(rows.start, rows.stop, portable=portable)
            b: TileSide | None = None
            if not (grid.symmetric and tile[0] == tile[1]):
                b = self.across.side(columns.start, columns.stop, portable=portable)
            yield a, b, self.measure, self.within


def _content(block: Block, atlas: Atlas) -> Iterator[bytes]:
    """The bytes that decide the outputs of a block."""
    if atlas.probe is not None and len(block.rows):
        # Programs and probe decide the outputs, and are a hundredth of their size at 64 x 32.
        known = take_programs(block.rows, np.arange(len(block)))
        if isinstance(known, PackedPrograms):
            yield atlas.probe.fingerprint.encode()
            yield known.words.tobytes()
            yield known.starts.tobytes()
            return
    for outputs, counts in block.tiles(ROWS):
        yield np.ascontiguousarray(outputs).tobytes()
        yield np.ascontiguousarray(counts).tobytes()

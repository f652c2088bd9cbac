"""Tiling: an atlas and a measure go in; tiles of a distance matrix, to compute anywhere, come out.

A matrix is computed between distinct behaviors, in the order in which they first appear. A tile is
a pure function of its two sides, so that it can be computed by any thread, process or machine, and
again if a worker was lost; each entry has the same bits in a tile of any size.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from symbed._types import Floats, Integers
from symbed.behavior.atlas import Atlas
from symbed.behavior.blocks import Block, Recomputed, Stored
from symbed.behavior.observation import Observer
from symbed.distances import kernels
from symbed.distances.measure import Measure
from symbed.distances.row_pieces import piece, programs
from symbed.distances.source_groups import distinct_numbers
from symbed.engine.packed_programs import ChainedPrograms, PackedPrograms

ROWS = 1024  # of one side of a tile, or fewer if they have many outputs
OUTPUTS = 1 << 21  # of one side of a tile: 16 MB
FEWEST = 64  # rows that are worth a call
SMALL = 1 << 16  # entries that one call computes sooner than several are handed out
SWEPT = 4  # so few behaviors on one side, and programs on the other are swept past them
SWEPT_ROWS = 4096  # of the other side, whose outputs nobody keeps

Tile = tuple[int, int]  # its row and column among the tiles


@dataclass(frozen=True, eq=False)
class Side:
    """Some consecutive distinct behaviors: one side of a tile.

    Attributes
    ----------
    parts : blocks, each with the rows of it that belong to the side, and their places there.
    count : number of behaviors.
    """

    parts: tuple[tuple[Block, Integers, Integers], ...]
    count: int

    @property
    def can_be_swept(self) -> bool:
        """Whether all behaviors are programs that are evaluated when they are needed."""
        return all(_can_be_swept(block) for block, _, _ in self.parts)

    def outputs(self, measure: Measure) -> list[tuple[Integers, kernels.Side]]:
        """Outputs as the measure wants to see them, evaluated now where they are not stored."""
        return [
            (places, kernels.prepare(_taken(block, rows), measure))
            for block, rows, places in self.parts
        ]


def measure_tile(a: Side, b: Side | None, measure: Measure, within: float | None) -> Floats:
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
    found = np.empty((a.count, a.count if b is None else b.count))
    for i, (rows, u) in enumerate(down):
        for j, (columns, v) in enumerate(across):
            if b is None and j < i:
                continue
            part = kernels.cross(u, v, measure, within)
            found[np.ix_(rows, columns)] = part
            if b is None and j > i:
                found[np.ix_(columns, rows)] = part.T
    return found


def can_sweep(measure: Measure, within: float | None) -> bool:
    """Whether programs can be measured while they are evaluated, without keeping their outputs."""
    return within is None and measure == Measure(p=measure.p, mismatch=measure.mismatch)


def _sweep(many: Side, few: Side, measure: Measure) -> Floats:
    """The distances of many programs to a few behaviors; the outputs of the many are not kept."""
    found = np.empty((many.count, few.count))
    targets = few.outputs(measure)
    for block, rows, places in many.parts:
        swept = programs(block, rows)
        assert isinstance(block, Recomputed)
        assert isinstance(swept, PackedPrograms)
        for columns, side in targets:
            part = block.observer.sweep(swept, side, measure.p, measure.mismatch)
            found[np.ix_(places, columns)] = part
    return found


def _can_be_swept(block: Block) -> bool:
    return (
        isinstance(block, Recomputed)
        and isinstance(block.rows, (PackedPrograms, ChainedPrograms))
        and not block.observer.probe.row.fresh
    )


def _taken(block: Block, rows: Integers) -> kernels.Side:
    """Some rows of a block; without copying them, where they stand together in one segment."""
    first, last = int(rows[0]), int(rows[-1]) + 1
    if isinstance(block, Stored) and last - first == len(rows):
        start = 0
        for values, defined in zip(block.values, block.defined, strict=True):
            if start <= first and last <= start + len(values):
                some = slice(first - start, last - start)
                return values[some], defined[some]
            start += len(values)
    return block.take(rows)


@dataclass(frozen=True, eq=False)
class Layout:
    """The distinct behaviors of an atlas.

    Parameters
    ----------
    atlas : whose.
    ordered : whether they come in the order of their first appearance, as in a file; otherwise as
        they are numbered, those without parameters first, which takes no time to find.
    """

    atlas: Atlas
    ordered: bool = True

    @cached_property
    def numbers(self) -> Integers:
        """(n_sources,) the number of each source's behavior among the distinct ones."""
        return distinct_numbers(self.atlas)

    @cached_property
    def order(self) -> Integers:
        """(n_distinct,) their numbers, counting those without parameters first."""
        if not self.ordered:
            return np.arange(self.atlas.n_distinct)
        numbers = self.numbers
        first = np.empty(self.atlas.n_distinct, np.int64)
        backwards = np.arange(len(numbers))[::-1]
        first[numbers[backwards]] = backwards  # of several sources the first is the last to write
        found: Integers = numbers[first[numbers] == np.arange(len(numbers))]
        return found

    @cached_property
    def positions(self) -> Integers:
        """(n_sources,) where each source's behavior stands in that order."""
        if not self.ordered:
            return self.numbers
        rank = np.empty(self.atlas.n_distinct, np.int64)
        rank[self.order] = np.arange(len(self.order))
        return rank[self.numbers]

    @property
    def can_be_swept(self) -> bool:
        """Whether all behaviors are programs that are evaluated when they are needed."""
        return _can_be_swept(self.atlas.fixed) and _can_be_swept(self.atlas.varied)

    @property
    def is_plain(self) -> bool:
        """Whether all sources behave differently, so that they stand where their behaviors do."""
        return self.ordered and len(self.order) == len(self.atlas)

    def side(self, first: int, last: int, *, portable: bool) -> Side:
        """The distinct behaviors from ``first`` to ``last``; portable ones can be sent away."""
        numbers = self.order[first:last]
        n_fixed = len(self.atlas.fixed)
        parts = []
        for block, where, shift in (
            (self.atlas.fixed, np.flatnonzero(numbers < n_fixed), 0),
            (self.atlas.varied, np.flatnonzero(numbers >= n_fixed), n_fixed),
        ):
            if len(where):
                rows = numbers[where] - shift
                held, inside = self._packed(block, rows) if portable else (block, rows)
                parts.append((held, inside, where))
        return Side(tuple(parts), len(numbers))

    def _packed(self, block: Block, rows: Integers) -> tuple[Block, Integers]:
        """Rows as a block of their own. A program travels a hundred times lighter than outputs."""
        inside = np.arange(len(rows))
        if not isinstance(block, Stored):
            return piece(block, rows), inside
        known = programs(block, rows)
        if self.atlas.probe is not None and isinstance(known, PackedPrograms) and len(known):
            return Recomputed(known, Observer(self.atlas.probe)), inside
        values, defined = block.take(rows)
        return Stored((values,), (defined,)), inside

    def digest(self) -> str:
        """What identifies the behaviors and their order: programs and probe, or outputs."""
        digest = hashlib.blake2b(self.positions.tobytes(), digest_size=16)
        digest.update(self.order.tobytes())
        for block in (self.atlas.fixed, self.atlas.varied):
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
    def of(cls, down: Layout, across: Layout, n_jobs: int, *, swept: bool) -> Grid:
        """Tiles that fit into memory, and enough of them to keep everybody busy.

        Parameters
        ----------
        down, across : the two sides.
        n_jobs : how many parts each side should have at least.
        swept : whether programs may be swept past a few behaviors.
        """
        n_rows, n_columns = len(down.order), len(across.order)
        n_outputs = len(down.atlas.points) * max(down.atlas.n_draws, across.atlas.n_draws)
        step = max(1, min(ROWS, OUTPUTS // n_outputs))
        many = across if n_rows <= SWEPT else down if n_columns <= SWEPT else None
        if swept and many is not None and many.can_be_swept:
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
        rows, columns = self.place(tile)
        mirrored = self.symmetric and tile[0] != tile[1]
        n_rows: int = rows.stop - rows.start
        n_columns: int = columns.stop - columns.start
        return n_rows * n_columns * (1 + mirrored)


def _content(block: Block, atlas: Atlas) -> Iterator[bytes]:
    """The bytes that decide the outputs of a block."""
    if atlas.probe is not None and len(block.rows):
        known = programs(block, np.arange(len(block)))
        if isinstance(known, PackedPrograms):
            yield atlas.probe.fingerprint.encode()
            yield known.words.tobytes()
            yield known.starts.tobytes()
            return
    for outputs, counts in block.tiles(ROWS):
        yield np.ascontiguousarray(outputs).tobytes()
        yield np.ascontiguousarray(counts).tobytes()

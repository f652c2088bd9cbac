"""A distance matrix put together from its tiles, in memory or in a file."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Executor, ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np

from symbed._types import Floats, Integers
from symbed.distances.matrix.tiles import Grid, Layout, Tile, TileSide, can_sweep, measure_tile
from symbed.distances.measure import Measure
from symbed.parallel import count_workers, run_blocks
from symbed.progress import Progress, Shown

Place = tuple[slice | Integers, slice | Integers]

Put = Callable[[slice, slice, Floats], None]

APART = 1 << 20  # entries between distinct behaviors that may be kept apart before they are spread
TILES_EACH = 8  # tiles for each worker, so that nobody waits long for the last ones


@dataclass(frozen=True, eq=False)
class MatrixTask:
    """What is computed: the distinct behaviors of both sides, and how they are compared."""

    down: Layout
    across: Layout
    measure: Measure
    within: float | None

    def grid(self, pool: Executor) -> Grid:
        """The tiles, enough of them for all workers."""
        n_workers = count_workers(pool)
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


def are_kept_apart(n_rows: int, n_columns: int) -> bool:
    """Whether distances of so many distinct behaviors are all computed before they are spread."""
    return n_rows * n_columns <= APART


def fill_array(task: MatrixTask, values: Floats, pool: Executor, progress: Shown) -> None:
    """Compute a matrix into memory, tile by tile."""
    grid = task.grid(pool)
    if are_kept_apart(grid.n_rows, grid.n_columns):
        distinct = np.empty((grid.n_rows, grid.n_columns))
        _fill(task, grid, pool, progress, partial(_put_plain, distinct))
        _spread(distinct, task.down.positions, task.across.positions, values)
    else:
        down = _Members(task.down)
        members = down, down if task.across is task.down else _Members(task.across)
        _fill(task, grid, pool, progress, partial(_put, values, members))


def _fill(task: MatrixTask, grid: Grid, pool: Executor, progress: Shown, put: Put) -> None:
    """Compute all tiles and put each in its place."""
    tiles = grid.tiles()
    results = run_blocks(pool, measure_tile, task.blocks(grid, tiles, pool))
    with Progress("distances", grid.n_rows * grid.n_columns, progress) as bar:
        for tile, distances in zip(tiles, results, strict=True):
            down, across = grid.place(tile)
            put(down, across, distances)
            if grid.symmetric and tile[0] != tile[1]:
                put(across, down, distances.T)
            bar.advance(grid.size(tile))


def _put_plain(distinct: Floats, down: slice, across: slice, tile: Floats) -> None:
    distinct[down, across] = tile


def _spread(distinct: Floats, rows: Integers, columns: Integers, values: Floats) -> None:
    """Repeat distances of distinct behaviors for all sources that have them, some rows at once."""
    step = max(1, APART // len(columns))
    for first in range(0, len(rows), step):
        some = slice(first, first + step)
        values[some] = distinct[rows[some]][:, columns]


def fill_file(task: MatrixTask, path: Path, pool: Executor, progress: Shown) -> Floats:
    """Compute a matrix into a file, those tiles that it lacks; gives it as a memory map."""
    from symbed.distances.matrix.files import MatrixFile, key_of

    key = key_of(task.down.digest(), task.across.digest(), task.measure, task.within)
    with ExitStack() as stack:
        file = MatrixFile(path, task.grid(pool), key)
        stack.callback(file.close)
        tiles = [tile for tile in file.grid.tiles() if tile not in file.done]
        results = run_blocks(pool, measure_tile, task.blocks(file.grid, tiles, pool))
        bar = stack.enter_context(
            Progress("distances", file.grid.n_rows * file.grid.n_columns, progress)
        )
        bar.advance(sum(map(file.grid.size, file.done)))
        try:
            for tile, distances in zip(tiles, results, strict=True):
                file.put(tile, distances)
                bar.advance(file.grid.size(tile))
        finally:
            file.sync()
        labels = task.down.atlas.labels
        return file.finish(task.down, task.across, labels, repr(task.measure))


class _Members:
    """Which sources have the behaviors of a tile, and which of these each has."""

    def __init__(self, layout: Layout) -> None:
        self._plain, self._positions = layout.is_plain, layout.positions
        self._sources = np.argsort(self._positions, kind="stable")
        self._sorted = self._positions[self._sources]

    def of(self, rows: slice) -> Place:
        """The sources, and the places of their behaviors among the rows."""
        if self._plain:
            return rows, slice(None)
        first, last = np.searchsorted(self._sorted, [rows.start, rows.stop])
        sources = self._sources[first:last]
        return sources, self._positions[sources] - rows.start


def _put(
    values: Floats, members: tuple[_Members, _Members], down: slice, across: slice, tile: Floats
) -> None:
    """Write the distances between distinct behaviors to all sources that have them."""
    rows, columns = members[0].of(down), members[1].of(across)
    if isinstance(rows[0], slice) and isinstance(columns[0], slice):
        values[rows[0], columns[0]] = tile
        return
    spread = tile[rows[1]][:, columns[1]]
    numbers = np.arange(len(values))[rows[0]], np.arange(values.shape[1])[columns[0]]
    values[np.ix_(*numbers)] = spread

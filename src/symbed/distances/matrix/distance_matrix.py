"""``DistanceMatrix``, and the verb ``pairwise`` that computes it: all distances of an atlas."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Unpack

import numpy as np
from numpy.typing import NDArray

from symbed import limits
from symbed._export import data_frame
from symbed._types import Floats
from symbed.behavior.atlas import Atlas
from symbed.behavior.behavior import Behavior, require_same_points
from symbed.behavior.observation import Source
from symbed.behavior.surveying import as_atlas
from symbed.distances.matrix.tiles import MatrixAxis, MatrixTask, measure_tile
from symbed.distances.measure import Measure, MeasureSettings, as_measure
from symbed.errors import RangeError, ShapeError
from symbed.parallel import open_executor, run_blocks
from symbed.progress import Progress, Shown
from symbed.sampling.probe import Probe

APART = 1 << 20  # entries between distinct behaviors that may be kept apart before they are spread


@dataclass(frozen=True, eq=False, repr=False)
class DistanceMatrix:
    """Distances between rows and columns; ``np.asarray`` gives the numbers.

    Attributes
    ----------
    values : (n_rows, n_columns) array
        Read-only; a memory map, if the matrix is in a file.
    row_labels, column_labels : sequence of str
        What the rows and the columns are called.
    measure : object
        How they were measured; a ``Measure``, or what another verb describes itself by.
    """

    values: Floats
    row_labels: Sequence[str]
    column_labels: Sequence[str]
    measure: object = field(default_factory=Measure)

    def __post_init__(self) -> None:
        values = self.values.view()  # an array that the user gave stays writable
        values.setflags(write=False)
        object.__setattr__(self, "values", values)

    @property
    def shape(self) -> tuple[int, int]:
        """Number of rows and columns."""
        return self.values.shape[0], self.values.shape[1]

    def condensed(self) -> Floats:
        """The distances above the diagonal, row by row: what SciPy takes instead of a square.

        Examples
        --------
        >>> DistanceMatrix(np.array([[0.0, 1.0], [1.0, 0.0]]), "ab", "ab").condensed()
        array([1.])
        """
        n_rows, n_columns = self.shape
        if n_rows != n_columns:
            raise ShapeError(f"only a square matrix can be condensed, got {self.shape}")
        return np.asarray(self.values)[np.triu_indices(n_rows, 1)]

    def to_dict(self) -> dict[str, Any]:
        """Labels and distances, ready for JSON but for infinities."""
        settings = self.measure.to_dict() if isinstance(self.measure, Measure) else {}
        return {
            "labels": list(self.row_labels),
            "column_labels": list(self.column_labels),
            "distances": self.values.tolist(),
            **settings,
        }

    def to_frame(self) -> Any:
        """A pandas frame, with the labels as its index and columns."""
        return data_frame(np.asarray(self.values), list(self.row_labels), list(self.column_labels))

    def __len__(self) -> int:
        return len(self.values)

    def __getitem__(self, key: Any) -> Any:
        return self.values[key]

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray[Any]:
        return np.array(self.values, dtype=dtype, copy=copy)

    def _repr_html_(self) -> str:
        from symbed._notebook import matrix_html

        return matrix_html(self)

    def __repr__(self) -> str:
        size = f"{self.shape[0]:,} x {self.shape[1]:,}"
        # A map may be larger than memory, and is not read for this.
        if isinstance(self.values, np.memmap):
            return f"DistanceMatrix({size}, in a file)"
        finite = np.isfinite(self.values).mean() if self.values.size else 1.0
        return f"DistanceMatrix({size}, {100 * finite:.3g}% finite)"


def pairwise(
    atlas: Atlas | Iterable[Source | Behavior],
    other: Atlas | Behavior | Iterable[Source | Behavior] | None = None,
    *,
    probe: Probe | None = None,
    measure: Measure | None = None,
    screen: float | None = None,
    workers: int | None = None,
    executor: Executor | None = None,
    progress: Shown = None,
    out: NDArray[np.float64] | str | Path | None = None,
    **settings: Unpack[MeasureSettings],
) -> DistanceMatrix:
    """All distances within an atlas, or between two.

    Parameters
    ----------
    atlas : Atlas, or sequence of behaviors or sources
        The rows. Sources, such as texts, need a ``probe``.
    other : Atlas, or sequence of behaviors or sources, optional
        The columns; the atlas itself by default.
    probe : Probe, optional
        Where to look, if sources are given instead of an atlas.
    measure : Measure, optional
        How to measure; an entry is exactly what ``distance`` gives.
    screen : float, optional
        If given, only distances up to this are exact. Larger ones are computed in single precision,
        in less than half the time, and are off by at most 1.7e-5 of the sum of the two behaviors'
        mean absolute outputs (p = 2: 8.2e-6 of themselves).
    workers : int, optional
        Number of threads; all cores by default. The numbers do not depend on it.
    executor : Executor, optional
        Who computes, instead of threads: anything with the interface of ``concurrent.futures``,
        such as Dask's ``client.get_executor()``. The numbers do not depend on it either.
    progress : bool or callable, optional
        None shows a bar in terminals and notebooks, True always, False never; a callable is called
        with the number of entries done so far.
    out : array, str or Path, optional
        A float64 array, or a file: ``.npy``, or ``.parquet`` with a list of distances for each
        expression. A file is written tile by tile in bounded memory, and may be larger than that;
        killed and called again, the call goes on where it was and ends in the same bytes.
    **settings
        Instead of ``measure``, any of its settings: ``metric``, ``p``, ``mismatch``, ``undefined``,
        ``penalty``; see ``Measure``.

    Examples
    --------
    >>> import symbed
    >>> probe = symbed.Probe({"x": (0, 1)}, n_points=16)
    >>> symbed.pairwise(symbed.survey(["x", "x + 1", "x + 3"], probe)).values.round(9)
    array([[0., 1., 3.],
           [1., 0., 2.],
           [3., 2., 0.]])
    """
    measure = as_measure(measure, settings)
    measure.require_pointwise("pairwise")
    _check_screen(screen, measure)
    who: dict[str, Any] = {"workers": workers, "executor": executor, "progress": progress}
    left = as_atlas(atlas, probe, verb="pairwise", **who)
    right = left if other is None else as_atlas(other, probe, verb="pairwise", **who)
    if right is not left:
        require_same_points(left[0], right[0])
    to_file = isinstance(out, (str, Path))
    ordered = to_file or not are_kept_apart(left.n_distinct, right.n_distinct)
    down = MatrixAxis(left, ordered)
    across = down if right is left else MatrixAxis(right, ordered)
    task = MatrixTask(down, across, measure, screen)
    with open_executor(workers, executor) as pool:
        if isinstance(out, (str, Path)):
            from symbed.distances.matrix._files import fill_file  # late: most stay in memory

            values = fill_file(task, Path(out), pool, progress)
        else:
            values = _into(out, (len(left), len(right)))
            fill_array(task, values, pool, progress)
    return DistanceMatrix(values, left.labels, right.labels, measure)


def _check_screen(screen: float | None, measure: Measure) -> None:
    if screen is None:
        return
    if not isinstance(screen, (int, float)) or not screen >= 0:
        raise RangeError(f"screen must be a distance of at least 0, got {screen!r}")
    if measure.row.relative or measure.undefined != "strict":
        raise RangeError("screen goes with metric 'wasserstein' or 'arcsinh', undefined='strict'")


def _into(out: NDArray[np.float64] | None, shape: tuple[int, int]) -> Floats:
    if out is None:
        limits.MATRIX.check(shape[0] * shape[1])
        return np.empty(shape)
    fits = isinstance(out, np.ndarray) and out.shape == shape and out.dtype == np.float64
    if not fits or not out.flags.writeable:
        raise RangeError(
            f"out must be a writable float64 array of shape {shape}, or the name of a file"
        )
    return out


def are_kept_apart(n_rows: int, n_columns: int) -> bool:
    """Whether distances of so many distinct behaviors are all computed before they are spread."""
    return n_rows * n_columns <= APART


def fill_array(task: MatrixTask, values: Floats, pool: Executor, progress: Shown) -> None:
    """Compute a matrix into memory, tile by tile."""
    grid, down, across = task.grid(pool), task.down, task.across
    apart = are_kept_apart(grid.n_rows, grid.n_columns)
    filled = np.empty((grid.n_rows, grid.n_columns)) if apart else values
    tiles = grid.tiles()
    results = run_blocks(pool, measure_tile, task.blocks(grid, tiles, pool))
    with Progress("distances", grid.n_rows * grid.n_columns, progress) as bar:
        for tile, distances in zip(tiles, results, strict=True):
            rows, columns = grid.place(tile)
            _put(filled, rows, columns, distances, None if apart else (down, across))
            if grid.symmetric and tile[0] != tile[1]:
                mirror = None if apart else (across, down)
                _put(filled, columns, rows, distances.T, mirror)
            bar.advance(grid.size(tile))
    if apart:  # repeated for all sources that behave so, some rows at once
        step = max(1, APART // len(across.positions))
        for first in range(0, len(values), step):
            some = slice(first, first + step)
            values[some] = filled[down.positions[some]][:, across.positions]


def _put(
    filled: Floats, rows: slice, columns: slice, tile: Floats,
    axes: tuple[MatrixAxis, MatrixAxis] | None,
) -> None:  # fmt: skip
    """Write a tile to its place, or to all sources that have its behaviors along the axes."""
    if axes is None or (axes[0].is_plain and axes[1].is_plain):
        filled[rows, columns] = tile
        return
    (sources, places), (others, other_places) = (
        axis.groups.expand(np.arange(some.start, some.stop))
        for axis, some in zip(axes, (rows, columns), strict=True)
    )
    filled[np.ix_(sources, others)] = tile[places][:, other_places]

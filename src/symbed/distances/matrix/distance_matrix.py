"""Distance matrices: an atlas (or two) goes in, all distances come out."""

from __future__ import annotations

import math
from collections.abc import Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from symbed import limits
from symbed._types import Floats
from symbed.behavior.atlas import Atlas
from symbed.behavior.behavior import Behavior, require_same_points
from symbed.distances.matrix.assembly import MatrixTask, are_kept_apart, fill_array, fill_file
from symbed.distances.matrix.tiles import Layout
from symbed.distances.measure import Measure, Undefined
from symbed.errors import RangeError, ShapeError
from symbed.parallel import open_executor
from symbed.progress import Shown


@dataclass(frozen=True, eq=False, repr=False)
class DistanceMatrix:
    """Distances between rows and columns; ``np.asarray`` gives the numbers.

    Attributes
    ----------
    values : (n_rows, n_columns), read-only; a memory map, if the matrix is in a file.
    rows, columns : labels.
    measure : how they were measured; a ``Measure``, or what another verb describes itself by.
    """

    values: Floats
    rows: Sequence[str]
    columns: Sequence[str]
    measure: object = field(default_factory=Measure)

    def __post_init__(self) -> None:
        values = self.values.view()  # an array that the user gave stays writable
        values.setflags(write=False)
        object.__setattr__(self, "values", values)

    @property
    def shape(self) -> tuple[int, int]:
        """Number of rows and columns."""
        return self.values.shape[0], self.values.shape[1]

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
        if isinstance(
            self.values, np.memmap
        ):  # may be larger than memory, and is not read for this
            return f"DistanceMatrix({size}, in a file)"
        finite = np.isfinite(self.values).mean() if self.values.size else 1.0
        return f"DistanceMatrix({size}, {100 * finite:.3g}% finite)"


def pairwise(
    atlas: Atlas | Sequence[Behavior],
    other: Atlas | Behavior | Sequence[Behavior] | None = None,
    *,
    metric: str = "wasserstein",
    p: int = 1,
    mismatch: float = math.inf,
    undefined: Undefined = "strict",
    penalty: float | None = None,
    screen: float | None = None,
    workers: int | None = None,
    executor: Executor | None = None,
    progress: Shown = None,
    out: NDArray[np.float64] | str | Path | None = None,
) -> DistanceMatrix:
    """All distances within an atlas, or between two.

    Parameters
    ----------
    atlas : the rows; a sequence of behaviors works too.
    other : the columns; the atlas itself by default.
    metric, p, mismatch, undefined, penalty : as in ``compare``; an entry is exactly what
        ``distance`` gives.
    screen : if given, only distances up to this are exact. Larger ones are computed in single
        precision, in less than half the time, and are off by at most 1.7e-5 of the sum of the two
        behaviors' mean absolute outputs (p = 2: 8.2e-6 of themselves).
    workers : number of threads; all cores by default. The numbers do not depend on it.
    executor : who computes, instead of threads: anything with the interface of
        ``concurrent.futures``, such as Dask's ``client.get_executor()``. The numbers do not depend
        on it either.
    progress : None shows a bar in terminals and notebooks, True always, False never; a callable is
        called with the number of entries done so far.
    out : a float64 array, or a file: ``.npy``, or ``.parquet`` with a list of distances for each
        expression. A file is written tile by tile in bounded memory, and may be larger than that;
        killed and called again, the call goes on where it was and ends in the same bytes.

    Examples
    --------
    >>> import symbed
    >>> probe = symbed.Probe({"x": (0, 1)}, n_points=16)
    >>> symbed.pairwise(symbed.survey(["x", "x + 1", "x + 3"], probe)).values.round(9)
    array([[0., 1., 3.],
           [1., 0., 2.],
           [3., 2., 0.]])
    """
    measure = Measure(metric, p, mismatch, undefined, penalty)
    measure.require_pointwise("pairwise")
    _check_screen(screen, measure)
    left = as_atlas(atlas)
    right = left if other is None else as_atlas(other)
    if right is not left:
        require_same_points(left[0], right[0])
    to_file = isinstance(out, (str, Path))
    ordered = to_file or not are_kept_apart(left.n_distinct, right.n_distinct)
    down = Layout(left, ordered)
    across = down if right is left else Layout(right, ordered)
    task = MatrixTask(down, across, measure, screen)
    with open_executor(workers, executor) as pool:
        if isinstance(out, (str, Path)):
            values = fill_file(task, Path(out), pool, progress)
        else:
            values = _into(out, (len(left), len(right)))
            fill_array(task, values, pool, progress)
    return DistanceMatrix(values, left.labels, right.labels, measure)


def as_atlas(behaviors: Atlas | Behavior | Sequence[Behavior]) -> Atlas:
    """An atlas, a behavior or a sequence of behaviors as an atlas."""
    if isinstance(behaviors, Atlas):
        return behaviors
    if isinstance(behaviors, Behavior):
        return Atlas.from_behaviors([behaviors])
    if isinstance(behaviors, Sequence) and all(isinstance(b, Behavior) for b in behaviors):
        return Atlas.from_behaviors(behaviors)
    raise ShapeError(
        f"pairwise needs an Atlas or behaviors, got {type(behaviors).__name__}; "
        "make one with survey(expressions, probe)"
    )


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

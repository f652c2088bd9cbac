"""Distance matrices: an atlas (or two) goes in, all distances come out."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from symbed import limits
from symbed.behavior.atlas import Atlas
from symbed.behavior.behavior import Behavior, Floats, require_same_points
from symbed.distance import kernels
from symbed.distance.metrics import Measure, Undefined
from symbed.engine.threads import count_threads
from symbed.errors import RangeError, ShapeError

TILE = 256  # rows of one tile; two tiles of 64 x 32 outputs are 8 MB


@dataclass(frozen=True, eq=False, repr=False)
class DistanceMatrix:
    """Distances between rows and columns; ``np.asarray`` gives the numbers.

    Attributes
    ----------
    values : (n_rows, n_columns), read-only.
    rows, columns : labels.
    measure : how they were measured; a ``Measure``, or what another verb describes itself by.
    """

    values: Floats
    rows: Sequence[str]
    columns: Sequence[str]
    measure: object = field(default_factory=Measure)

    def __post_init__(self) -> None:
        self.values.setflags(write=False)

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
        from symbed.notebook import matrix_html

        return matrix_html(self)

    def __repr__(self) -> str:
        finite = np.isfinite(self.values).mean() if self.values.size else 1.0
        return f"DistanceMatrix({self.shape[0]:,} x {self.shape[1]:,}, {100 * finite:.3g}% finite)"


def pairwise(
    atlas: Atlas | Sequence[Behavior],
    other: Atlas | Behavior | Sequence[Behavior] | None = None,
    *,
    metric: str = "wasserstein",
    p: int = 1,
    mismatch: float = math.inf,
    undefined: Undefined = "strict",
    penalty: float | None = None,
    workers: int | None = None,
    out: NDArray[np.float64] | None = None,
) -> DistanceMatrix:
    """All distances within an atlas, or between two.

    Parameters
    ----------
    atlas : the rows; a sequence of behaviors works too.
    other : the columns; the atlas itself by default.
    metric, p, mismatch, undefined, penalty : as in ``compare``; an entry is exactly what
        ``distance`` gives.
    workers : number of threads; all cores by default. The numbers do not depend on it.
    out : a float64 array to write the distances to.

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
    left = as_atlas(atlas)
    right = left if other is None else as_atlas(other)
    limits.MATRIX.check(len(left) * len(right))
    if right is not left:
        require_same_points(left[0], right[0])
    values = _into(out, (len(left), len(right)))
    distinct = _distinct_distances(left, right, measure, workers)
    np.take(distinct[_positions(left)], _positions(right), axis=1, out=values, mode="clip")
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


def _distinct_distances(left: Atlas, right: Atlas, measure: Measure, workers: int | None) -> Floats:
    """Distances between distinct behaviors, each pair once where the matrix is symmetric."""
    same = left is right
    found = np.empty((left.n_distinct, right.n_distinct))

    def fill(a: _Tile, b: _Tile) -> None:
        distances = kernels.cross(a.side, b.side, measure)
        found[a.rows, b.rows] = distances
        if same:
            found[b.rows, a.rows] = distances.T

    down = list(_tiles(left, measure))
    across = down if same else list(_tiles(right, measure))
    jobs = [(a, b) for i, a in enumerate(down) for b in (across[i:] if same else across)]
    with ThreadPoolExecutor(count_threads(workers)) as pool:
        for job in [pool.submit(fill, a, b) for a, b in jobs]:
            job.result()
    return found


@dataclass(frozen=True, eq=False)
class _Tile:
    """Some consecutive distinct behaviors, and their place in the matrix."""

    rows: slice
    side: kernels.Side


def _tiles(atlas: Atlas, measure: Measure) -> Iterator[_Tile]:
    """The distinct behaviors in tiles: those without parameters first."""
    start = 0
    for block in (atlas.fixed, atlas.varied):
        for side in block.tiles(TILE):
            stop = start + len(side[0])
            yield _Tile(slice(start, stop), kernels.prepare(side, measure))
            start = stop


def _positions(atlas: Atlas) -> NDArray[np.int64]:
    """Where each source's behavior stands among the distinct ones."""
    return np.where(atlas.places >= 0, atlas.places, len(atlas.fixed) - 1 - atlas.places)


def _into(out: NDArray[np.float64] | None, shape: tuple[int, int]) -> Floats:
    if out is None:
        return np.empty(shape)
    if not isinstance(out, np.ndarray) or out.shape != shape or out.dtype != np.float64:
        raise RangeError(f"out must be a float64 array of shape {shape}")
    return out

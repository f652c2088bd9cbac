"""Neighbors: a behavior and an atlas go in, the nearest expressions come out, exactly."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from symbed.behavior.atlas import Atlas, label_of
from symbed.behavior.behavior import Behavior
from symbed.behavior.observation import observe
from symbed.distances.measure import Measure, Undefined
from symbed.errors import PointsMismatch, RangeError, ShapeError
from symbed.parallel import open_executor, run_blocks

if TYPE_CHECKING:
    from symbed.behavior.family import Family
    from symbed.language.expression import Expression

    One = Behavior | str | Expression | Family


@dataclass(frozen=True)
class Neighbor:
    """One of the nearest expressions: its place in the atlas, its distance and its label."""

    index: int
    distance: float
    label: str


@dataclass(frozen=True, eq=False, repr=False)
class Neighbors:
    """The nearest expressions, nearest first; of equal ones, the one with the smaller index first.

    For one query the arrays have the shape (k,), and items are ``Neighbor``. For many queries they
    have the shape (n_queries, k), and items are the ``Neighbors`` of one query each.

    Attributes
    ----------
    indices : their places where was searched, read-only.
    distances : to the query, ascending, read-only.
    labels : the expressions, nested as the indices are.
    """

    indices: NDArray[np.int64]
    distances: NDArray[np.float64]
    labels: Sequence[Any]

    def __post_init__(self) -> None:
        self.indices.setflags(write=False)
        self.distances.setflags(write=False)

    def __len__(self) -> int:
        return len(self.indices)

    def __getitem__(self, number: int) -> Neighbor | Neighbors:
        index, distance, label = self.indices[number], self.distances[number], self.labels[number]
        if self.indices.ndim == 1:
            return Neighbor(int(index), float(distance), label)
        return Neighbors(index, distance, label)

    def __iter__(self) -> Iterator[Neighbor | Neighbors]:
        return (self[number] for number in range(len(self)))

    def _repr_html_(self) -> str:
        from symbed._notebook import neighbors_html

        return neighbors_html(self)

    def __repr__(self) -> str:
        if not len(self):
            return "Neighbors(none)"
        if self.indices.ndim > 1:
            n_queries, k = self.indices.shape
            return f"Neighbors({n_queries} queries, {k} of each)"
        return f"Neighbors({len(self)}, nearest {self.labels[0]!r} at {self.distances[0]:.6g})"


def nearest(
    query: One | Atlas | Sequence[One],
    atlas: Atlas,
    k: int = 10,
    *,
    metric: str = "wasserstein",
    p: int = 1,
    mismatch: float = math.inf,
    undefined: Undefined = "strict",
    penalty: float | None = None,
    workers: int | None = None,
    executor: Executor | None = None,
) -> Neighbors:
    """The nearest expressions of an atlas: exactly what comparing with every one would give.

    Parameters
    ----------
    query : a behavior, or an expression, which is observed with the atlas's probe; or many of
        them, as a list or an atlas. (A list of texts is many queries; a token list must be parsed
        first.)
    atlas : where to search. It need not keep outputs: ``survey(..., keep="programs")`` does.
    k : how many.
    metric, p, mismatch, undefined, penalty : as in ``compare``; each distance is exactly what
        ``distance`` gives.
    workers : number of threads; all cores by default. The numbers do not depend on it.
    executor : who makes the sketches, instead of threads; as in ``survey``.

    Notes
    -----
    The first search in an atlas evaluates all of it once and keeps a sketch of each distinct
    behavior: 300 to 600 bytes at 64 x 32.

    Examples
    --------
    >>> import symbed
    >>> probe = symbed.Probe({"x": (0, 1)}, n_points=16)
    >>> found = symbed.nearest("x + 1", symbed.survey(["x", "x + 3", "x + 1.5"], probe), k=2)
    >>> found.labels, found.distances.round(9)
    (['x + 1.5', 'x'], array([0.5, 1. ]))
    """
    measure = Measure(metric, p, mismatch, undefined, penalty)
    measure.require_pointwise("nearest")
    if not isinstance(atlas, Atlas):
        raise ShapeError(
            f"nearest searches in an Atlas, got {type(atlas).__name__}; "
            "make one with survey(expressions, probe)"
        )
    _check_count(k, atlas)
    many = isinstance(query, (Atlas, list, tuple))
    given: Any = query if many else [query]
    queries = [_observed(one, atlas) for one in given]
    found = _search(queries, atlas, measure, k, workers, executor)
    indices = np.array([places for places, _ in found], np.int64).reshape(len(queries), k)
    distances = np.array([d for _, d in found], np.float64).reshape(len(queries), k)
    labels = [[label_of(atlas.sources[i]) for i in row] for row in indices.tolist()]
    if many:
        return Neighbors(indices, distances, labels)
    return Neighbors(indices[0], distances[0], labels[0])


def _search(
    queries: Sequence[Behavior],
    atlas: Atlas,
    measure: Measure,
    k: int,
    workers: int | None,
    executor: Executor | None,
) -> list[tuple[NDArray[np.int64], NDArray[np.float64]]]:
    from symbed.distances.search.filter_refine import Search

    with open_executor(workers, executor) as makers:
        search = Search(atlas, measure, k, makers)
    if len(queries) == 1:
        return [search(queries[0])]
    with open_executor(workers, None) as threads:
        return list(run_blocks(threads, search, ((query,) for query in queries)))


def _observed(query: One, atlas: Atlas) -> Behavior:
    """The query as a behavior that can be compared with the atlas."""
    if isinstance(query, Behavior):
        if not np.array_equal(query.points, atlas.points):
            _complain(query, atlas)
        return query
    if atlas.probe is None:
        raise ShapeError(
            "this atlas was made of samples and has no probe to observe expressions with; "
            "give the query as a Behavior at the same points"
        )
    return observe(query, atlas.probe)


def _complain(query: Behavior, atlas: Atlas) -> None:
    if len(query.points) != len(atlas.points):
        raise PointsMismatch(
            f"{query.label!r} was observed at {len(query.points)} points and the atlas at "
            f"{len(atlas.points)}; observe it with atlas.probe"
        )
    raise PointsMismatch(
        f"{query.label!r} and the atlas were observed at different points; "
        "observe it with atlas.probe"
    )


def _check_count(k: int, atlas: Atlas) -> None:
    if not isinstance(k, (int, np.integer)) or isinstance(k, bool) or k < 1:
        raise RangeError(f"k must be a positive whole number, got {k!r}")
    if k > len(atlas):
        raise RangeError(f"k is {k:,}, but the atlas has only {len(atlas):,} expressions")

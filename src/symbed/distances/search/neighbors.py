"""``Neighbors``, and the verb ``nearest`` that finds them: the nearest expressions, exactly."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Unpack

import numpy as np

from symbed._export import data_frame
from symbed._types import Floats, Integers
from symbed.behavior.atlas import Atlas
from symbed.behavior.behavior import Behavior
from symbed.behavior.observation import Source, observe
from symbed.behavior.surveying import as_atlas
from symbed.distances.measure import Measure, MeasureSettings, as_measure
from symbed.errors import PointsMismatch, RangeError, ShapeError
from symbed.parallel import open_executor, run_blocks
from symbed.progress import Progress, Shown
from symbed.sampling.probe import Probe

if TYPE_CHECKING:
    from symbed.behavior.observation import Family
    from symbed.language.expression import Expression

    One = Behavior | str | Expression | Family


MORE = 4  # times as many neighbors are looked at, until enough of them differ


@dataclass(frozen=True)
class Neighbor:
    """One of the nearest expressions: its place in the atlas, its distance and its label."""

    index: int
    distance: float
    label: str


@dataclass(frozen=True, eq=False, repr=False)
class Neighbors:
    """The nearest expressions, nearest first; of equal ones, the one with the smaller index first.

    The arrays have the shape of what was asked: (k,) for one query, and (n_queries, k) for a
    sequence of queries, also if it has only one. Items are ``Neighbor`` for one query, and the
    ``Neighbors`` of one query each for a sequence; ``each`` lists the latter in both cases.

    Attributes
    ----------
    indices : (k,) or (n_queries, k) array
        Their places where was searched, read-only.
    distances : (k,) or (n_queries, k) array
        To the query, ascending, read-only.
    labels : sequence
        The expressions, nested as the indices are.
    query : str or sequence of str
        What was searched for.
    atlas : Atlas or None
        Where was searched.
    """

    indices: Integers
    distances: Floats
    labels: Sequence[Any]
    query: str | Sequence[str] = ""
    atlas: Atlas | None = None

    def __post_init__(self) -> None:
        self.indices.setflags(write=False)
        self.distances.setflags(write=False)

    def __len__(self) -> int:
        return len(self.indices)

    def __getitem__(self, number: int) -> Neighbor | Neighbors:
        index, distance, label = self.indices[number], self.distances[number], self.labels[number]
        if self.indices.ndim == 1:
            return Neighbor(int(index), float(distance), label)
        query = self.query[number] if self.query else ""
        return Neighbors(index, distance, label, query, self.atlas)

    def __iter__(self) -> Iterator[Neighbor | Neighbors]:
        return (self[number] for number in range(len(self)))

    @property
    def each(self) -> list[Neighbors]:
        """The neighbors of each query, one by one."""
        if self.indices.ndim == 1:
            return [self]
        rows = (self[number] for number in range(len(self)))
        return [row for row in rows if isinstance(row, Neighbors)]

    def to_dict(self) -> dict[str, Any]:
        """The neighbors of each query, ready for JSON but for infinities.

        With what the columns of the atlas say of them.
        """
        count = {"n_expressions": len(self.atlas)} if self.atlas is not None else {}
        results = [{"query": one.query, "neighbors": one._listed()} for one in self.each]
        return {**count, "k": self.indices.shape[-1], "results": results}

    def to_frame(self) -> Any:
        """A pandas frame with a row for each neighbor of each query."""
        rows = [
            {"query": one.query, "rank": rank, **row}
            for one in self.each
            for rank, row in enumerate(one._listed())
        ]
        return data_frame({name: [row[name] for row in rows] for name in (rows[0] if rows else ())})

    def _listed(self) -> list[dict[str, Any]]:
        """The neighbors of one query with their columns of metadata."""
        cells = zip(self.indices.tolist(), self.distances.tolist(), self.labels, strict=True)
        return [
            {"index": index, "distance": distance, "label": label}
            | (self.atlas.metadata_of(index) if self.atlas is not None else {})
            for index, distance, label in cells
        ]

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
    atlas: Atlas | Iterable[Source | Behavior],
    k: int = 10,
    *,
    probe: Probe | None = None,
    measure: Measure | None = None,
    workers: int | None = None,
    executor: Executor | None = None,
    progress: Shown = None,
    **settings: Unpack[MeasureSettings],
) -> Neighbors:
    """The nearest expressions of an atlas: exactly what comparing with every one would give.

    Parameters
    ----------
    query : Behavior, str, Expression or Family; or an Atlas or a sequence of these
        What to look for; an expression is observed with the atlas's probe. (A list of texts is many
        queries; a token list must be parsed first.)
    atlas : Atlas, or sequence of behaviors or sources
        Where to search. It need not keep outputs: ``survey(..., keep="programs")`` does. Sources,
        such as texts, need a ``probe``.
    k : int
        How many.
    probe, measure, workers, executor, progress, **settings
        As in ``pairwise``: each distance is exactly what ``distance`` gives. The executor makes the
        sketches; progress counts distinct expressions sketched and queries answered.

    Returns
    -------
    Neighbors
        With arrays of shape (k,) for one query, and (n_queries, k) for an atlas or a sequence.

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
    measure = as_measure(measure, settings)
    measure.require_pointwise("nearest")
    who: dict[str, Any] = {"workers": workers, "executor": executor}
    within = as_atlas(atlas, probe, verb="nearest", **who, progress=progress)
    _check_count(k, within)
    many = isinstance(query, (Atlas, list, tuple))
    given: Any = query if many else [query]
    queries = [_observed(one, within) for one in given]
    with Progress("search", within.n_distinct + len(queries), progress) as bar:
        matches = list(_search(queries, within, measure, k, bar, **who))
    indices = np.array([places for places, _ in matches], np.int64).reshape(len(queries), k)
    distances = np.array([d for _, d in matches], np.float64).reshape(len(queries), k)
    labels = [[within.label(i) for i in row] for row in indices.tolist()]
    asked = [one.label for one in queries]
    if many:
        return Neighbors(indices, distances, labels, asked, within)
    return Neighbors(indices[0], distances[0], labels[0], asked[0], within)


def nearest_distinct(
    queries: Sequence[Behavior],
    atlas: Atlas,
    k: int,
    *,
    measure: Measure | None = None,
    workers: int | None = None,
    executor: Executor | None = None,
    **settings: Unpack[MeasureSettings],
) -> Neighbors:
    """The nearest representatives of groups of duplicates.

    Not the nearest members of the groups, which are one or the other by the last digits of a
    distance. All groups, if there are fewer than ``k``; the rest is as in ``nearest``.

    >>> import symbed
    >>> probe = symbed.Probe({"x": (1, 5)})
    >>> atlas = symbed.survey(["x", "x + 0", "x^2"], probe)
    >>> nearest_distinct([symbed.observe("1.1*x", probe)], atlas, 2).each[0].labels
    ('x', 'x^2')
    """
    from symbed.distances.duplicates.duplicate_groups import duplicates  # few ask for it

    measure = as_measure(measure, settings)
    groups = duplicates(atlas, measure=measure, workers=workers, executor=executor)
    k = min(k, len(groups.representatives))
    n = min(MORE * k, len(atlas))
    while True:
        many = nearest(queries, atlas, n, measure=measure, workers=workers, executor=executor)
        # Members of groups take places among the neighbors, and how many is not known before.
        kept = [np.flatnonzero(np.isin(row, groups.representatives))[:k] for row in many.indices]
        if n == len(atlas) or all(len(places) == k for places in kept):
            break
        n = min(MORE * n, len(atlas))
    indices = np.stack([row[places] for row, places in zip(many.indices, kept, strict=True)])
    distances = np.stack([row[places] for row, places in zip(many.distances, kept, strict=True)])
    labels = tuple(tuple(map(atlas.label, row)) for row in indices.tolist())
    return Neighbors(indices, distances, labels, many.query, atlas)


def _search(
    queries: Sequence[Behavior],
    atlas: Atlas,
    measure: Measure,
    k: int,
    bar: Progress,
    workers: int | None,
    executor: Executor | None,
) -> Iterator[tuple[Integers, Floats]]:
    """The k nearest of each query, in order."""
    from symbed.distances.search._filter_refine import Search

    with open_executor(workers, executor) as makers:
        search = Search(atlas, measure, k, makers, bar.advance)
    if len(queries) == 1:
        yield search(queries[0])
        bar.advance()
        return
    # Threads, whoever made the sketches: all queries share the tables in memory.
    with open_executor(workers, None) as threads:
        for match in run_blocks(threads, search, ((query,) for query in queries)):
            yield match
            bar.advance()


def _observed(query: One, atlas: Atlas) -> Behavior:
    """The query as a behavior that can be compared with the atlas."""
    if isinstance(query, Behavior):
        if len(query.points) != len(atlas.points):
            raise PointsMismatch(
                f"{query.label!r} was observed at {len(query.points)} points and the atlas at "
                f"{len(atlas.points)}; observe it with atlas.probe"
            )
        if not np.array_equal(query.points, atlas.points):
            raise PointsMismatch(
                f"{query.label!r} and the atlas were observed at different points; "
                "observe it with atlas.probe"
            )
        return query
    if atlas.probe is None:
        raise ShapeError(
            "this atlas was made of samples and has no probe to observe expressions with; "
            "give the query as a Behavior at the same points"
        )
    return observe(query, atlas.probe)


def _check_count(k: int, atlas: Atlas) -> None:
    if not isinstance(k, (int, np.integer)) or isinstance(k, bool) or k < 1:
        raise RangeError(f"k must be a positive whole number, got {k!r}")
    if k > len(atlas):
        raise RangeError(f"k is {k:,}, but the atlas has only {len(atlas):,} expressions")

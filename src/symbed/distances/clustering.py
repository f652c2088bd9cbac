"""``Clusters``, and the verb ``cluster``: groups of expressions by their distances.

Hierarchical methods are SciPy's. k-medoids starts greedily as PAM does and then swaps a medoid and
another member while that lowers the total; collections that are too large for all their distances
are grouped around the medoids of a sample, as CLARA does [1]_. There is no random start.

References
----------
.. [1] L. Kaufman, P. J. Rousseeuw, Finding Groups in Data, Wiley 1990, chapters 2 and 3.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass
from numbers import Real
from typing import Any, Literal, Unpack, get_args

import numpy as np

from symbed._export import data_frame
from symbed._types import Floats, Integers
from symbed.behavior.atlas import Atlas
from symbed.behavior.behavior import Behavior
from symbed.behavior.observation import Source
from symbed.behavior.surveying import as_atlas
from symbed.distances.matrix.distance_matrix import DistanceMatrix, pairwise
from symbed.distances.measure import Measure, MeasureSettings, as_measure
from symbed.errors import DataError, MissingExtra, RangeError, ShapeError
from symbed.progress import Shown
from symbed.sampling.probe import Probe
from symbed.sampling.validation import checked_whole

Method = Literal["average", "single", "complete", "ward", "medoids"]
METHODS: tuple[str, ...] = get_args(Method)
MAX_ROUNDS = 300  # of swaps; the total falls with each, so this only bounds the time
ROUNDING = 1e-12  # share of the total by which a swap must lower it
SAMPLE_SIZE = 400  # sources that the medoids of a large collection are chosen from


@dataclass(frozen=True, eq=False, repr=False)
class Clusters:
    """Groups of expressions.

    Attributes
    ----------
    labels_ : (n,) array
        Number of the cluster of each expression, in order of first appearance; scikit-learn's name.
    medoids : (n_clusters,) array
        For each cluster, the member with the smallest mean distance to the others.
    labels : sequence of str
        What the expressions are called.
    tree : array or None
        SciPy's linkage matrix of a hierarchical method, for dendrograms; None otherwise.
    matrix : DistanceMatrix or None
        The distances that they were made by, for a map; None if they were not all measured.
    """

    labels_: Integers
    medoids: Integers
    labels: Sequence[str]
    tree: Floats | None = None
    matrix: DistanceMatrix | None = None

    @property
    def n_clusters(self) -> int:
        """Number of clusters."""
        return len(self.medoids)

    def members(self, number: int) -> list[str]:
        """The labels of one cluster's members."""
        return [self.labels[row] for row in np.flatnonzero(self.labels_ == number).tolist()]

    def to_dict(self) -> dict[str, Any]:
        """The number of each expression's cluster, and the clusters by label, ready for JSON."""
        return {
            "n_clusters": self.n_clusters,
            "labels": self.labels_.tolist(),
            "clusters": [
                {"medoid": self.labels[medoid], "members": self.members(number)}
                for number, medoid in enumerate(self.medoids.tolist())
            ],
        }

    def to_frame(self) -> Any:
        """A pandas frame with a row for each expression: its cluster, whether it is a medoid."""
        is_medoid = np.isin(np.arange(len(self.labels_)), self.medoids)
        return data_frame(
            {"label": list(self.labels), "cluster": self.labels_, "is_medoid": is_medoid}
        )

    def __len__(self) -> int:
        return self.n_clusters

    def _repr_html_(self) -> str:
        from symbed._notebook import clusters_html

        return clusters_html(self)

    def __repr__(self) -> str:
        return f"Clusters({len(self.labels_):,} expressions in {self.n_clusters:,} clusters)"


def cluster(
    matrix: DistanceMatrix | Atlas | Iterable[Source | Behavior],
    n_clusters: int | None = None,
    *,
    threshold: float | None = None,
    method: Method = "average",
    features: Literal["cn"] | None = None,
    probe: Probe | None = None,
    measure: Measure | None = None,
    workers: int | None = None,
    executor: Executor | None = None,
    progress: Shown = None,
    **settings: Unpack[MeasureSettings],
) -> Clusters:
    """Group expressions by their distances.

    Parameters
    ----------
    matrix : DistanceMatrix, Atlas, or sequence of behaviors or sources
        A square matrix from ``pairwise(atlas)``, of which every entry must be finite; or what
        ``pairwise`` takes, which is then called with the arguments below.
    n_clusters : int, optional
        How many groups. Give this, or a threshold.
    threshold : float, optional
        Groups are merged while their distance is at most this (hierarchical methods).
    method : {"average", "single", "complete", "ward", "medoids"}
        Linkage; ``medoids`` is k-medoids; ``ward`` needs features.
    features : {"cn"}, optional
        The paper's BED-CN: rows of log10(1 + distances), scaled to unit length, serve as feature
        vectors with Euclidean distances.
    probe, measure, workers, executor, progress, **settings
        As in ``pairwise``; not with a matrix, which is measured already.

    Examples
    --------
    >>> import symbed
    >>> probe = symbed.Probe({"x": (1, 5)})
    >>> atlas = symbed.survey(["x", "x + 0.1", "x^2", "x^2 + 0.1"], probe)
    >>> cluster(symbed.pairwise(atlas), n_clusters=2).labels_
    array([0, 0, 1, 1])
    """
    who: dict[str, Any] = {"workers": workers, "executor": executor}
    if not isinstance(matrix, DistanceMatrix):
        atlas = as_atlas(
            matrix, probe, verb="cluster", wanted="an Atlas or a DistanceMatrix", **who,
            progress=progress,
        )  # fmt: skip
        matrix = pairwise(atlas, measure=measure, **who, progress=progress, **settings)
    elif settings or any(given is not None for given in (probe, measure, workers, executor)):
        raise RangeError("a DistanceMatrix is measured already; give these arguments to pairwise")
    distances = _square(matrix)
    _check_choices(len(distances), n_clusters, threshold, method, features)
    if features == "cn":
        rows = column_normalized(distances)
        distances = _scipy()[1].cdist(rows, rows)
    tree = None
    if method == "medoids":
        assert n_clusters is not None
        owners = _around_medoids(distances, n_clusters)
    else:
        tree = _linkage(distances, method)
        owners = _cut(tree, n_clusters, threshold)
    numbers = _in_order_of_appearance(owners)
    return Clusters(numbers, _medoids(distances, numbers), list(matrix.row_labels), tree, matrix)


def cluster_sampled(
    atlas: Atlas,
    n_clusters: int,
    *,
    measure: Measure | None = None,
    sample_size: int = SAMPLE_SIZE,
    workers: int | None = None,
    **settings: Unpack[MeasureSettings],
) -> Clusters:
    """Group the sources of an atlas of any size around medoids of a sample.

    As ``cluster`` does with ``method="medoids"``; every distance must be finite, as
    ``metric="relative"`` has them.

    >>> import symbed
    >>> atlas = symbed.survey(["x", "x + 0.1", "x^2", "x^2 + 0.1"], symbed.Probe({"x": (1, 5)}))
    >>> cluster_sampled(atlas, 2, metric="relative").labels_
    array([0, 0, 1, 1])
    """
    measure = as_measure(measure, settings)
    n = len(atlas)
    # Evenly spread, not drawn: the same atlas has the same groups each time.
    some = np.unique(np.linspace(0, n - 1, min(n, sample_size)).astype(np.int64))
    sample = [atlas[row] for row in some.tolist()]
    matrix = pairwise(sample, measure=measure, workers=workers, progress=False)
    among = cluster(matrix, n_clusters, method="medoids")
    if len(some) == n:
        return among
    middles = [sample[place] for place in among.medoids.tolist()]
    distances = pairwise(middles, atlas, measure=measure, workers=workers, progress=False).values
    labels = np.argmin(distances, axis=0).astype(np.int64)
    labels[some[among.medoids]] = np.arange(among.n_clusters)  # equal medoids keep their own
    return Clusters(labels, some[among.medoids], atlas.labels)


def column_normalized(distances: Floats) -> Floats:
    """The paper's BED-CN features: rows of log10(1 + d), scaled to unit length."""
    rows = np.log10(1.0 + distances)
    lengths = np.sqrt((rows**2).sum(axis=1, keepdims=True))
    return np.asarray(rows / np.where(lengths > 0, lengths, 1.0))


def _square(matrix: DistanceMatrix) -> Floats:
    """The distances of a square matrix, all of them finite."""
    if matrix.shape[0] != matrix.shape[1]:
        raise ShapeError(f"clustering needs a square matrix, got {matrix.shape}")
    values = np.asarray(matrix.values)
    unusable = [len(row) - int(np.isfinite(row).sum()) for row in values]
    if any(unusable):
        i = next(number for number, count in enumerate(unusable) if count)
        j = int(np.argmin(np.isfinite(values[i])))
        raise DataError(
            f"{sum(unusable):,} distances are infinite, such as {matrix.row_labels[i]!r} "
            f"to {matrix.column_labels[j]!r}, of which only one is defined at some points; "
            "measure with metric='relative', undefined='cemetery', penalty=..., "
            "or a finite mismatch=..."
        )
    return values


def _check_choices(
    n: int, n_clusters: int | None, threshold: float | None, method: str, features: str | None
) -> None:
    if method not in METHODS:
        raise RangeError(f"method must be one of {', '.join(METHODS)}, got {method!r}")
    if features not in (None, "cn"):
        raise RangeError(f"features must be 'cn' or None, got {features!r}")
    if method == "ward" and features is None:
        raise RangeError("ward needs Euclidean feature vectors; add features='cn'")
    if (n_clusters is None) == (threshold is None):
        raise RangeError("give n_clusters=... or threshold=..., one of the two")
    if threshold is not None and (
        method == "medoids" or not isinstance(threshold, Real) or not threshold >= 0
    ):
        raise RangeError("threshold must be at least 0 and goes with hierarchical methods")
    if n_clusters is not None and not 1 <= checked_whole("n_clusters", n_clusters) <= n:
        raise RangeError(f"n_clusters must be between 1 and {n}, got {n_clusters!r}")


def _around_medoids(distances: Floats, n_clusters: int) -> Integers:
    """For each row, which of the medoids is nearest."""
    medoids = _greedy(distances, n_clusters)
    for _ in range(MAX_ROUNDS):
        swap = _best_swap(distances, medoids)
        if swap is None:
            break
        medoids[swap[0]] = swap[1]
    # Sorted, so that ties go to whoever comes first, in whatever order medoids were found.
    medoids.sort()
    owners = np.argmin(distances[:, medoids], axis=1)
    owners[medoids] = np.arange(n_clusters)  # equal medoids keep their own: none is left empty
    return np.asarray(owners)


def _greedy(distances: Floats, n_clusters: int) -> Integers:
    """One medoid after the other, each the one that lowers the total most."""
    chosen: list[int] = []
    nearest = np.full(len(distances), np.inf)
    for _ in range(n_clusters):
        # (n,) the total, were each row the next medoid.
        totals = np.minimum(nearest[:, None], distances).sum(axis=0)
        totals[chosen] = np.inf
        chosen.append(int(np.argmin(totals)))
        nearest = np.minimum(nearest, distances[:, chosen[-1]])
    return np.array(chosen, np.int64)


def _best_swap(distances: Floats, medoids: Integers) -> tuple[int, int] | None:
    """The medoid to replace and by whom, or None if no swap lowers the total."""
    to_medoids = distances[:, medoids]
    order = np.argsort(to_medoids, axis=1, kind="stable")
    rows = np.arange(len(distances))
    home, nearest = order[:, 0], to_medoids[rows, order[:, 0]]
    second = to_medoids[rows, order[:, 1]] if len(medoids) > 1 else np.full(len(rows), np.inf)
    best, swap = -ROUNDING * nearest.sum(), None
    for place in range(len(medoids)):
        # Who loses its medoid falls back on the second nearest; all others keep theirs.
        without = np.where(home == place, second, nearest)
        change = np.minimum(without[:, None], distances).sum(axis=0) - nearest.sum()
        candidate = int(np.argmin(change))
        if change[candidate] < best:
            best, swap = float(change[candidate]), (place, candidate)
    return swap


def _linkage(distances: Floats, method: str) -> Floats:
    hierarchy, spatial = _scipy()
    if len(distances) == 1:
        return np.empty((0, 4))
    condensed = spatial.squareform((distances + distances.T) / 2.0, checks=False)
    return np.asarray(hierarchy.linkage(condensed, method))


def _cut(tree: Floats, n_clusters: int | None, threshold: float | None) -> Integers:
    """Integers from the first n - n_clusters merges, or from those up to the threshold.

    SciPy's cut by a number of clusters can give fewer where merges are tied; this never does.
    """
    n = len(tree) + 1
    n_merges = n - (n_clusters or 0)
    if threshold is not None:
        n_merges = int((tree[:, 2] <= threshold).sum())
    owner = np.arange(2 * n - 1)
    for merge in range(n_merges):
        owner[tree[merge, :2].astype(np.int64)] = n + merge
    for node in range(n + n_merges - 1, -1, -1):  # parents stand behind their children
        owner[node] = owner[owner[node]]
    return owner[:n]


def _in_order_of_appearance(owners: Integers) -> Integers:
    _, first, inverse = np.unique(owners, return_index=True, return_inverse=True)
    rank = np.empty(len(first), np.int64)
    rank[np.argsort(first)] = np.arange(len(first))
    return rank[inverse]


def _medoids(distances: Floats, labels: Integers) -> Integers:
    chosen = []
    for number in range(int(labels.max()) + 1):
        rows = np.flatnonzero(labels == number)
        chosen.append(rows[np.argmin(distances[np.ix_(rows, rows)].sum(axis=1))])
    return np.array(chosen, np.int64)


def _scipy() -> tuple[Any, Any]:
    try:
        from scipy.cluster import hierarchy
        from scipy.spatial import distance
    except ImportError:
        raise MissingExtra(
            "hierarchical clustering needs SciPy; install it with: pip install 'symbed[cluster]'"
        ) from None
    return hierarchy, distance

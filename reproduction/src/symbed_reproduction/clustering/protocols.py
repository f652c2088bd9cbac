"""Ways to cluster a distance matrix, and the scores of the clusters that each way finds.

A protocol says in which space expressions are clustered, by which linkage, and in which space their
silhouette is taken. A space is a matrix of distances that is made from the given one: the numbers
as they are or as log10(1 + d), used as distances, or as features whose Euclidean distances count.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.spatial.distance import cdist
from sklearn import metrics

from symbed._types import Floats, Integers
from symbed.distances.clustering import Method, cluster
from symbed.distances.matrix.distance_matrix import DistanceMatrix


class Space(NamedTuple):
    """What is clustered: which numbers, ``d`` or ``log10(1 + d)``, and how they are used."""

    numbers: str
    use: str

    def __str__(self) -> str:
        return f"{self.use} of {self.numbers}"


class Labeling(NamedTuple):
    """How labels are found."""

    space: Space
    linkage: Method


USES = ("distances", "rows", "rows of unit length", "columns of unit length")
PLAIN, LOG = "d", "log10(1 + d)"
SPACES = tuple(Space(numbers, use) for numbers in (PLAIN, LOG) for use in USES)
CN = Space(LOG, USES[2])
LINKAGES: tuple[Method, ...] = ("single", "average", "complete")
WARD: Method = "ward"
# Ward's linkage needs features; only those of BED-CN are tried with it.
LABELINGS = (
    *(Labeling(space, linkage) for space in SPACES for linkage in LINKAGES),
    Labeling(CN, WARD),
)


class Protocol(NamedTuple):
    """How labels are found, and the space that their silhouette is taken in."""

    labeling: Labeling
    taken_in: Space


def silhouette_spaces(space: Space) -> tuple[Space, Space]:
    """Where the silhouette of labels may be taken: from the distances, and between the features.

    Features are those that were clustered; where distances were, the rows of their matrix, which is
    what scikit-learn takes a matrix for unless it is told.
    """
    features = "rows" if space.use == "distances" else space.use
    return Space(space.numbers, "distances"), Space(space.numbers, features)


PROTOCOLS = tuple(
    Protocol(labeling, taken_in)
    for labeling in LABELINGS
    for taken_in in silhouette_spaces(labeling.space)
)
AS_DISTANCES = {linkage: Protocol(Labeling(SPACES[0], linkage), SPACES[0]) for linkage in LINKAGES}
BY_CN = {linkage: Protocol(Labeling(CN, linkage), CN) for linkage in (*LINKAGES, WARD)}
# What fits the published rows best, see the table of protocols: those of plain distances, that of
# BED-CN, and those of syntactic measures with the label CN; for the latter also what "column-
# normalized" says.
PLAIN_ROWS = Protocol(Labeling(Space(LOG, "distances"), "single"), Space(LOG, "rows"))
FROM_DISTANCES = Protocol(PLAIN_ROWS.labeling, Space(LOG, "distances"))  # the same labels
CN_ROWS = BY_CN["single"]
ROWS_AS_THEY_ARE = Protocol(Labeling(Space(PLAIN, "rows"), "single"), SPACES[0])
SCALED_COLUMNS = Protocol(Labeling(Space(PLAIN, USES[3]), "single"), SPACES[0])


def judge(matrix: DistanceMatrix, truth: Integers) -> Floats:
    """Cluster a matrix into as many clusters as there are groups, by all protocols.

    Returns
    -------
    ndarray
        (protocols, 4) scores, in the order of the paper's tables.
    """
    spaces = {space: place(np.asarray(matrix.values), space) for space in SPACES}
    rows = []
    for labeling in LABELINGS:
        labels = label(matrix, labeling, int(truth.max()) + 1)
        for taken_in in silhouette_spaces(labeling.space):
            rows.append(_scores(truth, labels, spaces[taken_in]))
    return np.array(rows)


def judge_by(matrix: DistanceMatrix, truth: Integers, protocol: Protocol) -> Floats:
    """The four scores of one protocol: a row of ``judge``, sooner."""
    labels = label(matrix, protocol.labeling, int(truth.max()) + 1)
    return np.array(_scores(truth, labels, place(np.asarray(matrix.values), protocol.taken_in)))


def label(matrix: DistanceMatrix, labeling: Labeling, n_clusters: int) -> Integers:
    """The cluster of each expression."""
    space, linkage = labeling
    if space == CN:  # the library has this one
        return cluster(matrix, n_clusters, method=linkage, features="cn").labels_
    placed = place(np.asarray(matrix.values), space)
    there = DistanceMatrix(placed, matrix.row_labels, matrix.column_labels, str(space))
    return cluster(there, n_clusters, method=linkage).labels_


def place(distances: Floats, space: Space) -> Floats:
    """The distances in a space."""
    numbers = np.log10(1.0 + distances) if space.numbers == LOG else distances
    if space.use == "distances":
        return numbers
    if space.use != "rows":
        along = 1 if space.use.startswith("rows") else 0
        lengths = np.sqrt((numbers**2).sum(axis=along, keepdims=True))
        numbers = np.divide(numbers, lengths, out=np.zeros_like(numbers), where=lengths > 0)
    between: Floats = cdist(numbers, numbers)
    return between


def _scores(truth: Integers, labels: Integers, placed: Floats) -> tuple[float, ...]:
    """The four scores in the order of the paper's tables."""
    return (
        metrics.adjusted_rand_score(truth, labels),
        metrics.silhouette_score(placed, labels, metric="precomputed"),
        metrics.v_measure_score(truth, labels),
        metrics.fowlkes_mallows_score(truth, labels),
    )


def nearest_share(distances: Floats, truth: Integers) -> float:
    """The share of expressions whose nearest other expression is of their own group."""
    apart = distances.copy()
    np.fill_diagonal(apart, np.inf)
    return float((truth[apart.argmin(axis=1)] == truth).mean())

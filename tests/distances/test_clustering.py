from __future__ import annotations

import itertools

import numpy as np
import pytest
from scipy.cluster.hierarchy import fcluster

from symbed import Probe, pairwise, survey
from symbed.distances.clustering import cluster, column_normalized
from symbed.distances.matrix.distance_matrix import DistanceMatrix
from symbed.errors import DataError, RangeError, ShapeError

PROBE = Probe({"x": (1, 5)}, parameters=(1, 5))
TEXTS = ["C*x", "sin(x)", "x*C", "sin(x) + 0.01", "C*x^2", "C*x + 0.1", "x^2*C*1.001"]
GROUPS = [0, 1, 0, 1, 2, 0, 2]


def matrix_of(points: np.ndarray) -> DistanceMatrix:
    names = [str(number) for number in range(len(points))]
    return DistanceMatrix(np.abs(points[:, None] - points[None, :]), names, names)


@pytest.mark.parametrize("method", ["average", "single", "complete", "medoids"])
def test_expressions_that_behave_alike_are_together(method) -> None:
    found = cluster(pairwise(survey(TEXTS, PROBE)), n_clusters=3, method=method)
    assert found.labels_.tolist() == GROUPS
    assert found.members(1) == ["sin(x)", "sin(x) + 0.01"]
    assert len(found) == found.n_clusters == 3
    assert repr(found) == "Clusters(7 expressions in 3 clusters)"


@pytest.mark.parametrize("method", ["average", "ward"])
def test_the_papers_features_are_a_named_option(method) -> None:
    found = cluster(pairwise(survey(TEXTS, PROBE)), 3, method=method, features="cn")
    assert found.labels_.tolist() == GROUPS


def test_the_papers_features_are_rows_of_unit_length() -> None:
    rows = column_normalized(np.array([[0.0, 9.0], [9.0, 0.0], [0.0, 0.0]]))
    np.testing.assert_allclose(rows, [[0, 1], [1, 0], [0, 0]])


def test_a_threshold_decides_how_many() -> None:
    found = cluster(matrix_of(np.array([0.0, 1.0, 10.0, 11.5, 30.0])), threshold=2.0)
    assert found.labels_.tolist() == [0, 0, 1, 1, 2]
    assert found.medoids.tolist() == [0, 2, 4]


def test_cutting_agrees_with_scipy_where_nothing_is_tied() -> None:
    rng = np.random.default_rng(2)
    matrix = matrix_of(rng.normal(size=40))
    for k in (1, 2, 7, 40):
        found = cluster(matrix, k)
        theirs = fcluster(found.tree, k, "maxclust")
        ours = found.labels_[:, None] == found.labels_[None, :]
        np.testing.assert_array_equal(ours, theirs[:, None] == theirs[None, :])


def test_the_number_asked_for_is_the_number_given_even_with_ties() -> None:
    assert cluster(matrix_of(np.zeros(6)), 4).n_clusters == 4
    assert cluster(matrix_of(np.zeros(6)), 4, method="medoids").n_clusters == 4
    assert cluster(matrix_of(np.zeros(1)), 1).n_clusters == 1


def test_no_swap_of_one_medoid_lowers_the_total() -> None:
    rng = np.random.default_rng(4)
    for _ in range(10):
        points = rng.normal(size=12)
        distances = np.abs(points[:, None] - points[None, :])
        chosen = cluster(matrix_of(points), 3, method="medoids").medoids.tolist()
        total = distances[:, chosen].min(axis=1).sum()
        for place, other in itertools.product(range(3), range(12)):
            swapped = [*chosen[:place], other, *chosen[place + 1 :]]
            assert distances[:, swapped].min(axis=1).sum() >= total - 1e-12


def test_infinite_distances_are_refused_with_a_remedy() -> None:
    atlas = survey(["x", "log(x - 2)", "x^2"], PROBE)
    with pytest.raises(DataError, match=r"'x' to 'log\(x - 2\)'.*metric='relative'"):
        cluster(pairwise(atlas), 2)
    assert cluster(pairwise(atlas, metric="relative"), 2).labels_.tolist() == [0, 1, 0]
    cemetery = pairwise(atlas, undefined="cemetery", penalty=100.0)
    assert cluster(cemetery, 2).labels_.tolist() == [0, 1, 0]


@pytest.mark.parametrize(
    ("choices", "words"),
    [
        ({}, "one of the two"),
        ({"n_clusters": 2, "threshold": 1.0}, "one of the two"),
        ({"n_clusters": 0}, "between 1 and 3"),
        ({"n_clusters": 4}, "between 1 and 3"),
        ({"n_clusters": 2.0}, "n_clusters must be a whole number, got 2.0"),
        ({"n_clusters": "2"}, "n_clusters must be a whole number, got '2'"),
        ({"threshold": -1.0}, "at least 0"),
        ({"threshold": "1"}, "at least 0"),
        ({"threshold": 1.0, "method": "medoids"}, "hierarchical"),
        ({"n_clusters": 2, "method": "best"}, "method must be one of"),
        ({"n_clusters": 2, "method": "ward"}, "add features='cn'"),
        ({"n_clusters": 2, "features": "rows"}, "features must be"),
    ],
)
def test_choices_that_cannot_be_are_refused(choices: dict, words: str) -> None:
    with pytest.raises(RangeError, match=words):
        cluster(matrix_of(np.arange(3.0)), **choices)


def test_only_square_distance_matrices_can_be_clustered() -> None:
    with pytest.raises(ShapeError, match="square"):
        cluster(DistanceMatrix(np.zeros((2, 3)), ["a", "b"], ["c", "d", "e"]), 1)
    with pytest.raises(ShapeError, match="DistanceMatrix, got ndarray"):
        cluster(np.zeros((2, 2)), 1)

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial.distance import pdist, squareform
from sklearn.base import clone
from sklearn.cluster import DBSCAN, AgglomerativeClustering, KMeans
from sklearn.neighbors import NearestNeighbors
from sklearn.pipeline import make_pipeline

from symbed import Probe, pairwise, survey
from symbed.distances.transformer import BehaviorTransformer
from symbed.errors import DataError, RangeError

PROBE = Probe({"x": (1, 5)}, parameters=(1, 5))
TEXTS = ["C*x", "x*C + 0.01", "sin(x)", "sin(x) + 0.02", "C*x^2", "x^2*C"]


@pytest.mark.parametrize(("p", "norm"), [(1, "cityblock"), (2, "euclidean")])
@pytest.mark.parametrize("metric", ["wasserstein", "arcsinh"])
def test_distances_of_the_vectors_are_the_bed(p: int, norm: str, metric: str) -> None:
    rows = BehaviorTransformer(PROBE, metric=metric, p=p).fit_transform(TEXTS)
    want = pairwise(survey(TEXTS, PROBE), metric=metric, p=p).values
    np.testing.assert_allclose(squareform(pdist(rows, norm)), want, rtol=1e-9, atol=1e-12)


def test_it_sits_in_a_pipeline_and_can_be_cloned() -> None:
    pipeline = make_pipeline(BehaviorTransformer(PROBE), KMeans(3, n_init=5, random_state=0))
    labels = clone(pipeline).fit_predict(TEXTS)
    assert labels[0] == labels[1] != labels[2] == labels[3] != labels[4] == labels[5]
    assert pipeline[0].get_params()["p"] == 1


def test_a_distance_matrix_is_taken_as_precomputed() -> None:
    matrix = np.asarray(pairwise(survey(TEXTS, PROBE)))
    tree = AgglomerativeClustering(3, metric="precomputed", linkage="average")
    assert len(set(tree.fit_predict(matrix).tolist())) == 3
    assert DBSCAN(eps=0.1, min_samples=2, metric="precomputed").fit_predict(matrix).max() == 2
    near = NearestNeighbors(n_neighbors=2, metric="precomputed").fit(matrix)
    assert set(near.kneighbors(matrix, return_distance=False)[4].tolist()) == {4, 5}


def test_what_has_no_vector_is_refused() -> None:
    with pytest.raises(DataError, match=r"'log\(x - 2\)' is undefined at some points"):
        BehaviorTransformer(PROBE).fit_transform(["x", "log(x - 2)"])
    with pytest.raises(RangeError, match="no distance of vectors"):
        BehaviorTransformer(PROBE, metric="relative").fit(["x"])

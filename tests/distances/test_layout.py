"""Maps and clusters of collections that are too large for all their distances."""

from __future__ import annotations

import numpy as np
import pytest

import symbed
from symbed.distances.clustering import cluster_sampled
from symbed.distances.layout import lay_out_behaviors

PROBE = symbed.Probe({"x": (1, 5)}, parameters=(1, 5), n_points=16, n_draws=8)
FIXED = [f"x + {k / 10}" for k in range(40)] + [f"x^3 + {k / 10}" for k in range(40)]


@pytest.mark.parametrize("texts", [FIXED, [f"C*{text}" for text in FIXED], [*FIXED, "C*x", "C"]])
def test_formulas_that_behave_alike_are_neighbors_on_the_map(texts: list[str]) -> None:
    places = lay_out_behaviors(symbed.survey(texts, PROBE)).places[:80]
    distances = np.hypot(*(places[:, None] - places).transpose(2, 0, 1))
    np.fill_diagonal(distances, np.inf)
    family = np.repeat([0, 1], 40)
    assert np.array_equal(family[distances.argmin(axis=1)], family)


def test_equal_formulas_have_one_place() -> None:
    places = lay_out_behaviors(symbed.survey(["x + 1", "1 + x", "x^2", "sin(x)"], PROBE)).places
    assert np.array_equal(places[0], places[1])


def test_the_map_does_not_depend_on_whether_outputs_are_kept() -> None:
    kept = lay_out_behaviors(symbed.survey(FIXED, PROBE))
    again = lay_out_behaviors(symbed.survey(FIXED, PROBE, keep="programs"))
    assert np.array_equal(kept.places, again.places)
    assert kept.method == "components"


@pytest.mark.parametrize(
    "texts", [["x"], ["ln(-x)", "sqrt(-x)"], ["ln(-x)", "x", "exp(exp(exp(x)))", "1/(x - x)"]]
)
def test_formulas_that_are_undefined_or_explode_have_finite_places(texts: list[str]) -> None:
    layout = lay_out_behaviors(symbed.survey(texts, PROBE))
    assert layout.places.shape == (len(texts), 2)
    assert np.isfinite(layout.places).all()
    assert np.isfinite(layout.stress)


def test_one_point_is_enough_for_a_map() -> None:
    probe = symbed.Probe({"x": (1, 5)}, n_points=1)
    layout = lay_out_behaviors(symbed.survey(["x", "2*x", "3*x"], probe))
    assert layout.places.shape == (3, 2)


def test_every_formula_goes_to_the_nearest_medoid_of_a_sample() -> None:
    atlas = symbed.survey(FIXED, PROBE)
    clusters = cluster_sampled(atlas, 2, sample_size=20, metric="relative")
    assert clusters.labels_.tolist() == [0] * 40 + [1] * 40
    distances = symbed.pairwise(
        [atlas[row] for row in clusters.medoids.tolist()], atlas, metric="relative"
    )
    assert np.array_equal(np.argmin(distances.values, axis=0), clusters.labels_)
    assert clusters.labels_[clusters.medoids].tolist() == [0, 1]


def test_a_sample_of_all_is_plain_clustering() -> None:
    atlas = symbed.survey(FIXED, PROBE)
    plain = symbed.cluster(symbed.pairwise(atlas, metric="relative"), 3, method="medoids")
    assert np.array_equal(cluster_sampled(atlas, 3, metric="relative").labels_, plain.labels_)

"""Good and different: what ``select`` chooses, and what it promises about it."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

import symbed
from symbed import Behavior, DistanceMatrix, Probe
from symbed.errors import DataError, RangeError, ShapeError
from symbed.workbench import paper_grammar, sample

PROBE = Probe({"x": (1, 5)}, parameters=(1, 5), n_points=16, n_draws=8)
TEXTS = ["x^2", "x*x", "x^2 + 1e-13", "5*x - 4", "exp(x)/6", "sin(x)", "ln(x - 9)"]
LOSSES = [0.2, 0.1, 0.3, 0.4, 0.5, 9.0, 0.0]


def choose(k: int = 10, **how):
    return symbed.select(TEXTS, k, LOSSES, probe=PROBE, **how)


def test_the_best_is_always_in_and_comes_first() -> None:
    assert choose(1).selected == ["x*x"]
    assert choose(3).indices[0] == 1
    assert choose(3).losses[0] == 0.1


def test_nothing_over_the_loss_bound_is_chosen() -> None:
    chosen = choose(within=0.45)
    assert set(chosen.selected) == {"x*x", "5*x - 4"}
    assert sorted(chosen.candidates.tolist()) == [0, 1, 2, 3]


def test_no_two_chosen_are_duplicates_so_there_may_be_fewer_than_asked_for() -> None:
    chosen = choose(10)
    assert chosen.selected == ["x*x", "sin(x)", "exp(x)/6", "5*x - 4"]
    assert symbed.duplicates(chosen.selected, probe=PROBE, metric="relative").n_duplicates == 0
    assert "x^2 + 1e-13" in choose(10, apart=0.0).selected


def test_what_is_defined_nowhere_is_no_candidate() -> None:
    assert 6 not in choose().candidates
    with pytest.raises(DataError, match="undefined at all points"):
        symbed.select(["ln(x - 9)"], 1, [1.0], probe=PROBE)


def test_each_is_farthest_from_those_before_it() -> None:
    chosen = choose(4)
    matrix = np.asarray(symbed.pairwise(chosen.selected, probe=PROBE, metric="relative"))
    steps = [matrix[:n, n].min() for n in range(1, len(chosen))]
    np.testing.assert_allclose(chosen.distances[1:], steps, rtol=1e-12)
    assert np.isinf(chosen.distances[0])
    assert (np.diff(chosen.distances) <= 0).all()


@pytest.mark.parametrize("seed", range(12))
def test_the_covering_radius_is_at_most_twice_the_best_of_all_choices(seed: int) -> None:
    probe = Probe({"X_0": (1, 5), "X_1": (1, 5)}, parameters=(1, 5), n_points=16, n_draws=8)
    texts = list(sample(paper_grammar(2), 10, seed=seed, unique=True).texts())
    losses = np.random.default_rng(seed).random(10)
    chosen = symbed.select(texts, 3, losses, probe=probe)
    matrix = np.asarray(symbed.pairwise(texts, probe=probe, metric="relative"))
    some = matrix[np.ix_(chosen.candidates, chosen.candidates)]
    best = min(some[list(c)].min(axis=0).max() for c in combinations(range(len(some)), 3))
    own = matrix[np.ix_(chosen.indices, chosen.candidates)].min(axis=0).max()
    assert chosen.radius == pytest.approx(own)
    assert chosen.radius <= 2 * best + 1e-12


@pytest.mark.parametrize("seed", range(20))
def test_few_candidates_are_covered_better_than_by_a_traversal(seed: int) -> None:
    places = np.random.default_rng(seed).random((120, 3))
    matrix = np.abs(places[:, None] - places).max(axis=2)
    losses = np.random.default_rng(seed + 100).random(120)
    texts = [f"{place}" for place in range(120)]
    found = symbed.select(DistanceMatrix(matrix, texts, texts), 20, losses)
    order, gaps = [int(np.argmin(losses))], matrix[int(np.argmin(losses))].copy()
    while len(order) < 20:
        order.append(int(np.argmax(gaps)))
        gaps = np.minimum(gaps, matrix[order[-1]])
    assert found.radius < gaps.max()
    assert found.radius == matrix[found.indices].min(axis=0).max()
    assert found.indices[0] == order[0]
    assert len(set(found.indices.tolist())) == len(found) <= 20


def test_the_owner_of_a_candidate_is_the_nearest_selected_one() -> None:
    chosen = choose(3)
    matrix = np.asarray(symbed.pairwise(TEXTS, probe=PROBE, metric="relative"))
    gaps = matrix[np.ix_(chosen.indices, chosen.candidates)]
    own = gaps[chosen.owners, np.arange(len(chosen.candidates))]
    np.testing.assert_allclose(own, gaps.min(axis=0), atol=1e-15)


def test_an_atlas_brings_its_losses_and_columns() -> None:
    columns = {"loss": LOSSES, "origin": list("abcdefg")}
    for keep in ("behaviors", "programs"):
        atlas = symbed.survey(TEXTS, PROBE, metadata=columns, keep=keep)
        rows = symbed.select(atlas, 2).to_dict()["selected"]
        assert [row["origin"] for row in rows] == ["b", "f"]
        assert list(symbed.select(atlas, 2).to_frame()["label"]) == ["x*x", "sin(x)"]


def test_missing_losses_are_no_candidates() -> None:
    chosen = symbed.select(["x", "x^2", "x^3"], 3, [None, 1.0, np.inf], probe=PROBE)
    assert chosen.selected == ["x^2"]


def test_samples_and_other_metrics_are_taken_too() -> None:
    points = np.arange(3.0)[:, None]
    rows = [Behavior.from_samples(points + s, points, label=str(s)) for s in (0.0, 0.0, 1.0, 9.0)]
    assert symbed.select(rows, 4, [1, 2, 3, 4], metric="wasserstein").selected == [
        "0.0",
        "9.0",
        "1.0",
    ]
    chosen = choose(3, metric="arcsinh", workers=1)
    assert chosen.selected[0] == "x*x"


def test_a_matrix_of_any_distances_can_be_selected_from() -> None:
    values = np.abs(np.subtract.outer([0.0, 1, 5, 6], [0.0, 1, 5, 6]))
    matrix = DistanceMatrix(values, "abcd", "abcd")
    chosen = symbed.select(matrix, 2, [3, 1, 2, 4])
    assert chosen.selected == ["b", "d"]
    assert chosen.radius == 1.0


@pytest.mark.parametrize("design", ["paper", "random"])
def test_designs_without_alignment_are_judged_by_their_noise(design: str) -> None:
    probe = Probe({"x": (1, 5)}, parameters=(1, 5), n_points=16, n_draws=8, design=design)
    texts = ["a*x + b", "b + x*a", "x*(a + b/x)", "sin(a*x)"]
    chosen = symbed.select(texts, 4, [1, 2, 3, 4], probe=probe)
    assert chosen.selected == ["a*x + b", "sin(a*x)"]


@pytest.mark.parametrize(
    ("change", "error", "words"),
    [
        ({"k": 0}, RangeError, "k must be a positive whole number"),
        ({"within": -1.0}, RangeError, "the lowest is 0.1, of 'x'"),
        ({"within": "low"}, RangeError, "within must be a number"),
        ({"apart": -1.0}, RangeError, "apart must be a finite distance"),
        ({"loss": "rmse"}, DataError, "no column 'rmse'"),
        ({"loss": [1.0]}, ShapeError, "one number for each of the 2"),
        ({"loss": ["a", "b"]}, DataError, "must be numbers"),
        ({"loss": [np.nan, np.nan]}, DataError, "finite loss"),
        ({"metric": "energy"}, RangeError, "two families at a time"),
        ({"probe": None}, ShapeError, "select needs an Atlas"),
    ],
)
def test_what_cannot_be_is_one_clear_error(change, error, words) -> None:
    how = {"k": 1, "loss": [0.1, 0.2], "probe": PROBE} | change
    with pytest.raises(error, match=words):
        symbed.select(["x", "x^2"], **how)


def test_a_matrix_takes_losses_and_nothing_that_measures() -> None:
    matrix = DistanceMatrix(np.zeros((2, 2)), "ab", "ab")
    with pytest.raises(DataError, match="no columns"):
        symbed.select(matrix, 1)
    with pytest.raises(RangeError, match="measured already"):
        symbed.select(matrix, 1, [1, 2], metric="relative")
    with pytest.raises(ShapeError, match="square"):
        symbed.select(DistanceMatrix(np.zeros((2, 1)), "ab", "a"), 1, [1, 2])


def test_it_can_be_drawn_and_shown() -> None:
    from symbed import plots

    chosen = choose(3)
    axes = plots.selected(chosen)
    assert axes.get_title().startswith("3 selected of 6")
    assert "3 of 6 candidates" in chosen._repr_html_()
    assert repr(chosen).startswith("Selection(3 of 6 candidates")

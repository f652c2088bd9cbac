from __future__ import annotations

import math

import numpy as np
import pytest

import symbed
from symbed.workbench import dataset, fit_many, syntactic_distance
from symbed.workbench.fit_problem import FitData
from symbed_reproduction import Outcome, reproduce
from symbed_reproduction.core.outcomes import judge_claims
from symbed_reproduction.smoothness import experiment as experiment
from symbed_reproduction.smoothness.candidates import (
    LARGEST,
    MAX_PARAMETERS,
    PARAMETERS,
    draw_candidates,
    draw_starts,
    is_defined,
    label_candidates,
)
from symbed_reproduction.smoothness.experiment import PICTURED, claim_rows
from symbed_reproduction.smoothness.measurements import (
    NUMBERS,
    Sizes,
    bed_by_default,
    bed_by_paper,
    check_labels,
    choose_points,
    measure_dataset,
    measure_spelling,
)
from symbed_reproduction.smoothness.results import (
    INVALID,
    Ranks,
    SmoothnessResults,
    average_ranks,
    running_mean,
    running_median,
)
from symbed_reproduction.smoothness.tables import is_changed

pytest.importorskip("rapidfuzz")
TINY = Sizes(300, 100, 400, 2, 16, 100)


@pytest.fixture(scope="module")
def truth():
    return dataset("I.43.43")


@pytest.fixture(scope="module")
def data(truth):
    X, y = truth.sample(100)
    return FitData.of(X, y, truth.variables)


@pytest.fixture(scope="module")
def candidates(truth):
    return draw_candidates(truth, 300, seed=5)


@pytest.fixture(scope="module")
def labels(candidates, data):
    return label_candidates(candidates, data, n_places=16, seed=5)


@pytest.fixture(scope="module")
def texts(candidates) -> list[str]:
    return ["".join(word) for word in candidates.words()]


@pytest.fixture(scope="module")
def outcome(tmp_path_factory) -> Outcome:
    return reproduce("smoothness", tmp_path_factory.mktemp("run"), scale="small", workers=1)


def test_no_token_sequence_comes_twice_and_none_is_longer_than_forty(candidates, texts) -> None:
    assert len(set(texts)) == len(candidates) == 300
    assert max(len(word) for word in candidates.words()) <= 40
    assert candidates.n_drawn > 300


def test_words_that_differ_in_brackets_are_two_candidates(truth) -> None:
    found = ["".join(word) for word in draw_candidates(truth, 3000, seed=0).words()]
    assert {"X_0", "(X_0)"} <= set(found)


def test_fewer_candidates_are_the_first_of_more(truth, candidates) -> None:
    assert draw_candidates(truth, 100, seed=5).words() == candidates.words()[:100]


def test_candidates_share_a_program_where_they_are_equal_up_to_commutativity(truth) -> None:
    found = draw_candidates(truth, 3000, seed=0)
    places = dict(zip(["".join(word) for word in found.words()], found.places, strict=True))
    assert places["X_0*X_1"] == places["X_1*X_0"] != places["X_0*X_2"]


def test_labels_are_those_of_fit_many(candidates, labels, texts, data, truth) -> None:
    X = np.ascontiguousarray(data.inputs.T)
    fits = fit_many(texts, X, data.y, variables=truth.variables, bounds=PARAMETERS, n_starts=1,
                    seed=5, workers=1)  # fmt: skip
    expected = np.where(fits.rmse <= LARGEST, fits.rmse, np.inf)
    fixed = candidates.places >= 0
    found = np.where(labels.rmse == 0, expected, labels.rmse)
    assert (found[fixed] == expected[fixed]).all()
    worse = found[~fixed] > 1.000001 * expected[~fixed]  # both see the same 16 places
    assert not worse.any()


def test_invalid_is_what_is_undefined_somewhere(candidates, labels, texts, data, truth) -> None:
    points = data.inputs.T
    for k in np.flatnonzero(candidates.places >= 0)[:60]:
        behavior = symbed.observe(texts[k], symbed.Probe.at(points, truth.variables))
        small = bool((np.abs(behavior.values[:, 0]) < LARGEST).all())  # false if undefined, too
        assert labels.valid[k] == small
    assert 0 < labels.valid.sum() < len(candidates)


def test_errors_over_the_largest_and_too_many_parameters_are_invalid(truth, data) -> None:
    found = draw_candidates(truth, 4000, seed=1)
    rmse = label_candidates(found, data, n_places=1, seed=0).rmse
    counts = np.zeros(len(found))
    varied = found.places < 0
    counts[varied] = found.varied.n_parameters[-1 - found.places[varied]]
    assert np.isinf(rmse[counts > MAX_PARAMETERS]).all()
    assert (rmse[np.isfinite(rmse)] <= LARGEST).all()


def test_a_perfect_fit_has_no_error(truth, data) -> None:
    found = draw_candidates(dataset("I.12.1"), 500, seed=0)
    X, y = dataset("I.12.1").sample(50)
    labels = label_candidates(found, FitData.of(X, y, ("X_0", "X_1")), n_places=8, seed=0)
    texts = ["".join(word) for word in found.words()]
    assert labels.rmse[texts.index("X_0*X_1")] == 0
    assert labels.rmse.min() == 0


def test_fitted_candidates_are_defined_where_their_outputs_are(
    candidates, labels, texts, truth
) -> None:
    points, _ = truth.sample(500, seed=3)
    rows = np.flatnonzero(labels.valid)[:80]
    found = is_defined(candidates, labels, rows, points)
    for row, defined in zip(rows, found, strict=True):
        if candidates.places[row] >= 0:
            probe = symbed.Probe.at(points, truth.variables)
            assert defined == bool(symbed.observe(texts[row], probe).defined.all())
    own, _ = truth.sample(100)  # the data they were fitted to
    assert is_defined(candidates, labels, rows, own).all()


def test_random_starts_are_undefined_more_often_than_fits(candidates, labels, truth) -> None:
    own, _ = truth.sample(100)
    rows = np.flatnonzero(candidates.places < 0)
    starts = draw_starts(labels, seed=0)
    assert starts.values.min() > -5 > starts.values.min() - 1
    begun = is_defined(candidates, starts, rows, own)
    assert begun.sum() < is_defined(candidates, labels, rows, own).sum()


def test_paper_distances_of_fixed_candidates_are_exact(candidates, texts, data, truth) -> None:
    points = choose_points(np.ascontiguousarray(data.inputs.T), 0, 0)
    found = bed_by_paper(candidates, truth, points, seed=1)
    for k in np.flatnonzero(candidates.places >= 0)[:40]:
        expected = symbed.bed(texts[k], truth.formula, points=points)
        assert found[k] == expected


def test_paper_distances_of_free_candidates_agree_with_the_papers_probe(
    candidates, texts, data, truth
) -> None:
    points = choose_points(np.ascontiguousarray(data.inputs.T), 0, 0)
    repeats = np.stack([bed_by_paper(candidates, truth, points, seed=s) for s in range(30)])
    k = texts.index("C*X_0") if "C*X_0" in texts else int(np.flatnonzero(candidates.places < 0)[0])
    probe = symbed.Probe.at(
        points, truth.variables, parameters=PARAMETERS, design="paper", n_draws=32
    )
    target = symbed.observe(truth.formula, probe)
    theirs = [
        symbed.distance(symbed.observe(texts[k], probe.with_(seed=s)), target) for s in range(30)
    ]
    error = math.hypot(np.std(repeats[:, k]), np.std(theirs)) / math.sqrt(30)
    assert repeats[:, k].std() > 0
    assert abs(repeats[:, k].mean() - np.mean(theirs)) < 5 * error


def test_default_distances_are_those_of_the_verbs(candidates, texts, data, truth) -> None:
    points = choose_points(np.ascontiguousarray(data.inputs.T), 0, 1)
    found = bed_by_default(candidates, truth, points, seed=4)
    probe = symbed.Probe.at(points, truth.variables, parameters=PARAMETERS, seed=4)
    atlas = symbed.survey(texts, probe, workers=1)
    target = symbed.survey([truth.formula], probe, workers=1)
    assert (found == symbed.pairwise(target, atlas, workers=1).values[0]).all()


def test_spelling_is_measured_on_tokens_and_trees(candidates, truth) -> None:
    found = measure_spelling(candidates, truth)
    formula = truth.formula.tokens("infix")
    for k, word in list(enumerate(candidates.words()))[:40]:
        tree = symbed.parse("".join(word), truth.variables)
        assert found["tree"][k] == syntactic_distance(truth.formula, tree, "tree")
        assert found["edit"][k] == _levenshtein(formula, word)


def test_repeats_look_at_different_rows_of_the_data() -> None:
    X = np.arange(200.0)[:, None]
    first, second = choose_points(X, 0, 0), choose_points(X, 0, 1)
    assert len(np.unique(first)) == 64
    assert set(first.ravel()) != set(second.ravel())


def test_running_aggregates_are_those_of_the_prefixes() -> None:
    errors = np.random.default_rng(0).lognormal(size=60)
    prefixes = [errors[: n + 1] for n in range(60)]
    assert np.allclose(running_median(errors), [np.median(p) for p in prefixes], rtol=1e-15)
    assert np.allclose(running_mean(errors), [p.mean() for p in prefixes])


def test_equal_values_share_the_mean_of_their_places() -> None:
    values = np.random.default_rng(1).integers(0, 4, (4, 30)).astype(float)
    curves = {str(k): row[None] for k, row in enumerate(values)}
    ranks = Ranks.of(curves, list(curves)).each[:, 0]
    for column, found in zip(values.T, ranks.T, strict=True):
        places = {v: [k + 1 for k, w in enumerate(sorted(column)) if w == v] for v in column}
        assert found.tolist() == [sum(places[v]) / len(places[v]) for v in column]


def test_ranks_are_averaged_over_data_sets() -> None:
    curves = {"a": np.array([[1.0, 5.0], [1.0, 1.0]]), "b": np.array([[2.0, 2.0], [1.0, 3.0]])}
    ranks = Ranks.of(curves, ("a", "b"))
    assert ranks.mean.tolist() == [[1.25, 1.5], [1.75, 1.5]]


def test_a_data_set_keeps_the_errors_of_the_nearest_valid_candidates() -> None:
    arrays = measure_dataset("I.12.1", 1, TINY)
    for measure, repeats in (("bed", 2), ("default", 2), ("edit", 1), ("tree_shuffled", 2)):
        assert arrays[f"rmse_{measure}"].shape == (repeats, 100)
        assert np.isfinite(arrays[f"rmse_{measure}"]).all()
        assert (arrays[f"unstarted_{measure}"] >= 0).all()
    oracle = arrays["rmse_optimal"][0]
    assert (np.diff(oracle) >= 0).all()
    assert (np.sort(arrays["rmse_bed"], axis=1) >= oracle).all()
    assert arrays["rmse_bed"][0, 0] == arrays["rmse_edit"][0, 0] == 0  # the truth itself
    numbers = dict(zip(NUMBERS, arrays["numbers"].tolist(), strict=True))
    assert numbers["candidates"] == 300
    assert numbers["best RMSE"] == oracle[0]


def test_a_unit_gives_the_same_bytes_again() -> None:
    first, second = (measure_dataset("I.6.2a", 0, TINY) for _ in range(2))
    assert all(first[name].tobytes() == second[name].tobytes() for name in first)


def test_labels_from_one_start_vary_more_than_ours() -> None:
    found = check_labels("I.6.2a", 0, TINY, 60)
    assert found["rmse"].shape == found["single"].shape == (2, 60)
    assert is_changed(*found["rmse"]).mean() < is_changed(*found["single"]).mean()


def test_a_change_is_relative_and_infinite_errors_are_alike() -> None:
    a = np.array([1.0, 1.0, np.inf, np.inf, 0.0])
    b = np.array([1.005, 1.02, np.inf, 1.0, 0.0])
    assert is_changed(a, b).tolist() == [False, True, False, True, False]


def test_the_plan_has_a_unit_for_each_of_the_hundred_equations() -> None:
    names = [unit.name for unit in experiment.plan("paper")]
    assert len([name for name in names if name.startswith("set-")]) == 100
    assert len(set(names)) == len(names)
    assert experiment.SETTINGS["paper"].sizes[0] == 100_000


def test_published_curves_start_and_end_as_printed() -> None:
    curves = average_ranks()
    assert curves["median"]["bed"][1] == 1.36
    assert curves["mean"]["jaro"][250] == 3.38
    assert min(INVALID, key=INVALID.__getitem__) == "bed"


def test_the_small_scale_makes_every_table_and_claim(outcome) -> None:
    names = [table.name for table in outcome.tables]
    assert names[:2] == ["average_rank_median", "average_rank_mean"]
    assert {"invalid", "curves", "labels", "datasets"} <= set(names)
    assert len(outcome.table("average_rank_median").rows) == 18
    assert len(outcome.table("datasets").rows) == 4
    assert all(claim.verdict in ("confirmed", "differs") for claim in outcome.claims)


def test_the_four_average_ranks_sum_to_ten(outcome) -> None:
    found: SmoothnessResults = outcome.data["findings"]
    for contests in found.ranks.values():
        for ranks in contests.values():
            assert np.allclose(ranks.mean.sum(axis=0), 10)


def test_near_the_truth_by_bed_lie_better_candidates(outcome) -> None:
    found: SmoothnessResults = outcome.data["findings"]
    ranks = found.ranks["median"]["paper"].mean
    assert (ranks[0, 29:] < ranks[1:, 29:].min(axis=0)).all()


def test_claims_follow_the_numbers(outcome) -> None:
    found: SmoothnessResults = outcome.data["findings"]
    claims = judge_claims(claim_rows(("median", "mean"), PICTURED), found)
    assert claims[0].verdict == "confirmed"
    swapped = {"bed": "edit", "edit": "bed"}
    sets = tuple(
        {
            **arrays,
            **{f"rmse_{a}": arrays[f"rmse_{b}"] for a, b in swapped.items()},
            **{f"invalid_{a}": arrays[f"invalid_{b}"] + 9 for a, b in swapped.items()},
        }
        for arrays in found.sets
    )
    results = {f"set-{name}": arrays for name, arrays in zip(found.names, sets, strict=True)}
    worse = SmoothnessResults.of(found.names, found.sizes, results)
    verdicts = [
        claim.verdict for claim in judge_claims(claim_rows(("median", "mean"), PICTURED), worse)
    ]
    assert verdicts[0] == verdicts[1] == verdicts[-2] == "differs"


def test_figures_show_all_measures_and_the_published_points(outcome) -> None:
    pytest.importorskip("matplotlib")
    from symbed_reproduction.smoothness.experiment import draw

    figures = dict(draw(outcome))
    assert len(figures) == 6
    ranks = figures["average_rank_median"]
    assert [text.get_text() for text in ranks.get_legend().get_texts()] == [
        "BED", "Edit", "Tree edit", "Jaro", "published",
    ]  # fmt: skip
    assert sorted(len(line.get_xdata()) for line in ranks.lines) == [0, 16, 18, 18, 18, *4 * [250]]
    assert figures["curves_II.35.18_mean"].get_yscale() == "log"


def _levenshtein(a: list[str], b: list[str]) -> int:
    table = np.zeros((len(a) + 1, len(b) + 1), int)
    table[:, 0], table[0] = range(len(a) + 1), range(len(b) + 1)
    for i, x in enumerate(a, start=1):
        for j, y in enumerate(b, start=1):
            kept = table[i - 1, j - 1] + (x != y)
            table[i, j] = min(kept, table[i - 1, j] + 1, table[i, j - 1] + 1)
    return int(table[-1, -1])

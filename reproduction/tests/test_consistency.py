from __future__ import annotations

import itertools
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.stats import rankdata, spearmanr

import symbed
from symbed.language.parser import parse
from symbed_reproduction import reproduce
from symbed_reproduction.consistency import experiment as consistency
from symbed_reproduction.consistency.claims import claim_rows
from symbed_reproduction.consistency.expression_sets import (
    BOUNDED,
    DRAWN,
    RANGE,
    divisors,
    domain_of,
    draw_expressions,
)
from symbed_reproduction.consistency.measurements import (
    Rankings,
    deal,
    ranks,
    rounded,
    score_cells,
    score_chance,
    tournament,
    with_self_pairs,
)
from symbed_reproduction.consistency.resampling import (
    OURS,
    PAPER,
    Resampler,
    SampleKey,
    latin_columns,
    paper_points,
)
from symbed_reproduction.consistency.results import (
    COUNTS,
    HEATMAPS,
    ConsistencyResults,
    Place,
    published,
)
from symbed_reproduction.core.outcomes import Outcome, judge_claims

Floats = NDArray[np.float64]


@pytest.fixture
def matrices() -> Floats:
    """Six runs of twelve expressions with many ties, one row all tied, one sometimes."""
    found = np.random.default_rng(1).integers(1, 6, (6, 12, 12)).astype(float)
    found[:, 3] = 7.0
    found[:3, 4] = 2.0
    found[:, range(12), range(12)] = 0.0
    return found


@pytest.fixture(scope="module")
def outcome(tmp_path_factory: pytest.TempPathFactory) -> Outcome:
    folder = tmp_path_factory.mktemp("consistency")
    found: Outcome = reproduce("consistency", folder, scale="small", workers=1, progress=False)
    return found


def correlate(a: Floats, b: Floats) -> float:
    """Spearman's correlation; rankings in which all are tied agree with each other only."""
    if np.ptp(a) == 0 or np.ptp(b) == 0:
        return float(np.ptp(a) == np.ptp(b))
    return float(spearmanr(a, b).statistic)


def test_ranks_are_those_of_scipy(matrices: Floats) -> None:
    assert np.array_equal(ranks(matrices), rankdata(matrices, axis=-1))


@pytest.mark.parametrize("itself", [True, False])
def test_scores_are_mean_correlations_over_pairs_of_runs(matrices: Floats, itself: bool) -> None:
    rankings = Rankings.of(matrices)
    found = rankings.scores if itself else rankings.other_scores
    for row in range(12):
        kept = np.arange(12) != (-1 if itself else row)
        runs = [matrix[row, kept] for matrix in matrices]
        naive = np.mean([correlate(a, b) for a, b in itertools.combinations(runs, 2)])
        assert found[row] == pytest.approx(naive, abs=1e-12)


def test_rankings_of_some_runs_and_of_others_add_up(matrices: Floats) -> None:
    total = Rankings.of(matrices[:2]) + Rankings.of(matrices[2:])
    assert total.n_runs == 6
    assert total.scores == pytest.approx(Rankings.of(matrices).scores)


def test_self_pairs_are_a_hundred_of_5050() -> None:
    scores = [1.0] * 100 + [0.5] * 4950
    assert with_self_pairs(0.5, 100) == pytest.approx(np.mean(scores))


def test_rounding_ties_what_differs_in_the_last_bits_only() -> None:
    values = np.array([0.3, 0.1 + 0.2, 0.3 * (1 + 1e-10), 0.0, np.inf])
    assert rounded(values)[0] == rounded(values)[1] != rounded(values)[2]
    assert rounded(values)[3:].tolist() == [0.0, np.inf]


@pytest.mark.parametrize(("n", "d"), [(1, 2), (4, 2), (9, 3), (16, 1)])
def test_points_are_those_of_the_papers_probe(n: int, d: int) -> None:
    found = paper_points(range(3, 6), n, d)
    for seed, points in zip(range(3, 6), found, strict=True):
        probe = symbed.Probe.paper(domain_of(d), n_points=n, seed=seed)
        assert np.array_equal(points, probe.unit_points)


def test_draws_are_latin_hypercubes_that_differ_between_samples() -> None:
    first, second = (latin_columns(3, 8, SampleKey(0, k)) for k in (0, 1))
    cells = np.floor((first - RANGE[0]) / (RANGE[1] - RANGE[0]) * 8)
    assert np.array_equal(np.sort(cells, axis=1), np.tile(np.arange(8.0), (3, 1)))
    assert not np.array_equal(first, second)
    assert not np.array_equal(first[0], first[1])


def test_players_of_a_tournament_meet_once_and_play_once_a_round() -> None:
    rounds = tournament(10)
    assert np.array_equal(rounds, rounds.T)
    for player in range(10):
        assert sorted(np.delete(rounds[player], player)) == list(range(9))


def test_dealt_distances_of_an_expression_have_samples_of_their_own() -> None:
    samples = np.broadcast_to(np.arange(9.0)[:, None, None] + 1, (9, 10, 10))
    dealt = deal(samples, 9)
    for expression in range(10):
        others = np.delete(dealt[:, expression], expression, axis=1)
        assert all(len(set(run)) == 9 for run in others)  # within a run
        assert all(len(set(pair)) == 9 for pair in others.T)  # over the runs
    assert not dealt[:, range(10), range(10)].any()


@pytest.mark.parametrize("kind", [DRAWN, BOUNDED])
def test_expressions_are_finite_and_no_two_are_equivalent(kind: str) -> None:
    expressions = draw_expressions(kind, 2, 30, 5)
    assert len(set(expressions)) == 30
    probe = symbed.Probe(domain_of(2), RANGE, seed=99)
    atlas = symbed.survey(expressions, probe, workers=1, progress=False)
    assert all(np.isfinite(atlas[k].outputs).all() for k in range(30))
    matrix = symbed.pairwise(atlas, metric="relative", workers=1, progress=False).values
    assert matrix[~np.eye(30, dtype=bool)].min() > 5e-4


def test_bounded_sets_are_the_drawn_ones_without_poles() -> None:
    drawn, bounded = (draw_expressions(kind, 2, 60, 0) for kind in (DRAWN, BOUNDED))
    missing = [e for e in drawn if e not in bounded[: len(drawn)]]
    texts = [str(e) for e in missing]
    assert any("ln(C)" in text or " - " in text for text in texts)
    assert all(divisors(e) for e in missing[:-1])


def test_divisors_are_found_at_any_depth() -> None:
    found = divisors(parse("x/(y - C/sin(x)) + 2/z"))
    assert [str(divisor) for divisor in found] == ["sin(x)", "y - C/sin(x)", "z"]


@pytest.mark.parametrize("design", [PAPER, OURS])
def test_matrices_have_the_distances_of_observed_behaviors(design: str) -> None:
    texts = ["X_0", "C*X_0", "X_0*X_1", "C + C*X_1"]
    resampler = Resampler([parse(text) for text in texts], 2, design, 8, 3)
    distances = resampler.matrix(SampleKey(2, 0), 16)
    probe = symbed.Probe(domain_of(2), RANGE, n_points=8, n_draws=16, design=design, seed=2)
    behaviors = [symbed.observe(text, probe) for text in texts]
    naive = np.array([[symbed.distance(a, b) for b in behaviors] for a in behaviors])
    fixed = np.ix_([0, 2], [0, 2])  # the paper's draws are others, points are the same
    assert np.array_equal(distances[fixed], naive[fixed])
    assert np.array_equal(distances, distances.T)
    if design == OURS:
        assert np.array_equal(distances, naive)
    else:
        assert distances[0, 1] == pytest.approx(naive[0, 1], rel=0.2)


def test_with_one_set_of_points_only_draws_differ() -> None:
    resampler = Resampler([parse("X_0"), parse("X_1"), parse("C*X_1")], 2, PAPER, 8, 2)
    one, two, three = (
        resampler.matrix(s, 8) for s in (SampleKey(0, 1), SampleKey(0, 2), SampleKey(1, 1))
    )
    assert one[0, 1] == two[0, 1] != three[0, 1]
    assert one[0, 2] != two[0, 2]


def test_units_score_only_the_strategies_asked_for() -> None:
    found = score_cells(DRAWN, 1, PAPER, 4, (4, 8), ("run",), 10, 4, 0)
    assert sorted(found) == ["infinite", "run", "run_others"]
    assert found["run"].shape == (2, 10)
    full = score_cells(DRAWN, 1, PAPER, 4, (8,), ("run", "pair", "all"), 10, 4, 0)
    assert np.array_equal(found["run"][1], full["run"][0])


def test_random_rankings_score_zero_without_self_pairs() -> None:
    found = score_chance(40, 20)
    assert abs(found["scores"].mean()) < 0.01
    assert found["first"].mean() == pytest.approx(3 / 41, abs=0.01)


def test_published_heatmaps_are_there_for_every_row_of_the_table() -> None:
    cells = [published(*key) for key in HEATMAPS]
    assert all(c is not None and c.shape == (6, 6) for c in cells)
    assert published(4, "pair") is None
    chosen = published(2, "run", (32, 64))
    assert chosen is not None
    assert chosen[1, 0] == 0.994  # 64 points x 32 draws


def test_the_papers_scale_is_the_papers() -> None:
    size = consistency.SIZES["paper"]
    assert (size.n_expressions, size.n_runs, size.counts) == (200, 100, COUNTS)
    assert size.variables == (1, 2, 4, 6, 8)
    units = consistency.plan("paper")
    assert len({unit.name for unit in units}) == len(units)


def test_tables_have_a_row_for_every_heatmap(outcome: Outcome) -> None:
    size = consistency.SIZES["small"]
    n_heatmaps = len(size.variables) * 3
    assert len(outcome.table("designs").rows) == n_heatmaps
    assert len(outcome.table("cost").rows) == n_heatmaps
    assert len(outcome.table("headline").rows) == n_heatmaps
    assert len(outcome.table("agreement").rows) == 4
    published_rows = [row for row in outcome.table("cells_run").rows if row[2] == "published"]
    assert len(published_rows) == len(size.variables) * len(size.counts)


def test_heatmaps_grow_with_points_and_draws(outcome: Outcome) -> None:
    for place, cells in outcome.data["cells"].items():
        if place.kind == BOUNDED:
            assert cells[-1, -1] > cells[0, 0] > 0.5


def test_runs_that_share_nothing_score_alike(outcome: Outcome) -> None:
    for row in outcome.table("independent").rows:
        assert isinstance(row[-1], float)
        assert abs(row[-1]) < 0.02


def findings(ours: float) -> ConsistencyResults:
    """Made-up findings in which our design has one score everywhere."""
    size = consistency.SIZES["small"]
    cells = {}
    for kind, design in consistency.SERIES:
        for n in size.variables:
            for strategy in consistency.strategies_of(kind, n):
                there = published(n, strategy, size.counts)
                score = np.full((3, 3), 0.9 if there is None else there)
                # As if it had been averaged without self-pairs.
                share = 2 / (size.n_runs + 1)
                score = (score - share) / (1 - share)
                place = Place(kind, design, n, strategy)
                cells[place] = np.full((3, 3), ours) if design == OURS else score
    sets = {
        Place(DRAWN, design, n, strategy): np.array([0.9, 0.91])
        for n in size.variables
        for design in (PAPER, OURS)
        for strategy in ("run", "pair", "all")
    }
    independent = {(PAPER, size.checks[0]): (0.9, 0.901)}
    return ConsistencyResults(size, cells, cells, sets, independent, 0.0, 0.07, 0)


def test_claims_follow_from_the_numbers() -> None:
    better, worse = (judge_claims(claim_rows(one), one) for one in map(findings, (1.0, 0.5)))
    by_text = {claim.text: claim.verdict for claim in better}
    assert sum(verdict == "confirmed" for verdict in by_text.values()) >= 8
    for good, bad in zip(better[-2:], worse[-2:], strict=True):
        assert (good.verdict, bad.verdict) == ("confirmed", "differs")
    assert all(claim.verdict == "confirmed" for claim in better[:4])


def test_claims_name_tables_that_are_written(tmp_path: Path, outcome: Outcome) -> None:
    names = {f"tables/{table.name}.csv" for table in outcome.tables}
    for claim in outcome.claims:
        assert set(claim.source.split(", ")) <= names


def test_figures_are_drawn(outcome: Outcome) -> None:
    pytest.importorskip("matplotlib")
    from symbed_reproduction.consistency.experiment import draw

    drawn = dict(draw(outcome))
    assert sorted(drawn) == ["cost", "designs_all", "designs_pair", "designs_run", "published"]

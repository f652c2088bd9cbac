from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

import symbed
from symbed_reproduction import Outcome, reproduce
from symbed_reproduction.core.outcomes import draw_figures, judge_claims
from symbed_reproduction.limits import experiment as limits
from symbed_reproduction.limits import fitted, noise, undefined


@pytest.fixture(scope="module")
def outcome(tmp_path_factory: pytest.TempPathFactory) -> Outcome:
    return reproduce("limits", tmp_path_factory.mktemp("limits"), workers=1)


def test_each_part_has_tables_claims_and_a_note(outcome: Outcome) -> None:
    names = [table.name for table in outcome.tables]
    assert {name.partition("_")[0] for name in names} == {"noise", "scale", "undefined", "fitted"}
    assert len(outcome.claims) == 8
    for word in ("**Noise.**", "**Scale.**", "**Undefined outputs.**", "**Free against fitted.**"):
        assert word in outcome.notes


def test_units_of_both_scales_have_names_of_their_own() -> None:
    for scale in ("small", "paper"):
        names = [unit.name for unit in limits.plan(scale)]
        assert len(set(names)) == len(names)


def test_figures_are_drawn(outcome: Outcome, tmp_path: Path) -> None:
    written = draw_figures("limits", outcome, tmp_path)
    assert {path.stem for path in written} == {"noise", "scale", "undefined", "fitted"}


class TestScale:
    def test_plain_bed_grows_with_the_outputs_and_the_relative_metric_does_not(self, outcome):
        rows = np.array(outcome.table("scale_factors").rows, dtype=float)
        np.testing.assert_allclose(rows[:, 1] / rows[:, 0], rows[3, 1], rtol=1e-9)
        np.testing.assert_allclose(rows[:, 2], rows[3, 2], rtol=1e-9)
        assert (np.diff(rows[:, 3]) > 0).all()
        assert rows[-1, 3] < rows[-1, 1] / 100

    def test_the_papers_example_is_found_and_cured(self, outcome: Outcome) -> None:
        rows = {row[:3]: row for row in outcome.table("scale_groups").rows}
        assert rows["paper", 32, "wasserstein"][7] == "yes"
        assert rows["paper", 32, "wasserstein"][8] < 0.9
        for other in set(rows) - {("paper", 32, "wasserstein")}:
            assert rows[other][7] == "no"
            assert rows[other][8] == 1.0


class TestNoise:
    def test_equal_expressions_get_closer_with_more_draws(self, outcome: Outcome) -> None:
        table = outcome.table("noise")
        for sampling in ("paper", "ours"):
            rows = np.array([row[2:] for row in table.rows if row[0] == sampling])
            assert (np.diff(rows[:, :2], axis=0) < 0).all()
            assert (rows[:, :2] > 1e-3).all()

    def test_shared_and_aligned_draws_have_no_noise_at_all(self, outcome: Outcome) -> None:
        table = outcome.table("noise")
        assert max(row[4] for row in table.rows if row[0] == "ours") < 1e-13
        assert min(row[4] for row in table.rows if row[0] == "paper") > 0.01

    def test_the_spread_is_the_mean_distance_from_the_median(self) -> None:
        values = np.array([[0.0, 1.0, 5.0], [2.0, 2.0, 2.0]])
        assert noise._spread(values) == pytest.approx((1 + 4) / 6)

    def test_verdicts_follow_the_numbers(self) -> None:
        calm = dict.fromkeys(noise.NUMBERS, 0.0)
        wild = dict.fromkeys(noise.NUMBERS, 0.5)
        verdicts = {
            "confirmed": judge_claims(noise.CLAIMS, noise.Noise(calm, calm))[0],
            "differs": judge_claims(noise.CLAIMS, noise.Noise(wild, calm))[0],
        }
        assert all(claim.verdict == verdict for verdict, claim in verdicts.items())
        assert judge_claims(noise.CLAIMS, noise.Noise(calm, calm))[1].verdict == "differs"


class TestUndefined:
    def test_closed_forms_are_those_of_a_fine_sum(self) -> None:
        n = 400_000
        x = 1 + 4 * (np.arange(n) + 0.5) / n
        inside = x >= 1.05
        gaps = x - np.sqrt(np.where(inside, x - 1.05, 0.0))
        assert undefined.exact("mismatch") == pytest.approx(
            np.where(inside, gaps, 10.0).mean(), rel=1e-5
        )
        assert undefined.exact("cemetery") == pytest.approx(
            np.where(inside, gaps, 10.0 + x).mean(), rel=1e-5
        )
        assert math.isinf(undefined.exact("strict"))

    def test_more_points_find_the_gap_more_often(self, outcome: Outcome) -> None:
        shares = [row[2] for row in outcome.table("undefined").rows if row[0] == "paper"]
        assert shares == sorted(shares)
        assert shares[0] < 0.5
        assert shares[-1] == 1.0

    def test_finite_options_come_near_their_closed_forms(self, outcome: Outcome) -> None:
        rows = {row[:2]: row for row in outcome.table("undefined").rows}
        found, exact = rows["paper", 256], rows["closed form", None]
        assert found[3] == pytest.approx(exact[3], rel=0.01)
        assert found[5] == pytest.approx(exact[5], rel=0.01)

    def test_metrics_keep_the_triangle_inequality_and_others_break_it(self, outcome) -> None:
        broken = {row[0]: row[1] for row in outcome.table("undefined_triangles").rows}
        assert (
            broken["strict"] == broken["cemetery, penalty=1"] == broken["cemetery, penalty=10"] == 0
        )
        assert broken["mismatch=1"] > 0
        assert broken["over common points"] > 0

    def test_broken_triangles_are_counted_once(self) -> None:
        values = np.array([[0.0, 1.0, 5.0], [1.0, 0.0, 1.0], [5.0, 1.0, 0.0]])
        assert undefined._broken(values) == 1
        assert undefined._broken(np.ones((3, 3)) - np.eye(3)) == 0


class TestFitted:
    def test_values_make_the_form_the_formula(self) -> None:
        probe = symbed.Probe({"x": (1, 5)})
        for case in fitted.CASES:
            text = case.form.replace("exp", "EXP")
            for name, value in zip("abc", case.values, strict=False):
                text = text.replace(name, f"({value})")
            same = symbed.observe(text.replace("EXP", "exp"), probe)
            assert symbed.distance(same, symbed.observe(case.truth, probe)) < 1e-12

    def test_ranks_count_the_nearer_forms_and_favor_the_own(self) -> None:
        distances = np.array([[1.0, 0.5, 1.0], [9.0, 2.0, 3.0], [1.0, 2.0, 3.0]])
        assert fitted.own_ranks(distances).tolist() == [2, 1, 3]

    def test_nothing_is_nearer_to_a_form_than_its_median(self, outcome: Outcome) -> None:
        for row in outcome.table("fitted").rows:
            assert 0 < row[3] <= row[2]

    def test_form_to_form_and_after_fitting_the_own_form_is_nearest(self, outcome) -> None:
        for row in outcome.table("fitted").rows:
            assert row[6] == 0
            assert row[8] < 1e-9
            assert row[7] == row[9] == 1

    def test_narrower_ranges_bring_the_distance_down_in_proportion(self, outcome) -> None:
        rows = np.array(outcome.table("fitted_widths").rows)
        np.testing.assert_allclose(rows[-1, 1:] / rows[-2, 1:], 0.5, rtol=0.02)

    def test_the_guide_claim_follows_the_ranks(self) -> None:
        ones = np.ones(8, np.int64)
        ranks = {"free": ones, "forms": ones, "fitted": ones}
        distances = {"free": np.ones((8, 8)), "fitted": np.ones((8, 8))}
        fits = fitted.Fits(distances, ranks)
        assert judge_claims(fitted.CLAIMS, fits)[1].verdict == "confirmed"
        ranks["free"] = ones + 1
        assert judge_claims(fitted.CLAIMS, fits)[1].verdict == "differs"

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.stats import wasserstein_distance

import symbed
from symbed import Behavior, Probe, bed, compare, distance, observe
from symbed.errors import DataError, MissingRange, PointsMismatch, RangeError, ShapeError
from tests import naive

PROBE = Probe({"x": (1, 5)}, parameters=(1, 5))
NAN = float("nan")


def _behavior(rows: list[list[float]]) -> Behavior:
    return Behavior.from_samples(rows, points=np.arange(len(rows), dtype=float))


def test_distance_is_the_distance_of_the_comparison() -> None:
    a, b = observe("a*x + b", PROBE), observe("a*sin(x) + b", PROBE)
    for p in (1, 2):
        assert distance(a, b, p=p) == compare(a, b, p=p).distance


@pytest.mark.parametrize("p", [1, 2])
def test_bed_is_the_p_mean_of_the_point_wise_distances(p: int) -> None:
    a, b = observe("a*x + b", PROBE), observe("exp(a)/x", PROBE)
    found = compare(a, b, p=p)
    again = naive.bed(a.values.tolist(), b.values.tolist(), p)
    assert found.distance == pytest.approx(again, rel=1e-12)
    assert np.mean(found.profile**p) ** (1 / p) == pytest.approx(found.distance, rel=1e-12)


def test_without_parameters_it_is_the_mean_absolute_error_and_the_rmse() -> None:
    x = PROBE.points[:, 0]
    error = np.sin(x) - x**2
    mae = bed("sin(x)", "x^2", domain={"x": (1, 5)})
    rmse = bed("sin(x)", "x^2", domain={"x": (1, 5)}, p=2)
    assert mae == pytest.approx(np.abs(error).mean(), rel=1e-12)
    assert rmse == pytest.approx(np.sqrt((error**2).mean()), rel=1e-12)


def test_points_where_both_are_undefined_count_zero() -> None:
    a, b = _behavior([[NAN, NAN], [1.0, 2.0]]), _behavior([[math.inf, NAN], [2.0, 3.0]])
    assert distance(a, b) == 0.5


def test_a_point_where_one_is_undefined_makes_it_infinite() -> None:
    a, b = _behavior([[NAN], [1.0]]), _behavior([[1.0], [1.0]])
    found = compare(a, b)
    assert found.distance == math.inf
    assert found.mismatched_points == 1
    assert found.coverage == 0.5
    assert found.finite_part == 0.0


def test_a_finite_mismatch_is_the_distance_at_that_point() -> None:
    a, b = _behavior([[NAN], [1.0]]), _behavior([[1.0], [1.0]])
    assert distance(a, b, mismatch=3.0) == 1.5
    assert distance(a, b, mismatch=3.0, p=2) == pytest.approx(math.sqrt(4.5))


def test_two_expressions_undefined_everywhere_have_distance_zero_and_no_coverage() -> None:
    probe = Probe({"x": (1, 5)})
    found = compare(observe("log(-x)", probe), observe("sqrt(-x)", probe))
    assert (found.distance, found.coverage, found.undefined_points) == (0.0, 0.0, 64)


@pytest.mark.parametrize("p", [1, 2])
def test_unequal_numbers_of_defined_outputs_are_exact(p: int) -> None:
    rng = np.random.default_rng(5)
    a = rng.normal(size=(40, 7))
    b = rng.normal(size=(40, 11))
    a[rng.random(a.shape) < 0.3] = np.nan
    b[rng.random(b.shape) < 0.3] = np.inf
    a[:, 0], b[:, 0] = 0.5, 0.25
    found = compare(_behavior(a.tolist()), _behavior(b.tolist()), p=p)
    assert found.distance == pytest.approx(naive.bed(a.tolist(), b.tolist(), p), rel=1e-12)
    if p == 1:
        rows = [
            wasserstein_distance(naive.defined(u), naive.defined(v))
            for u, v in zip(a.tolist(), b.tolist(), strict=True)
        ]
        np.testing.assert_allclose(found.profile, rows, rtol=1e-12)


def test_numbers_of_draws_may_differ() -> None:
    few, many = PROBE.with_(n_draws=16), PROBE.with_(n_draws=100)
    assert distance(observe("a*x", few), observe("a*x", many)) < 0.5
    assert distance(observe("x", few), observe("x", many)) == 0.0


def test_behaviors_at_other_points_cannot_be_compared() -> None:
    here = observe("a*x + b", PROBE)
    with pytest.raises(
        PointsMismatch, match="64 points and 'x' at 128; observe both with one probe"
    ):
        compare(here, observe("x", PROBE.with_(n_points=128)))
    with pytest.raises(PointsMismatch, match="different points"):
        compare(here, observe("x", Probe({"x": (1, 6)})))


def test_settings_that_cannot_be_are_refused() -> None:
    a = observe("x", PROBE)
    with pytest.raises(RangeError, match="p must be 1 or 2, got 3"):
        compare(a, a, p=3)
    with pytest.raises(RangeError, match="metric must be one of wasserstein"):
        compare(a, a, metric="euclid")
    for mismatch in (-1.0, NAN, "big"):
        with pytest.raises(RangeError, match="mismatch must be a number of at least 0"):
            compare(a, a, mismatch=mismatch)  # type: ignore[arg-type]
    with pytest.raises(ShapeError, match="take behaviors, got str"):
        compare("x", "y")  # type: ignore[arg-type]


def test_huge_outputs_do_not_overflow_a_distance_that_is_finite() -> None:
    a, b = _behavior([[1e308, 1.5e308]] * 8), _behavior([[-0.5e308, 0.0]] * 8)
    assert distance(a, b) == pytest.approx(1.5e308)
    assert distance(a, b, p=2) == pytest.approx(1.5e308)
    assert compare(a, b, p=2).finite_part == pytest.approx(1.5e308)


def test_a_comparison_prints_as_what_it_is() -> None:
    shown = repr(compare(observe("x", PROBE), observe("x + 2", PROBE)))
    assert shown.startswith("Comparison('x', 'x + 2', distance 2 [2, 2], noise floor")
    assert float(compare(observe("x", PROBE), observe("x + 2", PROBE))) == 2.0


class TestBed:
    def test_families_that_differ_by_a_shift_are_that_far_apart(self) -> None:
        found = bed("C*x", "C*x + 3", domain={"x": (1, 5)}, parameters=(1, 5))
        assert found == pytest.approx(3.0, rel=1e-12)

    def test_spellings_of_one_family_have_distance_zero_to_rounding(self) -> None:
        domain = {"x": (1, 5)}
        for e, f in [("a*x + b", "b + x*a"), ("C*(x + C)", "(x + C)*C"), ("C/x", "C*x^-1")]:
            assert bed(e, f, domain=domain, parameters=(1, 5)) < 1e-14

    def test_points_can_come_as_an_array_or_by_name(self) -> None:
        x, y = np.array([1.0, 2.0, 3.0]), np.array([0.0, 0.0, 6.0])
        assert bed("x", "y", points={"x": x, "y": y}) == 2.0
        assert bed("x", "y", points=np.column_stack([x, y])) == 2.0
        assert bed("x", "x + 1", points=x) == 1.0
        assert bed("X_10", "X_2", points=np.column_stack([x, y]), seed=3) == 2.0

    def test_where_to_look_must_be_said_once(self) -> None:
        with pytest.raises(MissingRange, match="give domain="):
            bed("x", "y")
        with pytest.raises(RangeError, match="not both"):
            bed("x", "y", domain={"x": (1, 2)}, points=[1.0])
        with pytest.raises(DataError, match="2 columns, the expressions have variables x"):
            bed("x", "x + 1", points=[[1.0, 2.0]])
        with pytest.raises(DataError, match="nan"):
            bed("x", "x + 1", points=[1.0, NAN])

    def test_a_seed_gives_one_number(self) -> None:
        def value(seed: int) -> float:
            return bed("C*x", "exp(C)/x", domain={"x": (1, 5)}, parameters=(1, 5), seed=seed)

        assert value(1) == value(1)
        assert value(1) != value(2)
        np.random.seed(3)  # noqa: NPY002
        state = np.random.get_state()[1].copy()  # noqa: NPY002
        value(4)
        assert (np.random.get_state()[1] == state).all()  # noqa: NPY002


def test_one_huge_expression_is_ordinary_input() -> None:
    text = "+".join(["x"] * 10_000)
    assert bed(text, "10000*x", domain={"x": (1, 5)}) < 1e-7
    assert symbed.parse(text).size == 19_999

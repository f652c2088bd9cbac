"""Uncertainty: the figures beside a distance hold what they promise."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest
from numpy.typing import NDArray

import symbed
from benchmarks.accuracy_pairs import PAIRS
from symbed.behavior.behavior import Behavior
from symbed.distances.intervals._standard_errors import Scatter, point_scatter

Floats = NDArray[np.float64]
GRID = ((np.arange(64) + 0.5) / 64)[:, None]
PARAMETERS = (1.0, 5.0)
DOMAIN = {"x": (1.0, 5.0)}


def compare(e: str, f: str, probe: symbed.Probe, p: int = 1) -> symbed.Comparison:
    return symbed.compare(symbed.observe(e, probe), symbed.observe(f, probe), p=p)


def lattice(d: int, n: int = 64) -> Floats:
    return symbed.Probe({f"x{j}": (0, 1) for j in range(d)}, n_points=n).points


@pytest.mark.parametrize("d", [1, 2, 4])
def test_a_linear_profile_on_even_points_has_no_error(d: int) -> None:
    positions = lattice(d)
    assert point_scatter(3 + positions @ np.arange(1.0, d + 1), positions).error < 1e-12


def test_a_constant_profile_has_no_error() -> None:
    assert point_scatter(np.full(64, 2.5), GRID).error < 1e-15


@pytest.mark.parametrize("d", [1, 2, 3])
def test_pure_noise_has_about_its_own_standard_error(d: int) -> None:
    rng = np.random.default_rng(0)
    positions = lattice(d)
    found = [point_scatter(rng.standard_normal(64), positions).error for _ in range(50)]
    # The prediction's own noise makes it somewhat too large: it errs on the safe side.
    assert 1 / 8 < np.mean(found) < 2 / 8


def test_the_shape_of_the_function_is_not_blamed_on_the_sampling() -> None:
    costs = np.exp(GRID[:, 0])
    naive = costs.std() / 8
    assert point_scatter(costs, GRID).error < naive / 50
    assert point_scatter(costs, GRID, "free").error == pytest.approx(naive, rel=0.01)


def test_points_anywhere_in_their_cells_add_the_slope_times_the_cell() -> None:
    rng = np.random.default_rng(1)
    positions = (np.arange(64)[:, None] + rng.random((64, 1))) / 64
    found = point_scatter(5 * positions[:, 0], positions, "strata").error
    actual = 5 / (64 * math.sqrt(12 * 64))  # of the mean of 5x over such points
    assert found == pytest.approx(actual, rel=1e-6)


@pytest.mark.parametrize(("n", "d"), [(2, 1), (3, 1), (2, 4), (5, 4), (9, 8)])
def test_few_points_still_give_a_number(n: int, d: int) -> None:
    rng = np.random.default_rng(2)
    found = point_scatter(rng.random(n), rng.random((n, d))).error
    assert 0 < found < 2


def test_one_point_tells_nothing_about_its_error() -> None:
    assert point_scatter(np.ones(1), np.ones((1, 1))).error == math.inf


def test_duplicate_points_do_no_harm() -> None:
    assert point_scatter(np.arange(8.0), np.zeros((8, 2))).error < 2


def test_many_points_are_judged_by_some_of_them() -> None:
    rng = np.random.default_rng(3)
    noise = rng.standard_normal(5000)
    positions = (np.arange(5000)[:, None] + 0.5) / 5000
    assert point_scatter(noise, positions).error == pytest.approx(1.25 / math.sqrt(5000), rel=0.2)


def test_few_residuals_that_outweigh_the_others_make_an_interval_wider() -> None:
    assert Scatter(1.0, size=60.0).half_width == pytest.approx(2.0, abs=0.01)
    assert Scatter(1.0, size=4.0).half_width == pytest.approx(3.18, abs=0.2)  # Student's t
    assert Scatter(1.0, size=1.0).half_width == 6.0
    needle = np.zeros(64)
    needle[30] = 1.0
    assert point_scatter(needle, GRID).size < 4


def test_a_wave_that_is_alike_in_mirrored_pairs_counts_once_for_each_pair() -> None:
    covered = []
    for seed in range(60):
        points = symbed.Probe({"x": (0, 1)}, seed=seed).unit_points
        wave = np.cos(2 * np.pi * 64 * points[:, 0])
        covered.append(abs(wave.mean()) <= point_scatter(wave, points).half_width)
    assert np.mean(covered) > 0.9


# Distances with a closed form: the second never lies below the first, so W1 is the gap of the means.
KNOWN: list[tuple[str, str, float]] = [
    ("a*x", "a", 6.0),
    ("a*x + b", "a*x^2 + b", 22.0),
    ("a*x + b", "a*x + 1.02*b", 0.06),
    ("a*x + b", "a*x + b + 0.1", 0.1),
    ("a*x^2", "a*x", 22.0),
    ("a*x*b + b", "a*x*b + 2*b", 3.0),
    ("a*exp(0.1*x)", "a*x*2", 3 * (6 - (math.exp(0.5) - math.exp(0.1)) / 0.4)),
    ("x^2", "x", 22 / 3),
]


@pytest.mark.no_cover
@pytest.mark.parametrize(("e", "f", "truth"), KNOWN)
@pytest.mark.parametrize("design", ["lattice", "shared", "paper"])
def test_the_interval_holds_known_distances(e: str, f: str, truth: float, design: str) -> None:
    held = 0
    for seed in range(20):
        probe = symbed.Probe(DOMAIN, PARAMETERS, design=design, seed=seed)
        low, high = compare(e, f, probe).interval
        held += low - 1e-9 <= truth <= high + 1e-9
    assert held >= (20 if design == "lattice" else 16)


def test_the_interval_of_root_mean_squares_holds_them() -> None:
    truth = math.sqrt(93 / 9 * (((5**5 - 1) / 5 - 2 * (5**4 - 1) / 4 + (5**3 - 1) / 3) / 4) * 1.0)
    for seed in range(10):
        probe = symbed.Probe(DOMAIN, PARAMETERS, seed=seed)
        low, high = compare("a*x^2", "a*x", probe, p=2).interval  # E[a^2] E[(x^2 - x)^2]
        assert low <= truth * (1 + 1e-3)
        assert high >= truth * (1 - 1e-3)
        assert high - low < 0.05 * truth


def test_equal_expressions_have_an_interval_that_holds_zero() -> None:
    for design in ("lattice", "shared", "lhs"):
        told = compare("a*x + b", "b + x*a", symbed.Probe(DOMAIN, PARAMETERS, design=design))
        assert told.interval[0] == 0
        assert told.distance < 1e-12
        assert told.noise_floor > 0.05


def test_a_change_that_leaves_the_distribution_almost_alone_is_not_taken_in_full() -> None:
    # The outputs move by 0.02 on average, their distributions by 0.0054 (quadrature).
    probe = symbed.Probe(DOMAIN, PARAMETERS)
    told = compare("a*x + b", "a*x + 1.02*b - 0.06", probe)
    assert told.distance > 3 * 0.00541843347
    assert told.interval[0] <= 0.00541843347


def test_a_gap_between_means_bounds_close_pairs_from_below() -> None:
    told = compare("a*x + b", "a*x + b + 0.1", symbed.Probe(DOMAIN, PARAMETERS))
    assert told.noise_floor > 0.1
    assert told.interval == pytest.approx((0.1, 0.1), rel=1e-6)


@pytest.mark.no_cover
@pytest.mark.parametrize("p", [1, 2])
def test_intervals_hold_the_true_distances_of_the_benchmark(p: int) -> None:
    held = []
    for pair in PAIRS:
        truth = pair.truth if p == 1 else pair.truth_squared
        low, high = compare(pair.e, pair.f, symbed.Probe(pair.domain, pair.parameters), p).interval
        slack = 1e-9 + pair.truth_error
        held.append(low - slack <= truth <= high + slack)
    assert len(held) >= 40
    assert np.mean(held) >= 0.95


def test_equal_families_that_look_different_are_not_told_apart_by_mistake() -> None:
    circle = (0.0, 2 * math.pi)
    held = [compare("sin(x + a)", "sin(a)", symbed.Probe(DOMAIN, circle, seed=seed)).interval[0]
            for seed in range(10)]  # fmt: skip
    assert max(held) == 0


def test_the_noise_floor_is_what_the_published_sampling_shows_for_equal_pairs() -> None:
    probe = symbed.Probe.paper(DOMAIN, PARAMETERS)
    told = compare("a*x + b", "c*x + d + 0*x", probe)
    assert told.noise_floor == pytest.approx(told.distance, rel=0.7)


def test_without_parameters_there_is_no_noise_floor() -> None:
    told = compare("x", "x^2", symbed.Probe(DOMAIN))
    assert told.noise_floor == 0
    assert told.interval[0] < 22 / 3 < told.interval[1]


def test_on_given_points_only_the_draws_are_uncertain() -> None:
    points = np.random.default_rng(5).uniform(1, 5, 50)
    exact = compare("x", "x^2", symbed.Probe.at(points, "x"))
    assert exact.stderr == 0
    assert exact.interval == (exact.distance, exact.distance)
    probe = symbed.Probe.at(points, "x", parameters=PARAMETERS)
    drawn = compare("a*sin(b*x) + c", "a*x", probe)
    assert 0 < drawn.stderr < 0.05 * drawn.distance


def test_the_error_of_the_draws_is_right_on_given_points() -> None:
    points = np.linspace(1, 5, 40)
    told = [compare("a*sin(b*x + c)", "a*cos(b*x) + c", symbed.Probe.at(
        points, "x", parameters=PARAMETERS, seed=seed)) for seed in range(30)]  # fmt: skip
    actual = np.std([each.distance for each in told])
    assert np.mean([each.stderr for each in told]) == pytest.approx(actual, rel=0.35)


def test_a_mismatch_leaves_the_finite_part_as_a_lower_bound() -> None:
    told = compare("sqrt(x - 2) + a", "a", symbed.Probe(DOMAIN, PARAMETERS))
    assert told.distance == math.inf
    assert told.stderr == math.inf
    low, high = told.interval
    assert 0 < low <= told.finite_part
    assert high == math.inf


def test_one_point_makes_no_promise() -> None:
    told = compare("a*x", "a", symbed.Probe(DOMAIN, PARAMETERS, n_points=1))
    assert told.stderr == math.inf
    assert told.interval == (0, math.inf)
    assert not told.resolved


def test_expressions_undefined_everywhere_are_equal_for_certain() -> None:
    told = compare("sqrt(-x)", "ln(-x)", symbed.Probe(DOMAIN))
    assert (told.distance, told.stderr, told.interval) == (0, 0, (0, 0))


def test_nowhere_comparable_is_infinite_and_says_no_more() -> None:
    told = compare("sqrt(-x)", "x", symbed.Probe(DOMAIN))
    assert told.interval == (math.inf, math.inf)
    assert told.stderr == math.inf


def test_huge_values_do_not_overflow_the_figures() -> None:
    told = compare("1e200*a*x", "1e200*a", symbed.Probe(DOMAIN, PARAMETERS), p=2)
    assert all(map(math.isfinite, (told.distance, told.stderr, *told.interval, told.noise_floor)))
    assert told.interval[0] <= told.distance <= told.interval[1]


@pytest.mark.parametrize("make", [
    lambda rng, n: rng.normal(0, 1, (40, n)),
    lambda rng, n: rng.normal(0, 1, (1, n)) + np.arange(40)[:, None],
])  # fmt: skip
def test_samples_of_others_are_judged_by_their_parts(make: Callable[..., Floats]) -> None:
    rng = np.random.default_rng(6)
    held = 0
    for _ in range(20):
        one, other = (Behavior.from_samples(make(rng, 64) + gap, np.arange(40)) for gap in (0, 3))
        low, high = symbed.compare(one, other).interval
        held += low <= 3 <= high
    assert held >= 17


def test_too_few_samples_make_no_promise() -> None:
    one, other = (Behavior.from_samples(np.ones((3, 4)) * k, np.arange(3)) for k in (1, 2))
    assert symbed.compare(one, other).stderr == math.inf


def test_a_callable_with_one_draw_set_for_all_points_is_judged_by_redraws() -> None:
    family = symbed.Family(lambda x, c: c[0] * x[:, 0] + c[1], parameters=("a", "b"))
    probe = symbed.Probe(DOMAIN, PARAMETERS)
    other = symbed.observe("a*x^2 + b", probe)
    told = symbed.compare(symbed.observe(family, probe), other)
    assert told.interval[0] <= 22 <= told.interval[1]
    assert told.stderr > compare("a*x + b", "a*x^2 + b", probe).stderr

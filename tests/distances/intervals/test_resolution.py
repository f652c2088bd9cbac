"""Comparisons know what they do not know: waves, needles, steps, tails and draws out of line."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator

import numpy as np
import pytest

import symbed
from symbed.cli import main
from symbed.errors import DataError, RangeError

DOMAIN, SYMMETRIC = {"x": (1.0, 5.0)}, {"x": (-1.0, 1.0)}


def compare(e: str, f: str, probe: symbed.Probe, **how: object) -> symbed.Comparison:
    return symbed.compare(symbed.observe(e, probe), symbed.observe(f, probe), **how)  # type: ignore[arg-type]


def runs(
    e: str, f: str, domain: dict[str, tuple[float, float]], **how: object
) -> Iterator[symbed.Comparison]:
    parameters = (-1.0, 1.0) if domain is SYMMETRIC else (1.0, 5.0)
    for seed in range(6):
        yield compare(e, f, symbed.Probe(domain, parameters, seed=seed), **how)


def test_a_wave_with_its_zeros_at_the_midpoints_of_cells_is_seen() -> None:
    for told in runs("x", "x + sin(16*pi*(x - 1.03125))", DOMAIN):
        assert told.interval[0] <= 2 / math.pi <= told.interval[1]


NEEDLES = [
    ("exp(-1000*(x - 1))", "0", 0.00025),
    ("sign(x - 4.99)", "-1", 0.005),
    ("exp(-(x - 3.01)^2*1e5)", "0", math.sqrt(math.pi / 1e5) / 4),
]


@pytest.mark.parametrize(("e", "f", "truth"), NEEDLES)
def test_what_lies_between_the_points_is_told(e: str, f: str, truth: float) -> None:
    for told in runs(e, f, DOMAIN):
        inside = told.interval[0] <= truth <= told.interval[1]
        assert inside or told.reason in ("peaks", "jumps", "oscillates")


def cube(d: int) -> dict[str, tuple[float, float]]:
    return {f"x{number}": (1.0, 5.0) for number in range(1, d + 1)}


EDGES = [
    ("sign(x - 4.98)", "1", DOMAIN, 1.99),
    ("sign(x - 4.9995)", "1", DOMAIN, 1.99975),
    ("sin(1e4*x)", "0", DOMAIN, 2 / math.pi),
    ("floor(100*x)/100", "x", DOMAIN, 0.005),
    ("sign(x1 + x2 + x3 + x4 + x5 - 23)", "-1", cube(5), 2 / 120 * 2**5 / 4**5),
    ("sign(x1 + x2 - x3 - x4 + 7.5)", "1", cube(4), 2 / 24 * 0.5**4 / 4**4),
]


@pytest.mark.parametrize(("e", "f", "domain", "truth"), EDGES)
def test_what_finer_points_leave_at_edges_and_corners_is_held_or_told(
    e: str, f: str, domain: dict[str, tuple[float, float]], truth: float
) -> None:
    for told in runs(e, f, domain):
        assert told.reason or told.interval[0] <= truth <= told.interval[1]


@pytest.mark.parametrize(
    ("e", "domain"),
    [("sqrt(x - 1.001)", DOMAIN), ("asin(x/4.9995)", DOMAIN), ("ln(x1 + x2 - 2.01)", cube(2))],
)
def test_a_side_that_is_undefined_in_a_corner_only_is_told(
    e: str, domain: dict[str, tuple[float, float]]
) -> None:
    for told in runs(e, "0", domain):
        assert (told.reason, told.interval[1]) == ("jumps", math.inf)


HOLES = ["sqrt(abs(x - 3.3) - 1e-5)", "ln((x - 2.1)^2 - 1e-6)", "sqrt(cos(x) + 0.999999)"]


@pytest.mark.parametrize("e", HOLES)
def test_a_hole_between_all_points_is_told_unless_both_have_it(e: str) -> None:
    for told in runs(e, "x", DOMAIN):
        assert (told.reason, told.interval[1]) == ("jumps", math.inf) or math.isinf(told.distance)
    for told in runs(e, f"{e} + x", DOMAIN):
        assert told.reason != "jumps"
        assert told.interval[0] <= 3 <= told.interval[1]


@pytest.mark.parametrize("e", ["x + 1e-6/(x - 3.2)", "(x - 3)^2 + 1e-3/(x - 3)"])
def test_a_weak_pole_is_told_however_little_the_points_see_of_it(e: str) -> None:
    assert all(told.reason == "peaks" for told in runs(e, "x", DOMAIN))


def test_rounding_makes_no_hole() -> None:
    for told in runs("sqrt(x^2 - 6*x + 9)", "asin((x - 3)/2)", DOMAIN):
        assert told.resolved


PLANE = {"x": (1.0, 5.0), "y": (1.0, 5.0)}
HIDDEN = [
    ("exp(-1e10*(x - 3.0471)^2)", "0", DOMAIN, math.sqrt(math.pi / 1e10) / 4),
    ("exp(-1e8*(x^2 - 7)^2)", "0", DOMAIN, math.sqrt(math.pi / 2.8e9) / 4),
    ("exp(-1e10*(x - a)^2)", "0", DOMAIN, math.sqrt(math.pi / 1e10) / 4),
    ("x + sign(x - 3) - sign(x - 3.0001)", "x", DOMAIN, 5e-5),
    ("max(0, 1 - 1e5*abs(x - 2.2))", "0", DOMAIN, 2.5e-6),
    ("exp(-1e7*((x - 2)^2 + (y - 4)^2))", "0", PLANE, math.pi / 1e7 / 16),
    ("exp(-1e7*((x - 2)^2 + (y - 4)^2 + (x - 2)*(y - 4)))", "0", PLANE, None),
    ("1/(x - 3)", "0", DOMAIN, math.inf),
    ("tan(x)", "0", DOMAIN, math.inf),
    ("gamma(x - 3.5)", "0", DOMAIN, math.inf),
]


@pytest.mark.parametrize(("e", "f", "domain", "truth"), HIDDEN)
def test_what_no_point_sees_is_found_by_the_formulas_inner_arguments(
    e: str, f: str, domain: dict[str, tuple[float, float]], truth: float | None
) -> None:
    for told in runs(e, f, domain):
        assert told.reason == "peaks"
        if truth is not None and math.isfinite(truth):
            assert told.interval[1] > 0.8 * truth


def test_inner_arguments_raise_no_false_alarm() -> None:
    for e, f in [("abs(x - 3)", "x"), ("ln(abs(x - 2) + 0.1)", "0"), ("1/(1 + x^2)", "exp(-x^2)"),
                 ("tanh(x - a)", "sign(x - a)"), ("max(x, 3)", "min(x, 3)")]:  # fmt: skip
        assert all(told.reason != "peaks" for told in runs(e, f, DOMAIN)), (e, f)


EQUAL_IN_LAW = [
    ("(a+b)*(c+d)", "a*c+a*d+b*c+b*d", DOMAIN),
    ("(a-b)*(c-d)", "a*c-a*d-b*c+b*d", DOMAIN),
    ("(a+b)*c", "a*c+b*c", SYMMETRIC),
    ("a*b", "-a*b", SYMMETRIC),
    ("sign(x-a)*b", "b", SYMMETRIC),
    ("a*exp(b)", "a*exp(-b)", SYMMETRIC),
    ("sign(a)*b", "b", SYMMETRIC),
    ("a*b*c", "a*b*abs(c)", SYMMETRIC),
]


@pytest.mark.parametrize(("e", "f", "domain"), EQUAL_IN_LAW)
def test_families_that_are_equal_in_law_have_a_lower_end_of_zero(
    e: str, f: str, domain: dict[str, tuple[float, float]]
) -> None:
    for p in (1, 2):
        told = list(runs(e, f, domain, p=p))
        assert np.median([each.interval[0] for each in told]) == 0
        assert all(each.interval[0] < 0.1 * each.distance for each in told)


def test_draws_that_are_not_aligned_are_told_with_what_would_help() -> None:
    told = compare("a*b", "-a*b", symbed.Probe(SYMMETRIC, (-1, 1)))
    assert (told.resolved, told.reason) == (False, "draws not aligned")
    assert "n_draws" in told.remedy
    assert "unresolved: draws not aligned" in repr(told)
    assert told.to_dict()["resolved"] is False


WAVES = [
    ("a*sin(b*x+c)+d", "f*cos(g*x+h)+k", 0.1438),
    ("a*sin(b*x)+c", "f*cos(g*x)+h", 0.3012),
    ("sin(a*x+b)", "cos(c*x+d)", 0.04698),
    ("exp(a)*sin(b*x)", "exp(c)*cos(d*x)", 3.658),
]


@pytest.mark.parametrize(("e", "f", "truth"), WAVES)
def test_intervals_hold_the_distances_of_waves(e: str, f: str, truth: float) -> None:
    assert sum(t.interval[0] <= truth <= t.interval[1] for t in runs(e, f, DOMAIN)) >= 5


def test_tails_beyond_the_draws_are_told() -> None:
    reasons = {told.reason for told in runs("1/(1.00001 - 1/a)", "x", DOMAIN)}
    assert "heavy tails" in reasons


SMOOTH = [
    ("a*x", "sin(a*x)"),
    ("a*exp(-b*x)", "a/(1 + b*x)"),
    ("sin(x)", "x"),
    ("a*x", "1.001*a*x"),
]


@pytest.mark.parametrize(("e", "f"), SMOOTH)
def test_smooth_pairs_are_resolved(e: str, f: str) -> None:
    assert all(told.resolved for told in runs(e, f, DOMAIN))


SETTINGS: list[dict[str, object]] = [
    {}, {"p": 2}, {"metric": "relative"}, {"metric": "arcsinh", "p": 2}, {"mismatch": 3.0},
    {"undefined": "cemetery", "penalty": 5.0}, {"metric": "trajectory"}, {"metric": "energy"},
]  # fmt: skip


@pytest.mark.parametrize("how", SETTINGS, ids=str)
@pytest.mark.parametrize("design", ["lattice", "shared", "lhs", "random", "paper"])
@pytest.mark.parametrize(("n_points", "n_draws"), [(1, 1), (2, 1), (1, 2), (3, 2), (8, 8)])
def test_few_points_and_draws_give_honest_numbers(
    how: dict[str, object], design: str, n_points: int, n_draws: int
) -> None:
    whole = how.get("metric") in ("trajectory", "energy")
    probe = symbed.Probe(
        DOMAIN, (-3, 3), n_points=n_points, n_draws=n_draws,
        design="shared" if whole and design == "lattice" else design,
    )  # fmt: skip
    for e, f in (("x", "ln(b)"), ("12", "log2(b)"), ("a*x", "1e300*b"), ("sqrt(x - 2)", "a")):
        told = compare(e, f, probe, **how)
        low, high = told.interval
        assert not any(map(math.isnan, (low, high, told.stderr, told.noise_floor)))
        assert 0 <= low <= told.distance * (1 + 1e-9)
        assert told.distance <= high * (1 + 1e-9)
        assert math.isfinite(low) or math.isinf(told.distance)


def test_a_callable_is_looked_at_between_its_points_too() -> None:
    family = symbed.Family(lambda x, c: np.exp(-1e5 * (x[:, 0] - 3.01) ** 2), parameters=())
    probe = symbed.Probe(DOMAIN)
    told = symbed.compare(symbed.observe(family, probe), symbed.observe("0", probe))
    assert told.reason == "peaks" or told.interval[1] > 0.0014


def test_rtol_goes_on_until_the_interval_is_close() -> None:
    probe = symbed.Probe(DOMAIN, (1, 5))
    told = compare("x", "x + sin(50*x)", probe, rtol=0.02)
    low, high = told.interval
    assert told.resolved
    assert not told.gave_up
    assert (high - low) / 2 <= 0.02 * told.distance
    assert told.n_points > 64


@pytest.mark.parametrize("e", ["max(0, x - 4.9999)*1e4", "gamma(x - 4)", "tan(x)", "1/(x - 3)^2"])
def test_rtol_never_calls_a_hidden_peak_resolved(e: str) -> None:
    told = compare(e, "0", symbed.Probe(DOMAIN), rtol=0.02)
    assert told.gave_up
    assert told.reason == "peaks"


def test_rtol_takes_more_draws_of_a_family_with_one() -> None:
    data = symbed.Probe.at(np.linspace(1, 5, 16), "x", parameters=(1, 5), n_draws=1)
    told = compare("a*x", "(6 - a)*x", data, rtol=0.05)
    assert told.n_draws[0] > 1


def test_rtol_says_that_it_gave_up() -> None:
    told = compare("a*b", "-a*b", symbed.Probe(SYMMETRIC, (-1, 1)), rtol=0.01)
    assert told.gave_up
    assert "gave up" in repr(told)


def test_rtol_needs_what_can_be_observed_again() -> None:
    given = symbed.Behavior.from_samples(np.random.default_rng(0).random((3, 16)), np.arange(3))
    with pytest.raises(DataError, match="samples"):
        symbed.compare(
            given, symbed.Behavior.from_samples(np.ones((3, 16)), np.arange(3)), rtol=0.1
        )
    with pytest.raises(RangeError, match="rtol"):
        compare("x", "x^2", symbed.Probe(DOMAIN), rtol=-1)


def test_the_command_tells_what_is_not_resolved(capsys: pytest.CaptureFixture[str]) -> None:
    words = ["distance", "a*b", "-a*b", "--domain", "x=-1:1", "--parameters=-1:1"]
    assert main(words) == 0
    assert "unresolved: draws not aligned; more draws (--draws)" in capsys.readouterr().out
    assert main([*words, "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert (told["resolved"], told["reason"]) == (False, "draws not aligned")
    assert main([*words, "--rtol", "0.01"]) == 0
    assert "gave up at" in capsys.readouterr().out


def test_given_points_are_no_obstacle_to_needles_between_draws() -> None:
    data = symbed.Probe.at({"x": np.linspace(1, 2, 20)}, ["x"], parameters=(0, 3), seed=1)
    found = compare("x*exp(-1e8*(a - 1.5)^2)", "0*x", data)
    truth = 1.5 * math.sqrt(math.pi / 1e8) / 3
    assert found.distance < 0.1 * truth < found.interval[1]
    assert found.reason == "heavy tails"


@pytest.mark.parametrize("e", ["x^x^x^x", "exp(exp(exp(x)))", "1e308*a*(x - 3)", "sinh(300*x)"])
def test_inner_arguments_near_the_largest_float_warn_of_nothing(e: str) -> None:
    # Warnings are errors here. Products of slopes overflowed, and NumPy said so to the user.
    assert compare(e, "x", symbed.Probe(DOMAIN, (1.0, 5.0))).interval[1] == math.inf

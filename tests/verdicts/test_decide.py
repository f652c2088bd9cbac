"""Verdicts on pairs of formulas: right, with witnesses that hold, and honest about what is not known."""

from __future__ import annotations

import itertools
import json
import math
from fractions import Fraction
from pathlib import Path
from types import SimpleNamespace

import mpmath
import pytest

import benchmarks
from benchmarks import high_precision
from benchmarks.decide import read_cases
from benchmarks.function_pairs import ALMOST, DIFFERENT, EQUAL, Pair
from symbed.errors import LimitError, MissingRange, MissingVariable, RangeError
from symbed.language.parser import parse
from symbed.verdicts import _budgets as budgets
from symbed.verdicts.functions.decision import decide
from symbed.verdicts.functions.verdict import Verdict

X = {"x": (-5, 5)}
HELD_OUT = [
    pair
    for pair in read_cases(Path(benchmarks.__file__).with_name("held_out_cases.json"))
    if pair.label == "different"
]


@pytest.mark.parametrize("pair", EQUAL, ids=lambda pair: f"{pair.e} = {pair.f}")
def test_equal_pairs_are_equal(pair: Pair) -> None:
    verdict = decide(pair.e, pair.f, pair.domain)
    assert (verdict.verdict, verdict.exceptions) == ("equal", ())


@pytest.mark.parametrize("pair", ALMOST, ids=lambda pair: f"{pair.e} ~ {pair.f}")
def test_pairs_equal_but_for_a_null_set_are_equal_with_exceptions(pair: Pair) -> None:
    verdict = decide(pair.e, pair.f, pair.domain)
    assert verdict.verdict == "equal"
    assert verdict.exceptions


@pytest.mark.parametrize("pair", DIFFERENT + HELD_OUT, ids=lambda pair: f"{pair.e} != {pair.f}")
def test_different_pairs_have_a_witness_that_mpmath_confirms(pair: Pair) -> None:
    verdict = decide(pair.e, pair.f, pair.domain)
    assert (verdict.verdict, verdict.grade) == ("different", "witnessed")
    assert verdict.witness is not None
    for name, (low, high) in pair.domain.items():
        assert Fraction(repr(low)) <= verdict.witness[name] <= Fraction(repr(high))
    if "1/(sin(x)^2" in pair.e or "ln(1 - sin(x)^2" in pair.e:
        assert verdict.reason == "only_f_defined"  # a zero that no number of digits shows
        return
    values = [
        high_precision.evaluate(parse(text, tuple(pair.domain)), verdict.witness, 400)
        for text in (pair.e, pair.f)
    ]
    if verdict.reason == "values":
        with mpmath.workdps(200):
            difference = abs(values[0] - values[1])
            assert difference > mpmath.mpf(10) ** -195 * max(abs(values[0]), abs(values[1]))
    else:
        assert (values[0] is None) == (verdict.reason == "only_f_defined")
        assert (values[1] is None) == (verdict.reason == "only_e_defined")


def test_most_equal_pairs_of_one_variable_are_bounded() -> None:
    pairs = [pair for pair in EQUAL + ALMOST if len(pair.domain) == 1]
    grades = [decide(pair.e, pair.f, pair.domain).grade for pair in pairs]
    assert grades.count("bounded") >= 0.85 * len(pairs)


def test_the_order_of_the_formulas_mirrors_the_reason() -> None:
    assert decide("sqrt(x)", "x", X).reason == "only_f_defined"
    assert decide("x", "sqrt(x)", X).reason == "only_e_defined"


def test_a_witness_is_exact_and_has_two_enclosures() -> None:
    verdict = decide("ln(x^2)", "3*ln(x)", {"x": (1.5, 5)})
    assert verdict.witness == {"x": Fraction(2)}
    assert verdict.values is not None
    assert all("+/-" in value for value in verdict.values)


def test_an_irrational_exception_is_given_by_its_digits() -> None:
    (exception,) = decide("(x^2 - 2)/(x - sqrt(2))", "x + sqrt(2)", X).exceptions
    assert not exception.exact
    assert exception.point["x"].startswith("1.414213562373095")
    assert exception.reason == "only_f_defined"


@pytest.mark.parametrize(
    ("e", "f", "where"),
    [
        ("floor(sin(x))", "ceil(sin(x)) - 1", {"-3/2*pi", "-pi", "-1/2*pi", "0", "1/2*pi", "pi", "3/2*pi"}),
        ("sign(cos(x) - 1)", "-1", {"0"}),
        ("floor(sin(x)^2)", "0", {"-3/2*pi", "-1/2*pi", "1/2*pi", "3/2*pi"}),
        ("sin(x)/sin(x)", "1", {"-pi", "0", "pi"}),
        ("tan(x)*cos(x)", "sin(x)", {"-3/2*pi", "-1/2*pi", "1/2*pi", "3/2*pi"}),
    ],
)  # fmt: skip
def test_exceptions_at_multiples_of_pi_are_exact_also_where_a_function_only_touches(
    e: str, f: str, where: set[str]
) -> None:
    verdict = decide(e, f, X)
    assert verdict.verdict == "equal"
    assert {exception.point["x"] for exception in verdict.exceptions} == where
    assert all(exception.exact for exception in verdict.exceptions)


@pytest.mark.parametrize(
    ("e", "f", "where"),
    [
        ("floor(x^2)", "ceil(x^2) - 1", ["1.414", "1.732"]),
        ("cond(x^2 - 2, 1)", "heaviside(x^2 - 2)", ["1.414"]),
        ("sign(x^2 - 2)", "2*heaviside(x^2 - 2) - 1", []),  # both are 0 there
    ],
)
def test_a_jump_at_an_irrational_place_is_given_by_its_digits(
    e: str, f: str, where: list[str]
) -> None:
    verdict = decide(e, f, {"x": (0, 2)})
    digits = [x.point["x"][:5] for x in verdict.exceptions if not x.exact]
    assert (verdict.verdict, digits) == ("equal", where)


def test_gamma_has_no_poles_at_positive_whole_numbers() -> None:
    verdict = decide("gamma(x^2 + 1)", "x^2*gamma(x^2)", {"x": (1.1, 1.9)})
    assert verdict.verdict == "equal"
    assert not verdict.exceptions


@pytest.mark.parametrize(
    ("e", "f"),
    [("gamma(3 - x^2)", "(2 - x^2)*gamma(2 - x^2)"), ("1", "gamma(-x^2)/gamma(-x^2)")],
)
def test_gamma_has_its_poles_at_zero_and_at_negative_whole_numbers(e: str, f: str) -> None:
    verdict = decide(e, f, {"x": (1.1, 1.6)})
    (exception,) = verdict.exceptions
    assert exception.point["x"].startswith("1.41421356")
    assert exception.reason == "only_e_defined"


def test_a_bound_by_taylor_models_is_small_and_says_what_it_leaves_open() -> None:
    verdict = decide("2*atan(exp(x)) - pi/2", "asin(tanh(x))", {"x": (-3, 3)})
    assert verdict.grade == "bounded"
    assert verdict.bound is not None
    assert 0 < verdict.bound <= 1e-29
    assert verdict.uncovered is not None
    assert verdict.uncovered <= 1e-3


def test_without_a_bound_the_grade_is_sampled() -> None:
    assert decide("cos(x)", "sin(x + pi/2)", X, bound=False).grade == "sampled"


def test_hidden_zeros_that_algebra_does_not_see_stay_undecided() -> None:
    verdict = decide("1/(cbrt(2 + sqrt(5)) + cbrt(2 - sqrt(5)) - 1)", "x", X)
    assert (verdict.verdict, verdict.grade) == ("undecided", "")
    assert "'/'" in verdict.note


def test_towers_of_exponentials_are_not_called_equal() -> None:
    tower = "exp(" * 40 + "x" + ")" * 40
    assert decide(tower, "x", X).verdict == "undecided"
    assert decide("9^9^9^9^9*x", "x", X).verdict == "undecided"


def test_formulas_undefined_everywhere_are_equal_with_coverage_zero() -> None:
    verdict = decide("sqrt(-1 - x^2)", "ln(-1 - x^2)", X)
    assert (verdict.verdict, verdict.coverage) == ("equal", 0.0)
    assert "neither formula is defined" in str(verdict)


def test_a_domain_may_be_one_point() -> None:
    assert decide("x^2", "2*x", {"x": (2, 2)}).verdict == "equal"
    assert decide("x^2", "2*x", {"x": (3, 3)}).witness == {"x": Fraction(3)}
    assert decide("x*y", "3*y", {"x": (3, 3), "y": (0, 1)}).verdict == "equal"


def test_a_domain_may_have_infinite_ends() -> None:
    everywhere = {"x": (-math.inf, math.inf)}
    assert decide("cosh(x)^2 - sinh(x)^2", "1", everywhere).verdict == "equal"
    assert decide("abs(x)", "x", {"x": (0, math.inf)}).verdict == "equal"
    assert decide("abs(x)", "x", {"x": (-math.inf, 0)}).verdict == "different"


def test_free_parameters_point_to_relate() -> None:
    with pytest.raises(RangeError, match=r"'a'.*relate"):
        decide("a*x", "x", X)
    with pytest.raises(RangeError, match=r"'C'.*relate"):
        decide("C*x", "x", X)


def test_a_name_that_looks_like_a_variable_is_not_taken_for_a_parameter() -> None:
    with pytest.raises(MissingVariable, match=r"'y'.*domain"):
        decide("x + y", "x", X)
    with pytest.raises(MissingVariable, match="did you mean 'speed'"):
        decide("sped", "speed", {"speed": (0, 1)})
    with pytest.raises(MissingVariable, match="did you mean 'T1'"):
        decide("t1", "T1", {"T1": (0, 1)})


@pytest.mark.parametrize(
    ("e", "f", "domain"),
    [
        ("max(0, x - 1e12)", "0", {"x": (-math.inf, math.inf)}),
        ("max(0, 1 - abs(x - 1e12))", "0", {"x": (0, math.inf)}),
        ("max(0, -x - 1e15)", "0", {"x": (-math.inf, 0)}),
        ("x + 0*sqrt(1e20 - x)", "x", {"x": (0, math.inf)}),
        ("floor(x/1e15)", "0", {"x": (0, math.inf)}),
        ("max(0, x + y - 1e12)", "0", {"x": (0, math.inf), "y": (0, math.inf)}),
    ],
)
def test_what_differs_far_out_on_an_infinite_domain_is_different(
    e: str, f: str, domain: dict[str, tuple[float, float]]
) -> None:
    assert decide(e, f, domain).verdict == "different"


def test_a_step_of_the_error_function_is_met() -> None:
    assert decide("erf(1e12*(x - 1.2345678))", "-1", {"x": (0, 1.23456781)}).verdict == "different"


@pytest.mark.parametrize(
    ("e", "f", "domain"),
    [
        ("tanh(1e4*x)", "1", {"x": (1, 5)}),
        ("tanh(1e5*x)", "sign(x)", {"x": (1, 5)}),
        ("1/(1 + exp(1e4*(x - 4.999)))", "1", {"x": (-5, 4)}),
        ("erf(100*x)", "1", {"x": (1, 5)}),
    ],
)
def test_what_differs_beyond_all_digits_tried_has_another_slope(
    e: str, f: str, domain: dict[str, tuple[float, float]]
) -> None:
    verdict = decide(e, f, domain)
    assert (verdict.verdict, verdict.reason) == ("different", "values")


def test_a_bound_below_the_smallest_float_is_no_identity() -> None:
    verdict = decide("erf(1e9*(x - 4.99999))", "-1", {"x": (0, 4.9)})
    assert verdict.bound is None or verdict.bound > 0
    assert "identical" not in str(verdict)


@pytest.mark.parametrize("ends", [(5, 1), (1,), "ab", (math.nan, 1), (math.inf, 1), (0, True)])
def test_a_range_that_cannot_be_is_an_error(ends: object) -> None:
    with pytest.raises(RangeError, match="domain of 'x'"):
        decide("x", "x", {"x": ends})


def test_an_empty_domain_is_an_error() -> None:
    with pytest.raises(MissingRange, match="empty"):
        decide("1", "1", {})
    with pytest.raises(RangeError, match="seconds"):
        decide("x", "x", X, seconds=0)
    with pytest.raises(LimitError):
        decide("(" * 400 + "x" + ")" * 400, "x", X)


def test_little_time_still_gives_a_verdict() -> None:
    verdict = decide("sin(x)^2 + cos(x)^2", "1", X, seconds=1e-9)
    assert verdict.verdict == "undecided"
    assert "time" in verdict.note


def test_the_work_that_seconds_allow_ends_the_search_whatever_the_clock_says(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    sides = "sin(x + y + z)", "sin(x)*cos(y + z) + cos(x)*sin(y + z)"
    box = {"x": (-5, 5), "y": (-5, 5), "z": (-5, 5)}
    verdicts = []
    for tick in (0.0, 1e-6):  # a machine that takes no time, and a busy one
        clock = itertools.count()
        now = SimpleNamespace(monotonic=lambda: next(clock) * tick)  # noqa: B023
        monkeypatch.setattr(budgets, "time", now)
        verdicts.append(decide(*sides, box, seconds=0.01))
    assert verdicts[0] == verdicts[1]
    assert verdicts[0].verdict == "equal"
    assert (
        verdicts[0].note == "the work that seconds allows was done before every place was looked at"
    )
    whole = decide(*sides, box)
    assert (whole.verdict, whole.note) == ("equal", "")
    assert whole.n_points > verdicts[0].n_points


def test_the_clock_is_the_limit_of_a_search_on_a_machine_that_stands_still(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    clock = itertools.count()
    monkeypatch.setattr(budgets, "time", SimpleNamespace(monotonic=lambda: float(next(clock))))
    verdict = decide("sin(x)^2 + cos(x)^2", "1", X, seconds=5)
    assert verdict.note.startswith("time was up")


def test_the_same_question_has_the_same_answer() -> None:
    for pair in EQUAL[:5] + DIFFERENT[:5] + ALMOST[:5]:
        assert decide(*pair[:3]) == decide(*pair[:3])


def test_a_verdict_survives_json() -> None:
    for pair in (EQUAL[0], DIFFERENT[0], ALMOST[3]):
        verdict = decide(*pair[:3])
        assert Verdict.from_dict(json.loads(json.dumps(verdict.to_dict()))) == verdict


def test_a_verdict_reads_as_a_sentence() -> None:
    assert str(decide("sqrt(x^2)", "x", X)) == (
        "different on x in (-5, 5): at x = -1 E is 1, F is -1"
    )
    assert str(decide("x/x", "1", {"x": (-1, 1)})).endswith("they differ at isolated points: x = 0")


@pytest.mark.parametrize(
    ("e", "f", "domain"),
    [
        ("atan(x) + atan(y)", "atan((x + y)/(1 - x*y))", {"x": (0, 0.4), "y": (0, 0.4)}),
        ("pdiv(x, y)", "x/y", {"x": (1, 2), "y": (1, 2)}),
    ],
)
def test_equal_pairs_of_two_variables_can_be_bounded_without_algebra(
    e: str, f: str, domain: dict[str, tuple[float, float]]
) -> None:
    verdict = decide(e, f, domain)
    assert (verdict.verdict, verdict.grade) == ("equal", "bounded")
    assert verdict.bound is not None
    assert 0.0 < verdict.bound <= 1e-9


def test_what_differs_on_the_zeros_of_a_polynomial_only_is_bounded() -> None:
    verdict = decide("(x^2 - y^2)/(x + y)", "x - y", {"x": (-2, 2), "y": (-2, 2)})
    assert (verdict.grade, verdict.bound, verdict.uncovered) == ("bounded", 0.0, 0.0)
    assert verdict.exceptions


@pytest.mark.parametrize(
    ("e", "f", "difference"),
    [
        ("x", "x + 1e-40", "1.0e-40"),
        ("x", "x*(1 + 1e-300)", "2.7e-300"),
        ("sin(x)", "sin(x + 1e-25)", "8.8e-26"),
        ("tanh(1e5*x)", "1", "2.5e-86859"),
    ],
)
def test_a_difference_that_the_digits_shown_do_not_tell_is_told(
    e: str, f: str, difference: str
) -> None:
    assert decide(e, f, {"x": (1, 5)}).note == f"they differ by {difference} there"
    assert not decide(e, f"{f} + 1", {"x": (1, 5)}).note

"""Operators on exact numbers, balls, series and floats: complete, sound, and real-valued."""

from __future__ import annotations

import math
from fractions import Fraction

import mpmath
import numpy as np
import pytest
from flint import arb, fmpq

from benchmarks import high_precision
from symbed.errors import MissingVariable, RangeError
from symbed.language.operators import TABLE
from symbed.language.parser import parse
from symbed.verdicts.arithmetic.ball_operations import BALL_OPERATIONS
from symbed.verdicts.arithmetic.ball_programs import BallProgram, evaluate
from symbed.verdicts.arithmetic.enclosures import defined_ranges, enclosure
from symbed.verdicts.arithmetic.power_series import SERIES_OPERATIONS, line, trace_series
from symbed.verdicts.arithmetic.values import (
    UNDEFINED,
    UNKNOWN,
    as_ball,
    is_defined,
    working_precision,
)
from symbed.verdicts.functions._switches import FLOAT_OPERATIONS, scan

POINTS = [Fraction(n, 7) for n in (-20, -9, -7, -3, -1, 0, 1, 3, 7, 9, 20)]
CALLS = [
    (row.name, {0: row.name, 1: f"{row.name}(x)", 2: f"{row.name}(x, y)"}[row.arity])
    for row in TABLE
    if row.form in ("call", "constant")
] + [(row.name, f"x {row.name} y") for row in TABLE if row.precedence == 0] + [("//", "x//y"), ("+", "x + y"), ("-", "x - y"), ("*", "x*y"), ("/", "x/y"), ("^", "x^y"), ("neg", "-x"),
     ("^2", "x^2"), ("^3", "x^3"), ("^4", "x^4"), ("^5", "x^5"), ("^-1", "x^-1")]  # fmt: skip


WITHOUT_DEFINITION = [row for row in TABLE if not row.definition]


def test_every_operator_has_its_ball_version_or_a_definition_by_others() -> None:
    assert set(BALL_OPERATIONS) == {row.name for row in WITHOUT_DEFINITION}


def test_every_operator_has_its_series_and_its_float_version() -> None:
    assert set(SERIES_OPERATIONS) == {row.name for row in WITHOUT_DEFINITION if row.arity}
    assert set(FLOAT_OPERATIONS) == {row.name for row in WITHOUT_DEFINITION}


def test_an_operator_without_a_ball_version_is_named() -> None:
    program = BallProgram.of([parse("floor(sin(x))")])
    assert program.missing == ()
    taken = BALL_OPERATIONS.pop("floor")
    try:
        assert BallProgram.of([parse("floor(sin(x))")]).missing == ("floor",)
    finally:
        BALL_OPERATIONS["floor"] = taken


def test_the_calls_of_this_file_are_all_operators() -> None:
    assert {name for name, _ in CALLS} == {row.name for row in TABLE}


@pytest.mark.parametrize(("name", "text"), CALLS)
def test_a_ball_holds_what_mpmath_computes(name: str, text: str) -> None:
    expression = parse(text)
    told = 0
    for x in POINTS:
        for y in POINTS:
            value = evaluate(expression, {"x": x, "y": y}, 256)
            try:
                truth = high_precision.evaluate(expression, {"x": x, "y": y}, 60)
            except high_precision.Unclear:
                continue
            assert value is not UNKNOWN
            if truth is None:
                assert value is UNDEFINED
                continue
            with working_precision(256):
                ball = as_ball(value)
                assert abs(ball - arb(mpmath.nstr(truth, 60))) < 1e-50 * (1 + abs(ball))
            told += 1
    assert told


@pytest.mark.parametrize(("name", "text"), CALLS)
def test_an_enclosure_over_a_range_holds_the_values_at_its_points(name: str, text: str) -> None:
    program = BallProgram.of([parse(text)])
    for middle in (Fraction(-3, 2), Fraction(1, 5), Fraction(3, 4), Fraction(5, 2)):
        wide = {n: arb(fmpq(middle.numerator, middle.denominator), 0.25) for n in ("x", "y")}
        hull = program.evaluate(wide, 128)[0]
        for step in (Fraction(-1, 4), Fraction(-1, 9), Fraction(0), Fraction(1, 5)):
            value = program.evaluate({"x": middle + step, "y": middle + step}, 128)[0]
            if hull is UNDEFINED:
                assert value is UNDEFINED
            elif hull is not UNKNOWN:
                assert is_defined(value)
                assert as_ball(hull).overlaps(as_ball(value))


@pytest.mark.parametrize(("name", "text"), [call for call in CALLS if "x" in call[1]])
def test_a_series_has_the_value_and_the_slope_of_the_symbolic_derivative(
    name: str, text: str
) -> None:
    expression = parse(text)
    program = BallProgram.of([expression])
    slopes = BallProgram.of([expression, expression.derivative("x")])
    for x in (Fraction(-3, 7), Fraction(3, 7), Fraction(9, 7)):
        y = fmpq(5, 3)
        with working_precision(200, 2):
            start = fmpq(x.numerator, x.denominator)
            grown = trace_series(program, {"x": line(start, 1), "y": y})[program.roots[0]]
        value, slope = slopes.evaluate({"x": x, "y": y}, 200)
        if not is_defined(grown):
            continue
        series = [grown[0], grown[1]] if hasattr(grown, "coeffs") else [as_ball(grown), arb(0)]
        assert as_ball(value).overlaps(series[0])
        assert as_ball(slope).overlaps(series[1])


@pytest.mark.parametrize(("name", "text"), CALLS)
def test_floats_are_close_to_balls(name: str, text: str) -> None:
    program = BallProgram.of([parse(text)])
    for x in POINTS:
        value = program.evaluate({"x": x, "y": Fraction(5, 3)}, 128)[0]
        scanned = scan(program, {"x": np.float64(x), "y": np.float64(5 / 3)})[program.roots[0]]
        if is_defined(value) and np.isfinite(scanned):
            assert float(as_ball(value)) == pytest.approx(float(scanned), rel=1e-9, abs=1e-9)


@pytest.mark.parametrize(
    ("text", "end"),
    [
        *((f"{name}(a)", end) for name in ("exp", "cosh", "sinh") for end in (709.5, 709.78, 3.0)),
        *((f"{name}(a)", -709.5) for name in ("exp", "cosh", "sinh")),
        *(("cbrt(a)", end) for end in (1e300, -1e300, 1e-300, 2.0)),
    ],
)
def test_an_interval_of_one_float_holds_what_mpmath_computes(text: str, end: float) -> None:
    bounds = enclosure(parse(text).postfix, {"a": (end, end)})
    assert bounds is not None
    name = text[:-3]
    with mpmath.workdps(60):
        exact = mpmath.mpf(end)
        value = (
            mpmath.sign(exact) * mpmath.cbrt(abs(exact))
            if name == "cbrt"
            else getattr(mpmath, name)(exact)
        )
        assert bounds[0] <= value <= bounds[1]


def test_a_value_beyond_the_floats_is_above_the_lower_end() -> None:
    for name in ("exp", "cosh", "sinh"):
        low, high = enclosure(parse(f"{name}(a)").postfix, {"a": (720.0, 720.0)}) or (0.0, 0.0)
        assert 1e308 < low < high == np.inf


@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_a_product_too_small_for_floats_is_not_zero(sign: float) -> None:
    ranges = {"a": (1e-200, 1e-200), "b": (sign * 1e-200, sign * 1e-200)}
    low, high = sorted(sign * end for end in enclosure(parse("a*b").postfix, ranges) or ())
    assert low == 0.0 < high < 1e-300


def test_a_whole_exponent_at_an_end_has_powers_of_negative_numbers() -> None:
    bounds = enclosure(parse("a^b").postfix, {"a": (-3.0, -1.0), "b": (2.0, 2.3)})
    assert bounds is not None
    assert bounds[0] <= 1.0 < 9.0 <= bounds[1]
    assert enclosure(parse("a^b").postfix, {"a": (-3.0, -1.0), "b": (2.1, 2.3)}) is None


def test_a_literal_is_its_shortest_decimal() -> None:
    assert evaluate(parse("0.1*x + 0.2*x"), {"x": 3}) == fmpq(9, 10)


def test_hidden_zeros_of_multiples_of_pi_are_seen() -> None:
    assert evaluate(parse("sin(pi*x)"), {"x": 7}) == 0
    assert evaluate(parse("tan(pi/2*x)"), {"x": 1}) is UNDEFINED
    assert evaluate(parse("cos(pi/3) - 1/2"), {}) == 0


def test_a_number_just_beyond_the_domain_is_undefined_at_any_precision() -> None:
    beyond = 1 + Fraction(1, 2**200)
    assert evaluate(parse("asin(x)"), {"x": beyond}, 64) is UNDEFINED
    assert is_defined(evaluate(parse("asin(x)"), {"x": 2 - beyond}, 64))


def test_what_cannot_be_told_is_unknown() -> None:
    assert evaluate(parse("sqrt(sin(x)^2 + cos(x)^2 - 1)"), {"x": 1}) is UNKNOWN


def test_an_operand_that_is_not_chosen_may_be_undefined() -> None:
    assert evaluate(parse("cond(x, 1/x)"), {"x": 0}) == 0
    assert evaluate(parse("pdiv(ln(x), x)"), {"x": 0}) is UNDEFINED
    assert evaluate(parse("0*ln(x)"), {"x": 0}) is UNDEFINED


def test_huge_rationals_become_balls() -> None:
    value = evaluate(parse("x^1000000"), {"x": Fraction(3, 2)})
    assert not isinstance(value, fmpq)
    assert is_defined(value)


def test_a_name_without_a_value_is_an_error() -> None:
    with pytest.raises(MissingVariable, match="'y'"):
        evaluate(parse("x + y"), {"x": 1})


def test_anonymous_parameters_have_no_values() -> None:
    with pytest.raises(RangeError, match="'C'"):
        BallProgram.of([parse("C*x")])


def test_a_logarithm_that_may_not_be_looked_at_restricts_no_parameter() -> None:
    ranges = {"a": (-math.inf, math.inf), "b": (-math.inf, math.inf)}
    plain = parse("ln(b) + a*x", variables=("x",)).postfix
    lazy = parse("cond(a, ln(b)) + b*x", variables=("x",)).postfix
    assert defined_ranges(plain, ranges)["b"] == (0.0, math.inf)
    assert defined_ranges(lazy, ranges) == ranges

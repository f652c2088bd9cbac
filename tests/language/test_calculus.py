"""Derivatives, against central differences and by hand."""

import math

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from symbed.errors import RangeError
from symbed.language.expression import Expression
from symbed.language.operators import TABLE
from symbed.language.parser import parse
from symbed.language.printers import text
from tests.language.trees import evaluate, expressions

POINTS = {"x": 0.37, "y": 0.58}
STEP = 1e-5


def slope(
    expression: Expression, name: str, values: dict[str, float], width: float = STEP
) -> float:
    """The central difference, extrapolated once."""

    def difference(step):
        above = evaluate(expression, values | {name: values[name] + step})
        below = evaluate(expression, values | {name: values[name] - step})
        return (above - below) / (2 * step)

    return (4 * difference(width) - difference(2 * width)) / 3


@pytest.mark.parametrize("row", [row for row in TABLE if row.arity], ids=lambda row: row.name)
def test_each_operator_has_the_derivative_that_differences_show(row):
    # Operands that are no plain names, so that the chain rule takes part.
    shift = 1.0 if row.name == "acosh" else 0.0
    operands = (parse(f"x*0.9 + x^2/3 + {shift}").postfix, parse("y + x*y/2").postfix)[: row.arity]
    if row.name == "polygamma":  # its order is a whole number
        operands = ((2.0,), operands[1])
    expression = Expression((*(item for operand in operands for item in operand), row))
    for name in ("x", "y")[: row.arity]:
        found = evaluate(expression.derivative(name), POINTS)
        assert found == pytest.approx(slope(expression, name, POINTS), rel=1e-7, abs=1e-9)


@pytest.mark.parametrize("signs", [(1, 1), (-1, 1), (1, -1), (-1, -1)])
@pytest.mark.parametrize("name", ["abs", "sign", "min", "max", "cbrt", "^-1", "^3", "tanh"])
def test_derivatives_hold_on_both_sides_of_zero(name, signs):
    row = next(row for row in TABLE if row.name == name)
    expression = Expression((*("x", "y")[: row.arity], row))
    values = {"x": 0.37 * signs[0], "y": 0.58 * signs[1]}
    found = evaluate(expression.derivative("x"), values)
    assert found == pytest.approx(slope(expression, "x", values), rel=1e-7, abs=1e-9)


@pytest.mark.parametrize(
    ("of", "result"),
    [
        ("7", "0"),
        ("y", "0"),
        ("x", "1"),
        ("3*x", "3"),
        ("x*3", "3"),
        ("x + y", "1"),
        ("y - x", "-1"),
        ("-x", "-1"),
        ("x^2", "2*x"),
        ("x^2.5", "2.5*x^1.5"),
        ("x^3.0", "3*x^2"),
        ("x^6", "6*x^5"),
        ("a*x + b", "a"),
        ("a*x^2 + b*x", "a*(2*x) + b"),
        ("sin(x)", "cos(x)"),
        ("sin(y)", "0"),
        ("cos(x)", "-sin(x)"),
        ("x - cos(x)", "1 + sin(x)"),
        ("exp(2*x)", "exp(2*x)*2"),
        ("ln(x)", "1/x"),
        ("sqrt(x)", "1/(2*sqrt(x))"),
        ("x/y", "1/y"),
        ("y/x", "-(y/x)/x"),
        ("x*x", "x + x"),
        ("2^x", "2^x*ln(2)"),
        ("sin(x) - x", "cos(x) - 1"),
        ("x^y", "y*x^(y - 1)"),
        ("pi*x", "pi"),
        ("sign(x)", "0"),
        ("x^1", "1"),
        ("x^0", "0"),
        ("min(0, x)", "(1 + sign(-x))/2"),
        ("min(x, 0)", "(1 - sign(x))/2"),
        ("1e999*x - 1e999*x", "1e999 - 1e999"),
        ("x*-2 + x*x*0", "-2"),
        ("-sin(-x)", "cos(-x)"),
        ("sin(x)*sign(x)", "sign(x)*cos(x)"),
    ],
)
def test_results_are_readable(of, result):
    assert text(parse(of).derivative("x")) == result


def test_any_name_can_be_the_variable():
    assert text(parse("a*x^2").derivative("a")) == "x^2"
    assert text(parse("e*x", variables=["e"]).derivative("e")) == "x"
    assert parse("a*x").derivative("b").postfix == (0.0,)


def test_declared_variables_stay_declared():
    assert parse("a*x^2", variables=["a"]).derivative("x").variables == ("a",)


def test_the_anonymous_parameter_is_no_variable_unless_there_is_one():
    assert text(parse("C*x").derivative("C")) == "x"
    with pytest.raises(RangeError, match="name the one to differentiate by, such as C_0"):
        parse("C*x + C").derivative("C")


@given(expressions, st.floats(0.1, 2), st.floats(0.1, 2))
@example(parse("mod(x, y)"), 1.0, 0.125)
@example(parse("(x != y)^-1"), 1.0, 1.0)
@settings(max_examples=200, deadline=None)
def test_derivatives_of_random_trees_agree_with_differences(expression, x, y):
    values = dict.fromkeys(expression.names, 0.7) | {"x": x, "y": y}
    try:
        expected = [slope(expression, "x", values | {"x": x * (1 + d)}) for d in (-1e-6, 0, 1e-6)]
        # Across a jump, as of mod, the slope grows as the step shrinks.
        expected.append(slope(expression, "x", values, STEP / 2))
        found = evaluate(expression.derivative("x"), values)
        value = evaluate(expression, values)  # a jump may have slopes beside it and no value
    except (ArithmeticError, ValueError):
        return
    if any(isinstance(item, float) and abs(item) > 1e5 for item in expression.postfix):
        return  # the step drowns in it
    spread = max(expected) - min(expected)
    smooth = spread <= 1e-4 * abs(expected[1]) and abs(expected[1]) < 1e4
    if not smooth or not math.isfinite(found) or abs(value) > 1e4:
        return  # a kink, a jump, a pole, or a value in which the difference drowns
    assert found == pytest.approx(expected[1], rel=1e-3, abs=1e-4)


@pytest.mark.no_cover
def test_a_long_sum_is_differentiated_quickly():
    found = parse("+".join(f"{i}*x^2" for i in range(1, 8_001))).derivative("x")
    assert found.size == 5 * 7_999 + 3 + 7_999

"""Choices, comparisons, rounding and angles of other tools mean the same as there."""

from __future__ import annotations

import numpy as np
import pytest

from symbed.engine.reference.elementary.functions import FUNCTIONS
from symbed.errors import LimitError, ParseError, SymbedError
from symbed.language.expression import Item, fold
from symbed.language.operators import Operator
from symbed.language.parser import parse

GRID = np.array([-3.5, -2.5, -1.0, -0.5, -0.3, 0.0, 0.49999999999999994, 0.5, 1.5, 2.0, 2.5, 3.7])
X, Y = (table.ravel() for table in np.meshgrid(GRID, GRID))


def values(text: str, dialect: str) -> np.ndarray:
    """What our own functions give for a formula of a tool at all pairs of the grid."""
    known = {"x": X, "y": Y, "x0": X, "x1": Y}

    def leaf(item: Item) -> object:
        if isinstance(item, Operator):
            return {"pi": np.pi, "e": np.e}[item.name]
        return known[item] if isinstance(item, str) else item

    with np.errstate(all="ignore"):
        found = fold(
            parse(text, dialect=dialect).postfix,
            leaf,
            lambda row, below: FUNCTIONS[row.name](*below),
        )
    return np.broadcast_to(found, X.shape)


CHOICES = {
    ("sympy", "Piecewise((x, x > y), (y**2, True))"): np.where(X > Y, X, Y**2),
    ("sympy", "Piecewise((1, x < 0), (2, x <= 1), (3, True))"): np.select([X < 0, X <= 1], [1, 2], 3),
    ("sympy", "Piecewise((x, x > 0))"): np.where(X > 0, X, np.nan),
    ("sympy", "Piecewise((x, (x > 0) & (y < 1)), (0, True)) + 1"): np.where((X > 0) & (Y < 1), X, 0)
    + 1,
    ("sympy", "Piecewise((x, (x > 1) | (y > 1)), (y, True))"): np.where((X > 1) | (Y > 1), X, Y),
    ("sympy", "Piecewise((x, Eq(x, y)), (7, Ne(y, 2)), (8, True))"): np.select(
        [X == Y, Y != 2], [X, 7], 8
    ),
    ("sympy", "Piecewise((Piecewise((1, y > 0), (2, True)), x >= 0), (3, True))"): np.where(
        X >= 0, np.where(Y > 0, 1, 2), 3
    ),
    ("sympy", "Heaviside(x)"): np.heaviside(X, 0.5),
    ("sympy", "Mod(x, 2) + frac(y)"): np.mod(X, 2) + Y - np.floor(Y),
    ("python", "np.where(x > 0, y, 0.0)"): np.where(X > 0, Y, 0),
    ("python", "np.where(x != y, 1, x)"): np.where(X != Y, 1, X),
    ("python", "(x >= 1)*y + (x < 1)*2"): (X >= 1) * Y + (X < 1) * 2.0,
    ("python", "np.where((x > 0) | (y > 0), x, y)"): np.where((X > 0) | (Y > 0), X, Y),
    ("python", "x % 2 - y // 3"): X % 2 - Y // 3,
    ("python", "np.clip(x, -1, 1) + np.heaviside(y, 0.25)"): np.clip(X, -1, 1)
    + np.heaviside(Y, 0.25),
    ("python", "max(x, y, 1) - min(x, y, 1)"): np.maximum(np.maximum(X, Y), 1)
    - np.minimum(np.minimum(X, Y), 1),
    ("python", "np.round(x) + np.rint(y)"): np.round(X) + np.rint(Y),
    ("python", "np.trunc(x) + np.ceil(y)"): np.trunc(X) + np.ceil(Y),
    ("pysr", "round(x0)"): np.round(X),
    ("pysr", "(x0 > x1) * 2.0 + (x0 <= x1)"): np.where(X > Y, 2.0, 1.0),
    ("pysr", "greater_equal(x0, x1) - less_equal(x0, x1)"): 1.0 * (X >= Y) - (X <= Y),
    ("pysr", "clamp(x0, -1.0, 1.0) + muladd(x0, x1, 2.0)"): np.clip(X, -1, 1) + X * Y + 2,
    ("pysr", "trunc(x0) + hypot(x0, x1) + expm1(x1)"): np.trunc(X) + np.hypot(X, Y) + np.expm1(Y),
}  # fmt: skip


@pytest.mark.parametrize(("source", "expected"), CHOICES.items(), ids=lambda item: str(item)[:60])
def test_a_choice_gives_the_numbers_of_its_tool(source: tuple[str, str], expected) -> None:
    dialect, text = source
    np.testing.assert_allclose(values(text, dialect), expected, rtol=1e-13, atol=1e-13)


@pytest.mark.parametrize(
    ("dialect", "text"),
    [
        ("python", "np.arctan2(x, y)"),
        ("sympy", "atan2(x, y)"),
        ("sympy", "atan2(Symbol('x'), Symbol('y'))"),
        ("pysr", "atan2(x0, x1)"),
        ("latex", r"\operatorname{atan}_{2}{\left(x,y \right)}"),
    ],
)
def test_the_angle_of_a_point_is_that_of_arctan2(dialect: str, text: str) -> None:
    np.testing.assert_allclose(values(text, dialect), np.arctan2(X, Y), rtol=1e-15)


def test_a_branch_that_is_not_taken_may_be_undefined() -> None:
    found = values("Piecewise((log(x), x > 0), (x, True))", "sympy")
    with np.errstate(all="ignore"):
        np.testing.assert_allclose(found, np.where(X > 0, np.log(X), X), rtol=1e-13)


def test_srepr_and_text_of_a_choice_are_one_expression() -> None:
    text = "Piecewise((x, (y > 0) & (x < 1)), (2*x, True))"
    srepr = (
        "Piecewise(ExprCondPair(Symbol('x'), And(StrictGreaterThan(Symbol('y'), Integer(0)), "
        "StrictLessThan(Symbol('x'), Integer(1)))), "
        "ExprCondPair(Mul(Integer(2), Symbol('x')), true))"
    )
    assert parse(text, dialect="sympy") == parse(srepr, dialect="sympy")


def test_our_switch_comes_back_as_itself() -> None:
    for dialect in ("sympy", "python"):
        assert (
            str(parse(parse("cond(x0, x1)").to(dialect), ["x0", "x1"], dialect)) == "cond(x0, x1)"
        )


@pytest.mark.parametrize(
    ("dialect", "text", "message"),
    [
        (
            "python",
            "0 < x < 1",
            r"comparison of a comparison at column 7; write \(a < b\) & \(b < c\)",
        ),
        ("python", "np.where(x, 1, 2)", "must be a comparison; write x > 0"),
        ("python", "x if x > 0 else 0", r"'if' cannot be read at column 3; write np.where"),
        ("sympy", "Piecewise((x, True), (y, x > 0))", "after the one that is always taken"),
        ("sympy", "Piecewise((x, y))", "must be a comparison"),
        ("sympy", "Piecewise(x, y)", "Piecewise without a branch"),
        ("sympy", "Piecewise()", "Piecewise without a branch"),
        ("sympy", "I*x", "'I' is the imaginary unit at column 1; only real formulas are read"),
        ("sympy", "zeta(x)", "no operator for 'zeta' at column 1; .*symbed.Family"),
        ("pysr", "besselj(x0, 1.0)", "no operator for 'besselj'"),
        ("latex", r"\begin{cases} x & x > 0 \end{cases}", "SymPy's str or srepr"),
        ("latex", "y = a x", "give only the right-hand side"),
        ("latex", "x^-1", r"put it in braces: \{-1\}"),
        ("latex", r"\min{\left(x, y\right) + 1}", "'}' is missing behind the arguments"),
        ("dso", "add,pow2,x1", "'pow2' is the name of a function, but none that DSO has"),
    ],
)
def test_what_cannot_be_read_is_told_with_a_remedy(dialect: str, text: str, message: str) -> None:
    with pytest.raises(SymbedError, match=message):
        parse(text, dialect=dialect)


def test_a_variable_may_be_named_like_the_imaginary_unit() -> None:
    assert str(parse("I*R", ["I", "R"], "sympy")) == "I*R"


def test_nested_choices_are_limited() -> None:
    text = "np.where(" * 40 + "x" + " > 0, 1, 2)" * 40
    with pytest.raises((LimitError, ParseError)):
        parse(text, dialect="python")
    with pytest.raises(LimitError):
        parse("np.heaviside(" * 60 + "x" + ", 0.0)" * 60, dialect="python")


@pytest.mark.parametrize(
    ("dialect", "text", "meaning"),
    [
        ("srjl", "2.5f-3*x1", "2.5e-3*x0"),
        ("pysr", "pi*x0", "pi*x0"),
        ("srtree", "(t0 + ASin(Cosh(x0)))", "t0 + asin(cosh(x0))"),
        ("e2e", "id,x_0", "x0"),
        ("e2e", "add,mul,-,N2345,E-3,x_0,+,N5,E1", "-2.345*x0 + 50"),
        ("dso", "mul,pi,x1", "pi*x0"),
        ("python", "np.float64(2.5)*x", "2.5*x"),
        ("sympy", "Symbol('x', real=True)", "x"),
        ("sympy", "exp(-oo)*x", "exp(-1e999)*x"),
        ("sympy", "acot(x) + coth(y)", "atan(1/x) + coth(y)"),
    ],
)
def test_a_formula_means(dialect: str, text: str, meaning: str) -> None:
    assert parse(text, dialect=dialect).postfix == parse(meaning).postfix

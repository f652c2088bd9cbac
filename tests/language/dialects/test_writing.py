"""Writing in other tools' words: numbers of variables, detours, and what cannot be said."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from symbed.engine.reference.elementary.functions import FUNCTIONS
from symbed.errors import LimitError, RangeError, SymbedError
from symbed.language.dialects.tool_table import TOOLS
from symbed.language.expression import Expression, apply, fold
from symbed.language.operators import BY_NAME, TABLE
from symbed.language.parser import parse
from tests.language.trees import DEFINED_AT, evaluate

REASONS = ("no word for",)  # why a formula cannot be said in other words
WRITTEN_AND_READ = [n for n, tool in TOOLS.items() if tool.reads and tool.style is not None]


def require_reason(error: SymbedError) -> None:
    assert any(reason in str(error) for reason in REASONS)


@pytest.mark.parametrize(
    ("text", "dialect", "written"),
    [
        ("x0*x1^2", "srjl", "x1*x2^2"),
        ("X_0 - X_1", "operon", "X1 - X2"),
        ("x0 + sech(x1)", "pysr", "x0 + 1/cosh(x1)"),
        ("sqrt(abs(x0))*plog(x1)", "gplearn", "mul(sqrt(X0), log(X1))"),
        ("x0/sqrt(x1^2 + 1)", "operon", "aq(X1, X2)"),
        ("C*x0 + C", "srtree", "t0*x0 + t1"),
        ("a*x0 + a", "srtree", "t0*x0 + t0"),
        ("C*x0 + C", "sympy", "C_0*x0 + C_1"),
        ("C_0*x0 + C", "sympy", "C_0*x0 + C_1"),
        ("C*x0 + C", "python", "params[0]*x[:, 0] + params[1]"),
        ("C*x0^2", "dso", "mul,const,n2,x1"),
        ("exp(-x0)", "dso", "expneg,x1"),
        ("-x0^2", "excel", "=-(A1^2)"),
        ("x0^x1^2", "excel", "=A1^(B1^2)"),
        ("C*alpha/2", "latex", r"\frac{C \cdot \alpha}{2}"),
        ("C*x + C", "latex", r"C_{0} \cdot x + C_{1}"),
        ("a*x0 + C", "sympy", "a*x0 + C"),
        ("x - -2", "infix", "x - -2"),
        ("x + y", "tokens", "x + y"),
        ("ln(x0)", "srtoolkit", "ln(X_0)"),
        ("log10(x0)", "srtoolkit", "log(X_0)"),
        ("pi*x0", "pysr", "3.141592653589793*x0"),
        ("abs(x0)", "srtoolkit", "sqrt(X_0^2)"),
    ],
)
def test_an_expression_is_written(text: str, dialect: str, written: str) -> None:
    assert parse(text).to(dialect) == written


def test_columns_are_numbered_by_the_order_that_is_given() -> None:
    expression = parse("speed + mass", ["mass", "speed"])
    assert expression.to("operon", ["mass", "speed"]) == "X2 + X1"
    assert expression.to("excel", ["mass", "speed"]) == "=B1 + A1"
    assert expression.to("pysr") == "speed + mass"


@pytest.mark.parametrize(
    ("text", "dialect", "message"),
    [
        ("x0/x1", "gplearn", "no word for '/'; its div is protected"),
        ("ln(x0)", "gplearn", "no word for 'ln'; its log is protected"),
        ("sqrt(x0)", "gplearn", "no word for 'sqrt'; its sqrt is protected"),
        ("C*x0", "pysr", "PySR has no free parameters, got 'C'"),
        ("a*x0 + a", "dso", "one word for all parameters, but 'a' occurs twice"),
        ("x1 + X_1", "operon", "would both be 'X2'"),
        ("cond(x0, x1)", "dso", "no word for 'cond'"),
        ("x", "pyysr", "dialect must be one of infix, .*excel, got 'pyysr'"),
    ],
)
def test_what_cannot_be_said_is_an_error(text: str, dialect: str, message: str) -> None:
    with pytest.raises(RangeError, match=message):
        parse(text).to(dialect)


def test_a_formula_that_would_grow_without_end_is_refused() -> None:
    deep = parse("cbrt(" * 60 + "x0" + ")" * 60)
    with pytest.raises(LimitError):
        deep.to("excel")
    with pytest.raises(LimitError):
        deep.to("sympy")


@pytest.mark.parametrize("row", [row for row in TABLE if row.arity], ids=lambda row: row.name)
@pytest.mark.parametrize("dialect", WRITTEN_AND_READ)
def test_each_operator_keeps_its_meaning_or_is_refused(dialect, row) -> None:
    expression = Expression((*("u", "v")[: row.arity], BY_NAME[row.name]))
    values = dict(zip("uv", DEFINED_AT.get(row.name, (0.83, 0.41)), strict=False))
    try:
        again = parse(expression.to(dialect, values), values, dialect)
    except SymbedError as error:
        require_reason(error)
        return
    assert evaluate(again, values) == pytest.approx(evaluate(expression, values), rel=1e-12)


SIMPLE = ["+", "-", "*", "/", "^", "neg", "^2", "^3", "^-1", "sin", "abs", "min"]
leaves = st.sampled_from(["u", "v", 0.5, 2.0, -1.5, 3.0, -0.25]).map(lambda item: (item,))
trees = st.recursive(
    leaves,
    lambda below: st.one_of(
        *(
            st.tuples(*[below] * BY_NAME[name].arity).map(
                lambda operands, row=BY_NAME[name]: apply(row, operands)
            )
            for name in SIMPLE
        )
    ),
    max_leaves=12,
).map(Expression)


@pytest.mark.parametrize("dialect", WRITTEN_AND_READ)
@settings(max_examples=60, deadline=None)
@given(expression=trees)
def test_what_is_written_means_the_same_when_read(dialect, expression) -> None:
    try:
        written = expression.with_variables(("u", "v")).to(dialect, ("u", "v"))
    except RangeError as error:
        require_reason(error)
        return
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        again = parse(written, ("u", "v"), dialect)
    points = {"u": np.array([0.37, -1.2, 2.0]), "v": np.array([1.9, 0.6, -0.7])}
    expected, found = values(expression, points), values(again, points)
    ordinary = np.isfinite(expected) & (np.abs(expected) < 1e12) & (np.abs(expected) > 1e-12)
    np.testing.assert_allclose(found[ordinary], expected[ordinary], rtol=1e-6, atol=1e-9)


def values(expression: Expression, points: dict[str, np.ndarray]) -> np.ndarray:
    found = fold(
        expression.postfix,
        lambda item: points[item] if isinstance(item, str) else item,
        lambda row, below: FUNCTIONS[row.name](*below),
    )
    return np.broadcast_to(found, 3)


@pytest.mark.parametrize("name", TOOLS)
def test_each_tool_declares_what_it_means(name: str) -> None:
    declared = TOOLS[name].describe()
    assert declared["index_base"] in (None, 0, 1)
    assert declared["log"]
    assert declared["constants"]
    assert declared["reads"] or declared["writes"]

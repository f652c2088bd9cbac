"""Finding out whose formula it is, or refusing where two tools differ in meaning."""

from __future__ import annotations

import pytest

from symbed.errors import ParseError
from symbed.language.dialects.detection import detect, detect_source
from symbed.language.dialects.reader import LossyConstants
from symbed.language.parser import parse


@pytest.mark.parametrize(
    ("source", "dialect"),
    [
        ("square(x0) - 1.5*x1", "pysr"),
        ("x0*2", "pysr"),
        ("add(X0, X1)", "gplearn"),
        ("(1.5 * X1) + X2 ^ 2", "operon"),
        ("add,mul,const,x1,x2", "dso"),
        (["C", "*", "X_0", "^2"], "srtoolkit"),
        ("C*X_0 + C", "srtoolkit"),
        ("C0*X_0 + C1", "proged"),
        ("(x_0 add (2.3 mul x_1))", "e2e"),
        ("mul,x_0,2.0", "e2e"),
        ("pow(x,(a0 + x))", "esr"),
        ("(X_0)(X_1) + 2.5", "bingo"),
        ("t0*x0 + t1", "srtree"),
        (r"\frac{x}{2}", "latex"),
        ("x^{2}", "latex"),
        ("Add(Symbol('x'), Integer(2))", "sympy"),
        ("params[0]*np.sin(x)", "python"),
        ("speed^2*mass/2", "infix"),
        ("2.5", "infix"),
    ],
)
def test_a_formula_shows_whose_it_is(source, dialect: str) -> None:
    found = detect(source)
    assert found.dialect == dialect
    assert found.title in str(found)
    if dialect != "infix":
        assert parse(source, dialect="auto") == parse(source, dialect=dialect)


@pytest.mark.parametrize(
    ("source", "message"),
    [
        (
            "x1 + 1",
            "one counts variables from 0, the other from 1.*dialect='pysr' or dialect='srjl'",
        ),
        ("X1", "gplearn would mean 'x1' by this and Operon 'x0'"),
        ("log(X_0)", "log is base 10 for one and natural for the other"),
        ("sqrt(X_0)", r"SRToolkit would mean 'sqrt\(x0\)' by this and Bingo"),
    ],
)
def test_two_readings_that_differ_are_an_error(source: str, message: str) -> None:
    with pytest.raises(ParseError, match=message):
        detect(source)


def test_given_variables_settle_the_numbers() -> None:
    assert str(parse("x1 + 1", ["x1", "x2"], "auto")) == "x1 + 1"


def test_one_formula_settles_a_file() -> None:
    assert detect_source(["x1 + x2", "x0"]).dialect == "pysr"
    assert detect_source(["2.5", "x + y"]).dialect == "infix"
    assert detect_source([r"\alpha", "x"]).dialect == "latex"
    with pytest.raises(ParseError, match="counts variables"):
        detect_source(["x1 + x2", "x3"])
    with pytest.raises(ParseError, match="no one tool writes all"):
        detect_source(["add(X0, X1)", "x0 + 1"])


def test_a_guess_warns_of_rounded_constants_like_the_tool() -> None:
    with pytest.warns(LossyConstants):
        detect("add(X0, 0.125)")

"""Real strings of DEAP and PySINDy, and documented ones of feyn and Eureqa."""

import warnings

import pytest

import symbed
from symbed.language.dialects.detection import detect
from symbed.language.dialects.reader import LossyConstants


@pytest.mark.parametrize(
    ("dialect", "text", "meaning"),
    [
        ("deap", "add(sin(neg(ARG0)), cos(cos(ARG1)))", "sin(-x0) + cos(cos(x1))"),
        ("deap", "protectedDiv(-1, ARG1)", "cond(abs(x1), -1/x1) + (x1 == 0)"),
        ("deap", "if_then_else(lt(ARG0, 2), ARG0, 2.5)", "where(x0 < 2, x0, 2.5)"),
        ("pysindy", "-6.249 x0 + -0.600 x1", "-6.249*x0 + -0.6*x1"),
        ("pysindy", "(x0)' =  0.5 1 + -1.0 x0 x1^2", "0.5*1 + -1*x0*x1^2"),
        ("pysindy", "(x1)[k+1] = 0.005 cos(1 x0)", "0.005*cos(1*x0)"),
        ("feyn", "0.31*tanh(1.2*bmi + 0.5)", "0.31*tanh(1.2*bmi + 0.5)"),
        ("eureqa", "y = f(x) = if(x, logistic(x), 0) + less(x, 2)",
         "cond(x, sigmoid(x)) + unless(x, 0) + (x < 2)"),
    ],
)  # fmt: skip
def test_a_formula_means(dialect, text, meaning):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", LossyConstants)
        found = symbed.parse(text, dialect=dialect)
    assert found == symbed.parse(meaning)


def test_deap_and_pysindy_are_recognized():
    assert detect("mul(add(ARG1, ARG1), protectedDiv(0, ARG0))").dialect == "deap"
    with pytest.warns(LossyConstants, match="three decimals"):
        assert detect("(x0)' = -1.000 x1 + 0.002 x0^2 + 0.5 x0 x1").dialect == "pysindy"


def test_every_names_are_variables_of_feyn():
    assert symbed.parse("0.5*bmi + age", dialect="feyn").variables == ("bmi", "age")

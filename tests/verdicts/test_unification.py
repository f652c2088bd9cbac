"""Formulas with one skeleton: parameters that correspond."""

from __future__ import annotations

import math

import pytest

import symbed
from symbed.verdicts.families._formula_matching import unified_parameters
from symbed.verdicts.families.relation import relate

ONE = {"x": (0.5, 5.0)}


@pytest.mark.parametrize(
    ("inner", "outer", "formulas"),
    [
        ("a*x + b", "c^2*x + d", {"c": "sqrt(a)", "d": "b"}),
        ("a*sin(b*x)", "1/c*sin(2*d*x)", {"c": "1/a", "d": "b/2"}),
        ("a*x", "b*c*x", {"b": "a/1", "c": "1"}),
        ("x*a + b", "d + c*x", {"c": "a", "d": "b"}),
    ],
)
def test_parts_of_parameters_are_equated_and_solved(
    inner: str, outer: str, formulas: dict[str, str]
) -> None:
    parsed = symbed.parse(outer, variables=("x",))
    answer = unified_parameters(
        symbed.parse(inner, variables=("x",)).postfix, parsed.postfix, ("x",), parsed.parameters
    )
    assert answer == {name: symbed.parse(text).postfix for name, text in formulas.items()}


@pytest.mark.parametrize(("inner", "outer"), [("a*x", "a + x"), ("a*x", "b*x^2"), ("a*x", "x")])
def test_other_skeletons_are_not_unified(inner: str, outer: str) -> None:
    parsed = symbed.parse(outer, variables=("x",))
    left = symbed.parse(inner, variables=("x",)).postfix
    assert not unified_parameters(left, parsed.postfix, ("x",), parsed.parameters)


def test_ranges_decide_whether_parameters_correspond() -> None:
    assert relate("C*x", "2*C*x", ONE, (0.0, math.inf)).relation == "same"
    assert relate("C*x", "2*C*x", ONE, (1.0, 5.0)).relation == "neither"
    assert relate("C*x", "C^2*x", ONE).relation == "f_in_e"


@pytest.mark.parametrize("pattern", ["C^2", "1/C", "2*C", "sqrt(C)"])
def test_parameters_that_floats_do_not_see_correspond_all_the_same(pattern: str) -> None:
    domain = {"x": (1e-9, 1e-8), "y": (1e-9, 1e-8)}
    form = "C + x*y/(C - C*x*y)"
    other = form.replace("C", f"({pattern})")
    assert relate(form, other, domain, (0.0, math.inf)).relation == "same"

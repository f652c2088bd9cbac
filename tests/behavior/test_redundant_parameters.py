"""Parameters that act only together are told by comparisons and fits, when they are asked."""

from __future__ import annotations

import numpy as np
import pytest

import symbed
from symbed.behavior.redundant_parameters import redundant_parameters
from symbed.workbench import fit

POINTS = np.linspace(0.5, 5.0, 40)[:, None]


@pytest.mark.parametrize(
    ("text", "groups"),
    [
        ("a*b*x + c", (("a", "b"),)),
        ("C*C*x", (("C[0]", "C[1]"),)),
        ("a*exp(b*x)*exp(c) + d + f", (("a", "c"), ("d", "f"))),
        ("(a*x + b)/(c*x + d)", (("a", "b", "c", "d"),)),
        ("a*x + floor(b)", (("b",),)),
        ("a*exp(-b*x) + c*exp(-d*x) + f*exp(-g*x)", ()),
        ("a*b*x + a/b*x^2", ()),
        ("a*x + 1e-12*b*x^3", ()),
        ("a*x + 1e-15*b*x^4 + c*d", (("c", "d"),)),
        ("a*sin(x) + b*sin(x + 1e-9)", ()),
        ("a*sin(x) + b*sin(x + 1e-9) + c*cos(x)", (("a", "b", "c"),)),
        ("sin(a)^2*x + cos(a)^2*x + b", (("a",),)),
        ("a*x", ()),
        ("x", ()),
    ],
)
def test_groups_of_parameters_that_act_only_together(text: str, groups: object) -> None:
    expression = symbed.parse(text, variables=("x",))
    values = [0.7 + 0.31 * k for k in range(len(expression.parameters))]
    assert redundant_parameters(expression, POINTS, ["x"], values) == groups


def test_what_is_nowhere_defined_has_no_groups() -> None:
    assert redundant_parameters(symbed.parse("ln(-a*b*x^2)"), POINTS, ["x"], [1.0, 2.0]) == ()


@pytest.mark.parametrize(
    ("scale", "groups"),
    [
        ("1e-320", ()),
        ("1e-305", ()),
        ("1e-280", (("a", "b"),)),
        ("1e140", (("a", "b"),)),
        ("1e160", ()),
    ],
)
def test_outputs_too_small_or_large_for_slopes_tell_nothing(scale: str, groups: object) -> None:
    expression = symbed.parse(f"{scale}*a*b*x + {scale}*c", variables=("x",))
    assert redundant_parameters(expression, POINTS, ["x"], [1.0, 2.0, 3.0]) == groups


def test_a_comparison_tells_them_for_each_side() -> None:
    probe = symbed.Probe({"x": (1, 5)}, parameters={"a": (1, 5), "b": (1, 2), "C": (0, 1)})
    one, two = (symbed.observe(text, probe) for text in ("a*b*x", "C*x"))
    comparison = symbed.compare(one, two)
    assert comparison.redundant == ((("a", "b"),), ())
    assert comparison.to_dict()["redundant"] == [[["a", "b"]], []]


def test_samples_have_no_parameters() -> None:
    behavior = symbed.Behavior.from_samples([[0.0, 1.0]], points=[0.0])
    assert symbed.compare(behavior, behavior).redundant == ((), ())


def test_a_fit_tells_them_by_the_names_of_its_values() -> None:
    fitted = fit("C*C*x + C", POINTS[:, 0], 3.0 * POINTS[:, 0] + 1.0)
    assert fitted.redundant == (("C[0]", "C[1]"),)
    assert set(fitted.redundant[0]) < set(fitted.values)

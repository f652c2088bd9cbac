"""The paper's sixteen base expressions: data, one row each, grouped by functional form."""

from __future__ import annotations

from typing import NamedTuple


class Base(NamedTuple):
    """One base expression of X_0 and X_1 and the form that the paper lists it under."""

    form: str
    text: str


BASE_GROUPS = (
    Base("constant", "C"),
    Base("linear", "C*X_0"),
    Base("linear", "C*X_1"),
    Base("linear", "C + C*X_1"),
    Base("linear", "C + C*X_0 + C*X_1"),
    Base("quadratic", "C*X_0^2"),
    Base("quadratic", "C + C*X_0*X_1"),
    Base("quadratic", "C*X_0^2 + C*X_1^2"),
    Base("trigonometric", "C*sin(X_0)"),
    Base("trigonometric", "cos(C*X_1)"),
    Base("trigonometric", "C*sin(X_0) + C*cos(X_1)"),
    Base("square root", "sqrt(C*X_0)"),
    Base("square root", "C + sqrt(X_0 + X_1)"),
    Base("logarithmic", "C*ln(X_0)"),
    Base("logarithmic", "ln(X_1 + C)"),
    Base("logarithmic", "C*ln(X_0*X_1)"),
)

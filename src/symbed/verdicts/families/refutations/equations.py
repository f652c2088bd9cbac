"""Equations that the members of a family obey, and their solution in balls."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from symbed.language.expression import Postfix
from symbed.language.operator_row import Operator
from symbed.verdicts.arithmetic.flint_access import arb
from symbed.verdicts.arithmetic.jacobians import bring_up_pivot
from symbed.verdicts.families.linear_forms import (
    LinearForm,
    exponential_form,
    linear_form,
    logarithmic_form,
)
from symbed.verdicts.families.monomial_sums import NotLinear

MOST_UNKNOWNS = 12
Transform = Callable[[Any], Any]  # of a ball; one that is not finite is left out


@dataclass(frozen=True)
class Equation:
    """A linear form that a transform of the family's values has."""

    form: LinearForm
    transform: Transform
    label: str


def equations_of(postfix: Postfix, variables: Sequence[str]) -> Iterator[Equation]:
    """A family, or a function of it, as linear forms."""
    before: Transform = _same
    for _ in range(len(postfix)):
        peeling: Transform
        for rule, transform, label in (
            (linear_form, _same, ""),
            (logarithmic_form, _log_magnitude, "the logarithm of "),
            (exponential_form, _exp, "the exponential of "),
        ):
            try:
                form = rule(postfix, variables)
            except NotLinear:
                continue
            if len(form.unknowns) <= MOST_UNKNOWNS:
                yield Equation(form, _composed(before, transform), label)
        peeled = _peeled(postfix, variables)
        if peeled is None:
            return
        postfix, peeling = peeled
        before = _composed(before, peeling)


def _same(value: Any) -> Any:
    return value


def _log_magnitude(value: Any) -> Any:
    return None if value.contains(0) else abs(value).log()


def _exp(value: Any) -> Any:
    return value.exp()


def _composed(first: Transform, second: Transform) -> Transform:
    def both(value: Any) -> Any:
        inner = first(value)
        return None if inner is None else second(inner)

    return both


def _within(value: Any, low: float, high: float) -> bool:
    return bool(value > low and value < high)


INVERSES: dict[str, Transform] = {
    "exp": lambda y: y.log() if y > 0 else None,
    "ln": lambda y: y.exp(),
    "sqrt": lambda y: y * y if y >= 0 else None,
    "cbrt": lambda y: y**3,
    "tanh": lambda y: y.atanh() if _within(y, -1.0, 1.0) else None,
    "atan": lambda y: y.tan() if abs(y) < arb.pi() / 2 else None,
    "sinh": lambda y: y.asinh(),
    "^-1": lambda y: None if y.contains(0) else 1 / y,
    "neg": lambda y: -y,
    "asin": lambda y: y.sin() if abs(y) < arb.pi() / 2 else None,
}


def _peeled(postfix: Postfix, variables: Sequence[str]) -> tuple[Postfix, Transform] | None:
    """The formula below its outermost function, and what a value becomes there."""
    row = postfix[-1]
    if isinstance(row, Operator) and row.arity == 1 and row.name in INVERSES:
        return postfix[:-1], INVERSES[row.name]
    return None


def solve_in_balls(rows: list[list[Any]], n: int) -> tuple[list[Any], list[Any]] | None:
    """The values of n unknowns, and what is left of the other equations; None if not unique.

    Pivots exclude zero, so the values enclose the only solution that the first equations have.
    """
    rows = [_normalized(row) for row in rows]
    order: list[int] = []
    for done in range(n):
        column = bring_up_pivot(rows, done, n, order, 0.0)
        if column is None:
            return None
        for r in range(len(rows)):
            if r != done:
                factor = rows[r][column]
                rows[r] = [a - factor * b for a, b in zip(rows[r], rows[done], strict=True)]
                rows[r][column] = arb(0)
        order.append(column)
    values: list[Any] = [arb(0)] * n
    for row, column in enumerate(order):
        values[column] = rows[row][n]
    return values, [row[n] for row in rows[n:]]


def _normalized(row: list[Any]) -> list[Any]:
    largest = max((float(abs(entry).upper()) for entry in row), default=0.0)
    if not (0.0 < largest < math.inf):
        return row
    scale = arb(2) ** -math.frexp(largest)[1]
    return [entry * scale for entry in row]

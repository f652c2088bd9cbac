"""Proofs that a member of one family is no member of another, for any parameters.

By dimension, by linear algebra in balls (with the relations and ranges that monomials of parameters
have), by enclosures over all parameters, by definedness. What is not proven here is not refuted.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from symbed.language.expression import Expression, Postfix
from symbed.language.operators import Operator
from symbed.verdicts.algebra.linear_forms import (
    LinearForm,
    exponential_form,
    linear_form,
    logarithmic_form,
)
from symbed.verdicts.algebra.monomial_sums import (
    NotLinear,
    broken_relation,
    sum_postfix,
)
from symbed.verdicts.arithmetic.elimination import eliminate, solve_in_balls
from symbed.verdicts.arithmetic.enclosures import Interval, defined_ranges, enclosure
from symbed.verdicts.arithmetic.values import arb, as_ball, is_defined, working_precision
from symbed.verdicts.families.drawn_members import exact_members
from symbed.verdicts.families.form import SLOPE_BITS, Form, Grid, Target, slope_matrix

MAX_UNKNOWNS = 12
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
            if len(form.unknowns) <= MAX_UNKNOWNS:
                yield Equation(form, _composed(before, transform), label)
        # exp(a + b*x) is linear below its exponential: each layer gives equations of its own.
        peeled = _peeled(postfix)
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


# Injective functions only: of a square or a sine, the value below is not determined. A value that
# the function cannot take gives None, and its equation is left out; fewer equations prove less,
# but nothing false.
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


def _peeled(postfix: Postfix) -> tuple[Postfix, Transform] | None:
    """The formula below its outermost function, and what a value becomes there."""
    row = postfix[-1]
    if isinstance(row, Operator) and row.arity == 1 and row.name in INVERSES:
        return postfix[:-1], INVERSES[row.name]
    return None


BITS = 320
EXTRA_ROWS = 3  # more equations than unknowns
N_ENCLOSED = 8  # points at which a family is enclosed
N_RANKED = 2  # members of which the rank is taken: one of them may be a special one


class Refuter:
    """Proofs against membership in one family: each is the reason in words, None without one."""

    def __init__(self, form: Form, grid: Grid) -> None:
        self.form, self.grid = form, grid
        ranges = form.by_name(list(zip(form.lows, form.highs, strict=True)))
        self.ranges: dict[str, Interval] = defined_ranges(form.expression.postfix, ranges)

    @cached_property
    def equations(self) -> tuple[Equation, ...]:
        """The family, or a function of it, as linear forms."""
        return tuple(equations_of(self.form.expression.postfix, self.form.variables))

    @cached_property
    def most_dimensions(self) -> int:
        """An upper bound of the number of directions in which the family can move."""
        return min([self.form.n_parameters, *(e.form.n_dimensions for e in self.equations)])

    def by_dimension(self, other: Form) -> str | None:
        """Whether another family moves in more directions than this one can."""
        if other.n_parameters <= self.most_dimensions:
            return None
        # A proven lower bound of the other's rank against an upper bound of this one's.
        rank = _generic_rank(other, self.grid)
        if rank <= self.most_dimensions:
            return None
        return f"it has {rank} effective parameters, the other at most {self.most_dimensions}"

    def by_member(
        self, target: Target, outputs: np.ndarray[Any, Any], bits: int = BITS
    ) -> str | None:
        """Whether one function is proven to be no member."""
        with working_precision(bits):
            refuted = self._by_enclosure(target, outputs)
            if refuted is not None:
                return refuted
            for equation in self.equations:
                refuted = self._by_equation(equation, target, outputs)
                if refuted is not None:
                    return refuted
        return None

    def _by_enclosure(self, target: Target, outputs: np.ndarray[Any, Any]) -> str | None:
        places = _extreme_places(outputs)
        names = self.form.variables
        for place in places:
            point = dict(zip(names, map(float, self.grid.points[place]), strict=True))
            # The exact point is the decimal that the float shows: between the float's neighbors.
            ranges = self.ranges | {
                name: (math.nextafter(x, -math.inf), math.nextafter(x, math.inf))
                for name, x in point.items()
            }
            value = target.at(int(place))
            if not is_defined(value):
                continue
            interval = enclosure(self.form.expression.postfix, ranges)
            shown = ", ".join(f"{name} = {x:g}" for name, x in point.items())
            if interval is None:
                return f"at {shown} the other is undefined for all parameters"
            ball = as_ball(value)
            if ball < arb(interval[0]) or ball > arb(interval[1]):
                return (
                    f"at {shown} a member is {float(ball.mid()):.6g}, the other lies in "
                    f"[{interval[0]:.6g}, {interval[1]:.6g}] for all parameters"
                )
        return None

    def _by_equation(
        self, equation: Equation, target: Target, outputs: np.ndarray[Any, Any]
    ) -> str | None:
        rows = self._rows(equation, target, outputs)
        n = len(equation.form.unknowns)
        if rows is None or len(rows) < n + 1:
            return None
        reduced = solve_in_balls(rows, n)
        if reduced is None:
            return None
        solution, rest = reduced
        # The extra equations: what the only solution of the first n leaves of them must be zero.
        if any(not entry.contains(0) for entry in rest):
            what = f"{equation.label}a member" if equation.label else "a member"
            return (
                f"{what} is no combination of the {n} functions that the other combines, "
                f"by its values at {len(rows)} points"
            )
        for unknown, value in zip(equation.form.unknowns, solution, strict=True):
            interval = enclosure(sum_postfix(unknown), self.ranges)
            shown = Expression(sum_postfix(unknown), ())
            if interval is None or value < arb(interval[0]) or value > arb(interval[1]):
                return f"{shown} would have to be {float(value.mid()):.6g}"
        # Unknowns are monomials of the same parameters: a*b, a and b are not free of each other.
        return broken_relation(equation.form.unknowns, solution)

    def _rows(
        self, equation: Equation, target: Target, outputs: np.ndarray[Any, Any]
    ) -> list[list[Any]] | None:
        """Equations: coefficients of the unknowns, then what their combination is."""
        form = equation.form
        n = len(form.unknowns)
        wanted = n + EXTRA_ROWS + self.grid.n_pieces
        program, rows = form.program, []
        for place in self.grid.spread(np.flatnonzero(np.isfinite(outputs)).tolist(), wanted):
            value = target.at(place)
            if not is_defined(value):
                continue
            wanted_value = equation.transform(as_ball(value))
            trace = program.trace(dict(self.grid.exact[place]))
            parts = [trace[root] for root in program.roots]
            if (
                wanted_value is None
                or not wanted_value.is_finite()
                or not all(map(is_defined, parts))
            ):
                continue
            over, under = (list(map(as_ball, part)) for part in (parts[: n + 1], parts[n + 1 :]))
            # y = (n_0 + sum m_j n_j) / (d_0 + sum m_j d_j) as an equation linear in the m_j:
            # sum m_j (n_j - y d_j) = -(n_0 - y d_0).
            line = [o - wanted_value * u for o, u in zip(over, under, strict=True)]
            rows.append([*line[1:], -line[0]])
            if len(rows) == wanted:
                break
        return rows


def _extreme_places(outputs: np.ndarray[Any, Any]) -> list[int]:
    """Where a function is largest, smallest and in between."""
    places = np.flatnonzero(np.isfinite(outputs))
    # By size, not by place: a bound of the other family shows first at the extremes.
    order = places[np.argsort(outputs[places], kind="stable")]
    picks = np.unique(np.linspace(0, len(order) - 1, N_ENCLOSED).round().astype(int))
    return [int(place) for place in order[picks]]


def _generic_rank(form: Form, grid: Grid) -> int:
    """The largest rank of the slopes at some members; 0 where none has slopes to judge by."""
    largest = 0
    with working_precision(SLOPE_BITS):
        for values in exact_members(form, grid, N_RANKED):
            n_rows = len(grid.points) if form.balls.is_piecewise else None
            matrix = slope_matrix(form, values, grid, n_rows)
            if matrix:
                largest = max(largest, eliminate(matrix).rank)
            # A lower rank may be that of a special member, so another one is tried.
            if largest == form.n_parameters:
                break
    return largest

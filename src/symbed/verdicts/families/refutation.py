"""Proofs that a member of one family is no member of another, for any parameters.

By dimension, by linear algebra in balls (with the relations and ranges that monomials of parameters
have), by enclosures over all parameters, by definedness. What is not proven here is not refuted.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np

from symbed.language.expression import Expression, Postfix
from symbed.language.operators import Operator
from symbed.verdicts.arithmetic.flint_access import arb, working_precision
from symbed.verdicts.arithmetic.jacobians import generic_rank
from symbed.verdicts.arithmetic.values import as_ball, is_defined
from symbed.verdicts.families.enclosures import Interval, defined_ranges, enclosure
from symbed.verdicts.families.form import Form, Grid
from symbed.verdicts.families.linear_forms import (
    LinearForm,
    exponential_form,
    linear_form,
    logarithmic_form,
)
from symbed.verdicts.families.monomial_sums import Monomial, NotLinear, Sum, sum_postfix
from symbed.verdicts.families.polishing import Target

BITS = 320
EXTRA_ROWS = 3  # more equations than unknowns
MOST_UNKNOWNS = 12
N_ENCLOSED = 8  # points at which a family is enclosed

Transform = Callable[[Any], Any]  # of a ball; one that is not finite is left out


@dataclass(frozen=True)
class Refutation:
    """A proof that a family is not contained in another.

    Attributes
    ----------
    reason : str
        The proof in words.
    method : str
        ``dimension``, ``linear``, ``relation``, ``range``, ``enclosure`` or ``definedness``.
    """

    reason: str
    method: str


@dataclass(frozen=True)
class Equation:
    """A linear form that a transform of the family's values has."""

    form: LinearForm
    transform: Transform
    label: str


class Refuter:
    """Proofs against membership in one family.

    Parameters
    ----------
    form : Form
        The family.
    grid : Grid
        Points of the domain.
    """

    def __init__(self, form: Form, grid: Grid) -> None:
        self.form, self.grid = form, grid
        given = dict(zip(form.parameters, zip(form.lows, form.highs, strict=True), strict=True))
        self.ranges: dict[str, Interval] = defined_ranges(form.expression.postfix, given)

    @cached_property
    def equations(self) -> tuple[Equation, ...]:
        """The family, or a function of it, as linear forms."""
        return tuple(self._equations())

    def _equations(self) -> Iterator[Equation]:
        postfix = self.form.expression.postfix
        before: Transform = _same
        for _ in range(len(postfix)):
            peeling: Transform
            for rule, transform, label in (
                (linear_form, _same, ""),
                (logarithmic_form, _log_magnitude, "the logarithm of "),
                (exponential_form, _exp, "the exponential of "),
            ):
                try:
                    form = rule(postfix, self.form.variables)
                except NotLinear:
                    continue
                if len(form.unknowns) <= MOST_UNKNOWNS:
                    yield Equation(form, _composed(before, transform), label)
            peeled = _peeled(postfix, self.form.variables)
            if peeled is None:
                return
            postfix, peeling = peeled
            before = _composed(before, peeling)

    @cached_property
    def most_dimensions(self) -> int:
        """An upper bound of the number of directions in which the family can move."""
        bounds = [self.form.n_parameters]
        for equation in self.equations:
            bounds.append(_dimensions(equation.form))
        return min(bounds)

    def by_dimension(self, other: Form) -> Refutation | None:
        """Whether another family moves in more directions than this one can."""
        if other.n_parameters <= self.most_dimensions:
            return None
        rank, _ = generic_rank(other, self.grid)
        if rank <= self.most_dimensions:
            return None
        return Refutation(
            f"it has {rank} effective parameters, the other at most {self.most_dimensions}",
            "dimension",
        )

    def by_member(self, target: Target, outputs: np.ndarray[Any, Any]) -> Refutation | None:
        """Whether one function is proven to be no member."""
        with working_precision(BITS):
            refuted = self._by_enclosure(target, outputs)
            if refuted is not None:
                return refuted
            for equation in self.equations:
                refuted = self._by_equation(equation, target, outputs)
                if refuted is not None:
                    return refuted
        return None

    def _by_enclosure(self, target: Target, outputs: np.ndarray[Any, Any]) -> Refutation | None:
        places = _extreme_places(outputs)
        names = self.form.variables
        for place in places:
            point = dict(zip(names, map(float, self.grid.points[place]), strict=True))
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
                return Refutation(
                    f"at {shown} the other is undefined for all parameters", "definedness"
                )
            ball = as_ball(value)
            if ball < arb(interval[0]) or ball > arb(interval[1]):
                return Refutation(
                    f"at {shown} a member is {float(ball.mid()):.6g}, the other lies in "
                    f"[{interval[0]:.6g}, {interval[1]:.6g}] for all parameters",
                    "enclosure",
                )
        return None

    def _by_equation(
        self, equation: Equation, target: Target, outputs: np.ndarray[Any, Any]
    ) -> Refutation | None:
        rows = self._rows(equation, target, outputs)
        n = len(equation.form.unknowns)
        if rows is None or len(rows) < n + 1:
            return None
        reduced = _solved(rows, n)
        if reduced is None:
            return None
        solution, rest = reduced
        if any(not entry.contains(0) for entry in rest):
            what = f"{equation.label}a member" if equation.label else "a member"
            return Refutation(
                f"{what} is no combination of the {n} functions that the other combines, "
                f"by its values at {len(rows)} points",
                "linear",
            )
        for unknown, value in zip(equation.form.unknowns, solution, strict=True):
            interval = enclosure(sum_postfix(unknown), self.ranges)
            shown = Expression(sum_postfix(unknown), ())
            if interval is None or value < arb(interval[0]) or value > arb(interval[1]):
                return Refutation(f"{shown} would have to be {float(value.mid()):.6g}", "range")
        return _broken_relation(equation.form.unknowns, solution)

    def _rows(
        self, equation: Equation, target: Target, outputs: np.ndarray[Any, Any]
    ) -> list[list[Any]] | None:
        """Equations: coefficients of the unknowns, then what their combination is."""
        form = equation.form
        n = len(form.unknowns)
        wanted = n + EXTRA_ROWS
        program, rows = form.program, []
        places = np.flatnonzero(np.isfinite(outputs))
        step = max(1, len(places) // (wanted + 1))
        for place in (k for first in range(step) for k in places[first::step]):
            value = target.at(int(place))
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
            line = [o - wanted_value * u for o, u in zip(over, under, strict=True)]
            rows.append([*line[1:], -line[0]])
            if len(rows) == wanted:
                break
        return rows


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


def _extreme_places(outputs: np.ndarray[Any, Any]) -> list[int]:
    """Where a function is largest, smallest and in between."""
    places = np.flatnonzero(np.isfinite(outputs))
    order = places[np.argsort(outputs[places], kind="stable")]
    picks = np.unique(np.linspace(0, len(order) - 1, N_ENCLOSED).round().astype(int))
    return [int(place) for place in order[picks]]


def _solved(rows: list[list[Any]], n: int) -> tuple[list[Any], list[Any]] | None:
    """The values of n unknowns, and what is left of the other equations; None if not unique.

    Pivots exclude zero, so the values enclose the only solution that the first equations have.
    """
    rows = [_normalized(row) for row in rows]
    order: list[int] = []
    for done in range(n):
        best, place = 0.0, (-1, -1)
        for r in range(done, len(rows)):
            for c in range(n):
                if c not in order:
                    size = float(abs(rows[r][c]).lower())
                    if size > best:
                        best, place = size, (r, c)
        if not best > 0.0:
            return None
        row, column = place
        rows[done], rows[row] = rows[row], rows[done]
        pivot = rows[done][column]
        rows[done] = [entry / pivot for entry in rows[done]]
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


def _dimensions(form: LinearForm) -> int:
    """How many directions a linear form can move in: its monomials are functions of few."""
    monomials = list(dict.fromkeys(m for unknown in form.unknowns for m in unknown))
    atoms = list(dict.fromkeys(atom for m in monomials for atom, _ in m))
    matrix = [[Fraction(dict(m).get(atom, 0)) for atom in atoms] for m in monomials]
    is_homogeneous = all(part.postfix == (0.0,) for part in (form.over[0], form.under[0]))
    if is_homogeneous and matrix:
        # A common factor of numerator and denominator is no direction.
        matrix = [[a - b for a, b in zip(row, matrix[0], strict=True)] for row in matrix[1:]]
        return min(_rank(matrix), len(form.unknowns) - 1)
    return min(_rank(matrix), len(form.unknowns))


def _rank(matrix: list[list[Fraction]]) -> int:
    return len(_reduced(matrix)[1])


def _reduced(matrix: list[list[Fraction]]) -> tuple[list[list[Fraction]], list[int]]:
    """Gauss and Jordan's elimination with fractions: the rows, and the columns of the pivots."""
    rows = [list(row) for row in matrix]
    pivots: list[int] = []
    for column in range(len(rows[0]) if rows else 0):
        done = len(pivots)
        found = next((r for r in range(done, len(rows)) if rows[r][column]), None)
        if found is None:
            continue
        rows[done], rows[found] = rows[found], rows[done]
        pivot = rows[done][column]
        rows[done] = [entry / pivot for entry in rows[done]]
        for r in range(len(rows)):
            if r != done and rows[r][column]:
                factor = rows[r][column]
                rows[r] = [a - factor * b for a, b in zip(rows[r], rows[done], strict=True)]
        pivots.append(column)
    return rows, pivots


def _broken_relation(unknowns: Sequence[Sum], values: Sequence[Any]) -> Refutation | None:
    """A product of monomials that is 1 for all parameters, and is not for these values."""
    single = [
        (next(iter(unknown.items())), value)
        for unknown, value in zip(unknowns, values, strict=True)
        if len(unknown) == 1
    ]
    monomials = [monomial for (monomial, _), _ in single]
    sizes = [value / _ball(factor) for (_, factor), value in single]
    atoms = list(dict.fromkeys(atom for m in monomials for atom, _ in m))
    # Relations are the null vectors of the transposed matrix of powers.
    matrix = [[Fraction(dict(m).get(atom, 0)) for m in monomials] for atom in atoms]
    for powers in _integer_null_vectors(matrix, len(monomials)):
        left, right = arb(1), arb(1)
        for power, size in zip(powers, sizes, strict=True):
            if power > 0:
                left *= size**power
            elif power < 0:
                right *= size**-power
        if not (left - right).contains(0):
            return Refutation(f"{_product_text(monomials, powers)} = 1 would not hold", "relation")
    return _broken_circle(monomials, sizes)


def _broken_circle(monomials: Sequence[Monomial], sizes: Sequence[Any]) -> Refutation | None:
    """The sine and the cosine of one angle, whose squares do not add up to 1."""
    by_atom = {
        m[0][0]: size
        for m, size in zip(monomials, sizes, strict=True)
        if len(m) == 1 and m[0][1] == 1
    }
    for atom, size in by_atom.items():
        row = atom[-1]
        if isinstance(row, Operator) and row.name == "sin":
            for other, cosine in by_atom.items():
                last = other[-1]
                is_partner = isinstance(last, Operator) and last.name == "cos"
                apart = size * size + cosine * cosine - 1
                if is_partner and other[:-1] == atom[:-1] and not apart.contains(0):
                    shown = f"{Expression(atom, ())} and {Expression(other, ())}"
                    return Refutation(f"{shown} would not lie on the circle", "relation")
    return None


def _ball(factor: Fraction) -> Any:
    return arb(factor.numerator) / factor.denominator


def _integer_null_vectors(matrix: list[list[Fraction]], n: int) -> Iterator[list[int]]:
    rows, pivots = _reduced(matrix)
    for free in range(n):
        if free in pivots:
            continue
        vector = [Fraction(0)] * n
        vector[free] = Fraction(1)
        for row, column in enumerate(pivots):
            vector[column] = -rows[row][free]
        common = math.lcm(*(entry.denominator for entry in vector))
        yield [int(entry * common) for entry in vector]


def _product_text(monomials: Sequence[Monomial], powers: Sequence[int]) -> str:
    parts = []
    for monomial, power in zip(monomials, powers, strict=True):
        if power:
            text = str(Expression(sum_postfix({monomial: Fraction(1)}), ()))
            parts.append(f"({text})^{power}" if power != 1 else f"({text})")
    return "*".join(parts)

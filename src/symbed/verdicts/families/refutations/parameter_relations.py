"""Relations between monomials of parameters that hold for all parameters, and how many are free."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import Any

from symbed.language.expression import Expression
from symbed.language.operator_row import Operator
from symbed.verdicts.arithmetic.flint_access import arb
from symbed.verdicts.families.linear_forms import LinearForm
from symbed.verdicts.families.monomial_sums import Monomial, Sum, sum_postfix


def count_dimensions(form: LinearForm) -> int:
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


def broken_relation(unknowns: Sequence[Sum], values: Sequence[Any]) -> str | None:
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
            return f"{_product_text(monomials, powers)} = 1 would not hold"
    return _broken_circle(monomials, sizes)


def _broken_circle(monomials: Sequence[Monomial], sizes: Sequence[Any]) -> str | None:
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
                    return f"{shown} would not lie on the circle"
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

"""Parameters of one family as formulas of another's, by equating coefficients."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from symbed.language.expression import Postfix
from symbed.verdicts.families.linear_forms import Expansion
from symbed.verdicts.families.monomial_sums import (
    UNIT,
    Monomial,
    NotLinear,
    Sum,
    sum_of,
    sum_postfix,
)


def matched_coefficients(
    inner: Postfix, outer: Postfix, variables: Sequence[str], parameters: Sequence[str]
) -> dict[str, Postfix] | None:
    """The outer formula's parameters as formulas of the inner one's, by equating coefficients.

    None unless the outer formula is a linear combination with its bare parameters, each of them
    determined.
    """
    expansion = Expansion(variables)
    try:
        left, right = expansion.expand(inner), expansion.expand(outer)
    except NotLinear:
        return None
    if not (left.is_sum and right.is_sum):
        return None
    wanted, known = expansion.by_basis(left.over), expansion.by_basis(right.over)
    places: dict[Monomial, int] = {(((name,), 1),): k for k, name in enumerate(parameters)}
    rows: list[tuple[list[Fraction], Sum]] = []
    for basis in dict.fromkeys([*wanted, *known]):
        row = [Fraction(0)] * len(parameters)
        rest = dict(wanted.get(basis, {}))
        for monomial, factor in known.get(basis, {}).items():
            if monomial in places:
                row[places[monomial]] += factor
            elif monomial == UNIT:
                rest = sum_of(rest, {UNIT: -factor})
            else:
                return None
        rows.append((row, rest))
    return _solved_sums(rows, parameters)


def _solved_sums(
    rows: list[tuple[list[Fraction], Sum]], parameters: Sequence[str]
) -> dict[str, Postfix] | None:
    """Gauss and Jordan's elimination with sums of monomials on the right."""
    for column in range(len(parameters)):
        place = next((r for r in range(column, len(rows)) if rows[r][0][column]), None)
        if place is None:
            return None
        rows[column], rows[place] = rows[place], rows[column]
        pivot = rows[column][0][column]
        row = [entry / pivot for entry in rows[column][0]]
        right = {monomial: factor / pivot for monomial, factor in rows[column][1].items()}
        rows[column] = row, right
        for r, (other, rest) in enumerate(rows):
            factor = other[column]
            if r != column and factor:
                moved = {monomial: -factor * value for monomial, value in right.items()}
                rows[r] = (
                    [a - factor * b for a, b in zip(other, row, strict=True)],
                    sum_of(rest, moved),
                )
    if any(rest for _, rest in rows[len(parameters) :]):
        return None
    return {name: sum_postfix(rows[k][1]) for k, name in enumerate(parameters)}

"""Sums of monomials over sums of monomials, in which families are expanded; relations between
monomials of parameters that hold for all parameters, and how many of them are free.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from symbed.language.expression import Expression, Postfix, apply
from symbed.language.operators import ADD, BY_NAME, DIVIDE, MULTIPLY, POW, Operator
from symbed.verdicts.arithmetic.elimination import first_nonzero, gauss_jordan, null_vectors
from symbed.verdicts.arithmetic.values import arb

MAX_TERMS = 64  # a quotient of more terms needs more points than it is worth

# Functions of the variables alone or of the parameters alone, with their powers, in one order.
Monomial = tuple[tuple[Postfix, int], ...]
Sum = dict[Monomial, Fraction]

CHUNK = 10**15  # digits that every float holds
LARGEST_LITERAL = 10**300

UNIT: Monomial = ()
ONE: Sum = {UNIT: Fraction(1)}
EXP, LN, SIN, COS, ABS, NEGATE = (
    BY_NAME[name] for name in ("exp", "ln", "sin", "cos", "abs", "neg")
)


class NotLinear(Exception):
    """The family is not a quotient of linear combinations, as far as the rules here see."""


@dataclass(frozen=True)
class Quotient:
    """One sum over another."""

    over: Sum
    under: Sum

    @property
    def is_sum(self) -> bool:
        """Whether the denominator is 1."""
        return self.under == ONE


def unit_of(postfix: Postfix) -> Quotient:
    """A function as a unit of its own; one of numbers alone that is 0 or 1 as that number."""
    if postfix in _KNOWN:
        return Quotient({UNIT: _KNOWN[postfix]}, ONE)
    return Quotient({((postfix, 1),): Fraction(1)}, ONE)


# Functions of an empty sum or product: what a formula gives that has no part in the variables, or
# none in the parameters.
_KNOWN: dict[Postfix, Fraction] = {
    apply(EXP, ((0.0,),)): Fraction(1),
    apply(COS, ((0.0,),)): Fraction(1),
    apply(SIN, ((0.0,),)): Fraction(0),
    apply(LN, (apply(ABS, ((1.0,),)),)): Fraction(0),
}


def added(a: Quotient, b: Quotient) -> Quotient:
    """``a + b``."""
    if a.under == b.under:
        return Quotient(sum_of(a.over, b.over), a.under)
    return Quotient(
        sum_of(product_of(a.over, b.under), product_of(b.over, a.under)),
        product_of(a.under, b.under),
    )


def sum_of(a: Sum, b: Sum) -> Sum:
    """The sum of two sums."""
    total = dict(a)
    for monomial, factor in b.items():
        total[monomial] = total.get(monomial, Fraction(0)) + factor
    return _checked(total)


def product_of(a: Sum, b: Sum) -> Sum:
    """The product of two sums."""
    total: Sum = {}
    for left, c in a.items():
        for right, d in b.items():
            monomial = _joined(left, right)
            total[monomial] = total.get(monomial, Fraction(0)) + c * d
    return _checked(total)


def _joined(left: Monomial, right: Monomial) -> Monomial:
    powers: dict[Postfix, int] = dict(left)
    for atom, power in right:
        powers[atom] = powers.get(atom, 0) + power
    kept = [(atom, power) for atom, power in powers.items() if power]
    # Items of several types have no order; their text has.
    return tuple(sorted(kept, key=lambda pair: str(pair[0])))


def _checked(terms: Sum) -> Sum:
    if len(terms) > MAX_TERMS:
        raise NotLinear
    return {monomial: factor for monomial, factor in terms.items() if factor}


def negated(a: Quotient) -> Quotient:
    """``-a``."""
    return Quotient({monomial: -factor for monomial, factor in a.over.items()}, a.under)


def multiplied(a: Quotient, b: Quotient) -> Quotient:
    """``a*b``."""
    return Quotient(product_of(a.over, b.over), product_of(a.under, b.under))


def sum_postfix(terms: Sum) -> Postfix:
    """A sum of monomials as an expression."""
    total: Postfix | None = None
    for monomial, factor in terms.items():
        part = monomial_postfix(monomial, factor)
        total = part if total is None else apply(ADD, (total, part))
    return (0.0,) if total is None else total


def monomial_postfix(monomial: Monomial, factor: Fraction) -> Postfix:
    """A monomial with its factor as an expression."""
    result: Postfix | None = None if factor == 1 else _number(factor)
    for atom, power in monomial:
        size = abs(power)
        part = atom if size == 1 else apply(POW, (atom, (float(size),)))
        if result is None:
            result = part if power > 0 else apply(DIVIDE, ((1.0,), part))
        else:
            result = apply(MULTIPLY if power > 0 else DIVIDE, (result, part))
    return (1.0,) if result is None else result


def _number(value: Fraction) -> Postfix:
    """A rational as an expression that means exactly it."""
    if _is_literal(value):
        return (float(value),)
    return apply(DIVIDE, (_whole(value.numerator), _whole(value.denominator)))


def _is_literal(value: Fraction) -> bool:
    # A literal is the decimal that it shows.
    return abs(value) < LARGEST_LITERAL and Fraction(repr(float(value))) == value


def _whole(number: int) -> Postfix:
    """An integer as an expression, by Horner's scheme where it has more digits than a literal."""
    if _is_literal(Fraction(number)):
        return (float(number),)
    chunks = []
    rest = abs(number)
    while rest:
        rest, chunk = divmod(rest, CHUNK)
        chunks.append(chunk)
    total: Postfix = (float(chunks.pop()),)
    for chunk in reversed(chunks):
        total = apply(MULTIPLY, (total, (float(CHUNK),)))
        if chunk:
            total = apply(ADD, (total, (float(chunk),)))
    return apply(NEGATE, (total,)) if number < 0 else total


def count_dimensions(unknowns: Sequence[Sum], is_homogeneous: bool) -> int:
    """How many directions combinations of monomials can move in: these are functions of few.

    Of a homogeneous quotient, a common factor of numerator and denominator is no direction.
    """
    monomials = list(dict.fromkeys(m for unknown in unknowns for m in unknown))
    atoms = list(dict.fromkeys(atom for m in monomials for atom, _ in m))
    # Rows are monomials, columns atoms, entries powers. Logarithms of monomials are linear in those
    # of atoms, so that the rank says how many monomials move freely.
    matrix = [[Fraction(dict(m).get(atom, 0)) for atom in atoms] for m in monomials]
    most = len(unknowns)
    if is_homogeneous and matrix:
        # Only quotients of monomials matter: powers relative to those of the first one.
        matrix = [[a - b for a, b in zip(row, matrix[0], strict=True)] for row in matrix[1:]]
        most -= 1
    return min(len(gauss_jordan(matrix, first_nonzero(len(atoms)))), most)


def broken_relation(unknowns: Sequence[Sum], values: Sequence[Any]) -> str | None:
    """A product of monomials that is 1 for all parameters, and is not for these values."""
    # Only unknowns of one monomial: powers of a sum are no products.
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
        # Powers on two sides instead of a quotient, since a ball may hold zero.
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
                # In postfix order all but the last item is the argument.
                if is_partner and other[:-1] == atom[:-1] and not apart.contains(0):
                    shown = f"{Expression(atom, ())} and {Expression(other, ())}"
                    return f"{shown} would not lie on the circle"
    return None


def _ball(factor: Fraction) -> Any:
    return arb(factor.numerator) / factor.denominator


def _integer_null_vectors(matrix: list[list[Fraction]], n: int) -> Iterator[list[int]]:
    pivots = gauss_jordan(matrix, first_nonzero(n))
    for vector in null_vectors(matrix, pivots, n, Fraction):
        # Whole powers, which negative values have too.
        common = math.lcm(*(entry.denominator for entry in vector))
        yield [int(entry * common) for entry in vector]


def _product_text(monomials: Sequence[Monomial], powers: Sequence[int]) -> str:
    parts = []
    for monomial, power in zip(monomials, powers, strict=True):
        if power:
            text = str(Expression(sum_postfix({monomial: Fraction(1)}), ()))
            parts.append(f"({text})^{power}" if power != 1 else f"({text})")
    return "*".join(parts)

"""Fractions of polynomials in named parts, with rational exponents: exact algebra for proofs.

A polynomial maps monomials to rational coefficients; a monomial is a sorted tuple of (part,
exponent). Exponents may be negative or fractions where a part allows it: ``exp(x)`` does, and a
variable may be divided by. Parts with a relation, such as ``sin(x)^2 = 1 - cos(x)^2`` or
``sqrt(u)^2 = u``, are reduced by it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from math import isqrt
from typing import Any

from symbed.verdicts.arithmetic.values import fmpq

Exponent = int | Fraction
Monomial = tuple[tuple[int, Exponent], ...]
Polynomial = dict[Monomial, Any]

UNIT: Monomial = ()
MOST_TERMS = 160  # a proof that needs more is given up


class TooLarge(Exception):
    """An expansion grew beyond what a quick proof may cost."""


def constant(number: Any) -> Polynomial:
    """A number as a polynomial."""
    return {UNIT: number} if number != 0 else {}


def part(index: int, exponent: Exponent = 1) -> Polynomial:
    """A part to some power."""
    return {((index, exponent),): fmpq(1)}


def add(a: Polynomial, b: Polynomial, factor: int = 1) -> Polynomial:
    """``a + factor*b``."""
    total = dict(a)
    for monomial, coefficient in b.items():
        value = total.get(monomial, fmpq(0)) + coefficient * factor
        if value == 0:
            total.pop(monomial, None)
        else:
            total[monomial] = value
    return total


def join(a: Monomial, b: Monomial) -> Monomial:
    """The product of two monomials."""
    if not a or not b:
        return a or b
    exponents = dict(a)
    for index, exponent in b:
        exponents[index] = exponents.get(index, 0) + exponent
    return tuple(sorted((i, _plain(e)) for i, e in exponents.items() if e != 0))


def raised(monomial: Monomial, exponent: Exponent) -> Monomial:
    """A monomial to some power."""
    return tuple((i, _plain(e * exponent)) for i, e in monomial) if exponent else UNIT


def multiply(a: Polynomial, b: Polynomial) -> Polynomial:
    """``a * b``, without reducing by relations."""
    if len(a) * len(b) > MOST_TERMS * MOST_TERMS:
        raise TooLarge
    total: Polynomial = {}
    for left, p in a.items():
        for right, q in b.items():
            monomial = join(left, right)
            value = total.get(monomial)
            total[monomial] = p * q if value is None else value + p * q
    total = {monomial: value for monomial, value in total.items() if value != 0}
    if len(total) > MOST_TERMS:
        raise TooLarge
    return total


def _plain(exponent: Exponent) -> Exponent:
    if isinstance(exponent, Fraction) and exponent.denominator == 1:
        return exponent.numerator
    return exponent


def square_root(polynomial: Polynomial) -> Polynomial | None:
    """A polynomial whose square it is, if there is one, by its terms from the largest down."""
    indices = sorted({index for monomial in polynomial for index, _ in monomial})

    def rank(monomial: Monomial) -> list[Fraction]:
        exponents = dict(monomial)
        return [Fraction(exponents.get(index, 0)) for index in indices]

    largest = max(polynomial, key=rank)
    scale = _rational_root(polynomial[largest])
    if scale is None:
        return None
    first = raised(largest, Fraction(1, 2))
    root: Polynomial = {first: scale}
    # A root of n terms has a square of more than n terms, mostly; each round finds one term.
    for _ in range(len(polynomial)):
        rest = add(polynomial, multiply(root, root), -1)
        if not rest:
            return root
        leading = max(rest, key=rank)
        term = join(leading, raised(first, -1))
        if term in root:
            return None
        root[term] = rest[leading] / (2 * scale)
    return None


def _rational_root(number: Any) -> Any | None:
    if number <= 0:
        return None
    top, bottom = isqrt(int(number.p)), isqrt(int(number.q))
    return fmpq(top, bottom) if top * top == number.p and bottom * bottom == number.q else None


@dataclass(frozen=True)
class Relation:
    """``part^order = value`` for a part."""

    order: int
    value: Polynomial


def reduce(polynomial: Polynomial, relation: Callable[[int], Relation | None]) -> Polynomial:
    """The polynomial with every part's powers below the order of its relation."""
    waiting = [polynomial]
    total: Polynomial = {}
    for _ in range(MOST_TERMS):
        if not waiting:
            return total
        for monomial, coefficient in waiting.pop().items():
            for index, exponent in monomial:
                known = relation(index)
                if known is not None and exponent >= known.order:
                    times = int(exponent // known.order)
                    rest = join(monomial, ((index, -times * known.order),))
                    expanded: Polynomial = {rest: coefficient}
                    for _ in range(times):
                        expanded = multiply(expanded, known.value)
                    waiting.append(expanded)
                    break
            else:
                total = add(total, {monomial: coefficient})
    raise TooLarge

"""Fractions of polynomials in named parts, with rational exponents: exact algebra for proofs.

A polynomial maps monomials to rational coefficients; a monomial is a sorted tuple of (part,
exponent). Exponents may be negative or fractions where a part allows it: ``exp(x)`` does, and a
variable may be divided by. Parts with a relation, such as ``sin(x)^2 = 1 - cos(x)^2`` or
``sqrt(u)^2 = u``, are reduced by it.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import isqrt
from typing import Any

from symbed.verdicts.arithmetic.values import fmpq

Exponent = int | Fraction
Monomial = tuple[tuple[int, Exponent], ...]
Polynomial = dict[Monomial, Any]

UNIT: Monomial = ()
MAX_TERMS = 160  # a proof that needs more is given up


class TooLarge(Exception):
    """An expansion grew beyond what a quick proof may cost."""


def constant(number: Any) -> Polynomial:
    """A number as a polynomial."""
    return {UNIT: number} if number != 0 else {}


def part(index: int, exponent: Exponent = 1) -> Polynomial:
    """A part to some power."""
    return {((index, exponent),): fmpq(1)}


def add_polynomials(a: Polynomial, b: Polynomial, factor: int = 1) -> Polynomial:
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


def multiply_polynomials(a: Polynomial, b: Polynomial) -> Polynomial:
    """``a * b``, without reducing by relations."""
    # Before the work is done: terms may cancel, but only afterwards.
    if len(a) * len(b) > MAX_TERMS * MAX_TERMS:
        raise TooLarge
    total: Polynomial = {}
    for left, p in a.items():
        for right, q in b.items():
            monomial = join(left, right)
            value = total.get(monomial)
            total[monomial] = p * q if value is None else value + p * q
    total = {monomial: value for monomial, value in total.items() if value != 0}
    if len(total) > MAX_TERMS:
        raise TooLarge
    return total


def _plain(exponent: Exponent) -> Exponent:
    # One spelling of an exponent, so that `isinstance(e, int)` tells whole ones.
    if isinstance(exponent, Fraction) and exponent.denominator == 1:
        return exponent.numerator
    return exponent


def polynomial_root(polynomial: Polynomial) -> Polynomial | None:
    """A polynomial whose square it is, if there is one, by its terms from the largest down."""
    indices = sorted({index for monomial in polynomial for index, _ in monomial})

    def rank(monomial: Monomial) -> list[Fraction]:
        exponents = dict(monomial)
        return [Fraction(exponents.get(index, 0)) for index in indices]

    largest = max(polynomial, key=rank)
    scale = _rational_root(polynomial[largest])
    if scale is None:
        return None
    # As by hand: the root's first term squared is the largest term, and each next one is the
    # largest term of what is left over twice the first.
    first = raised(largest, Fraction(1, 2))
    root: Polynomial = {first: scale}
    # A root of n terms has a square of more than n terms, mostly; each round finds one term.
    for _ in range(len(polynomial)):
        rest = add_polynomials(polynomial, multiply_polynomials(root, root), -1)
        if not rest:
            return root
        leading = max(rest, key=rank)
        term = join(leading, raised(first, -1))
        # No progress: what is left is no part of a square.
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


MAX_PARTS = 40
LARGEST_POWER = 10  # of a sum


class NowhereDefined(Exception):
    """A division by, or a logarithm of, something that is identically zero."""


@dataclass(frozen=True, eq=False)
class Form:
    """``top / bottom``."""

    top: Polynomial
    bottom: Polynomial

    @property
    def number(self) -> Any | None:
        """The rational that the form is, if it is one."""
        if not self.top:
            return fmpq(0)
        # Polynomials are not canceled: (x + 1)/(x + 1) is not seen to be 1 here.
        if list(self.top) == [UNIT] and list(self.bottom) == [UNIT]:
            return self.top[UNIT] / self.bottom[UNIT]
        return None


@dataclass(frozen=True, eq=False)
class Part:
    """Something that is not taken apart further."""

    name: str  # of the function, or of the variable
    arguments: tuple[Form, ...] = ()  # forms it is applied to
    positive: bool = False  # whether it is never negative where it is defined
    # Whether it may have negative exponents: it has no relation, and is no zero by itself.
    free: bool = True
    relation: Relation | None = None  # what one of its powers is, or None


ONE = constant(fmpq(1))


class PartFractions:
    """Fractions over one growing list of parts."""

    def __init__(self) -> None:
        self.parts: list[Part] = []

    def part_index(
        self,
        name: str,
        arguments: tuple[Form, ...] = (),
        positive: bool = False,
        free: bool = True,
        relation: Relation | None = None,
    ) -> int:
        """The place of a part in the list, which grows where it is new."""
        for index, known in enumerate(self.parts):
            # By algebra, not by spelling: sin(x + x) and sin(2*x) are one part.
            same = known.name == name and len(known.arguments) == len(arguments)
            if same and all(map(self.equal, known.arguments, arguments)):
                return index
        if len(self.parts) >= MAX_PARTS:
            raise TooLarge
        self.parts.append(Part(name, arguments, positive, free, relation))
        return len(self.parts) - 1

    def opaque(self, name: str, arguments: tuple[Form, ...]) -> Form:
        """A function that no rule takes apart."""
        # Not free: it may be zero itself, unseen.
        return self.of(part(self.part_index(name, arguments, free=False)))

    def of(self, top: Polynomial, bottom: Polynomial | None = None) -> Form:
        """A polynomial, or one over another, as a form."""
        return Form(top, ONE if bottom is None else bottom)

    def equal(self, a: Form, b: Form) -> bool:
        """Whether two forms are one."""
        # Crosswise: fractions are not canceled, so that equal ones may look different.
        left = multiply_polynomials(a.top, b.bottom)
        return not self.reduced(add_polynomials(left, multiply_polynomials(b.top, a.bottom), -1))

    def reduced(self, polynomial: Polynomial) -> Polynomial:
        """The polynomial with every part's powers below the order of its relation."""
        waiting = [polynomial]
        total: Polynomial = {}
        # Relations may bring in parts with relations of their own: rounds are limited.
        for _ in range(MAX_TERMS):
            if not waiting:
                return total
            for monomial, coefficient in waiting.pop().items():
                for index, exponent in monomial:
                    known = self.parts[index].relation
                    if known is not None and exponent >= known.order:
                        times = int(exponent // known.order)
                        rest = join(monomial, ((index, -times * known.order),))
                        expanded: Polynomial = {rest: coefficient}
                        for _ in range(times):
                            expanded = multiply_polynomials(expanded, known.value)
                        waiting.append(expanded)
                        break
                else:
                    total = add_polynomials(total, {monomial: coefficient})
        raise TooLarge

    def product(self, a: Polynomial, b: Polynomial) -> Polynomial:
        """The product of two polynomials, reduced."""
        return self.reduced(multiply_polynomials(a, b))

    def add(self, a: Form, b: Form, factor: int = 1) -> Form:
        """``a + factor*b``."""
        if a.bottom == b.bottom:
            return self.of(add_polynomials(a.top, b.top, factor), a.bottom)
        top = add_polynomials(self.product(a.top, b.bottom), self.product(b.top, a.bottom), factor)
        return self.of(top, self.product(a.bottom, b.bottom))

    def multiply(self, a: Form, b: Form) -> Form:
        """``a*b``."""
        return self.of(self.product(a.top, b.top), self.product(a.bottom, b.bottom))

    def divide(self, a: Form, b: Form) -> Form:
        """``a/b``."""
        if not b.top:
            raise NowhereDefined
        return self.multiply(a, self.inverse(b))

    def inverse(self, a: Form) -> Form:
        """``1/a``, as a monomial where it can be one."""
        if len(a.top) == 1:
            ((monomial, coefficient),) = a.top.items()
            # Others stay below the line: relations do not reduce negative powers.
            if all(self.parts[index].free for index, _ in monomial):
                inverse = {raised(monomial, -1): 1 / coefficient}
                return self.of(self.product(a.bottom, inverse))
        return self.of(a.bottom, a.top)

    def scaled(self, a: Form, factor: Any) -> Form:
        """``factor*a``."""
        return self.of({m: c * factor for m, c in a.top.items()} if factor != 0 else {}, a.bottom)

    def integer_power(self, a: Form, n: int) -> Form:
        """``a^n``."""
        if n < 0:
            if not a.top:
                raise NowhereDefined
            return self.integer_power(self.inverse(a), -n)
        # A single monomial has large powers without an expansion.
        if len(a.top) <= 1 and a.bottom == ONE and n > LARGEST_POWER:
            if not a.top:
                return a
            ((monomial, coefficient),) = a.top.items()
            if coefficient == 1 and all(self.parts[i].relation is None for i, _ in monomial):
                return self.of({raised(monomial, n): coefficient})
        if n > LARGEST_POWER:
            return self.opaque(f"power {n}", (a,))
        result = self.of(ONE)
        for _ in range(n):
            result = self.multiply(result, a)
        return result


def is_square(form: Form) -> bool:
    """Whether a form is seen to be a square."""
    return form.bottom == ONE and bool(form.top) and polynomial_root(form.top) is not None


def as_fraction(number: Any) -> Fraction:
    """A rational of flint's as Python's."""
    return Fraction(int(number.p), int(number.q))


def as_rational(number: Exponent) -> Any:
    """A rational of Python's as flint's."""
    exact = Fraction(number)
    return fmpq(exact.numerator, exact.denominator)


def leading(polynomial: Polynomial) -> Any:
    """The coefficient of the first monomial in one fixed order."""
    # What a form is scaled by must not depend on the order in which its terms were added.
    return polynomial[min(polynomial, key=lambda m: [(i, Fraction(e)) for i, e in m])]

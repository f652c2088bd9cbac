"""Fractions of polynomials in irreducible parts: the numbers that exact algebra computes with."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from symbed.verdicts.algebra import laurent
from symbed.verdicts.algebra.laurent import (
    UNIT,
    Exponent,
    Polynomial,
    Relation,
    TooLarge,
    constant,
    part,
)
from symbed.verdicts.arithmetic.values import fmpq

MOST_PARTS = 40
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
        if list(self.top) == [UNIT] and list(self.bottom) == [UNIT]:
            return self.top[UNIT] / self.bottom[UNIT]
        return None


@dataclass(frozen=True, eq=False)
class Part:
    """Something that is not taken apart further.

    Attributes
    ----------
    name : str
        Of the function, or of the variable.
    arguments : tuple of Form
        Forms it is applied to.
    positive : bool
        Whether it is never negative where it is defined.
    free : bool
        Whether it may have negative exponents: it has no relation, and is no zero by itself.
    relation : Relation or None
        What one of its powers is, or None.
    """

    name: str
    arguments: tuple[Form, ...] = ()
    positive: bool = False
    free: bool = True
    relation: Relation | None = None


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
            same = known.name == name and len(known.arguments) == len(arguments)
            if same and all(map(self.equal, known.arguments, arguments)):
                return index
        if len(self.parts) >= MOST_PARTS:
            raise TooLarge
        self.parts.append(Part(name, arguments, positive, free, relation))
        return len(self.parts) - 1

    def opaque(self, name: str, arguments: tuple[Form, ...]) -> Form:
        """A function that no rule takes apart."""
        return self.of(part(self.part_index(name, arguments, free=False)))

    def relation_of(self, index: int) -> Relation | None:
        """What a power of a part is, if that is known."""
        return self.parts[index].relation

    def of(self, top: Polynomial, bottom: Polynomial | None = None) -> Form:
        """A polynomial, or one over another, as a form."""
        return Form(top, ONE if bottom is None else bottom)

    def equal(self, a: Form, b: Form) -> bool:
        """Whether two forms are one."""
        left = laurent.multiply(a.top, b.bottom)
        return not self.reduced(laurent.add(left, laurent.multiply(b.top, a.bottom), -1))

    def reduced(self, polynomial: Polynomial) -> Polynomial:
        """A polynomial with the known powers of its parts replaced."""
        return laurent.reduce(polynomial, self.relation_of)

    def product(self, a: Polynomial, b: Polynomial) -> Polynomial:
        """The product of two polynomials, reduced."""
        return self.reduced(laurent.multiply(a, b))

    def add(self, a: Form, b: Form, factor: int = 1) -> Form:
        """``a + factor*b``."""
        if a.bottom == b.bottom:
            return self.of(laurent.add(a.top, b.top, factor), a.bottom)
        top = laurent.add(self.product(a.top, b.bottom), self.product(b.top, a.bottom), factor)
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
            if all(self.parts[index].free for index, _ in monomial):
                inverse = {laurent.raised(monomial, -1): 1 / coefficient}
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
        if len(a.top) <= 1 and a.bottom == ONE and n > LARGEST_POWER:
            if not a.top:
                return a
            ((monomial, coefficient),) = a.top.items()
            if coefficient == 1 and all(self.parts[i].relation is None for i, _ in monomial):
                return self.of({laurent.raised(monomial, n): coefficient})
        if n > LARGEST_POWER:
            return self.opaque(f"power {n}", (a,))
        result = self.of(ONE)
        for _ in range(n):
            result = self.multiply(result, a)
        return result


def is_square(form: Form) -> bool:
    """Whether a form is seen to be a square."""
    return form.bottom == ONE and bool(form.top) and laurent.square_root(form.top) is not None


def as_fraction(number: Any) -> Fraction:
    """A rational of flint's as Python's."""
    return Fraction(int(number.p), int(number.q))


def as_rational(number: Exponent) -> Any:
    """A rational of Python's as flint's."""
    exact = Fraction(number)
    return fmpq(exact.numerator, exact.denominator)


def leading(polynomial: Polynomial) -> Any:
    """The coefficient of the first monomial in one fixed order."""
    return polynomial[min(polynomial, key=lambda m: [(i, Fraction(e)) for i, e in m])]

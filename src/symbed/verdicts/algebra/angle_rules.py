"""Sines and cosines of sums, multiples, special angles and arc functions, as algebra has them."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from math import lcm

from symbed.verdicts.algebra.part_fractions import (
    ONE,
    Form,
    Monomial,
    Relation,
    add_polynomials,
    as_fraction,
    as_rational,
    leading,
    part,
)
from symbed.verdicts.algebra.power_rules import PowerRules
from symbed.verdicts.arithmetic.values import fmpq

LARGEST_MULTIPLE = 12  # of an angle


SQUARE_ROOTS_OF_SINES: Mapping[Fraction, tuple[Fraction, int]] = {
    # sin(q*pi) = factor * sqrt(number)
    Fraction(0): (Fraction(0), 1),
    Fraction(1, 6): (Fraction(1, 2), 1),
    Fraction(1, 4): (Fraction(1, 2), 2),
    Fraction(1, 3): (Fraction(1, 2), 3),
    Fraction(1, 2): (Fraction(1), 1),
}


class FinerAngle(Exception):
    """An angle turned up in a fraction that the unit chosen so far does not divide."""


class AngleRules(PowerRules):
    """Fractions with sines, cosines and arc functions.

    ``units`` says into how many parts each kind of angle is cut so far; it grows by ``FinerAngle``.
    """

    def __init__(self, units: dict[Monomial, int]) -> None:
        super().__init__()
        self.units = units
        self.pi = self.part_index("pi", positive=True)

    def sine_cosine(self, a: Form) -> tuple[Form, Form]:
        """Sine and cosine of a sum, by those of its terms."""
        # A quotient is no sum of terms; it is one angle.
        if a.bottom != ONE:
            return self._angle(a)
        sine, cosine = self.of({}), self.of(ONE)
        for term, coefficient in sorted(a.top.items()):
            s, c = self._term(term, as_fraction(coefficient))
            sine, cosine = (
                self.add(self.multiply(sine, c), self.multiply(cosine, s)),
                self.add(self.multiply(cosine, c), self.multiply(sine, s), -1),
            )
        return sine, cosine

    def _term(self, term: Monomial, number: Fraction) -> tuple[Form, Form]:
        if term == ((self.pi, 1),):
            # Roots instead of parts of their own, so that sin(pi/4) meets sqrt(2)/2.
            special = self._special(number)
            if special is not None:
                return special
        inverse = self._inverse_angle(term, number)
        if inverse is not None:
            return inverse
        # sin(x) and sin(x/2) are seen to be related only as polynomials in one angle, here x/2.
        # A finer unit makes parts made so far useless: the caller starts again with the units.
        unit = self.units.setdefault(term, 1)
        if (number * unit).denominator != 1:
            self.units[term] = lcm(unit, number.denominator)
            raise FinerAngle
        times = int(number * unit)
        # Expansions grow with the multiple; beyond, the angle is a part of its own.
        if abs(times) > LARGEST_MULTIPLE:
            return self._angle(self.of({term: as_rational(number)}))
        s, c = self._angle(self.of({term: fmpq(1, unit)}))
        sine, cosine = self.of({}), self.of(ONE)
        for _ in range(abs(times)):
            sine, cosine = (
                self.add(self.multiply(sine, c), self.multiply(cosine, s)),
                self.add(self.multiply(cosine, c), self.multiply(sine, s), -1),
            )
        return (sine, cosine) if times > 0 else (self.scaled(sine, fmpq(-1)), cosine)

    def _angle(self, a: Form) -> tuple[Form, Form]:
        scale = leading(a.top) if a.top else fmpq(1)
        # Sine is odd and cosine even: an angle and its negative are one part.
        side = 1 if scale > 0 else -1
        argument = self.scaled(a, fmpq(side))
        cosine = self.part_index("cos", (argument,), free=False)
        # sin^2 = 1 - cos^2 leaves sines to the power 1 at most.
        square = add_polynomials(ONE, part(cosine, 2), -1)
        sine = self.part_index("sin", (argument,), False, False, Relation(2, square))
        return self.scaled(self.of(part(sine)), fmpq(side)), self.of(part(cosine))

    def _special(self, turns: Fraction) -> tuple[Form, Form] | None:
        """Sine and cosine of a rational multiple of pi, where roots express them."""
        values = []
        # cos(q*pi) = sin(q*pi + pi/2).
        for shifted in (turns, turns + Fraction(1, 2)):
            reduced = shifted % 2
            side = -1 if reduced > 1 else 1
            reduced = reduced % 1
            # The sine is symmetric about pi/2.
            known = SQUARE_ROOTS_OF_SINES.get(min(reduced, 1 - reduced))
            if known is None:
                return None
            factor, number = known
            root = self.prime_power(number, Fraction(1, 2)) if number > 1 else self.of(ONE)
            values.append(self.scaled(root, as_rational(factor) * side))
        return values[0], values[1]

    def _inverse_angle(self, term: Monomial, number: Fraction) -> tuple[Form, Form] | None:
        """Sine and cosine of an arc function, which are algebraic."""
        if len(term) != 1 or term[0][1] != 1 or abs(number) != 1:
            return None
        known = self.parts[term[0][0]]
        if known.name not in ("asin", "atan"):
            return None
        u = known.arguments[0]
        square = self.multiply(u, u)
        one = self.of(ONE)
        if known.name == "asin":
            # Within pi/2 of zero, as arc sines and arc tangents are, no cosine is negative.
            sine, cosine = u, self.root(self.add(one, square, -1), Fraction(1, 2))
        else:
            cosine = self.divide(one, self.root(self.add(one, square), Fraction(1, 2)))
            sine = self.multiply(u, cosine)
        return self.scaled(sine, as_rational(number)), cosine

    def arc(self, name: str, a: Form) -> Form:
        """An odd arc function."""
        scale = leading(a.top) if a.top else fmpq(0)
        if scale == 0:
            return a
        side = 1 if scale > 0 else -1
        return self.scaled(
            self.of(part(self.part_index(name, (self.scaled(a, fmpq(side)),), free=False))),
            fmpq(side),
        )

"""Powers, exponentials, magnitudes, sines and arc functions of fractions of irreducible parts.

Products of exponentials and of powers are joined, logarithms of products and sums of angles taken
apart.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from math import lcm
from typing import Any

from symbed.verdicts.algebra._part_fractions import (
    ONE,
    UNIT,
    Exponent,
    Form,
    Monomial,
    NowhereDefined,
    PartFractions,
    Polynomial,
    Relation,
    add_polynomials,
    as_fraction,
    as_rational,
    constant,
    join,
    leading,
    multiply_polynomials,
    part,
    polynomial_root,
    raised,
)
from symbed.verdicts.arithmetic.values import fmpq

LARGEST_PRIME = 1000  # constants are factored by trial division up to here


class PowerRules(PartFractions):
    """Fractions with powers that are no integers, and with the functions that make products."""

    def exponential(self, a: Form) -> Form:
        """``exp(a)``: exponentials of its terms, powers where these are logarithms."""
        if a.bottom != ONE:
            return self.opaque("exp", (a,))
        monomial: Monomial = UNIT
        factor = self.of(ONE)
        for term, coefficient in a.top.items():
            number = as_fraction(coefficient)
            logarithm = self._logarithm_in(term)
            if logarithm is not None:
                factor = self.multiply(factor, self.root(logarithm, number))
                continue
            # The coefficient becomes an exponent, so that exp(2*x) is exp(x)^2.
            index = self.part_index("exp", (self.of({term: fmpq(1)}),), positive=True)
            monomial = join(monomial, ((index, whole_or_fraction(number)),))
        return self.multiply(factor, self.of({monomial: fmpq(1)}))

    def _logarithm_in(self, term: Monomial) -> Form | None:
        """The u of a term that is ``ln(u)`` and nothing else."""
        if len(term) == 1 and term[0][1] == 1 and self.parts[term[0][0]].name == "ln":
            return self.parts[term[0][0]].arguments[0]
        return None

    def logarithm(self, a: Form) -> Form:
        """``ln(a)``: the sum over its factors, where each is known to have a logarithm."""
        if not a.top:
            raise NowhereDefined
        if len(a.top) > 1 or len(a.bottom) > 1:
            return self.of(part(self.part_index("ln", (a,))))
        ((above, p),), ((below, q),) = a.top.items(), a.bottom.items()
        monomial, number = join(above, raised(below, -1)), p / q
        # ln(x*y) is defined where both are negative, too. With one factor of unknown sign, that
        # factor must be positive wherever the logarithm is defined.
        unknown = [(i, e) for i, e in monomial if not self.parts[i].positive and not is_even(e)]
        if number < 0 or len(unknown) > 1:
            return self.of(part(self.part_index("ln", (a,))))
        total = self.of({})
        for prime, times in factored(number):
            index = self.part_index("ln", (self.of(constant(fmpq(prime))),))
            total = self.add(total, self.scaled(self.of(part(index)), fmpq(times)))
        for index, exponent in monomial:
            known = self.parts[index]
            if known.name == "exp":
                inner = known.arguments[0]
            else:
                of = self.of(part(index))
                # ln(x^2) is 2*ln|x|.
                if not known.positive and is_even(exponent):
                    of = self.absolute(of, None)
                inner = self.of(part(self.part_index("ln", (of,))))
            total = self.add(total, self.scaled(inner, as_rational(exponent)))
        return total

    def power(self, a: Form, b: Form, sign: int | None) -> Form:
        """``a^b``; ``sign`` is that of ``a`` on the whole domain, if it has one."""
        number = b.number
        if number is not None:
            if number.q == 1:
                return self.integer_power(a, int(number.p))
            return self.root(a, as_fraction(number))
        # a^b = exp(b*ln(a)) needs a positive base; at zero the left side may be defined alone.
        base = a.number
        if (base is not None and base > 0) or sign == 1:
            return self.exponential(self.multiply(b, self.logarithm(a)))
        return self.opaque("^", (a, b))

    def root(self, a: Form, exponent: Fraction) -> Form:
        """``a`` to a power that is no integer, defined where ``a`` is not negative."""
        if exponent.denominator == 1:
            return self.integer_power(a, exponent.numerator)
        if not a.top:
            if exponent < 0:
                raise NowhereDefined
            return a
        if a.bottom != ONE:
            # Over an even denominator n/d has the root of n*d, over |d|; others stay as they are.
            if exponent == Fraction(1, 2):
                inner = self.root(self.of(self.product(a.top, a.bottom)), exponent)
                return self.divide(inner, self.absolute(self.of(a.bottom), None))
            return self.opaque(f"power {exponent}", (a,))
        # sqrt(4*x^2*(y + 1)) is 2*|x|*sqrt(y + 1): a number, a monomial and what remains.
        content, rest = self._content(a.top)
        outside = self.of(ONE)
        for index, e in content:
            known = self.parts[index]
            base = self.of(part(index))
            if not known.positive and is_even(e):
                base = self.absolute(base, None)
                if len(base.top) != 1:
                    return self.opaque(f"power {exponent}", (a,))
            outside = self.multiply(
                outside, self._part_power(base, whole_or_fraction(e * exponent))
            )
        if list(rest) == [UNIT]:
            number = rest[UNIT]
            if number < 0:
                return self.opaque(f"power {exponent}", (a,))
        else:
            # Only a positive factor leaves a root; a sign stays inside.
            number = abs(leading(rest))
            rest = {m: c / number for m, c in rest.items()}
            outside = self.multiply(outside, self._root_part(rest, exponent))
        for prime, e in factored(number):
            outside = self.multiply(outside, self.prime_power(prime, e * exponent))
        return outside

    def cube_root(self, a: Form) -> Form:
        """The real cube root, whose cube is its argument."""
        if a.bottom != ONE or not a.top:
            return self.opaque("cbrt", (a,)) if a.top else a
        # Odd: cbrt(y - x) and -cbrt(x - y) are one part.
        side = 1 if leading(a.top) > 0 else -1
        inner = self.scaled(a, fmpq(side))
        root = self.part_index("cbrt", (inner,), free=False, relation=Relation(3, inner.top))
        return self.scaled(self.of(part(root)), fmpq(side))

    def _part_power(self, base: Form, exponent: Exponent) -> Form:
        ((monomial, coefficient),) = base.top.items()
        if coefficient != 1 or len(monomial) != 1:
            return self.opaque(f"power {exponent}", (base,))
        if isinstance(exponent, int):
            return self.integer_power(base, exponent)
        known = self.parts[monomial[0][0]]
        if known.relation is not None and known.name != "abs":
            return self.opaque(f"power {exponent}", (base,))
        return self.of({raised(monomial, exponent): fmpq(1)})

    def prime_power(self, prime: int, exponent: Fraction) -> Form:
        """A prime to a rational power: a rational times a root below it."""
        # The floor, also of a negative exponent: 2^(-1/2) is 1/2*sqrt(2), without a denominator.
        whole = exponent.numerator // exponent.denominator
        rest = exponent - whole
        number = self.of(constant(fmpq(prime) ** whole))
        if rest == 0:
            return number
        relation = Relation(rest.denominator, constant(fmpq(prime)))
        root = self.part_index(
            f"root {rest.denominator}", (self.of(constant(fmpq(prime))),), True, False, relation
        )
        return self.multiply(number, self.of(part(root, rest.numerator)))

    def _root_part(self, rest: Polynomial, exponent: Fraction) -> Form:
        # sqrt(u^2) is |u|, which is another function than u.
        if exponent.denominator % 2 == 0:
            base = polynomial_root(rest)
            if base is not None:
                return self.root(self.absolute(self.of(self.reduced(base)), None), 2 * exponent)
        if exponent.denominator == 2:
            for index, known in enumerate(self.parts):
                relation = known.relation
                if relation is not None and relation.order == 2 and relation.value == rest:
                    # The root of 1 - cos(x)^2 is |sin(x)|.
                    absolute = self.absolute(self.of(part(index)), None)
                    return self.integer_power(absolute, exponent.numerator)
        relation = Relation(exponent.denominator, rest)
        root = self.part_index(
            f"root {exponent.denominator}", (self.of(rest),), True, False, relation
        )
        return self.integer_power(self.of(part(root)), exponent.numerator)

    def _content(self, polynomial: Polynomial) -> tuple[Monomial, Polynomial]:
        """The largest monomial that may be taken out of a root, and what remains."""
        indices = {index for monomial in polynomial for index, _ in monomial}
        lowest = {
            index: min(dict(monomial).get(index, 0) for monomial in polynomial)
            for index in sorted(indices)
        }
        single = len(polynomial) == 1
        odd = [
            index
            for index, e in lowest.items()
            if e != 0 and not self.parts[index].positive and not is_even(e)
        ]
        taken: list[tuple[int, Exponent]] = []
        for index, e in lowest.items():
            if e == 0:
                continue
            if index not in odd or (single and len(odd) == 1):
                # A single odd factor must be positive wherever the root is defined.
                taken.append((index, e))
            elif isinstance(e, int) and e != 1:
                taken.append((index, e - 1))  # x^-1 - y is x^-2*(x - x^2*y)
        content = tuple(taken)
        inverse = {raised(content, -1): fmpq(1)}
        return content, multiply_polynomials(polynomial, inverse)

    # Where the form switches

    def absolute(self, a: Form, sign: int | None) -> Form:
        """``abs(a)``, by ``sign`` where it is known on the whole domain."""
        if sign is not None:
            return a if sign > 0 else self.scaled(a, fmpq(-1))
        if a.bottom != ONE:
            top, bottom = self.of(a.top), self.of(a.bottom)
            return self.divide(self.absolute(top, None), self.absolute(bottom, None))
        if len(a.top) == 1:
            ((monomial, coefficient),) = a.top.items()
            result = self.of(constant(abs(coefficient)))
            for index, exponent in monomial:
                known = self.parts[index]
                if known.positive or is_even(exponent) or not isinstance(exponent, int):
                    factor = self.of(part(index, exponent))
                else:
                    # |x|^3 is |x|*x^2, and |x|^-1 is |x|*x^-2.
                    squared = Relation(2, part(index, 2))
                    of = self.of(part(index))
                    # |x|^2 = x^2 leaves magnitudes to the power 1 at most.
                    absolute = self.part_index("abs", (of,), True, False, squared)
                    rest = part(index, exponent - 1) if exponent != 1 else ONE
                    factor = self.of(multiply_polynomials(part(absolute), rest))
                result = self.multiply(result, factor)
            return result
        if not a.top:
            return a
        scale = leading(a.top)
        # |y - x| and |x - y| are one part, as are |2*x - 2*y| and 2*|x - y|.
        polynomial = {m: c / scale for m, c in a.top.items()}
        squared = Relation(2, self.product(polynomial, polynomial))
        absolute = self.part_index("abs", (self.of(polynomial),), True, False, squared)
        return self.of({((absolute, 1),): abs(scale)})

    def extremum(self, name: str, a: Form, b: Form) -> Form:
        """``min`` or ``max`` of two, by the magnitude of their difference."""
        # max(a, b) = (a + b + |a - b|)/2.
        difference = self.absolute(self.add(a, b, -1), None)
        side = 1 if name == "max" else -1
        return self.scaled(self.add(self.add(a, b), difference, side), fmpq(1, 2))


def is_even(exponent: Exponent) -> bool:
    """Whether an exponent is an even integer."""
    return isinstance(exponent, int) and exponent % 2 == 0


def whole_or_fraction(number: Exponent) -> Exponent:
    """An exponent as an integer where it is one."""
    return int(number) if Fraction(number).denominator == 1 else number


def factored(number: Any) -> list[tuple[int, int]]:
    """The prime powers of a positive rational; a rest without small factors stays whole."""
    factors: dict[int, int] = {}
    for whole, side in ((int(number.p), 1), (int(number.q), -1)):
        prime = 2
        while whole > 1 and prime <= LARGEST_PRIME:
            while whole % prime == 0:
                factors[prime] = factors.get(prime, 0) + side
                whole //= prime
            prime += 1 if prime == 2 else 2
        if whole > 1:
            factors[whole] = factors.get(whole, 0) + side
    return sorted((p, e) for p, e in factors.items() if e)


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
            sine, cosine = self._turned(sine, cosine, s, c)
        return sine, cosine

    def _turned(self, sine: Form, cosine: Form, s: Form, c: Form) -> tuple[Form, Form]:
        """Sine and cosine of the sum of two angles, by the addition theorems."""
        return (
            self.add(self.multiply(sine, c), self.multiply(cosine, s)),
            self.add(self.multiply(cosine, c), self.multiply(sine, s), -1),
        )

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
            sine, cosine = self._turned(sine, cosine, s, c)
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

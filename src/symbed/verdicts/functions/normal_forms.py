"""Formulas as fractions of polynomials in their irreducible parts, to prove that two are identical.

Sums of angles are expanded, hyperbolic functions written by exponentials, products of exponentials
and of powers joined, logarithms of products taken apart. Every step is an identity wherever both of
its sides are defined; so two formulas with one normal form are equal wherever both are defined.
Two formulas with different normal forms may still be equal.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from math import lcm
from typing import Any

from symbed.language.operators import Operator
from symbed.verdicts.arithmetic.ball_programs import BallProgram
from symbed.verdicts.arithmetic.balls import (
    LAZY_OPERATIONS,
    Value,
    as_ball,
    exact_rational,
    is_defined,
    sign_of,
)
from symbed.verdicts.arithmetic.flint_access import fmpq
from symbed.verdicts.functions import laurent
from symbed.verdicts.functions.laurent import (
    UNIT,
    Exponent,
    Monomial,
    Polynomial,
    Relation,
    TooLarge,
    constant,
    part,
)
from symbed.verdicts.functions.switches import strict_steps

MOST_PARTS = 40
MOST_STEPS = 120  # longer formulas are not expanded
LARGEST_POWER = 10  # of a sum
LARGEST_MULTIPLE = 12  # of an angle
LARGEST_PRIME = 1000  # constants are factored by trial division up to here
MOST_RESTARTS = 6


# What an operand must be for an operator to be defined.
NEEDED = {
    "/": "not zero", "^-1": "not zero", "sqrt": "not negative", "ln": "positive",
    "log10": "positive", "log2": "positive", "asin": "within one", "acos": "within one",
    "tan": "no pole",
}  # fmt: skip


class NowhereDefined(Exception):
    """A division by, or a logarithm of, something that is identically zero."""


class _FinerAngle(Exception):
    """An angle turned up in a fraction that the unit chosen so far does not divide."""


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
class Condition:
    """What must hold for a formula to be defined.

    Attributes
    ----------
    kind : str
        What the form must be.
    form : Form or None
        Of what; None where only the same step is the same condition.
    place : int
        The step that needs it.
    """

    kind: str
    form: Form | None
    place: int


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
SQUARE_ROOTS_OF_SINES: Mapping[Fraction, tuple[Fraction, int]] = {
    # sin(q*pi) = factor * sqrt(number)
    Fraction(0): (Fraction(0), 1),
    Fraction(1, 6): (Fraction(1, 2), 1),
    Fraction(1, 4): (Fraction(1, 2), 2),
    Fraction(1, 3): (Fraction(1, 2), 3),
    Fraction(1, 2): (Fraction(1), 1),
}


@dataclass(frozen=True, eq=False)
class Algebra:
    """What exact algebra says about the two formulas of a program.

    Attributes
    ----------
    identical : bool
        Whether they are equal wherever both are defined.
    same_domain : bool
        Whether they are defined at the same points.
    constants : mapping
        Steps that are one rational number wherever they are defined.
    nowhere : frozenset of int
        Steps that are defined nowhere.
    """

    identical: bool = False
    same_domain: bool = False
    constants: Mapping[int, Any] = field(default_factory=dict)
    nowhere: frozenset[int] = frozenset()


def analyze(program: BallProgram, nonnegative: frozenset[str], ranges: Sequence[Value]) -> Algebra:
    """Look for identities; nothing is said of formulas that are too large to be expanded.

    Parameters
    ----------
    program : BallProgram
        With the two formulas as its roots.
    nonnegative : frozenset of str
        Variables that are never negative on the domain.
    ranges : sequence
        For each step an enclosure of its values on the whole domain.
    """
    if len(program.steps) > MOST_STEPS:
        return Algebra()
    units: dict[Monomial, int] = {}
    for _ in range(MOST_RESTARTS):
        try:
            return _Normalizer(program, nonnegative, ranges, units).algebra()
        except _FinerAngle:
            continue
        except TooLarge:
            return Algebra()
    return Algebra()


class _Normalizer:
    def __init__(
        self,
        program: BallProgram,
        nonnegative: frozenset[str],
        ranges: Sequence[Value],
        units: dict[Monomial, int],
    ) -> None:
        self.program, self.nonnegative, self.ranges, self.units = (
            program,
            nonnegative,
            ranges,
            units,
        )
        signs = {p: sign_of(value) for p, value in enumerate(ranges) if is_defined(value)}
        self.signs = {place: sign for place, sign in signs.items() if sign}
        self.parts: list[Part] = []
        self.pi = self._part("pi", positive=True)

    def algebra(self) -> Algebra:
        results: list[Form | None] = []  # None: defined nowhere
        for place, step in enumerate(self.program.steps):
            below = [results[operand] for operand in step.operands]
            try:
                results.append(self._step(place, step.item, below, step.operands))
            except NowhereDefined:
                results.append(None)
        e, f = (results[root] for root in self.program.roots)
        numbers = {p: form.number for p, form in enumerate(results) if form is not None}
        conditions = [self._conditions(root, results) for root in self.program.roots]
        return Algebra(
            e is not None and f is not None and self.equal(e, f),
            self._imply(*conditions) and self._imply(*reversed(conditions)),
            {p: n for p, n in numbers.items() if n is not None and self.program.steps[p].operands},
            frozenset(place for place, form in enumerate(results) if form is None),
        )

    def _conditions(self, root: int, results: list[Form | None]) -> list[Condition] | None:
        """What must hold for a formula to be defined; None where that is not known.

        Conditions that hold on the whole domain are left out.
        """
        conditions: list[Condition] = []
        below = strict_steps(self.program, root)
        for place in sorted(below):
            step = self.program.steps[place]
            if isinstance(step.item, float) and step.item - step.item != 0:
                return None
            if not isinstance(step.item, Operator) or not step.operands:
                continue
            name = step.item.name
            if name in LAZY_OPERATIONS:
                # What the other operand needs, and where, is not looked into.
                conditions.append(Condition(f"step {place}", None, place))
                continue
            needed = self._needed(name, step.operands, results)
            if needed is None:
                continue
            kind, operand = needed
            if kind == "same":
                conditions.append(Condition(kind, None, place))
                continue
            form = results[operand]
            if form is None:
                return None
            if kind == "no pole":
                form = self.sine_cosine(form)[1]
            elif self._holds(kind, operand) or (kind == "not negative" and _is_square(form)):
                continue
            conditions.append(Condition(kind, form, place))
        return conditions

    def _needed(
        self, name: str, operands: tuple[int, ...], results: list[Form | None]
    ) -> tuple[str, int] | None:
        if name != "^":
            kind = NEEDED.get(name)
            return None if kind is None else (kind, operands[1 if name == "/" else 0])
        exponent = results[operands[1]]
        number = None if exponent is None else exponent.number
        if number is None:
            return "same", operands[0]
        if number.q == 1:
            return None if number >= 0 else ("not zero", operands[0])
        return ("not negative" if number > 0 else "positive"), operands[0]

    def _holds(self, kind: str, place: int) -> bool:
        value = self.ranges[place]
        if not is_defined(value):
            return False
        side = sign_of(value)
        if kind == "not zero":
            return bool(side)
        if kind == "within one":
            return bool(abs(as_ball(value)) <= 1)
        if kind == "not negative" and side is None:
            return bool(as_ball(value).lower() >= 0)
        return side == 1 or (side == 0 and kind == "not negative")

    def _imply(self, given: list[Condition] | None, needed: list[Condition] | None) -> bool:
        """Whether every needed condition is among the given ones."""
        if given is None or needed is None:
            return False
        return all(any(self._same(one, other) for other in given) for one in needed)

    def _same(self, a: Condition, b: Condition) -> bool:
        if a.form is None or b.form is None:
            return a.place == b.place
        poles = {"not zero", "no pole"}
        if a.kind != b.kind and {a.kind, b.kind} != poles:
            return False
        if not a.form.top or not b.form.top:
            return not a.form.top and not b.form.top
        # A pole is a zero of the cosine. The scale does not matter, nor the sign of a zero.
        scales = _leading(a.form.top), _leading(b.form.top)
        if a.kind == "within one":
            scales = fmpq(1), fmpq(1)
        elif a.kind not in poles:
            scales = abs(scales[0]), abs(scales[1])
        return self.equal(self.scaled(a.form, scales[1]), self.scaled(b.form, scales[0]))

    def _step(
        self, place: int, item: Any, forms: list[Form | None], operands: tuple[int, ...]
    ) -> Form:
        below = [form for form in forms if form is not None]
        if len(below) < len(forms):
            if item.name in LAZY_OPERATIONS:
                return self._opaque(f"step {place}", ())
            raise NowhereDefined
        if isinstance(item, str):
            return self._of(part(self._part(item, positive=item in self.nonnegative)))
        if isinstance(item, float):
            if item - item != 0:
                raise NowhereDefined
            return self._of(constant(exact_rational(item)))
        rule = RULES.get(item.name)
        if rule is not None:
            return rule(self, *below)
        if item.name == "abs":
            return self._absolute(below[0], self.signs.get(operands[0]))
        if item.name in ("min", "max"):
            return self._extremum(item.name, *below)
        if item.name == "^":
            return self._power(below[0], below[1], self.signs.get(operands[0]))
        return self._opaque(item.name, tuple(below))

    # Parts

    def _part(
        self,
        name: str,
        arguments: tuple[Form, ...] = (),
        positive: bool = False,
        free: bool = True,
        relation: Relation | None = None,
    ) -> int:
        for index, known in enumerate(self.parts):
            same = known.name == name and len(known.arguments) == len(arguments)
            if same and all(map(self.equal, known.arguments, arguments)):
                return index
        if len(self.parts) >= MOST_PARTS:
            raise TooLarge
        self.parts.append(Part(name, arguments, positive, free, relation))
        return len(self.parts) - 1

    def _opaque(self, name: str, arguments: tuple[Form, ...]) -> Form:
        return self._of(part(self._part(name, arguments, free=False)))

    def _relation(self, index: int) -> Relation | None:
        return self.parts[index].relation

    # Fractions

    def _of(self, top: Polynomial, bottom: Polynomial | None = None) -> Form:
        return Form(top, ONE if bottom is None else bottom)

    def equal(self, a: Form, b: Form) -> bool:
        """Whether two forms are one."""
        left = laurent.multiply(a.top, b.bottom)
        return not self._reduced(laurent.add(left, laurent.multiply(b.top, a.bottom), -1))

    def _reduced(self, polynomial: Polynomial) -> Polynomial:
        return laurent.reduce(polynomial, self._relation)

    def _product(self, a: Polynomial, b: Polynomial) -> Polynomial:
        return self._reduced(laurent.multiply(a, b))

    def add(self, a: Form, b: Form, factor: int = 1) -> Form:
        if a.bottom == b.bottom:
            return self._of(laurent.add(a.top, b.top, factor), a.bottom)
        top = laurent.add(self._product(a.top, b.bottom), self._product(b.top, a.bottom), factor)
        return self._of(top, self._product(a.bottom, b.bottom))

    def multiply(self, a: Form, b: Form) -> Form:
        return self._of(self._product(a.top, b.top), self._product(a.bottom, b.bottom))

    def divide(self, a: Form, b: Form) -> Form:
        if not b.top:
            raise NowhereDefined
        return self.multiply(a, self._inverse(b))

    def _inverse(self, a: Form) -> Form:
        if len(a.top) == 1:
            ((monomial, coefficient),) = a.top.items()
            if all(self.parts[index].free for index, _ in monomial):
                inverse = {laurent.raised(monomial, -1): 1 / coefficient}
                return self._of(self._product(a.bottom, inverse))
        return self._of(a.bottom, a.top)

    def scaled(self, a: Form, factor: Any) -> Form:
        return self._of({m: c * factor for m, c in a.top.items()} if factor != 0 else {}, a.bottom)

    def integer_power(self, a: Form, n: int) -> Form:
        if n < 0:
            if not a.top:
                raise NowhereDefined
            return self.integer_power(self._inverse(a), -n)
        if len(a.top) <= 1 and a.bottom == ONE and n > LARGEST_POWER:
            if not a.top:
                return a
            ((monomial, coefficient),) = a.top.items()
            if coefficient == 1 and all(self.parts[i].relation is None for i, _ in monomial):
                return self._of({laurent.raised(monomial, n): coefficient})
        if n > LARGEST_POWER:
            return self._opaque(f"power {n}", (a,))
        result = self._of(ONE)
        for _ in range(n):
            result = self.multiply(result, a)
        return result

    # Exponentials, logarithms, powers

    def exponential(self, a: Form) -> Form:
        if a.bottom != ONE:
            return self._opaque("exp", (a,))
        monomial: Monomial = UNIT
        factor = self._of(ONE)
        for term, coefficient in a.top.items():
            number = _fraction(coefficient)
            logarithm = self._logarithm_in(term)
            if logarithm is not None:
                factor = self.multiply(factor, self._root(logarithm, number))
                continue
            index = self._part("exp", (self._of({term: fmpq(1)}),), positive=True)
            monomial = laurent.join(monomial, ((index, _whole(number)),))
        return self.multiply(factor, self._of({monomial: fmpq(1)}))

    def _logarithm_in(self, term: Monomial) -> Form | None:
        """The u of a term that is ``ln(u)`` and nothing else."""
        if len(term) == 1 and term[0][1] == 1 and self.parts[term[0][0]].name == "ln":
            return self.parts[term[0][0]].arguments[0]
        return None

    def logarithm(self, a: Form) -> Form:
        if not a.top:
            raise NowhereDefined
        if len(a.top) > 1 or len(a.bottom) > 1:
            return self._of(part(self._part("ln", (a,))))
        ((above, p),), ((below, q),) = a.top.items(), a.bottom.items()
        monomial, number = laurent.join(above, laurent.raised(below, -1)), p / q
        unknown = [(i, e) for i, e in monomial if not self.parts[i].positive and not _is_even(e)]
        if number < 0 or len(unknown) > 1:
            return self._of(part(self._part("ln", (a,))))
        total = self._of({})
        for prime, times in _factored(number):
            index = self._part("ln", (self._of(constant(fmpq(prime))),))
            total = self.add(total, self.scaled(self._of(part(index)), fmpq(times)))
        for index, exponent in monomial:
            known = self.parts[index]
            if known.name == "exp":
                inner = known.arguments[0]
            else:
                of = self._of(part(index))
                if not known.positive and _is_even(exponent):
                    of = self._absolute(of, None)
                inner = self._of(part(self._part("ln", (of,))))
            total = self.add(total, self.scaled(inner, _rational(exponent)))
        return total

    def _power(self, a: Form, b: Form, sign: int | None) -> Form:
        number = b.number
        if number is not None:
            if number.q == 1:
                return self.integer_power(a, int(number.p))
            return self._root(a, _fraction(number))
        base = a.number
        if (base is not None and base > 0) or sign == 1:
            return self.exponential(self.multiply(b, self.logarithm(a)))
        return self._opaque("^", (a, b))

    def _root(self, a: Form, exponent: Fraction) -> Form:
        """``a`` to a power that is no integer, defined where ``a`` is not negative."""
        if exponent.denominator == 1:
            return self.integer_power(a, exponent.numerator)
        if not a.top:
            if exponent < 0:
                raise NowhereDefined
            return a
        if len(a.bottom) > 1 or a.bottom != ONE:
            # Over an even denominator n/d has the root of n*d, over |d|; others stay as they are.
            if exponent == Fraction(1, 2):
                inner = self._root(self._of(self._product(a.top, a.bottom)), exponent)
                return self.divide(inner, self._absolute(self._of(a.bottom), None))
            return self._opaque(f"power {exponent}", (a,))
        content, rest = self._content(a.top)
        outside = self._of(ONE)
        for index, e in content:
            known = self.parts[index]
            base = self._of(part(index))
            if not known.positive and _is_even(e):
                base = self._absolute(base, None)
                if len(base.top) != 1:
                    return self._opaque(f"power {exponent}", (a,))
            outside = self.multiply(outside, self._part_power(base, _whole(e * exponent)))
        if list(rest) == [UNIT]:
            number = rest[UNIT]
            if number < 0:
                return self._opaque(f"power {exponent}", (a,))
        else:
            number = abs(_leading(rest))
            rest = {m: c / number for m, c in rest.items()}
            outside = self.multiply(outside, self._root_part(rest, exponent))
        for prime, e in _factored(number):
            outside = self.multiply(outside, self._prime_power(prime, e * exponent))
        return outside

    def cube_root(self, a: Form) -> Form:
        """The real cube root, whose cube is its argument."""
        if a.bottom != ONE or not a.top:
            return self._opaque("cbrt", (a,)) if a.top else a
        side = 1 if _leading(a.top) > 0 else -1
        inner = self.scaled(a, fmpq(side))
        root = self._part("cbrt", (inner,), free=False, relation=Relation(3, inner.top))
        return self.scaled(self._of(part(root)), fmpq(side))

    def _part_power(self, base: Form, exponent: Exponent) -> Form:
        ((monomial, coefficient),) = base.top.items()
        if coefficient != 1 or not monomial:
            return self._opaque(f"power {exponent}", (base,))
        if len(monomial) > 1:
            return self._opaque(f"power {exponent}", (base,))
        if isinstance(exponent, int):
            return self.integer_power(base, exponent)
        known = self.parts[monomial[0][0]]
        if known.relation is not None and known.name != "abs":
            return self._opaque(f"power {exponent}", (base,))
        return self._of({laurent.raised(monomial, exponent): fmpq(1)})

    def _prime_power(self, prime: int, exponent: Fraction) -> Form:
        whole = exponent.numerator // exponent.denominator
        rest = exponent - whole
        number = self._of(constant(fmpq(prime) ** whole))
        if rest == 0:
            return number
        relation = Relation(rest.denominator, constant(fmpq(prime)))
        root = self._part(
            f"root {rest.denominator}", (self._of(constant(fmpq(prime))),), True, False, relation
        )
        return self.multiply(number, self._of(part(root, rest.numerator)))

    def _root_part(self, rest: Polynomial, exponent: Fraction) -> Form:
        if exponent.denominator % 2 == 0:
            base = laurent.square_root(rest)
            if base is not None:
                return self._root(self._absolute(self._of(self._reduced(base)), None), 2 * exponent)
        if exponent.denominator == 2:
            for index, known in enumerate(self.parts):
                relation = known.relation
                if relation is not None and relation.order == 2 and relation.value == rest:
                    # The root of 1 - cos(x)^2 is |sin(x)|.
                    absolute = self._absolute(self._of(part(index)), None)
                    return self.integer_power(absolute, exponent.numerator)
        relation = Relation(exponent.denominator, rest)
        root = self._part(f"root {exponent.denominator}", (self._of(rest),), True, False, relation)
        return self.integer_power(self._of(part(root)), exponent.numerator)

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
            if e != 0 and not self.parts[index].positive and not _is_even(e)
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
        inverse = {laurent.raised(content, -1): fmpq(1)}
        return content, laurent.multiply(polynomial, inverse)

    # Where the form switches

    def _absolute(self, a: Form, sign: int | None) -> Form:
        if sign is not None:
            return a if sign > 0 else self.scaled(a, fmpq(-1))
        if a.bottom != ONE:
            top, bottom = self._of(a.top), self._of(a.bottom)
            return self.divide(self._absolute(top, None), self._absolute(bottom, None))
        if len(a.top) == 1:
            ((monomial, coefficient),) = a.top.items()
            result = self._of(constant(abs(coefficient)))
            for index, exponent in monomial:
                known = self.parts[index]
                if known.positive or _is_even(exponent) or not isinstance(exponent, int):
                    factor = self._of(part(index, exponent))
                else:
                    # |x|^3 is |x|*x^2, and |x|^-1 is |x|*x^-2.
                    squared = Relation(2, part(index, 2))
                    of = self._of(part(index))
                    absolute = self._part("abs", (of,), True, False, squared)
                    rest = part(index, exponent - 1) if exponent != 1 else ONE
                    factor = self._of(laurent.multiply(part(absolute), rest))
                result = self.multiply(result, factor)
            return result
        if not a.top:
            return a
        scale = _leading(a.top)
        polynomial = {m: c / scale for m, c in a.top.items()}
        squared = Relation(2, self._product(polynomial, polynomial))
        absolute = self._part("abs", (self._of(polynomial),), True, False, squared)
        return self._of({((absolute, 1),): abs(scale)})

    def _extremum(self, name: str, a: Form, b: Form) -> Form:
        difference = self._absolute(self.add(a, b, -1), None)
        side = 1 if name == "max" else -1
        return self.scaled(self.add(self.add(a, b), difference, side), fmpq(1, 2))

    # Angles

    def sine_cosine(self, a: Form) -> tuple[Form, Form]:
        """Sine and cosine of a sum, by those of its terms."""
        if a.bottom != ONE:
            return self._angle(a)
        sine, cosine = self._of({}), self._of(ONE)
        for term, coefficient in sorted(a.top.items()):
            s, c = self._term(term, _fraction(coefficient))
            sine, cosine = (
                self.add(self.multiply(sine, c), self.multiply(cosine, s)),
                self.add(self.multiply(cosine, c), self.multiply(sine, s), -1),
            )
        return sine, cosine

    def _term(self, term: Monomial, number: Fraction) -> tuple[Form, Form]:
        if term == ((self.pi, 1),):
            special = self._special(number)
            if special is not None:
                return special
        inverse = self._inverse_angle(term, number)
        if inverse is not None:
            return inverse
        unit = self.units.setdefault(term, 1)
        if (number * unit).denominator != 1:
            self.units[term] = lcm(unit, number.denominator)
            raise _FinerAngle
        times = int(number * unit)
        if abs(times) > LARGEST_MULTIPLE:
            return self._angle(self._of({term: _rational(number)}))
        s, c = self._angle(self._of({term: fmpq(1, unit)}))
        sine, cosine = self._of({}), self._of(ONE)
        for _ in range(abs(times)):
            sine, cosine = (
                self.add(self.multiply(sine, c), self.multiply(cosine, s)),
                self.add(self.multiply(cosine, c), self.multiply(sine, s), -1),
            )
        return (sine, cosine) if times > 0 else (self.scaled(sine, fmpq(-1)), cosine)

    def _angle(self, a: Form) -> tuple[Form, Form]:
        scale = _leading(a.top) if a.top else fmpq(1)
        side = 1 if scale > 0 else -1
        argument = self.scaled(a, fmpq(side))
        cosine = self._part("cos", (argument,), free=False)
        square = laurent.add(ONE, part(cosine, 2), -1)
        sine = self._part("sin", (argument,), False, False, Relation(2, square))
        return self.scaled(self._of(part(sine)), fmpq(side)), self._of(part(cosine))

    def _special(self, turns: Fraction) -> tuple[Form, Form] | None:
        """Sine and cosine of a rational multiple of pi, where roots express them."""
        values = []
        for shifted in (turns, turns + Fraction(1, 2)):
            reduced = shifted % 2
            side = -1 if reduced > 1 else 1
            reduced = reduced % 1
            known = SQUARE_ROOTS_OF_SINES.get(min(reduced, 1 - reduced))
            if known is None:
                return None
            factor, number = known
            root = self._prime_power(number, Fraction(1, 2)) if number > 1 else self._of(ONE)
            values.append(self.scaled(root, _rational(factor) * side))
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
        one = self._of(ONE)
        if known.name == "asin":
            sine, cosine = u, self._root(self.add(one, square, -1), Fraction(1, 2))
        else:
            cosine = self.divide(one, self._root(self.add(one, square), Fraction(1, 2)))
            sine = self.multiply(u, cosine)
        return self.scaled(sine, _rational(number)), cosine

    def arc(self, name: str, a: Form) -> Form:
        scale = _leading(a.top) if a.top else fmpq(0)
        if scale == 0:
            return a
        side = 1 if scale > 0 else -1
        return self.scaled(
            self._of(part(self._part(name, (self.scaled(a, fmpq(side)),), free=False))), fmpq(side)
        )


def _hyperbolic(n: _Normalizer, a: Form) -> tuple[Form, Form]:
    return n.exponential(a), n.exponential(n.scaled(a, fmpq(-1)))


def _sinh(n: _Normalizer, a: Form) -> Form:
    grown, shrunk = _hyperbolic(n, a)
    return n.scaled(n.add(grown, shrunk, -1), fmpq(1, 2))


def _cosh(n: _Normalizer, a: Form) -> Form:
    grown, shrunk = _hyperbolic(n, a)
    return n.scaled(n.add(grown, shrunk), fmpq(1, 2))


def _tan(n: _Normalizer, a: Form) -> Form:
    sine, cosine = n.sine_cosine(a)
    return n.divide(sine, cosine)


def _acos(n: _Normalizer, a: Form) -> Form:
    quarter = n._of({((n.pi, 1),): fmpq(1, 2)})
    return n.add(quarter, n.arc("asin", a), -1)


def _logarithm_to(base: int) -> Callable[[_Normalizer, Form], Form]:
    def rule(n: _Normalizer, a: Form) -> Form:
        return n.divide(n.logarithm(a), n.logarithm(n._of(constant(fmpq(base)))))

    return rule


RULES: dict[str, Callable[..., Form]] = {
    "+": lambda n, a, b: n.add(a, b),
    "-": lambda n, a, b: n.add(a, b, -1),
    "*": lambda n, a, b: n.multiply(a, b),
    "/": lambda n, a, b: n.divide(a, b),
    "neg": lambda n, a: n.scaled(a, fmpq(-1)),
    "^2": lambda n, a: n.integer_power(a, 2),
    "^3": lambda n, a: n.integer_power(a, 3),
    "^4": lambda n, a: n.integer_power(a, 4),
    "^5": lambda n, a: n.integer_power(a, 5),
    "^-1": lambda n, a: n.integer_power(a, -1),
    "sqrt": lambda n, a: n._root(a, Fraction(1, 2)),
    "exp": lambda n, a: n.exponential(a),
    "ln": lambda n, a: n.logarithm(a),
    "log10": _logarithm_to(10),
    "log2": _logarithm_to(2),
    "sin": lambda n, a: n.sine_cosine(a)[0],
    "cos": lambda n, a: n.sine_cosine(a)[1],
    "tan": _tan,
    "asin": lambda n, a: n.arc("asin", a),
    "acos": _acos,
    "atan": lambda n, a: n.arc("atan", a),
    "cbrt": lambda n, a: n.cube_root(a),
    "sinh": _sinh,
    "cosh": _cosh,
    "tanh": lambda n, a: n.divide(_sinh(n, a), _cosh(n, a)),
    "sech": lambda n, a: n.divide(n._of(ONE), _cosh(n, a)),
    "pi": lambda n: n._of(part(n.pi)),
    "e": lambda n: n.exponential(n._of(ONE)),
}


def _is_square(form: Form) -> bool:
    return form.bottom == ONE and bool(form.top) and laurent.square_root(form.top) is not None


def _is_even(exponent: Exponent) -> bool:
    return isinstance(exponent, int) and exponent % 2 == 0


def _whole(number: Exponent) -> Exponent:
    return int(number) if Fraction(number).denominator == 1 else number


def _fraction(number: Any) -> Fraction:
    return Fraction(int(number.p), int(number.q))


def _rational(number: Exponent) -> Any:
    exact = Fraction(number)
    return fmpq(exact.numerator, exact.denominator)


def _leading(polynomial: Polynomial) -> Any:
    """The coefficient of the first monomial in one fixed order."""
    return polynomial[min(polynomial, key=lambda m: [(i, Fraction(e)) for i, e in m])]


def _factored(number: Any) -> list[tuple[int, int]]:
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

"""Formulas as fractions of polynomials in their irreducible parts, to prove that two are identical.

Sums of angles are expanded, hyperbolic functions written by exponentials, products of exponentials
and of powers joined, logarithms of products taken apart. Every step is an identity wherever both of
its sides are defined; so two formulas with one normal form are equal wherever both are defined.
Two formulas with different normal forms may still be equal. Where they are defined is compared by
the conditions that their operators need.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from symbed.language.operators import Operator
from symbed.verdicts.algebra._function_rules import AngleRules, FinerAngle
from symbed.verdicts.algebra._part_fractions import (
    ONE,
    Form,
    Monomial,
    NowhereDefined,
    TooLarge,
    constant,
    is_square,
    leading,
    part,
)
from symbed.verdicts.arithmetic.ball_operations import LAZY_OPERATIONS
from symbed.verdicts.arithmetic.ball_programs import BallProgram
from symbed.verdicts.arithmetic.values import (
    Value,
    as_ball,
    exact_rational,
    fmpq,
    is_defined,
    sign_of,
)

MAX_STEPS = 120  # longer formulas are not expanded
MAX_RESTARTS = 6


@dataclass(frozen=True, eq=False)
class Algebra:
    """What exact algebra says about the two formulas of a program."""

    identical: bool = False  # whether they are equal wherever both are defined
    # Whether they are defined at the same points but for a set of measure zero.
    almost_same_domain: bool = False
    # Steps that are one rational number wherever they are defined.
    constants: Mapping[int, Any] = field(default_factory=dict)
    nowhere: frozenset[int] = frozenset()  # steps that are defined nowhere


def analyze(program: BallProgram, nonnegative: frozenset[str], ranges: Sequence[Value]) -> Algebra:
    """Look for identities between the two formulas of a program, if they are not too large for it.

    ``nonnegative`` are the variables that are never negative on the domain, ``ranges`` enclose the
    steps' values on all of it.
    """
    if len(program.steps) > MAX_STEPS:
        return Algebra()
    # Units of angles outlive a restart, all parts are made anew: see `FinerAngle`.
    units: dict[Monomial, int] = {}
    for _ in range(MAX_RESTARTS):
        try:
            return _Normalizer(program, nonnegative, ranges, units).algebra()
        except FinerAngle:
            continue
        except TooLarge:
            return Algebra()
    return Algebra()


class _Normalizer(AngleRules):
    """The fractions of all steps of a program."""

    def __init__(
        self,
        program: BallProgram,
        nonnegative: frozenset[str],
        ranges: Sequence[Value],
        units: dict[Monomial, int],
    ) -> None:
        super().__init__(units)
        self.program, self.nonnegative, self.ranges = program, nonnegative, ranges
        # The signs that steps have on the whole domain.
        signs = {p: sign_of(value) for p, value in enumerate(ranges) if is_defined(value)}
        self.signs = {place: sign for place, sign in signs.items() if sign}

    def algebra(self) -> Algebra:
        results: list[Form | None] = []  # None: defined nowhere
        for place, step in enumerate(self.program.steps):
            below = [results[operand] for operand in step.operands]
            try:
                results.append(self._step(place, step.item, below, step.operands))
            except NowhereDefined:
                results.append(None)
        e, f = (results[root] for root in self.program.roots)
        # Of inner steps too: a zero under a root or in a denominator that no ball shows.
        numbers = {p: form.number for p, form in enumerate(results) if form is not None}
        conditions = DefinednessConditions(self.program, self, self.ranges, results)
        return Algebra(
            e is not None and f is not None and self.equal(e, f),
            conditions.are_almost_equivalent,
            {p: n for p, n in numbers.items() if n is not None and self.program.steps[p].operands},
            frozenset(place for place, form in enumerate(results) if form is None),
        )

    def _step(
        self, place: int, item: Any, forms: list[Form | None], operands: tuple[int, ...]
    ) -> Form:
        below = [form for form in forms if form is not None]
        if len(below) < len(forms):
            if item.name in LAZY_OPERATIONS:
                # The undefined operand may not be looked at; the step equals itself, no more.
                return self.opaque(f"step {place}", ())
            raise NowhereDefined
        if isinstance(item, str):
            return self.of(part(self.part_index(item, positive=item in self.nonnegative)))
        if isinstance(item, float):
            if item - item != 0:
                raise NowhereDefined
            return self.of(constant(exact_rational(item)))
        rule = RULES.get(item.name)
        if rule is not None:
            return rule(self, *below)
        if item.name == "abs":
            return self.absolute(below[0], self.signs.get(operands[0]))
        if item.name in ("min", "max"):
            return self.extremum(item.name, *below)
        if item.name == "^":
            return self.power(below[0], below[1], self.signs.get(operands[0]))
        # A function of equal arguments is equal, whatever it is.
        return self.opaque(item.name, tuple(below))


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
    # By the arc sine, which has the rules: acos(x) = pi/2 - asin(x).
    quarter = n.of({((n.pi, 1),): fmpq(1, 2)})
    return n.add(quarter, n.arc("asin", a), -1)


def _logarithm_to(base: int) -> Callable[[_Normalizer, Form], Form]:
    def rule(n: _Normalizer, a: Form) -> Form:
        return n.divide(n.logarithm(a), n.logarithm(n.of(constant(fmpq(base)))))

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
    "sqrt": lambda n, a: n.root(a, Fraction(1, 2)),
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
    "sech": lambda n, a: n.divide(n.of(ONE), _cosh(n, a)),
    "pi": lambda n: n.of(part(n.pi)),
    "e": lambda n: n.exponential(n.of(ONE)),
}


# What an operand must be for an operator to be defined.
NEEDED = {
    "/": "not zero", "^-1": "not zero", "sqrt": "not negative", "ln": "positive",
    "log10": "positive", "log2": "positive", "asin": "within one", "acos": "within one",
    "tan": "no pole",
}  # fmt: skip


@dataclass(frozen=True, eq=False)
class Condition:
    """What must hold for a formula to be defined."""

    kind: str  # what the form must be
    form: Form | None  # of what; None where only the same step is the same condition
    place: int  # the step that needs it


class DefinednessConditions:
    """Conditions of the two formulas of a program.

    ``ranges`` enclose the steps' values on the whole domain; ``results`` are the fractions that the
    steps are, None where one is defined nowhere.
    """

    def __init__(
        self,
        program: BallProgram,
        algebra: AngleRules,
        ranges: Sequence[Value],
        results: list[Form | None],
    ) -> None:
        self.program, self.algebra, self.ranges, self.results = program, algebra, ranges, results

    @property
    def are_almost_equivalent(self) -> bool:
        """Whether they are defined at the same points but for a set of measure zero.

        Such is the set of zeros of a polynomial that is not zero itself.
        """
        e, f = map(self._conditions, self.program.roots)
        if e is None or f is None:
            return False
        rest = [*self._others(e, f), *self._others(f, e)]
        return all(self._fails_on_null_set(condition) for condition in rest)

    def _others(self, known: list[Condition], needed: list[Condition]) -> list[Condition]:
        """The needed conditions that are not among the known ones."""
        return [one for one in needed if not any(self._same(one, other) for other in known)]

    def _fails_on_null_set(self, condition: Condition) -> bool:
        form = condition.form
        if condition.kind != "not zero" or form is None or not form.top:
            return False
        # A polynomial in the variables alone cannot be zero on a region without being zero. With
        # other parts it can: abs(x) - x is.
        indices = {index for monomial in form.top for index, _ in monomial}
        return all(self.algebra.parts[index].name in self.program.names for index in indices)

    def _conditions(self, root: int) -> list[Condition] | None:
        """What must hold for a formula to be defined; None where that is not known.

        Conditions that hold on the whole domain are left out.
        """
        conditions: list[Condition] = []
        below = self.program.strict_steps(root)
        for place in sorted(below):
            step = self.program.steps[place]
            # An infinite literal is no real number: the formula is defined nowhere.
            if isinstance(step.item, float) and step.item - step.item != 0:
                return None
            if not isinstance(step.item, Operator) or not step.operands:
                continue
            name = step.item.name
            if name in LAZY_OPERATIONS:
                # What the other operand needs, and where, is not looked into.
                conditions.append(Condition(f"step {place}", None, place))
                continue
            needed = self._needed(name, step.operands)
            if needed is None:
                continue
            kind, operand = needed
            # What a varying exponent needs is not looked into: only the same step needs the same.
            if kind == "same":
                conditions.append(Condition(kind, None, place))
                continue
            form = self.results[operand]
            if form is None:
                return None
            if kind == "no pole":
                form = self.algebra.sine_cosine(form)[1]
            elif self._holds(kind, operand) or (kind == "not negative" and is_square(form)):
                continue
            conditions.append(Condition(kind, form, place))
        return conditions

    def _needed(self, name: str, operands: tuple[int, ...]) -> tuple[str, int] | None:
        if name != "^":
            kind = NEEDED.get(name)
            return None if kind is None else (kind, operands[1 if name == "/" else 0])
        exponent = self.results[operands[1]]
        number = None if exponent is None else exponent.number
        if number is None:
            return "same", operands[0]
        if number.q == 1:
            return None if number >= 0 else ("not zero", operands[0])
        # Zero has positive powers only.
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

    def _same(self, a: Condition, b: Condition) -> bool:
        if a.form is None or b.form is None:
            return a.place == b.place
        poles = {"not zero", "no pole"}
        if a.kind != b.kind and {a.kind, b.kind} != poles:
            return False
        # Of zero there is no leading coefficient to scale by.
        if not a.form.top or not b.form.top:
            return not a.form.top and not b.form.top
        # A pole is a zero of the cosine. The scale does not matter, nor the sign of a zero.
        scales = leading(a.form.top), leading(b.form.top)
        # Here the scale matters: |2*x| <= 1 is another condition than |x| <= 1.
        if a.kind == "within one":
            scales = fmpq(1), fmpq(1)
        elif a.kind not in poles:
            scales = abs(scales[0]), abs(scales[1])
        return self.algebra.equal(
            self.algebra.scaled(a.form, scales[1]), self.algebra.scaled(b.form, scales[0])
        )

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
from typing import Any

from symbed.verdicts.algebra.angle_rules import AngleRules, FinerAngle
from symbed.verdicts.algebra.definedness_conditions import DefinednessConditions
from symbed.verdicts.algebra.part_fractions import (
    ONE,
    Form,
    Monomial,
    NowhereDefined,
    TooLarge,
    constant,
    part,
)
from symbed.verdicts.arithmetic.ball_operations import LAZY_OPERATIONS
from symbed.verdicts.arithmetic.ball_programs import BallProgram
from symbed.verdicts.arithmetic.values import Value, exact_rational, fmpq, is_defined, sign_of

MOST_STEPS = 120  # longer formulas are not expanded
MOST_RESTARTS = 6


@dataclass(frozen=True, eq=False)
class Algebra:
    """What exact algebra says about the two formulas of a program.

    Attributes
    ----------
    identical : bool
        Whether they are equal wherever both are defined.
    same_domain : bool
        Whether they are defined at the same points.
    almost_same_domain : bool
        Whether they are, but for a set of measure zero.
    constants : mapping
        Steps that are one rational number wherever they are defined.
    nowhere : frozenset of int
        Steps that are defined nowhere.
    """

    identical: bool = False
    same_domain: bool = False
    almost_same_domain: bool = False
    constants: Mapping[int, Any] = field(default_factory=dict)
    nowhere: frozenset[int] = frozenset()


def analyze(program: BallProgram, nonnegative: frozenset[str], ranges: Sequence[Value]) -> Algebra:
    """Look for identities between the two formulas of a program, if they are not too large for it.

    ``nonnegative`` are the variables that are never negative on the domain, ``ranges`` enclose the
    steps' values on all of it.
    """
    if len(program.steps) > MOST_STEPS:
        return Algebra()
    # Units of angles outlive a restart, all parts are made anew: see `FinerAngle`.
    units: dict[Monomial, int] = {}
    for _ in range(MOST_RESTARTS):
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
            conditions.are_equivalent,
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

"""Families written as quotients of linear combinations: coefficients in x, monomials of parameters.

``F(x; p) = (n_0(x) + sum m_j(p) n_j(x)) / (d_0(x) + sum m_j(p) d_j(x))``. Whatever values F takes,
they satisfy linear equations in the monomials ``m_j``; where these have no solution, or none that
monomials can have, a function is no member of the family, for any parameters.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

from symbed.language.expression import Expression, Item, Postfix, apply, fold
from symbed.language.operators import Operator
from symbed.verdicts.algebra.monomial_sums import (
    ABS,
    COS,
    EXP,
    LN,
    ONE,
    SIN,
    UNIT,
    Monomial,
    NotLinear,
    Quotient,
    Sum,
    added,
    count_dimensions,
    monomial_postfix,
    multiplied,
    negated,
    product_of,
    sum_postfix,
    unit_of,
)
from symbed.verdicts.arithmetic.ball_programs import BallProgram
from symbed.verdicts.arithmetic.enclosures import enclosure

MAX_POWER = 6
_Later = Callable[[], Quotient]
POWERS = {"^2": 2, "^3": 3, "^4": 4, "^5": 5, "^-1": -1}


@dataclass(frozen=True, eq=False)
class LinearForm:
    """A family as a quotient of linear combinations."""

    unknowns: tuple[Sum, ...]  # combinations of monomials of parameters, without the constant one
    # Coefficients of the constant and of each unknown, as expressions in x.
    over: tuple[Expression, ...]
    under: tuple[Expression, ...]

    @cached_property
    def program(self) -> BallProgram:
        """All coefficients as one program: those of the numerator, then of the denominator."""
        return BallProgram.of([*self.over, *self.under])

    @property
    def n_dimensions(self) -> int:
        """An upper bound of the number of directions in which the family can move."""
        is_homogeneous = all(part.postfix == (0.0,) for part in (self.over[0], self.under[0]))
        return count_dimensions(self.unknowns, is_homogeneous)


def linear_form(postfix: Postfix, variables: Sequence[str]) -> LinearForm:
    """Write a formula as a quotient of linear combinations; raises ``NotLinear`` without a rule."""
    expansion = Expansion(variables)
    return expansion.assembled(expansion.expand(postfix))


def logarithmic_form(postfix: Postfix, variables: Sequence[str]) -> LinearForm:
    """Write ``ln(abs(formula))`` as a linear combination: products and powers become sums."""
    expansion = Expansion(variables)
    return expansion.assembled(expansion.logarithm(postfix))


def exponential_form(postfix: Postfix, variables: Sequence[str]) -> LinearForm:
    """Write ``exp(formula)`` as a quotient of linear combinations: sums of logarithms."""
    expansion = Expansion(variables)
    return expansion.assembled(expansion.exponential(postfix))


def _rational(quotient: Quotient) -> Fraction | None:
    """The number that a quotient is, if it is a rational one."""
    if not quotient.is_sum or not quotient.over.keys() <= {UNIT}:
        return None
    return quotient.over.get(UNIT, Fraction(0))


def _may_be_whole(postfix: Postfix) -> bool:
    """Whether a formula of numbers alone may be a whole number, as ``sqrt(4)`` is."""
    bounds = enclosure(postfix, {})
    if bounds is None or not all(map(math.isfinite, bounds)):
        return True
    return math.ceil(bounds[0]) <= bounds[1]


class Expansion:
    """The rules, for one choice of variables."""

    def __init__(self, variables: Sequence[str]) -> None:
        self.names = tuple(variables)
        self.variables = frozenset(variables)

    def has_variables(self, postfix: Postfix) -> bool:
        """Whether a variable occurs."""
        return any(item in self.variables for item in postfix if isinstance(item, str))

    def has_parameters(self, postfix: Postfix) -> bool:
        """Whether a parameter occurs."""
        return any(item not in self.variables for item in postfix if isinstance(item, str))

    def is_mixed(self, postfix: Postfix) -> bool:
        """Whether variables and parameters occur."""
        return self.has_variables(postfix) and self.has_parameters(postfix)

    def expand(self, postfix: Postfix) -> Quotient:
        """The quotient of a formula, from the leaves to the root."""
        return fold(postfix, self._leaf, self._node)[1]

    def _leaf(self, item: Item) -> tuple[Postfix, Quotient]:
        if isinstance(item, float):
            if item - item != 0:
                raise NotLinear
            # The decimal that the literal shows, as everywhere in verdicts.
            return (item,), Quotient({UNIT: Fraction(repr(item))}, ONE)
        return (item,), unit_of((item,))

    def _node(
        self, row: Operator, below: list[tuple[Postfix, Quotient]]
    ) -> tuple[Postfix, Quotient]:
        postfix = apply(row, [part for part, _ in below])
        return postfix, self._combined(row, postfix, below)

    def _combined(
        self, row: Operator, postfix: Postfix, below: list[tuple[Postfix, Quotient]]
    ) -> Quotient:
        name, first = row.name, below[0][1]
        if name in ("+", "-"):
            return added(first, below[1][1] if name == "+" else negated(below[1][1]))
        if name == "*":
            return multiplied(first, below[1][1])
        if name == "/":
            return multiplied(first, self._inverted(*below[1]))
        if name == "neg":
            return negated(first)
        if name in POWERS:
            return self._raised(below[0], POWERS[name])
        if name == "^" and len(below[1][0]) == 1 and isinstance(below[1][0][0], float):
            exponent = below[1][0][0]
            if exponent == int(exponent):
                return self._raised(below[0], int(exponent))
        # Without parameters it is one coefficient, without variables one unknown.
        if not self.is_mixed(postfix):
            return unit_of(postfix)
        if name == "exp":
            return self._exponential(first)
        if name in ("sin", "cos"):
            return self._wave(name, first)
        if name == "ln":
            return self._logarithm_of_product(first)
        if name in ("abs", "sqrt") or name == "^":
            return self._power_of_product(row, below)
        raise NotLinear

    def _split(self, terms: Sum) -> tuple[Sum, Sum]:
        """A sum as one in the variables and one in the parameters."""
        in_variables: Sum = {}
        in_parameters: Sum = {}
        for monomial, factor in terms.items():
            postfix = monomial_postfix(monomial, Fraction(1))
            if self.is_mixed(postfix):
                raise NotLinear
            part = in_parameters if self.has_parameters(postfix) else in_variables
            part[monomial] = factor
        return in_variables, in_parameters

    def _parted(self, argument: Quotient) -> tuple[Postfix, Postfix]:
        if not argument.is_sum:
            raise NotLinear
        in_variables, in_parameters = self._split(argument.over)
        return sum_postfix(in_variables), sum_postfix(in_parameters)

    def _exponential(self, argument: Quotient) -> Quotient:
        # exp(u(x) + v(p)) = exp(u)*exp(v).
        return multiplied(*(unit_of(apply(EXP, (part,))) for part in self._parted(argument)))

    def _wave(self, name: str, argument: Quotient) -> Quotient:
        # By the addition theorems, u in the variables and v in the parameters.
        (sin_u, sin_v), (cos_u, cos_v) = (
            [unit_of(apply(row, (part,))) for part in self._parted(argument)] for row in (SIN, COS)
        )
        if name == "sin":
            return added(multiplied(sin_u, cos_v), multiplied(cos_u, sin_v))
        return added(multiplied(cos_u, cos_v), negated(multiplied(sin_u, sin_v)))

    def _factors(self, argument: Quotient) -> tuple[Postfix, Postfix]:
        """A product as the magnitudes of its parts in the variables and in the parameters."""
        if not argument.is_sum or len(argument.over) != 1:
            raise NotLinear
        ((monomial, factor),) = argument.over.items()
        in_variables, in_parameters = self._sides(monomial)
        # Magnitudes, since a product may be positive where both of its parts are negative.
        return (
            apply(ABS, (monomial_postfix(in_variables, factor),)),
            apply(ABS, (monomial_postfix(in_parameters, Fraction(1)),)),
        )

    def _sides(self, monomial: Monomial) -> tuple[Monomial, Monomial]:
        """A monomial as one of the variables and one of the parameters."""
        of_parameters = tuple(pair for pair in monomial if self.has_parameters(pair[0]))
        return tuple(pair for pair in monomial if pair not in of_parameters), of_parameters

    def _logarithm_of_product(self, argument: Quotient) -> Quotient:
        return added(*(unit_of(apply(LN, (part,))) for part in self._factors(argument)))

    def _power_of_product(self, row: Operator, below: list[tuple[Postfix, Quotient]]) -> Quotient:
        """A root or a fixed power of a product; where it is real, magnitudes do."""
        exponent = [below[1][0]] if len(below) > 1 else []
        if exponent:
            if any(isinstance(item, str) for item in exponent[0]):
                raise NotLinear
            # A whole power is real for negative products too and may keep their sign.
            number = _rational(below[1][1])
            if number is None and _may_be_whole(exponent[0]):
                raise NotLinear
            if number is not None and number.denominator == 1:
                return self._raised(below[0], number.numerator)
        parts = self._factors(below[0][1])
        if row.name == "abs":
            return multiplied(*map(unit_of, parts))
        return multiplied(*(unit_of(apply(row, (part, *exponent))) for part in parts))

    def _inverted(self, postfix: Postfix, a: Quotient) -> Quotient:
        # A single monomial has an inverse monomial; everything else becomes a denominator.
        if len(a.over) == 1:
            ((monomial, factor),) = a.over.items()
            # A literal 0 is a term until it is combined with others.
            if factor == 0:
                raise NotLinear
            inverse: Sum = {tuple((atom, -power) for atom, power in monomial): 1 / factor}
            return Quotient(product_of(a.under, inverse), ONE)
        if not self.is_mixed(postfix):
            return Quotient({((postfix, -1),): Fraction(1)}, ONE)
        return Quotient(a.under, a.over)

    def _raised(self, base: tuple[Postfix, Quotient], power: int) -> Quotient:
        if abs(power) > MAX_POWER:
            raise NotLinear
        factor = base[1] if power > 0 else self._inverted(*base)
        result = Quotient(ONE, ONE)
        for _ in range(abs(power)):
            result = multiplied(result, factor)
        return result

    def logarithm(self, postfix: Postfix) -> Quotient:
        """The logarithm of a formula's magnitude."""
        return fold(postfix, self._later_leaf(self._log_of), self._later(self._log_combined))[1]()

    def exponential(self, postfix: Postfix) -> Quotient:
        """The exponential of a formula."""
        return fold(postfix, self._later_leaf(self._exp_of), self._later(self._exp_combined))[1]()

    def _later_leaf(
        self, rule: Callable[[Postfix], Quotient]
    ) -> Callable[[Item], tuple[Postfix, _Later]]:
        return lambda item: ((item,), lambda: rule((item,)))

    def _later(
        self, rule: Callable[[Operator, Postfix, list[tuple[Postfix, _Later]]], Quotient]
    ) -> Callable[[Operator, list[tuple[Postfix, _Later]]], tuple[Postfix, _Later]]:
        """A rule that is applied where its result is asked for: not to operands of a sum."""

        def node(row: Operator, below: list[tuple[Postfix, _Later]]) -> tuple[Postfix, _Later]:
            postfix = apply(row, [part for part, _ in below])
            return postfix, lambda: rule(row, postfix, below)

        return node

    def _log_of(self, postfix: Postfix) -> Quotient:
        """Of a factor that is no product itself."""
        if self.is_mixed(postfix):
            raise NotLinear
        return unit_of(apply(LN, (apply(ABS, (postfix,)),)))

    def _log_combined(
        self, row: Operator, postfix: Postfix, below: list[tuple[Postfix, _Later]]
    ) -> Quotient:
        name = row.name
        if name == "*":
            return added(below[0][1](), below[1][1]())
        if name == "/":
            return added(below[0][1](), negated(below[1][1]()))
        if name in ("neg", "abs"):
            return below[0][1]()
        if name in POWERS or name in ("sqrt", "cbrt"):
            power = Fraction(POWERS.get(name, 1), {"sqrt": 2, "cbrt": 3}.get(name, 1))
            return multiplied(below[0][1](), Quotient({UNIT: power}, ONE))
        if name == "exp":
            return self.expand(below[0][0])
        if name == "^":
            # ln|a^b| = b*ln|a|.
            return multiplied(below[0][1](), self.expand(below[1][0]))
        if not self.is_mixed(postfix):
            return self._log_of(postfix)
        quotient = self.expand(postfix)
        if not quotient.is_sum:
            raise NotLinear
        # ln|u(x)*v(p)| = ln|u| + ln|v|.
        return added(*map(self._log_of, self._factored(quotient.over)))

    def _factored(self, terms: Sum) -> tuple[Postfix, Postfix]:
        """A sum as a factor in the variables times one in the parameters: ``a*x + b*x``."""
        parts = self.by_basis(terms)
        if len(parts) != 1:
            raise NotLinear
        ((common, rest),) = parts.items()
        return monomial_postfix(common, Fraction(1)), sum_postfix(rest)

    def _exp_of(self, postfix: Postfix) -> Quotient:
        if self.is_mixed(postfix):
            raise NotLinear
        return unit_of(apply(EXP, (postfix,)))

    def _exp_combined(
        self, row: Operator, postfix: Postfix, below: list[tuple[Postfix, _Later]]
    ) -> Quotient:
        name = row.name
        if name == "+":
            return multiplied(below[0][1](), below[1][1]())
        if name == "-":
            return multiplied(below[0][1](), self._inverted(below[1][0], below[1][1]()))
        if name == "neg":
            return self._inverted(below[0][0], below[0][1]())
        if name == "ln":
            return self.expand(below[0][0])
        if name == "*" and len(below[0][0]) == 1 and isinstance(below[0][0][0], float):
            factor = below[0][0][0]
            # exp(n*u) = exp(u)^n.
            if factor == int(factor) and factor:
                return self._raised((below[1][0], below[1][1]()), int(factor))
        return self._exp_of(postfix)

    def by_basis(self, terms: Sum) -> dict[Monomial, Sum]:
        """For each monomial of the variables, its coefficient in the parameters."""
        parts: dict[Monomial, Sum] = {}
        for monomial, factor in terms.items():
            in_variables, in_parameters = self._sides(monomial)
            parts.setdefault(in_variables, {})[in_parameters] = factor
        return parts

    def assembled(self, quotient: Quotient) -> LinearForm:
        """The coefficients by monomials of the parameters, proportional ones together."""
        # For each monomial of the parameters its coefficients in the numerator and the denominator.
        columns: dict[Monomial, tuple[Sum, Sum]] = {UNIT: ({}, {})}
        for side, terms in enumerate((quotient.over, quotient.under)):
            for monomial, factor in terms.items():
                in_variables, in_parameters = self._sides(monomial)
                column = columns.setdefault(in_parameters, ({}, {}))[side]
                column[in_variables] = column.get(in_variables, Fraction(0)) + factor
        constant = columns.pop(UNIT)
        unknowns: dict[tuple[object, ...], Sum] = {}
        kept: list[tuple[Sum, Sum]] = []
        for monomial, (over, under) in columns.items():
            # Monomials with proportional coefficients move the family in one direction: they are
            # one unknown, as a + b in (a + b)*x.
            lead = next(iter([*over.values(), *under.values()]))
            scaled = [{m: f / lead for m, f in part.items()} for part in (over, under)]
            key = tuple(frozenset(part.items()) for part in scaled)
            if key not in unknowns:
                unknowns[key] = {}
                kept.append((scaled[0], scaled[1]))
            unknowns[key][monomial] = lead
        pairs = [constant, *kept]
        sides = [
            tuple(Expression(sum_postfix(pair[side]), self.names) for pair in pairs)
            for side in (0, 1)
        ]
        return LinearForm(tuple(unknowns.values()), sides[0], sides[1])

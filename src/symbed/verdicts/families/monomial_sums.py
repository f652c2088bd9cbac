"""Sums of monomials over sums of monomials: the numbers that families are expanded in."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from symbed.language.expression import Postfix, apply
from symbed.language.operators import ADD, BY_NAME, DIVIDE, MULTIPLY, POW

MOST_TERMS = 64  # a quotient of more terms needs more points than it is worth

# Functions of the variables alone or of the parameters alone, with their powers, in one order.
Monomial = tuple[tuple[Postfix, int], ...]
Sum = dict[Monomial, Fraction]

UNIT: Monomial = ()
ONE: Sum = {UNIT: Fraction(1)}
EXP, LN, SIN, COS, ABS = (BY_NAME[name] for name in ("exp", "ln", "sin", "cos", "abs"))


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
    return tuple(sorted(kept, key=lambda pair: str(pair[0])))


def _checked(terms: Sum) -> Sum:
    if len(terms) > MOST_TERMS:
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
    if Fraction(repr(float(value))) == value:
        return (float(value),)
    return apply(DIVIDE, ((float(value.numerator),), (float(value.denominator),)))

"""The form of an expression: its numbers turned into free parameters.

The rule, bottom up. Every subtree is a product: a number, factors above and factors below the line.

- Products, quotients, signs and whole powers multiply into that shape, so all numbers of one
  product end in one. A subtree of numbers only is a number, whatever its functions.
- Where a product meets anything else (a term of a sum, the argument of a function, the base of a
  broken power, the whole expression), its number becomes a parameter in front, ``C``. The sign
  stays outside, so values are positive; a factor of 1 is no parameter.
- A term of a sum that is a number is a parameter, 1 included: ``1 - x`` becomes ``C - x``.
- A constant exponent is structure and stays.

Options change the last lines: whole numbers can be structure too, with the fractions that are made
of them, and broken exponents can be parameters.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import partial, reduce
from itertools import count
from typing import Literal, NamedTuple

import numpy as np

from symbed.engine.program import CONSTANTS
from symbed.engine.reference.elementary.functions import FUNCTIONS
from symbed.errors import RangeError
from symbed.language.expression import ANONYMOUS, Expression, Item, Postfix, apply, fold
from symbed.language.operators import (
    ADD,
    DIVIDE,
    FIXED_POWERS,
    MULTIPLY,
    NEG,
    POW,
    SUBTRACT,
    Operator,
)

EXPONENTS = {row: exponent for exponent, row in FIXED_POWERS.items()}
ONE: Postfix = (1.0,)
SIMPLE_DENOMINATOR = 12  # multiples of a half, a third, a quarter: exponents that people write
LARGEST_WHOLE = 2.0**53  # beyond it every float is whole, so being one says nothing

Exponents = Literal["keep", "simple", "free"]


@dataclass(frozen=True)
class FormRule:
    """Which numbers of an expression become parameters."""

    # Whether whole numbers in front of products and as terms do; without, they stay as they are,
    # and so do the fractions that are made of them.
    whole: bool = True
    # Which broken exponents stay: all of them, the multiples of 1/2, 1/3 and 1/4, or none.
    exponents: Exponents = "keep"

    def frees_exponent(self, exponent: float) -> bool:
        """Whether a broken exponent becomes a parameter."""
        if self.exponents != "simple":
            return self.exponents == "free"
        # Any twelfth passes; halves, thirds and quarters are some of them.
        twelfths = exponent * SIMPLE_DENOMINATOR
        return abs(twelfths - round(twelfths)) > 1e-12 * max(1.0, abs(twelfths))


PAPER = FormRule()


def parametrize(
    expression: Expression, rule: FormRule = PAPER
) -> tuple[Expression, tuple[float, ...]]:
    """The form of an expression: its numbers as anonymous parameters, with their values.

    Parameters
    ----------
    expression : Expression
        A formula without free parameters.
    rule : FormRule
        Which of its numbers become parameters; by default all but exponents.

    Examples
    --------
    >>> from symbed import parse
    >>> parametrize(parse("exp(-(x/2)^2/2)/sqrt(2*pi)"))
    (Expression('C*exp(-(C*x^2))'), (0.3989422804014327, 0.125))
    >>> parametrize(parse("x/sqrt(1 - v^2/9)", variables=["x", "v"]))
    (Expression('x/sqrt(C - C*v^2)'), (1.0, 0.1111111111111111))
    >>> parametrize(parse("2.5*x^1.9/(1 + x/3)"), FormRule(whole=False, exponents="free"))
    (Expression('C*x^C/(1 + x/3)'), (2.5, 1.9))
    """
    if expression.parameters:
        shown = ", ".join(dict.fromkeys(expression.parameters))
        raise RangeError(f"{str(expression)!r} has free parameters already: {shown}")
    product = fold(expression.postfix, _leaf, partial(_node, rule))
    inner = [value for factor in product.above + product.below for value in factor.values]
    if not all(map(math.isfinite, (product.number, *inner))):
        raise RangeError(f"the numbers of {str(expression)!r} do not multiply to a finite number")
    form = _signed(rule, product)
    return Expression(form.postfix, expression.declared), form.values


def name_parameters(expression: Expression) -> tuple[Expression, frozenset[str]]:
    """The expression with a name for each anonymous parameter, and these names.

    >>> from symbed import parse
    >>> name_parameters(parse("C*x + C"))[0]
    Expression('C_0*x + C_1')
    """
    if ANONYMOUS not in expression.parameters:
        return expression, frozenset()
    # A declared variable may be missing from the formula, and its name is taken all the same.
    taken = {*expression.names, *(expression.declared or ())}
    fresh = (name for name in map(f"{ANONYMOUS}_{{}}".format, count()) if name not in taken)
    items = tuple(next(fresh) if item == ANONYMOUS else item for item in expression.postfix)
    names = frozenset(item for item in items if isinstance(item, str))
    return Expression.unchecked(items, expression.declared), names - taken


class Factor(NamedTuple):
    """A subtree with parameters, and their values in order of appearance."""

    postfix: Postfix
    values: tuple[float, ...] = ()


class Product(NamedTuple):
    """A number times the factors above the line, divided by those below it."""

    number: float = 1.0
    above: tuple[Factor, ...] = ()
    below: tuple[Factor, ...] = ()
    fraction: Fraction | None = Fraction(1)  # the number, where it is made of whole ones only

    @property
    def is_number(self) -> bool:
        """Whether there is nothing but the number."""
        return not self.above and not self.below


MINUS_ONE = Product(-1.0, fraction=Fraction(-1))


def _leaf(item: Item) -> Product:
    if isinstance(item, Operator):
        # pi and e are not made of whole numbers: a rule that keeps these still frees them.
        return Product(CONSTANTS[item.name], fraction=None)
    if not isinstance(item, float):
        return Product(above=(Factor((item,)),))
    is_whole = item.is_integer() and abs(item) < LARGEST_WHOLE
    return Product(item, fraction=Fraction(item) if is_whole else None)


def _node(rule: FormRule, row: Operator, operands: list[Product]) -> Product:
    # Before all else, so that sin(2) or 2^0.5 is one number and not structure.
    if all(operand.is_number for operand in operands):
        number = _value(row, [operand.number for operand in operands])
        return Product(number, fraction=_fraction(row, operands))
    if row is NEG:
        return _times(MINUS_ONE, operands[0])
    if row is MULTIPLY:
        return _times(*operands)
    if row is DIVIDE:
        return _times(operands[0], _raised(operands[1], -1.0))
    if row in EXPONENTS:
        return _raised(operands[0], EXPONENTS[row])
    # Only whole powers go to the factors one by one: (-x)^0.5 is not (-1)^0.5 * x^0.5.
    if row is POW and operands[1].is_number and operands[1].number.is_integer():
        return _raised(operands[0], operands[1].number)
    return Product(above=(_joined(rule, row, operands),))


def _fraction(row: Operator, operands: list[Product]) -> Fraction | None:
    """An operator on numbers: arithmetic on fractions gives a fraction."""
    left, right = operands[0].fraction, operands[-1].fraction
    if row in EXPONENTS:
        return _power_of(left, EXPONENTS[row])
    if row is POW and operands[1].number.is_integer():
        return _power_of(left, operands[1].number)
    if left is None or right is None:
        return None
    if row is NEG:
        return -left
    if row in (ADD, SUBTRACT):
        return _bounded(left + right if row is ADD else left - right)
    if row is MULTIPLY or (row is DIVIDE and right):
        return _bounded(left * right if row is MULTIPLY else left / right)
    return None


def _joined(rule: FormRule, row: Operator, operands: list[Product]) -> Factor:
    """An operator that is not part of a product, on operands that are."""
    if row in (ADD, SUBTRACT):
        left, right = _signed(rule, operands[0]), _unsigned(rule, operands[1])
        # The sign of the right term goes into the operator: a + (-2)*b becomes a - C*b.
        adds = (row is ADD) == (operands[1].number >= 0)
        return _applied(ADD if adds else SUBTRACT, left, right)
    if row is POW and operands[1].is_number:
        exponent = operands[1].number
        is_free = rule.frees_exponent(exponent)
        power = Factor((ANONYMOUS,), (exponent,)) if is_free else Factor((exponent,))
        return _applied(row, _signed(rule, operands[0]), power)
    return _applied(row, *(_signed(rule, operand) for operand in operands))


def _times(a: Product, b: Product) -> Product:
    fraction = None
    if a.fraction is not None and b.fraction is not None:
        fraction = _bounded(a.fraction * b.fraction)
    return Product(a.number * b.number, a.above + b.above, a.below + b.below, fraction)


def _raised(base: Product, exponent: float) -> Product:
    """A whole power of a product; a negative one swaps what is above and below the line."""
    above, below = (base.below, base.above) if exponent < 0 else (base.above, base.below)
    if abs(exponent) != 1:
        size = Factor((abs(exponent),))
        above, below = (tuple(_applied(POW, f, size) for f in side) for side in (above, below))
    number = _value(POW, [base.number, exponent])
    return Product(number, above, below, _power_of(base.fraction, exponent))


def _power_of(base: Fraction | None, exponent: float) -> Fraction | None:
    """A whole power of a fraction, where that is one with few digits."""
    # Counted before the power is made: exact powers of a stranger's 9^999999999 would never end.
    digits = 0 if base is None else max(base.numerator.bit_length(), base.denominator.bit_length())
    if base is None or digits * abs(exponent) > math.log2(LARGEST_WHOLE) or base == 0 > exponent:
        return None
    return _bounded(base ** int(exponent))


def _bounded(fraction: Fraction) -> Fraction | None:
    """A fraction, unless floats cannot hold its parts."""
    return fraction if max(abs(fraction.numerator), fraction.denominator) < LARGEST_WHOLE else None


def _signed(rule: FormRule, product: Product) -> Factor:
    factor = _unsigned(rule, product)
    return factor if product.number >= 0 else _applied(NEG, factor)


def _unsigned(rule: FormRule, product: Product) -> Factor:
    """The product without its sign, the number in front as a parameter unless it is 1."""
    upper, lower = product.above, product.below
    size = abs(product.number)
    # A factor of 1 says nothing, a term of 1 does: 1 - x is C - x.
    if size != 1 or product.is_number:
        if rule.whole or product.fraction is None:
            upper = (Factor((ANONYMOUS,), (size,)), *upper)
        else:
            # Whole numbers stay whole: x/3 instead of 0.333...*x.
            over, under = abs(product.fraction.numerator), product.fraction.denominator
            upper = (Factor((float(over),)), *upper) if over != 1 or not upper else upper
            lower = (Factor((float(under),)), *lower) if under != 1 else lower
    above, below = _multiplied(upper), _multiplied(lower)
    return _applied(DIVIDE, above or Factor(ONE), below) if below else above or Factor(ONE)


def _multiplied(factors: tuple[Factor, ...]) -> Factor | None:
    return reduce(partial(_applied, MULTIPLY), factors) if factors else None


def _applied(row: Operator, *operands: Factor) -> Factor:
    values = tuple(value for operand in operands for value in operand.values)
    return Factor(apply(row, [operand.postfix for operand in operands]), values)


def _value(row: Operator, numbers: list[float]) -> float:
    # The engine's functions: values of a form have the same bits on every machine.
    return float(FUNCTIONS[row.name](*(np.array([number]) for number in numbers))[0])

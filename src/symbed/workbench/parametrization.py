"""The form of an expression: its numbers turned into free parameters.

The rule, bottom up. Every subtree is a product: a number, factors above and factors below the line.

- Products, quotients, signs and whole powers multiply into that shape, so all numbers of one
  product end in one. A subtree of numbers only is a number, whatever its functions.
- Where a product meets anything else (a term of a sum, the argument of a function, the base of a
  broken power, the whole expression), its number becomes a parameter in front, ``C``. The sign
  stays outside, so values are positive; a factor of 1 is no parameter.
- A term of a sum that is a number is a parameter, 1 included: ``1 - x`` becomes ``C - x``.
- A constant exponent is structure and stays.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

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


def parametrize(expression: Expression) -> tuple[Expression, tuple[float, ...]]:
    """The form of an expression: its numbers as anonymous parameters, with their values.

    Examples
    --------
    >>> from symbed import parse
    >>> parametrize(parse("exp(-(x/2)^2/2)/sqrt(2*pi)"))
    (Expression('C*exp(-(C*x^2))'), (0.3989422804014327, 0.125))
    >>> parametrize(parse("x/sqrt(1 - v^2/9)", variables=["x", "v"]))
    (Expression('x/sqrt(C - C*v^2)'), (1.0, 0.1111111111111111))
    """
    if expression.parameters:
        shown = ", ".join(dict.fromkeys(expression.parameters))
        raise RangeError(f"{str(expression)!r} has free parameters already: {shown}")
    product = fold(expression.postfix, _leaf, _node)
    if not all(map(math.isfinite, _numbers(product))):
        raise RangeError(f"the numbers of {str(expression)!r} do not multiply to a finite number")
    form = _signed(product)
    return Expression(form.postfix, expression.declared), form.values


@dataclass(frozen=True)
class Factor:
    """A subtree with parameters, and their values in order of appearance."""

    postfix: Postfix
    values: tuple[float, ...] = ()


@dataclass(frozen=True)
class Product:
    """A number times the factors above the line, divided by those below it."""

    number: float = 1.0
    above: tuple[Factor, ...] = ()
    below: tuple[Factor, ...] = ()

    @property
    def is_number(self) -> bool:
        """Whether there is nothing but the number."""
        return not self.above and not self.below


def _leaf(item: Item) -> Product:
    if isinstance(item, Operator):
        return Product(CONSTANTS[item.name])
    return Product(item) if isinstance(item, float) else Product(above=(Factor((item,)),))


def _node(row: Operator, operands: list[Product]) -> Product:
    if all(operand.is_number for operand in operands):
        return Product(_value(row, [operand.number for operand in operands]))
    if row is NEG:
        (inner,) = operands
        return Product(-inner.number, inner.above, inner.below)
    if row is MULTIPLY:
        return _times(*operands)
    if row is DIVIDE:
        return _times(operands[0], _raised(operands[1], -1.0))
    if row in EXPONENTS:
        return _raised(operands[0], EXPONENTS[row])
    if row is POW and operands[1].is_number and operands[1].number.is_integer():
        return _raised(operands[0], operands[1].number)
    return Product(above=(_joined(row, operands),))


def _joined(row: Operator, operands: list[Product]) -> Factor:
    """An operator that is not part of a product, on operands that are."""
    if row in (ADD, SUBTRACT):
        left, right = _signed(operands[0]), _unsigned(operands[1])
        adds = (row is ADD) == (operands[1].number >= 0)
        return _applied(ADD if adds else SUBTRACT, left, right)
    if row is POW and operands[1].is_number:
        return _applied(row, _signed(operands[0]), Factor((operands[1].number,)))
    return _applied(row, *map(_signed, operands))


def _times(a: Product, b: Product) -> Product:
    return Product(a.number * b.number, a.above + b.above, a.below + b.below)


def _raised(base: Product, exponent: float) -> Product:
    """A whole power of a product; a negative one swaps what is above and below the line."""
    above, below = (base.below, base.above) if exponent < 0 else (base.above, base.below)
    size = abs(exponent)
    number = _value(POW, [base.number, exponent])
    return Product(number, _powers(above, size), _powers(below, size))


def _powers(factors: tuple[Factor, ...], exponent: float) -> tuple[Factor, ...]:
    if exponent == 1:
        return factors
    return tuple(_applied(POW, factor, Factor((exponent,))) for factor in factors)


def _signed(product: Product) -> Factor:
    factor = _unsigned(product)
    return factor if product.number >= 0 else _applied(NEG, factor)


def _unsigned(product: Product) -> Factor:
    """The product without its sign, the number in front as a parameter unless it is 1."""
    size = abs(product.number)
    number = (Factor((ANONYMOUS,), (size,)),) if size != 1 or product.is_number else ()
    upper, lower = _multiplied(number + product.above), _multiplied(product.below)
    return _applied(DIVIDE, upper or Factor(ONE), lower) if lower else upper or Factor(ONE)


def _multiplied(factors: tuple[Factor, ...]) -> Factor | None:
    if not factors:
        return None
    product = factors[0]
    for factor in factors[1:]:
        product = _applied(MULTIPLY, product, factor)
    return product


def _applied(row: Operator, *operands: Factor) -> Factor:
    values = tuple(value for operand in operands for value in operand.values)
    return Factor(apply(row, [operand.postfix for operand in operands]), values)


def _value(row: Operator, numbers: list[float]) -> float:
    return float(FUNCTIONS[row.name](*(np.array([number]) for number in numbers))[0])


def _numbers(product: Product) -> tuple[float, ...]:
    inner = tuple(v for factor in product.above + product.below for v in factor.values)
    return (product.number, *inner)

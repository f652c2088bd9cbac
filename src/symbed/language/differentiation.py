"""Symbolic differentiation, and the slopes of operators that fitters use.

One pass from the leaves to the root by the chain rule. What each operator contributes is the
derivative text of its row, read once. Subtrees are shared while the derivative grows and written
out at the end, since a product of many factors has a derivative of many copies.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import NamedTuple

from symbed.errors import RangeError
from symbed.language.expression import ANONYMOUS, Expression, Item, Postfix, fold
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
from symbed.limits import NODES


def derivative(expression: Expression, name: str) -> Expression:
    """The partial derivative with respect to one name.

    Zeros and ones are simplified away, as far as plain algebra allows; so ``0*ln(x)`` is 0 also
    where ``ln(x)`` is undefined.

    >>> from symbed.language.parser import parse
    >>> derivative(parse("a*x^2 + sin(3*x)"), "x")
    Expression('a*(2*x) + cos(3*x)*3')
    """
    if name == ANONYMOUS and expression.postfix.count(name) > 1:
        raise RangeError(
            f"each {ANONYMOUS!r} is a parameter of its own; name the one to differentiate by, "
            f"such as {ANONYMOUS}_0"
        )

    def leaf(item: Item) -> Dual:
        return Dual(Term(item), ONE if item == name else ZERO)

    _, slope = fold(expression.postfix, leaf, _chain)
    return Expression(_written(slope), expression.declared)


def slopes(row: Operator) -> tuple[Postfix, ...]:
    """For each operand the slope that a fitter uses, in terms of ``a``, ``b`` and ``y``.

    That is the partial derivative, unless the row has a finite number in its stead.

    >>> from symbed.language.operators import BY_NAME
    >>> slopes(BY_NAME["ln"])
    ((1.0, 'a', </>),)
    """
    return _read(row.slope or row.derivative)


class Term(NamedTuple):
    """A subtree: its root, the subtrees below, and how many nodes it has when written out."""

    item: Item
    below: tuple[Term, ...] = ()
    size: int = 1


class Dual(NamedTuple):
    """A subtree and its derivative."""

    value: Term
    slope: Term


# A tree is compared with these only. Its root differs, so no comparison goes down into it.
ZERO, ONE, MINUS_ONE = Term(0.0), Term(1.0), Term(-1.0)


def _chain(row: Operator, below: list[Dual]) -> Dual:
    """The chain rule: the sum over operands of the row's partial derivative times theirs."""
    values = [dual.value for dual in below]
    value = _plain(row, *values)
    slope = ZERO
    known = dict(zip("ab", values, strict=False)) | {"y": value}
    for partial, dual in zip(_read(row.derivative), below, strict=True):
        if dual.slope != ZERO:
            slope = _add(slope, _multiply(_substitute(partial, known), dual.slope))
    return Dual(value, slope)


@cache
def _read(partials: tuple[str, ...]) -> tuple[Postfix, ...]:
    from symbed.language.parser import parse

    return tuple(parse(text, variables=("a", "b", "y")).postfix for text in partials)


def _substitute(partial: Postfix, known: dict[str, Term]) -> Term:
    def leaf(item: Item) -> Term:
        return known[item] if isinstance(item, str) else Term(item)

    return fold(partial, leaf, _simplified)


def _simplified(row: Operator, below: list[Term]) -> Term:
    simplify = SIMPLIFIERS.get(row)
    return simplify(*below) if simplify else _plain(row, *below)


def _plain(row: Operator, *below: Term) -> Term:
    size = 1 + sum(term.size for term in below)
    # Shared subtrees count each time, as they will be written.
    NODES.check(size)
    return Term(row, below, size)


def _add(left: Term, right: Term) -> Term:
    if left == ZERO or right == ZERO:
        return right if left == ZERO else left
    if right.item is NEG or (isinstance(right.item, float) and right.item < 0):
        return _subtract(left, _negate(right))
    return _folded(ADD, left, right, float.__add__)


def _subtract(left: Term, right: Term) -> Term:
    if left == ZERO:
        return _negate(right)
    return left if right == ZERO else _folded(SUBTRACT, left, right, float.__sub__)


def _multiply(left: Term, right: Term) -> Term:
    for one, other in ((left, right), (right, left)):
        if one == ZERO:
            return ZERO
        if one == ONE:
            return other
        if one == MINUS_ONE:
            return _negate(other)
        if one.item is DIVIDE and one.below[0] == ONE:
            return _divide(other, one.below[1])
    return _folded(MULTIPLY, left, right, float.__mul__)


def _folded(
    row: Operator, left: Term, right: Term, compute: Callable[[float, float], float]
) -> Term:
    """Two numbers as one, unless that is undefined."""
    if isinstance(left.item, float) and isinstance(right.item, float):
        value = compute(left.item, right.item)
        # No number of an expression is NaN: inf - inf stays a difference.
        if value == value:
            return Term(value)
    return _plain(row, left, right)


def _divide(left: Term, right: Term) -> Term:
    return left if right == ONE or left == ZERO else _plain(DIVIDE, left, right)


def _negate(term: Term) -> Term:
    if isinstance(term.item, float):
        return Term(-term.item)
    return term.below[0] if term.item is NEG else _plain(NEG, term)


def _raise(base: Term, exponent: Term) -> Term:
    if exponent == ZERO:
        return ONE
    if isinstance(exponent.item, float) and exponent.item in FIXED_POWERS:
        return _plain(FIXED_POWERS[exponent.item], base)
    return _plain(POW, base, exponent)


SIMPLIFIERS: dict[Operator, Callable[..., Term]] = {
    ADD: _add,
    SUBTRACT: _subtract,
    MULTIPLY: _multiply,
    DIVIDE: _divide,
    NEG: _negate,
    POW: _raise,
}


def _written(root: Term) -> Postfix:
    """The postfix sequence of a term, written from its end."""
    backwards: list[Item] = []
    stack = [root]
    while stack:
        term = stack.pop()
        backwards.append(term.item)
        stack.extend(term.below)
    return tuple(reversed(backwards))

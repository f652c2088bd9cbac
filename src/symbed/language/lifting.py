"""Lifting: an expression with fitted constants goes in, the form that was fitted comes out."""

from __future__ import annotations

from symbed.errors import RangeError
from symbed.language.expression import ANONYMOUS, Expression, Item

EXACT = 2.0**53  # beyond it every float is an integer, so being one says nothing


def lift(expression: Expression, constants: str = "lift") -> Expression:
    """Make a free parameter of each fitted constant; integers, ``pi`` and ``e`` stay.

    Two models can then be compared by their form. Each constant becomes a parameter of its own.

    >>> from symbed.language.parser import parse
    >>> lift(parse("2.718*x^2 + 3*x - 0.5"))
    Expression('C*x^2 + 3*x - C')
    """
    if constants != "lift":
        raise RangeError(f"constants must be 'keep' or 'lift', got {constants!r}")
    lifted = tuple(ANONYMOUS if _is_fitted(item) else item for item in expression.postfix)
    declared = expression.declared
    if declared is None or ANONYMOUS not in declared:
        return Expression.unchecked(lifted, declared)
    raise RangeError(f"{ANONYMOUS!r} is a variable here, and lifted constants need that name")


def _is_fitted(item: Item) -> bool:
    return isinstance(item, float) and (abs(item) >= EXACT or item != int(item))

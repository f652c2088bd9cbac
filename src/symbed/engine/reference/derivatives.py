"""Slopes of the operators at given operands, for fitting in NumPy.

The slopes are those of the operators' table; the native core has them as ``native/fit/slopes.def``.
Both evaluate them in the same steps and so with the same bits. At a kink the slope is the mean of
both sides; an infinite slope of a power at zero counts as zero.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from symbed._types import Floats
from symbed.engine.program import CONSTANTS
from symbed.engine.reference.elementary.functions import FUNCTIONS
from symbed.language.differentiation import slopes
from symbed.language.expression import Item, Postfix, fold
from symbed.language.operator_row import Operator
from symbed.language.operators import TABLE

Slope = Callable[..., Floats]


def pull(name: str, side: int, operands: list[Floats], y: Floats, bar: Floats) -> Floats:
    """The adjoint of one operand, from the adjoint ``bar`` of the result ``y``.

    >>> pull("*", 0, [np.array([2.0]), np.array([3.0])], np.array([6.0]), np.array([1.0]))
    array([3.])
    """
    return bar * SLOPES[name][side](*operands, y)


def _slope(postfix: Postfix) -> Slope:
    """A function of the operands and the result, from the slope as a postfix sequence."""

    def slope(*values: Floats) -> Floats:
        known = dict(zip("ab", values[:-1], strict=False)) | {"y": values[-1]}

        def leaf(item: Item) -> Floats:
            if isinstance(item, str):
                return known[item]
            number = CONSTANTS[item.name] if isinstance(item, Operator) else item
            return np.asarray(number, np.float64)

        def node(row: Operator, below: list[Floats]) -> Floats:
            return FUNCTIONS[row.name](*below)

        return fold(postfix, leaf, node)

    return slope


SLOPES: dict[str, tuple[Slope, ...]] = {
    row.name: tuple(map(_slope, slopes(row))) for row in TABLE if row.arity
}

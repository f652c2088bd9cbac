"""The derivatives: an operand and a result go in, the operator's slope there comes out.

The twin of ``native/derivatives.h``, in the same steps and so with the same bits. ``SLOPES`` has
one row for each operator of ``language.operators.TABLE`` with operands: one slope for each of them.
At a kink the slope is the mean of both sides; an infinite slope of a power at zero counts as zero.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from symbed._types import Floats
from symbed.engine.reference.elementary import FUNCTIONS

Slope = Callable[..., Floats | float]

PER_LN10, PER_LN2 = 0.4342944819032518, 1.4426950408889634


def pull(name: str, side: int, operands: list[Floats], y: Floats, bar: Floats) -> Floats:
    """The adjoint of one operand, from the adjoint ``bar`` of the result ``y``.

    >>> pull("*", 0, [np.array([2.0]), np.array([3.0])], np.array([6.0]), np.array([1.0]))
    array([3.])
    """
    return bar * SLOPES[name][side](*operands, y)


def _half_circle(a: Floats) -> Floats:
    return np.sqrt((1.0 - a) * (1.0 + a))


def _power_by_base(a: Floats, b: Floats, y: Floats) -> Floats:
    """``b*y/a`` is ``b*a^(b - 1)``; at zero there is no such quotient."""
    return np.where(a == 0.0, np.where(b == 1.0, 1.0, 0.0), b * (y / a))


def _power_by_exponent(a: Floats, b: Floats, y: Floats) -> Floats:
    return np.where(a > 0.0, y * FUNCTIONS["ln"](a), 0.0)


def _is_less(a: Floats, b: Floats) -> Floats:
    return np.where(a < b, 1.0, np.where(a > b, 0.0, 0.5))


def _away_from_zero(a: Floats, slope: Floats) -> Floats:
    """A protected function is constant near zero."""
    return np.where(np.abs(a) <= 0.001, 0.0, slope)


SLOPES: dict[str, tuple[Slope, ...]] = {
    "+": (lambda a, b, y: 1.0, lambda a, b, y: 1.0),
    "-": (lambda a, b, y: 1.0, lambda a, b, y: -1.0),
    "*": (lambda a, b, y: b, lambda a, b, y: a),
    "/": (lambda a, b, y: 1.0 / b, lambda a, b, y: -(y / b)),
    "^": (_power_by_base, _power_by_exponent),
    "neg": (lambda a, y: -1.0,),
    "^2": (lambda a, y: a + a,),
    "^3": (lambda a, y: 3.0 * (a * a),),
    "^4": (lambda a, y: 4.0 * (a * (a * a)),),
    "^5": (lambda a, y: 5.0 * ((a * a) * (a * a)),),
    "^-1": (lambda a, y: -(y * y),),
    "sin": (lambda a, y: FUNCTIONS["cos"](a),),
    "cos": (lambda a, y: -FUNCTIONS["sin"](a),),
    "tan": (lambda a, y: 1.0 + y * y,),
    "asin": (lambda a, y: 1.0 / _half_circle(a),),
    "acos": (lambda a, y: -1.0 / _half_circle(a),),
    "atan": (lambda a, y: 1.0 / (1.0 + a * a),),
    "sinh": (lambda a, y: FUNCTIONS["cosh"](a),),
    "cosh": (lambda a, y: FUNCTIONS["sinh"](a),),
    "tanh": (lambda a, y: (1.0 - y) * (1.0 + y),),
    "sech": (lambda a, y: -(y * FUNCTIONS["tanh"](a)),),
    "sqrt": (lambda a, y: 0.5 / y,),
    "cbrt": (lambda a, y: 1.0 / (3.0 * (y * y)),),
    "exp": (lambda a, y: y,),
    "ln": (lambda a, y: 1.0 / a,),
    "log10": (lambda a, y: PER_LN10 / a,),
    "log2": (lambda a, y: PER_LN2 / a,),
    "abs": (lambda a, y: FUNCTIONS["sign"](a),),
    "sign": (lambda a, y: 0.0,),
    "min": (lambda a, b, y: _is_less(a, b), lambda a, b, y: _is_less(b, a)),
    "max": (lambda a, b, y: _is_less(b, a), lambda a, b, y: _is_less(a, b)),
    "pdiv": (
        lambda a, b, y: _away_from_zero(b, 1.0 / b),
        lambda a, b, y: _away_from_zero(b, -(y / b)),
    ),
    "plog": (lambda a, y: _away_from_zero(a, 1.0 / a),),
    "pinv": (lambda a, y: -(y * y),),
    "cond": (lambda a, b, y: 0.0, lambda a, b, y: np.where(a > 0.0, 1.0, 0.0)),
    "floor": (lambda a, y: 0.0,),
}

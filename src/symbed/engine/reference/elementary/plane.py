"""Length and angle of a point of the plane.

The twin of ``native/elementary/plane.h``, operation by operation.
"""

from __future__ import annotations

import numpy as np

from symbed._types import Floats
from symbed.engine.reference.elementary.bit_operations import (
    SIGN_BIT,
    bits,
    magnitude,
    select,
    signed_as,
)
from symbed.engine.reference.elementary.coefficients import PI_2
from symbed.engine.reference.elementary.pairs import add, exact_product, root
from symbed.engine.reference.elementary.trigonometric import atan_of


def _toward_one(length: Floats) -> Floats:
    """A power of two that brings a length near 1, so that squares neither overflow nor vanish."""
    return select(length > 2.0**400, 2.0**-600, select(length < 2.0**-400, 2.0**600, 1.0))


def hypot_of(x: Floats, y: Floats) -> Floats:
    """The length of the point (x, y)."""
    a, b = magnitude(x), magnitude(y)
    longer, shorter = select(a > b, a, b), select(a > b, b, a)
    scale = _toward_one(longer)
    p, q = longer * scale, shorter * scale
    square = add(exact_product(p, p), exact_product(q, q))
    value = root(square).high / scale
    value = select(longer > 0.0, value, longer)
    undefined = select((x != x) | (y != y), np.nan, value)
    return select((longer == np.inf) & (x == x) & (y == y), np.inf, undefined)


def atan2_of(y: Floats, x: Floats) -> Floats:
    """The angle of the point (x, y); of the origin, that of the signs of its zeros."""
    a, b = magnitude(y), magnitude(x)
    t = a / b
    scale = _toward_one(select(a > b, a, b))
    a_scaled, b_scaled = a * scale, b * scale
    back = exact_product(t, b_scaled)
    t_low = ((a_scaled - back.high) - back.low) / b_scaled / (1.0 + t * t)
    t_low = select((t > 2.0**-500) & (t < 2.0**60), t_low, 0.0)
    upright = select(a > 0.0, PI_2[0], select(a == 0.0, 0.0, a))
    main = select(b > 0.0, atan_of(t), upright)
    left = 2.0 * PI_2[0] - ((main - 2.0 * PI_2[1]) + t_low)
    behind = (bits(x) & SIGN_BIT) != 0
    value = select(behind, left, main + t_low)
    return signed_as(select((x != x) | (y != y), np.nan, value), y)

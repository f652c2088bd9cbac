"""Real powers of NumPy arrays, as exp(y ln|x|) in doubled precision.

The twin of ``native/elementary/powers.h``, operation by operation.
"""

from __future__ import annotations

import numpy as np

from symbed._types import Floats
from symbed.engine.reference.elementary.bit_operations import (
    TWO_52,
    magnitude,
    select,
    signed_as,
    upper,
)
from symbed.engine.reference.elementary.exponential import (
    ZERO,
    Exponent,
    exponent,
    exponential,
)
from symbed.engine.reference.elementary.pairs import Pair, ln_pair

# Beyond it every power of a number other than 1 overflows or vanishes; infinity does not multiply.
HUGE = 2.0**80


def pow_of(x: Floats, y: Floats) -> Floats:
    """The power x^y, real or undefined, with the special cases of C99."""
    log = ln_pair(magnitude(x))
    return _with_special_cases(x, y, exponential(_pow_exponent(log, y)))


def _pow_exponent(log: Pair, y: Floats) -> Exponent:
    y = select(y > HUGE, HUGE, select(y < -HUGE, -HUGE, y))
    y1 = upper(y)
    y2 = y - y1
    l1 = upper(np.asarray(log.high))
    l2 = log.high - l1
    high = y * log.high
    low = ((((y1 * l1 - high) + y1 * l2) + y2 * l1) + y2 * l2) + y * log.low
    low = select(magnitude(high) < 1024.0, low, 0.0)
    return exponent(high, low, ZERO)


def _with_special_cases(x: Floats, y: Floats, value: Floats) -> Floats:
    size = magnitude(x)
    rising, falling = select(y > 0.0, np.inf, 0.0), select(y > 0.0, 0.0, np.inf)
    value = select(size == 0.0, falling, select(size == np.inf, rising, value))
    # A negative base: the sign of an odd power, nothing real between integers.
    y_size = magnitude(y)
    half = 0.5 * y_size
    unsettled = select(x > -np.inf, np.nan, value)
    whole = _rounded_size(y_size) == y_size
    even = _rounded_size(half) == half
    turned = select(even, value, signed_as(value, x))
    value = select(whole, turned, select(x < 0.0, unsettled, value))
    value = select(x != x, x, select(y != y, y, value))
    return select(y == 0.0, 1.0, select(x == 1.0, 1.0, value))


def _rounded_size(size: Floats) -> Floats:
    """|y| rounded to an integer; from 2^52 on it is one."""
    return select(size < TWO_52, (size + TWO_52) - TWO_52, size)

"""Real powers of NumPy arrays, as exp(y ln|x|) in doubled precision.

The twin of ``native/elementary_pow.h``, operation by operation.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from symbed._types import Floats
from symbed.engine.reference.elementary.bit_operations import (
    TWO_52,
    magnitude,
    polynomial,
    select,
    signed_as,
    upper,
)
from symbed.engine.reference.elementary.coefficients import LN2, POW, THIRD
from symbed.engine.reference.elementary.exponential import (
    ZERO,
    Exponent,
    exponent,
    exponential,
    scaled,
)

# Beyond it every power of a number other than 1 overflows or vanishes; infinity does not multiply.
HUGE = 2.0**80


def pow_of(x: Floats, y: Floats) -> Floats:
    """The power x^y, real or undefined, with the special cases of C99."""
    log = _ln_pair(magnitude(x))
    return _with_special_cases(x, y, exponential(_pow_exponent(log, y)))


class Pair(NamedTuple):
    """An unevaluated sum of two doubles."""

    high: Floats
    low: Floats


def _ln_pair(x: Floats) -> Pair:
    """ln(x) of positive finite x to about 66 bits: 2 atanh((m - 1)/(m + 1)) + k ln 2."""
    k, m = scaled(x)
    f = m - 1.0
    d = m + 1.0
    d_low = m - (d - 1.0)
    per_d = 1.0 / d
    s = f * per_d
    s1 = upper(s)
    s2 = s - s1
    d1 = upper(d)
    d2 = d - d1
    left = (((f - s1 * d1) - s1 * d2) - s2 * d1) - (s2 * d2 + s * d_low)
    s2 = s2 + left * per_d  # s1 + s2 is the quotient to 78 bits

    # q = z/3 + z^2 POW(z), z = s^2; the product of the leading halves is exact
    z1 = s1 * s1
    z2 = (s1 + s1) * s2 + s2 * s2
    z = s * s  # near enough for the small terms
    z_cut = upper(z1)
    q_main = z_cut * THIRD[0]
    q_rest = ((z1 - z_cut) + z2) * THIRD[0] + (z * THIRD[1] + z * z * polynomial(z, POW))
    q = q_main + q_rest
    q1 = upper(q)
    q2 = (q_main - q1) + q_rest

    whole = k * LN2[0]
    twice = s1 + s1
    third = twice * q1
    small = (s2 + s2) + (twice * q2 + (s2 + s2) * q) + k * LN2[1]
    total = whole + twice
    total_low = (whole - total) + twice
    following = total + third
    low = ((total - following) + third) + (total_low + small)
    high = following + low
    return Pair(high, (following - high) + low)


def _pow_exponent(log: Pair, y: Floats) -> Exponent:
    y = select(y > HUGE, HUGE, select(y < -HUGE, -HUGE, y))
    y1 = upper(y)
    y2 = y - y1
    l1 = upper(log.high)
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

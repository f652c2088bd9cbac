"""Exponentials and hyperbolic functions, logarithms and cube roots of NumPy arrays.

The twin of ``native/elementary/exponential.h``, operation by operation; those in pairs are in
``pairs.h``.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from symbed._types import Floats, Words
from symbed.engine.reference.elementary import _coefficients as co
from symbed.engine.reference.elementary._arithmetic import (
    EXPONENT_PLACE,
    FRACTION,
    ONE,
    ONE_BITS,
    ROOT_HALF_BITS,
    ROUNDER,
    TINY,
    TWO_52,
    TWO_52_BITS,
    TWO_54,
    Pair,
    bits,
    exact_sum,
    magnitude,
    ordered_sum,
    polynomial,
    power_of_two,
    real,
    select,
    signed_as,
    upper,
)

ZERO, MINUS_ONE = np.uint64(0), ~np.uint64(0)  # shifts of exponents, which wrap around


class Exponent(NamedTuple):
    """Numbers as whole * ln 2 + r + r_low, |r| <= ln(2)/2; only the low bits of whole count."""

    r: Floats
    r_low: Floats
    whole: Words


def exponent(high: Floats, low: Floats | float, shift: np.uint64) -> Exponent:
    """The sum high + low, for a small correction low, plus shift * ln 2."""
    # Beyond these bounds every exponential overflows or vanishes. NaN is neither, and passes.
    above, below = high > 712.0, high < -750.0
    high = select(above, 712.0, high)
    high = select(below, -750.0, high)
    rounded = high * co.LOG2_E + ROUNDER
    n = rounded - ROUNDER
    start = high - n * co.LN2[0]
    rest = n * co.LN2[1] - low
    r = start - rest
    return Exponent(r, (start - r) - rest, bits(rounded) + shift)


def exponential_tail(v: Exponent) -> Floats:
    """exp(r + r_low) - 1 - r."""
    z = v.r * v.r
    c = v.r - z * polynomial(z, co.EXP)
    return v.r * c / (2.0 - c) + v.r_low


def exponential(v: Exponent) -> Floats:
    """The exponential function, scaled in two steps so that it can overflow and underflow."""
    one = 1.0 + v.r
    y = one + (((1.0 - one) + v.r) + exponential_tail(v))
    return times_power(y, v.whole)


def exp_of(x: Floats) -> Floats:
    """The exponential."""
    return exponential(exponent(x, 0.0, ZERO))


def sinh_of(x: Floats) -> Floats:
    """The hyperbolic sine."""
    a = magnitude(x)
    z = a * a
    near = a + a * z * polynomial(z, co.SINH)
    half = exponential(exponent(a, 0.0, MINUS_ONE))  # exp(a) / 2, finite where sinh is
    # exp(-a)/2 is 1/(4 half). Nearer to 0 the difference would cancel digits.
    far = half - 0.25 / half
    return signed_as(select(a < 1.0, near, far), x)


def cosh_of(x: Floats) -> Floats:
    """The hyperbolic cosine."""
    half = exponential(exponent(magnitude(x), 0.0, MINUS_ONE))
    return half + 0.25 / half


def tanh_of(x: Floats) -> Floats:
    """The hyperbolic tangent."""
    a = magnitude(x)
    z = a * a
    near = a + a * z * polynomial(z, co.TANH)
    far = 1.0 - 2.0 / (1.0 + exponential(exponent(a + a, 0.0, ZERO)))
    return signed_as(select(a < 0.55, near, far), x)


class Scaled(NamedTuple):
    """Positive finite numbers as 2^k * m with sqrt(1/2) <= m < sqrt(2)."""

    k: Floats
    m: Floats


def scaled(x: Floats) -> Scaled:
    """Take positive finite numbers apart."""
    tiny = x < TINY
    # The carry of this sum raises the exponent where the fraction is at least that of sqrt(2).
    u = bits(select(tiny, x * TWO_54, x)) + (ONE_BITS - ROOT_HALF_BITS)
    exponent = real((u >> EXPONENT_PLACE) | TWO_52_BITS)
    # 1077 = 1023 + 54: subnormal numbers were lifted by 2^54.
    k = exponent - select(tiny, TWO_52 + 1077.0, TWO_52 + 1023.0)
    return Scaled(k, real((u & FRACTION) + ROOT_HALF_BITS))


def ln_of(x: Floats) -> Floats:
    """The natural logarithm."""
    k, m = scaled(x)
    f = m - 1.0
    s = f / (2.0 + f)
    z = s * s
    square = 0.5 * f * f
    tail = s * (square + z * polynomial(z, co.LN)) + k * co.LN2[1]
    return _log_or_limit(x, k * co.LN2[0] - ((square - tail) - f))


def log2_of(x: Floats) -> Floats:
    """The logarithm to base 2."""
    return _log_to_base(x, (1.0, 0.0), co.PER_LN2)


def log10_of(x: Floats) -> Floats:
    """The logarithm to base 10."""
    return _log_to_base(x, co.LG2, co.PER_LN10)


def _log_to_base(x: Floats, two: tuple[float, float], per: tuple[float, float]) -> Floats:
    """The sum k * two + ln(m) * per, with two = log(2) and per = 1/ln(base) given as pairs."""
    k, m = scaled(x)
    f = m - 1.0
    s = f / (2.0 + f)
    z = s * s
    square = 0.5 * f * f
    high = upper(f - square)
    low = ((f - high) - square) + s * (square + z * polynomial(z, co.LN))
    main = high * per[0]
    rest = (k * two[1] + (low + high) * per[1]) + low * per[0]
    whole = k * two[0]
    total = whole + main
    return _log_or_limit(x, total + (((whole - total) + main) + rest))


def _log_or_limit(x: Floats, value: Floats) -> Floats:
    """The value of a logarithm where it is ordinary, its limits elsewhere."""
    finite = select(x < np.inf, value, x)
    return select(x > 0.0, finite, select(x == 0.0, -np.inf, np.nan))


def cbrt_of(x: Floats) -> Floats:
    """The cube root."""
    size = magnitude(x)
    tiny = size < TINY
    u = bits(select(tiny, size * TWO_54, size))
    m = real((u & FRACTION) | ONE_BITS)
    e = real((u >> EXPONENT_PLACE) | TWO_52_BITS) - (TWO_52 + 1023.0)
    rounded = e * co.THIRD_NEAREST + ROUNDER
    over = e - 3.0 * (rounded - ROUNDER)  # -1, 0 or 1
    a = m * select(over < 0.0, 0.5, select(over > 0.0, 2.0, 1.0))
    # y approaches a^(-1/3); then t = a y^2 is cut to 26 bits so that its cube is known exactly.
    turn = select(over < 0.0, co.CBRT2[0], select(over > 0.0, co.CBRT2[1], 1.0))
    y = polynomial(m, co.CBRT) * turn
    miss = 1.0 - a * y * (y * y)
    y = y + y * miss * (co.THIRD_NEAREST + (2.0 * co.THIRD_NEAREST * co.THIRD_NEAREST) * miss)
    per_square = y * y
    t = a * per_square
    cut = upper(t)
    square = cut * cut
    square_high = upper(square)
    left = (a - square_high * cut) - (square - square_high) * cut
    root = cut + left * (per_square * co.THIRD_NEAREST) * (1.0 + (t - cut) * y)
    # 1/262144 = 2^-18 is the cube root of the 2^-54 by which small numbers were lifted.
    value = root * power_of_two(bits(rounded)) * select(tiny, 1.0 / 262144.0, 1.0)
    return signed_as(select(size > 0.0, select(size < np.inf, value, size), size), x)


def exponential_pair(v: Exponent) -> Pair:
    """exp(r + r_low) to about 57 bits; the power of two is still to be multiplied."""
    one = ordered_sum(1.0, v.r)
    return ordered_sum(one.high, one.low + exponential_tail(v))


def times_power(value: Floats | float, whole: Words) -> Floats:
    """A value times 2^whole in two steps, so that it can overflow and become subnormal."""
    half = whole >> ONE
    return value * power_of_two(half) * power_of_two(whole - half)


def ln_pair(x: Floats) -> Pair:
    """ln(x) of positive finite x to about 66 bits: 2 atanh((m - 1)/(m + 1)) + k ln 2."""
    k, m = scaled(x)
    f = m - 1.0
    d = m + 1.0
    # What rounding took from d.
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
    q_main = z_cut * co.THIRD[0]
    q_rest = ((z1 - z_cut) + z2) * co.THIRD[0] + (z * co.THIRD[1] + z * z * polynomial(z, co.POW))
    q = q_main + q_rest
    q1 = upper(q)
    q2 = (q_main - q1) + q_rest

    whole = k * co.LN2[0]
    twice = s1 + s1
    third = twice * q1
    small = (s2 + s2) + (twice * q2 + (s2 + s2) * q) + k * co.LN2[1]
    total = whole + twice
    total_low = (whole - total) + twice
    following = total + third
    low = ((total - following) + third) + (total_low + small)
    high = following + low
    return Pair(high, (following - high) + low)


def ln_of_pair(a: Pair) -> Pair:
    """ln(a) of a positive pair."""
    # ln(high + low) = ln(high) + ln(1 + part), of which two terms are enough.
    part = a.low / a.high
    return ln_pair(np.asarray(a.high)) + Pair(part - 0.5 * part * part)


def ln_of_one_and(a: Pair) -> Pair:
    """ln(1 + a) of a pair above -1, with all its digits near zero."""
    s = exact_sum(1.0, a.high)
    return ln_of_pair(Pair(s.high, s.low + a.low))

"""Sines, cosines, tangents, their reciprocals and inverses; length and angle of a point.

The twin of ``native/elementary/trigonometric.h``, operation by operation.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from symbed._types import Booleans, Floats, Words
from symbed.engine.reference.elementary import _coefficients as co
from symbed.engine.reference.elementary._arithmetic import (
    ONE,
    ONE_BITS,
    ROUNDER,
    SIGN_BIT,
    TWO_52,
    UNIT,
    Pair,
    bits,
    choose,
    exact_product,
    magnitude,
    nearest_whole,
    ordered_sum,
    polynomial,
    real,
    root,
    select,
    signed_as,
    upper,
)

TWO = np.uint64(2)
LARGE = 262144.0  # 2^18: up to here n * HALF_PI[0] and n * HALF_PI[1] are exact


def sin_of(x: Floats) -> Floats:
    """The sine."""
    sine, cosine, quarter = _sin_cos_of(x)
    return _in_quarter(quarter, sine.high, cosine.high)


def cos_of(x: Floats) -> Floats:
    """The cosine."""
    sine, cosine, quarter = _sin_cos_of(x)
    return _in_quarter(quarter + ONE, sine.high, cosine.high)


def tan_of(x: Floats) -> Floats:
    """The tangent: the quotient, and what the two roundings before it took from it."""
    sine, cosine, quarter = _sin_cos_of(x)
    odd = _is_odd(quarter)
    top, bottom = choose(odd, -cosine, sine), choose(odd, sine, cosine)
    # The plain quotient is off by up to 2.3 units in the last place, the mended one by 1.4.
    quotient = np.asarray(top.high / bottom.high)
    return quotient - (quotient * bottom.low - top.low) / bottom.high  # this order keeps -0


class Reduced(NamedTuple):
    """x = quarter * pi/2 + r - back, |r| <= pi/4; only the last two bits of quarter count."""

    r: Floats
    back: Floats
    quarter: Words


def _reduced(x: Floats) -> Reduced:
    """Cody and Waite's subtraction in three parts; the order of the signs keeps -0."""
    rounded = x * co.TWO_OVER_PI + ROUNDER
    n = rounded - ROUNDER
    start = x - n * co.HALF_PI[0]
    second = n * co.HALF_PI[1]
    a = start - second
    rest = n * co.HALF_PI[2] - ((start - a) - second)
    r = a - rest
    v = Reduced(r, (r - a) + rest, bits(rounded))
    large = np.flatnonzero((magnitude(x) > LARGE) & (magnitude(x) < np.inf))
    if large.size:
        for part, values in zip(v, _reduced_large(x[large]), strict=True):
            part[large] = values
    return v


WINDOW = 192
_TABLE_BITS = 64 * len(co.TWO_OVER_PI_WORDS)
_TABLE = sum(word << (_TABLE_BITS - 64 * (i + 1)) for i, word in enumerate(co.TWO_OVER_PI_WORDS))


def _reduced_large(x: Floats) -> Reduced:
    """Payne and Hanek's multiplication: only 192 bits of m * (2/pi) matter for x = m * 2^e."""
    rows = [_fraction(word) for word in bits(x).tolist()]
    high, low, scale, sign, quarter = (np.array(column) for column in zip(*rows, strict=True))
    h = high * 2.0**-53 * scale
    rest = low * 2.0**-106 * scale
    h1 = upper(h)
    h2 = h - h1
    r = h * co.PI_2[0]
    leading = ((h1 * co.PI_2_SPLIT[0] - r) + h1 * co.PI_2_SPLIT[1]) + h2 * co.PI_2_SPLIT[0]
    r_low = (leading + h2 * co.PI_2_SPLIT[1]) + (h * co.PI_2_SPLIT[2] + rest * co.PI_2[0])
    total = r + r_low
    return Reduced(sign * total, sign * ((total - r) - r_low), quarter.astype(np.uint64))


def _fraction(word: int) -> tuple[float, float, float, float, int]:
    """The part of x / (pi/2) beyond the nearest integer, and that integer.

    Returns 53 leading and 53 following bits, the power of two to scale them, the sign, and the
    integer modulo 4.
    """
    m = (word & 0xFFFFFFFFFFFFF) | (1 << 52)
    # 1075 = 1023 + 52. The window begins such that the product's top bit has the weight 2; what
    # lies before it makes whole turns. The table's 64 leading zeros keep the place from being
    # negative.
    place = ((word >> 52) & 0x7FF) - 1075 + 62
    window = (_TABLE >> (_TABLE_BITS - place - WINDOW)) & ((1 << WINDOW) - 1)
    product = (m * window) & ((1 << WINDOW) - 1)
    quarter, fraction = product >> 190, (product >> 62) & ((1 << 128) - 1)
    past_half = fraction >> 127 == 1
    if past_half:  # go to the next quarter, and back by what is missing
        quarter, fraction = quarter + 1, (1 << 128) - fraction
    negative = word >> 63 == 1
    zeros = 128 - fraction.bit_length()
    fraction <<= zeros
    high, low = fraction >> 75, (fraction >> 22) & ((1 << 53) - 1)
    sign = 1.0 if negative == past_half else -1.0
    return float(high), float(low), 2.0**-zeros, sign, (-quarter if negative else quarter) % 4


def _is_odd(quarter: Words) -> Booleans:
    # Bit 0 becomes the sign of 1.
    return real((quarter << np.uint64(63)) | ONE_BITS) < 0.0


def _in_quarter(quarter: Words, even: Floats | float, odd: Floats | float) -> Floats:
    """Bit 0 of quarter changes the function, bit 1 the sign."""
    return _turned(select(_is_odd(quarter), odd, even), quarter)


def _turned(value: Floats, quarter: Words) -> Floats:
    """A value with the other sign where bit 1 of quarter is set."""
    return real(bits(value) ^ ((quarter & TWO) << np.uint64(62)))


def _sin_cos_of(x: Floats) -> tuple[Pair, Pair, Words]:
    """Both functions of what is left of x beyond whole quarters, and these."""
    v = _reduced(x)
    return *_sin_cos(v), v.quarter


def _sin_cos(v: Reduced) -> tuple[Pair, Pair]:
    """Both functions of the small remainder, with the bits that their last rounding would drop.

    Each quarter takes one of them with a sign.
    """
    z = v.r * v.r
    half = 0.5 * z
    w = 1.0 - half
    sine = ordered_sum(v.r, -(v.back * w - v.r * z * polynomial(z, co.SIN)))
    rest = ((1.0 - w) - half) + (z * z * polynomial(z, co.COS) + v.r * v.back)
    return sine, ordered_sum(w, rest)


def _guarded_quotient(top: Pair, bottom: Pair) -> Floats:
    """A quotient that may be infinite."""
    # Near overflow the exact product inside of a pair's quotient would be inf - inf.
    plain = np.asarray(top.high / bottom.high)
    return select(magnitude(plain) < 2.0**1000, (top / bottom).high, plain)


def sec_of(x: Floats) -> Floats:
    """The secant."""
    sine, cosine, quarter = _sin_cos_of(x)
    # The cosine is negative in quarters 1 and 2, where quarter + 1 has bit 1.
    value = _guarded_quotient(UNIT, choose(_is_odd(quarter), sine, cosine))
    return _turned(value, quarter + ONE)


def csc_of(x: Floats) -> Floats:
    """The cosecant."""
    sine, cosine, quarter = _sin_cos_of(x)
    value = _guarded_quotient(UNIT, choose(_is_odd(quarter), cosine, sine))
    return _turned(value, quarter)


def cot_of(x: Floats) -> Floats:
    """The cotangent."""
    sine, cosine, quarter = _sin_cos_of(x)
    odd = _is_odd(quarter)
    return _guarded_quotient(choose(odd, -sine, cosine), choose(odd, cosine, sine))


PI_PAIR = Pair(2.0 * co.PI_2[0], 2.0 * co.PI_2[1])


def sinc_of(x: Floats) -> Floats:
    """sin(pi x)/(pi x); halves of x are exact, so it vanishes exactly at whole numbers."""
    a = magnitude(x)
    inner = select(a < TWO_52, a, 1.0)
    n = ((inner + inner) + TWO_52) - TWO_52
    n = select(inner < 0.5 * TWO_52, n, inner + inner)
    sine, cosine, quarter = _sin_cos_pi(inner, n)
    chosen = choose(_is_odd(quarter), cosine, sine)
    value = np.asarray((chosen / (Pair(inner) * PI_PAIR)).high)
    value = _turned(value, quarter)
    value = select(a < TWO_52, value, select(x != x, x, 0.0))
    # There (pi x)^2/6 is nothing beside 1, and the quotient would be 0/0 at 0.
    return select(a < 2.0**-28, 1.0, value)


def sin_pi(u: Floats) -> Floats:
    """sin(pi u), |u| <= 1/2."""
    sine, cosine, quarter = _sin_cos_pi(u, nearest_whole(u + u))
    return _in_quarter(quarter, sine.high, cosine.high)


def _sin_cos_pi(u: Floats, n: Floats) -> tuple[Pair, Pair, Words]:
    """As ``_sin_cos_of`` pi u, where n is the integer next to 2 u."""
    angle = Pair(u - 0.5 * n) * PI_PAIR
    quarter = n.astype(np.int64).astype(np.uint64)
    reduced = Reduced(np.asarray(angle.high), -np.asarray(angle.low), quarter)
    return *_sin_cos(reduced), quarter


def asin_of(x: Floats) -> Floats:
    """The inverse sine."""
    a = magnitude(x)
    far = a > 0.5
    # asin(a) = pi/2 - 2 asin(sqrt((1 - a)/2)): the polynomial is for arguments up to 1/2.
    z = select(far, 0.5 * (1.0 - a), a * a)
    s = select(far, np.sqrt(z), a)
    rest = s * z * polynomial(z, co.ASIN)
    turned = co.PI_2[0] - ((s + s) + ((rest + rest) - co.PI_2[1]))
    return signed_as(select(far, turned, s + rest), x)


def acos_of(x: Floats) -> Floats:
    """The inverse cosine."""
    a = magnitude(x)
    far = a > 0.5
    z = select(far, 0.5 * (1.0 - a), a * a)
    s = select(far, np.sqrt(z), x)
    rest = s * z * polynomial(z, co.ASIN)
    middle = co.PI_2[0] - (s + (rest - co.PI_2[1]))
    right = (s + s) + (rest + rest)
    return select(far, select(x > 0.0, right, 2.0 * middle), middle)


def atan_of(x: Floats) -> Floats:
    """The inverse tangent: atan(t) + base with t = a, (a - 1)/(a + 1) or -1/a."""
    a = magnitude(x)
    a = select(a > 2.0**60, 2.0**60, a)
    # tan(pi/8) and tan(3 pi/8): between them, and on both sides, |t| <= tan(pi/8).
    past_first, past_third = a > 0.41421356237309503, a > 2.4142135623730949
    a0, c0 = select(past_third, 0.0, a), select(past_third, 0.0, 1.0)
    a1, c1 = select(past_first, a, 0.0), select(past_first, 1.0, 0.0)
    base = select(past_first, select(past_third, co.PI_2[0], co.PI_4[0]), 0.0)
    base_low = select(past_first, select(past_third, co.PI_2[1], co.PI_4[1]), 0.0)

    n, d = a0 - c1, c0 + a1
    n_low, d_low = a0 - (n + c1), a1 - (d - c0)
    per_d = 1.0 / d
    t = n * per_d
    t1, d1 = upper(t), upper(d)
    t2, d2 = t - t1, d - d1
    left = ((((n - t1 * d1) - t1 * d2) - t2 * d1) - t2 * d2) + (n_low - t * d_low)
    t_low = left * per_d

    z = t * t
    total = base + t
    rest = ((base - total) + t) + ((base_low + t_low) + t * z * polynomial(z, co.ATAN))
    return signed_as(total + rest, x)


def _toward_one(length: Floats) -> Floats:
    """A power of two that brings a length near 1, so that squares neither overflow nor vanish."""
    return select(length > 2.0**400, 2.0**-600, select(length < 2.0**-400, 2.0**600, 1.0))


def hypot_of(x: Floats, y: Floats) -> Floats:
    """The length of the point (x, y)."""
    a, b = magnitude(x), magnitude(y)
    longer, shorter = select(a > b, a, b), select(a > b, b, a)
    scale = _toward_one(longer)
    p, q = longer * scale, shorter * scale
    square = exact_product(p, p) + exact_product(q, q)
    value = root(square).high / scale
    value = select(longer > 0.0, value, longer)
    # Unlike in C99, an undefined operand stays undefined beside infinity, too.
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
    upright = select(a > 0.0, co.PI_2[0], select(a == 0.0, 0.0, a))
    main = select(b > 0.0, atan_of(t), upright)
    left = 2.0 * co.PI_2[0] - ((main - 2.0 * co.PI_2[1]) + t_low)
    behind = (bits(x) & SIGN_BIT) != 0
    value = select(behind, left, main + t_low)
    return signed_as(select((x != x) | (y != y), np.nan, value), y)

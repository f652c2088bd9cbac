"""Unevaluated sums of two doubles, for functions whose last bit needs more than 53 of them.

The twin of ``native/elementary/pairs.h``, operation by operation.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from symbed._types import Booleans, Floats, Words
from symbed.engine.reference.elementary.bit_operations import (
    ONE,
    polynomial,
    power_of_two,
    select,
    upper,
)
from symbed.engine.reference.elementary.coefficients import LN2, POW, THIRD
from symbed.engine.reference.elementary.exponential import Exponent, exponential_tail, scaled


@dataclass(frozen=True, slots=True)
class Pair:
    """An unevaluated sum of two doubles; ``high`` is the sum, rounded."""

    high: Floats | float
    low: Floats | float = 0.0

    def __add__(self, other: Pair) -> Pair:
        s = exact_sum(self.high, other.high)
        return ordered_sum(s.high, s.low + (self.low + other.low))

    def __neg__(self) -> Pair:
        return Pair(-self.high, -self.low)

    def __sub__(self, other: Pair) -> Pair:
        return self + -other

    def __mul__(self, other: Pair) -> Pair:
        p = exact_product(self.high, other.high)
        return ordered_sum(p.high, p.low + (self.high * other.low + self.low * other.high))

    def __truediv__(self, other: Pair) -> Pair:
        q = self.high / other.high
        p = exact_product(q, other.high)
        rest = (((self.high - p.high) - p.low) + self.low) - q * other.low
        return ordered_sum(q, rest / other.high)


UNIT = Pair(1.0)


def ordered_sum(large: Floats | float, small: Floats | float) -> Pair:
    """The exact sum of two doubles, the larger one first."""
    high = large + small
    return Pair(high, small - (high - large))


def exact_sum(a: Floats | float, b: Floats | float) -> Pair:
    """The exact sum of two doubles in any order."""
    high = a + b
    back = high - a
    return Pair(high, (a - (high - back)) + (b - back))


def exact_product(a: Floats | float, b: Floats | float) -> Pair:
    """The product of two doubles to 106 bits."""
    a, b = np.asarray(a, np.float64), np.asarray(b, np.float64)
    a1, b1 = upper(a), upper(b)
    a2, b2 = a - a1, b - b1
    high = a * b
    return Pair(high, (((a1 * b1 - high) + a1 * b2) + a2 * b1) + a2 * b2)


def choose(condition: Booleans, yes: Pair, no: Pair) -> Pair:
    """One pair where the condition holds, the other elsewhere."""
    return Pair(select(condition, yes.high, no.high), select(condition, yes.low, no.low))


def root(a: Pair) -> Pair:
    """The square root of a positive pair."""
    high = np.sqrt(a.high)
    p = exact_product(high, high)
    return ordered_sum(high, (((a.high - p.high) - p.low) + a.low) / (high + high))


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


def ln_of_pair(a: Pair) -> Pair:
    """ln(a) of a positive pair."""
    part = a.low / a.high
    return ln_pair(np.asarray(a.high)) + Pair(part - 0.5 * part * part)


def ln_of_one_and(a: Pair) -> Pair:
    """ln(1 + a) of a pair above -1, with all its digits near zero."""
    s = exact_sum(1.0, a.high)
    return ln_of_pair(Pair(s.high, s.low + a.low))

"""Arithmetic of the elementary functions: bits of doubles, choices, polynomials, pairs of doubles.

The twin of ``native/elementary/bit_operations.h`` and of the arithmetic in ``pairs.h``. Only
``+ - * /``, square roots, comparisons and integer operations appear in the elementary functions.
IEEE 754 rounds each of them correctly, so NumPy and every instruction set of the native core get
the same bits.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from symbed._types import Booleans, Floats, Words

ROUNDER = 6755399441055744.0  # 1.5 * 2^52; the low bits of x + it are x, rounded
TWO_52 = 4503599627370496.0
TWO_54 = 18014398509481984.0
TINY = 2.2250738585072014e-308  # the smallest normal number
SIGN_BIT = np.uint64(0x8000000000000000)
FRACTION = np.uint64(0x000FFFFFFFFFFFFF)
ONE_BITS = np.uint64(0x3FF0000000000000)
TWO_52_BITS = np.uint64(0x4330000000000000)
ROOT_HALF_BITS = np.uint64(0x3FE6A09E00000000)  # sqrt(1/2), cut
UPPER = np.uint64(0xFFFFFFFFF8000000)  # keeps 26 bits of the significand
EXPONENT_PLACE = np.uint64(52)
ONE = np.uint64(1)


def bits(x: Floats) -> Words:
    """The doubles as 64-bit words."""
    return x.view(np.uint64)


def real(words: Words) -> Floats:
    """The words as doubles."""
    return words.view(np.float64)


def select(condition: Booleans, yes: Floats | float, no: Floats | float) -> Floats:
    """``yes`` where the condition holds, ``no`` elsewhere."""
    return np.where(condition, yes, no)


def magnitude(x: Floats) -> Floats:
    """The absolute value."""
    return real(bits(x) & ~SIGN_BIT)


def upper(x: Floats) -> Floats:
    """The number cut to 26 bits, so that the product of two such is exact."""
    return real(bits(x) & UPPER)


def signed_as(value: Floats, sign: Floats) -> Floats:
    """A value that is not negative, with the sign of another."""
    return real(bits(value) | (bits(sign) & SIGN_BIT))


def nearest_whole(x: Floats) -> Floats:
    """The nearest integer, halves to the even one: adding 2^52 rounds to it."""
    size = magnitude(x)
    return select(size < TWO_52, signed_as((size + TWO_52) - TWO_52, x), x)


def power_of_two(n: Words) -> Floats:
    """2^n for the integer in the low bits of n, -1022 <= n <= 1023."""
    return real((n << EXPONENT_PLACE) + ONE_BITS)


def polynomial(z: Floats, c: Sequence[float]) -> Floats:
    """c[0] + c[1] z + c[2] z^2 ..., even and odd powers apart.

    >>> polynomial(np.array([2.0, 10.0]), (1, 2, 3)).tolist()
    [17.0, 321.0]
    """
    # Two chains instead of Horner's one: half the waiting for the core's vector units.
    w = z * z
    return _horner(w, c[0::2]) + z * _horner(w, c[1::2])


def _horner(w: Floats, c: Sequence[float]) -> Floats:
    value = np.full_like(w, c[-1])
    for coefficient in reversed(c[:-1]):
        value *= w
        value += coefficient
    return value


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
    # Dekker's (1971) sum: exact only if the larger one is first.
    high = large + small
    return Pair(high, small - (high - large))


def exact_sum(a: Floats | float, b: Floats | float) -> Pair:
    """The exact sum of two doubles in any order."""
    # Knuth's sum, without a comparison.
    high = a + b
    back = high - a
    return Pair(high, (a - (high - back)) + (b - back))


def exact_product(a: Floats | float, b: Floats | float) -> Pair:
    """The product of two doubles to 106 bits."""
    a, b = np.asarray(a, np.float64), np.asarray(b, np.float64)
    # Dekker's product in halves, since NumPy has no fused multiply-add.
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

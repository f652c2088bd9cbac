"""Building blocks of the elementary functions: bits of doubles, choices and polynomials.

The twin of ``native/elementary/bit_operations.h``. Only ``+ - * /``, square roots, comparisons and
integer operations appear in the elementary functions. IEEE 754 rounds each of them correctly, so
NumPy and every instruction set of the native core get the same bits.
"""

from __future__ import annotations

from collections.abc import Sequence

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
    w = z * z
    return _horner(w, c[0::2]) + z * _horner(w, c[1::2])


def _horner(w: Floats, c: Sequence[float]) -> Floats:
    value = np.full_like(w, c[-1])
    for coefficient in reversed(c[:-1]):
        value *= w
        value += coefficient
    return value

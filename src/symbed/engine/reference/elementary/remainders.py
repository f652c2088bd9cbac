"""Whole numbers: floor, rounding, and remainders without an error.

The twin of ``native/elementary/remainders.h``. A remainder of two doubles is a double, so NumPy's,
which is exact, has the same bits as the long division there.
"""

from __future__ import annotations

import numpy as np

from symbed._types import Floats
from symbed.engine.reference.elementary.bit_operations import (
    TWO_52,
    magnitude,
    select,
    signed_as,
)


def nearest_whole(x: Floats) -> Floats:
    """The nearest integer, halves to the even one: adding 2^52 rounds to it."""
    size = magnitude(x)
    return select(size < TWO_52, signed_as((size + TWO_52) - TWO_52, x), x)


def floor_of(x: Floats) -> Floats:
    """The largest integer that is not above; what was rounded up goes down by one."""
    nearest = nearest_whole(x)
    return select(nearest > x, nearest - 1.0, nearest)


def ceil_of(x: Floats) -> Floats:
    """The smallest integer that is not below."""
    return -floor_of(-x)


def round_of(x: Floats) -> Floats:
    """The nearest integer."""
    return nearest_whole(x)


def mod_of(a: Floats, b: Floats) -> Floats:
    """The remainder with the sign of ``b``, as Python, NumPy and Julia have it."""
    rest = np.fmod(a, b)
    other_side = (rest < 0.0) != (b < 0.0)
    turned = select(other_side, rest + b, rest)
    return select(rest == 0.0, signed_as(np.zeros_like(b), b), turned)


def floordiv_of(a: Floats, b: Floats) -> Floats:
    """The floor of the quotient before it is rounded."""
    rest = np.fmod(a, b)
    whole = (a - rest) / b
    other_side = (rest < 0.0) != (b < 0.0)
    whole = select((rest != 0.0) & other_side, whole - 1.0, whole)
    return nearest_whole(whole)

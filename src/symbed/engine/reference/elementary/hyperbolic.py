"""Powers, and functions made of exponentials and logarithms that keep every digit.

The twin of ``native/elementary/hyperbolic.h``, operation by operation.
"""

from __future__ import annotations

import numpy as np

from symbed._types import Floats
from symbed.engine.reference.elementary._arithmetic import (
    ONE,
    UNIT,
    Pair,
    choose,
    exact_product,
    exact_sum,
    magnitude,
    nearest_whole,
    ordered_sum,
    polynomial,
    power_of_two,
    root,
    select,
    signed_as,
    upper,
)
from symbed.engine.reference.elementary._coefficients import LN2, SINH, TANH
from symbed.engine.reference.elementary._exponential import (
    MINUS_ONE,
    ZERO,
    Exponent,
    exponent,
    exponential,
    exponential_pair,
    exponential_tail,
    ln_of_one_and,
    ln_of_pair,
    ln_pair,
)

SMALL = 2.0**-28  # below, x^3 is nothing beside x
FAR = 2.0**28  # above, 1 is nothing beside x^2
MAX_EXP = 700.0  # up to here exp(-x) is a normal number
LARGEST_EXPONENT = 709.78271289338397  # of an exponential that is finite
TINY = 2.0**-54
LN2_PAIR = Pair(LN2[0], LN2[1])


def asinh_of(x: Floats) -> Floats:
    """The inverse hyperbolic sine."""
    a = magnitude(x)
    # All branches are computed everywhere; where one is not taken, it gets a harmless number.
    inner = select(a < FAR, a, 1.0)
    square = exact_product(inner, inner)
    # exp(asinh(a)) - 1 = a + a^2/(sqrt(a^2 + 1) + 1).
    over = square / (root(square + UNIT) + UNIT)
    near = ln_of_one_and(Pair(inner) + over)
    far = ln_pair(a) + LN2_PAIR
    value = select(a < SMALL, a, select(a < FAR, near.high, far.high))
    return signed_as(select(a < np.inf, value, a), x)


def acosh_of(x: Floats) -> Floats:
    """The inverse hyperbolic cosine."""
    t = x - 1.0  # exact up to 2^53
    inner = select(x < FAR, t, 1.0)
    # exp(acosh(1 + t)) - 1 = t + sqrt(t^2 + 2t).
    square = exact_product(inner, inner) + Pair(inner + inner)
    near = ln_of_one_and(Pair(inner) + root(square))
    far = ln_pair(x) + LN2_PAIR
    value = select(x < FAR, near.high, far.high)
    edge = select(x == 1.0, 0.0, np.nan)
    return select(x > 1.0, select(x < np.inf, value, x), edge)


def atanh_of(x: Floats) -> Floats:
    """The inverse hyperbolic tangent."""
    a = magnitude(x)
    inner = select(a < 1.0, a, 0.5)
    # atanh(a) = ln(1 + 2a/(1 - a))/2.
    ratio = Pair(inner + inner) / exact_sum(1.0, -inner)
    near = 0.5 * ln_of_one_and(ratio).high
    value = select(a < SMALL, a, near)
    return signed_as(select(a < 1.0, value, select(a == 1.0, np.inf, np.nan)), x)


def expm1_of(x: Floats) -> Floats:
    """exp(x) - 1, as 2 (2^(k-1) - 1/2 + 2^(k-1) (r + tail)), which does not overflow early."""
    above = x > LARGEST_EXPONENT
    inner = select(x < -50.0, -50.0, select(above, 709.0, x))
    v = exponent(inner, 0.0, MINUS_ONE)
    tail = exponential_tail(v)
    scale = power_of_two(v.whole)
    whole = exact_sum(scale, -0.5)
    main = exact_sum(whole.high, scale * v.r)
    value = main.high + (main.low + (whole.low + scale * tail))
    value = select(magnitude(x) < TINY, x, value + value)
    return select(above, np.inf, value)


def log1p_of(x: Floats) -> Floats:
    """ln(1 + x)."""
    inner = select((x > -1.0) & (x < np.inf), x, 1.0)
    value = ln_of_one_and(Pair(inner)).high
    value = select(magnitude(x) < TINY, x, value)
    edge = select(x == -1.0, -np.inf, np.nan)
    return select(x > -1.0, select(x < np.inf, value, x), edge)


def logit_of(x: Floats) -> Floats:
    """ln(x/(1 - x)); near 1/2, where it vanishes, ln(1 + (2x - 1)/(1 - x))."""
    within = (x > 0.0) & (x < 1.0)
    inner = select(within, x, 0.5)
    rest = exact_sum(1.0, -inner)
    offset = inner + inner - 1.0
    near = ln_of_one_and(Pair(offset) / rest)
    far = ln_pair(inner) - ln_of_pair(rest)
    value = select(magnitude(offset) <= 0.5, near.high, far.high)
    edge = select(x == 0.0, -np.inf, select(x == 1.0, np.inf, np.nan))
    return select(within, value, edge)


def _falling_exponential(a: Floats) -> Pair:
    """exp(-a) as a pair, for a from 0 to ``MAX_EXP``."""
    v = exponent(-select(a > MAX_EXP, MAX_EXP, a), 0.0, ZERO)
    value = exponential_pair(v)
    scale = power_of_two(v.whole)
    return Pair(value.high * scale, value.low * scale)


def sigmoid_of(x: Floats) -> Floats:
    """1/(1 + exp(-x))."""
    t = _falling_exponential(magnitude(x))
    value = (choose(x < 0.0, t, UNIT) / (UNIT + t)).high
    tiny = exponential(exponent(x, 0.0, ZERO))
    return select(x < -MAX_EXP, tiny, value)


def softplus_of(x: Floats) -> Floats:
    """ln(1 + exp(x))."""
    t = _falling_exponential(magnitude(x))
    ramp = select(x < 0.0, 0.0, x)
    value = (Pair(ramp) + ln_of_one_and(t)).high
    tiny = exponential(exponent(x, 0.0, ZERO))
    return select(x < -MAX_EXP, tiny, select(x > MAX_EXP, x, value))


def gauss_of(x: Floats) -> Floats:
    """exp(-x^2)."""
    a = magnitude(x)
    # exp(-900) is 0 already.
    inner = select(a > 30.0, 30.0, a)
    square = exact_product(inner, inner)
    return exponential(exponent(-np.asarray(square.high), -square.low, ZERO))


def sech_of(x: Floats) -> Floats:
    """The hyperbolic secant."""
    a = magnitude(x)
    t = _falling_exponential(a)
    value = (Pair(t.high + t.high, t.low + t.low) / (UNIT + t * t)).high
    # The shift by one doubles: 2 exp(-a).
    return select(a > MAX_EXP, exponential(exponent(-a, 0.0, ONE)), value)


def csch_of(x: Floats) -> Floats:
    """The hyperbolic cosecant."""
    a = magnitude(x)
    z = a * a
    t = _falling_exponential(a)
    far = Pair(t.high + t.high, t.low + t.low) / (UNIT - t * t)
    near = UNIT / ordered_sum(a, a * z * polynomial(z, SINH))
    tiny = exponential(exponent(-a, 0.0, ONE))
    value = select(a < 1.0, near.high, select(a > MAX_EXP, tiny, far.high))
    return signed_as(select(a < TINY, 1.0 / a, value), x)


def coth_of(x: Floats) -> Floats:
    """The hyperbolic cotangent."""
    a = magnitude(x)
    z = a * a
    t = _falling_exponential(a + a)
    far = (UNIT + t) / (UNIT - t)
    near = UNIT / ordered_sum(a, a * z * polynomial(z, TANH))
    value = select(a < 0.55, near.high, far.high)
    return signed_as(select(a < TINY, 1.0 / a, value), x)


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
    # Only the high part is kept in bounds by exponent(); a low part of that size would undo it.
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
    whole = nearest_whole(y_size) == y_size
    even = nearest_whole(half) == half
    turned = select(even, value, signed_as(value, x))
    value = select(whole, turned, select(x < 0.0, unsettled, value))
    value = select(x != x, x, select(y != y, y, value))
    return select(y == 0.0, 1.0, select(x == 1.0, 1.0, value))

"""The error function and the family of the gamma function.

The twin of ``native/elementary/special.h``, operation by operation.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from symbed._types import Floats, Words
from symbed.engine.reference.elementary import _coefficients as co
from symbed.engine.reference.elementary._arithmetic import (
    TINY,
    TWO_52,
    UNIT,
    Pair,
    choose,
    exact_product,
    exact_sum,
    magnitude,
    nearest_whole,
    polynomial,
    power_of_two,
    select,
    signed_as,
)
from symbed.engine.reference.elementary._exponential import (
    ZERO,
    exponent,
    exponential,
    exponential_pair,
    ln_of,
    ln_of_one_and,
    ln_of_pair,
    ln_pair,
    times_power,
)
from symbed.engine.reference.elementary._trigonometric import sin_pi

# ---- the error function ----


class Scalable(NamedTuple):
    """Pairs that are still to be multiplied by a power of two."""

    value: Pair
    whole: Words


def _erfc_tail(x: Floats) -> Scalable:
    """erfc(x) of x >= 1/4: exp(-x^2)/(1 + 2x) ERFC(t), t = (x - 3.75)/(x + 3.75).

    Shepherd and Laframboise's variable (1981): one polynomial for all of them.
    """
    # exp(-900) is 0 already.
    x = select(x > 30.0, 30.0, x)
    t = (x - 3.75) / (x + 3.75)
    series = Pair(*co.ERFC_MIDDLE) + Pair(t * polynomial(t, co.ERFC))
    square = exact_product(x, x)
    v = exponent(-np.asarray(square.high), -square.low, ZERO)
    ratio = series / exact_sum(1.0, x + x)
    return Scalable(exponential_pair(v) * ratio, v.whole)


def _erf_near(x: Floats) -> Floats:
    return x + x * polynomial(x * x, co.ERF)


def erf_of(x: Floats) -> Floats:
    """The error function."""
    a = magnitude(x)
    tail = _erfc_tail(select(a > 6.5, 6.5, a))  # beyond, erf is 1
    scale = power_of_two(tail.whole)
    rest = Pair(tail.value.high * scale, tail.value.low * scale)
    far = np.asarray((UNIT - rest).high)
    return select(a < 0.85, _erf_near(x), signed_as(far, x))


def erfc_of(x: Floats) -> Floats:
    """The complement of the error function."""
    tail = _erfc_tail(magnitude(x))
    right = times_power(tail.value.high, tail.whole)
    left = 2.0 - right
    # Up to 1/4 only: further on the difference cancels digits.
    near = 1.0 - _erf_near(x)
    return select(x < 0.25, select(x > -0.85, near, select(x <= -0.85, left, x)), right)


# ---- the gamma function ----

GAMMA_FAR = 20.5  # from here on Stirling's series
MAX_FACTORS = 20


def _reciprocal_gamma_rest(u: Floats) -> Pair:
    """R of 1/gamma(1 + u) = 1 + u R(u), |u| <= 1/2, to about 104 bits."""
    value = Pair(polynomial(u, co.RGAMMA_TAIL))
    for high, low in zip(co.RGAMMA_HIGH[::-1], co.RGAMMA_LOW[::-1], strict=True):
        value = Pair(high, low) + value * Pair(u)
    return value


class GammaParts(NamedTuple):
    """gamma(x), x = n + u: the factors between 1 + u and x, and ``base``, 1/gamma(1 + u).

    ``excess`` is gamma(x) - 1 for n = 1 and 2, where the logarithm vanishes.
    """

    factors: Pair
    base: Pair
    excess: Pair
    n: Floats


def _gamma_parts(x: Floats) -> GammaParts:
    n = nearest_whole(x)
    u = x - n
    rising = n > 0.0
    rest = _reciprocal_gamma_rest(u)
    slope = rest * Pair(u)
    base = UNIT + slope
    factors = Pair(np.ones_like(x), np.zeros_like(x))
    for k in range(MAX_FACTORS + 1):
        at = float(k)
        used = (rising & (k > 0) & (at < n)) | (~rising & (at <= -n))
        # Multiplied everywhere and kept where it is used, as the lanes of a vector must.
        following = factors * exact_sum(select(rising, at, -at), u)
        factors = choose(used, following, factors)
    of_two = (UNIT - rest) * Pair(u)
    excess = choose(n == 1.0, -slope, of_two) / base
    return GammaParts(factors, base, excess, n)


def _stirling(x: Floats) -> Pair:
    """The logarithm of gamma(x), x >= GAMMA_FAR."""
    x = select(x < 2.0**100, x, 2.0**100)
    per_x = 1.0 / x
    main = Pair(x - 0.5) * ln_pair(x)
    rest = Pair(*co.HALF_LN_2PI) + Pair(per_x * polynomial(per_x * per_x, co.STIRLING))
    return main + Pair(-x) + rest


def _reflected(a: Floats) -> Pair:
    """ln|gamma(-a)| of a >= GAMMA_FAR, by reflection: pi / (a sin(pi a) gamma(a))."""
    sine = magnitude(sin_pi(a - nearest_whole(a)))
    factor = 2.0 * co.PI_2[0] / (a * sine)
    return ln_pair(factor) - _stirling(a)


def gamma_of(x: Floats) -> Floats:
    """The gamma function."""
    a = magnitude(x)
    far = a >= GAMMA_FAR
    near = _gamma_parts(select(far, 1.5, x))
    bottom = choose(near.n > 0.0, near.base, near.factors * near.base)
    top = choose(near.n > 0.0, near.factors, UNIT)
    value = (top / bottom).high
    value = select(magnitude(x) < TINY, 1.0 / x, value)
    # 200.5 overflows (or vanishes) as everything beyond does, and halves are no poles.
    large = select(far, select(a > 200.0, 200.5, a), 30.5)
    log = choose(x > 0.0, _stirling(large), _reflected(large))
    size = exponential(exponent(np.asarray(log.high), log.low, ZERO))
    below = 2.0 * nearest_whole(0.5 * nearest_whole(a - 0.5))  # an even floor, or near it
    odd = magnitude(nearest_whole(a - 0.5) - below)
    remote = select(x > 0.0, size, select(odd == 1.0, size, -size))
    value = select(far, remote, value)
    pole = (x < 0.0) & (nearest_whole(x) == x)
    return select(pole, np.nan, select(x == np.inf, x, select(x != x, x, value)))


def lgamma_of(x: Floats) -> Floats:
    """The logarithm of the gamma function's magnitude."""
    a = magnitude(x)
    far = a >= GAMMA_FAR
    near = _gamma_parts(select(far, 1.5, x))
    rising = near.n > 0.0
    up, down = near.factors / near.base, near.factors * near.base
    whole = choose(rising, up, down)
    size = choose(np.asarray(whole.high) < 0.0, -whole, whole)
    plain = ln_of_pair(size)
    # Near the roots 1 and 2 the logarithm keeps its digits only if gamma - 1 has them.
    close = ln_of_one_and(near.excess)
    is_root = (near.n == 1.0) | (near.n == 2.0)
    value = select(is_root, close.high, select(rising, plain.high, -plain.high))
    large = select(far, a, 30.5)
    # Where Stirling's other terms are nothing beside x; _stirling goes up to 2^100 only.
    huge = large * (ln_of(large) - 1.0)
    right = select(a < 2.0**99, _stirling(large).high, huge)
    left = _reflected(select(far & (a < TWO_52), a, 30.5)).high
    value = select(far, select(x > 0.0, right, left), value)
    pole = (x <= 0.0) & (nearest_whole(x) == x)
    return select(pole, np.inf, select(a == np.inf, np.inf, select(x != x, x, value)))


# The derivatives of lgamma, for slopes: by shifting to LEAST_SHIFTED and the asymptotic series. Of
# order 0 the reflection reaches all negative numbers, of others the shift reaches -24.
LEAST_SHIFTED = 24.0
MAX_SHIFTS = 48
MAX_ORDER = 20


def _whole_power(base: Floats, order: Floats) -> Floats:
    value = np.ones_like(base)
    for k in range(MAX_ORDER + 1):
        value = select(float(k) < order, value * base, value)
    return value


def polygamma_of(order: Floats, x: Floats) -> Floats:
    """The derivative of lgamma of order + 1."""
    reflect = (order == 0.0) & (x < 0.0)
    y = select(reflect, 1.0 - x, x)
    shifted, sum_of_powers = y, np.zeros_like(y)
    for _ in range(MAX_SHIFTS):
        more = shifted < LEAST_SHIFTED
        term = _whole_power(1.0 / shifted, order + 1.0)
        sum_of_powers = select(more, sum_of_powers + term, sum_of_powers)
        shifted = select(more, shifted + 1.0, shifted)
    per = 1.0 / shifted
    square = per * per
    # (n-1)!/y^n + n!/(2 y^(n+1)) + sum of B_2k (2k+n-1)!/((2k)! y^(2k+n)), over n!.
    per_order = _whole_power(per, order)
    series = np.zeros_like(y)
    for k in range(len(co.BERNOULLI) - 1, -1, -1):
        even, rising = float(2 * k + 2), np.ones_like(y)  # (even + n - 1)! / (even! n!)
        for j in range(1, MAX_ORDER):
            rising = select(
                float(j) < order, rising * ((even + float(j)) / (float(j) + 1.0)), rising
            )
        rising = select(order == 0.0, 1.0 / even, rising)
        series = series * square + co.BERNOULLI[k] * rising
    main = select(order == 0.0, -ln_of(shifted), per_order / order)
    total = sum_of_powers + (main + (0.5 * per * per_order + series * square * per_order))
    factorial = np.ones_like(y)
    for k in range(2, MAX_ORDER + 1):
        factorial = select(float(k) <= order, factorial * float(k), factorial)
    half = 0.5 * order
    value = select(nearest_whole(half) == half, -total, total) * factorial
    u = x - nearest_whole(x)
    # psi(x) = psi(1 - x) - pi cot(pi x), with cos(pi u) = sin(pi (1/2 - u)).
    cotangent = sin_pi(select(u > 0.0, 0.5 - u, -0.5 - u)) / magnitude(sin_pi(u))
    value = select(reflect, value - 2.0 * co.PI_2[0] * cotangent, value)
    known = (order >= 0.0) & (order <= float(MAX_ORDER)) & (nearest_whole(order) == order)
    pole = (x <= 0.0) & (nearest_whole(x) == x)
    reached = reflect | (x >= -LEAST_SHIFTED)
    return select(known & reached & ~pole, value, np.nan)

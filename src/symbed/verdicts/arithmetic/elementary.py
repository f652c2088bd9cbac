"""Elementary functions of exact numbers and balls: arithmetic, powers, exponentials, angles."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from symbed.verdicts.arithmetic.values import (
    EXACT_BITS,
    HALF,
    ONE,
    UNDEFINED,
    UNKNOWN,
    ZERO,
    PiSum,
    Value,
    arb,
    as_ball,
    enclosed,
    equals,
    finite_or_unknown,
    fmpq,
    fmpz,
    is_defined,
    is_exact,
    kept_short,
    sign_of,
)

LARGEST_ROOT = 64  # an exact root of a rational is looked for up to this degree


# Arithmetic


def add(a: Value, b: Value) -> Value:
    """``a + b``."""
    if type(a) is fmpq and type(b) is fmpq:
        return kept_short(a + b)
    if type(a) is PiSum or type(b) is PiSum:
        if not (is_exact(a) and is_exact(b)):
            return enclosed(as_ball(a) + as_ball(b))
        return _pi_sum(_rational(a) + _rational(b), _turns(a) + _turns(b))
    return enclosed(a + b)


def subtract(a: Value, b: Value) -> Value:
    """``a - b``."""
    if type(a) is fmpq and type(b) is fmpq:
        return kept_short(a - b)
    if type(a) is PiSum or type(b) is PiSum:
        return add(a, negate(b))
    return enclosed(a - b)


def multiply(a: Value, b: Value) -> Value:
    """``a * b``."""
    if type(a) is fmpq and type(b) is fmpq:
        return kept_short(a * b)
    for one, other in ((a, b), (b, a)):
        if type(one) is fmpq:
            # Also of a number of which nothing is known: it is there, so the product is zero.
            if one == 0:
                return ZERO
            if type(other) is PiSum:
                return PiSum(other.rational * one, other.turns * one)
    return enclosed(as_ball(a) * as_ball(b))


def divide(a: Value, b: Value) -> Value:
    """``a / b``, undefined where ``b`` is zero."""
    if type(b) is fmpq:
        if b == 0:
            return UNDEFINED
        return kept_short(a / b) if type(a) is fmpq else multiply(a, ONE / b)
    # Proportional sums, such as 2*pi and pi, have a rational quotient.
    if type(a) is PiSum and type(b) is PiSum and a.rational * b.turns == b.rational * a.turns:
        return a.turns / b.turns
    # A ball around zero may be of a number that is zero, or is not: more bits may tell.
    bottom = as_ball(b)
    if bottom.contains(0):
        return UNKNOWN
    if type(a) is fmpq and a == 0:
        return ZERO
    return enclosed(as_ball(a) / bottom)


def negate(a: Value) -> Value:
    """``-a``."""
    return PiSum(-a.rational, -a.turns) if type(a) is PiSum else -a


def _pi_sum(rational: Any, turns: Any) -> Value:
    return PiSum(rational, turns) if turns != 0 else rational


def _rational(value: Value) -> Any:
    return value.rational if type(value) is PiSum else value


def _turns(value: Value) -> Any:
    return value.turns if type(value) is PiSum else ZERO


# Powers and roots


def integer_power(a: Value, n: int) -> Value:
    """``a^n``; ``a^0`` is 1, also at zero, as everywhere in the library."""
    if n == 0:
        return ONE
    if n < 0:
        return divide(ONE, integer_power(a, -n))
    if type(a) is fmpq and a.height_bits() * n <= EXACT_BITS:
        return a**n
    ball = as_ball(a)
    # python-flint's power of a ball around zero is NaN. Joining with 0 rounds outward, a little
    # below it, where an even power never is.
    if n % 2 == 0 and ball.contains(0):
        return enclosed(arb(0).union(arb(ball.abs_upper()) ** n)).nonnegative_part()
    return enclosed(ball**n)


def power(a: Value, b: Value) -> Value:
    """``a^b`` as a real number: a negative base takes integer exponents only, and 0^0 is 1."""
    if type(b) is fmpq:
        if b.q == 1:
            return integer_power(a, int(b.p))
        return _rational_power(a, b)
    base = sign_of(a)
    exponent = as_ball(b)
    if base == 1:
        return ONE if type(a) is fmpq and a == 1 else enclosed(as_ball(a) ** exponent)
    if base == 0:
        return ZERO if exponent > 0 else UNDEFINED if exponent < 0 else UNKNOWN
    if base == -1:
        # Of a negative base only integer exponents are real, and a ball cannot be told to be one.
        return UNKNOWN if exponent.contains_integer() else UNDEFINED
    return UNKNOWN


def _rational_power(a: Value, b: Any) -> Value:
    base = sign_of(a)
    if base == -1:
        return UNDEFINED
    if base == 0:
        return ZERO if b > 0 else UNDEFINED
    if base is None:
        return _power_at_zero(as_ball(a), b)
    # 4^(1/2) is 2 exactly: a ball around it would hide zeros such as sqrt(4) - 2.
    if b.q <= LARGEST_ROOT and type(a) is fmpq:
        root = _exact_root(a, int(b.q))
        if root is not None:
            return integer_power(root, int(b.p))
    if b == HALF:
        return as_ball(a).sqrt()
    return enclosed(as_ball(a) ** arb(b))


def _power_at_zero(ball: Any, b: Any) -> Value:
    """A positive power of a ball that begins at zero; one that reaches below may be undefined."""
    if b < 0 or ball.lower() < 0:
        return UNKNOWN
    return enclosed(arb(0).union(ball.abs_upper() ** arb(b)))


def _exact_root(a: Any, n: int) -> Any | None:
    """The n-th root of a positive rational, if it is rational."""
    if a.height_bits() > EXACT_BITS:
        return None
    p, q = fmpz(a.p).root(n), fmpz(a.q).root(n)
    return fmpq(p, q) if p**n == a.p and q**n == a.q else None


def square_root(a: Value) -> Value:
    """The square root, undefined below zero."""
    return _rational_power(a, HALF)


def cube_root(a: Value) -> Value:
    """The real cube root, defined everywhere."""
    base = sign_of(a)
    if base == 1:
        return _rational_power(a, fmpq(1, 3))
    if base == 0:
        return ZERO
    if base == -1:
        return negate(_rational_power(negate(a), fmpq(1, 3)))
    # A ball around zero: the root is defined on both sides, but has no slope at zero.
    top = as_ball(a).abs_upper()
    largest = (top ** (arb(1) / 3)).upper() if top > 0 else arb(0)
    return enclosed((-largest).union(largest))


# Exponentials, logarithms, hyperbolic functions


def exponential(a: Value) -> Value:
    """The exponential function."""
    return ONE if equals(a, 0) else enclosed(as_ball(a).exp())


def logarithm(a: Value) -> Value:
    """The natural logarithm, undefined at zero and below."""
    base = sign_of(a)
    if base is None:
        # A ball that ends at zero has no positive number.
        return UNDEFINED if as_ball(a).upper() <= 0 else UNKNOWN
    if base < 1:
        return UNDEFINED
    return ZERO if equals(a, 1) else enclosed(as_ball(a).log())


def logarithm_to(base: int) -> Callable[[Value], Value]:
    """The logarithm to an integer base."""

    def to_base(a: Value) -> Value:
        if type(a) is fmpq and a > 0 and a.height_bits() <= EXACT_BITS:
            # A power of the base has an exact logarithm, which a ball would only enclose.
            size = int(a.p) if a.q == 1 else int(a.q) if a.p == 1 else 0
            if size:
                # A guess, which the power confirms exactly.
                exponent = round(float(arb(size).log() / arb(base).log()))
                if base**exponent == size:
                    return fmpq(exponent if a.q == 1 else -exponent)
        natural = logarithm(a)
        return divide(natural, arb(base).log()) if is_defined(natural) else natural

    return to_base


def odd_at_zero(name: str) -> Callable[[Value], Value]:
    """A function that is defined everywhere and zero at zero."""

    def odd(a: Value) -> Value:
        return ZERO if equals(a, 0) else enclosed(getattr(as_ball(a), name)())

    return odd


def one_at_zero(name: str) -> Callable[[Value], Value]:
    """A function that is defined everywhere and one at zero."""

    def even(a: Value) -> Value:
        return ONE if equals(a, 0) else enclosed(getattr(as_ball(a), name)())

    return even


# Trigonometric functions. At rational multiples of pi their rational values are exact.

# By the half turn (q in sin(q*pi)). Niven's theorem: rational angles have no other rational sines,
# and no other rational tangents than 0, 1 and -1.
RATIONAL_SINES = {
    fmpq(0): ZERO, fmpq(1, 6): HALF, fmpq(1, 2): ONE, fmpq(5, 6): HALF,
    fmpq(1): ZERO, fmpq(7, 6): -HALF, fmpq(3, 2): -ONE, fmpq(11, 6): -HALF,
}  # fmt: skip
RATIONAL_TANGENTS = {fmpq(0): ZERO, fmpq(1, 4): ONE, fmpq(3, 4): -ONE}
ARC_SINES = {fmpq(-1): fmpq(-1, 2), -HALF: fmpq(-1, 6), HALF: fmpq(1, 6), ONE: HALF}


def sine(a: Value) -> Value:
    """The sine."""
    if type(a) is PiSum and a.rational == 0:
        exact = RATIONAL_SINES.get(_modulo(a.turns, 2))
        if exact is not None:
            return exact
    return ZERO if equals(a, 0) else enclosed(as_ball(a).sin())


def cosine(a: Value) -> Value:
    """The cosine."""
    if type(a) is PiSum and a.rational == 0:
        # cos(q*pi) = sin(q*pi + pi/2).
        exact = RATIONAL_SINES.get(_modulo(a.turns + HALF, 2))
        if exact is not None:
            return exact
    return ONE if equals(a, 0) else enclosed(as_ball(a).cos())


def tangent(a: Value) -> Value:
    """The tangent, undefined at its poles."""
    if type(a) is PiSum and a.rational == 0:
        turns = _modulo(a.turns, 1)
        if turns == HALF:
            return UNDEFINED
        if turns in RATIONAL_TANGENTS:
            return RATIONAL_TANGENTS[turns]
    return ZERO if equals(a, 0) else finite_or_unknown(as_ball(a).tan())


def arc_sine(a: Value) -> Value:
    """The arc sine, undefined beyond 1."""
    if equals(a, 0):
        return ZERO
    if type(a) is fmpq and a in ARC_SINES:
        return PiSum(ZERO, ARC_SINES[a])
    return _within_one(a, "asin")


def arc_cosine(a: Value) -> Value:
    """The arc cosine, undefined beyond 1."""
    if equals(a, 0):
        return PiSum(ZERO, HALF)
    if type(a) is fmpq and a in ARC_SINES:
        return _pi_sum(ZERO, HALF - ARC_SINES[a])
    return _within_one(a, "acos")


def arc_tangent(a: Value) -> Value:
    """The arc tangent."""
    # -1, 0 or 1, whose arc tangents are -pi/4, 0 and pi/4.
    if type(a) is fmpq and abs(a) <= 1 and a.q == 1:
        return _pi_sum(ZERO, a / 4)
    return enclosed(as_ball(a).atan())


def _within_one(a: Value, name: str) -> Value:
    if type(a) is fmpq:
        # Compared exactly: 1 + 2^-68 is beyond 1, which its ball at 64 bits does not know.
        return UNDEFINED if abs(a) > 1 else enclosed(getattr(arb(a), name)())
    ball = as_ball(a)
    if abs(ball) <= 1:
        return enclosed(getattr(ball, name)())
    return UNDEFINED if abs(ball) > 1 else UNKNOWN


def _modulo(a: Any, period: int) -> Any:
    return a - (a / period).floor() * period

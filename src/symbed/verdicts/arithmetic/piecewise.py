"""Piecewise functions of exact numbers and balls: where the form of a formula switches."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from symbed.verdicts.arithmetic.elementary import divide, logarithm, negate, subtract
from symbed.verdicts.arithmetic.flint_access import arb, fmpq
from symbed.verdicts.arithmetic.values import (
    ONE,
    UNKNOWN,
    WHOLE,
    ZERO,
    Definedness,
    Value,
    as_ball,
    enclosed,
    equals,
    is_defined,
    sign_of,
)

NEAR_ZERO = fmpq(1, 1000)  # where gplearn's protected functions switch


def absolute(a: Value) -> Value:
    """The magnitude."""
    side = sign_of(a)
    if side is None:
        return as_ball(a).__abs__().nonnegative_part()
    return negate(a) if side < 0 else a


def signum(a: Value) -> Value:
    """-1, 0 or 1."""
    side = sign_of(a)
    return arb(0, 1) if side is None else fmpq(side)


def minimum(a: Value, b: Value) -> Value:
    """The smaller one."""
    side = sign_of(subtract(a, b))
    if side is None:
        return as_ball(a).min(as_ball(b))
    return a if side <= 0 else b


def maximum(a: Value, b: Value) -> Value:
    """The larger one."""
    side = sign_of(subtract(a, b))
    if side is None:
        return as_ball(a).max(as_ball(b))
    return a if side >= 0 else b


def floor(a: Value) -> Value:
    """The largest integer that is not above."""
    if type(a) is fmpq:
        return fmpq(a.floor())
    whole = as_ball(a).floor()
    number = whole.unique_fmpz() if whole.is_finite() else None
    return enclosed(whole) if number is None else fmpq(number)


def conditional(a: Value, b: Value) -> Value:
    """``b`` where ``a`` is positive, else 0, whatever ``b`` is there."""
    if type(a) is Definedness:
        return a
    side = sign_of(a)
    if side is None:
        if as_ball(a).upper() <= 0:
            return ZERO
        if not is_defined(b):
            return UNKNOWN
        return ZERO if equals(b, 0) else as_ball(b).union(arb(0))
    return b if side > 0 else ZERO


def protected_divide(a: Value, b: Value) -> Value:
    """``a / b``, and 1 where ``b`` is near zero."""
    return _protected(b, ONE, lambda: divide(a, b))


def protected_log(a: Value) -> Value:
    """``ln(abs(a))``, and 0 where ``a`` is near zero."""
    return _protected(a, ZERO, lambda: logarithm(absolute(a)))


def protected_inverse(a: Value) -> Value:
    """``1 / a``, and 0 where ``a`` is near zero."""
    return _protected(a, ZERO, lambda: divide(ONE, a))


def _protected(a: Value, fallback: Any, compute: Callable[[], Value]) -> Value:
    near = near_zero(a)
    if near is None:
        value = compute()
        return as_ball(value).union(arb(fallback)) if is_defined(value) else WHOLE
    return fallback if near else compute()


def near_zero(a: Value) -> bool | None:
    """Whether a protected function takes its fallback; None where the ball does not tell."""
    if type(a) is fmpq:
        return bool(abs(a) <= NEAR_ZERO)
    size = abs(as_ball(a))
    edge = arb(NEAR_ZERO)
    return True if size <= edge else False if size > edge else None

"""The family of the gamma function on exact numbers and on balls."""

from __future__ import annotations

from symbed.verdicts.arithmetic.flint_access import acb, fmpq, fmpz
from symbed.verdicts.arithmetic.values import (
    UNDEFINED,
    UNKNOWN,
    PiSum,
    Value,
    as_ball,
    finite_or_unknown,
)

LARGEST_FACTORIAL = 200  # gamma of a whole number is exact up to here


def gamma_function(a: Value) -> Value:
    """The gamma function, undefined at its poles, the whole numbers up to zero."""
    if type(a) is fmpq and a.q == 1:
        if a <= 0:
            return UNDEFINED
        if a <= LARGEST_FACTORIAL:
            return fmpq(fmpz.fac_ui(int(a.p) - 1))
    return finite_or_unknown(as_ball(a).gamma())


def polygamma(order: Value, a: Value) -> Value:
    """The derivative of ln|gamma(a)| of the next order, which is a whole number from 0 on."""
    if type(order) is not fmpq:
        return UNDEFINED if type(order) is PiSum or not order.contains_integer() else UNKNOWN
    if order.q != 1 or order < 0 or (type(a) is fmpq and a.q == 1 and a <= 0):
        return UNDEFINED
    return finite_or_unknown(acb(as_ball(a)).polygamma(int(order.p)).real)

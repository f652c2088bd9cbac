"""Every operator of the language on power series of balls, for Newton steps and Taylor models.

A series in one parameter ``t`` is exact up to its length: coefficient k encloses the k-th Taylor
coefficient of the function. With a wide ball as constant term the coefficients enclose those at
every point of that ball, which is what Lagrange's remainder needs. Values that do not depend on
``t`` stay plain numbers, and use the operators of ``balls``.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from functools import lru_cache
from operator import methodcaller
from typing import Any

from symbed.verdicts.arithmetic.ball_operations import BALL_OPERATIONS, LAZY_OPERATIONS, NEAR_ZERO
from symbed.verdicts.arithmetic.ball_programs import BallProgram
from symbed.verdicts.arithmetic.values import (
    HALF,
    ONE,
    UNDEFINED,
    UNKNOWN,
    ZERO,
    Definedness,
    Value,
    arb,
    arb_series,
    as_ball,
    fmpq,
    is_defined,
    literal,
    series_length,
    sign_of,
)

SMALL_POWER = 64  # integer powers up to this are products, which take zeros in the base


def is_series(value: Value) -> bool:
    """Whether a value depends on the parameter."""
    return type(value) is arb_series


def constant_term(value: Value) -> Value:
    """The value at parameter zero."""
    return value[0] if type(value) is arb_series else value


def series(value: Value) -> Any:
    """A number as a series without further terms; a series as it is."""
    return value if type(value) is arb_series else arb_series([as_ball(value)])


def line(start: Value, slope: Value) -> Any:
    """The series ``start + slope*t``."""
    return arb_series([as_ball(start), as_ball(slope)])


def trace_series(program: BallProgram, values: dict[str, Value]) -> list[Value]:
    """The value of every step where some names are series, at the precision of the moment."""
    results: list[Value] = []
    for place, step in enumerate(program.steps):
        item = step.item
        if place in program.known:
            # As in `trace`: the operator is applied to learn whether the step is defined.
            known = program.known[place]
            if known is not UNDEFINED:
                value = apply_operation(item.name, [results[p] for p in step.operands])  # type: ignore[union-attr]
                known = known if is_defined(value) else value
            results.append(known)
        elif isinstance(item, str):
            results.append(values[item])
        elif isinstance(item, float):
            results.append(_literal(item))
        else:
            results.append(apply_operation(item.name, [results[p] for p in step.operands]))
    return results


def apply_operation(name: str, operands: Sequence[Value]) -> Value:
    """An operator on numbers and series."""
    if name not in LAZY_OPERATIONS:
        for operand in operands:
            if type(operand) is Definedness:
                return UNDEFINED if any(each is UNDEFINED for each in operands) else UNKNOWN
    varies = any(type(operand) is arb_series for operand in operands)
    operation = (SERIES_OPERATIONS if varies else BALL_OPERATIONS).get(name)
    return UNKNOWN if operation is None else operation(*operands)


_literal = lru_cache(1024)(literal)


def _side(value: Value) -> int | None:
    """The sign that the constant term has for certain, never 0: a zero there is not analytic."""
    return sign_of(constant_term(value)) or None


def multiply(a: Value, b: Value) -> Value:
    """``a * b``; a number only scales."""
    if not is_series(a):
        # An exact zero ends the dependence on t, so that later steps may stay exact.
        return ZERO if type(a) is fmpq and a == 0 else b * as_ball(a)
    return multiply(b, a) if not is_series(b) else a * b


def divide(a: Value, b: Value) -> Value:
    """``a / b``."""
    if not is_series(b):
        return UNDEFINED if type(b) is fmpq and b == 0 else _scaled(a, b)
    return UNKNOWN if _side(b) is None else series(a) / b


def _scaled(a: Any, b: Value) -> Value:
    ball = as_ball(b)
    return UNKNOWN if ball.contains(0) else a * (1 / ball)


def integer_power(a: Any, n: int) -> Value:
    """``a^n`` by squaring, which takes a zero in the base."""
    if n == 0:
        return ONE
    if n < 0:
        return divide(ONE, integer_power(a, -n))
    # exp(n*ln(a)), whose cost does not grow with n.
    if n > SMALL_POWER and _side(a) is not None:
        side = _side(a)
        powered = (a if side == 1 else -a).log() * n
        return powered.exp() if side == 1 or n % 2 == 0 else -powered.exp()
    result: Any = None
    factor = a
    while True:
        if n & 1:
            result = factor if result is None else result * factor
        n >>= 1
        if not n:
            return result
        factor = factor * factor


def power(a: Value, b: Value) -> Value:
    """``a^b``."""
    if type(b) is fmpq and b.q == 1:
        return integer_power(a, int(b.p))
    side = _side(a)
    if side == 1:
        if type(b) is fmpq and b == HALF:
            return a.sqrt()
        return (series(a).log() * (b if is_series(b) else as_ball(b))).exp()
    if side == -1 and type(b) is fmpq:
        return UNDEFINED
    return UNKNOWN


def square_root(a: Any) -> Value:
    """The square root."""
    side = _side(a)
    return a.sqrt() if side == 1 else UNDEFINED if side == -1 else UNKNOWN


def cube_root(a: Any) -> Value:
    """The real cube root."""
    side = _side(a)
    if side is None:
        return UNKNOWN
    root = ((a if side == 1 else -a).log() / 3).exp()
    return root if side == 1 else -root


def logarithm(a: Any) -> Value:
    """The natural logarithm."""
    side = _side(a)
    return a.log() if side == 1 else UNDEFINED if side == -1 else UNKNOWN


def _logarithm_to(base: int) -> Callable[[Any], Value]:
    def to_base(a: Any) -> Value:
        natural = logarithm(a)
        return natural / arb(base).log() if is_defined(natural) else natural

    return to_base


def tangent(a: Any) -> Value:
    """The tangent."""
    # By the quotient, which says where the cosine may be zero.
    sine, cosine = a.sin_cos()
    return divide(sine, cosine)


def _within_one(name: str) -> Callable[[Any], Value]:
    def inverse(a: Any) -> Value:
        size = abs(a[0])
        # Strictly: at 1 itself the arc sine has no slope, and so no series.
        if size < 1:
            return getattr(a, name)()
        return UNDEFINED if size > 1 else UNKNOWN

    return inverse


def _hyperbolic_cosine(a: Any) -> Any:
    return (a.exp() + (-a).exp()) / 2  # not 1/exp(a): on a wide ball a quotient is far wider


def hyperbolic_tangent(a: Any) -> Value:
    """The hyperbolic tangent, by the exponential that cannot overflow."""
    side = -1 if sign_of(a[0]) == 1 else 1
    shrunk = (a * (2 * side)).exp()
    return UNKNOWN if _side(shrunk + 1) is None else ((shrunk - 1) / (shrunk + 1)) * side


def absolute(a: Any) -> Value:
    """The magnitude, on one side of zero."""
    side = _side(a)
    return UNKNOWN if side is None else a if side == 1 else -a


def signum(a: Any) -> Value:
    """The sign, on one side of zero."""
    side = _side(a)
    return UNKNOWN if side is None else fmpq(side)


def _extremum(wanted: int) -> Callable[[Value, Value], Value]:
    """The larger or the smaller one, by the sign of ``a - b``, where it is the same everywhere."""

    def extremum(a: Value, b: Value) -> Value:
        side = _side(series(a) - series(b))
        return UNKNOWN if side is None else a if side == wanted else b

    return extremum


def floor(a: Any) -> Value:
    """The integer part, where it is one number everywhere."""
    # The constant term is enough, here as below: its ball holds all points of a piece, and an
    # integer part that is one number there has no further coefficients.
    number = a[0].floor().unique_fmpz() if a[0].is_finite() else None
    return UNKNOWN if number is None else fmpq(number)


def conditional(a: Value, b: Value) -> Value:
    """``b`` where ``a`` is positive, else 0."""
    if type(a) is Definedness:
        return a
    term = constant_term(a)
    side = sign_of(term)
    if side is None:
        return UNKNOWN
    return b if side > 0 else ZERO


def _protected(fallback: Value, compute: Callable[..., Value]) -> Callable[..., Value]:
    """A function with a fallback where its last operand is near zero."""

    def protected(*operands: Value) -> Value:
        near = _is_near_zero(operands[-1])
        return UNKNOWN if near is None else fallback if near else compute(*operands)

    return protected


def _is_near_zero(a: Value) -> bool | None:
    size, edge = abs(as_ball(constant_term(a))), arb(NEAR_ZERO)
    return True if size <= edge else False if size > edge else None


def gamma_function(a: Any) -> Value:
    """The gamma function, between its poles."""
    return a.gamma() if BALL_OPERATIONS["gamma"](a[0]) is not UNKNOWN else UNKNOWN


def polygamma(order: Value, a: Value) -> Value:
    """Taylor's series: each derivative is the function of the next order."""
    if type(order) is not fmpq or not is_series(a):
        return UNKNOWN
    # Horner's scheme for the sum of f^(k)(a_0)/k! * (a - a_0)^k.
    step = a - a[0]
    total = series(ZERO)
    for k in reversed(range(series_length())):
        slope = BALL_OPERATIONS["polygamma"](order + k, a[0])
        if not is_defined(slope):
            return slope
        total = total * step / (k + 1) + slope
    return total


# One row for each operator with operands that has no definition by others; a test compares it with
# the operator table.
SERIES_OPERATIONS: dict[str, Callable[..., Value]] = {
    "+": lambda a, b: series(a) + series(b),
    "-": lambda a, b: series(a) - series(b),
    "*": multiply, "/": divide, "^": power, "neg": operator.neg,
    "^2": lambda a: a * a,
    "^3": lambda a: a * a * a,
    "^4": lambda a: integer_power(a, 4),
    "^5": lambda a: integer_power(a, 5),
    "^-1": lambda a: divide(ONE, a),
    "sin": methodcaller("sin"), "cos": methodcaller("cos"), "tan": tangent,
    "asin": _within_one("asin"), "acos": _within_one("acos"), "atan": methodcaller("atan"),
    "sinh": lambda a: (a.exp() - (-a).exp()) / 2, "cosh": _hyperbolic_cosine,
    "tanh": hyperbolic_tangent,
    "sech": lambda a: divide(ONE, _hyperbolic_cosine(a)),
    "sqrt": square_root, "cbrt": cube_root, "exp": methodcaller("exp"),
    "ln": logarithm, "log10": _logarithm_to(10), "log2": _logarithm_to(2),
    "abs": absolute, "sign": signum, "min": _extremum(-1), "max": _extremum(1),
    "pdiv": _protected(ONE, divide),
    "plog": _protected(ZERO, lambda a: logarithm(absolute(a))),
    "pinv": _protected(ZERO, lambda a: divide(ONE, a)),
    "cond": conditional, "floor": floor,
    "erf": methodcaller("erf"), "gamma": gamma_function, "polygamma": polygamma,
}  # fmt: skip

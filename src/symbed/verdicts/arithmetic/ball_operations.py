"""Every operator of the language on exact numbers and on balls, one row each: piecewise and special
functions are here, the elementary ones in a module of their own.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from symbed.verdicts.arithmetic.elementary import (
    add,
    arc_cosine,
    arc_sine,
    arc_tangent,
    cosine,
    cube_root,
    divide,
    exponential,
    integer_power,
    logarithm,
    logarithm_to,
    multiply,
    negate,
    odd_at_zero,
    one_at_zero,
    power,
    sine,
    square_root,
    subtract,
    tangent,
)
from symbed.verdicts.arithmetic.values import (
    ONE,
    PI,
    UNDEFINED,
    UNKNOWN,
    WHOLE,
    ZERO,
    Definedness,
    PiSum,
    Value,
    acb,
    arb,
    as_ball,
    enclosed,
    equals,
    finite_or_unknown,
    fmpq,
    fmpz,
    is_defined,
    sign_of,
)

NEAR_ZERO = fmpq(1, 1000)  # where gplearn's protected functions switch


def absolute(a: Value) -> Value:
    """The magnitude."""
    side = sign_of(a)
    if side is None:
        # The magnitude's ball reaches below zero, too: that part is cut.
        return as_ball(a).__abs__().nonnegative_part()
    return negate(a) if side < 0 else a


def signum(a: Value) -> Value:
    """-1, 0 or 1."""
    side = sign_of(a)
    return arb(0, 1) if side is None else fmpq(side)


def minimum(a: Value, b: Value) -> Value:
    """The smaller one."""
    # Exact where it can be told, so that max(x, 2) stays a rational beside the tie.
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
    # A ball of one integer is that integer: what jumps is exact on either side of its jump.
    number = whole.unique_fmpz() if whole.is_finite() else None
    return enclosed(whole) if number is None else fmpq(number)


def conditional(a: Value, b: Value) -> Value:
    """``b`` where ``a`` is positive, else 0, whatever ``b`` is there."""
    if type(a) is Definedness:
        return a
    side = sign_of(a)
    if side is None:
        # A ball that ends at zero has no sign, but no positive number either.
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
        # Either branch may be taken, so the ball holds both. A quotient by a ball around zero is
        # unknown, but a protected one is there for every operand.
        value = compute()
        return as_ball(value).union(arb(fallback)) if is_defined(value) else WHOLE
    return fallback if near else compute()


def near_zero(a: Value) -> bool | None:
    """Whether a protected function takes its fallback; None where the ball does not tell."""
    if type(a) is fmpq:
        return bool(abs(a) <= NEAR_ZERO)
    # Comparisons of balls hold for certain or not at all: both may fail.
    size = abs(as_ball(a))
    edge = arb(NEAR_ZERO)
    return True if size <= edge else False if size > edge else None


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
        # Irrational, or between two integers: for certain no order.
        return UNDEFINED if type(order) is PiSum or not order.contains_integer() else UNKNOWN
    if order.q != 1 or order < 0 or (type(a) is fmpq and a.q == 1 and a <= 0):
        return UNDEFINED
    # python-flint has it for complex balls only.
    return finite_or_unknown(acb(as_ball(a)).polygamma(int(order.p)).real)


Operation = Callable[..., Value]

# One row for each operator of the language that its row does not define by others; a test compares
# the two lists of names.
BALL_OPERATIONS: dict[str, Operation] = {
    "+": add, "-": subtract, "*": multiply, "/": divide, "^": power, "neg": negate,
    "^2": lambda a: integer_power(a, 2),
    "^3": lambda a: integer_power(a, 3),
    "^4": lambda a: integer_power(a, 4),
    "^5": lambda a: integer_power(a, 5),
    "^-1": lambda a: divide(ONE, a),
    "sin": sine, "cos": cosine, "tan": tangent,
    "asin": arc_sine, "acos": arc_cosine, "atan": arc_tangent,
    "sinh": odd_at_zero("sinh"), "cosh": one_at_zero("cosh"), "tanh": odd_at_zero("tanh"),
    "sech": one_at_zero("sech"),
    "sqrt": square_root, "cbrt": cube_root, "exp": exponential,
    "ln": logarithm, "log10": logarithm_to(10), "log2": logarithm_to(2),
    "abs": absolute, "sign": signum, "min": minimum, "max": maximum,
    "pdiv": protected_divide, "plog": protected_log, "pinv": protected_inverse,
    "cond": conditional, "floor": floor,
    "erf": odd_at_zero("erf"), "gamma": gamma_function, "polygamma": polygamma,
    "pi": lambda: PI, "e": lambda: arb(1).exp(),
}  # fmt: skip

# It looks at one operand before it needs the other; the others are undefined with an operand.
LAZY_OPERATIONS = frozenset({"cond"})

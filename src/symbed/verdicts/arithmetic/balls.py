"""Every operator of the language on exact numbers and on balls, with three-valued definedness.

A value is exact while it can be, a rational or a rational combination of 1 and pi, and otherwise a
ball: a midpoint and a radius that enclose the real number with certainty. Where the operators are
real functions, not IEEE ones, an operand can lie outside of a domain (``UNDEFINED``), or so close
to its edge that the ball does not tell (``UNKNOWN``); more bits may.

The same functions enclose ranges: an operand that is a wide ball stands for all of its numbers.
Then a ball says "defined at each of them", ``UNDEFINED`` "at none", ``UNKNOWN`` "perhaps at some".
"""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum
from fractions import Fraction
from typing import Any

from symbed.verdicts.arithmetic.flint_access import acb, arb, fmpq, fmpz


class Definedness(Enum):
    """What a value is that is no number."""

    UNDEFINED = "undefined"
    UNKNOWN = "unknown"


UNDEFINED, UNKNOWN = Definedness.UNDEFINED, Definedness.UNKNOWN

Value = Any  # fmpq, PiSum, arb or Definedness; python-flint has no types of its own

ZERO, ONE, TWO = fmpq(0), fmpq(1), fmpq(2)
HALF = fmpq(1, 2)
NEAR_ZERO = fmpq(1, 1000)  # where gplearn's protected functions switch
EXACT_BITS = 2048  # a rational longer than this is continued as a ball: exactness costs too much
LARGEST_ROOT = 64  # an exact root of a rational is looked for up to this degree
WHOLE = arb(0, float("inf"))  # a number of which nothing is known but that it is there


class PiSum:
    """The exact number ``rational + turns*pi``, with ``turns`` not zero.

    It exists for hidden zeros: ``tan(pi/2*x)`` has a pole at 1, which no ball can show.
    """

    __slots__ = ("rational", "turns")

    def __init__(self, rational: Any, turns: Any) -> None:
        self.rational, self.turns = rational, turns

    def __repr__(self) -> str:
        return f"{self.rational} + {self.turns}*pi"

    def ball(self) -> Any:
        """An enclosure at the precision of the moment."""
        return arb.pi() * self.turns + self.rational


PI = PiSum(ZERO, ONE)


def exact_rational(number: float | int | Fraction) -> Any:
    """The rational that a number stands for: a float is its shortest decimal.

    >>> exact_rational(0.1)
    1/10
    """
    fraction = Fraction(repr(float(number))) if isinstance(number, float) else Fraction(number)
    return fmpq(fraction.numerator, fraction.denominator)


def literal(number: float) -> Value:
    """A literal of a formula as an exact number; an infinite one is no real number."""
    if number - number != 0:  # infinity
        return UNDEFINED
    return exact_rational(number)


def as_ball(value: Value) -> Any:
    """An exact number as a ball at the precision of the moment; a ball as it is."""
    if type(value) is PiSum:
        return value.ball()
    return arb(value) if type(value) is fmpq else value


def is_exact(value: Value) -> bool:
    """Whether a value is an exact number."""
    return type(value) is fmpq or type(value) is PiSum


def is_defined(value: Value) -> bool:
    """Whether a value is a number, exact or enclosed."""
    return type(value) is not Definedness


def sign_of(value: Value) -> int | None:
    """The sign of a number, or None where its ball holds both sides of zero, or zero itself."""
    if type(value) is fmpq:
        return int(value > 0) - int(value < 0)
    ball = as_ball(value)
    if ball > 0:
        return 1
    return -1 if ball < 0 else None


def _kept(value: Any) -> Value:
    """A rational of bearable length; others become balls."""
    return arb(value) if value.height_bits() > EXACT_BITS else value


def _enclosed(ball: Any) -> Value:
    """The ball of a number that is there for certain, however little is known of it."""
    return ball if ball.is_finite() else WHOLE


def _found(ball: Any) -> Value:
    """The ball of a number that is there if the ball is finite."""
    return ball if ball.is_finite() else UNKNOWN


# Arithmetic


def add(a: Value, b: Value) -> Value:
    """``a + b``."""
    if type(a) is fmpq and type(b) is fmpq:
        return _kept(a + b)
    if type(a) is PiSum or type(b) is PiSum:
        if not (is_exact(a) and is_exact(b)):
            return _enclosed(as_ball(a) + as_ball(b))
        return _pi_sum(_rational(a) + _rational(b), _turns(a) + _turns(b))
    return _enclosed(a + b)


def subtract(a: Value, b: Value) -> Value:
    """``a - b``."""
    if type(a) is fmpq and type(b) is fmpq:
        return _kept(a - b)
    if type(b) is PiSum:
        return add(a, negate(b))
    if type(a) is PiSum:
        return add(a, negate(b))
    return _enclosed(a - b)


def multiply(a: Value, b: Value) -> Value:
    """``a * b``."""
    if type(a) is fmpq and type(b) is fmpq:
        return _kept(a * b)
    for one, other in ((a, b), (b, a)):
        if type(one) is fmpq:
            if one == 0:
                return ZERO
            if type(other) is PiSum:
                return PiSum(other.rational * one, other.turns * one)
    return _enclosed(as_ball(a) * as_ball(b))


def divide(a: Value, b: Value) -> Value:
    """``a / b``, undefined where ``b`` is zero."""
    if type(b) is fmpq:
        if b == 0:
            return UNDEFINED
        return _kept(a / b) if type(a) is fmpq else multiply(a, ONE / b)
    if type(a) is PiSum and type(b) is PiSum and a.rational * b.turns == b.rational * a.turns:
        return a.turns / b.turns
    bottom = as_ball(b)
    if bottom.contains(0):
        return UNKNOWN
    if type(a) is fmpq and a == 0:
        return ZERO
    return _enclosed(as_ball(a) / bottom)


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
    if n % 2 == 0 and ball.contains(0):
        return _enclosed(arb(0).union(arb(ball.abs_upper()) ** n)).nonnegative_part()
    return _enclosed(ball**n)


def power(a: Value, b: Value) -> Value:
    """``a^b`` as a real number: a negative base takes integer exponents only, and 0^0 is 1."""
    if type(b) is fmpq:
        if b.q == 1:
            return integer_power(a, int(b.p))
        return _rational_power(a, b)
    base = sign_of(a)
    exponent = as_ball(b)
    if base == 1:
        return ONE if type(a) is fmpq and a == 1 else _enclosed(as_ball(a) ** exponent)
    if base == 0:
        return ZERO if exponent > 0 else UNDEFINED if exponent < 0 else UNKNOWN
    if base == -1:
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
    if b.q <= LARGEST_ROOT and type(a) is fmpq:
        root = _exact_root(a, int(b.q))
        if root is not None:
            return integer_power(root, int(b.p))
    if b == HALF:
        return as_ball(a).sqrt()
    return _enclosed(as_ball(a) ** arb(b))


def _power_at_zero(ball: Any, b: Any) -> Value:
    """A positive power of a ball that begins at zero; one that reaches below may be undefined."""
    if b < 0 or ball.lower() < 0:
        return UNKNOWN
    return _enclosed(arb(0).union(ball.abs_upper() ** arb(b)))


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
    top = as_ball(a).abs_upper()
    largest = (top ** (arb(1) / 3)).upper() if top > 0 else arb(0)
    return _enclosed((-largest).union(largest))


# Exponentials, logarithms, hyperbolic functions


def exponential(a: Value) -> Value:
    """The exponential function."""
    return ONE if _is(a, 0) else _enclosed(as_ball(a).exp())


def logarithm(a: Value) -> Value:
    """The natural logarithm, undefined at zero and below."""
    base = sign_of(a)
    if base is None:
        return UNDEFINED if as_ball(a).upper() <= 0 else UNKNOWN
    if base < 1:
        return UNDEFINED
    return ZERO if _is(a, 1) else _enclosed(as_ball(a).log())


def _logarithm_to(base: int) -> Callable[[Value], Value]:
    def to_base(a: Value) -> Value:
        if type(a) is fmpq and a > 0 and a.height_bits() <= EXACT_BITS:
            # A power of the base has an exact logarithm, which a ball would only enclose.
            size = int(a.p) if a.q == 1 else int(a.q) if a.p == 1 else 0
            if size:
                exponent = round(float(arb(size).log() / arb(base).log()))
                if base**exponent == size:
                    return fmpq(exponent if a.q == 1 else -exponent)
        natural = logarithm(a)
        return divide(natural, arb(base).log()) if is_defined(natural) else natural

    return to_base


def _odd_at_zero(name: str) -> Callable[[Value], Value]:
    """A function that is defined everywhere and zero at zero."""

    def odd(a: Value) -> Value:
        return ZERO if _is(a, 0) else _enclosed(getattr(as_ball(a), name)())

    return odd


def _one_at_zero(name: str) -> Callable[[Value], Value]:
    """A function that is defined everywhere and one at zero."""

    def even(a: Value) -> Value:
        return ONE if _is(a, 0) else _enclosed(getattr(as_ball(a), name)())

    return even


def _is(a: Value, number: int) -> bool:
    return type(a) is fmpq and a == number


# Trigonometric functions. At rational multiples of pi their rational values are exact.

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
    return ZERO if _is(a, 0) else _enclosed(as_ball(a).sin())


def cosine(a: Value) -> Value:
    """The cosine."""
    if type(a) is PiSum and a.rational == 0:
        exact = RATIONAL_SINES.get(_modulo(a.turns + HALF, 2))
        if exact is not None:
            return exact
    return ONE if _is(a, 0) else _enclosed(as_ball(a).cos())


def tangent(a: Value) -> Value:
    """The tangent, undefined at its poles."""
    if type(a) is PiSum and a.rational == 0:
        turns = _modulo(a.turns, 1)
        if turns == HALF:
            return UNDEFINED
        if turns in RATIONAL_TANGENTS:
            return RATIONAL_TANGENTS[turns]
    return ZERO if _is(a, 0) else _found(as_ball(a).tan())


def arc_sine(a: Value) -> Value:
    """The arc sine, undefined beyond 1."""
    if _is(a, 0):
        return ZERO
    if type(a) is fmpq and a in ARC_SINES:
        return PiSum(ZERO, ARC_SINES[a])
    return _within_one(a, "asin")


def arc_cosine(a: Value) -> Value:
    """The arc cosine, undefined beyond 1."""
    if _is(a, 0):
        return PiSum(ZERO, HALF)
    if type(a) is fmpq and a in ARC_SINES:
        return _pi_sum(ZERO, HALF - ARC_SINES[a])
    return _within_one(a, "acos")


def arc_tangent(a: Value) -> Value:
    """The arc tangent."""
    if type(a) is fmpq and abs(a) <= 1 and a.q == 1:
        return _pi_sum(ZERO, a / 4)
    return _enclosed(as_ball(a).atan())


def _within_one(a: Value, name: str) -> Value:
    if type(a) is fmpq:
        # Compared exactly: 1 + 2^-68 is beyond 1, which its ball at 64 bits does not know.
        return UNDEFINED if abs(a) > 1 else _enclosed(getattr(arb(a), name)())
    ball = as_ball(a)
    if abs(ball) <= 1:
        return _enclosed(getattr(ball, name)())
    return UNDEFINED if abs(ball) > 1 else UNKNOWN


def _modulo(a: Any, period: int) -> Any:
    return a - (a / period).floor() * period


# The error function and the gamma function

LARGEST_FACTORIAL = 200  # gamma of a whole number is exact up to here


def gamma_function(a: Value) -> Value:
    """The gamma function, undefined at its poles, the whole numbers up to zero."""
    if type(a) is fmpq and a.q == 1:
        if a <= 0:
            return UNDEFINED
        if a <= LARGEST_FACTORIAL:
            return fmpq(fmpz.fac_ui(int(a.p) - 1))
    return _found(as_ball(a).gamma())


def polygamma(order: Value, a: Value) -> Value:
    """The derivative of ln|gamma(a)| of the next order, which is a whole number from 0 on."""
    if type(order) is not fmpq:
        return UNDEFINED if type(order) is PiSum or not order.contains_integer() else UNKNOWN
    if order.q != 1 or order < 0 or (type(a) is fmpq and a.q == 1 and a <= 0):
        return UNDEFINED
    return _found(acb(as_ball(a)).polygamma(int(order.p)).real)


# Where the form switches


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
    return _enclosed(whole) if number is None else fmpq(number)


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
        return ZERO if _is(b, 0) else as_ball(b).union(arb(0))
    return b if side > 0 else ZERO


def protected_divide(a: Value, b: Value) -> Value:
    """``a / b``, and 1 where ``b`` is near zero."""
    if type(b) is Definedness:
        return b
    if type(a) is Definedness:
        return ONE if near_zero(b) is True else a if near_zero(b) is False else UNKNOWN
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
    "sinh": _odd_at_zero("sinh"), "cosh": _one_at_zero("cosh"), "tanh": _odd_at_zero("tanh"),
    "sech": _one_at_zero("sech"),
    "sqrt": square_root, "cbrt": cube_root, "exp": exponential,
    "ln": logarithm, "log10": _logarithm_to(10), "log2": _logarithm_to(2),
    "abs": absolute, "sign": signum, "min": minimum, "max": maximum,
    "pdiv": protected_divide, "plog": protected_log, "pinv": protected_inverse,
    "cond": conditional, "floor": floor,
    "erf": _odd_at_zero("erf"), "gamma": gamma_function, "polygamma": polygamma,
    "pi": lambda: PI, "e": lambda: arb(1).exp(),
}  # fmt: skip

# These look at one operand before they need the other; the others are undefined with an operand.
LAZY_OPERATIONS = frozenset({"cond", "pdiv"})

"""Values that verdicts compute with: exact numbers, balls, and what is undefined or unknown.

A value is exact while it can be, a rational or a rational combination of 1 and pi, and otherwise a
ball: a midpoint and a radius that enclose the real number with certainty. Where the operators are
real functions, not IEEE ones, an operand can lie outside of a domain (``UNDEFINED``), or so close
to its edge that the ball does not tell (``UNKNOWN``); more bits may.

A wide ball stands for all of its numbers, so that the same operators enclose ranges. Then a ball
says "defined at each of them", ``UNDEFINED`` "at none", ``UNKNOWN`` "perhaps at some".

This is also the one door to python-flint, which keeps its precision in one global context: two
threads that compute at different precisions would spoil each other's enclosures, so everything
here computes under one lock.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from enum import Enum
from fractions import Fraction
from threading import RLock
from typing import Any

from symbed.errors import MissingExtra

try:
    import flint
except ImportError as error:  # pragma: no cover - the tests install every extra
    raise MissingExtra(
        "verdicts compute with python-flint, which is not installed; "
        "install it with: pip install 'symbed[verdicts]'"
    ) from error

acb: Any = flint.acb
arb: Any = flint.arb
arb_mat: Any = flint.arb_mat
arb_series: Any = flint.arb_series
fmpq: Any = flint.fmpq
fmpz: Any = flint.fmpz

_context: Any = flint.ctx
_lock = RLock()


@contextmanager
def working_precision(bits: int, length: int | None = None) -> Iterator[None]:
    """Compute with so many bits, alone; power series have ``length`` coefficients.

    The context is as before afterwards.
    """
    with _lock:
        before = _context.prec, _context.cap
        _context.prec = bits
        if length is not None:
            _context.cap = length
        try:
            yield
        finally:
            _context.prec, _context.cap = before


def series_length() -> int:
    """Number of coefficients of power series at the moment."""
    return int(_context.cap)


def set_precision(bits: int) -> None:
    """Change the precision inside a ``working_precision`` block."""
    _context.prec = bits


class Definedness(Enum):
    """What a value is that is no number."""

    UNDEFINED = "undefined"
    UNKNOWN = "unknown"


UNDEFINED, UNKNOWN = Definedness.UNDEFINED, Definedness.UNKNOWN

Value = Any  # fmpq, PiSum, arb or Definedness; python-flint has no types of its own

ZERO, ONE = fmpq(0), fmpq(1)
HALF = fmpq(1, 2)
EXACT_BITS = 2048  # a rational longer than this is continued as a ball: exactness costs too much
WHOLE = arb(0, float("inf"))  # a number of which nothing is known but that it is there


class PiSum:
    """The exact number ``rational + turns*pi``, with ``turns`` not zero.

    It exists for hidden zeros: ``tan(pi/2*x)`` has a pole at 1, which no ball can show.
    """

    __slots__ = ("rational", "turns")

    def __init__(self, rational: Any, turns: Any) -> None:
        self.rational, self.turns = rational, turns

    def __repr__(self) -> str:
        pi = {1: "pi", -1: "-pi"}.get(self.turns, f"{self.turns}*pi")
        return pi if self.rational == 0 else f"{self.rational} + {pi}"

    def ball(self) -> Any:
        """An enclosure at the precision of the moment."""
        return arb.pi() * self.turns + self.rational


PI = PiSum(ZERO, ONE)


def exact_rational(number: float | int | Fraction) -> Any:
    """The rational that a number stands for: a float is its shortest decimal.

    >>> exact_rational(0.1)
    1/10
    """
    # Through float, since NumPy's numbers are floats with another repr.
    fraction = Fraction(repr(float(number))) if isinstance(number, float) else Fraction(number)
    return fmpq(fraction.numerator, fraction.denominator)


def as_float(rational: Any) -> float:
    """The float nearest to a rational: Python divides whole numbers of any length exactly."""
    return int(rational.p) / int(rational.q)


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
    # A PiSum is irrational and so never zero, but its ball may not tell the side at few bits.
    ball = as_ball(value)
    if ball > 0:
        return 1
    return -1 if ball < 0 else None


def equals(value: Value, number: int) -> bool:
    """Whether a value is exact and is this number."""
    return type(value) is fmpq and value == number


def kept_short(value: Any) -> Value:
    """A rational of bearable length; others become balls."""
    return arb(value) if value.height_bits() > EXACT_BITS else value


def enclosed(ball: Any) -> Value:
    """The ball of a number that is there for certain, however little is known of it."""
    return ball if ball.is_finite() else WHOLE


def finite_or_unknown(ball: Any) -> Value:
    """The ball of a number that is there if the ball is finite."""
    return ball if ball.is_finite() else UNKNOWN

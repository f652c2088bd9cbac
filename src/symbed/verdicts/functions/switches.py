"""Where the analytic form of a formula switches: zeros of what stands under abs, roots, logarithms,
in denominators, between min and max; integers under floor; poles of tan and gamma.

Points between and beside such places see each of the pieces that a formula consists of.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from symbed.language.operators import Operator
from symbed.verdicts.arithmetic.ball_programs import BallProgram
from symbed.verdicts.arithmetic.elementary import subtract
from symbed.verdicts.arithmetic.values import PiSum, Value, fmpq, is_defined, working_precision
from symbed.verdicts.domains import Point

Period = Literal["", "1", "pi"]

REFINED_BITS = 256  # with which places of switches are told


@dataclass(frozen=True)
class Switch:
    """The zeros of ``plus - minus - offset``, both steps of a program.

    Attributes
    ----------
    plus, minus : int
        Places of steps; ``minus`` may be None.
    offset : int
        In thousandths, so that the edges of the protected functions are exact.
    period : str
        Where every ``offset + k*period`` counts, for whole k; in units of 1 or pi.
    last : int
        The largest k that counts; all do if it is None.
    pole : bool
        Whether the formula is undefined at the zero itself.
    place : int
        The step that switches.
    sharp : bool
        Whether the form switches; otherwise the zero is only a place where something narrow
        may stand, such as the top of ``exp(-1e6*(x - 1)^2)``.
    """

    plus: int
    minus: int | None = None
    offset: int = 0
    period: Period = ""
    last: int | None = None
    pole: bool = False
    place: int = 0
    sharp: bool = True

    def names(self, program: BallProgram) -> frozenset[str]:
        """The variables that its function depends on."""
        names = program.variables[self.plus]
        return names if self.minus is None else names | program.variables[self.minus]

    def floats(self, traced: list[Any]) -> Any:
        """Its function in floats, in periods where it has one: a zero is then any whole number."""
        value = traced[self.plus] - (0.0 if self.minus is None else traced[self.minus])
        if not self.period:
            return value - self.offset / THOUSAND
        # The poles of tan are at pi/2 + k*pi.
        return value if self.period == "1" else value / np.pi - 0.5

    def target(self, shift: int) -> Value:
        """What ``plus - minus`` is at the zero after so many periods."""
        if self.period == "pi":
            return PiSum(fmpq(0), fmpq(2 * shift + 1, 2))
        return fmpq(shift) if self.period else fmpq(self.offset, THOUSAND)

    def value(self, program: BallProgram, shift: int, point: Point) -> Value:
        """Its function at a point, less so many periods."""
        with working_precision(REFINED_BITS):
            traced = program.trace(point)
            value = traced[self.plus]
            minus = fmpq(0) if self.minus is None else traced[self.minus]
            if not (is_defined(value) and is_defined(minus)):
                return value if not is_defined(value) else minus
            return subtract(subtract(value, minus), self.target(shift))


THOUSAND = 1000
# Even functions have their turning point at zero, saturating ones their steep part: needles and
# slivers stand there.
EVEN = frozenset({"^2", "^4", "cosh", "sech"})
SATURATING = frozenset({"exp", "tanh", "atan", "sinh"})
PROTECTED = frozenset({"plog", "pinv"})


def find_switches(program: BallProgram) -> list[Switch]:
    """The switches of all formulas of a program, sharp ones first."""
    switches: dict[Switch, None] = {}
    for place, step in enumerate(program.steps):
        if isinstance(step.item, Operator) and step.operands:
            for switch in _of_step(program, place, step.item.name, step.operands):
                if switch.names(program):
                    switches[switch] = None
    # `extremal_points` takes the first few only.
    return sorted(switches, key=lambda switch: not switch.sharp)


def _of_step(
    program: BallProgram, place: int, name: str, operands: tuple[int, ...]
) -> list[Switch]:
    first = operands[0]
    if name in ("abs", "sign", "sqrt", "cbrt", "cond"):
        return _zeros(program, first, place, pole=False)
    if name in ("ln", "log10", "log2", "^-1"):
        return _zeros(program, first, place, pole=True)
    if name == "/":
        return _zeros(program, operands[1], place, pole=True)
    if name == "^":
        return _of_power(program, place, operands)
    if name in ("min", "max"):
        return [Switch(first, operands[1], place=place)]
    if name in ("asin", "acos"):
        # The ends of the domain, -1 and 1, in thousandths.
        return [Switch(first, offset=side * THOUSAND, place=place) for side in (-1, 1)]
    if name == "tan":
        return [Switch(first, period="pi", pole=True, place=place)]
    if name in ("gamma", "polygamma"):
        # The poles are 0, -1, -2, ...; at positive whole numbers both are analytic.
        return [Switch(operands[-1], period="1", last=0, pole=True, place=place)]
    if name == "floor":
        return [Switch(first, period="1", place=place)]
    if name in PROTECTED or name == "pdiv":
        # The edges of the fallback, -0.001 and 0.001.
        guarded = operands[-1]
        return [Switch(guarded, offset=side, place=place) for side in (-1, 1)]
    if name in EVEN or name in SATURATING:
        return [Switch(first, place=place, sharp=False)]
    return []


def _of_power(program: BallProgram, place: int, operands: tuple[int, ...]) -> list[Switch]:
    base, exponent = operands
    number = program.steps[exponent].item
    if isinstance(number, float) and number.is_integer():
        if number < 0:
            return _zeros(program, base, place, pole=True)
        return [Switch(base, place=place, sharp=False)] if number % 2 == 0 else []
    # Of other exponents the sign at zero is not looked up: a pole is only claimed where it is one.
    return _zeros(program, base, place, pole=isinstance(number, float) and number < 0)


def _zeros(program: BallProgram, root: int, place: int, pole: bool) -> list[Switch]:
    """The zeros of a step, of its factors where it is a product, so that double ones are seen."""
    switches = []
    waiting = [root]
    while waiting:
        current = waiting.pop()
        step = program.steps[current]
        name = step.item.name if isinstance(step.item, Operator) else ""
        if name == "*":
            waiting.extend(step.operands)
        elif name in ("neg", "^2", "^3", "^4", "^5", "abs", "sqrt", "cbrt", "/"):
            # A quotient is zero with its numerator; the denominator is a switch of its own step.
            waiting.append(step.operands[0])
        else:
            minus = None
            if name == "-":
                current, minus = step.operands
            switches.append(Switch(current, minus, pole=pole, place=place))
    return switches

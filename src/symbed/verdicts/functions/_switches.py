"""Where the analytic form of a formula switches: zeros of what stands under abs, roots, logarithms,
in denominators, between min and max; integers under floor; poles of tan and gamma.

Points between and beside such places see each of the pieces that a formula consists of. Floats look
for them: they say where a function changes sign or is largest, and exact numbers and balls decide
what happens there.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from symbed._types import Floats
from symbed.engine.reference.elementary.functions import FUNCTIONS
from symbed.language.operators import Operator
from symbed.verdicts._budgets import Budget
from symbed.verdicts.arithmetic.ball_programs import BallProgram
from symbed.verdicts.arithmetic.elementary import subtract
from symbed.verdicts.arithmetic.values import (
    PiSum,
    Value,
    as_float,
    exact_rational,
    fmpq,
    is_defined,
    working_precision,
)
from symbed.verdicts.domains import Box, Point

Period = Literal["", "1", "pi"]

REFINED_BITS = 256  # with which places of switches are told


@dataclass(frozen=True)
class Switch:
    """The zeros of ``plus - minus - offset``, both steps of a program."""

    plus: int  # places of steps; ``minus`` may be None
    minus: int | None = None
    offset: int = 0  # in thousandths, so that the edges of the protected functions are exact
    # Where every ``offset + k*period`` counts, for whole k; in units of 1 or pi.
    period: Period = ""
    last: int | None = None  # the largest k that counts; all do if it is None
    pole: bool = False  # whether the formula is undefined at the zero itself
    place: int = 0  # the step that switches
    # Whether the form switches; otherwise the zero is only a place where something narrow may
    # stand, such as the top of ``exp(-1e6*(x - 1)^2)``.
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
SATURATING = frozenset({"exp", "tanh", "atan", "sinh", "erf"})
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


NEAR_ZERO = 0.001  # where gplearn's protected functions switch

FLOAT_OPERATIONS: dict[str, Callable[..., Any]] = {
    "+": np.add, "-": np.subtract, "*": np.multiply, "/": np.divide,
    "^": lambda a, b: np.power(a, b), "neg": np.negative,
    "^2": lambda a: a * a,
    "^3": lambda a: a * a * a,
    "^4": lambda a: (a * a) ** 2,
    "^5": lambda a: (a * a) ** 2 * a,
    "^-1": lambda a: 1.0 / a,
    "sin": np.sin, "cos": np.cos, "tan": np.tan,
    "asin": np.arcsin, "acos": np.arccos, "atan": np.arctan,
    "sinh": np.sinh, "cosh": np.cosh, "tanh": np.tanh, "sech": lambda a: 1.0 / np.cosh(a),
    "sqrt": np.sqrt, "cbrt": np.cbrt, "exp": np.exp,
    "ln": np.log, "log10": np.log10, "log2": np.log2,
    "abs": np.abs, "sign": np.sign, "min": np.minimum, "max": np.maximum,
    "pdiv": lambda a, b: np.where(np.abs(b) <= NEAR_ZERO, 1.0, a / b),
    "plog": lambda a: np.where(np.abs(a) <= NEAR_ZERO, 0.0, np.log(np.abs(a))),
    "pinv": lambda a: np.where(np.abs(a) <= NEAR_ZERO, 0.0, 1.0 / a),
    # Both comparisons, since neither holds for NaN.
    "cond": lambda a, b: np.where(a > 0, b, np.where(a <= 0, 0.0, np.nan)),
    "floor": np.floor,
    **{name: FUNCTIONS[name] for name in ("erf", "gamma", "polygamma")},
    "pi": lambda: np.float64(np.pi), "e": lambda: np.float64(math.e),
}  # fmt: skip


def scan(program: BallProgram, values: Mapping[str, Any]) -> list[Any]:
    """The floats of every step; steps without variables stay single numbers."""
    results: list[Any] = []
    with np.errstate(all="ignore"):
        for step in program.steps:
            item = step.item
            if isinstance(item, str):
                results.append(values[item])
            elif isinstance(item, float):
                results.append(np.float64(item))
            else:
                operation = FLOAT_OPERATIONS[item.name]
                results.append(operation(*(results[place] for place in step.operands)))
    return results


MAX_TARGETS = 8
N_FIRST = 192  # points of the first look
N_CLOSER = 20  # points around the best one, in each round
SHRINKING = 0.75
ROUNDS = 64  # 0.75^64 = 1e-8 of the domain's width
ROUND_COST = 3  # in operations of the program
FIXED_POINT_STEPS = 40  # to the last digit of a float


def extremal_points(
    program: BallProgram, box: Box, switches: Sequence[Switch], budget: Budget
) -> list[Point]:
    """For each switch of several variables, points where its function is largest and smallest."""
    targets = [s for s in switches if not s.period and len(s.names(program)) > 1][:MAX_TARGETS]
    if not targets:
        return []
    free = box.free
    n_walks = 2 * len(targets)
    shares = _lattice(N_FIRST, len(free))
    # Axes of shares: walk, point, free variable; of values: walk, point. Each target has two walks,
    # to its largest and to its smallest value.
    values = _values(program, box, targets, np.broadcast_to(shares, (n_walks, *shares.shape)))
    best = shares[np.argmax(values, axis=1)]
    heights = values.max(axis=1)
    offsets = 2.0 * _lattice(N_CLOSER, len(free)) - 1.0
    radius = 0.5
    for turn in range(ROUNDS):
        budget.spend(ROUND_COST * program.n_operations)
        radius *= SHRINKING
        # The pattern is mirrored from round to round, so that no direction is left out.
        pattern = offsets * (1.0 if turn % 2 else -1.0)
        points = np.clip(best[:, None, :] + radius * pattern, 0.0, 1.0)
        values = _values(program, box, targets, points)
        rows = np.arange(n_walks)
        chosen = np.argmax(values, axis=1)
        better = values[rows, chosen] > heights
        best = np.where(better[:, None], points[rows, chosen], best)
        heights = np.maximum(heights, values[rows, chosen])
    return [_exact(box, place) for place in np.unique(best, axis=0)]


def _lattice(count: int, n_variables: int) -> Floats:
    """Points that fill the unit cube evenly (Roberts' generalized golden ratio)."""
    # The root of g^(d + 1) = g + 1; the steps are its inverse powers.
    ratio = 1.5
    for _ in range(FIXED_POINT_STEPS):
        ratio = (1.0 + ratio) ** (1.0 / (n_variables + 1))
    steps = ratio ** -np.arange(1.0, n_variables + 1)
    return (0.5 + np.arange(count)[:, None] * steps) % 1.0


def _values(program: BallProgram, box: Box, targets: Sequence[Switch], shares: Any) -> Floats:
    """The targets' functions, first as they are, then negated; -inf where undefined."""
    n_walks, n_points, _ = shares.shape
    values: dict[str, Any] = {s.name: np.float64(as_float(s.low)) for s in box.sides if s.is_point}
    for column, side in enumerate(box.free):
        values[side.name] = side.floats(shares[:, :, column].ravel())
    # One scan serves all walks: every target is computed at all points, and only those of its own
    # walks are kept.
    traced = scan(program, values)
    heights = np.empty((n_walks, n_points))
    for row in range(n_walks):
        switch, sign = targets[row // 2], 1.0 if row % 2 else -1.0
        height = traced[switch.plus] - (0.0 if switch.minus is None else traced[switch.minus])
        height = np.broadcast_to(height, (n_walks * n_points,)).reshape(n_walks, n_points)
        heights[row] = sign * height[row]
    return np.where(np.isnan(heights), -np.inf, heights)


def _exact(box: Box, shares: Floats) -> Point:
    point = {side.name: side.low for side in box.sides}
    for side, share in zip(box.free, shares, strict=True):
        # Floats may round beyond an end of the range, where no witness may lie.
        place = exact_rational(float(side.floats(np.array([share]))[0]))
        low = place if side.low is None else max(place, side.low)
        point[side.name] = low if side.high is None else min(low, side.high)
    return point

"""Rigorous bounds of the difference of two formulas over an interval: Taylor models in balls.

On an interval with middle m and radius r, |E - F| is at most the sum of |c_k| r^k over the Taylor
coefficients c_k of E - F at m, which are tiny where the formulas are equal, plus Lagrange's
remainder |C_n| r^n, where C_n encloses the n-th coefficient at every point of the interval. Where
that is too large, or the form switches inside, the interval is cut. What stays below the smallest
width is not covered.

Makino, K. and Berz, M. (2003). Taylor models and other validated functional inclusion methods.
"""

from __future__ import annotations

import heapq
from dataclasses import dataclass
from typing import Any

from symbed.verdicts.arithmetic.ball_programs import BallProgram
from symbed.verdicts.arithmetic.power_series import is_series, line, trace_series
from symbed.verdicts.arithmetic.values import (
    UNDEFINED,
    Value,
    arb,
    as_ball,
    fmpq,
    is_defined,
    working_precision,
)
from symbed.verdicts.budgets import Budget
from symbed.verdicts.domains import Interval, Point

DEGREE = 40
REMAINDER_BITS = 64  # the remainder is a magnitude: few bits do
CENTER_BITS = 224
TARGET = 1e-30
SMALLEST = fmpq(1, 2**22)  # of the domain's width: narrower pieces are given up
GAP = fmpq(1, 2**30)  # left out on either side of an event, where the form switches
ENOUGH = 1 - fmpq(1, 2**19)  # of the domain: the rest is some 2e-6 of it
MOST_PIECES = 300  # a bound on the work, so that the result does not depend on the machine
MOST_PARTS = 8


@dataclass(frozen=True)
class Bound:
    """What was proven on a domain.

    Attributes
    ----------
    largest : float
        The difference is at most this, on what was covered.
    uncovered : float
        The share of the domain for which nothing was proven.
    witness : dict or None
        A point where the difference is not zero, should one be met.
    """

    largest: float
    uncovered: float
    witness: Point | None = None


def bound_on_line(
    program: BallProgram, side: Interval, base: Point, cuts: list[Any], budget: Budget
) -> Bound:
    """The largest difference of a program's two formulas over one variable's range.

    Parameters
    ----------
    program : BallProgram
        With the two formulas as its roots.
    side : Interval
        The range.
    base : Point
        Values of the variables that are fixed.
    cuts : list or dict
        Where the form switches, at or near these places.
    budget : Budget
        When to stop.
    """
    width = side.high - side.low
    covered, largest = fmpq(0), 0.0
    # The widest piece first, so that little is left when the work allowed is done.
    pieces = [(low - high, low, high) for low, high in _cells(side, cuts)]
    heapq.heapify(pieces)
    for _ in range(MOST_PIECES):
        if not pieces or budget.is_spent or covered > ENOUGH * width:
            break
        _, low, high = heapq.heappop(pieces)
        model = _Model(program, side.name, base, low, high)
        if model.bound is not None:
            covered += high - low
            largest = max(largest, model.bound)
        elif model.witness is not None:
            return Bound(largest, 1.0, {**base, side.name: model.witness})
        elif high - low > SMALLEST * width:
            step = (high - low) / model.parts
            for k in range(model.parts):
                heapq.heappush(pieces, (-step, low + step * k, low + step * (k + 1)))
    uncovered = 1 - covered / width
    return Bound(largest, float(int(uncovered.p)) / float(int(uncovered.q)))


def _cells(side: Interval, cuts: list[Any]) -> list[tuple[Any, Any]]:
    width = side.high - side.low
    gap = GAP * width
    cells = []
    start = side.low
    for cut in sorted(cuts):
        if cut - gap > start:
            cells.append((start, cut - gap))
        start = max(start, cut + gap)
    if start < side.high:
        cells.append((start, side.high))
    return cells


class _Model:
    """The Taylor model of E - F on one interval.

    Attributes
    ----------
    bound : bool
        Of the difference; None if it could not be bounded.
    witness : dict or None
        The middle, if the difference there is certainly not zero.
    parts : int
        Into how many parts to cut the interval otherwise.
    """

    def __init__(self, program: BallProgram, name: str, base: Point, low: Any, high: Any) -> None:
        self.bound: float | None = None
        self.witness: Any | None = None
        self.parts = 2
        middle, radius = (low + high) / 2, (high - low) / 2
        remainder = self._remainder(program, name, base, middle, radius)
        if remainder is None or self.bound is not None:
            return
        if not remainder < TARGET:
            self.parts = _parts(remainder)
            return
        self._center(program, name, base, middle, radius, remainder)

    def _remainder(
        self, program: BallProgram, name: str, base: Point, middle: Any, radius: Any
    ) -> float | None:
        with working_precision(REMAINDER_BITS, DEGREE + 1):
            around = arb(middle) + arb(0, 1) * radius
            traced = trace_series(program, {**base, name: line(around, 1)})
            e, f = (traced[root] for root in program.roots)
            if e is UNDEFINED and f is UNDEFINED:
                self.bound = 0.0
                return None
            if not (is_defined(e) and is_defined(f)):
                return None
            last = coefficient(e, DEGREE) - coefficient(f, DEGREE)
            return float((abs(last) * arb(radius) ** DEGREE).upper())

    def _center(
        self, program: BallProgram, name: str, base: Point, middle: Any, radius: Any, rest: float
    ) -> None:
        with working_precision(CENTER_BITS, DEGREE):
            traced = trace_series(program, {**base, name: line(arb(middle), 1)})
            e, f = (traced[root] for root in program.roots)
            if not (is_defined(e) and is_defined(f)):
                return
            total, power, r = arb(0), arb(1), arb(radius)
            for k in range(DEGREE):
                term = coefficient(e, k) - coefficient(f, k)
                if k == 0 and not term.contains(0):
                    self.witness = middle
                    return
                total += abs(term) * power
                power *= r
            largest = float(total.upper()) + rest
        if largest < TARGET:
            self.bound = largest


def coefficient(value: Value, k: int) -> Any:
    """A Taylor coefficient of a series; a number has only the first."""
    if is_series(value):
        return value[k]
    return as_ball(value) if k == 0 else arb(0)


def _parts(remainder: float) -> int:
    """Parts so narrow that the remainder would reach the target if nothing else changed."""
    needed = (remainder / TARGET) ** (1 / DEGREE)
    return min(MOST_PARTS, int(needed) + 1) if needed < MOST_PARTS else MOST_PARTS

"""Isolated points where two formulas differ: exact ones, and irrational ones by sign changes.

Where a denominator changes its sign on a tiny interval on which it is analytic, it is zero
somewhere in there, and the formula that divides by it is undefined. If the other formula is
defined on the whole interval, that is an exception, without knowing the place exactly.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from symbed.verdicts.arithmetic.ball_programs import BallProgram
from symbed.verdicts.arithmetic.power_series import constant_term, is_series, line, trace_series
from symbed.verdicts.arithmetic.values import (
    arb,
    as_ball,
    fmpq,
    is_defined,
    sign_of,
    working_precision,
)
from symbed.verdicts.domains import Box, Interval, Point
from symbed.verdicts.functions.comparisons import Comparer
from symbed.verdicts.functions.events import Event
from symbed.verdicts.functions.switches import Switch
from symbed.verdicts.functions.verdict import PointException, Reason

AROUND = fmpq(1, 2**140)  # radius of the interval around an irrational event
CHECK_BITS = 512
SHOWN_DIGITS = 20
MOST_EXCEPTIONS = 32


def exact_exceptions(comparer: Comparer) -> list[PointException]:
    """The points compared where the formulas differ, all of them isolated."""
    return [
        PointException({name: str(value) for name, value in point.items()}, outcome.reason)
        for point, outcome in comparer.isolated()
    ]


def irrational_exceptions(
    program: BallProgram, box: Box, found: Iterable[tuple[Interval, Point, Event]]
) -> list[PointException]:
    """Exceptions at events that are no rational numbers.

    Parameters
    ----------
    program : BallProgram
        With the two formulas as its roots.
    box : Box
        The domain.
    found : iterable
        Events, each with the variable along which it was found, and the fixed other values.
    """
    strict = [program.strict_steps(root) for root in program.roots]
    exceptions: dict[tuple[str, ...], PointException] = {}
    for side, base, event in found:
        switch = event.switch
        if event.exact or switch is None or not switch.pole or len(exceptions) >= MOST_EXCEPTIONS:
            continue
        owners = [switch.place in steps for steps in strict]
        if owners[0] == owners[1] or not _crosses_zero(program, switch, side, base, event.place):
            continue
        other = program.roots[0 if owners[1] else 1]
        if _is_defined_around(program, other, side, base, event.place):
            reason: Reason = "only_f_defined" if owners[0] else "only_e_defined"
            point = {name: str(value) for name, value in base.items()}
            with working_precision(CHECK_BITS):
                point[side.name] = arb(event.place).str(SHOWN_DIGITS, radius=False)
            exceptions[tuple(point.values())] = PointException(point, reason, exact=False)
    return list(exceptions.values())


def _crosses_zero(
    program: BallProgram, switch: Switch, side: Interval, base: Point, place: Any
) -> bool:
    """Whether a switch's function is analytic around a place and changes its sign there."""
    shift = _shift(program, switch, side, base, place)
    if shift is None:
        return False
    signs = []
    for end in (place - AROUND, place + AROUND):
        value = switch.value(program, shift, {**base, side.name: end})
        if not is_defined(value):
            return False
        signs.append(sign_of(value) or 0)
    if signs[0] * signs[1] >= 0:
        return False
    with working_precision(CHECK_BITS, 2):
        traced = trace_series(program, {**base, side.name: line(_around(place), 1)})
    parts = [traced[switch.plus]] + ([] if switch.minus is None else [traced[switch.minus]])
    return all(is_defined(part) for part in parts) and any(is_series(part) for part in parts)


def _shift(
    program: BallProgram, switch: Switch, side: Interval, base: Point, place: Any
) -> int | None:
    """Which of a periodic switch's zeros it is."""
    if not switch.period:
        return 0
    value = switch.value(program, 0, {**base, side.name: place})
    if not is_defined(value):
        return None
    with working_precision(CHECK_BITS):
        turns = as_ball(value) / (arb.pi() if switch.period == "pi" else 1)
        return round(float(turns))


def _is_defined_around(
    program: BallProgram, root: int, side: Interval, base: Point, place: Any
) -> bool:
    with working_precision(CHECK_BITS):
        traced = program.trace({**base, side.name: _around(place)})
    return is_defined(constant_term(traced[root]))


def _around(place: Any) -> Any:
    return arb(place) + arb(0, 1) * AROUND

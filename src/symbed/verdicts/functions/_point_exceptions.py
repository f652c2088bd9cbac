"""Isolated points where two formulas differ although they agree around, also irrational ones.

Where a denominator changes its sign on a tiny interval on which it is analytic, it is zero
somewhere in there, and the formula that divides by it is undefined. If the other formula is defined
on the whole interval, that is an exception, without knowing the place exactly. In the same way the
argument of ``floor`` or ``sign`` is a known number somewhere in the interval, and so are the values
that jump there. A function that only touches such a number, as ``sin(x)`` does 1, changes no sign;
where that is at a rational multiple of pi, exact values tell.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from fractions import Fraction
from typing import Any

from symbed.language.operators import Operator
from symbed.verdicts.arithmetic.ball_programs import BallProgram
from symbed.verdicts.arithmetic.power_series import constant_term, is_series, line, trace_series
from symbed.verdicts.arithmetic.values import (
    PiSum,
    Value,
    arb,
    as_ball,
    fmpq,
    is_defined,
    sign_of,
    working_precision,
)
from symbed.verdicts.domains import Interval, Point
from symbed.verdicts.functions._comparisons import Comparer, compare_values
from symbed.verdicts.functions._events import Event
from symbed.verdicts.functions._switches import Switch
from symbed.verdicts.functions.verdict import PointException, Reason

# Far wider than the 2^-180 to which events are told, so that the zero itself lies inside.
AROUND = fmpq(1, 2**140)  # radius of the interval around an irrational event
CHECK_BITS = 512
SHOWN_DIGITS = 20
MAX_EXCEPTIONS = 32
LARGEST_DENOMINATOR = 12  # of a multiple of pi; exact sines and tangents are known at few of them
# Operators with values that jump: beside the place the formulas agree, on it they may not.
JUMPING = frozenset({"floor", "sign", "cond", "pdiv", "plog", "pinv"})


def exact_exceptions(comparer: Comparer) -> list[PointException]:
    """The points compared where the formulas differ, all of them isolated."""
    return [
        PointException({name: str(value) for name, value in point.items()}, outcome.reason)
        for point, outcome in comparer.isolated()
    ]


def irrational_exceptions(
    program: BallProgram, places: Iterable[tuple[Interval, Point, Event]]
) -> list[PointException]:
    """Exceptions at events that are no rational numbers, where it is known that no region differs.

    Each event comes with the variable along which it was found, and the values of all others.
    """
    # A pole in an operand that `cond` does not choose is none of the formula.
    strict = [program.strict_steps(root) for root in program.roots]
    exceptions: dict[tuple[str, ...], PointException] = {}
    for side, base, event in places:
        # Exact events were compared as points, and are among `exact_exceptions`.
        if event.exact or len(exceptions) >= MAX_EXCEPTIONS:
            continue
        shown = {name: str(value) for name, value in base.items()}
        multiple = _multiple_of_pi(event.place)
        reason: Reason = ""
        if multiple is not None:
            shown[side.name] = str(multiple)
            if tuple(shown.values()) in exceptions:
                continue  # an event of several steps
            # Exact arithmetic with pi (`PiSum`) sees touching zeros, which change no sign.
            reason = _compared(program, {**base, side.name: multiple})
        is_exact = bool(reason)
        if not reason and event.switch is not None:
            reason = _at_switch(program, strict, event.switch, side, base, event.place)
            with working_precision(CHECK_BITS):
                shown[side.name] = arb(event.place).str(SHOWN_DIGITS, radius=False)
        if reason:
            exceptions[tuple(shown.values())] = PointException(shown, reason, is_exact)
    return list(exceptions.values())


def _at_switch(
    program: BallProgram,
    strict: list[set[int]],
    switch: Switch,
    side: Interval,
    base: Point,
    place: Any,
) -> Reason:
    """How formulas differ where a switch's function crosses zero near a place."""
    row = program.steps[switch.place].item
    owners = [switch.place in steps for steps in strict]
    # Where both formulas have the pole, neither is defined: no difference.
    is_pole = switch.pole and owners[0] != owners[1]
    if not is_pole and not (isinstance(row, Operator) and row.name in JUMPING):
        return ""
    shift = _crossing(program, switch, side, base, place)
    if shift is None:
        return ""
    values = {**base, side.name: _around(place)}
    if is_pole:
        other = program.roots[0 if owners[1] else 1]
        with working_precision(CHECK_BITS):
            # Defined on the whole interval, so also at the zero in it, wherever that is.
            if not is_defined(constant_term(program.trace(values)[other])):
                return ""
        return "only_f_defined" if owners[0] else "only_e_defined"
    # Where it crosses, the argument of a jump is known: of a difference, what that is a factor of.
    is_difference = switch.minus is not None
    step = program.steps[switch.place].operands[0] if is_difference else switch.plus
    value: Value = fmpq(0) if is_difference else switch.target(shift)
    # All other steps are enclosed over the interval, this one is what it is at the place itself.
    return _compared(replace(program, known={**program.known, step: value}), values)


def _compared(program: BallProgram, values: dict[str, Value]) -> Reason:
    with working_precision(CHECK_BITS):
        traced = program.trace(values)
        e, f = program.roots
        return compare_values(traced[e], traced[f]).reason


def _crossing(
    program: BallProgram, switch: Switch, side: Interval, base: Point, place: Any
) -> int | None:
    """After how many periods a switch's function crosses zero at a place, around it analytic."""
    shift = _shift(program, switch, side, base, place)
    if shift is None:
        return None
    ends = [
        switch.value(program, shift, {**base, side.name: end})
        for end in (place - AROUND, place + AROUND)
    ]
    if not all(map(is_defined, ends)) or {sign_of(end) for end in ends} != {1, -1}:
        return None
    # Opposite signs mean a zero only where nothing jumps: a series over the interval exists only
    # where all that leads to the switch is analytic.
    with working_precision(CHECK_BITS, 2):
        traced = trace_series(program, {**base, side.name: line(_around(place), 1)})
    parts = [traced[switch.plus]] + ([] if switch.minus is None else [traced[switch.minus]])
    analytic = all(map(is_defined, parts)) and any(map(is_series, parts))
    return shift if analytic else None


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
        # A guess, which the signs on both sides confirm.
        return round(float(turns))


def _multiple_of_pi(place: Any) -> PiSum | None:
    """The simple multiple of pi that a place is close to, if it is one."""
    with working_precision(CHECK_BITS):
        ratio = arb(place) / arb.pi()
        near = Fraction(float(ratio)).limit_denominator(LARGEST_DENOMINATOR)
        turns = fmpq(near.numerator, near.denominator)
        is_close = bool(abs(arb(place) - arb.pi() * turns) < arb(AROUND))
    return PiSum(fmpq(0), turns) if near and is_close else None


def _around(place: Any) -> Any:
    return arb(place) + arb(0, 1) * AROUND

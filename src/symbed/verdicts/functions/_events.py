"""Events on a line through the domain: where a formula switches its form, or a part turns around.

A scan in floats finds sign changes and turning points, a multi-section narrows them down, and exact
numbers or Newton steps in balls give the place: exactly where it is rational, else to some 50
digits, so that two events that differ by 1e-20 are two.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from symbed._types import Floats
from symbed.language.operators import Operator
from symbed.verdicts._budgets import Budget
from symbed.verdicts.arithmetic.ball_programs import BallProgram
from symbed.verdicts.arithmetic.power_series import is_series, line, series, trace_series
from symbed.verdicts.arithmetic.values import (
    arb,
    as_ball,
    as_float,
    exact_rational,
    fmpq,
    is_defined,
    working_precision,
)
from symbed.verdicts.domains import MAX_COMBINED, Box, Interval, Point
from symbed.verdicts.functions._switches import REFINED_BITS, Switch, scan

GRID = 193  # points of a scan; an odd number, so that the middle of the range is one
SECTIONS = 16  # parts into which a bracket is cut at once
PASSES = 13  # 16^13 = 2^52: as far as floats go
MAX_EVENTS = 24  # on one line
MAX_REPEATS = 6  # of one switch with a period
MAX_PERIODS = 1e6  # from zero: beyond, floats do not tell neighbors apart
MAX_TURNS = 12  # turning points on one line
NEWTON_STEPS = 8
SCAN_COST, NEWTON_COST = 2, 40  # of a scan, and of a place found, in operations of the program
DYADIC_BITS = 180  # an irrational place is given as a multiple of 2^-180
SMALL_DENOMINATOR = 1000
DECIMALS = 12

# How far beside an event to look, in widths of the range: far enough to leave a needle's foot,
# and close enough to be on a needle.
DISTANCES = tuple(fmpq(1, 2**k) for k in (7, 13, 20, 30, 45, 70))


@dataclass(frozen=True)
class Event:
    """A place on a line."""

    place: Any  # the variable's value, a rational; close to the event if not exact
    exact: bool  # whether the event is at ``place``
    switch: Switch | None = None  # what switches there; None at a turning point


@dataclass(frozen=True)
class _Bracket:
    """A sign change of a switch between two neighbors of the grid."""

    switch: Switch
    shift: int  # how many periods are taken off
    low: float
    high: float


def find_events(
    program: BallProgram,
    switches: Sequence[Switch],
    side: Interval,
    base: Point,
    budget: Budget,
    turns: bool = True,
) -> list[Event]:
    """The events along one variable, the others being fixed by ``base``, in rising order.

    Turning points of inner steps are among them unless ``turns`` says no.
    """
    grid = side.floats(np.linspace(0.0, 1.0, GRID))
    if not side.is_finite:
        # Shares of an infinite range end near 1e9; what switches at 1e12 is beyond.
        grid = np.union1d(grid, [as_float(number) for number in side.far])
    # Fixed names stay scalars, so that steps without the variable are computed once.
    values = {name: np.float64(as_float(value)) for name, value in base.items()}
    budget.count(SCAN_COST * program.n_operations)
    traced = scan(program, values | {side.name: grid})
    brackets = [b for switch in switches for b in _brackets(switch, traced, grid)]
    brackets = _thinned(brackets, MAX_EVENTS)
    if brackets:
        budget.count(PASSES * SCAN_COST * program.n_operations)
    roots = _narrowed(program, brackets, values, side.name)
    events = []
    for bracket, root in zip(brackets, roots, strict=True):
        budget.spend(NEWTON_COST * program.n_operations)
        events.append(_event(program, bracket, root, side, base))
    if turns:
        events.extend(_turns(program, traced, grid, side, base, budget))
    # Several switches may share a place; each pole is kept, since it may be an exception.
    unique: dict[Any, Event] = {}
    for event in events:
        if side.holds(event.place):
            pole = event.switch if event.switch is not None and event.switch.pole else None
            unique.setdefault((event.place, pole), event)
    return sorted(unique.values(), key=lambda event: event.place)


def _brackets(switch: Switch, traced: list[Any], grid: Floats) -> list[_Bracket]:
    values = np.broadcast_to(np.asarray(switch.floats(traced), dtype=np.float64), grid.shape)
    if not switch.period:
        return _sign_changes(switch, 0, values, grid)
    finite = values[np.isfinite(values)]
    if not finite.size:
        return []
    # In units of the period (see `Switch.floats`): each whole number in between is a zero.
    low, high = max(finite.min(), -MAX_PERIODS), min(finite.max(), MAX_PERIODS)
    if switch.last is not None:
        high = min(high, switch.last)
    # The outermost and those in the middle: a floor may be of anything.
    numbers = _thinned(np.arange(np.ceil(low), np.floor(high) + 1), MAX_REPEATS)
    return [b for k in numbers for b in _sign_changes(switch, int(k), values - k, grid)]


def _sign_changes(switch: Switch, shift: int, values: Floats, grid: Floats) -> list[_Bracket]:
    signs = np.sign(values)
    # Where a neighbor is undefined the sign is NaN, which compares as no change. A pole changes the
    # sign as a zero does; that costs a test at a place where nothing happens.
    changes = np.flatnonzero(signs[:-1] * signs[1:] < 0)
    brackets = [_Bracket(switch, shift, grid[i], grid[i + 1]) for i in changes[:MAX_EVENTS]]
    # A zero on the grid itself has no change of sign beside it: a bracket without width.
    zeros = np.flatnonzero(signs == 0)[:MAX_EVENTS]
    brackets += [_Bracket(switch, shift, grid[i], grid[i]) for i in zeros]
    return brackets


def _thinned(items: Any, most: int) -> list[Any]:
    """So many of some things at most, evenly chosen."""
    if len(items) <= most:
        return list(items)
    return [items[i] for i in np.unique(np.linspace(0, len(items) - 1, most).astype(int))]


def _narrowed(
    program: BallProgram, brackets: list[_Bracket], values: dict[str, Any], name: str
) -> Floats:
    """The brackets' roots to the precision of floats, all of them in one scan per pass."""
    low = np.array([bracket.low for bracket in brackets])
    high = np.array([bracket.high for bracket in brackets])
    if not brackets or (low == high).all():
        return low
    shares = np.linspace(0.0, 1.0, SECTIONS + 1)
    rows = np.arange(len(brackets))
    for _ in range(PASSES):
        # A row for each bracket, a column for each cut.
        points = low[:, None] + (high - low)[:, None] * shares
        traced = scan(program, values | {name: points.ravel()})
        values_of = {b.switch: b.switch.floats(traced) for b in brackets}
        parts = np.empty_like(points)
        for row, bracket in enumerate(brackets):
            of_switch = np.broadcast_to(values_of[bracket.switch], points.size)
            part = of_switch[row * (SECTIONS + 1) : (row + 1) * (SECTIONS + 1)]
            parts[row] = part - bracket.shift
        # Also where a cut is a zero, unlike on the grid: the first such part is enough.
        changed = np.sign(parts[:, :-1]) * np.sign(parts[:, 1:]) <= 0
        first = np.argmax(changed, axis=1)
        low, high = points[rows, first], points[rows, first + 1]
    middles: Floats = (low + high) / 2
    return middles


def _event(
    program: BallProgram, bracket: _Bracket, root: float, side: Interval, base: Point
) -> Event:
    """The event of a bracket, exactly if it is rational."""
    for candidate in _rational_candidates(root, bracket, program, side, base):
        if side.holds(candidate):
            value = bracket.switch.value(program, bracket.shift, {**base, side.name: candidate})
            # A ball around zero proves nothing; only an exact zero is an exact place.
            if type(value) is fmpq and value == 0:
                return Event(candidate, True, bracket.switch)
    place = exact_rational(float(root))
    refined = _zero(program, bracket.switch, bracket.shift, side, base, place)
    # Newton steps that leave the grid's cell went to another zero, or nowhere.
    if refined is not None and abs(refined - place) < side.scale / GRID:
        place = refined
    return Event(place, False, bracket.switch)


def _rational_candidates(
    root: float, bracket: _Bracket, program: BallProgram, side: Interval, base: Point
) -> list[Any]:
    near = Fraction(float(root)).limit_denominator(SMALL_DENOMINATOR)
    candidates = [fmpq(near.numerator, near.denominator)]
    # Places that people write are short decimals; the float is off in its last digits.
    candidates.append(exact_rational(float(f"{root:.{DECIMALS}g}")))
    # Where the switch is a straight line, the secant through two of its points is exact.
    left = exact_rational(float(bracket.low))
    # A bracket without width needs another point; on a straight line any does.
    right = exact_rational(float(bracket.high) if bracket.high > bracket.low else root + 1.0)
    ends = [
        bracket.switch.value(program, bracket.shift, {**base, side.name: x}) for x in (left, right)
    ]
    if all(type(end) is fmpq for end in ends) and ends[0] != ends[1]:
        candidates.append(left - ends[0] * (right - left) / (ends[1] - ends[0]))
    return list(dict.fromkeys(candidates))


def _zero(
    program: BallProgram, switch: Switch, shift: int, side: Interval, base: Point, start: Any
) -> Any | None:
    """A zero of a switch's function near a place, by Newton steps on midpoints."""

    def slope_form(x: Any) -> tuple[Any, Any] | None:
        traced = trace_series(program, {**base, side.name: line(x, 1)})
        value = traced[switch.plus]
        other = fmpq(0) if switch.minus is None else traced[switch.minus]
        if not (is_series(value) and is_defined(other)):
            return None
        form = value - series(other)
        return form[0] - as_ball(switch.target(shift)), form[1]

    return _iterate(slope_form, start, 2)


def _turn(program: BallProgram, step: int, side: Interval, base: Point, start: Any) -> Any | None:
    """A turning point of a step near a place."""

    def slope_form(x: Any) -> tuple[Any, Any] | None:
        value = trace_series(program, {**base, side.name: line(x, 1)})[step]
        # Coefficients are f' and f''/2: this is Newton's step for a zero of f'.
        return (value[1], 2 * value[2]) if is_series(value) else None

    return _iterate(slope_form, start, 3)


def _iterate(form: Any, start: Any, length: int) -> Any | None:
    place = start
    # Nothing is claimed of the result: places are compared exactly, and exceptions are proven by
    # the signs on both sides of them.
    with working_precision(REFINED_BITS, length):
        for _ in range(NEWTON_STEPS):
            pair = form(arb(place))
            if pair is None or pair[1].contains(0) or not pair[0].is_finite():
                return None
            step = (pair[0] / pair[1]).mid()
            moved = _dyadic(arb(place) - step)
            if moved is None or moved == place:
                return moved
            place = moved
    return place


def _dyadic(ball: Any) -> Any | None:
    """The multiple of 2^-180 next to a ball's midpoint."""
    # 64 bits before the point and 180 behind it are within the 256 of `REFINED_BITS`.
    if not ball.is_finite() or abs(ball) > 2**64:
        return None
    number = (ball.mid() * 2**DYADIC_BITS + arb(0.5)).floor().mid()
    whole = number.unique_fmpz()
    return None if whole is None else fmpq(whole, 2**DYADIC_BITS)


def _turns(
    program: BallProgram,
    traced: list[Any],
    grid: Floats,
    side: Interval,
    base: Point,
    budget: Budget,
) -> list[Event]:
    """Turning points of inner steps: an island or a needle stands on one of them."""
    seen: dict[int, int] = {}
    for step, variables in enumerate(program.variables):
        row = program.steps[step].item
        # On a staircase every edge of a plateau would count as a turning point.
        if side.name not in variables or not isinstance(row, Operator) or row.name == "floor":
            continue
        values = np.asarray(traced[step], dtype=np.float64)
        before, middle, after = values[:-2], values[1:-1], values[2:]
        with np.errstate(invalid="ignore"):
            # Strict on one side only: a plateau of two neighbors counts once.
            top = (middle > before) & (middle >= after)
            bottom = (middle < before) & (middle <= after)
        peaks, pits = np.flatnonzero(top) + 1, np.flatnonzero(bottom) + 1
        # Of many, the outermost in value: what stands out stands there.
        for outermost in (
            peaks[np.argsort(-values[peaks])][:3],
            pits[np.argsort(values[pits])][:3],
        ):
            for place in outermost:
                seen.setdefault(int(place), step)
    events = []
    for index in sorted(seen)[:MAX_TURNS]:
        budget.spend(NEWTON_COST * program.n_operations)
        start = exact_rational(float(grid[index]))
        place = _turn(program, seen[index], side, base, start)
        # Newton steps that went elsewhere, or a corner without slopes: the grid's point must do.
        if place is None or abs(place - start) > side.scale * 2 / GRID:
            place = start
        events.append(Event(place, False))
    return events


def around_events(side: Interval, events: Sequence[Event]) -> Iterator[Any]:
    """Places on one side: between neighboring events, on them and beside them."""
    places = list(dict.fromkeys(event.place for event in events))
    ends = [end for end in (side.low, side.high) if end is not None]
    cuts = sorted(set(places + ends))
    # Middles first: between events the formulas keep one form, so that one point tells of it.
    for low, high in itertools.pairwise(cuts):
        yield (low + high) / 2
    for place in ends:
        yield place
    for place in places:
        yield place
        for distance in DISTANCES:
            for step in (distance, -distance):
                moved = place + step * side.scale
                if side.holds(moved):
                    yield moved


def combined(box: Box, lists: dict[str, list[Any]], fillers: Sequence[Point]) -> Iterator[Point]:
    """Events of several variables at once, then each alone with generic values for the others."""
    filler = fillers[0]
    full = [lists.get(name) or [filler[name]] for name in box.names]
    # A corner where events of all variables meet is on none of the lines looked at before.
    for values in itertools.islice(itertools.product(*full), MAX_COMBINED):
        yield dict(zip(box.names, values, strict=True))
    for name, places in lists.items():
        for number, place in enumerate(places):
            yield {**fillers[number % len(fillers)], name: place}

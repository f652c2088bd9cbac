"""Points in those pieces of formulas that others miss: beyond a switch near an end, on an island.

Families are compared at a few dozen points, between which ``a*x`` and ``a*x + b*max(x - 4.99, 0)``
are the same on (0, 5). Where a formula switches its form by its variables alone, the pieces are the
same for all parameters, and each of them can have a point.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise, product
from typing import Any

import numpy as np

from symbed._types import Floats
from symbed.language.expression import Expression
from symbed.verdicts._budgets import Budget
from symbed.verdicts.arithmetic.ball_programs import BallProgram
from symbed.verdicts.arithmetic.values import (
    as_ball,
    as_float,
    exact_rational,
    fmpq,
    is_defined,
    working_precision,
)
from symbed.verdicts.domains import SHARE, STEPS, Box, Interval, Point
from symbed.verdicts.functions._bounds import whole_ranges
from symbed.verdicts.functions._events import DISTANCES, Event, find_events
from symbed.verdicts.functions._switches import Switch, extremal_points, find_switches, scan

MAX_PIECES = 8  # that get a point of their own: a staircase may have any number
RANGE_BITS = 64
GENERIC = fmpq(STEPS[0], SHARE)  # a share of an interval, near the square root of 2 less 1
INWARD = tuple(fmpq(1, 2**k) for k in (7, 13, 20))  # how far from an extreme, of the way back


def piece_points(formulas: Sequence[Expression], box: Box, points: Floats) -> Floats:
    """Points in pieces of the formulas that none of ``points`` (n_points, n_variables) lies in.

    Names that are no side of the box are parameters: switches that depend on them do not count.
    """
    program = BallProgram.of(formulas)
    # As sides of one point, so that lines and walks along the variables keep them where they are.
    parameters = [name for name in program.names if name not in box.names]
    whole = Box((*box.sides, *(Interval(name, fmpq(1), fmpq(1)) for name in parameters)))
    switches = _switches_inside(program, whole, set(box.names))
    if not switches:
        return np.empty((0, len(box.names)))
    candidates = _candidates(program, whole, switches, points[0])
    patterns = _patterns(program, whole, switches, np.concatenate([points, candidates]))
    seen = set(patterns[: len(points)])
    kept: list[Floats] = []
    for row, pattern in zip(candidates, patterns[len(points) :], strict=True):
        if pattern not in seen and len(kept) < MAX_PIECES:
            seen.add(pattern)
            kept.append(row)
    return np.array(kept).reshape(-1, len(box.names))


def _switches_inside(program: BallProgram, box: Box, variables: set[str]) -> list[Switch]:
    """Switches of the variables alone that may happen inside of the domain."""
    switches = [
        switch
        for switch in find_switches(program)
        if switch.sharp and switch.names(program) <= variables
    ]
    if not switches:
        return []
    with working_precision(RANGE_BITS):
        traced = program.trace(whole_ranges(box))
        inside = []
        for switch in switches:
            ends = [traced[place] for place in (switch.plus, switch.minus) if place is not None]
            # An enclosure that excludes the switch's zero on the whole domain: the usual case,
            # as ln(x) for positive x, which costs no search.
            if switch.period or not all(map(is_defined, ends)):
                inside.append(switch)
                continue
            value = as_ball(ends[0]) - (as_ball(ends[1]) if len(ends) > 1 else 0)
            if (value - as_ball(switch.target(0))).contains(0):
                inside.append(switch)
    return inside


def _candidates(
    program: BallProgram, box: Box, switches: Sequence[Switch], start: Floats
) -> Floats:
    """Points between and beside the places where switches happen, and near their extremes."""
    budget = Budget()
    base: Point = {side.name: side.low for side in box.sides}
    for name, value in zip(box.names, start.tolist(), strict=False):
        base[name] = exact_rational(value)
    candidates: list[Point] = []
    for side in box.free:
        alone = [switch for switch in switches if switch.names(program) == {side.name}]
        if alone:
            events = find_events(program, alone, side, base, budget)
            edges = {as_float(event.place) for event in events}
            for place in _between(side, events):
                # Points are floats: what is nearer to an event than these tell lies on it.
                if as_float(place) not in edges:
                    candidates.append({**base, side.name: place})
    for extreme, share in product(extremal_points(program, box, switches, budget), INWARD):
        candidates.append({n: x + (base[n] - x) * share for n, x in extreme.items()})
    names = box.names[: len(start)]
    rows = [[as_float(point[name]) for name in names] for point in candidates]
    return np.array(rows).reshape(-1, len(names))


def _between(side: Interval, events: Sequence[Event]) -> Iterator[Any]:
    """Places between events and beside them, none of which is special in any way.

    No event, no end and no middle: a difference at such a point alone is no piece.
    """
    places = sorted({event.place for event in events})
    cuts = [end for end in (side.low, *places, side.high) if end is not None]
    for low, high in pairwise(cuts):
        if low < high:
            yield low + (high - low) * GENERIC
    for place, distance, sign in product(places, DISTANCES, (1, -1)):
        moved = place + sign * distance * (1 + GENERIC) * side.scale
        if side.holds(moved):
            yield moved


def _patterns(
    program: BallProgram, box: Box, switches: Sequence[Switch], points: Floats
) -> list[tuple[float, ...]]:
    """For each point, on which side of each switch it lies."""
    values = {side.name: np.float64(1.0) for side in box.sides}
    values |= dict(zip(box.names, points.T, strict=False))
    traced = scan(program, values)
    sides = np.empty((len(points), len(switches)))
    for column, switch in enumerate(switches):
        value = np.broadcast_to(switch.floats(traced), len(points))
        sides[:, column] = np.floor(value) if switch.period else np.sign(value)
    # NaN equals nothing, not even itself; a switch that is undefined is one pattern.
    return list(map(tuple, np.where(np.isnan(sides), np.inf, sides).tolist()))

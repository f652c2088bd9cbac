"""Exact points at which two formulas are compared: generic, simple, and around events."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from typing import Any

from symbed.verdicts.arithmetic.values import fmpq
from symbed.verdicts.domains import Box, Interval, Point
from symbed.verdicts.functions.events import Event

SHARE = 2**20  # shares are multiples of 2^-20: short rationals, so that exact values stay cheap

# Square roots of primes, times 2^20: steps of a Kronecker sequence, one for each variable.
STEPS = (434_334, 767_592, 247_530, 677_010, 331_921, 635_086, 129_098, 376_465)

SIMPLE = tuple(
    fmpq(p, q)
    for p, q in (
        (0, 1), (1, 1), (-1, 1), (1, 2), (-1, 2), (2, 1), (-2, 1), (3, 1), (-3, 1), (1, 3), (-1, 3),
        (3, 2), (-3, 2), (1, 4), (2, 3), (1, 10), (-1, 10), (4, 1), (-4, 1), (5, 1), (-5, 1),
        (10, 1), (-10, 1), (100, 1),
    )
)  # fmt: skip
MOST_SIMPLE = {1: 24, 2: 6, 3: 4}  # per variable, by the number of variables
MOST_COMBINED = 64

# How far beside an event to look, in widths of the range: far enough to leave a needle's foot,
# and close enough to be on a needle.
DISTANCES = tuple(fmpq(1, 2**k) for k in (7, 13, 20, 30, 45, 70))


def generic_points(box: Box, count: int) -> Iterator[Point]:
    """Points that fill the domain evenly and are special in no way."""
    free = box.free
    for number in range(1, count + 1):
        shares = [
            fmpq((number * STEPS[j % len(STEPS)] * (1 + j // len(STEPS)) + 7919 * j) % SHARE, SHARE)
            for j in range(len(free))
        ]
        # Neither end: infinite ones are no numbers, and ends are tested as simple points.
        yield box.point([share if share != 0 else fmpq(1, SHARE) for share in shares])


def simple_points(box: Box) -> Iterator[Point]:
    """Small integers and fractions, and the domain's ends: where isolated exceptions often are."""
    most = MOST_SIMPLE.get(len(box.free), 2)
    lists = []
    for side in box.sides:
        if side.is_point:
            lists.append([side.low])
            continue
        numbers = [number for number in SIMPLE if side.holds(number)][:most]
        ends = [end for end in (side.low, side.high) if end is not None]
        numbers += [end for end in ends if end not in numbers]
        lists.append(numbers or [side.at(fmpq(1, 2))])
    for values in itertools.islice(itertools.product(*lists), MOST_COMBINED):
        yield dict(zip(box.names, values, strict=True))


def around_events(side: Interval, events: Sequence[Event]) -> Iterator[Any]:
    """Places on one side: between neighboring events, on them and beside them."""
    places = list(dict.fromkeys(event.place for event in events))
    ends = [end for end in (side.low, side.high) if end is not None]
    cuts = sorted(set(places + ends))
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
    for values in itertools.islice(itertools.product(*full), MOST_COMBINED):
        yield dict(zip(box.names, values, strict=True))
    for name, places in lists.items():
        for number, place in enumerate(places):
            yield {**fillers[number % len(fillers)], name: place}

"""A rigorous bound of the difference of two formulas on nearly all of a domain.

A proof by algebra says that two formulas are equal wherever both are defined. Where that is, boxes
tell that cover the domain: enclosures over them say that both are defined, or both undefined, and
boxes are cut until they tell. Without such a proof Taylor models bound the difference.
"""

from __future__ import annotations

import heapq
from collections.abc import Sequence
from itertools import count, pairwise, product
from typing import Any

from symbed.verdicts.algebra.normal_forms import Algebra
from symbed.verdicts.arithmetic.ball_programs import BallProgram
from symbed.verdicts.arithmetic.values import (
    UNDEFINED,
    WHOLE,
    arb,
    fmpq,
    is_defined,
    working_precision,
)
from symbed.verdicts.budgets import Budget
from symbed.verdicts.domains import Box, Interval, Point
from symbed.verdicts.functions.events import Event
from symbed.verdicts.functions.taylor_bounds import Bound, bound_on_line, bound_on_plane

MOST_BOXES = 240  # a bound on the work, so that the result does not depend on the machine
COVER_BITS = 64
ENOUGH = 2.0**-20  # of the domain: what may stay uncovered
SMALLEST = 2.0**-24  # of the domain: smaller boxes are not cut again

MOST_UNCOVERED = 1e-3  # a bound on less of the domain than this leaves is no bound of it

Range = tuple[Any, Any]


def prove_bound(
    program: BallProgram,
    box: Box,
    algebra: Algebra,
    switches: Sequence[tuple[Interval, Event]],
    base: Point,
    budget: Budget,
) -> Bound | None:
    """A bound on nearly all of the domain, by algebra or else by Taylor models; None without one.

    ``switches`` are events where the form switches, each with the side along which it was found;
    ``base`` has the values of the variables that are fixed.
    """
    free = box.free
    if algebra.identical and algebra.almost_same_domain:
        return Bound(0.0, 0.0)
    if algebra.identical:
        # Cells without gaps between them: a place that is not exact would lie inside of one.
        cuts: dict[str, list[Any]] = {}
        for side, event in switches:
            if len(free) == 1 and event.exact:
                cuts.setdefault(side.name, []).append(event.place)
        share = uncovered_share(program, box, cuts, budget)
        if share <= MOST_UNCOVERED:
            return Bound(0.0, share)
    if not box.is_finite or len(free) > 2:
        return None
    if len(free) == 1:
        bound = bound_on_line(program, free[0], base, [e.place for _, e in switches], budget)
    else:
        bound = bound_on_plane(program, (free[0], free[1]), base, budget)
    return bound if bound.witness is not None or bound.uncovered <= MOST_UNCOVERED else None


def uncovered_share(
    program: BallProgram, box: Box, cuts: dict[str, list[Any]], budget: Budget
) -> float:
    """The share of a domain where it is open whether both formulas are defined.

    ``cuts`` are, for each variable, places where to cut first.
    """
    if not box.is_finite:
        return 0.0 if _is_settled_everywhere(program, box) else 1.0
    free = box.free
    fixed = {side.name: side.low for side in box.sides if side.is_point}
    numbers = count()  # the older of two cells of one size comes first
    heap: list[tuple[float, int, tuple[Range, ...]]] = []
    lists = []
    for side in free:
        inside = [cut for cut in cuts.get(side.name, []) if side.low < cut < side.high]
        ends = [side.low, *sorted(set(inside)), side.high]
        lists.append(list(pairwise(ends)))
    for cell in product(*lists):
        heapq.heappush(heap, (-_share(cell, box), next(numbers), cell))
    open_share = 1.0
    for _ in range(MOST_BOXES):
        if not heap or open_share <= ENOUGH or budget.is_spent:
            break
        share, _, cell = heapq.heappop(heap)
        budget.count(program.n_operations)
        if _is_settled(program, fixed, cell, box):
            open_share += share  # negative in the heap, so that the largest cell comes first
        elif -share > SMALLEST:
            for part in _halves(cell, box):
                heapq.heappush(heap, (-_share(part, box), next(numbers), part))
    # What is left of shares that add up to 1 is rounding.
    return max(0.0, open_share) if open_share > 1e-15 else 0.0


def whole_ranges(box: Box) -> dict[str, Any]:
    """Every variable as the ball of its whole range, at the precision of the moment."""
    ranges = {}
    for side in box.sides:
        if side.is_point:
            ranges[side.name] = side.low
        elif side.is_finite:
            ranges[side.name] = _ball(side.low, side.high)
        else:
            ranges[side.name] = WHOLE  # also of a half line, which no ball is
    return ranges


def _ball(low: Any, high: Any) -> Any:
    return arb((low + high) / 2) + arb(0, 1) * ((high - low) / 2)


def _is_settled(
    program: BallProgram, fixed: dict[str, Any], cell: tuple[Range, ...], box: Box
) -> bool:
    with working_precision(COVER_BITS):
        ranges = dict(fixed)
        for side, (low, high) in zip(box.free, cell, strict=True):
            ranges[side.name] = _ball(low, high)
        return _agree(program, ranges)


def _is_settled_everywhere(program: BallProgram, box: Box) -> bool:
    """An infinite domain in one go, with every range that is not a point as all real numbers."""
    with working_precision(COVER_BITS):
        return _agree(program, whole_ranges(box))


def _agree(program: BallProgram, ranges: dict[str, Any]) -> bool:
    # That the values are equal is algebra's part; here only where both are defined is looked at.
    results = program.trace(ranges)
    e, f = (results[root] for root in program.roots)
    return (is_defined(e) and is_defined(f)) or (e is UNDEFINED and f is UNDEFINED)


def _halves(cell: tuple[Range, ...], box: Box) -> list[tuple[Range, ...]]:
    """A cell cut in two along the side that is longest beside the domain's."""
    shares = [_ratio(r[1] - r[0], side.scale) for r, side in zip(cell, box.free, strict=True)]
    longest = shares.index(max(shares))
    low, high = cell[longest]
    middle = (low + high) / 2
    return [
        (*cell[:longest], part, *cell[longest + 1 :]) for part in ((low, middle), (middle, high))
    ]


def _share(cell: tuple[Range, ...], box: Box) -> float:
    share = 1.0
    for (low, high), side in zip(cell, box.free, strict=True):
        share *= _ratio(high - low, side.scale)
    return share


def _ratio(a: Any, b: Any) -> float:
    ratio = fmpq(a) / b
    return float(int(ratio.p) / int(ratio.q))

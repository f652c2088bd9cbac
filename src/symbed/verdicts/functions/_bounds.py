"""A rigorous bound of the difference of two formulas on nearly all of a domain.

A proof by algebra says that two formulas are equal wherever both are defined. Where that is, boxes
tell that cover the domain: enclosures over them say that both are defined, or both undefined, and
boxes are cut until they tell. Without such a proof Taylor models bound the difference.

On an interval with middle m and radius r, |E - F| is at most the sum of |c_k| r^k over the Taylor
coefficients c_k of E - F at m, which are tiny where the formulas are equal, plus Lagrange's
remainder |C_n| r^n, where C_n encloses the n-th coefficient at every point of the interval. Where
that is too large, or the form switches inside, the interval is cut. What stays below the smallest
width is not covered.

On a rectangle, seen from its middle, the points are t*d for |t| <= 1 and directions d to its edges.
Along a direction E - F is a series in t, and the coefficient of t^k is a polynomial of degree k in
the slope of d. So its size on all directions follows from its values on a few: at most Lebesgue's
constant times the largest of them. Lagrange's remainder comes from balls that hold the rectangle
and all directions at once.

Makino, K. and Berz, M. (2003). Taylor models and other validated functional inclusion methods.
Trefethen, L. N. (2013). Approximation theory and approximation practice, chapter 15.
"""

from __future__ import annotations

import heapq
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import count, pairwise, product
from typing import Any, NamedTuple

from symbed.verdicts._budgets import Budget
from symbed.verdicts.algebra.normal_forms import Algebra
from symbed.verdicts.arithmetic.ball_programs import BallProgram
from symbed.verdicts.arithmetic.power_series import is_series, line, trace_series
from symbed.verdicts.arithmetic.values import (
    UNDEFINED,
    WHOLE,
    Value,
    arb,
    as_ball,
    as_float,
    fmpq,
    is_defined,
    working_precision,
)
from symbed.verdicts.domains import Box, Interval, Point
from symbed.verdicts.functions._events import Event

MAX_BOXES = 240  # a bound on the work, so that the result does not depend on the machine
COVER_BITS = 64
NEGLIGIBLE_SHARE = 2.0**-20  # of the domain: what may stay uncovered
SMALLEST_BOX = 2.0**-24  # of the domain: smaller boxes are not cut again

MAX_UNCOVERED = 1e-3  # a bound on less of the domain than this leaves is no bound of it

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
        if share <= MAX_UNCOVERED:
            return Bound(0.0, share)
    if not box.is_finite or len(free) > 2:
        return None
    if len(free) == 1:
        bound = bound_on_line(program, free[0], base, [e.place for _, e in switches], budget)
    else:
        bound = bound_on_plane(program, (free[0], free[1]), base, budget)
    return bound if bound.witness is not None or bound.uncovered <= MAX_UNCOVERED else None


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
    for _ in range(MAX_BOXES):
        if not heap or open_share <= NEGLIGIBLE_SHARE or budget.is_spent:
            break
        share, _, cell = heapq.heappop(heap)
        budget.count(program.n_operations)
        if _is_settled(program, fixed, cell, box):
            open_share += share  # negative in the heap, so that the largest cell comes first
        elif -share > SMALLEST_BOX:
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
    shares = [as_float((r[1] - r[0]) / side.scale) for r, side in zip(cell, box.free, strict=True)]
    longest = shares.index(max(shares))
    low, high = cell[longest]
    middle = (low + high) / 2
    return [
        (*cell[:longest], part, *cell[longest + 1 :]) for part in ((low, middle), (middle, high))
    ]


def _share(cell: tuple[Range, ...], box: Box) -> float:
    share = 1.0
    for (low, high), side in zip(cell, box.free, strict=True):
        share *= as_float((high - low) / side.scale)
    return share


REMAINDER_BITS = 64  # the remainder is a magnitude: few bits do
LINE_COST, PLANE_COST = 20, 40  # of a piece, in operations of the program; most end at remainders

LINE_DEGREE, LINE_BITS, LINE_TARGET = 40, 224, 1e-30
NARROWEST = fmpq(1, 2**22)  # of the domain's width: narrower pieces are given up
GAP = fmpq(1, 2**30)  # left out on either side of an event, where the form switches
MAX_PARTS = 8

# A rectangle costs as many series as there are directions, so its bound is a coarse one.
PLANE_DEGREE, PLANE_BITS, PLANE_TARGET = 20, 128, 1e-9
SLOPE_BITS = 16  # slopes are short rationals near Chebyshev's
N_STRIPS = 64  # in which Lebesgue's function is enclosed

Piece = tuple[Any, ...]  # low and high of the side, or of the first side and then of the second


@dataclass(frozen=True)
class Bound:
    """What was proven on a domain."""

    largest: float  # the difference is at most this, on what was covered
    uncovered: float  # the share of the domain for which nothing was proven
    witness: Point | None = None  # a point where the difference is not zero, should one be met


class _Model(NamedTuple):
    """What a Taylor model says of a piece: a bound, a witness, or into how many parts to cut it."""

    bound: float | None = None
    witness: Point | None = None
    parts: int = 2


@dataclass(frozen=True)
class _Cover:
    """How pieces are cut until they cover a domain, within work that is the same everywhere.

    No more than the share ``enough`` of the domain need be covered. After so many pieces
    ``hopeless`` says what share must be, to go on.
    """

    size: Callable[[Piece], Any]
    cut: Callable[[Piece, int], Iterable[Piece]]
    enough: Any
    most_pieces: int
    hopeless: Mapping[int, Any]

    def bound(
        self,
        whole: Any,
        pieces: list[Piece],
        model: Callable[[Piece], _Model],
        budget: Budget,
        cost: float,
    ) -> Bound:
        """The largest bound of any piece, the largest pieces first so that little is left."""
        covered, largest = fmpq(0), 0.0
        heap = [(-self.size(piece), piece) for piece in pieces]
        heapq.heapify(heap)
        for number in range(self.most_pieces):
            if not heap or budget.is_spent or covered > self.enough * whole:
                break
            # Formulas that no Taylor model covers would cost all pieces for nothing.
            if covered < self.hopeless.get(number, 0) * whole:
                break
            _, piece = heapq.heappop(heap)
            said = model(piece)
            budget.count(cost)
            if said.bound is not None:
                covered += self.size(piece)
                largest = max(largest, said.bound)
            elif said.witness is not None:
                # A difference ends the proof; `decide` looks whether it is one on a region.
                return Bound(largest, 1.0, said.witness)
            else:
                for part in self.cut(piece, said.parts):
                    heapq.heappush(heap, (-self.size(part), part))
        uncovered = 1 - covered / whole
        return Bound(largest, float(int(uncovered.p)) / float(int(uncovered.q)))


def bound_on_line(
    program: BallProgram, side: Interval, base: Point, cuts: list[Any], budget: Budget
) -> Bound:
    """The largest difference of a program's two formulas over one variable's range.

    ``base`` has the values of the other variables; the form switches at or near ``cuts``.
    """
    whole = side.high - side.low

    def parts(piece: Piece, count: int) -> list[Piece]:
        low, high = piece
        step = (high - low) / count
        # A piece that is too narrow has no parts, and so stays uncovered.
        wide = range(count) if high - low > NARROWEST * whole else ()
        return [(low + step * k, low + step * (k + 1)) for k in wide]

    # What is left uncovered is some 2e-6 of the domain.
    cover = _Cover(lambda piece: piece[1] - piece[0], parts, 1 - fmpq(1, 2**19), 300, {})
    cells = _cells(side, cuts)
    cost = LINE_COST * program.n_operations
    return cover.bound(
        whole, cells, lambda p: _interval_model(program, side.name, base, p), budget, cost
    )


def bound_on_plane(
    program: BallProgram, sides: tuple[Interval, Interval], base: Point, budget: Budget
) -> Bound:
    """The largest difference of a program's two formulas over two variables' ranges."""
    first, second = sides
    piece = (first.low, first.high, second.low, second.high)
    names = first.name, second.name
    hopeless = {96: fmpq(1, 50), 320: fmpq(1, 2)}
    cover = _Cover(_area, _quarters, 1 - fmpq(1, 2**12), 700, hopeless)
    cost = PLANE_COST * program.n_operations
    return cover.bound(
        _area(piece), [piece], lambda p: _rectangle_model(program, names, base, p), budget, cost
    )


def _cells(side: Interval, cuts: list[Any]) -> list[Piece]:
    """A range without gaps around the places where the form switches."""
    gap = GAP * (side.high - side.low)
    cells = []
    start = side.low
    # An event that is not exact is told far more closely than the gap is wide.
    for cut in sorted(cuts):
        if cut - gap > start:
            cells.append((start, cut - gap))
        start = max(start, cut + gap)
    if start < side.high:
        cells.append((start, side.high))
    return cells


def _area(piece: Piece) -> Any:
    return (piece[1] - piece[0]) * (piece[3] - piece[2])


def _quarters(piece: Piece, _: int) -> list[Piece]:
    a, b, c, d = piece
    x, y = (a + b) / 2, (c + d) / 2
    return [(a, x, c, y), (x, b, c, y), (a, x, y, d), (x, b, y, d)]


def _interval_model(program: BallProgram, name: str, base: Point, piece: Piece) -> _Model:
    low, high = piece
    middle, radius = (low + high) / 2, (high - low) / 2
    with working_precision(REMAINDER_BITS, LINE_DEGREE + 1):
        # The remainder first, which few bits tell: most pieces end here (`LINE_COST`).
        around = arb(middle) + arb(0, 1) * radius
        e, f = _series(program, {**base, name: line(around, 1)})
        # Neither is defined at any point of the piece, which is no difference.
        if e is UNDEFINED and f is UNDEFINED:
            return _Model(0.0)
        if not (is_defined(e) and is_defined(f)):
            return _Model()
        last = abs(_coefficient(e, LINE_DEGREE) - _coefficient(f, LINE_DEGREE))
        rest = _ceiling(last * arb(radius) ** LINE_DEGREE)
    # Not `>=`: the remainder over a wide ball may be NaN.
    if not rest < LINE_TARGET:
        # Parts so narrow that the remainder would reach the target if nothing else changed.
        needed = (rest / LINE_TARGET) ** (1 / LINE_DEGREE)
        return _Model(parts=int(needed) + 1 if needed < MAX_PARTS else MAX_PARTS)
    with working_precision(LINE_BITS, LINE_DEGREE):
        e, f = _series(program, {**base, name: line(arb(middle), 1)})
        if not (is_defined(e) and is_defined(f)):
            return _Model()
        total, power, r = arb(0), arb(1), arb(radius)
        for k in range(LINE_DEGREE):
            term = _coefficient(e, k) - _coefficient(f, k)
            # The coefficient of order 0 is the difference at the middle, an exact point.
            if k == 0 and not term.contains(0):
                return _Model(witness={**base, name: middle})
            total += abs(term) * power
            power *= r
        largest = _ceiling(total) + rest
    return _Model(largest if largest < LINE_TARGET else None)


def _rectangle_model(
    program: BallProgram, names: tuple[str, str], base: Point, piece: Piece
) -> _Model:
    middles = (piece[0] + piece[1]) / 2, (piece[2] + piece[3]) / 2
    radii = (piece[1] - piece[0]) / 2, (piece[3] - piece[2]) / 2
    with working_precision(REMAINDER_BITS, PLANE_DEGREE + 1):
        # The whole rectangle, and from each of its points every direction.
        around = {
            name: line(arb(m) + arb(0, 1) * r, arb(0, 1) * r)
            for name, m, r in zip(names, middles, radii, strict=True)
        }
        e, f = _series(program, {**base, **around})
        if e is UNDEFINED and f is UNDEFINED:
            return _Model(0.0)
        if not (is_defined(e) and is_defined(f)):
            return _Model()
        # No power of a radius: the slopes hold the radii, and |t| is at most 1.
        rest = _ceiling(abs(_coefficient(e, PLANE_DEGREE) - _coefficient(f, PLANE_DEGREE)))
    if not rest < PLANE_TARGET:
        return _Model()
    # Two directions for each slope: through the sides of the first variable and of the second. Both
    # signs of t reach opposite edges, so that two edges do for four.
    slopes, lebesgue = _slopes()
    sizes = [arb(0)] * PLANE_DEGREE
    with working_precision(PLANE_BITS, PLANE_DEGREE):
        for factors in (pair for s in slopes for pair in ((fmpq(1), s), (s, fmpq(1)))):
            along = {
                name: line(arb(m), arb(factor * r))
                for name, m, r, factor in zip(names, middles, radii, factors, strict=True)
            }
            e, f = _series(program, {**base, **along})
            if not (is_defined(e) and is_defined(f)):
                return _Model()
            for k in range(PLANE_DEGREE):
                term = _coefficient(e, k) - _coefficient(f, k)
                if k == 0 and not term.contains(0):
                    return _Model(witness={**base, **dict(zip(names, middles, strict=True))})
                sizes[k] = sizes[k].max(abs(term))
        largest = _ceiling(lebesgue * sum(sizes, arb(0))) + rest
    return _Model(largest if largest < PLANE_TARGET else None)


def _ceiling(size: Any) -> float:
    """A float that is no smaller than a magnitude; zero for zero alone."""
    # What is below the smallest floats would be rounded to zero, which is for identities.
    return 0.0 if size == 0 else max(float(size.upper()), sys.float_info.min)


def _series(program: BallProgram, values: dict[str, Value]) -> tuple[Value, Value]:
    traced = trace_series(program, values)
    e, f = program.roots
    return traced[e], traced[f]


def _coefficient(value: Value, k: int) -> Any:
    """A Taylor coefficient of a series; a number has only the first."""
    if is_series(value):
        return value[k]
    return as_ball(value) if k == 0 else arb(0)


@lru_cache(maxsize=1)
def _slopes() -> tuple[tuple[Any, ...], Any]:
    """Slopes that determine polynomials of a smaller degree, and a bound of Lebesgue's constant."""
    with working_precision(PLANE_BITS):
        angles = [(2 * k + 1) * arb.pi() / (2 * PLANE_DEGREE) for k in range(PLANE_DEGREE)]
        # So many nodes determine the polynomials of a smaller degree. Lebesgue's constant is
        # enclosed for these rounded nodes, not taken from Chebyshev's exact ones.
        nodes = tuple(
            fmpq(round(float(angle.cos()) * 2**SLOPE_BITS), 2**SLOPE_BITS) for angle in angles
        )
        constant = arb(0)
        for strip in range(N_STRIPS):
            # A ball for each strip of [-1, 1], so that no value between nodes is missed.
            at = arb(fmpq(2 * strip + 1, N_STRIPS) - 1, 0) + arb(0, 1) / N_STRIPS
            bases = (abs(_basis(nodes, j, at)) for j in range(PLANE_DEGREE))
            constant = constant.max(sum(bases, arb(0)))
        return nodes, arb(constant.upper())


def _basis(nodes: tuple[Any, ...], place: int, at: Any) -> Any:
    """Lagrange's polynomial that is 1 at one node and 0 at the others."""
    product = arb(1)
    for other, node in enumerate(nodes):
        if other != place:
            product *= (at - node) / (nodes[place] - node)
    return product

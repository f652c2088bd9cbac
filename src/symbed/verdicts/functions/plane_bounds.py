"""Rigorous bounds of the difference of two formulas over a rectangle: Taylor models by directions.

Seen from the middle of a rectangle, its points are t*d for |t| <= 1 and directions d to its edges.
Along a direction E - F is a series in t, and the coefficient of t^k is a polynomial of degree k in
the slope of d. So its size on all directions follows from its values on a few: at most Lebesgue's
constant times the largest of them. Lagrange's remainder comes from balls that hold the rectangle
and all directions at once. Where the bound is too large the rectangle is cut.

Trefethen, L. N. (2013). Approximation theory and approximation practice, chapter 15.
"""

from __future__ import annotations

import heapq
from functools import lru_cache
from typing import Any

from symbed.verdicts.arithmetic.ball_programs import BallProgram
from symbed.verdicts.arithmetic.power_series import line, trace_series
from symbed.verdicts.arithmetic.values import UNDEFINED, arb, fmpq, is_defined, working_precision
from symbed.verdicts.budgets import Budget
from symbed.verdicts.domains import Interval, Point
from symbed.verdicts.functions.taylor_bounds import Bound, coefficient

DEGREE = 20
REMAINDER_BITS, CENTER_BITS = 64, 128
TARGET = 1e-9
ENOUGH = 1 - fmpq(1, 2**12)  # of the area
MOST_PIECES = 700  # a bound on the work, so that the result does not depend on the machine
HOPELESS = {96: fmpq(1, 50), 320: fmpq(1, 2)}  # pieces by which so much must be covered
SLOPE_BITS = 16  # slopes are short rationals near Chebyshev's
N_STRIPS = 64  # in which Lebesgue's function is enclosed

Piece = tuple[Any, Any, Any, Any]  # low and high of the first side, then of the second


def bound_on_plane(
    program: BallProgram, sides: tuple[Interval, Interval], base: Point, budget: Budget
) -> Bound:
    """The largest difference of a program's two formulas over two variables' ranges.

    Parameters
    ----------
    program : BallProgram
        With the two formulas as its roots.
    sides : tuple of two Interval
        The ranges.
    base : Point
        Values of the variables that are fixed.
    budget : Budget
        When to stop.
    """
    first, second = sides
    whole: Piece = (first.low, first.high, second.low, second.high)
    area = _area(whole)
    covered, largest = fmpq(0), 0.0
    pieces = [(-area, whole)]
    for number in range(MOST_PIECES):
        if not pieces or budget.is_spent or covered > ENOUGH * area:
            break
        if covered < HOPELESS.get(number, fmpq(0)) * area:
            break
        _, piece = heapq.heappop(pieces)
        bound, witness = _bound_piece(program, (first.name, second.name), base, piece)
        if bound is not None:
            covered += _area(piece)
            largest = max(largest, bound)
        elif witness is not None:
            return Bound(largest, 1.0, witness)
        else:
            for part in _quarters(piece):
                heapq.heappush(pieces, (-_area(part), part))
    uncovered = 1 - covered / area
    return Bound(largest, float(int(uncovered.p)) / float(int(uncovered.q)))


def _area(piece: Piece) -> Any:
    return (piece[1] - piece[0]) * (piece[3] - piece[2])


def _quarters(piece: Piece) -> list[Piece]:
    """A piece cut into four."""
    a, b, c, d = piece
    x, y = (a + b) / 2, (c + d) / 2
    return [(a, x, c, y), (x, b, c, y), (a, x, y, d), (x, b, y, d)]


def _bound_piece(
    program: BallProgram, names: tuple[str, str], base: Point, piece: Piece
) -> tuple[float | None, Point | None]:
    """A bound on one rectangle, or else its middle if the formulas differ there."""
    middles = (piece[0] + piece[1]) / 2, (piece[2] + piece[3]) / 2
    radii = (piece[1] - piece[0]) / 2, (piece[3] - piece[2]) / 2
    with working_precision(REMAINDER_BITS, DEGREE + 1):
        # The whole rectangle, and from each of its points every direction.
        around = {
            name: line(arb(m) + arb(0, 1) * r, arb(0, 1) * r)
            for name, m, r in zip(names, middles, radii, strict=True)
        }
        traced = trace_series(program, {**base, **around})
        e, f = (traced[root] for root in program.roots)
        if e is UNDEFINED and f is UNDEFINED:
            return 0.0, None
        if not (is_defined(e) and is_defined(f)):
            return None, None
        rest = float(abs(coefficient(e, DEGREE) - coefficient(f, DEGREE)).upper())
    if not rest < TARGET:
        return None, None
    slopes, constant = _slopes()
    sizes = [arb(0)] * DEGREE
    with working_precision(CENTER_BITS, DEGREE):
        for slope in slopes:
            for factors in ((fmpq(1), slope), (slope, fmpq(1))):
                along = {
                    name: line(arb(m), arb(factor * r))
                    for name, m, r, factor in zip(names, middles, radii, factors, strict=True)
                }
                traced = trace_series(program, {**base, **along})
                e, f = (traced[root] for root in program.roots)
                if not (is_defined(e) and is_defined(f)):
                    return None, None
                for k in range(DEGREE):
                    term = coefficient(e, k) - coefficient(f, k)
                    if k == 0 and not term.contains(0):
                        return None, {**base, **dict(zip(names, middles, strict=True))}
                    sizes[k] = sizes[k].max(abs(term))
        largest = float((constant * sum(sizes, arb(0))).upper()) + rest
    return (largest if largest < TARGET else None), None


@lru_cache(maxsize=1)
def _slopes() -> tuple[tuple[Any, ...], Any]:
    """Slopes that determine polynomials of a smaller degree, and a bound of Lebesgue's constant."""
    with working_precision(CENTER_BITS):
        angles = [(2 * k + 1) * arb.pi() / (2 * DEGREE) for k in range(DEGREE)]
        nodes = tuple(
            fmpq(round(float(angle.cos()) * 2**SLOPE_BITS), 2**SLOPE_BITS) for angle in angles
        )
        constant = arb(0)
        for strip in range(N_STRIPS):
            at = arb(fmpq(2 * strip + 1, N_STRIPS) - 1, 0) + arb(0, 1) / N_STRIPS
            constant = constant.max(sum((abs(_basis(nodes, j, at)) for j in range(DEGREE)), arb(0)))
        return nodes, arb(constant.upper())


def _basis(nodes: tuple[Any, ...], place: int, at: Any) -> Any:
    """Lagrange's polynomial that is 1 at one node and 0 at the others."""
    product = arb(1)
    for other, node in enumerate(nodes):
        if other != place:
            product *= (at - node) / (nodes[place] - node)
    return product

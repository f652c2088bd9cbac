"""The matrix of a family's slopes by its parameters, in balls: its rank and its null space.

A pivot whose ball excludes zero is not zero, so the rank found is a rigorous lower bound of the
largest rank: the product of the pivots is a minor of the exact matrix.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from symbed.verdicts.arithmetic.values import (
    Value,
    arb,
    as_ball,
    exact_rational,
    is_defined,
    working_precision,
)
from symbed.verdicts.families.drawn_members import draw_members
from symbed.verdicts.families.form import Form, Grid

BITS = 512  # six exponentials need a hundred digits before their minors exclude zero
N_RANKED = 2  # members of which the rank is taken: one of them may be a special one
EXTRA_POINTS = 3  # more rows than columns, so that a null vector is one of the function's
NEGLIGIBLE = 2.0**-220  # of a column: what balls of this width leave of a zero


@dataclass(frozen=True, eq=False)
class Elimination:
    """What Gauss and Jordan's elimination leaves of a matrix."""

    # The columns with a pivot, whose ball excludes zero; their number is the rank.
    pivots: tuple[int, ...]
    # For each other column a vector that the matrix takes to zero.
    null_space: tuple[tuple[Any, ...], ...]

    @property
    def rank(self) -> int:
        """Number of independent columns."""
        return len(self.pivots)


def exact_members(form: Form, grid: Grid, n: int) -> list[list[Value]]:
    """The exact parameters of some members that are defined on the grid."""
    # More than asked for, to choose those that are defined at most points.
    members = draw_members(form, grid.points, 2 * n + 6)
    defined = np.isfinite(members.outputs).sum(axis=1)
    order = np.argsort(-defined, kind="stable")[:n]
    return [[exact_rational(float(v)) for v in members.values[k]] for k in order]


def slope_matrix(
    form: Form, values: Sequence[Value], grid: Grid, n_rows: int | None = None
) -> list[list[Any]]:
    """Rows of slopes by the parameters at points of the grid, as balls at the precision in use.

    A few more rows than parameters, unless ``n_rows`` says how many.
    """
    program = form.slope_balls
    given = dict(zip(form.parameters, values, strict=True))
    wanted = n_rows or form.n_parameters + EXTRA_POINTS
    rows: list[list[Any]] = []
    # Strides over the grid: neighbors of a lattice are far apart in one variable only.
    step = max(1, len(grid.points) // (wanted + 1))
    order = [k for first in range(step) for k in range(first, len(grid.points), step)]
    for place in order:
        trace = program.trace(given | grid.exact[place])
        slopes = [trace[root] for root in program.roots[1:]]
        if is_defined(trace[program.roots[0]]) and all(map(is_defined, slopes)):
            rows.append([as_ball(slope) for slope in slopes])
            if len(rows) == wanted:
                break
    return rows


def eliminate(matrix: list[list[Any]]) -> Elimination:
    """Gauss and Jordan's elimination with balls; the largest entry that is left is the pivot."""
    n_columns = len(matrix[0]) if matrix else 0
    # Columns to size 1, so that NEGLIGIBLE means the same for every parameter.
    scales = [
        max((float(abs(row[c]).upper()) for row in matrix), default=0.0) for c in range(n_columns)
    ]
    rows = [
        [entry / arb(s) if s > 0.0 else entry for entry, s in zip(row, scales, strict=True)]
        for row in matrix
    ]
    pivots: list[int] = []
    for done in range(min(len(rows), n_columns)):
        column = bring_up_pivot(rows, done, n_columns, pivots, NEGLIGIBLE)
        if column is None:
            break
        for r in range(len(rows)):
            if r != done:
                factor = rows[r][column]
                if not factor.is_zero():
                    rows[r] = [a - factor * b for a, b in zip(rows[r], rows[done], strict=True)]
        pivots.append(column)
    return Elimination(tuple(pivots), tuple(_null_vectors(rows, pivots, scales)))


def bring_up_pivot(
    rows: list[list[Any]], done: int, n_columns: int, taken: Sequence[int], least: float
) -> int | None:
    """Put the row with the largest entry that is left at the place ``done``, divided by that entry.

    The entry is in one of the first ``n_columns`` columns, none that is ``taken``, and exceeds
    ``least`` for certain. Its column is returned, None if there is none; ``rows`` change in place.
    """
    largest, place = least, None
    for r in range(done, len(rows)):
        for c in range(n_columns):
            # The lower end of the ball: where it exceeds zero, the pivot is proven not to be.
            size = 0.0 if c in taken else float(abs(rows[r][c]).lower())
            if size > largest:
                largest, place = size, (r, c)
    if place is None:
        return None
    row, column = place
    rows[done], rows[row] = rows[row], rows[done]
    pivot = rows[done][column]
    rows[done] = [entry / pivot for entry in rows[done]]
    return column


def _null_vectors(
    rows: list[list[Any]], pivots: list[int], scales: list[float]
) -> list[tuple[Any, ...]]:
    n = len(scales)
    vectors = []
    for free in range(n):
        if free in pivots:
            continue
        vector = [arb(0)] * n
        vector[free] = arb(1)
        for row, column in enumerate(pivots):
            vector[column] = -rows[row][free]
        # Back from the scaled columns.
        vectors.append(
            tuple(v / arb(s) if s > 0.0 else v for v, s in zip(vector, scales, strict=True))
        )
    return vectors


def generic_rank(form: Form, grid: Grid) -> int:
    """The largest rank among some members; 0 where none has slopes to judge by."""
    best = 0
    with working_precision(BITS):
        for values in exact_members(form, grid, N_RANKED):
            matrix = slope_matrix(form, values, grid)
            if matrix:
                best = max(best, eliminate(matrix).rank)
            # A lower rank may be that of a special member, so another one is tried.
            if best == form.n_parameters:
                break
    return best

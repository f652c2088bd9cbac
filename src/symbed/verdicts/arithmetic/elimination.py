"""Gauss and Jordan's elimination: of exact rows, and of balls, where it proves a rank.

A pivot whose ball excludes zero is not zero, so the rank found is a rigorous lower bound of the
largest rank: the product of the pivots is a minor of the exact matrix.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from symbed.verdicts.arithmetic.values import arb

Row = list[Any]  # of entries that can be divided, multiplied by another one and subtracted
# From the rows and the columns that have a pivot already: the place of the next pivot, if any.
FindPivot = Callable[[Sequence[Row], Sequence[int]], tuple[int, int] | None]

NEGLIGIBLE = 2.0**-220  # of a column at 512 bits: what balls leave of a zero


def gauss_jordan(rows: list[Row], find_pivot: FindPivot) -> list[int]:
    """Reduce rows in place; the columns of the pivots, in the order of their rows.

    Each pivot is 1 afterwards, and the only entry of its column that is not zero.
    """
    pivots: list[int] = []
    while (place := find_pivot(rows, pivots)) is not None:
        done = len(pivots)
        row, column = place
        rows[done], rows[row] = rows[row], rows[done]
        pivot = rows[done][column]
        rows[done] = [entry / pivot for entry in rows[done]]
        for r, other in enumerate(rows):
            factor = other[column]
            # Only an exact zero: a ball around zero may be of a number that is none.
            if r == done or factor == 0:
                continue
            rows[r] = [a - factor * b for a, b in zip(other, rows[done], strict=True)]
        pivots.append(column)
    return pivots


def first_nonzero(n_columns: int) -> FindPivot:
    """For exact entries: column by column, the first row that has one which is not zero."""

    def find(rows: Sequence[Row], pivots: Sequence[int]) -> tuple[int, int] | None:
        for column in range(pivots[-1] + 1 if pivots else 0, n_columns):
            for r in range(len(pivots), len(rows)):
                if rows[r][column] != 0:
                    return r, column
        return None

    return find


def largest_ball(n_columns: int, least: float = 0.0) -> FindPivot:
    """For balls: the entry of all that is farthest from zero for certain, beyond ``least``."""

    def find(rows: Sequence[Row], pivots: Sequence[int]) -> tuple[int, int] | None:
        largest, place = least, None
        for r in range(len(pivots), len(rows)):
            for column in range(n_columns):
                # The lower end of the ball: where it exceeds zero, the pivot is proven not to be.
                size = 0.0 if column in pivots else float(abs(rows[r][column]).lower())
                if size > largest:
                    largest, place = size, (r, column)
        return place

    return find


def null_vectors(
    rows: Sequence[Row], pivots: Sequence[int], n_columns: int, number: Callable[[int], Any]
) -> Iterator[list[Any]]:
    """For each column without a pivot a vector that reduced rows take to zero.

    ``number`` makes 0 and 1 of the kind that the entries are.
    """
    for free in range(n_columns):
        if free not in pivots:
            vector = [number(int(column == free)) for column in range(n_columns)]
            for row, column in enumerate(pivots):
                vector[column] = -rows[row][free]
            yield vector


@dataclass(frozen=True, eq=False)
class Elimination:
    """The rank of a matrix of balls, and what it takes to zero."""

    # The columns with a pivot, whose ball excludes zero; their number is the rank.
    pivots: tuple[int, ...]
    # For each other column a vector that the matrix takes to zero.
    null_space: tuple[tuple[Any, ...], ...]

    @property
    def rank(self) -> int:
        """Number of independent columns."""
        return len(self.pivots)


def eliminate(matrix: Sequence[Row]) -> Elimination:
    """The rank and the null space of a matrix of balls."""
    n_columns = len(matrix[0]) if matrix else 0
    # Columns to size 1, so that NEGLIGIBLE means the same for every parameter.
    scales = [_column_scale([row[column] for row in matrix]) for column in range(n_columns)]
    rows = [[entry / s for entry, s in zip(row, scales, strict=True)] for row in matrix]
    pivots = gauss_jordan(rows, largest_ball(n_columns, NEGLIGIBLE))
    # Back from the scaled columns.
    vectors = [
        tuple(v / s for v, s in zip(vector, scales, strict=True))
        for vector in null_vectors(rows, pivots, n_columns, arb)
    ]
    return Elimination(tuple(pivots), tuple(vectors))


def _column_scale(column: Sequence[Any]) -> Any:
    # A ball, not a float: slopes of exponentials leave the range of floats.
    largest = max((abs(entry).upper() for entry in column), default=arb(0))
    return largest if largest > 0 and largest.is_finite() else arb(1)


def solve_in_balls(equations: Sequence[Row], n: int) -> tuple[list[Any], list[Any]] | None:
    """The values of n unknowns, and what is left of the other equations; None if not unique.

    An equation has the coefficients of the unknowns, then its right side. Pivots exclude zero, so
    the values enclose the only solution that the equations with a pivot have.
    """
    rows = [_normalized(equation) for equation in equations]
    pivots = gauss_jordan(rows, largest_ball(n))
    if len(pivots) < n:
        return None
    values: list[Any] = [arb(0)] * n
    for row, column in enumerate(pivots):
        values[column] = rows[row][n]
    return values, [row[n] for row in rows[n:]]


def _normalized(row: Row) -> Row:
    largest = max((float(abs(entry).upper()) for entry in row), default=0.0)
    if not (0.0 < largest < math.inf):
        return row
    # A power of two: scaling is exact.
    scale = arb(2) ** -math.frexp(largest)[1]
    return [entry * scale for entry in row]

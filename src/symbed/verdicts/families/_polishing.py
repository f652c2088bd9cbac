"""Newton's method in balls: whether a member of one family is one of another, to sixty digits.

A fit in floating point ends near 1e-15 also where there is only a near miss or a limit. Newton's
steps with ball residuals go on to 1e-60 for members alone, at points that the steps do not see.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from symbed._types import Floats
from symbed.verdicts.arithmetic.values import (
    Value,
    arb,
    arb_mat,
    as_ball,
    exact_rational,
    fmpq,
    is_defined,
    working_precision,
)
from symbed.verdicts.families.form import (
    SNAPPED,
    Form,
    Target,
    evaluate_form,
    largest_residual,
    within_ranges,
)

BITS = 384  # sixty digits, and room for what conditioning costs
TOLERANCE = 1e-60  # relative residuals below it count as zero
LARGEST_DENOMINATOR = 10**9  # of short rationals
MAX_QUOTIENTS = 24  # of a continued fraction
MAX_STEPS = 14
DEPENDENT = 1e-11  # of a normalized slope: what is left is a combination of others
NEARLY_DEPENDENT = 1e-6
SETTLED = 1e-20  # of a parameter: no solution to sixty digits moves so far in the last step
APPROACHED = 1e-3  # of the first residual: a target that is approached, not missed
SLACK = 1e5  # what fresh points may have more than the points of Newton's steps
RUNAWAY = 1e30  # a parameter beyond it is on its way to infinity
ROUNDING = 1e-12  # form distances up to it may be zero, as far as floats tell
N_SETTLED = 6  # targets at which it is found out
DEAD, LARGE = 1e-25, 50.0  # and so is one that does nothing any more, unless it is small


@dataclass(frozen=True, eq=False)
class Polished:
    """The end of one polish."""

    is_member: bool  # whether the residual vanishes to sixty digits, also at fresh points
    # The parameters: exact rationals and balls; None if nothing was reached.
    values: tuple[Value, ...] | None
    residual: float  # the largest relative residual at the end
    # Whether the target is approached while a parameter runs off or the form ceases to be defined,
    # so that it is a limit of members but none itself.
    limit: bool = False


def polish(form: Form, start: Floats, target: Target, fixed: Sequence[int] = ()) -> Polished:
    """Go from a fitted member of a form to the one that is the target, if there is one.

    Parameters at the places ``fixed`` keep their values.
    """
    with working_precision(BITS):
        return _Polish(form, target, fixed).run(start)


def settled_distances(
    form: Form, values: Floats, distances: Floats, target_of: Callable[[int], Target]
) -> Floats:
    """Form distances that are told from zero where floats cannot: zero is for members alone.

    Terms forty orders of magnitude below others make two laws of one float; Newton's steps see
    what is left of the difference between each target and its fitted ``values``.
    """
    if distances.max(initial=0.0) > ROUNDING:
        return distances
    ends = [polish(form, values[k], target_of(k)) for k in range(min(len(values), N_SETTLED))]
    if all(end.is_member for end in ends):
        return np.zeros(len(distances))
    settled = distances.copy()
    for k, end in enumerate(ends):
        # Not zero, but no more than floats have seen.
        settled[k] = 0.0 if end.is_member else min(end.residual, ROUNDING)
    return settled


class _Polish:
    def __init__(self, form: Form, target: Target, fixed: Sequence[int]) -> None:
        self.form, self.target, self.fixed = form, target, fixed
        self.exact, self.places = target.grid.exact, target.places
        self.outputs = target.outputs[self.places]
        size = np.abs(self.outputs)
        self.dead: list[int] = []  # parameters that do nothing where they are
        self.first = math.inf  # residual before the first step
        self.moves: dict[int, Any] = {}  # of the last careful step, by the place of the parameter
        # Relative to each value, but not to the near-zeros of a function that changes its sign.
        floor = max(1e-3 * float(np.median(size)), 1e-13 * float(np.max(size)), 1e-300)
        self.weights = 1.0 / np.maximum(size, floor)

    def run(self, start: Floats) -> Polished:
        """Polish from a fitted member, in some ways; the first that ends at a member counts."""
        ends = []
        for dependent, held in self._attempts(start):
            end = self._attempt(held, dependent)
            if end.is_member:
                return end
            ends.append(end)
        limit = any(end.limit for end in ends)
        return Polished(False, None, min(end.residual for end in ends), limit)

    def _attempt(self, start: Floats, dependent: float) -> Polished:
        values: list[Value] = [exact_rational(float(value)) for value in start]
        self.moves, self.first = {}, math.inf
        chosen = self._chosen(start, dependent)
        if chosen is None:
            return Polished(False, None, math.inf)
        rows, columns, inverse = chosen
        residual = self._steps(values, rows, columns, inverse)
        # Slopes in balls cost more: only where those of floats do not lead to the end.
        if not residual <= TOLERANCE and len(columns):
            residual = self._careful_steps(values, rows, columns)
        if self._runs_off(values):
            # Rounding ends near 1e-16; what gets closer only by running on is a limit.
            parameters = self.form.by_name(values)
            elsewhere = largest_residual(self.form, parameters, self.target, self.target.grid.fresh)
            limit = residual < APPROACHED * self.first
            return Polished(False, None, max(residual, elsewhere), limit=limit)
        if not residual <= TOLERANCE:
            return Polished(False, None, residual, limit=residual < APPROACHED * self.first)
        simple = within_ranges(self.form, [_simple(value) for value in values])
        if simple is None:
            return Polished(False, None, residual)
        parameters = self.form.by_name(simple)
        # A near miss meets as many points as it has parameters; fresh points and gaps are the test.
        checked = [*self.places[rows], *self.target.grid.fresh, *self.target.gaps]
        worst = largest_residual(self.form, parameters, self.target, checked)
        if worst <= TOLERANCE * SLACK:
            return Polished(True, tuple(simple), worst)
        # Where a number as simple as zero is not allowed, it is only approached.
        parameters = self.form.by_name(values)
        near = largest_residual(self.form, parameters, self.target, self.places[rows])
        return Polished(False, None, worst, limit=near <= TOLERANCE * SLACK and simple != values)

    def _runs_off(self, values: Sequence[Value]) -> bool:
        """Whether a parameter is on its way to infinity, where the form has the target as a limit.

        Then it is huge, or the last of Newton's steps still moved it by a share that no solution
        to sixty digits allows: ``exp(b)`` for zero is left by b - 1, b - 2, b - 3 ...
        """
        if any(abs(as_ball(value)) > RUNAWAY for value in values):
            return True
        if any(abs(as_ball(values[place])) > LARGE for place in self.dead):
            return True
        return any(
            abs(move) > SETTLED * abs(as_ball(values[place]))
            for place, move in self.moves.items()
            # A parameter at zero has no digits of which a move could be a share.
            if abs(as_ball(values[place])) > SNAPPED
        )

    def _attempts(self, start: Floats) -> Iterator[tuple[float, Floats]]:
        """Ways to begin: as fitted, with near-dependent parameters held, with small ones at 0."""
        yield DEPENDENT, start
        yield NEARLY_DEPENDENT, start
        small = np.abs(start) < NEARLY_DEPENDENT
        if small.any():
            yield NEARLY_DEPENDENT, np.where(small, 0.0, start)
        # A term that died out while its parameters ran off may be there with a factor of zero.
        large = np.abs(start) > RUNAWAY
        large[self.dead] = True
        if large.any():
            yield DEPENDENT, np.where(large, 0.0, start)
            rest = large & (np.cumsum(large) > 1)
            yield DEPENDENT, np.where(rest, 1.0, np.where(large, 0.0, start))

    def _chosen(
        self, start: Floats, dependent: float
    ) -> tuple[list[int], list[int], Floats] | None:
        """Points and parameters with a well-conditioned matrix of slopes, and its inverse."""
        n = self.form.n_parameters
        by_slot = [0.0] * n
        # Slots are in the compiler's order, parameters in that of the text.
        for place, slot in enumerate(self.form.slots):
            by_slot[slot] = float(start[place])
        tape, points = self.form.tape(self.target.grid.points), self.target.grid.points
        with np.errstate(all="ignore"):
            outputs = np.broadcast_to(tape.outputs(by_slot), len(points))[self.places]
            if not np.isfinite(outputs).all():
                return None
            slopes = tape.slopes(1.0)[list(self.form.slots)][:, self.places]
        matrix = (slopes * self.weights).T
        if not np.isfinite(matrix).all():
            matrix = np.where(np.isfinite(matrix), matrix, 0.0)
        largest = np.max(np.abs(matrix), axis=0, initial=0.0)
        scaled = matrix / np.where(largest > 0.0, largest, 1.0)
        self.dead = [k for k in range(n) if largest[k] * max(1.0, abs(start[k])) < DEAD]
        sizes = np.linalg.norm(scaled, axis=0)
        scaled /= np.where(sizes > 0.0, sizes, 1.0)
        held = [
            k
            for k in range(n)
            if k in self.fixed
            or start[k] in (0.0, self.form.lows[k], self.form.highs[k])
            or sizes[k] == 0.0
        ]
        columns = _independent(scaled, dependent, held)
        # As many points as parameters, chosen like columns: a square system for Newton's steps.
        rows = _independent(scaled[:, columns].T, 0.0)
        if len(rows) < len(columns):
            columns = _independent(scaled[rows], dependent, held)
        try:
            inverse: Floats = np.empty((0, 0))
            if columns:
                inverse = np.linalg.inv(slopes[columns][:, rows].T).astype(np.float64)
        except np.linalg.LinAlgError:
            return None
        # Nothing to move: a few points show whether the target is met as it is.
        if not columns:
            rows = list(range(min(len(self.places), 4)))
        return rows, columns, inverse

    def _residuals(self, values: Sequence[Value], rows: Sequence[int]) -> list[Any] | None:
        parameters = self.form.by_name(values)
        residuals = []
        for row in rows:
            place = int(self.places[row])
            value = evaluate_form(self.form, parameters | self.exact[place])
            wanted = self.target.at(place)
            if not (is_defined(value) and is_defined(wanted)):
                return None
            residuals.append(as_ball(value) - as_ball(wanted))
        return residuals

    def _size(self, residuals: Sequence[Any], rows: Sequence[int]) -> float:
        sizes = [
            float(abs(r).upper()) * w for r, w in zip(residuals, self.weights[rows], strict=True)
        ]
        return max(sizes, default=0.0)

    def _steps(
        self, values: list[Value], rows: list[int], columns: list[int], inverse: Floats
    ) -> float:
        """Steps with the slopes of floating point: each gains the digits that these have."""
        last = math.inf
        for _ in range(MAX_STEPS):
            residuals = self._residuals(values, rows)
            if residuals is None:
                return math.inf
            size = self._size(residuals, rows)
            if last == math.inf:
                self.first = size
            if size <= TOLERANCE or not size < 0.3 * last or not columns:
                return size
            last = size
            largest = max((abs(r.mid()) for r in residuals), default=arb(0))
            if largest == 0:
                return size
            # Divided by the largest, so that floats hold them however small they are.
            shares = np.array([float(r.mid() / largest) for r in residuals])
            with np.errstate(all="ignore"):
                moves = inverse @ shares
            if not np.isfinite(moves).all():
                return math.inf
            for column, share in zip(columns, moves, strict=True):
                # Midpoints: an iterate is a guess, and its radius would grow with each step.
                values[column] = (as_ball(values[column]) - arb(float(share)) * largest).mid()
        return last

    def _careful_steps(self, values: list[Value], rows: list[int], columns: list[int]) -> float:
        """Newton's steps with the slopes in balls too."""
        program = self.form.slope_balls
        size = last = math.inf
        slow = 0
        for _ in range(MAX_STEPS):
            residuals = self._residuals(values, rows)
            if residuals is None:
                return math.inf
            size = self._size(residuals, rows)
            slow += not size < 0.7 * last
            if size <= TOLERANCE or slow > 2:
                return size
            last = size
            parameters = self.form.by_name(values)
            matrix = []
            for row in rows:
                trace = program.trace(parameters | self.exact[self.places[row]])
                slopes = [trace[program.roots[1 + column]] for column in columns]
                if not all(map(is_defined, slopes)):
                    return size
                matrix.append([as_ball(slope).mid() for slope in slopes])
            try:
                moves = arb_mat(matrix).solve(arb_mat([[r.mid()] for r in residuals]))
            except ZeroDivisionError:
                return size
            for place, column in enumerate(columns):
                self.moves[column] = move = moves[place, 0].mid()
                values[column] = (as_ball(values[column]) - move).mid()
        return size


def _independent(matrix: Floats, dependent: float, skip: Sequence[int] = ()) -> list[int]:
    """Columns that are no combinations of the ones chosen before, the largest first."""
    rest = matrix.astype(float).copy()
    rest[:, list(skip)] = 0.0
    chosen: list[int] = []
    for _ in range(min(rest.shape)):
        sizes = np.linalg.norm(rest, axis=0)
        best = int(np.argmax(sizes))
        if not sizes[best] > dependent:
            break
        direction = rest[:, best] / sizes[best]
        for _ in range(2):  # once more: rounding leaves a part along the direction
            rest -= np.outer(direction, direction @ rest)
        rest[:, best] = 0.0
        chosen.append(best)
    return sorted(chosen)


def _simple(value: Value) -> Value:
    """The rational of a small denominator that a number equals; else the number itself."""
    if type(value) is fmpq:
        return value
    ball = as_ball(value)
    if abs(ball) < SNAPPED:
        return fmpq(0)
    # The continued fraction; a number that comes this close to a short rational is one.
    (p0, q0), (p1, q1), rest = (0, 1), (1, 0), ball
    for _ in range(MAX_QUOTIENTS):
        quotient = rest.mid().floor().unique_fmpz()
        if quotient is None:
            return value
        whole = int(quotient)
        (p0, q0), (p1, q1) = (p1, q1), (whole * p1 + p0, whole * q1 + q0)
        if q1 > LARGEST_DENOMINATOR:
            return value
        near = fmpq(p1, q1)
        if abs(ball - arb(near)) < SNAPPED * abs(ball):
            return near
        rest = 1 / (rest - whole)
    return value

"""A member of a family as the target of a search: exact values, and how far a candidate is away."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

import numpy as np

from symbed._types import Booleans, Floats
from symbed.verdicts.arithmetic.values import (
    Value,
    arb,
    as_ball,
    exact_rational,
    is_defined,
    working_precision,
)
from symbed.verdicts.families.form import Form, Grid
from symbed.verdicts.families.members.drawn_members import Members

NOISE_BITS = 128
NOISE = 1e-6  # relative error of an output that is no use to a fit
HARDLY = 1e-14  # relative change of parameters
SNAPPED = 1e-40  # a parameter this close to a short rational is that rational


class Target:
    """A member of a family, evaluated exactly where it is asked.

    Parameters
    ----------
    form : Form
        The family.
    values : sequence of Value
        Its parameters in that member, as exact numbers or balls.
    grid : Grid
        The points.
    outputs : ndarray
        The member at the points of the grid in floating point; NaN where undefined.
    """

    def __init__(self, form: Form, values: Sequence[Value], grid: Grid, outputs: Floats) -> None:
        self._form, self.grid, self.outputs = form, grid, outputs
        self.places = np.flatnonzero(np.isfinite(outputs))  # of the points where it is defined
        self.typical = float(np.median(np.abs(outputs[self.places])))
        self.given = dict(zip(form.parameters, values, strict=True))
        # At the precision of whoever asks first; `again` is for another one.
        self._known: dict[int, Value] = {}

    @classmethod
    def of_member(cls, form: Form, grid: Grid, values: Floats, outputs: Floats) -> Target:
        """The target that a member drawn in floating point is, exactly."""
        return cls(form, [exact_rational(float(value)) for value in values], grid, outputs)

    def again(self) -> Target:
        """The same target, of which nothing is known: for another precision."""
        return Target(self._form, list(self.given.values()), self.grid, self.outputs)

    @property
    def gaps(self) -> list[int]:
        """A few points where the target is undefined: a member is undefined there too."""
        gaps = np.setdiff1d(np.arange(len(self.grid.points)), self.places)
        return [int(place) for place in gaps[:: max(1, len(gaps) // 4)]]

    def at(self, place: int) -> Value:
        """The value at a point of the grid, kept."""
        value = self._known.get(place)
        if value is None:
            given = self.given | self.grid.exact[place]
            value = self._known[place] = evaluate_form(self._form, given)
        return value


def evaluate_form(form: Form, values: dict[str, Value]) -> Value:
    """The value of a form for values of all of its names, at the precision of the moment."""
    program = form.balls
    return program.trace(values)[program.roots[0]]


def residual_of_member(form: Form, values: Sequence[Value], target: Target) -> float:
    """How far a member of a form is from a target at points that no fit sees.

    The largest relative residual, also where the target is undefined, as the member must be;
    infinite where a value leaves its range.
    """
    inside = within_ranges(form, list(values))
    if inside is None:
        return math.inf
    given = dict(zip(form.parameters, inside, strict=True))
    return largest_residual(form, given, target, [*target.grid.fresh, *target.gaps])


def largest_residual(
    form: Form, given: dict[str, Value], target: Target, places: Iterable[int]
) -> float:
    """The largest relative residual at some points; infinite where only one side is defined."""
    worst = 0.0
    for place in places:
        value = evaluate_form(form, given | target.grid.exact[place])
        wanted = target.at(int(place))
        if is_defined(wanted) != is_defined(value):
            return math.inf
        if is_defined(wanted):
            exact = as_ball(wanted)
            # In balls: exp(-1e8) is no float, and not zero. Not relative to the near-zeros of a
            # function that changes its sign.
            size = max(abs(exact.mid()), arb(1e-3 * target.typical))
            apart = abs(as_ball(value) - exact)
            worst = max(worst, float((apart / size if size > 0 else apart).upper()))
    return worst


def within_ranges(form: Form, values: list[Value]) -> list[Value] | None:
    """The values inside of their ranges; None where one is outside."""
    kept = []
    for value, low, high in zip(values, form.lows, form.highs, strict=True):
        for end, side in ((low, 1), (high, -1)):
            if math.isfinite(end):
                edge = exact_rational(end)
                over = (as_ball(value) - as_ball(edge)) * side
                if over < 0:
                    # Newton's steps end within rounding of an end that is the solution.
                    if not over > -arb(SNAPPED) * (1 + abs(as_ball(edge))):
                        return None
                    value = edge
        kept.append(value)
    return kept


def without_cancellation(form: Form, grid: Grid, members: Members) -> Members:
    """The members that floats can evaluate; all of them where those are fewer than half.

    ``cosh(b*x) + sinh(b*x)`` is noise in floats for ``b*x`` below -40: fits to it lead nowhere.
    """
    noisy = []
    with working_precision(NOISE_BITS):
        for k in np.flatnonzero(_is_restless(form, grid, members)):
            outputs = members.outputs[k]
            sizes = np.where(np.isfinite(outputs), np.abs(outputs), np.nan)
            target = Target.of_member(form, grid, members.values[k], outputs)
            places = {int(np.nanargmax(sizes)), int(np.nanargmin(sizes))}
            largest = float(np.nanmax(sizes))
            if not all(_agrees(float(outputs[j]), target.at(j), largest) for j in places):
                noisy.append(k)
    if not noisy or 2 * len(noisy) > len(members):
        return members
    kept = np.setdiff1d(np.arange(len(members)), noisy)
    return Members(members.values[kept], members.outputs[kept], members.n_zero)


def _is_restless(form: Form, grid: Grid, members: Members) -> Booleans:
    """Which members change much when their parameters hardly do: noise does, and little else."""
    if not form.n_parameters:
        return np.zeros(len(members), bool)
    # In the last digits: rounding comes out otherwise, and a smooth function hardly moves.
    outputs = form.outputs(grid.points, members.values * (1.0 + HARDLY))
    with np.errstate(all="ignore"):
        moved = np.abs(outputs - members.outputs) > NOISE * np.abs(members.outputs)
    return np.asarray(moved.any(axis=1))


def _agrees(output: float, value: Value, largest: float) -> bool:
    """Whether an output is its exact value, up to what rounding does to sums of larger terms."""
    if not is_defined(value):
        return False
    ball = as_ball(value)
    return bool(abs(ball - arb(output)) <= NOISE * abs(ball) + arb(NOISE**2 * largest))

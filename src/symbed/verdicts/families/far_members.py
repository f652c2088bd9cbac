"""Members far from the usual ones, at which a containment that was found must hold as well.

Usual members have parameters between a tenth and forty, and of few digits: on these ``a*x`` is
contained in ``1000*tanh(b)*x``, and in ``floor(1000*b)/1000*x``.
"""

from __future__ import annotations

import itertools
import math

import numpy as np

from symbed._types import Floats, Integers
from symbed.verdicts.families.form import Form, Grid
from symbed.verdicts.families.members import Members, shown_parameters

MAGNITUDES = (1370.0, 1.73e6, 1.37e-4, 117.0)  # of one parameter at a time; no round numbers
UNEVEN = 1.0 + math.sqrt(2.0) / 100.0  # a factor with all the digits that a float has
MOST = 16


def far_members(form: Form, grid: Grid, usual: Members) -> Members:
    """Members with one parameter large or small, and some of many digits.

    Those that are no floats, or that hide a parameter, are left out: they are too far.

    Parameters
    ----------
    form : Form
        The family.
    grid : Grid
        Points of the domain.
    usual : Members
        Members that serve otherwise, from which these are made.
    """
    if not form.n_parameters or not len(usual):
        return Members(np.empty((0, form.n_parameters)), np.empty((0, len(grid.points))))
    rows = [_uneven(form, usual.values[k % len(usual)]) for k in range(2)]
    for turn, place in itertools.product(range(2 * len(MAGNITUDES)), range(form.n_parameters)):
        value = _far_value(form.lows[place], form.highs[place], turn)
        if value is not None:
            row = usual.values[(turn + place) % len(usual)].copy()
            row[place] = value
            rows.append(row)
    values = np.stack(rows)
    members = Members(values, form.outputs(grid.points, values))
    defined = np.isfinite(members.outputs)
    enough = defined.sum(axis=1) >= len(grid.points) // 2
    largest = np.max(np.where(defined, np.abs(members.outputs), 0.0), axis=1)
    members = _only(members, np.flatnonzero(enough & (largest > 0.0)))
    if len(members):
        shown = shown_parameters(form, grid.points, members)
        usually = shown_parameters(form, grid.points, usual).any(axis=0)
        members = _only(members, np.flatnonzero((shown | ~usually).all(axis=1))[:MOST])
    return members


def _far_value(low: float, high: float, turn: int) -> float | None:
    """A number of each magnitude in turn, of either sign where the range has both."""
    size, is_negative = MAGNITUDES[turn // 2], turn % 2
    if math.isfinite(low) and math.isfinite(high):
        return None
    if math.isfinite(low) or math.isfinite(high):
        if is_negative:
            return None  # the range has one side only
        return low + size if math.isfinite(low) else high - size
    return -size if is_negative else size


def _uneven(form: Form, row: Floats) -> Floats:
    """Values of many digits, inside of their ranges."""
    moved = row * UNEVEN
    outside = (moved > form.highs) | (moved < form.lows)
    return np.where(outside, row / UNEVEN, moved)


def _only(members: Members, places: Integers) -> Members:
    return Members(members.values[places], members.outputs[places])

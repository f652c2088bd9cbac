"""Cross-fitted lower bounds of Wasserstein-1 distances, in NumPy.

The Wasserstein-1 distance of two distributions is the largest difference of their means of a
function whose slope is never steeper than 1. The best such function for one pair of samples goes up
where F_E > F_F and down where F_E < F_F; where these are equal it goes on as before, and before
their first difference as after it. Applied to samples that had no part in choosing it, its
difference of means is no larger than the true distance on average, where the distance of samples
is no smaller: it has no noise floor. The integral of sign * (F_E - F_F) over the merged outputs is
that difference; its terms are added in ascending order.
"""

from __future__ import annotations

import numpy as np

from symbed._types import Floats, Integers
from symbed.engine.structures.observations import SortedOutputs
from symbed.errors import ShapeError


def dual_bounds(
    first: tuple[SortedOutputs, SortedOutputs], second: tuple[SortedOutputs, SortedOutputs]
) -> Floats:
    """(2, n_points) bounds; see ``Backend.dual_bounds``."""
    sides = [*first, *second]
    _check(sides)
    outputs = np.concatenate([values[0] for values, _ in sides])
    counts = np.stack([defined[0] for _, defined in sides]).astype(np.int64)
    order = np.argsort(outputs, axis=0, kind="stable")  # undefined ones last
    places = np.take_along_axis(outputs, order, axis=0)
    lists = np.repeat(np.arange(4), [values.shape[1] for values, _ in sides])[order]
    gaps = np.diff(places, axis=0)  # NaN beyond the last defined output
    heights, shares = [], []
    for e, f in ((0, 1), (2, 3)):
        steps = (lists == e) * counts[f] - (lists == f) * counts[e]
        heights.append(np.cumsum(np.where(np.isnan(places), 0, steps), axis=0)[:-1])
        shares.append(np.maximum(counts[e] * counts[f], 1).astype(np.float64))
    one = _signed_sum(heights[0], heights[1], gaps) / shares[1]
    other = _signed_sum(heights[1], heights[0], gaps) / shares[0]
    return np.where((counts > 0).all(axis=0), np.stack([one, other]) + 0.0, np.nan)


def _signed_sum(signs: Integers, heights: Integers, gaps: Floats) -> Floats:
    """Sums of height * gap along the outputs, each with the last sign that is not 0.

    What comes before the first sign is added last, with that sign.
    """
    there = ~np.isnan(gaps)
    known = (signs != 0) & there
    rows = np.arange(len(signs))[:, None]
    last = np.maximum.accumulate(np.where(known, rows, -1), axis=0)
    taken = np.sign(np.take_along_axis(signs, np.maximum(last, 0), axis=0))
    filled = np.where(last < 0, 0, taken)
    where = np.argmax(known, axis=0)[None]  # 0 where nothing is known: no sign there either
    first = np.sign(np.take_along_axis(np.where(known, signs, 0), where, axis=0)[0])
    with np.errstate(invalid="ignore", over="ignore"):
        areas = np.where(there, heights.astype(np.float64) * gaps, 0.0)
        total = np.add.accumulate(filled * areas, axis=0)[-1]
        before = np.add.accumulate(np.where(last < 0, areas, 0.0), axis=0)[-1]
        return np.asarray(total + first * before)


def _check(sides: list[SortedOutputs]) -> None:
    n_points = {values.shape[2] for values, _ in sides}
    if len(n_points) > 1 or any(len(values) != 1 for values, _ in sides):
        raise ShapeError("bounds are for two behaviors, drawn twice at the same points")
    for values, defined in sides:
        if not ((defined >= 0) & (defined <= values.shape[1])).all():
            raise ShapeError("a count of defined outputs is not between 0 and the number of draws")

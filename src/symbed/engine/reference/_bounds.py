"""Bounds of distances in NumPy: screening in single precision, sketches, and cross-fitted bounds.

Screening. Large distances are sums of single-precision numbers, more than twice as fast in the
native core and same bits here. With p = 1 they are sums of the larger outputs, as |u - v| = 2
max(u, v) - u - v, and v, and an approximation is off by at most 1.7e-5 of the sum of the two
behaviors' distances from zero. With p = 2 it is off by at most 8.2e-6 of itself and 6.1e-8 of that
sum.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from symbed._types import Counts, Floats, Integers, Singles
from symbed.engine.reference.distances import check_counts, cross, sum_lanes
from symbed.engine.structures.observations import (
    FAR_OUT,
    Scan,
    SketchPlan,
    SortedOutputs,
    Wasserstein,
)

LANES = 16  # of sums in single precision
CHUNK = 128  # blocks of LANES numbers whose sum is moved to double precision
PADDING = 32  # rows are filled up with zeros to a multiple of it
AT_ONCE = 1 << 20  # numbers in one block of differences

UNIT = 2.0**-24  # half a unit in the last place of a single-precision number
ROUNDED = (CHUNK + 8) * UNIT  # in a lane, when lanes are folded, and a few times more
OF_ITSELF = {1: 2.0**-40, 2: ROUNDED}  # for each p
OF_SIZES = {1: 2 * ROUNDED, 2: 1.01 * UNIT}
LARGEST = {1: 2.0**100, 2: 2.0**50}  # outputs whose sums of powers can be held
LOST = {1: 2.0**-146, 2: 2.0**-74}  # near zero


def screen(a: SortedOutputs, b: SortedOutputs, distance: Wasserstein, within: float) -> Floats:
    """BED between two blocks of behaviors, exact unless it is larger than ``within``.

    Approximations are taken only between fully defined behaviors, and only where they prove that
    the distance is larger.
    """
    out, p = cross(a, b, distance), distance.p
    (a_values, a_defined), (b_values, b_defined) = a, b
    a_draws, b_draws = a_values.shape[1], b_values.shape[1]
    if a_draws != b_draws and 1 not in (a_draws, b_draws):
        return out
    n_draws = max(a_draws, b_draws)
    a_rows = _narrow(a_values, a_defined, p)
    b_rows = _narrow(b_values, b_defined, p)
    length = n_draws * a_values.shape[2]
    others = _Rows.of(b_values[b_rows], p, length)
    rows = _Rows.of(a_values[a_rows], p, length)
    for i, flat, size, total in zip(a_rows, rows.flat, rows.sizes, rows.sums, strict=True):
        means = _sums(flat, others.flat, p)
        if p == 1:
            means = 2.0 * means - (total + others.sums)
        distances = means / length if p == 1 else np.sqrt(means / length)
        off = OF_ITSELF[p] * distances + OF_SIZES[p] * (size + others.sizes) + LOST[p]
        far = distances - off > within
        out[i, b_rows[far]] = distances[far]
    return out


class _Rows(NamedTuple):
    """Rows in single precision.

    Attributes
    ----------
    flat : ndarray
        The rows, (count, padded length), one draw repeated as often as the other side has draws.
    sizes : ndarray
        Distances from zero.
    sums : ndarray
        Sums of the rounded outputs.
    """

    flat: Singles
    sizes: Floats
    sums: Floats

    @classmethod
    def of(cls, values: Floats, p: int, length: int) -> _Rows:
        own = values.reshape(len(values), -1)
        with np.errstate(under="ignore"):
            narrow = own.astype(np.float32)
            powers = np.abs(own) if p == 1 else own * own
        repeats = length // own.shape[1]
        padded = np.zeros((len(own), -(-length // PADDING) * PADDING), np.float32)
        padded[:, :length] = np.tile(narrow, (1, repeats))
        means = sum_lanes(powers) / own.shape[1]
        return cls(
            padded,
            means if p == 1 else np.sqrt(means),
            sum_lanes(narrow.astype(np.float64)) * repeats,
        )


def _narrow(values: Floats, defined: Counts, p: int) -> NDArray[np.int64]:
    """The fully defined rows whose outputs single precision can hold."""
    full = (defined == values.shape[1]).all(axis=1)
    with np.errstate(invalid="ignore"):
        small = (np.abs(values) <= LARGEST[p]).all(axis=(1, 2))
    return np.flatnonzero(full & small)


def _sums(row: Singles, others: Singles, p: int) -> Floats:
    """Sums of the larger outputs, or of squares, of one row and others; by chunks of singles."""
    totals = np.zeros(len(others))
    step = max(1, AT_ONCE // row.size)
    with np.errstate(under="ignore"):
        for start in range(0, len(others), step):
            block = others[start : start + step]
            terms = np.maximum(row, block) if p == 1 else (row - block) * (row - block)
            for first in range(0, terms.shape[1], CHUNK * LANES):
                chunk = terms[:, first : first + CHUNK * LANES]
                totals[start : start + step] += sum_lanes(chunk, LANES)
    return totals


def sketch(outputs: SortedOutputs, plan: SketchPlan) -> tuple[Singles, Floats]:
    """Sketches and keys of behaviors; see ``Backend.sketch``.

    The means differ from the core's in the last bits, which is no matter: they only decide what is
    looked at, and that with some slack.
    """
    values, defined = outputs
    n_blocks = 1 if values.shape[1] == 1 else plan.n_blocks
    sketches = np.zeros((len(values), n_blocks, plan.width), np.float32)
    keys = np.empty((len(values), 3))
    known = np.arange(values.shape[1])[:, None] < defined[:, None, :]
    cut = np.where(known, np.clip(values, -FAR_OUT, FAR_OUT), 0.0)
    for block in range(n_blocks):
        shares = _shares(values.shape[1], defined, block, n_blocks)
        means = np.where(defined > 0, np.sum(cut * shares, axis=1), np.nan)
        grouped = np.zeros((plan.width, len(values)))
        np.add.at(grouped, plan.groups, (means * plan.shares[plan.groups]).T)
        sketches[:, block] = grouped.T
    parts = np.where(known, values, 0.0) / (np.maximum(defined, 1)[:, None, :] * plan.n_points)
    sums = parts.sum(axis=1)
    keys[:, 0] = np.abs(parts).sum(axis=(1, 2))
    keys[:, 1] = sums.sum(axis=1)
    keys[:, 2] = (sums * plan.signs).sum(axis=1)
    return sketches, keys


def scan(scan: Scan) -> Singles:
    """Lower bounds of distances; see ``Backend.scan``."""
    with np.errstate(invalid="ignore"):
        differences = np.abs(scan.values[scan.rows] - scan.query)
        costs = np.nan_to_num(differences**scan.p * scan.weights)
    means: Singles = costs.sum(axis=2).mean(axis=1)
    return means if scan.p == 1 else np.sqrt(means)


def _shares(m: int, defined: Counts, block: int, n_blocks: int) -> Floats:
    """(k, m, n_points) share that each output has in a block; those on a border are divided."""
    counts = defined[:, None, :].astype(np.int64)
    draws = np.arange(m)[:, None]
    low = np.maximum(draws * n_blocks, block * counts)
    high = np.minimum((draws + 1) * n_blocks, (block + 1) * counts)
    shares: Floats = np.maximum(high - low, 0) / np.maximum(counts, 1)
    return shares


def dual_bounds(*sides: SortedOutputs) -> Floats:
    """Cross-fitted lower bounds of Wasserstein-1 distances; see ``Backend.dual_bounds``.

    The Wasserstein-1 distance of two distributions is the largest difference of their means of a
    function whose slope is never steeper than 1. The best such function for one pair of samples
    goes up where F_E > F_F and down where F_E < F_F; where these are equal it goes on as before,
    and before their first difference as after it. Applied to samples that had no part in choosing
    it, its difference of means is no larger than the true distance on average, where the distance
    of samples is no smaller: it has no noise floor. The integral of sign * (F_E - F_F) over the
    merged outputs is that difference; its terms are added in ascending order.
    """
    check_counts(*sides)
    outputs = np.concatenate([values[0] for values, _ in sides])
    counts = np.stack([defined[0] for _, defined in sides]).astype(np.int64)
    order = np.argsort(outputs, axis=0, kind="stable")  # undefined ones last
    places = np.take_along_axis(outputs, order, axis=0)
    lists = np.repeat(np.arange(4), [values.shape[1] for values, _ in sides])[order]
    gaps = np.diff(places, axis=0)  # NaN beyond the last defined output
    heights, shares = [], []
    for e, f in ((0, 1), (2, 3)):
        # F_E - F_F in units of 1/(counts of both): integers, so that equal heights cancel exactly.
        steps = (lists == e) * counts[f] - (lists == f) * counts[e]
        heights.append(np.cumsum(np.where(np.isnan(places), 0, steps), axis=0)[:-1])
        shares.append(np.maximum(counts[e] * counts[f], 1).astype(np.float64))
    one = _signed_sum(heights[0], heights[1], gaps) / shares[1]
    other = _signed_sum(heights[1], heights[0], gaps) / shares[0]
    # Adding zero turns -0 into 0.
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
        # accumulate adds in order, as the core does; np.sum adds in pairs and rounds otherwise.
        total = np.add.accumulate(filled * areas, axis=0)[-1]
        before = np.add.accumulate(np.where(last < 0, areas, 0.0), axis=0)[-1]
        return np.asarray(total + first * before)

"""Screening in NumPy: distances that are exact where they are small.

Large distances are sums of single-precision numbers, more than twice as fast in the native core and
same bits here. With p = 1 they are sums of the larger outputs, as |u - v| = 2 max(u, v) - u - v,
and v, and an approximation is off by at most 1.7e-5 of the sum of the two behaviors' distances from
zero. With p = 2 it is off by at most 8.2e-6 of itself and 6.1e-8 of that sum.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from symbed._types import Counts, Floats, Singles
from symbed.engine.reference.distances import cross, sum_lanes
from symbed.engine.structures.observations import SortedOutputs, Wasserstein

LANES = 16
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
        The rows, (count, blocks, LANES), one draw repeated as often as the other side has draws.
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
            padded.reshape(len(own), -1, LANES),
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
    found = np.zeros(len(others))
    step = max(1, AT_ONCE // row.size)
    with np.errstate(under="ignore"):
        for start in range(0, len(others), step):
            some = others[start : start + step]
            terms = np.maximum(row, some) if p == 1 else (row - some) * (row - some)
            for first in range(0, terms.shape[1], CHUNK):
                found[start : start + step] += _sum_blocks(terms[:, first : first + CHUNK])
    return found


def _sum_blocks(terms: Singles) -> Singles:
    lanes = np.zeros((len(terms), LANES), np.float32)
    for block in range(terms.shape[1]):
        lanes += terms[:, block]
    for half in (8, 4, 2, 1):
        lanes = lanes[:, :half] + lanes[:, half:]
    return lanes[:, 0]

"""Screening in NumPy: blocks of behaviors go in, distances that are exact where small come out.

Large distances are sums of single-precision numbers, three times as fast in the native core and the
same bits here. With p = 1 these are sums of the larger outputs, since |u - v| = 2 max(u, v) - u - v,
and an approximation is off by at most 1.7e-5 of the sum of the two behaviors' distances from zero.
With p = 2 it is off by at most 8.2e-6 of itself and 6.1e-8 of that sum.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from symbed.engine.twin_distance import cross, sum_lanes

Floats = NDArray[np.float64]
Counts = NDArray[np.int32]
Singles = NDArray[np.float32]

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


def screen(
    a_values: Floats,
    a_defined: Counts,
    b_values: Floats,
    b_defined: Counts,
    p: int,
    mismatch: float,
    within: float,
    out: Floats,
) -> None:
    """BED between two blocks of behaviors, exact unless it is larger than ``within``.

    Parameters are those of ``twin_distance.cross``. Approximations are taken only between fully
    defined behaviors, and only where they prove that the distance is larger.
    """
    cross(a_values, a_defined, b_values, b_defined, p, mismatch, out)
    a_draws, b_draws = a_values.shape[1], b_values.shape[1]
    if a_draws != b_draws and 1 not in (a_draws, b_draws):
        return
    n_draws = max(a_draws, b_draws)
    a_rows = _narrow(a_values, a_defined, p)
    b_rows = _narrow(b_values, b_defined, p)
    b_flat, b_sizes = _flat(b_values[b_rows], n_draws), _sizes(b_values[b_rows], p)
    a_flat, a_sizes = _flat(a_values[a_rows], n_draws), _sizes(a_values[a_rows], p)
    length = n_draws * a_values.shape[2]
    for i, row, size in zip(a_rows, a_flat, a_sizes, strict=True):
        found = _distances(row, b_flat, p, length)
        off = OF_ITSELF[p] * found + OF_SIZES[p] * (size + b_sizes) + LOST[p]
        far = found - off > within
        out[i, b_rows[far]] = found[far]


def _narrow(values: Floats, defined: Counts, p: int) -> NDArray[np.int64]:
    """The fully defined rows whose outputs single precision can hold."""
    full = (defined == values.shape[1]).all(axis=1)
    with np.errstate(invalid="ignore"):
        small = (np.abs(values) <= LARGEST[p]).all(axis=(1, 2))
    return np.flatnonzero(full & small)


def _flat(values: Floats, n_draws: int) -> Singles:
    """(count, blocks, LANES) singles, one draw repeated as often as the other side has draws."""
    repeats = n_draws // values.shape[1]
    flat = np.tile(values.reshape(len(values), -1), (1, repeats))
    padded = np.zeros((len(flat), -(-flat.shape[1] // PADDING) * PADDING), np.float32)
    with np.errstate(under="ignore"):
        padded[:, : flat.shape[1]] = flat
    return padded.reshape(len(flat), -1, LANES)


def _sizes(values: Floats, p: int) -> Floats:
    """Distances from zero."""
    means: Floats = (np.abs(values) ** p).mean(axis=(1, 2))
    return means if p == 1 else np.sqrt(means)


def _distances(row: Singles, others: Singles, p: int, length: int) -> Floats:
    """Distances of one row to others."""
    found = _sums(row, others, p)
    if p == 2:
        return np.sqrt(found / length)
    return (2.0 * found - (_sum_rows(row[None]) + _sum_rows(others))) / length


def _sum_rows(rows: Singles) -> Floats:
    return sum_lanes(rows.reshape(len(rows), -1).astype(np.float64))


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

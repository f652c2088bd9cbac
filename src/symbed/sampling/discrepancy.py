"""A design in the unit cube goes in; the same values, reordered to a lower discrepancy, come out.

This is the optimization of the published sampling (SciPy's ``random-cd``): swap two values of one
column at random, keep the swap when the centered L2 discrepancy falls, stop after 100 vain swaps in
a row or 10,000 in all. Columns keep their values, so a Latin hypercube stays one.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from symbed._types import Floats
from symbed.sampling.counter_rng import uniforms

VAIN_SWAPS = 100
ALL_SWAPS = 10_000
AT_ONCE = 8  # swaps judged together
GAIN = 1e-12  # smaller gains are rounding, and would differ between machines


def lower_discrepancy(points: Floats, key: tuple[int, ...]) -> Floats:
    """A copy of the points (n, d) with values swapped inside columns."""
    n, d = points.shape
    if n < 2 or d < 2:  # reordering the only column changes nothing
        return points.copy()
    centered, swaps = points - 0.5, _swaps(n, d, key)
    tried = vain = 0
    while tried < ALL_SWAPS and vain < VAIN_SWAPS:
        some = swaps[tried : tried + min(AT_ONCE, VAIN_SWAPS - vain)]
        good = np.flatnonzero(_gains(centered, some) > GAIN)
        if len(good):  # what follows the first good swap is tried again on the new design
            column, first, second = some[good[0]]
            centered[[first, second], column] = centered[[second, first], column]
        tried += int(good[0]) + 1 if len(good) else len(some)
        vain = 0 if len(good) else vain + len(some)
    return centered + 0.5


def centered_discrepancy(points: Floats) -> float:
    """The squared centered L2 discrepancy (Hickernell 1998) of points in the unit cube."""
    z = points - 0.5
    n, d = z.shape
    pairs = sum(float(_with_all(z, z[i : i + 1]).sum()) for i in range(n))
    return float((13 / 12) ** d - 2.0 / n * _alone(z).sum() + pairs / n**2)


def _swaps(n: int, d: int, key: tuple[int, ...]) -> NDArray[np.int64]:
    """Random (column, first row, second row)."""
    u = uniforms(3 * ALL_SWAPS, *key).reshape(ALL_SWAPS, 3)
    return (u * (d, n, n)).astype(np.int64)


def _gains(z: Floats, swaps: NDArray[np.int64]) -> Floats:
    """By how much each swap lowers the squared discrepancy: only two rows of its sum change."""
    n, every = len(z), np.arange(len(swaps))[:, None]
    column, pair = swaps[:, :1], swaps[:, 1:]
    rows = z[pair]  # (swaps, 2, d)
    swapped = rows.copy()
    swapped[every, [[0, 1]], column] = rows[every, [[1, 0]], column]
    change = _with_all(z, rows) - _with_all(z, swapped)
    # The two rows' common term is symmetric, and their own terms are counted once.
    change[every, 0, pair] = change[every, 1, pair] = 0.0
    own = (_own(rows) - _own(swapped)).sum(axis=1)
    alone = (_alone(rows) - _alone(swapped)).sum(axis=1)
    return np.asarray((2.0 * change.sum(axis=(1, 2)) + own) / n**2 - 2.0 * alone / n)


def _with_all(z: Floats, rows: Floats) -> Floats:
    """prod_k (1 + |a_k|/2 + |b_k|/2 - |a_k - b_k|/2) for rows a and all points b: (..., n)."""
    a = rows[..., None, :]
    return _products(1.0 + 0.5 * (np.abs(a) + np.abs(z) - np.abs(a - z)))


def _own(rows: Floats) -> Floats:
    return _products(1.0 + np.abs(rows))


def _alone(z: Floats) -> Floats:
    """prod_k (1 + |a_k|/2 - a_k^2/2) for each point a."""
    return _products(1.0 + 0.5 * np.abs(z) - 0.5 * z * z)


def _products(factors: Floats) -> Floats:
    return np.asarray(np.multiply.reduce(factors, axis=-1))

"""Alignment: choose the column of draws of each parameter, so equivalent spellings draw alike.

Any assignment of columns to parameters is a valid sample of an expression's distribution. Giving
the first column to the parameter with the largest effect makes equivalent spellings draw the same
values, so that their distance is zero to rounding instead of sampling noise.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

BITS = 26  # effects are rounded to so many bits, so that the last ones do not decide


def order_by_effect(effects: NDArray[np.float64]) -> list[int]:
    """The column for each slot.

    Parameters
    ----------
    effects : ndarray
        Change of the output at each sentinel point when a slot moves and the others rest,
        (n_slots, n_sentinels); whatever is not finite counts as none.

    Examples
    --------
    >>> order_by_effect(np.array([[0.1, 0.1], [2.0, 1.0], [1.0, 2.0]]))
    [2, 0, 1]
    """
    effects = np.where(np.isfinite(effects), effects, 0.0)
    with np.errstate(over="ignore"):
        total = np.zeros(len(effects))
        for column in effects.T:
            total = total + column
    keys = rounded(np.column_stack([total, effects]))
    ranked = np.lexsort([-column for column in keys.T[::-1]])
    columns = np.empty(len(effects), np.int64)
    columns[ranked] = np.arange(len(effects))
    return columns.tolist()


def rounded(numbers: NDArray[np.float64]) -> NDArray[np.float64]:
    """Numbers rounded to nearest at ``BITS`` bits of mantissa."""
    mantissa, exponent = np.frexp(numbers)
    with np.errstate(invalid="ignore"):
        kept = np.rint(mantissa * 2.0**BITS)
    scaled: NDArray[np.float64] = np.ldexp(kept, exponent - BITS)
    return scaled

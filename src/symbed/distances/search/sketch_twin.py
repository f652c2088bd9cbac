"""Sketches in NumPy: behaviors go in, sketches come out; and sketches become lower bounds.

The means differ from the core's in the last bits, which is no matter: they only decide what is
looked at, and that with some slack.
"""

from __future__ import annotations

import numpy as np

from symbed._types import Counts, Floats, Integers, Singles
from symbed.distances.search.sketch_plan import N_BLOCKS, Plan

FAR_OUT = 2.0**62  # as in native/search/sketch.h


def sketch(values: Floats, defined: Counts, plan: Plan, out: Singles, keys: Floats) -> None:
    """Sum up behaviors.

    Parameters
    ----------
    values, defined : (k, m, n_points) sorted outputs and (k, n_points) counts.
    plan : how.
    out : (k, blocks, width), filled: of the sorted outputs at a point, cut into blocks of equal
        mass, the mean of each block, and then the mean over the points of a group; NaN where a
        point of the group has no outputs. One block if there is one draw.
    keys : (k, 3), filled: the mean over the points of the means of |output|, output and
        sign * output; a point without outputs counts 0.
    """
    n_blocks = 1 if values.shape[1] == 1 else N_BLOCKS
    known = np.arange(values.shape[1])[:, None] < defined[:, None, :]
    cut = np.where(known, np.clip(values, -FAR_OUT, FAR_OUT), 0.0)
    out[...] = 0.0
    for block in range(n_blocks):
        shares = _shares(values.shape[1], defined, block, n_blocks)
        means = np.where(defined > 0, np.sum(cut * shares, axis=1), np.nan)
        grouped = np.zeros((plan.width, len(values)))
        np.add.at(grouped, plan.groups, (means * plan.shares[plan.groups]).T)
        out[:, block] = grouped.T
    parts = np.where(known, values, 0.0) / (np.maximum(defined, 1)[:, None, :] * plan.n_points)
    sums = parts.sum(axis=1)
    keys[:, 0] = np.abs(parts).sum(axis=(1, 2))
    keys[:, 1] = sums.sum(axis=1)
    keys[:, 2] = (sums * plan.signs).sum(axis=1)


def scan(
    values: Singles, rows: slice | Integers, query: Singles, weights: Singles, p: int, out: Singles
) -> None:
    """Lower bounds of the distances between some sketches and one more.

    Parameters
    ----------
    values : (n, blocks, width) sketches.
    rows : which of them.
    query : (blocks, width); one block stands for any number of equal ones.
    weights : (width,) shares of the points.
    p : order, 1 or 2.
    out : as many as rows, filled.
    """
    with np.errstate(invalid="ignore"):
        differences = np.abs(values[rows] - query)
        costs = np.nan_to_num(differences**p * weights)
    means = costs.sum(axis=2).mean(axis=1)
    out[:] = means if p == 1 else np.sqrt(means)


def _shares(m: int, defined: Counts, block: int, n_blocks: int) -> Floats:
    """(k, m, n_points) share that each output has in a block; those on a border are divided."""
    counts = defined[:, None, :].astype(np.int64)
    draws = np.arange(m)[:, None]
    low = np.maximum(draws * n_blocks, block * counts)
    high = np.minimum((draws + 1) * n_blocks, (block + 1) * counts)
    found: Floats = np.maximum(high - low, 0) / np.maximum(counts, 1)
    return found

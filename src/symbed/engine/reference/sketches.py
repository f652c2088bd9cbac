"""Sketches in NumPy: means of sorted outputs, and the lower bounds of distances that they give.

The means differ from the core's in the last bits, which is no matter: they only decide what is
looked at, and that with some slack.
"""

from __future__ import annotations

import numpy as np

from symbed._types import Counts, Floats, Singles
from symbed.engine.structures.observations import SortedOutputs
from symbed.engine.structures.sketches import FAR_OUT, SKETCH_BLOCKS, Scan, SketchPlan


def sketch(outputs: SortedOutputs, plan: SketchPlan) -> tuple[Singles, Floats]:
    """Sketches and keys of behaviors; see ``Backend.sketch``."""
    values, defined = outputs
    n_blocks = 1 if values.shape[1] == 1 else SKETCH_BLOCKS
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

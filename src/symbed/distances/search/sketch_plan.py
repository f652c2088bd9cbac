"""The plan of sketches: which points of a probe are summed up together."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from symbed._types import Floats
from symbed.engine.structures.sketches import SketchPlan

MOST_GROUPS = 64  # of points; up to so many points each is its own group
LANES = 32  # groups are filled up to a multiple, so that the core reads whole vectors


def sketch_plan(points: Floats) -> SketchPlan:
    """The plan for points (n_points, n_variables)."""
    groups = group_points(points, min(len(points), MOST_GROUPS))
    n_groups = int(groups.max()) + 1
    width = -(-n_groups // LANES) * LANES
    counts = np.bincount(groups, minlength=width)
    shares = np.divide(1.0, counts, out=np.zeros(width), where=counts > 0)
    weights = (counts / len(points)).astype(np.float32)
    signs = np.where(np.arange(len(points)) % 2, -1.0, 1.0)
    return SketchPlan(groups, n_groups, shares, weights, signs)


def group_points(points: Floats, n_groups: int) -> NDArray[np.int32]:
    """The number of the group that each point is in: neighbors together, groups of equal size.

    The points are cut in two again and again, across the direction in which they spread most.

    >>> group_points(np.array([[0.0], [9.0], [1.0], [8.0]]), 2).tolist()
    [0, 1, 0, 1]
    """
    spread = np.ptp(points, axis=0)
    scaled = points / np.where(spread > 0, spread, 1.0)
    groups = np.empty(len(points), np.int32)
    waiting = [(np.arange(len(points)), 0, n_groups)]
    while waiting:
        members, first, count = waiting.pop()
        if count == 1:
            groups[members] = first
            continue
        axis = int(np.argmax(np.ptp(scaled[members], axis=0)))
        ordered = members[np.argsort(scaled[members, axis], kind="stable")]
        half = count // 2
        cut = len(members) * half // count
        waiting += [(ordered[:cut], first, half), (ordered[cut:], first + half, count - half)]
    return groups

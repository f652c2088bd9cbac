"""Covers candidates with smaller gaps than a farthest-first traversal leaves, where they are few.

A traversal takes the extremes first, so its covering radius is often a fifth above what as many
choices can reach. For a given radius, taking whoever covers most of those not yet covered needs few
choices; the smallest radius for which k are enough is found by bisection. That needs all distances.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from symbed._types import Booleans, Floats, Integers
from symbed.distances.selection.farthest_first import Apart, Traversal

MOST_CANDIDATES = 600  # all distances among so many take some tenths of a second


def covered_better(
    traversal: Traversal,
    distances_from: Callable[[int], Floats],
    ranks: Integers,
    apart: Apart,
    k: int,
) -> Traversal:
    """A choice with a smaller covering radius than a traversal's, or the traversal itself.

    Parameters
    ----------
    traversal : Traversal
        What ``farthest_first`` chose; the first of it stays chosen.
    distances_from, ranks, apart, k
        As ``farthest_first`` has them.
    """
    n, radius = len(ranks), float(traversal.gaps.max())
    if len(traversal.chosen) < k or k < 2 or n > MOST_CANDIDATES or radius == 0.0:
        return traversal
    distances = np.array([distances_from(candidate) for candidate in range(n)])
    np.fill_diagonal(distances, 0.0)
    first = int(traversal.chosen[0])
    best = traversal
    # No choice of k has less than half of the radius of a traversal.
    radii = np.unique(distances[(distances >= radius / 2) & (distances < radius)])
    low, high = 0, len(radii) - 1
    while low <= high:
        middle = (low + high) // 2
        chosen = _cover(distances <= radii[middle], first, ranks, k)
        if chosen is None:
            low = middle + 1
        else:
            high = middle - 1
            if not _has_duplicates(distances, chosen, apart):
                best = _traversed(distances, chosen)
    return best


def _cover(is_near: Booleans, first: int, ranks: Integers, k: int) -> list[int] | None:
    """Up to k that have everybody near, the first among them; None if k were not enough."""
    chosen, is_left = [first], ~is_near[first]
    while is_left.any():
        if len(chosen) == k:
            return None
        counts = is_near[:, is_left].sum(axis=1)
        most = np.flatnonzero(counts == counts.max())
        chosen.append(int(most[np.argmin(ranks[most])]))
        is_left &= ~is_near[chosen[-1]]
    return chosen


def _has_duplicates(distances: Floats, chosen: list[int], apart: Apart) -> bool:
    among = distances[np.ix_(chosen, chosen)]
    tolerances = apart.tolerances(np.array(chosen))
    near = among <= tolerances[:, None] + tolerances
    return bool(np.triu(near, 1).any())


def _traversed(distances: Floats, chosen: list[int]) -> Traversal:
    """The chosen in farthest-first order, with what they leave."""
    left, order, steps = chosen[1:], chosen[:1], [np.inf]
    while left:
        gaps = distances[np.ix_(order, left)].min(axis=0)
        steps.append(float(gaps.max()))
        order.append(left.pop(int(np.argmax(gaps))))
    rows = distances[order]
    owners = rows.argmin(axis=0)
    owners[order] = np.arange(len(order))
    return Traversal(np.array(order, np.int64), np.array(steps), rows.min(axis=0), owners)

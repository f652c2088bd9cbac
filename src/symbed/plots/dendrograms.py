"""Trees: SciPy's linkage matrix goes in; an order of the leaves and lines to draw come out."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from symbed._types import Floats


@dataclass(frozen=True, eq=False)
class Dendrogram:
    """A tree, ready to be drawn.

    Attributes
    ----------
    order : the leaves from left to right.
    forks : (n - 1, 4, 2) for each merge its bracket: four corners as (place, height).
    """

    order: NDArray[np.int64]
    forks: Floats


def dendrogram(tree: Floats) -> Dendrogram:
    """Lay out a linkage matrix, (n - 1, 4); no recursion, for trees can be as deep as large.

    >>> dendrogram(np.array([[0, 2, 1.0, 2], [1, 3, 2.0, 3]])).order.tolist()
    [1, 0, 2]
    """
    n = len(tree) + 1
    children = tree[:, :2].astype(np.int64)
    order = _leaves(children, n)
    places = np.empty(2 * n - 1)
    places[order] = np.arange(n)
    heights = np.concatenate([np.zeros(n), tree[:, 2]])
    forks = np.empty((n - 1, 4, 2))
    for merge, (left, right) in enumerate(children):
        at, height = places[[left, right]], heights[n + merge]
        places[n + merge] = at.mean()
        forks[merge, :, 0] = at[[0, 0, 1, 1]]
        forks[merge, :, 1] = heights[left], height, height, heights[right]
    return Dendrogram(order, forks)


def _leaves(children: NDArray[np.int64], n: int) -> NDArray[np.int64]:
    found, waiting = [], [2 * n - 2]
    while waiting:
        node = waiting.pop()
        if node < n:
            found.append(node)
        else:
            left, right = children[node - n].tolist()
            waiting += [right, left]
    return np.array(found, np.int64)

"""Arranging: a distance matrix goes in; a tree that puts likes side by side comes out."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from symbed.distance.clustering import Clusters, cluster
from symbed.distance.matrix import DistanceMatrix

BEYOND = 2.0  # times the longest finite distance: where infinite ones are put for the while


def arrange(matrix: DistanceMatrix) -> Clusters:
    """One cluster with its tree, for a heatmap; unlike ``cluster``, it takes infinite distances.

    Merges at which one side is infinitely far from the other have the height inf. (With infinite
    distances linkage is complete, so that a height is finite only if all distances below it are.)

    Examples
    --------
    >>> far = np.inf
    >>> values = np.array([[0, far, 1], [far, 0, far], [1, far, 0]])
    >>> arrange(DistanceMatrix(values, "abc", "abc")).tree[:, 2]
    array([ 1., inf])
    """
    values = np.asarray(matrix.values)
    infinite = ~np.isfinite(values)
    if not infinite.any():
        return cluster(matrix, 1)
    end = BEYOND * (float(values[~infinite].max(initial=0.0)) or 1.0)
    if not np.isfinite(end):
        end = float(np.finfo(np.float64).max)
    capped = replace(matrix, values=np.where(infinite, end, values))
    found = cluster(capped, 1, method="complete")
    assert found.tree is not None
    tree = found.tree.copy()
    tree[tree[:, 2] >= end, 2] = np.inf
    return replace(found, tree=tree)

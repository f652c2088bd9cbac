"""Arranging: a distance matrix goes in; a tree that puts likes side by side comes out."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from symbed.distances.clusters.clustering import Clusters, cluster
from symbed.distances.matrix.distance_matrix import DistanceMatrix
from symbed.plots.axis_scales import tame

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
    values = tame(np.asarray(matrix.values))
    infinite = ~np.isfinite(values)
    if not infinite.any():
        return cluster(replace(matrix, values=values), 1)
    end = BEYOND * (float(values[~infinite].max(initial=0.0)) or 1.0)
    capped = replace(matrix, values=np.where(infinite, end, values))
    found = cluster(capped, 1, method="complete")
    assert found.tree is not None
    tree = found.tree.copy()
    tree[tree[:, 2] >= end, 2] = np.inf
    return replace(found, tree=tree)

"""Clusters of collections that are too large for all their distances, around medoids of a sample.

Kaufman and Rousseeuw's CLARA (Finding Groups in Data, 1990, chapter 3): k-medoids among evenly
chosen sources, then every source goes to the medoid that is nearest, by its exact distance.
"""

from __future__ import annotations

from typing import Unpack

import numpy as np

from symbed.behavior.atlas import Atlas
from symbed.distances.clusters.clustering import Clusters, cluster
from symbed.distances.matrix.distance_matrix import pairwise
from symbed.distances.measure import Measure, MeasureSettings, as_measure

SAMPLE_SIZE = 400


def cluster_sampled(
    atlas: Atlas,
    n_clusters: int,
    *,
    measure: Measure | None = None,
    sample_size: int = SAMPLE_SIZE,
    workers: int | None = None,
    **settings: Unpack[MeasureSettings],
) -> Clusters:
    """Group the sources of an atlas of any size around medoids of a sample.

    Parameters
    ----------
    atlas : Atlas
        It need not keep outputs.
    n_clusters : int
        How many groups.
    measure : Measure, optional
        How to measure; every distance must be finite, as ``metric="relative"`` has them.
    sample_size : int
        How many sources the medoids are chosen from; all, if there are no more.
    workers : int, optional
        Number of threads; all cores by default.
    **settings
        Instead of ``measure``, any of its settings.

    Examples
    --------
    >>> import symbed
    >>> atlas = symbed.survey(["x", "x + 0.1", "x^2", "x^2 + 0.1"], symbed.Probe({"x": (1, 5)}))
    >>> cluster_sampled(atlas, 2, metric="relative").labels_
    array([0, 0, 1, 1])
    """
    measure = as_measure(measure, settings)
    n = len(atlas)
    some = np.unique(np.linspace(0, n - 1, min(n, sample_size)).astype(np.int64))
    sample = [atlas[row] for row in some.tolist()]
    matrix = pairwise(sample, measure=measure, workers=workers, progress=False)
    among = cluster(matrix, n_clusters, method="medoids")
    if len(some) == n:
        return among
    middles = [sample[place] for place in among.medoids.tolist()]
    distances = pairwise(middles, atlas, measure=measure, workers=workers, progress=False).values
    labels = np.argmin(distances, axis=0).astype(np.int64)
    labels[some[among.medoids]] = np.arange(among.n_clusters)  # equal medoids keep their own
    return Clusters(labels, some[among.medoids], atlas.labels)

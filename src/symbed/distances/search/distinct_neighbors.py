"""The nearest expressions of different behavior: of those that behave alike, only one."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import Executor
from typing import Unpack

import numpy as np

from symbed.behavior.atlas import Atlas
from symbed.behavior.behavior import Behavior
from symbed.distances.duplicates.duplicate_groups import duplicates
from symbed.distances.measure import Measure, MeasureSettings, as_measure
from symbed.distances.search.neighbors import Neighbors, nearest

MORE = 4  # times as many neighbors are looked at, until enough of them differ


def nearest_distinct(
    queries: Sequence[Behavior],
    atlas: Atlas,
    k: int,
    *,
    measure: Measure | None = None,
    workers: int | None = None,
    executor: Executor | None = None,
    **settings: Unpack[MeasureSettings],
) -> Neighbors:
    """The nearest representatives of groups of duplicates.

    Not the nearest members of the groups, which are one or the other by the last digits of a
    distance.

    Parameters
    ----------
    queries : sequence of Behavior
        What to look for.
    atlas : Atlas
        Where to search.
    k : int
        How many; all groups if there are fewer.
    measure, workers, executor, **settings
        As in `symbed.nearest`.

    Examples
    --------
    >>> import symbed
    >>> probe = symbed.Probe({"x": (1, 5)})
    >>> atlas = symbed.survey(["x", "x + 0", "x^2"], probe)
    >>> nearest_distinct([symbed.observe("1.1*x", probe)], atlas, 2).each[0].labels
    ('x', 'x^2')
    """
    measure = as_measure(measure, settings)
    groups = duplicates(atlas, measure=measure, workers=workers, executor=executor)
    k = min(k, len(groups.representatives))
    n = min(MORE * k, len(atlas))
    while True:
        many = nearest(queries, atlas, n, measure=measure, workers=workers, executor=executor)
        kept = [np.flatnonzero(np.isin(row, groups.representatives))[:k] for row in many.indices]
        if n == len(atlas) or all(len(places) == k for places in kept):
            break
        n = min(MORE * n, len(atlas))
    indices = np.stack([row[places] for row, places in zip(many.indices, kept, strict=True)])
    distances = np.stack([row[places] for row, places in zip(many.distances, kept, strict=True)])
    labels = tuple(tuple(map(atlas.label, row)) for row in indices.tolist())
    return Neighbors(indices, distances, labels, many.query, atlas)

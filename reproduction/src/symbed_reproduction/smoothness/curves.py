"""Curves: errors of the nearest candidates go in; running aggregates and average ranks come out."""

from __future__ import annotations

from bisect import insort
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from symbed._types import Floats
from symbed_reproduction.core.units import Arrays

RIVALS = ("edit", "tree", "jaro")
NAMES = {"bed": "BED", "edit": "Edit", "tree": "Tree edit", "jaro": "Jaro", "optimal": "Optimal",
         "default": "BED, default design"}  # fmt: skip


def running_median(errors: Floats) -> Floats:
    """The median of the first, of the first two, and so on.

    >>> running_median(np.array([3.0, 1.0, 2.0, 10.0]))
    array([3. , 2. , 2. , 2.5])
    """
    seen: list[float] = []
    found = np.empty(len(errors))
    for place, error in enumerate(errors.tolist()):
        insort(seen, error)
        found[place] = (seen[place // 2] + seen[(place + 1) // 2]) / 2
    return found


def running_mean(errors: Floats) -> Floats:
    """The mean of the first, of the first two, and so on.

    >>> running_mean(np.array([3.0, 1.0, 2.0]))
    array([3., 2., 2.])
    """
    return np.cumsum(errors) / np.arange(1, len(errors) + 1)


@dataclass(frozen=True)
class Aggregation:
    """A way to make one curve of errors: along the candidates, and over repeats."""

    name: str
    running: Callable[[Floats], Floats]
    over_repeats: Callable[..., Floats]


AGGREGATIONS = (
    Aggregation("median", running_median, np.median),
    Aggregation("mean", running_mean, np.mean),
)


def repeat_curves(arrays: Arrays, measure: str, aggregation: Aggregation) -> Floats:
    """(repeats, n) the curves of one data set."""
    return np.stack([aggregation.running(errors) for errors in arrays[f"rmse_{measure}"]])


def all_curves(
    sets: Sequence[Arrays], measures: Sequence[str], aggregation: Aggregation
) -> dict[str, Floats]:
    """(data sets, n) for each measure, one curve for each data set."""
    return {
        measure: np.stack(
            [
                aggregation.over_repeats(repeat_curves(arrays, measure, aggregation), axis=0)
                for arrays in sets
            ]
        )
        for measure in measures
    }


def rank(values: Floats) -> Floats:
    """Ranks along the first axis from 1 on, the smallest first; equal values share their mean.

    >>> rank(np.array([0.5, 0.2, 0.5, 9.0]))
    array([2.5, 1. , 2.5, 4. ])
    """
    smaller = (values[None] < values[:, None]).sum(axis=1)
    equal = (values[None] == values[:, None]).sum(axis=1)
    ranks: Floats = 1.0 + smaller + (equal - 1) / 2
    return ranks


@dataclass(frozen=True)
class Ranks:
    """The ranks of four measures on all data sets.

    Attributes
    ----------
    measures : the first is BED.
    each : (measures, data sets, n).
    """

    measures: tuple[str, ...]
    each: Floats

    @classmethod
    def of(cls, curves: Mapping[str, Floats], measures: Sequence[str]) -> Ranks:
        """Rank measures by their curves, on each data set and at each n."""
        return cls(tuple(measures), rank(np.stack([curves[measure] for measure in measures])))

    @property
    def mean(self) -> Floats:
        """(measures, n) averages over the data sets."""
        return np.asarray(self.each.mean(axis=1), np.float64)

    @property
    def deviation(self) -> Floats:
        """(measures, n) standard deviations over the data sets."""
        return np.asarray(self.each.std(axis=1), np.float64)

"""Findings: the arrays of all data sets go in; curves, ranks and counts, made once, come out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from symbed._types import Floats
from symbed_reproduction.core.units import Arrays
from symbed_reproduction.smoothness.curves import (
    AGGREGATIONS,
    RIVALS,
    Ranks,
    all_curves,
    repeat_curves,
)
from symbed_reproduction.smoothness.units import Sizes

SHUFFLED = tuple(f"{rival}_shuffled" for rival in RIVALS)
# Which four measures are ranked: the paper's, with equal spellings in random order, and with BED by
# our default design.
CONTESTS = {
    "paper": ("bed", *RIVALS),
    "random ties": ("bed", *SHUFFLED),
    "default design": ("default", *RIVALS),
}


@dataclass(frozen=True)
class Findings:
    """Everything that tables, claims and figures are made from.

    Attributes
    ----------
    names : of the data sets.
    sizes : of the work on each.
    sets : the arrays of each, see ``smoothness_units.measure_dataset``.
    labels : by name, the arrays of those that were fitted again, see ``check_labels``.
    curves : by aggregation and measure, (data sets, n).
    ranks : by aggregation and contest.
    """

    names: tuple[str, ...]
    sizes: Sizes
    sets: tuple[Arrays, ...]
    labels: Mapping[str, Arrays]
    curves: Mapping[str, Mapping[str, Floats]]
    ranks: Mapping[str, Mapping[str, Ranks]]

    @classmethod
    def of(cls, names: Sequence[str], sizes: Sizes, results: Mapping[str, Arrays]) -> Findings:
        """Gather the results of all units."""
        sets = tuple(results[f"set-{name}"] for name in names)
        labels = {n: results[f"labels-{n}"] for n in names if f"labels-{n}" in results}
        measures = ("bed", "default", *RIVALS, *SHUFFLED, "optimal")
        curves = {a.name: all_curves(sets, measures, a) for a in AGGREGATIONS}
        ranks = {
            name: {contest: Ranks.of(some, four) for contest, four in CONTESTS.items()}
            for name, some in curves.items()
        }
        return cls(tuple(names), sizes, sets, labels, curves, ranks)

    def bands(self, name: str, aggregation: str, measure: str) -> Floats:
        """(2, n) the lowest and the highest of the repeats on one data set.

        Syntactic measures vary with the order of equal distances.
        """
        which = next(a for a in AGGREGATIONS if a.name == aggregation)
        keys = (measure, f"{measure}_shuffled") if measure in RIVALS else (measure,)
        arrays = self.sets[self.names.index(name)]
        repeats = np.concatenate([repeat_curves(arrays, key, which) for key in keys])
        return np.stack([repeats.min(axis=0), repeats.max(axis=0)])

    def invalid(self, measure: str, key: str = "invalid") -> Floats:
        """(data sets,) mean number of invalid candidates among the nearest."""
        return np.array([float(np.mean(arrays[f"{key}_{measure}"])) for arrays in self.sets])

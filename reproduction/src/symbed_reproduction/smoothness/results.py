"""Curves and ranks of the smoothness experiment, published ones and those made here."""

from __future__ import annotations

import json
from bisect import insort
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

import numpy as np
from scipy.stats import rankdata

from symbed._types import Floats
from symbed_reproduction.core.experiments import Arrays
from symbed_reproduction.smoothness.measurements import Sizes

RIVALS = ("edit", "tree", "jaro")
NAMES = {"bed": "BED", "edit": "Edit", "tree": "Tree edit", "jaro": "Jaro", "optimal": "Optimal",
         "default": "BED, default design"}  # fmt: skip
SHUFFLED = tuple(f"{rival}_shuffled" for rival in RIVALS)
# Which four measures are ranked: the paper's, with equal spellings in random order, and with BED by
# our default design.
CONTESTS = {
    "paper": ("bed", *RIVALS),
    "random ties": ("bed", *SHUFFLED),
    "default design": ("default", *RIVALS),
}


@dataclass(frozen=True)
class SmoothnessResults:
    """Everything that tables, claims and figures are made from.

    Attributes
    ----------
    names : tuple of str
        The names of the data sets.
    sizes : Sizes
        The sizes of the work on each data set.
    sets : tuple of mapping from str to ndarray
        The arrays of each, see ``measure_dataset``.
    labels : mapping from str to mapping from str to ndarray
        By name, the arrays of those that were fitted again, see ``check_labels``.
    curves : mapping from str to mapping from str to ndarray
        Curves (data sets, n), by aggregation and measure.
    ranks : mapping from str to mapping from str to Ranks
        Ranks, by aggregation and contest.
    """

    names: tuple[str, ...]
    sizes: Sizes
    sets: tuple[Arrays, ...]
    labels: Mapping[str, Arrays]
    curves: Mapping[str, Mapping[str, Floats]]
    ranks: Mapping[str, Mapping[str, Ranks]]

    @classmethod
    def of(
        cls, names: Sequence[str], sizes: Sizes, results: Mapping[str, Arrays]
    ) -> SmoothnessResults:
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


def running_median(errors: Floats) -> Floats:
    """The median of the first, of the first two, and so on.

    >>> running_median(np.array([3.0, 1.0, 2.0, 10.0]))
    array([3. , 2. , 2. , 2.5])
    """
    seen: list[float] = []
    medians = np.empty(len(errors))
    for place, error in enumerate(errors.tolist()):
        insort(seen, error)
        medians[place] = (seen[place // 2] + seen[(place + 1) // 2]) / 2
    return medians


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


@dataclass(frozen=True)
class Ranks:
    """The ranks of four measures on all data sets.

    Attributes
    ----------
    measures : tuple of str
        The measures; the first is BED.
    each : ndarray
        The ranks, (measures, data sets, n).
    """

    measures: tuple[str, ...]
    each: Floats

    @classmethod
    def of(cls, curves: Mapping[str, Floats], measures: Sequence[str]) -> Ranks:
        """Rank measures by their curves, on each data set and at each n, the smallest first."""
        return cls(tuple(measures), rankdata([curves[measure] for measure in measures], axis=0))

    @property
    def mean(self) -> Floats:
        """(measures, n) averages over the data sets."""
        return np.asarray(self.each.mean(axis=1), np.float64)

    @property
    def deviation(self) -> Floats:
        """(measures, n) standard deviations over the data sets."""
        return np.asarray(self.each.std(axis=1), np.float64)


# Mean number of invalid expressions among the 250 nearest.
INVALID = {"bed": 4.66, "edit": 12.83, "tree": 7.61, "jaro": 11.61}
SYNTACTIC_RANKS = (2.5, 3.5)  # where the text says that the other measures lie


@cache
def average_ranks() -> dict[str, dict[str, dict[int, float | None]]]:
    """By aggregation, measure and n, as read off the two figures; None where it is hidden there."""
    source = files("symbed_reproduction") / "published" / "average_rank_curves.json"
    read = json.loads(source.read_text("utf-8"))
    keys = {"BED": "bed", "Edit": "edit", "Tree edit": "tree", "Jaro": "jaro"}
    return {
        aggregation: {
            keys[measure]: {int(n): value for n, value in curve.items()}
            for measure, curve in curves.items()
        }
        for aggregation, curves in read.items()
    }

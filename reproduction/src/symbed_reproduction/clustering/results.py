"""The arrays of all units of the clustering experiment, beside the numbers that the paper prints.

The paper says little about how its matrices were clustered. A protocol explains a published row if
its four scores are near the printed means; how near is counted in printed deviations.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import product
from typing import NamedTuple

import numpy as np

from symbed._types import Floats
from symbed_reproduction.clustering.measurements import SPELLINGS, USUAL, Setting
from symbed_reproduction.clustering.protocols import (
    CN_ROWS,
    PLAIN_ROWS,
    PROTOCOLS,
    ROWS_AS_THEY_ARE,
    SCALED_COLUMNS,
    USES,
    Protocol,
)
from symbed_reproduction.core.experiments import Arrays, Scale

MATRICES = ("BED", *SPELLINGS)
SAMPLINGS = ("paper's", "default")


class Size(NamedTuple):
    """How much is done: data sets, expressions of a group, numbers of draws, rows repeated."""

    n_sets: int
    n_members: int
    counts: tuple[int, ...]
    n_rows: int


SIZES: dict[Scale, Size] = {
    "small": Size(2, 4, (32, 128, 512), 2),
    "paper": Size(10, 10, (32, 64, 128, 256, 512, 1024, 2048), 10),
}
OTHER_RANGES = {
    "usual": USUAL,
    "negative": Setting(parameters=(-5.0, 5.0)),
    "far": Setting(domain=(10.0, 50.0)),
}


class Row(NamedTuple):
    """A row of the paper's tables: its name there, the matrix, and the protocol here."""

    published: str
    matrix: str
    protocol: Protocol


SHOWN = {"edit": "edit postfix", "tree edit": "tree edit unit", "Jaro": "Jaro postfix"}
CN_VERSIONS = {  # what the label CN of a syntactic row may mean
    "-CN": CN_ROWS,
    ", rows as they are": ROWS_AS_THEY_ARE,
    ", columns scaled": SCALED_COLUMNS,
}
ROWS: dict[str, Row] = {
    **{name: Row(name, matrix, PLAIN_ROWS) for name, matrix in SHOWN.items()},
    "BED": Row("BED", "BED", PLAIN_ROWS),
    "BED-CN": Row("BED-CN", "BED", CN_ROWS),
    **{
        f"{name}{version}": Row(f"{name}-CN", matrix, protocol)
        for name, matrix in SHOWN.items()
        for version, protocol in CN_VERSIONS.items()
    },
}


@dataclass(frozen=True, eq=False)
class ClusteringResults:
    """All arrays of a run; the first axis is the data set.

    Attributes
    ----------
    judged, fair, nearest, heights : ndarray
        As in ``judge_set``.
    maps : ndarray
        The distances of the first data set, as in ``draw_maps``.
    repeated : ndarray
        (rows, sets, 2, 4) as in ``repeat_rows``.
    drawn : ndarray
        (sets, counts, 2, 4) as in ``add_draws``.
    ranges : dict from str to dict from str to ndarray
        By the name of the ranges, ``cn`` and ``plain`` as in ``change_ranges``.
    literal : dict from str to ndarray
        As in ``take_literally``.
    """

    judged: Floats
    fair: Floats
    nearest: Floats
    heights: Floats
    maps: Floats
    repeated: Floats
    drawn: Floats
    ranges: dict[str, dict[str, Floats]]
    literal: dict[str, Floats]

    @classmethod
    def gather(cls, size: Size, results: Mapping[str, Arrays]) -> ClusteringResults:
        """The results from the arrays of all units."""

        def stack(kind: str, name: str) -> Floats:
            return np.stack([results[f"{kind}-{k}"][name] for k in range(size.n_sets)])

        return cls(
            stack("set", "judged"),
            stack("set", "fair"),
            stack("set", "nearest"),
            stack("set", "heights"),
            results["maps"]["maps"],
            np.stack([results[f"row-{k}"]["rows"] for k in range(size.n_rows)]),
            stack("draws", "rows"),
            {name: _named(stack, name, "cn", "plain") for name in OTHER_RANGES},
            _named(stack, "literal", "changed", "rows", "plain"),
        )

    def scores(self, matrix: str, protocol: Protocol) -> Floats:
        """The scores of one matrix by one protocol, (sets, 4)."""
        return self.judged[:, MATRICES.index(matrix), PROTOCOLS.index(protocol)]

    def row(self, name: str) -> Floats:
        """The scores of a row of ``ROWS``, (sets, 4)."""
        return self.scores(ROWS[name].matrix, ROWS[name].protocol)


def _named(stack: Callable[[str, str], Floats], kind: str, *names: str) -> dict[str, Floats]:
    return {name: stack(kind, name) for name in names}


SCORES = ("ARI", "silhouette", "V-measure", "Fowlkes-Mallows")
ROUNDING = 0.0005  # half a unit of the last printed digit

Printed = tuple[tuple[float, float], ...]  # for each score the mean and the deviation

# Section 4.2 has BED, BED-CN and the plain syntactic rows; its appendix all syntactic ones.
PUBLISHED: dict[str, Printed] = {
    "edit": ((0.002, 0.001), (0.318, 0.051), (0.166, 0.011), (0.217, 0.002)),
    "tree edit": ((0.004, 0.004), (0.276, 0.060), (0.184, 0.023), (0.218, 0.003)),
    "Jaro": ((0.002, 0.002), (-0.120, 0.140), (0.182, 0.019), (0.213, 0.002)),
    "BED": ((0.203, 0.025), (0.537, 0.014), (0.697, 0.028), (0.393, 0.018)),
    "BED-CN": ((1.000, 0.000), (0.939, 0.001), (1.000, 0.000), (1.000, 0.000)),
    "edit-CN": ((0.003, 0.001), (0.373, 0.113), (0.185, 0.009), (0.215, 0.003)),
    "tree edit-CN": ((0.009, 0.006), (0.304, 0.075), (0.232, 0.037), (0.216, 0.005)),
    "Jaro-CN": ((0.003, 0.001), (-0.372, 0.040), (0.182, 0.011), (0.216, 0.002)),
}


def misfit(name: str, score: int, mean: float) -> float:
    """How far a mean is from a printed one, in printed deviations; 0 if it may round to it.

    >>> round(misfit("BED", 0, 0.25), 2), misfit("BED", 0, 0.2034)
    (1.86, 0.0)
    """
    printed, deviation = PUBLISHED[name][score]
    return max(0.0, abs(mean - printed) - ROUNDING) / max(deviation, ROUNDING)


def spread(mean: float, deviation: float) -> str:
    """A mean with its deviation, as the paper prints them.

    >>> spread(-0.0001, 0.02)
    '0.000 (± 0.020)'
    """
    return f"{mean:.3f} (± {deviation:.3f})".replace("-0.000 ", "0.000 ")


def moments(scores: Floats) -> Iterable[tuple[float, float]]:
    """Mean and deviation of each column."""
    return zip(scores.mean(axis=0).tolist(), scores.std(axis=0).tolist(), strict=True)


def spreads(scores: Floats) -> tuple[str, ...]:
    """Means with deviations of scores, (sets, scores)."""
    return tuple(spread(*pair) for pair in moments(scores))


NOTATIONS = ("infix", "prefix", "postfix")
COSTS = ("unit", "string")
ENOUGH = 2.0  # deviations
# Published rows that one protocol should explain.
FAMILIES: dict[str, tuple[str, ...]] = {
    "plain": ("edit", "tree edit", "Jaro", "BED"),
    "syntactic -CN": ("edit-CN", "tree edit-CN", "Jaro-CN"),
    "BED-CN": ("BED-CN",),
}
SOURCES = ("distances", "features")  # of the silhouette


class Fit(NamedTuple):
    """How well a protocol explains published rows; misfits in the order of the rows."""

    protocol: Protocol
    notation: str
    costs: str
    misfits: tuple[float, ...]

    @property
    def worst(self) -> float:
        """The largest misfit of any score of any row."""
        return max(self.misfits)


def best_fits(results: ClusteringResults) -> Iterator[tuple[str, str, str, Fit]]:
    """For each family of rows, each use of a matrix, and silhouettes from distances or between
    features, the protocol that explains the rows best.
    """
    means = mean_scores(results)
    for (family, rows), use, source in product(FAMILIES.items(), USES, SOURCES):
        fits = [
            Fit(one, notation, costs, _misfits(means, rows, one, notation, costs))
            for one in PROTOCOLS
            if one.labeling.space.use == use and source_of(one) == source
            for notation in NOTATIONS
            for costs in COSTS
        ]
        yield family, use, source, min(fits, key=lambda fit: fit.worst)


def source_of(protocol: Protocol) -> str:
    """Where the silhouette comes from: a row of ``SOURCES``."""
    return SOURCES[protocol.taken_in.use != "distances"]


def row_misfit(published: str, scores: Floats) -> float:
    """The largest misfit of four mean scores."""
    return max(misfit(published, k, float(score)) for k, score in enumerate(scores))


def mean_scores(results: ClusteringResults) -> dict[tuple[str, Protocol], Floats]:
    """The mean scores of each matrix by each protocol."""
    return {
        (matrix, protocol): results.scores(matrix, protocol).mean(axis=0)
        for matrix in MATRICES
        for protocol in PROTOCOLS
    }


def spelling_of(published: str, notation: str, costs: str) -> str:
    """The matrix that a published row is compared with.

    >>> spelling_of("tree edit-CN", "infix", "unit"), spelling_of("BED", "infix", "unit")
    ('tree edit unit', 'BED')
    """
    measure = published.removesuffix("-CN")
    return {"BED": "BED", "tree edit": f"tree edit {costs}"}.get(measure, f"{measure} {notation}")


def _misfits(
    means: dict[tuple[str, Protocol], Floats],
    rows: tuple[str, ...],
    protocol: Protocol,
    notation: str,
    costs: str,
) -> tuple[float, ...]:
    return tuple(
        row_misfit(name, means[spelling_of(name, notation, costs), protocol]) for name in rows
    )

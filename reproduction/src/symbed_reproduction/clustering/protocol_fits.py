"""Fits: scores of all protocols go in; how well each explains the published rows comes out.

The paper says little about how its matrices were clustered. A protocol explains a published row if
its four scores are near the printed means; how near is counted in printed deviations.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import NamedTuple

from symbed._types import Floats
from symbed_reproduction.clustering.protocols import PROTOCOLS, USES, Protocol
from symbed_reproduction.clustering.published import misfit
from symbed_reproduction.clustering.results import MATRICES, Results

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


def best_fits(results: Results) -> Iterator[tuple[str, str, str, Fit]]:
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


def mean_scores(results: Results) -> dict[tuple[str, Protocol], Floats]:
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

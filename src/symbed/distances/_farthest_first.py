"""Farthest-first traversal: one after the other, whoever is farthest from all chosen so far.

From any start the largest distance of anybody to the nearest chosen one (the covering radius) is
at most twice what the best choice of as many could reach [1]_; no algorithm in polynomial time has
a smaller factor.

A traversal takes the extremes first, so its covering radius is often a fifth above what as many
choices can reach. Where candidates are few, they are covered better: for a given radius, taking
whoever covers most of those not yet covered needs few choices; the smallest radius for which k are
enough is found by bisection. That needs all distances.

References
----------
.. [1] T. F. Gonzalez, "Clustering to minimize the maximum intercluster distance", Theoretical
   Computer Science 38, 1985.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Executor
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Protocol

import numpy as np

from symbed._types import Booleans, Floats, Integers
from symbed.behavior.atlas import Atlas
from symbed.behavior.distinct_rows import chunked
from symbed.distances import kernels
from symbed.distances.duplicates.tolerances import Tolerances
from symbed.distances.matrix.distance_matrix import fill_array
from symbed.distances.matrix.tiles import MatrixAxis, MatrixTask
from symbed.distances.measure import Measure

KEPT = 1 << 25  # outputs that are kept while candidates are chosen, 256 MB; of more, programs
# In 60 cases, 49 selections by a traversal alone had under half of the radius of the lowest
# losses, and 53 with a cover.
MAX_CANDIDATES = 600  # all distances among so many take some tenths of a second


@dataclass(frozen=True, eq=False)
class Traversal:
    """What a traversal chose."""

    chosen: Integers  # (k,) the candidates, in the order in which they were chosen
    steps: Floats  # (k,) how far each was from those before it; infinite for the first
    gaps: Floats  # (n,) how far each candidate is from the nearest chosen one
    owners: Integers  # (n,) which of the chosen that is, by its place among them


def farthest_first(
    candidates: Candidates, ranks: Integers, k: int, advance: Callable[[], object]
) -> Traversal:
    """Choose up to k candidates that are far apart, none of them a duplicate of another.

    The first by rank is chosen first, and of equally far ones the one with the smaller rank.
    ``advance`` is called after each choice.
    """
    n = len(ranks)
    gaps, margins = np.full(n, np.inf), np.full(n, np.inf)
    owners = np.zeros(n, np.int64)
    is_open = np.ones(n, np.bool_)
    chosen: list[int] = []
    steps: list[float] = []
    candidate: int | None = int(np.argmin(ranks))
    while candidate is not None:
        steps.append(float(gaps[candidate]))
        row = candidates.distances_from(candidate)
        # Before the gaps are lowered; at equal distances the one chosen earlier keeps its own.
        owners[row < gaps] = len(chosen)
        chosen.append(candidate)
        np.minimum(gaps, row, out=gaps)
        # What is left of a distance once the chosen one's tolerance is spent on it.
        np.minimum(margins, row - candidates.tolerances(np.array([candidate]))[0], out=margins)
        is_open[candidate] = False
        advance()
        candidate = None
        if len(chosen) < k:
            candidate = _farthest(gaps, margins, is_open, ranks, candidates)
    gaps[chosen] = 0.0
    owners[chosen] = np.arange(len(chosen))
    return Traversal(np.array(chosen, np.int64), np.array(steps), gaps, owners)


def _farthest(
    gaps: Floats, margins: Floats, is_open: Booleans, ranks: Integers, candidates: Candidates
) -> int | None:
    """The open candidate farthest from the chosen; duplicates that are met are closed for good."""
    ceilings = candidates.ceilings
    while is_open.any():
        waiting = np.flatnonzero(is_open)
        far = waiting[gaps[waiting] == gaps[waiting].max()]
        best = int(far[np.argmin(ranks[far])])
        if margins[best] > ceilings[best]:
            return best
        # Nobody open is farther, so all who may be duplicates are looked at together.
        doubtful = waiting[margins[waiting] <= ceilings[waiting]]
        equal = margins[doubtful] <= candidates.tolerances(doubtful)
        is_open[doubtful[equal]] = False
        if is_open[best]:
            return best
    return None


def covered_better(
    traversal: Traversal, candidates: Candidates, ranks: Integers, k: int
) -> Traversal:
    """A choice with a smaller covering radius than a traversal's, or the traversal itself.

    The first of it stays chosen.
    """
    n, radius = len(ranks), float(traversal.gaps.max())
    if len(traversal.chosen) < k or k < 2 or n > MAX_CANDIDATES or radius == 0.0:
        return traversal
    distances = np.array([candidates.distances_from(number) for number in range(n)])
    np.fill_diagonal(distances, 0.0)
    first = int(traversal.chosen[0])
    best = traversal
    # No choice of k has less than half of the radius of a traversal.
    radii = np.unique(distances[(distances >= radius / 2) & (distances < radius)])
    low, high = 0, len(radii) - 1
    while low <= high:
        middle = (low + high) // 2
        chosen = _cover(distances <= radii[middle], first, ranks, k)
        if chosen is None:
            low = middle + 1
        else:
            high = middle - 1
            # A cover with duplicates in it shows that the radius is enough, but is no selection.
            if not _has_duplicates(distances, chosen, candidates):
                best = _traversed(distances, chosen)
    return best


def _cover(is_near: Booleans, first: int, ranks: Integers, k: int) -> list[int] | None:
    """Up to k that have everybody near, the first among them; None if k were not enough."""
    chosen, is_left = [first], ~is_near[first]
    # Greedy set cover. The best cover is hard to find, so None is no proof that k are too few.
    while is_left.any():
        if len(chosen) == k:
            return None
        counts = is_near[:, is_left].sum(axis=1)
        most = np.flatnonzero(counts == counts.max())
        chosen.append(int(most[np.argmin(ranks[most])]))
        is_left &= ~is_near[chosen[-1]]
    return chosen


def _has_duplicates(distances: Floats, chosen: list[int], candidates: Candidates) -> bool:
    among = distances[np.ix_(chosen, chosen)]
    tolerances = candidates.tolerances(np.array(chosen))
    near = among <= tolerances[:, None] + tolerances
    return bool(np.triu(near, 1).any())


def _traversed(distances: Floats, chosen: list[int]) -> Traversal:
    """The chosen in farthest-first order, with what they leave."""
    left, order, steps = chosen[1:], chosen[:1], [np.inf]
    while left:
        gaps = distances[np.ix_(order, left)].min(axis=0)
        steps.append(float(gaps.max()))
        order.append(left.pop(int(np.argmax(gaps))))
    rows = distances[order]
    owners = rows.argmin(axis=0)
    owners[order] = np.arange(len(order))
    return Traversal(np.array(order, np.int64), np.array(steps), rows.min(axis=0), owners)


class Candidates(Protocol):
    """Whom to choose from, numbered from 0.

    Two are duplicates if their distance is at most the sum of their tolerances.
    """

    def distances_from(self, candidate: int) -> Floats:
        """(n,) distances of one candidate to all."""

    def tolerances(self, candidates: Integers) -> Floats:
        """The tolerances of some candidates."""

    @property
    def ceilings(self) -> Floats:
        """(n,) numbers that the tolerances do not pass; they need no measuring."""


class MatrixCandidates:
    """Some rows of a square matrix; two within ``apart`` are duplicates."""

    def __init__(self, distances: Floats, rows: Integers, apart: float) -> None:
        self._distances, self._rows = distances, rows
        self.ceilings = np.full(len(rows), apart / 2)

    def distances_from(self, candidate: int) -> Floats:
        """(n,) distances of one candidate to all."""
        return np.array(self._distances[self._rows[candidate], self._rows])

    def tolerances(self, candidates: Integers) -> Floats:
        """Half of the distance, for each."""
        return self.ceilings[candidates]


class BehaviorCandidates:
    """Some distinct behaviors of an atlas, known by their ``numbers``, ascending.

    Two no farther than ``apart`` are duplicates; None to measure it as ``duplicates`` does.
    """

    def __init__(
        self, atlas: Atlas, numbers: Integers, measure: Measure, apart: float | None, pool: Executor
    ) -> None:
        self.atlas, self.numbers, self.measure, self._pool = atlas, numbers, measure, pool
        # Of samples no other spelling can be observed.
        self._apart = 0.0 if apart is None and atlas.probe is None else apart
        self._n_outputs = len(atlas.points) * atlas.n_draws
        everybody = len(numbers) == atlas.n_distinct
        rows = atlas.rows if everybody else atlas.rows.pick(numbers)
        if len(numbers) * self._n_outputs <= KEPT:
            rows = rows.with_outputs()  # each is needed once for every choice
        first = atlas.source_groups.members[atlas.source_groups.starts[numbers]]
        self._own = replace(
            atlas, sources=[atlas.sources[source] for source in first.tolist()],
            numbers=np.arange(len(numbers)), rows=rows, metadata={}, texts=None, skipped=(),
            store=None,
        )  # fmt: skip
        self._layout = MatrixAxis(self._own, ordered=False)

    def distances_from(self, candidate: int) -> Floats:
        """(n,) distances of one candidate to all."""
        query = MatrixAxis(Atlas.from_behaviors([self._own[candidate]]), ordered=False)
        values = np.empty((1, len(self.numbers)))
        # Sizes take longer than distances, and are the same whoever asks: they are found once.
        task = MatrixTask(query, self._layout, self.measure.in_own_unit, None)
        fill_array(task, values, self._pool, False)
        distances: Floats = values[0]
        if not self.measure.row.relative:
            return distances
        return kernels.relative(distances, self._sizes[candidate], self._sizes)

    def tolerances(self, candidates: Integers) -> Floats:
        """The tolerances of some candidates, measured now."""
        if self._apart is not None:
            return self.ceilings[candidates]
        # Rows are picked in ascending order, each once.
        numbers, places = np.unique(candidates, return_inverse=True)
        chunks = (self._own.rows.pick(some) for some in chunked(numbers, self._n_outputs))
        measured = np.concatenate([self._measured.measure_all(rows) for rows in chunks])
        return measured[places]

    @cached_property
    def ceilings(self) -> Floats:
        """(n,) numbers that the tolerances do not pass."""
        if self._apart is not None:
            return np.full(len(self.numbers), self._apart / 2)
        relative = self.measure.row.relative  # then sizes have no part in them
        return self._measured.ceilings(np.zeros(len(self.numbers)) if relative else self._sizes)

    def are_defined(self) -> Booleans:
        """(n,) whether each is defined at one of the points at least."""
        return np.concatenate(
            [counts.any(axis=1) for _, counts in self._own.rows.tiles(self._n_outputs)]
        )

    @cached_property
    def _sizes(self) -> Floats:
        """(n,) their distances from zero."""
        tiles = self._own.rows.tiles(self._n_outputs)
        sides = (kernels.prepare(tile, self.measure) for tile in tiles)
        return np.concatenate([kernels.sizes(side, self.measure) for side in sides])

    @cached_property
    def _measured(self) -> Tolerances:
        return Tolerances.of(self.atlas, self.measure)

"""Filter and refine: the exact nearest sources of an atlas, with few distances computed.

Sketches bound distances from below at the speed of memory; distances themselves are computed, by
the kernel of ``distance``, for what these bounds cannot rule out. The best k so far set the limit,
and rows are looked at in the order of their bounds, so that hardly more are computed than must be.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from concurrent.futures import Executor
from dataclasses import dataclass

import numpy as np

from symbed._types import Booleans, Floats, Integers, Singles
from symbed.behavior.atlas import Atlas
from symbed.behavior.behavior import Behavior
from symbed.behavior.distinct_rows import chunked
from symbed.distances import kernels
from symbed.distances.measure import Measure
from symbed.distances.search.sketches import (
    SIZE,
    Masks,
    SketchTable,
    passes,
    reach,
    sketch,
    sketches_of,
)
from symbed.engine.structures.observations import SketchPlan, SortedOutputs

# Exact, since an approximate index does not help: in a design study an HNSW graph in L1 reached a
# recall of 0.78 to 0.86 on a million behaviors, as the scales of outputs are heavy-tailed.
SEEDS = 4096  # rows whose bounds are looked at first
FEW = 3  # times k rows at most are computed before everything is looked at
MANY = 4096  # if bounds leave more than these, the query may dwarf them all


class Search:
    """What all searches in one atlas share; called with a behavior, it finds the k nearest.

    The sketches are made by the executor, and ``advance`` is told how many, now and then.
    """

    def __init__(
        self,
        atlas: Atlas,
        measure: Measure,
        k: int,
        executor: Executor,
        advance: Callable[[int], None] | None = None,
    ) -> None:
        self.atlas, self.measure, self.k = atlas, measure, k
        self.n_outputs = len(atlas.points) * atlas.n_draws
        self.tables = sketches_of(atlas, measure, executor, advance)
        # Bounds on sizes hold among behaviors that are defined at the same points. Others count
        # only if a mismatch is finite, and then everybody is looked at.
        self.mixed = measure.undefined == "strict" and measure.mismatch < math.inf

    def __call__(self, behavior: Behavior) -> tuple[Integers, Floats]:
        """The indices of the k nearest sources, and their distances; ties by index."""
        side = kernels.prepare_one(behavior, self.measure)
        query = Query.of(side, self.tables[0].plan, self.measure)
        best = BestMatches(self.atlas, self.k)
        zones = [slice(0, len(t)) if self.mixed else t.zone(query.mask) for t in self.tables]
        seeds = zones
        if not self.mixed:  # the rows next to the query in size: among them are some that are near
            count = max(SEEDS, 4 * self.k)
            sides = zip(self.tables, zones, strict=True)
            seeds = [table.around(zone, query.size, count) for table, zone in sides]
        numbers, bounds = self._candidates(query, seeds, math.inf)
        order = _smallest(bounds, FEW * self.k)
        # The first k set a limit, which may spare some of the others.
        self._refine(query, best, numbers[order[: self.k]])
        rest = order[self.k :]
        self._refine_sorted(query, best, numbers[rest], bounds[rest])
        if seeds != zones:
            farthest = reach(best.limit, query.norm, self.measure)
            sides = zip(self.tables, zones, strict=True)
            windows = [table.window(zone, query.size, farthest) for table, zone in sides]
            numbers, bounds = self._candidates(query, windows, best.limit)
        self._refine_rest(query, best, numbers, bounds)
        return best.sources(1.0 if self.measure.row.relative else math.inf)

    def _candidates(
        self, query: Query, spans: list[slice], limit: float
    ) -> tuple[Integers, Floats]:
        """Distinct behaviors in a span of each table, and bounds that leave them within a limit."""
        most = query.passes(limit)
        parts = []
        for table, span, first in zip(self.tables, spans, self.atlas.rows.firsts, strict=True):
            rows, bounds = self._bounds(query, table, span, most)
            parts.append((table.rows[rows] + first, bounds))
        numbers, bounds = (np.concatenate(part) for part in zip(*parts, strict=True))
        return _within(most, numbers, bounds)

    def _bounds(
        self, query: Query, table: SketchTable, span: slice, most: float
    ) -> tuple[slice | Integers, Floats]:
        """Rows of a span, and their bounds. The keys, which are fewer, are looked at first."""
        p = self.measure.p
        if self.mixed:
            bounds = table.bounds(span, query.sketch, p)
            return span, self._with_mismatches(bounds, table.one_sided(query.mask))
        coarse = table.key_bounds(span, query.keys)
        near = np.flatnonzero(coarse <= most)
        if len(near) > len(coarse) // 2:
            return span, np.maximum(table.bounds(span, query.sketch, p), coarse)
        rows = near + span.start
        return rows, np.maximum(table.bounds(rows, query.sketch, p), coarse[near])

    def _with_mismatches(self, bounds: Floats, one_sided: Integers) -> Floats:
        p, n_points = self.measure.p, self.tables[0].plan.n_points
        with np.errstate(over="ignore"):
            # A p-mean over all points, to which each one-sided point brings the mismatch.
            added = np.float64(self.measure.mismatch) ** p * (one_sided / n_points)
            raised: Floats = (bounds**p + added) ** (1 / p)
        return raised

    def _refine_rest(
        self, query: Query, best: BestMatches, numbers: Integers, bounds: Floats
    ) -> None:
        """Compute what the bounds cannot rule out and was not seen yet."""
        numbers, bounds = _within(query.passes(best.limit), numbers, bounds)
        is_new = ~best.is_seen[numbers]
        numbers, bounds = numbers[is_new], bounds[is_new]
        # Beside outputs of 1e235 nearly all of an atlas is equally far, and would be computed.
        if len(numbers) > MANY and not self.mixed and not self.measure.row.relative:
            matters = ~self._settle_negligible(query, best, numbers)
            numbers, bounds = numbers[matters], bounds[matters]
        order = np.argsort(bounds)
        self._refine_sorted(query, best, numbers[order], bounds[order])

    def _refine_sorted(
        self, query: Query, best: BestMatches, numbers: Integers, bounds: Floats
    ) -> None:
        """Compute candidates, nearest bound first, until the limit rules out all others."""
        for some in chunked(np.arange(len(numbers)), 2 * self.n_outputs):
            some = some[bounds[some] <= query.passes(best.limit)]
            if not len(some):
                break
            self._refine(query, best, numbers[some])

    def _refine(self, query: Query, best: BestMatches, numbers: Integers) -> None:
        for part in self.atlas.rows.split(numbers):
            for some in chunked(part.rows, 2 * self.n_outputs):
                side = kernels.prepare(part.block.take(some), self.measure)
                best.is_seen[some + part.first] = True
                best.add(some + part.first, kernels.cross(query.side, side, self.measure)[0])

    def _settle_negligible(self, query: Query, best: BestMatches, numbers: Integers) -> Booleans:
        """Add candidates that are too small to matter beside the query; tells which these are.

        All of them are equally far, to the last bit, so only the first k sources can count.
        """
        is_settled = np.zeros(len(numbers), np.bool_)
        for part in self.atlas.rows.split(numbers):
            n_draws = part.block.take(part.rows[:1])[0].shape[1]
            limit, distance = query.negligible(n_draws)
            table = self.tables[part.which]
            places = table.places[part.rows]
            # Where some draws of a point have outputs and others none, the mean says nothing.
            is_small = table.whole[places] & (table.keys[places, SIZE] <= limit)
            small = part.where[is_small]
            first = self.atlas.source_groups.first(numbers[small], self.k)
            best.add(first, np.full(len(first), distance))
            is_settled[small] = True
        return is_settled


def _smallest(bounds: Floats, count: int) -> Integers:
    """The places of the smallest few, in order."""
    if len(bounds) <= 2 * count:
        return np.argsort(bounds)[:count]
    few = np.argpartition(bounds, count)[:count]
    return few[np.argsort(bounds[few])]


def _within(most: float, numbers: Integers, bounds: Floats) -> tuple[Integers, Floats]:
    """Those with bounds up to a limit."""
    near = bounds <= most
    return (numbers, bounds) if near.all() else (numbers[near], bounds[near])


class BestMatches:
    """The distances computed so far up to the limit that the best k sources set."""

    def __init__(self, atlas: Atlas, k: int) -> None:
        self._groups, self._k = atlas.source_groups, k
        self.numbers, self.distances = np.empty(0, np.int64), np.empty(0)
        self.limit = math.inf
        self.is_seen = np.zeros(atlas.n_distinct, np.bool_)  # whose distances were computed

    def add(self, numbers: Integers, distances: Floats) -> None:
        """Add distances of distinct behaviors."""
        near = distances <= self.limit
        numbers = np.concatenate([self.numbers, numbers[near]])
        distances = np.concatenate([self.distances, distances[near]])
        order = np.argsort(distances)
        # k counts sources, several of which may share a behavior.
        behind = np.cumsum(self._groups.counts(numbers[order]))
        last = int(np.searchsorted(behind, self._k))
        if last < len(order):
            self.limit = float(distances[order[last]])
        near = distances <= self.limit
        # What ties with the limit stays, since the smaller index wins in the end.
        self.numbers, self.distances = numbers[near], distances[near]

    def sources(self, farthest: float) -> tuple[Integers, Floats]:
        """The nearest k sources; where too few are near, the first of those that are farthest."""
        near = self.distances < farthest
        indices, owners = self._groups.expand(self.numbers[near])
        distances = self.distances[near][owners]
        order = np.lexsort((indices, distances))[: self._k]
        indices, distances = indices[order], distances[order]
        missing = self._k - len(indices)
        if not missing:
            return indices, distances
        # Of the first k indices at least as many as are missing are not taken.
        others = np.setdiff1d(np.arange(self._k), indices)[:missing]
        return (
            np.concatenate([indices, others]),
            np.concatenate([distances, np.full(missing, farthest)]),
        )


@dataclass(frozen=True, eq=False)
class Query:
    """What is searched for: a behavior with its sketch."""

    side: SortedOutputs  # its prepared outputs, as a block of one row
    sketch: Singles  # (blocks, width)
    mask: Masks  # where it is defined, bit by bit
    keys: Floats  # (3,) its means of |output|, output and sign * output
    norm: float  # its distance from zero
    measure: Measure

    @classmethod
    def of(cls, side: SortedOutputs, plan: SketchPlan, measure: Measure) -> Query:
        """A behavior, given as a block of one prepared row, as a query."""
        values, keys, masks = sketch(side, plan, measure)
        norm = float(kernels.sizes(side, measure)[0])
        return cls(side, values[0], masks[0], keys[0], norm, measure)

    @property
    def size(self) -> float:
        """Its mean |output|."""
        return float(self.keys[SIZE])

    def passes(self, limit: float) -> float:
        """The largest bound that anything within a limit can have."""
        return passes(limit, self.norm, self.measure)

    def negligible(self, n_draws: int) -> tuple[float, float]:
        """A mean |output| below which nothing matters beside this, and how far all that is.

        Differences and sums are rounded monotonically. So if the computed distance is the same for
        outputs that are all smaller by v, and all larger by v, it is the same for any row with
        outputs between -v and v.
        """
        counts = np.where(self.side[1] > 0, np.int32(n_draws), np.int32(0))
        zero = np.where(counts > 0, 0.0, np.nan)[:, None, :].repeat(n_draws, axis=1), counts

        def distances(exponent: int) -> Floats:
            outputs, moved = self.side[0][0], math.ldexp(1.0, exponent)
            sizes = np.abs(outputs)
            with np.errstate(over="ignore"):
                both = np.stack([np.maximum(sizes - moved, 0.0), sizes + moved])
            near = both, self.side[1].repeat(2, axis=0)
            return kernels.cross(near, zero, self.measure)[:, 0]

        # Exponents of the smallest and of the largest double.
        low, high = -1074, 1023
        while high - low > 1:
            middle = (low + high) // 2
            smaller, larger = distances(middle)
            low, high = (middle, high) if smaller == larger else (low, middle)
        smaller, larger = distances(low)
        if smaller != larger:
            return -1.0, 0.0
        # No output is larger than the mean times their number; half of it is room for rounding.
        return math.ldexp(0.5, low) / (n_draws * self.side[0].shape[2]), float(smaller)

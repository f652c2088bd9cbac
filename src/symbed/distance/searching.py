"""Searching: a behavior and the sketches of an atlas go in, its nearest sources come out, exactly.

Filter and refine. Sketches bound distances from below at the speed of memory; distances themselves
are computed, by the kernel of ``distance``, for what these bounds cannot rule out. The best k found
so far set the limit, and rows are looked at in the order of their bounds, so that hardly more are
computed than must be.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from symbed.behavior.atlas import Atlas
from symbed.behavior.behavior import Behavior, Floats
from symbed.distance import kernels
from symbed.distance.metrics import Measure
from symbed.distance.sketch_plan import Plan
from symbed.distance.sketch_twin import FAR_OUT
from symbed.distance.sketches import BOUND_SLACK, LEAST, MEAN_SLACK, SIZE, Places
from symbed.distance.sketches import sketch, sketches_of

SEEDS = 4096  # rows whose bounds are looked at first
AT_ONCE = 64  # rows computed in one call
MANY = 4096  # if bounds leave more than these, the query may dwarf them all


class Search:
    """What all searches in one atlas share; called with a behavior, it finds.

    Parameters
    ----------
    atlas : where to search.
    measure : how to measure.
    k : how many sources to find.
    workers : threads for making the sketches.
    """

    def __init__(self, atlas: Atlas, measure: Measure, k: int, workers: int | None = None) -> None:
        self.measure, self.k = measure, k
        self.blocks = (atlas.fixed, atlas.varied)
        self.tables = sketches_of(atlas, measure, workers)
        self.sources = sources_of(atlas)
        # Bounds on sizes hold among behaviors that are defined at the same points. Others count
        # only if a mismatch is finite, and then everybody is looked at.
        self.mixed = measure.undefined == "strict" and measure.mismatch < math.inf

    def __call__(self, query: Behavior) -> tuple[Places, Floats]:
        """The indices of the k nearest sources, and their distances; ties by index."""
        aim = Aim.at(query, self.tables[0].plan, self.measure)
        best = Best(self.sources, self.k)
        zones = [slice(0, len(t)) if self.mixed else t.zone(aim.mask) for t in self.tables]
        seeds = zones
        if not self.mixed:
            count = max(SEEDS, 4 * self.k)
            sides = zip(self.tables, zones, strict=True)
            seeds = [table.around(zone, aim.size, count) for table, zone in sides]
        numbers, bounds = self._bounds(aim, seeds)
        self._refine(aim, best, numbers[np.argsort(bounds)[: self.k]])
        if seeds != zones:
            reach = aim.reach(best.limit)
            sides = zip(self.tables, zones, strict=True)
            windows = [table.window(zone, aim.size, reach) for table, zone in sides]
            numbers, bounds = self._bounds(aim, windows)
        self._refine_rest(aim, best, numbers, bounds)
        return best.sources(1.0 if self.measure.row.relative else math.inf)

    def _bounds(self, aim: Aim, spans: list[slice]) -> tuple[Places, Floats]:
        """Distinct behaviors in spans of the two tables, and lower bounds of their distances."""
        numbers, bounds, before = [], [], 0
        for table, span, block in zip(self.tables, spans, self.blocks, strict=True):
            found = table.bounds(span, aim.sketch, self.measure.p)
            if self.mixed:
                found = self._with_mismatches(found, table.one_sided(aim.mask))
            numbers.append(table.rows[span] + before)
            bounds.append(found)
            before += len(block)
        return np.concatenate(numbers), np.concatenate(bounds)

    def _with_mismatches(self, bounds: Floats, one_sided: Places) -> Floats:
        p, n_points = self.measure.p, self.tables[0].plan.n_points
        with np.errstate(over="ignore"):
            added = np.float64(self.measure.mismatch) ** p * (one_sided / n_points)
            found: Floats = (bounds**p + added) ** (1 / p)
        return found

    def _refine_rest(self, aim: Aim, best: Best, numbers: Places, bounds: Floats) -> None:
        """Compute what the bounds cannot rule out, nearest bound first."""
        near = bounds <= aim.passes(best.limit)
        near[near] = ~np.isin(numbers[near], best.numbers)
        numbers, bounds = numbers[near], bounds[near]
        if len(numbers) > MANY and not self.mixed and not self.measure.row.relative:
            rest = self._settle_negligible(aim, best, numbers)
            numbers, bounds = numbers[rest], bounds[rest]
        order = np.argsort(bounds)
        for first in range(0, len(order), AT_ONCE):
            some = order[first : first + AT_ONCE]
            some = some[bounds[some] <= aim.passes(best.limit)]
            if not len(some):
                break
            self._refine(aim, best, numbers[some])

    def _settle_negligible(self, aim: Aim, best: Best, numbers: Places) -> NDArray[np.bool_]:
        """Add what is too small to matter beside the query, and tell which of the rest is left.

        All of it is equally far, to the last bit, so that only the first k sources count.
        """
        left = np.ones(len(numbers), np.bool_)
        before = 0
        for table, block in zip(self.tables, self.blocks, strict=True):
            if len(block):
                side = block.take(np.zeros(1, np.int64))
                size, distance = aim.negligible(side[0].shape[1])
                zone = table.zone(aim.mask)
                small = table.whole[zone] & (table.keys[zone, SIZE] <= size)
                some = table.rows[zone][small] + before
                some = np.intersect1d(some, numbers)
                left &= ~np.isin(numbers, some)
                best.add(self.sources.first(some, self.k), distance)
            before += len(block)
        return left

    def _refine(self, aim: Aim, best: Best, numbers: Places) -> None:
        n_fixed = len(self.blocks[0])
        is_fixed = numbers < n_fixed
        fixed, varied = self.blocks
        parts = (fixed, numbers[is_fixed], 0), (varied, numbers[~is_fixed], n_fixed)
        for block, part, before in parts:
            for first in range(0, len(part), AT_ONCE):
                some = part[first : first + AT_ONCE]
                side = kernels.prepare(block.take(some - before), self.measure)
                best.add(some, kernels.cross(aim.side, side, self.measure)[0])


@dataclass(frozen=True, eq=False)
class Aim:
    """What is searched for.

    Attributes
    ----------
    side : its prepared outputs.
    sketch : (blocks, width) its sketch.
    mask : where it is defined, bit by bit.
    size : its mean |output|.
    norm : its distance from zero.
    measure : how distances are measured.
    """

    side: kernels.Side
    sketch: NDArray[np.float32]
    mask: NDArray[np.uint8]
    size: float
    norm: float
    measure: Measure

    @classmethod
    def at(cls, query: Behavior, plan: Plan, measure: Measure) -> Aim:
        """A behavior as an aim."""
        side = kernels.prepare((query.outputs[None], query.counts[None]), measure)
        values, keys, masks = sketch(side, plan, measure)
        norm = float(kernels.sizes(side, measure)[0])
        return cls(side, values[0], masks[0], float(keys[0, SIZE]), norm, measure)

    def reach(self, limit: float) -> float:
        """The largest plain distance of anything that the measure puts within a limit.

        For the relative measure, 2d / (a + b + d) with b <= a + d is at least d / (a + d).
        """
        if not self.measure.row.relative:
            return limit
        limit *= 1 + 1e-12
        if limit >= 1 or (self.measure.undefined == "strict" and self.measure.mismatch < math.inf):
            return math.inf
        return limit / (1 - limit) * self.norm

    def passes(self, limit: float) -> float:
        """The largest bound that anything within a limit can have, with slack for rounding."""
        slack = 2 * MEAN_SLACK * min(self.norm, FAR_OUT) + LEAST
        return self.reach(limit) * (1 + BOUND_SLACK) + slack


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

        low, high = -1074, 1023
        while high - low > 1:
            middle = (low + high) // 2
            smaller, larger = distances(middle)
            low, high = (middle, high) if smaller == larger else (low, middle)
        smaller, larger = distances(low)
        if smaller != larger:
            return -1.0, 0.0
        return math.ldexp(0.5, low) / (n_draws * self.side[0].shape[2]), float(smaller)


class Best:
    """Distances computed so far, and the limit that the best k sources set."""

    def __init__(self, shared: Sources, k: int) -> None:
        self._shared, self._k = shared, k
        self.numbers = np.empty(0, np.int64)
        self.distances = np.empty(0)
        self.limit = math.inf

    def add(self, numbers: Places, distances: Floats) -> None:
        """Add distances of distinct behaviors."""
        self.numbers = np.concatenate([self.numbers, numbers])
        self.distances = np.concatenate([self.distances, distances])
        order = np.argsort(self.distances)
        behind = np.cumsum(self._shared.counts[self.numbers[order]])
        last = int(np.searchsorted(behind, self._k))
        if last < len(order):
            self.limit = float(self.distances[order[last]])

    def sources(self, farthest: float) -> tuple[Places, Floats]:
        """The nearest k sources; where too few are near, the first of those that are farthest."""
        near = (self.distances <= self.limit) & (self.distances < farthest)
        indices, owners = self._shared.expand(self.numbers[near])
        distances = self.distances[near][owners]
        order = np.lexsort((indices, distances))[: self._k]
        indices, distances = indices[order], distances[order]
        missing = self._k - len(indices)
        others = np.setdiff1d(np.arange(self._k), indices)[:missing]
        return (
            np.concatenate([indices, others]),
            np.concatenate([distances, np.full(missing, farthest)]),
        )


@dataclass(frozen=True, eq=False)
class Sources:
    """Which sources share a distinct behavior; the fixed ones are numbered first.

    Attributes
    ----------
    members : (n_sources,) sources, ordered by their distinct behavior.
    starts : (n_distinct + 1,) where the sources of each begin.
    """

    members: Places
    starts: Places

    @property
    def counts(self) -> Places:
        """(n_distinct,) number of sources of each distinct behavior."""
        return np.diff(self.starts)

    def expand(self, numbers: Places) -> tuple[Places, Places]:
        """The sources of some distinct behaviors, and which of these each comes from."""
        counts = self.starts[numbers + 1] - self.starts[numbers]
        owners = np.repeat(np.arange(len(numbers)), counts)
        inside = np.arange(len(owners)) - np.repeat(np.cumsum(counts) - counts, counts)
        return self.members[self.starts[numbers][owners] + inside], owners


_sources: WeakKeyDictionary[Atlas, Sources] = WeakKeyDictionary()


def sources_of(atlas: Atlas) -> Sources:
    """The sources of an atlas by distinct behavior; made once and kept."""
    found = _sources.get(atlas)
    if found is None:
        numbers = np.where(atlas.places >= 0, atlas.places, len(atlas.fixed) - 1 - atlas.places)
        counts = np.bincount(numbers, minlength=atlas.n_distinct)
        starts = np.concatenate([[0], np.cumsum(counts)])
        found = _sources[atlas] = Sources(np.argsort(numbers, kind="stable"), starts)
    return found

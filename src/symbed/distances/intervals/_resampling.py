"""Two behaviors under several sets of draws: what the draws add to a distance, and what is left.

How far a distance scatters with the draws shows when they are drawn again. And two samples of one
distribution differ, so distances of samples are too large. But one set of draws can choose how to
tell two families apart, and a second, independent one be told apart that way: on average the result
is no larger than the true distance, and 0 for families that are equal in law. Such *cross-fitted*
bounds have no noise floor.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cached_property, lru_cache
from itertools import combinations
from typing import NamedTuple

import numpy as np

from symbed._types import Booleans, Counts, Floats
from symbed.behavior.behavior import Behavior
from symbed.distances import kernels
from symbed.distances.intervals._standard_errors import Scatter, as_costs, mean, point_scatter
from symbed.distances.measure import Measure
from symbed.engine.backend import active_backend
from symbed.engine.structures.observations import SortedOutputs
from symbed.sampling.probe import Probe

Sides = tuple[Behavior, Behavior]

REDRAWS = 3  # if one draw set serves all points, only drawing again shows the scatter of draws
STUDENT_OF_FOUR = 1.6  # Student's t with 3 degrees of freedom is that much wider than 2 errors
MIN_DRAWS = 8  # that can be cut into quarters
KEPT = 1 << 16  # outputs of a side up to which other looks at it are kept for the next comparison
N_KEPT = 32  # looks, of which a comparison needs at most 10; so all of a side that comes up again
ROUNDING = 1e-12  # share of the outputs below which a gap of their means is no gap
QUANTILE_BIAS = 0.5  # share of what draws add to squares
SHRINK = 2.0**-64  # for outputs whose differences overflow


def observed_at(side: Behavior, probe: Probe) -> Behavior | None:
    """A behavior at the points and draws of another probe; None if it cannot be observed there."""
    return _again(side, "at", probe)


def _again(side: Behavior, way: str, which: object) -> Behavior | None:
    """A behavior observed in another way; of who is compared with many it is asked for often."""
    look = _look if side.outputs.size <= KEPT else _look.__wrapped__
    return look(side, way, which)


@lru_cache(maxsize=N_KEPT)
def _look(side: Behavior, way: str, which: object) -> Behavior | None:
    behavior: Behavior | None = getattr(side.origin, way)(which) if side.origin else None
    return behavior


class Resampling:
    """Two behaviors of the same points, and what they become when they are observed again.

    They are compared where ``is_finite`` is true: both are defined there.
    """

    def __init__(self, a: Behavior, b: Behavior, is_finite: Booleans) -> None:
        self.a, self.b, self.is_finite = a, b, is_finite
        # An expression without parameters has one output for every draw.
        self.drawn = [side for side in (a, b) if len(side.outputs) > 1 or side.n_draws == 1]
        self.per_point = all(getattr(side.origin, "per_point", False) for side in self.drawn)
        self.probe: Probe | None = getattr((a.origin or b.origin), "probe", None)
        # Points that a user gave are no sample, and do not scatter.
        self.chosen = self.probe is not None and self.probe.data is None

    def point_scatter(self, costs: Floats) -> Scatter:
        """Scatter of a mean cost from the choice of points; none where nobody chose them."""
        if self.probe is None or not self.chosen:
            return Scatter(0.0)
        return point_scatter(costs, self._positions, self.probe.row.scatter)

    @cached_property
    def largest(self) -> float:
        """The largest magnitude of any output."""
        return max(kernels.largest(self.a.outputs), kernels.largest(self.b.outputs))

    @cached_property
    def _positions(self) -> Floats:
        assert self.probe is not None
        return self.probe.unit_points[self.is_finite]

    @property
    def needs_redraws(self) -> bool:
        """Whether residuals at the points miss the scatter of the draws."""
        return bool(self.drawn) and not (self.per_point and self.chosen)

    @cached_property
    def sets(self) -> list[Sides]:
        """Both sides under independent sets of draws: redrawn, or cut into quarters."""
        if not self.drawn:
            return [(self.a, self.b)]
        if self.redrawn:
            return [(self.a, self.b), *self.redrawn]
        if min(side.n_draws for side in self.drawn) < MIN_DRAWS:
            return [(self.a, self.b)]
        # Four sets, as many as redrawing makes: one Student's t serves both.
        quarters = [(self._quarter(self.a, k), self._quarter(self.b, k)) for k in range(4)]
        return _known(quarters) or [(self.a, self.b)]

    @cached_property
    def redrawn(self) -> list[Sides]:
        """Both with other draws, as often as it takes; empty if one cannot be drawn again."""
        # Where residuals have the scatter of the draws, one redraw is enough, for bounds and floor.
        times = range(1, REDRAWS + 1 if self.needs_redraws else 2)
        again = _known([(self._redrawn(self.a, k), self._redrawn(self.b, k)) for k in times])
        return again if len(again) == len(times) else []

    @cached_property
    def selves(self) -> list[Sides]:
        """Each side that has draws, and itself with other draws."""
        if not self.redrawn:
            return _known([(side, self._redrawn(side, 1)) for side in self.drawn])
        again = dict(zip((id(self.a), id(self.b)), self.redrawn[0], strict=True))
        return [(side, again[id(side)]) for side in self.drawn]

    def draw_error(self, repeated: Sequence[Floats]) -> float:
        """Standard error of a mean cost from the choice of draws.

        With draws of its own at each point, one redraw tells as much as there are points; with one
        draw set for all points, the means of a few redraws are all there is. ``repeated`` are the
        costs under each of the sets, the first of which counts.
        """
        if self.redrawn and self.per_point:
            return _gap_error(repeated[0], repeated[1])
        spread = STUDENT_OF_FOUR * _deviation(repeated)
        # Quarters are parts of the draws, and all draws scatter less than each of them.
        return spread if self.redrawn else spread / math.sqrt(len(repeated))

    def pair_error(self, repeated: Sequence[Floats] | Floats) -> float:
        """Standard error of a mean over pairs of sets; the first and the last share none."""
        if self.redrawn and self.per_point and len(repeated) > 1:
            return _gap_error(repeated[0], repeated[-1])
        return STUDENT_OF_FOUR * _deviation(repeated)

    def _redrawn(self, side: Behavior, k: int) -> Behavior | None:
        is_drawn = any(side is one for one in self.drawn)
        return _again(side, "redrawn", k) if is_drawn else side

    def _quarter(self, side: Behavior, which: int) -> Behavior | None:
        if all(side is not one for one in self.drawn):
            return side
        half = _again(side, "half", which // 2)
        return _again(half, "half", which % 2) if half else None


def _known(seen: Sequence[tuple[Behavior | None, Behavior | None]]) -> list[Sides]:
    return [(u, v) for u, v in seen if u is not None and v is not None]


def _gap_error(costs: Floats, others: Floats) -> float:
    gaps = (costs - others)[np.isfinite(others)]
    # The gap of two independent costs has twice the variance of one.
    return math.sqrt(mean(gaps**2) / (2 * len(costs))) if len(gaps) else math.inf


def _deviation(repeated: Sequence[Floats] | Floats) -> float:
    """Standard deviation of some means."""
    finite = (costs[np.isfinite(costs)] for costs in repeated)
    means = [mean(costs) for costs in finite if len(costs)]
    return float(np.std(means, ddof=1)) if len(means) > 1 else math.inf


class Bound(NamedTuple):
    """A bound of a distance from below, by each pair of draw sets.

    The mean of the costs, to the power 1/order, is on average no larger than the distance.
    """

    costs: list[Floats]  # (n_points,) of each pair
    order: int  # 1, or 2 for squares


def cross_fitted(sets: Sequence[Sides], measure: Measure, factor: float = 1.0) -> list[Bound]:
    """Bounds of the distance of two families under a measure, best for different pairs of families.

    The dual bound of the Wasserstein-1 distance (see ``Backend.dual_bounds``), and the gap of mean
    outputs, which has less scatter and is as good where one side lies above the other.

    Each of ``sets`` has both families under independent draws; the measure is in the outputs' own
    unit (``Measure.in_own_unit``), and distances are multiplied by ``factor``, so that squares do
    not overflow.
    """
    drawn = [_DrawSet(sides, measure, factor) for sides in sets]
    pairs = list(combinations(drawn, 2))
    duals = [one.dual(other) for one, other in pairs]
    if measure.p == 1:
        signed = [
            0.5 * (np.sign(one.gaps) * other.gaps + np.sign(other.gaps) * one.gaps)
            for one, other in pairs
        ]
        return [Bound([dual.mean(axis=0) for dual in duals], 1), Bound(signed, 1)]
    # For p = 2, by Cauchy and Schwarz: W2 >= W1, weighted by what the other draws say.
    weighted = [
        (dual * np.stack([one.weights, other.weights])).mean(axis=0)
        for dual, (one, other) in zip(duals, pairs, strict=True)
    ]
    squares = [one.gaps * other.gaps for one, other in pairs]
    quantiles = [one.quantile_products(other) for one, other in pairs]
    return [Bound(weighted, 1), Bound(squares, 2), Bound(quantiles, 2)]


class _DrawSet:
    """Two families under one set of draws: what every pair with another set needs of it."""

    def __init__(self, behaviors: Sides, measure: Measure, factor: float) -> None:
        self.measure, self.factor = measure, factor
        a, b = behaviors
        self.sides = kernels.prepare_one(a, measure), kernels.prepare_one(b, measure)
        if measure.undefined == "cemetery":  # what is undefined lies behind zero
            at_zero = kernels.undefined_at_zero
            self.sides = at_zero(self.sides[0]), at_zero(self.sides[1])
            assert measure.penalty is not None
            undefined_gap = b.counts / len(b.outputs) - a.counts / len(a.outputs)
            self.undefined: Floats = factor * measure.penalty * undefined_gap
        self.gaps = as_costs(_mean_gaps(*self.sides), factor, 1)

    def dual(self, other: _DrawSet) -> Floats:
        """(2, n_points) dual bounds of this set on another and the reverse; 0 if undefined."""
        bounds = active_backend().dual_bounds(self.sides, other.sides)
        if np.isinf(bounds).any():
            # By a power of two, so that nothing is rounded on the way.
            bounds = active_backend().dual_bounds(_shrunk(self.sides), _shrunk(other.sides))
            bounds /= SHRINK
        costs = as_costs(np.where(np.isfinite(bounds), bounds, 0.0), self.factor, 1)
        if self.measure.undefined != "cemetery":
            return costs
        # The way to the cemetery leads through zero: its part is a gap of masses by the penalty.
        one, two = self.undefined, other.undefined
        return costs + np.stack([np.sign(one) * two, np.sign(two) * one])

    @cached_property
    def weights(self) -> Floats:
        """(n_points,) the distances between the sides, of root mean square 1."""
        profile = kernels.profile(*self.sides, self.measure)
        profile = np.where(np.isfinite(profile), profile, 0.0)
        return np.asarray(profile / (kernels.power_mean(profile, 2) or 1.0))

    @cached_property
    def _quantiles(self) -> tuple[Floats, Booleans]:
        """(m, n_points) differences of quantiles, and where all outputs are defined."""
        (e, e_counts), (f, f_counts) = self.sides
        known = (e_counts[0] == e.shape[1]) & (f_counts[0] == f.shape[1])
        with np.errstate(over="ignore", invalid="ignore"):
            gaps = np.where(known, (e - f)[0], 0.0)
        return as_costs(gaps, self.factor, 1), known

    def quantile_products(self, other: _DrawSet) -> Floats:
        """Products of the differences of quantiles under two sets, less what may be bias.

        Their mean would be W2 squared, did the quantiles of samples have no bias of their own. It
        is some share of what the draws add to the squares, at most 0.28 of it for families that are
        equal in law (``sign(a)*b`` and ``b`` among the worst); ``QUANTILE_BIAS`` of it is taken
        off. 0 where outputs are undefined or cannot be paired.
        """
        drawn = {outputs.shape[1] for outputs, _ in (*self.sides, *other.sides)} - {1}
        if len(drawn) > 1:
            return np.zeros(len(self.gaps))
        (one, one_known), (two, two_known) = self._quantiles, other._quantiles
        known = one_known & two_known
        one, two = np.where(known, one, 0.0), np.where(known, two, 0.0)
        products, squares = (one * two).mean(axis=0), 0.5 * (one**2 + two**2).mean(axis=0)
        return np.asarray(products - QUANTILE_BIAS * (squares - products))


def _shrunk(sides: tuple[SortedOutputs, SortedOutputs]) -> tuple[SortedOutputs, SortedOutputs]:
    (e, e_counts), (f, f_counts) = sides
    return (SHRINK * e, e_counts), (SHRINK * f, f_counts)


def _mean_gaps(a: SortedOutputs, b: SortedOutputs) -> Floats:
    """Differences of the mean outputs at every point, 0 where a side is undefined."""
    (u, u_size, u_known), (v, v_size, v_known) = _means(*a), _means(*b)
    gaps = u - v
    sure = np.maximum(np.abs(gaps) - ROUNDING * (u_size + v_size), 0.0)
    return np.where(u_known & v_known, np.copysign(sure, gaps), 0.0)


def _means(outputs: Floats, counts: Counts) -> tuple[Floats, Floats, Booleans]:
    """Mean, mean magnitude, and whether there are outputs, at every point."""
    known = outputs[0]
    if counts.min() < len(known):
        known = np.where(np.isnan(known), 0.0, known)
    shares = known / np.maximum(counts[0], 1)  # first: the sum could overflow
    return shares.sum(axis=0), np.abs(shares).sum(axis=0), counts[0] > 0

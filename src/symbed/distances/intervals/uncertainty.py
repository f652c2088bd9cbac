"""How far to trust a distance: its standard error, bias, interval, noise floor and resolution.

Four things are wrong with a distance from finitely many points and draws. *Scatter*: other points
or draws would have given another value; the standard error says by how much. *Bias*: two samples of
one distribution differ, so the value is too high; lower bounds that one set of draws chooses and
another one measures have no such bias. The *noise floor*: what two equal expressions show that do
not share their draws. And *resolution*: what lies between the points or beyond the draws, which
second looks find.

Costs are point-wise distances to the power p; their mean is the distance to the power p.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from symbed._types import Floats
from symbed.behavior.behavior import Behavior
from symbed.distances import kernels
from symbed.distances.intervals.resampling import Resampling, cross_fitted
from symbed.distances.intervals.resolution import (
    FEW,
    NOTABLE,
    WIDE,
    Findings,
    Reason,
    few_reason,
    look_again,
)
from symbed.distances.intervals.standard_errors import WIDTH, Scatter, as_costs, mean
from symbed.distances.measure import Measure

Between = Callable[[Behavior, Behavior], Floats]

UNALIGNED = 0.5  # share of a distance that is noise of the draws, if draws were not aligned
SMALLEST = 1e-300  # distances below it are not set in relation to anything
FAR_LARGER = 1e30  # what second looks find, in the unit of the costs, before the unit is changed
ROUNDING = 1e-9  # share of the outputs below which nothing is made of a distance


class Uncertainty(NamedTuple):
    """What must be told beside a distance."""

    stderr: float  # standard error of the distance; infinite where nothing can be said
    interval: tuple[float, float]  # made to hold the true value in 95 of 100 cases
    noise_floor: float  # what equal expressions that share no draws would show
    reason: Reason = ""  # what points and draws do not resolve; empty if they do


class Estimate(NamedTuple):
    """A mean of costs, which is a distance to the power ``order`` or bounds one from below."""

    mean: float
    scatter: Scatter
    order: int

    @property
    def root(self) -> float:
        """The distance."""
        return float(max(0.0, self.mean) ** (1 / self.order))

    @property
    def low(self) -> float:
        """The lower end of its interval."""
        return float(max(0.0, self.mean - self.scatter.half_width) ** (1 / self.order))


def assess(
    a: Behavior,
    b: Behavior,
    value: float,
    profile: Floats,
    between: Between,
    measure: Measure,
    unit: float = SMALLEST,
) -> Uncertainty:
    """How far to trust the distance of two behaviors.

    Parameters
    ----------
    a, b : Behavior
        Their origins let them be observed again with other draws, and elsewhere.
    value, profile : float, (n_points,) array
        Their distance, and what it is at each point.
    between : callable
        Gives the profile of any two behaviors at these points.
    measure : Measure
        How they are measured.
    unit : float
        Costs are in units of this or of the largest distance, so that no power of them overflows.
    """
    told = np.isfinite(profile)
    if not told.any():  # nowhere both defined: infinite by definition, and nothing to be judged
        return Uncertainty(math.inf, (value, math.inf), 0.0)
    factor = _unit(a, b, value, measure)
    if math.isinf(factor):  # a relative distance is 1 by definition where one side is undefined
        return Uncertainty(0.0, (value, value), 0.0)
    scale = max(float(profile[told].max()), unit) if profile[told].any() else max(1.0, unit)
    order = 2 if measure.metric == "energy" else measure.p  # squared, it has no bias

    def costs(u: Behavior, v: Behavior) -> Floats:
        return as_costs(between(u, v)[told], 1.0 / scale, order)

    sample = Resampling(a, b, told)
    own = as_costs(profile[told], 1.0 / scale, order)
    whole = Estimate(mean(own), _scatter_of(own, sample, costs), order)
    whole = whole._replace(scatter=whole.scatter.beside(_size_error(sample, measure, value, whole)))
    bounds = _bounds(sample, measure, factor / scale)
    # Bounds have no noise floor: what the distance has beyond the best of them may be noise.
    bias = max(0.0, whole.root - max((bound.root for bound in bounds), default=whole.root))
    floor = max((_finite_mean(costs(u, v)) ** (1 / order) for u, v in sample.selves), default=0.0)
    seen = look_again(a, b, measure.in_own_unit, scale / factor, whole.mean)
    if seen.largest * factor > FAR_LARGER * scale:  # else it would be cut off
        return assess(a, b, value, profile, between, measure, seen.largest * factor)
    if measure.metric == "energy":  # not a mean over points: how far these move it is not known
        seen = seen._replace(shift=0.0, blur=0.0, beyond=0.0, hidden=0.0, drawn=0.0)
    # Where draws have no part there is no bias, and the distance bounds itself.
    low = min(max(bound.low for bound in bounds or [whole]), whole.root)
    reason = seen.reason or _reason(sample, seen, whole, own, bias, low, scale / factor)
    low, high = _widened(seen, reason, low, whole)
    if not told.all():  # infinite for its mismatches; the finite part bounds it from below
        lowest = scale * low * float(told.mean()) ** (1 / order)
        return Uncertainty(math.inf, (lowest, math.inf), scale * floor, reason)
    above = scale * max(0.0, high - whole.root)
    interval = (min(value, scale * low), min(value + above, measure.row.largest))
    return Uncertainty(above / WIDTH, interval, scale * floor, reason)


def _scatter_of(own: Floats, sample: Resampling, costs: Between) -> Scatter:
    """Scatter of the mean cost: from the points, if they were chosen for us, and from the draws."""
    scatter = sample.point_scatter(own)
    if not sample.needs_redraws:
        return scatter  # the residuals hold the scatter of the draws
    # The first set is the two behaviors themselves, unless sets are parts of their draws.
    repeated = [own if u is sample.a and v is sample.b else costs(u, v) for u, v in sample.sets]
    return scatter.beside(sample.draw_error(repeated))


def _bounds(sample: Resampling, measure: Measure, factor: float) -> list[Estimate]:
    """Lower bounds in units of the costs; none where draws have no part, or make no bias."""
    if not sample.drawn or measure.metric == "energy":
        return []
    if len(sample.sets) < 2:
        return [Estimate(0.0, Scatter(0.0), 1)]  # nothing is known of the draws
    estimates = []
    for bound in cross_fitted(sample.sets, measure.in_own_unit, factor):
        costs = np.stack([each[sample.told] for each in bound.costs])
        scatter = sample.point_scatter(np.add.reduce(costs) / len(costs))
        if sample.needs_redraws:
            scatter = scatter.beside(sample.pair_error(costs))
        estimates.append(Estimate(float(costs.mean()), scatter, bound.order))
    return estimates


def _unit(a: Behavior, b: Behavior, value: float, measure: Measure) -> float:
    """A relative distance over that in the outputs' own unit; infinite if the latter is."""
    if not measure.row.relative:
        return 1.0
    u, v = (kernels.prepare_one(side, measure) for side in (a, b))
    plain = kernels.power_mean(kernels.profile(u, v, measure.in_own_unit), measure.p)
    if math.isinf(plain):
        return plain
    return value / plain if plain > SMALLEST and value > 0 else 1.0


def _size_error(sample: Resampling, measure: Measure, value: float, whole: Estimate) -> float:
    """What the scatter of the outputs' size adds to that of a relative distance's mean cost.

    Of r = 2 d / (s + d), a share e of s is a share e (1 - r/2) of r.
    """
    if not measure.row.relative:
        return 0.0
    sizes = np.zeros(int(sample.told.sum()))
    largest = sample.largest or 1.0
    for side in (sample.a, sample.b):
        shares = np.nan_to_num(np.abs(side.outputs[:, sample.told]) / largest) ** measure.p
        sizes += shares.sum(axis=0) / np.maximum(side.counts[sample.told], 1)
    size = mean(sizes)
    if size == 0.0:
        return 0.0
    error = sample.point_scatter(sizes).error / size  # of s to the power p, as that of costs is
    return error * max(0.0, 1.0 - value / 2) * whole.mean if math.isfinite(error) else 0.0


def _reason(
    sample: Resampling, seen: Findings, whole: Estimate, costs: Floats, bias: float, low: float,
    unit: float,
) -> Reason:  # fmt: skip
    """What is not resolved by the numbers' own account."""
    width = whole.scatter.half_width
    if math.isinf(width):
        return "oscillates" if len(costs) == 1 and sample.chosen else "draws not aligned"
    most = whole.mean + seen.hidden + seen.drawn
    if most ** (1 / whole.order) * unit <= ROUNDING * sample.largest:
        return ""
    if seen.hidden > max(width, NOTABLE * whole.mean):
        return "peaks"
    if max(seen.drawn, seen.beyond) > max(width, NOTABLE * whole.mean):
        return "heavy tails"
    if whole.scatter.size < FEW and width > WIDE * whole.mean:
        reason = few_reason(whole.scatter, seen.own, costs)
        return reason if sample.drawn or reason != "heavy tails" else "peaks"
    noisy = bias > UNALIGNED * whole.root and bias > width ** (1 / whole.order)
    return "draws not aligned" if noisy and (whole.order == 1 or low == 0.0) else ""


def _widened(seen: Findings, reason: Reason, low: float, whole: Estimate) -> tuple[float, float]:
    """The interval of the distance, with what second looks add to it."""
    blur = abs(seen.shift) + seen.blur if seen.reason else 0.0
    # The interval always holds where finer points move the mean to, also if that is no surprise.
    moved = whole.mean + seen.shift
    blur += seen.hidden + seen.drawn
    least = max(0.0, min(low**whole.order, moved) - blur) if math.isfinite(blur) else 0.0
    beyond = seen.beyond * (2 if reason == "heavy tails" else 1)
    most = max(whole.mean + whole.scatter.half_width, moved) + blur + beyond
    return least ** (1 / whole.order), most ** (1 / whole.order)


def _finite_mean(costs: Floats) -> float:
    """The mean of the finite costs: other draws can be undefined where these were not."""
    finite = costs[np.isfinite(costs)]
    return mean(finite) if len(finite) else 0.0

"""How far to trust a distance: its standard error, bias, interval, noise floor and resolution.

Four things are wrong with a distance from finitely many points and draws. *Scatter*: other points
or draws would have given another value; the standard error says by how much. *Bias*: two samples of
one distribution differ, so the value is too high; lower bounds that one set of draws chooses and
another one measures have no such bias. The *noise floor*: what two equal expressions show that do
not share their draws. And *resolution*: a distance can be wrong without any sign of it in its own
numbers, by waves in step with the points, needles between them, tails beyond the draws. A few
members of both families at many more points, and draws at the edges of the parameters' ranges, show
what was missed.

Costs are point-wise distances to the power p; their mean is the distance to the power p.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Literal, NamedTuple

import numpy as np

from symbed._types import Floats
from symbed.behavior.behavior import Behavior
from symbed.distances import kernels
from symbed.distances.intervals._hidden_peaks import HiddenPeaks, hidden_peaks
from symbed.distances.intervals._resampling import Resampling, cross_fitted, observed_at
from symbed.distances.intervals._standard_errors import (
    WIDEST,
    WIDTH,
    Scatter,
    as_costs,
    line_scatter,
    mean,
    point_scatter,
)
from symbed.distances.measure import Measure
from symbed.engine.structures.observations import SortedOutputs
from symbed.language.expression import Expression
from symbed.sampling.looks import FinerLook, edge_look, finer_look, probe_at
from symbed.sampling.probe import Probe

Between = Callable[[Behavior, Behavior], Floats]
Reason = Literal["", "oscillates", "peaks", "jumps", "heavy tails", "draws not aligned"]

MENDED_BY_POINTS: tuple[Reason, ...] = ("oscillates", "peaks", "jumps")
MENDED_BY_DRAWS: tuple[Reason, ...] = ("heavy tails", "draws not aligned")
REMEDIES: dict[Reason, str] = {
    "": "",
    "oscillates": "more points ({n_points}) would help",
    "peaks": "more points ({n_points}) or a domain around the peak would help",
    "jumps": "more points ({n_points}) would help",
    "heavy tails": "more draws ({n_draws}), narrower parameter ranges or {metric} would help",
    "draws not aligned": "more draws ({n_draws}) would help; decide and relate tell what is equal",
}
IN_PYTHON = {"n_points": "n_points", "n_draws": "n_draws", "metric": "metric='arcsinh'"}
IN_COMMANDS = {"n_points": "--points", "n_draws": "--draws", "metric": "--metric arcsinh"}

# These were found on the 124 pairs of benchmarks.intervals, and then judged on 166 others.
SURPRISE = 1.5  # a shift of so many half-widths is no chance
NOTABLE = 0.02  # share of the whole below which nothing is made of a finding
ONE_POINT = 0.2  # share of the whole at one of the finer points: a peak that they do not resolve
FEW = 4.0  # residuals that outweigh the others
WIDE = 0.1  # ... and then a half-width of this share of the distance is too wide
SPARSE = 0.1  # share of the points at which a peaked profile has its mass
STEEPEST = 8  # steps that have half of the variation of what jumps
PEAK_ERROR = 2.0  # by which their mass may be larger than is found by halving distances
UNALIGNED = 0.5  # share of a distance that is noise of the draws, if draws were not aligned
SMALLEST = 1e-300  # distances below it are not set in relation to anything
FAR_LARGER = 1e30  # what second looks find, in the unit of the costs, before the unit is changed
# Shares of the outputs: below it differences are rounding, or nothing is made of a distance.
ROUNDING, NEGLIGIBLE = 1e-12, 1e-9


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
    """How far to trust the distance of two behaviors, which is ``profile`` at each point.

    Their origins let them be observed again with other draws, and elsewhere; ``between`` gives the
    profile of any two behaviors at these points. Costs are in the ``unit`` given or in that of the
    largest distance, so that no power of them overflows.
    """
    is_finite = np.isfinite(profile)
    if not is_finite.any():  # nowhere both defined: infinite by definition, and not judged
        return Uncertainty(math.inf, (value, math.inf), 0.0)
    factor = _unit(a, b, value, measure)
    if math.isinf(factor):  # a relative distance is 1 by definition where one side is undefined
        return Uncertainty(0.0, (value, value), 0.0)
    scale = max(float(profile[is_finite].max()) or 1.0, unit)
    order = 2 if measure.metric == "energy" else measure.p  # squared, it has no bias

    def costs(u: Behavior, v: Behavior) -> Floats:
        return as_costs(between(u, v)[is_finite], 1.0 / scale, order)

    sample = Resampling(a, b, is_finite)
    own = as_costs(profile[is_finite], 1.0 / scale, order)
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
    if not is_finite.all():  # infinite for its mismatches; the finite part bounds it from below
        lowest = scale * low * float(is_finite.mean()) ** (1 / order)
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
        costs = np.stack([each[sample.is_finite] for each in bound.costs])
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
    sizes = np.zeros(int(sample.is_finite.sum()))
    largest = sample.largest or 1.0
    for side in (sample.a, sample.b):
        shares = np.nan_to_num(np.abs(side.outputs[:, sample.is_finite]) / largest) ** measure.p
        sizes += shares.sum(axis=0) / np.maximum(side.counts[sample.is_finite], 1)
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
    if seen.diverges:  # however little of it the points have seen
        return "peaks"
    most = whole.mean + seen.hidden + seen.drawn
    if most ** (1 / whole.order) * unit <= NEGLIGIBLE * sample.largest:
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
    # The interval always holds where finer points move the mean to, also if that is no surprise.
    # They are a sample, too: of a step near an edge they leave a part of a cell.
    moved = whole.mean + seen.shift
    blur = seen.hidden + seen.drawn + (abs(seen.shift) + seen.blur if seen.reason else 0.0)
    error = 0.0 if seen.reason else seen.blur
    lowest = min(low**whole.order, moved - error)
    least = max(0.0, lowest - blur) if math.isfinite(blur) else 0.0
    beyond = seen.beyond * (2 if reason == "heavy tails" else 1)
    most = max(whole.mean + whole.scatter.half_width, moved + error) + blur + beyond
    return least ** (1 / whole.order), most ** (1 / whole.order)


def _finite_mean(costs: Floats) -> float:
    """The mean of the finite costs: other draws can be undefined where these were not."""
    finite = costs[np.isfinite(costs)]
    return mean(finite) if len(finite) else 0.0


class Findings(NamedTuple):
    """What second looks found; costs are point-wise distances to the power p, in some unit."""

    reason: Reason = ""  # what is not resolved; empty if nothing is known of it
    shift: float = 0.0  # by how much finer points move the mean cost
    blur: float = 0.0  # how uncertain that is
    beyond: float = 0.0  # what draws beyond all others may add to the mean cost
    hidden: float = 0.0  # ... and peaks that formulas have between all points
    drawn: float = 0.0  # ... and between draws
    diverges: bool = False  # whether one of these peaks has no finite mass
    own: Scatter = Scatter(0.0)  # of members' costs at the probe's own points
    largest: float = 0.0  # the largest distance met anywhere, in the outputs' unit


def look_again(a: Behavior, b: Behavior, measure: Measure, scale: float, cost: float) -> Findings:
    """Look between the points and beyond the draws of two behaviors.

    The measure is in the outputs' own unit (``Measure.in_own_unit``), ``scale`` is the unit of the
    costs, ``cost`` their mean. Nothing is found where behaviors cannot be observed again.
    """
    probe, other = (getattr(side.origin, "probe", None) for side in (a, b))
    if not isinstance(probe, Probe) or other is None:
        return Findings()
    look, edges = finer_look(probe), edge_look(probe)
    between = Findings() if look is None else _between(a, b, measure, probe, look, scale, cost)
    varied = max(len(a.outputs), len(b.outputs)) > 1
    beyond = 0.0 if edges is None or not varied else _beyond(a, b, measure, probe, edges, scale)
    sources = (getattr(side.origin, "source", None) for side in (a, b))
    peaks = [
        hidden_peaks(source, probe, measure.row.transform)
        for source in sources
        if isinstance(source, Expression)
    ]
    heights = [float(each.heights.max(initial=0.0)) for both in peaks for each in both]
    hidden, drawn = (
        math.fsum(_mass(both[kind], measure, scale, cost) for both in peaks) for kind in (0, 1)
    )
    holes = [hole for both in peaks for hole in both[0].holes]
    if holes:
        added = _in_holes(a, b, measure, probe, holes, scale, cost)
        hidden += PEAK_ERROR * added if math.isfinite(added) else 0.0
        # Of a distance that is infinite by its own points nothing more need be told.
        if math.isinf(added) and np.array_equal(a.counts > 0, b.counts > 0):
            between = Findings("jumps", math.inf)
    largest = max(between.largest, *heights, 0.0)
    diverges = any(both[0].diverges for both in peaks)
    return between._replace(
        beyond=beyond, hidden=hidden, drawn=drawn, diverges=diverges, largest=largest
    )


def remedy(reason: Reason, names: Mapping[str, str] = IN_PYTHON) -> str:
    """What would help, in the words of Python or of the commands.

    >>> remedy("jumps"), remedy("jumps", IN_COMMANDS)
    ('more points (n_points) would help', 'more points (--points) would help')
    """
    return REMEDIES[reason].format(**names)


def few_reason(scatter: Scatter, own: Scatter, costs: Floats) -> Reason:
    """What it is called that single points carry a distance: their place, or their draws."""
    # Single members have no noise of draws: if many points share their scatter, draws made it few.
    if own.error == 0.0 or own.size >= FEW:
        return "heavy tails" if own.size > 2 * scatter.size else "peaks"
    return "peaks" if _mass_share(costs) < 0.5 else "jumps"


def _between(
    a: Behavior, b: Behavior, measure: Measure, probe: Probe, look: FinerLook, scale: float,
    cost: float,
) -> Findings:  # fmt: skip
    u, v = (_sorted_at(side, look.probe, measure) for side in (a, b))
    profile = kernels.profile(u, v, measure)
    # Differences below this are rounding, which is no function of the points.
    noise = ROUNDING * (kernels.largest(u[0]) + kernels.largest(v[0]))
    largest = float(profile.max(initial=0.0, where=np.isfinite(profile)))
    costs = as_costs(np.where(profile > noise, profile, 0.0), 1.0 / scale, measure.p)
    own, finer, corners = look.parts(costs)
    # One side alone is undefined somewhere beside the points: the distance is infinite.
    if (np.isinf(finer).any() or np.isinf(corners).any()) and np.isfinite(own).all():
        return Findings("jumps", math.inf)
    is_known, own_known = np.isfinite(finer), np.isfinite(own)
    finer, corners = finer[is_known], corners[np.isfinite(corners)]
    if not own_known.any() or not len(finer) or (not finer.any() and not corners.any()):
        return Findings()
    positions = probe.unit_points[own_known]
    scatter = point_scatter(own[own_known], positions, probe.row.scatter)
    before, after = float(own[own_known].mean()), float(finer.mean())
    # Two members stand for the families, whose cost may be another.
    ratio = min(cost / before, 1e3) if before > 0 and cost > 0 else 1.0
    shift = (after - before) * ratio
    # Corners are no sample: what one has beyond all finer points counts as one point's.
    above = max(0.0, float(corners.max(initial=0.0)) - float(finer.max()))
    below = max(0.0, float(finer.min()) - float(corners.min(initial=math.inf)))
    whole = max(after, before)
    reason: Reason = ""
    if above > NOTABLE * whole * len(finer) or finer.max() > ONE_POINT * finer.sum():
        reason = "peaks"
    elif abs(after - before) > max(SURPRISE * scatter.half_width, NOTABLE * whole):
        reason = _name(finer, positions.shape[1])
    if reason:
        blur = WIDEST * float(finer.std()) / math.sqrt(len(finer)) + above / len(finer)
    elif positions.shape[1] == 1 and probe.row.scatter == "even":
        places = look.units[look.n_points :][: look.n_finer][is_known, 0]
        blur = line_scatter(finer, places).half_width + max(above, below) / len(finer)
    else:  # neighbors in space take long to find; what is rough on every scale scatters so
        blur = scatter.half_width * math.sqrt(len(positions) / len(finer))
        blur += max(above, below) / len(finer)
    return Findings(reason, shift, ratio * blur, own=scatter, largest=largest)


def _name(costs: Floats, n_variables: int) -> Reason:
    """What it is called that many points see more than few do."""
    if _mass_share(costs) < SPARSE:
        return "peaks"
    if n_variables > 1:  # neighbors in a list are none in space: a step has few values
        return "jumps" if len(np.unique(np.round(costs, 9))) < len(costs) / 4 else "oscillates"
    steps = np.sort(np.abs(np.diff(costs)))
    return "jumps" if steps[-STEEPEST:].sum() > 0.5 * steps.sum() else "oscillates"


def _mass_share(costs: Floats) -> float:
    """On which share of the points the mass lies, 1 if it is spread evenly."""
    largest = float(costs.max(initial=0.0))
    if largest == 0.0:
        return 1.0
    # The participation ratio, (sum c)^2 / (n sum c^2); scaled, so that squares do not overflow.
    shares = costs / largest
    return float(shares.sum() ** 2 / (len(shares) * (shares * shares).sum()))


def _beyond(
    a: Behavior, b: Behavior, measure: Measure, probe: Probe, edges: Probe, scale: float
) -> float:
    """What one draw beyond all others would add: the largest difference at the edges."""
    far = _largest_gap(*(_sorted_at(side, edges, measure) for side in (a, b)))
    seen = _largest_gap(*(kernels.prepare_one(side, measure) for side in (a, b)))
    if not far > seen:
        return 0.0
    most, known = as_costs(np.array([far, seen]), 1.0 / scale, measure.p)
    return float(most - known) / (2 * probe.n_points * probe.n_draws)


def _mass(peaks: HiddenPeaks, measure: Measure, scale: float, cost: float) -> float:
    """What peaks may add to the mean cost."""
    if not len(peaks.heights):
        return 0.0
    heights = as_costs(peaks.heights, 1.0 / scale, 1)
    # For p = 2, (c + h)^2 - c^2 with c the root of the mean cost.
    added = heights if measure.p == 1 else heights * (heights + 2.0 * math.sqrt(cost))
    return PEAK_ERROR * float(np.sum(added * peaks.widths))


def _in_holes(
    a: Behavior, b: Behavior, measure: Measure, probe: Probe,
    holes: Sequence[tuple[float, ...]], scale: float, cost: float,
) -> float:  # fmt: skip
    """What may be added to the mean cost where a member is undefined; infinite if a mismatch is."""
    shares, places = np.split(np.array(holes), [1], axis=1)
    # The whole families: what other draws are defined at counts, and both sides may have one hole.
    there = probe_at(probe, places)
    u, v = (_sorted_at(side, there, measure) for side in (a, b))
    costs = as_costs(kernels.profile(u, v, measure), 1.0 / scale, measure.p)
    return float(np.sum(np.maximum(costs - cost, 0.0) * shares[:, 0]))


def _sorted_at(side: Behavior, probe: Probe, measure: Measure) -> SortedOutputs:
    again = observed_at(side, probe)
    assert again is not None  # a side with a probe can be observed with another
    return kernels.prepare_one(again, measure)


def _largest_gap(u: SortedOutputs, v: SortedOutputs) -> float:
    """The largest difference of outputs of the same rank; of numbers of draws that differ, 0."""
    if u[0].shape != v[0].shape and 1 not in (u[0].shape[1], v[0].shape[1]):
        return 0.0
    with np.errstate(over="ignore", invalid="ignore"):
        return kernels.largest(u[0] - v[0])

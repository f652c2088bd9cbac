"""Whether points and draws resolve what they sample: what second looks find, and what it is called.

A distance can be wrong without any sign of it in its own numbers: waves in step with the points,
needles between them, tails beyond the draws. A few members of both families at many more points,
and draws at the edges of the parameters' ranges, show what was missed.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Literal, NamedTuple

import numpy as np

from symbed._types import Floats
from symbed.behavior.behavior import Behavior
from symbed.distances import kernels
from symbed.distances.intervals.hidden_peaks import HiddenPeaks, hidden_peaks
from symbed.distances.intervals.resampling import observed_at
from symbed.distances.intervals.standard_errors import WIDEST, Scatter, as_costs, point_scatter
from symbed.distances.measure import Measure
from symbed.engine.structures.observations import SortedOutputs
from symbed.language.expression import Expression
from symbed.sampling.looks import FinerLook, edge_look, finer_look
from symbed.sampling.probe import Probe

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
ROUNDING = 1e-12  # share of the outputs below which differences are rounding


class Findings(NamedTuple):
    """What second looks found; costs are point-wise distances to the power p, in some unit."""

    reason: Reason = ""  # what is not resolved; empty if nothing is known of it
    shift: float = 0.0  # by how much finer points move the mean cost
    blur: float = 0.0  # how uncertain that is
    beyond: float = 0.0  # what draws beyond all others may add to the mean cost
    hidden: float = 0.0  # ... and peaks that formulas have between all points
    drawn: float = 0.0  # ... and between draws
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
    largest = max(between.largest, *heights, 0.0)
    return between._replace(beyond=beyond, hidden=hidden, drawn=drawn, largest=largest)


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
    # One side alone is undefined somewhere between the points: the distance is infinite.
    if np.isinf(finer).any() and np.isfinite(own).all():
        return Findings("jumps", math.inf)
    own_told, finer = np.isfinite(own), finer[np.isfinite(finer)]
    if not own_told.any() or not len(finer) or (not finer.any() and not corners.any()):
        return Findings()
    positions = probe.unit_points[own_told]
    scatter = point_scatter(own[own_told], positions, probe.row.scatter)
    before, after = float(own[own_told].mean()), float(finer.mean())
    # Two members stand for the families, whose cost may be another.
    ratio = min(cost / before, 1e3) if before > 0 and cost > 0 else 1.0
    shift = (after - before) * ratio
    # Corners are no sample: what one has beyond all finer points counts as one point's.
    at_corner = max(0.0, float(corners.max(initial=0.0, where=np.isfinite(corners))) - finer.max())
    blur = ratio * (WIDEST * float(finer.std()) / math.sqrt(len(finer)) + at_corner / len(finer))
    whole = max(after, before)
    if at_corner > NOTABLE * whole * len(finer) or finer.max() > ONE_POINT * finer.sum():
        return Findings("peaks", shift, blur, own=scatter, largest=largest)
    if abs(after - before) > max(SURPRISE * scatter.half_width, NOTABLE * whole):
        reason = _name(finer, positions.shape[1])
        return Findings(reason, shift, blur, own=scatter, largest=largest)
    return Findings("", shift, own=scatter, largest=largest)


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

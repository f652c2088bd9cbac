"""Two behaviors compared: their distance, and how far to trust it."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Unpack

from symbed._export import data_frame
from symbed._types import Floats
from symbed.behavior.behavior import Behavior, Origin
from symbed.distances import kernels
from symbed.distances.intervals.uncertainty import (
    MENDED_BY_DRAWS,
    MENDED_BY_POINTS,
    Reason,
    assess,
    remedy,
)
from symbed.distances.measure import Measure, MeasureSettings, as_measure
from symbed.distances.pair_distance import pair_distance, pair_profile, require_comparable
from symbed.errors import DataError, RangeError
from symbed.sampling.probe import Probe

MAX_OUTPUTS = 1 << 20  # of one side, when points and draws are doubled: some 50 ms
ROUNDING = 1e-9  # share of the outputs below which a distance need not be known better


@dataclass(frozen=True, eq=False, repr=False)
class Comparison:
    """The distance of two behaviors, with what must be told beside it.

    Attributes
    ----------
    distance : float
        The BED value.
    stderr : float
        Standard error of the distance from the choice of points.
    interval : tuple of two float
        (low, high), which holds the true value in about 95 of 100 cases.
    noise_floor : float
        What two equal expressions would show, had they drawn independently; a distance below it is
        no evidence of a difference unless the draws were aligned.
    coverage : float
        Share of the points at which both are defined.
    mismatched_points : int
        Number of points at which exactly one is defined.
    undefined_points : int
        Number of points at which neither is defined.
    finite_part : float
        The distance over the points at which both are defined (0 if there is none).
    profile : (n_points,) array
        Point-wise distances.
    points : (n_points, n_variables) array
        Where they were compared.
    labels : tuple of two str
        What the two are called.
    n_draws : tuple of two int
        Number of draws of each side.
    measure : Measure
        How they were measured.
    reason : {"", "oscillates", "peaks", "jumps", "heavy tails", "draws not aligned"}
        What points and draws do not resolve; the interval is wide then, and honest.
    gave_up : bool
        Whether ``compare(..., rtol=...)`` ended before it got there.
    origins : tuple of two Origin or None
        How each side can be observed again.
    """

    distance: float
    stderr: float
    interval: tuple[float, float]
    noise_floor: float
    coverage: float
    mismatched_points: int
    undefined_points: int
    finite_part: float
    profile: Floats
    points: Floats
    labels: tuple[str, str]
    n_draws: tuple[int, int]
    measure: Measure
    reason: Reason = ""
    gave_up: bool = False
    origins: tuple[Origin | None, Origin | None] = field(default=(None, None), repr=False)

    @property
    def resolved(self) -> bool:
        """Whether points and draws resolve the two, as far as second looks can tell."""
        return not self.reason

    @property
    def remedy(self) -> str:
        """What would help an unresolved comparison, in words."""
        return remedy(self.reason)

    @cached_property
    def redundant(self) -> tuple[tuple[tuple[str, ...], ...], tuple[tuple[str, ...], ...]]:
        """For each side the groups of parameters that act only together, as ``a`` and ``b`` in
        ``a*b*x``; looked for when it is asked.

        A distance between families then depends on how their parameters were drawn more than it
        seems; ``effective`` says through what combination they act.
        """
        first, second = (() if origin is None else origin.redundant() for origin in self.origins)
        return first, second

    @property
    def n_points(self) -> int:
        """Number of points."""
        return len(self.profile)

    def __float__(self) -> float:
        return self.distance

    def to_dict(self) -> dict[str, Any]:
        """The numbers by name, ready for JSON but for infinities; ``to_frame`` has the profile."""
        return {
            "labels": list(self.labels),
            "distance": self.distance,
            "stderr": self.stderr,
            "interval": list(self.interval),
            "resolved": self.resolved,
            "reason": self.reason,
            "gave_up": self.gave_up,
            "noise_floor": self.noise_floor,
            "coverage": self.coverage,
            "mismatched_points": self.mismatched_points,
            "undefined_points": self.undefined_points,
            "finite_part": self.finite_part,
            "n_points": self.n_points,
            "n_draws": list(self.n_draws),
            "redundant": [[list(names) for names in side] for side in self.redundant],
            **self.measure.to_dict(),
        }

    def to_frame(self) -> Any:
        """A pandas frame with a row for each point: its coordinates, and the distance there."""
        axes = {f"point_{i}": self.points[:, i] for i in range(self.points.shape[1])}
        return data_frame({**axes, "distance": self.profile})

    def _repr_html_(self) -> str:
        from symbed._notebook import comparison_html

        return comparison_html(self)

    def _repr_latex_(self) -> str:
        from symbed._notebook import comparison_latex

        return comparison_latex(self)

    def __repr__(self) -> str:
        low, high = self.interval
        trouble = f", unresolved: {self.reason}" if self.reason else ""
        trouble += ", gave up" if self.gave_up else ""
        return (
            f"Comparison({self.labels[0]!r}, {self.labels[1]!r}, distance {self.distance:.6g} "
            f"[{low:.4g}, {high:.4g}], noise floor {self.noise_floor:.2g}, "
            f"{100 * self.coverage:.3g}% compared{trouble})"
        )


def compare(
    a: Behavior,
    b: Behavior,
    *,
    rtol: float | None = None,
    measure: Measure | None = None,
    **settings: Unpack[MeasureSettings],
) -> Comparison:
    """Compare two behaviors that were observed at the same points.

    Parameters
    ----------
    a, b : Behavior
        They need not share seeds or numbers of draws.
    rtol : float, optional
        Go on with twice as many points or draws until the comparison is resolved and half its
        interval is at most this share of the distance; after a million outputs it gives up, and
        says so in ``gave_up``.
    measure : Measure, optional
        How to measure.
    **settings
        Instead of ``measure``, any of its settings: ``metric``, ``p``, ``mismatch``, ``undefined``,
        ``penalty``; see ``Measure``.
    """
    measure = as_measure(measure, settings)
    require_comparable(a, b)
    if rtol is not None:
        return _doubled(a, b, measure, rtol)
    return _compared(a, b, measure)


def _doubled(a: Behavior, b: Behavior, measure: Measure, rtol: float) -> Comparison:
    """Compared with twice as many points or draws again and again, until it is close enough."""
    if not isinstance(rtol, (int, float)) or not 0 < rtol < math.inf:
        raise RangeError(f"rtol must be a positive number, got {rtol!r}")
    while True:
        comparison = _compared(a, b, measure)
        low, high = comparison.interval
        # Of a distance that is 0 but for rounding, no share is ever reached.
        rounding = ROUNDING * kernels.largest(a.outputs)
        is_close = (high - low) / 2 <= max(rtol * comparison.distance, rounding)
        # What is infinite is so by definition: no sample says more.
        if math.isinf(comparison.distance) or (comparison.resolved and is_close):
            return comparison
        # A formula without parameters has one row of outputs, which more draws do not change; of a
        # single draw nobody can tell, and a second one shows.
        drawn = any(len(side.outputs) > 1 or side.n_draws == 1 for side in (a, b))
        bigger = [_bigger(side, comparison.reason, drawn) for side in (a, b)]
        if bigger[0] is None or bigger[1] is None:
            return replace(comparison, gave_up=True)
        a, b = bigger[0], bigger[1]


def _bigger(side: Behavior, reason: Reason, drawn: bool) -> Behavior | None:
    """A side with twice as many points, draws or both, as the reason asks; None if too many.

    ``drawn`` says whether either side has parameters, so that draws matter.
    """
    probe = getattr(side.origin, "probe", None)
    if side.origin is None or not isinstance(probe, Probe):
        raise DataError(
            f"rtol=... observes again with more points and draws, and {side.label!r} was not "
            "observed but given as samples; leave rtol out"
        )
    # Without a reason the interval is merely wide, and both are doubled.
    changes = {}
    if probe.data is None and reason not in MENDED_BY_DRAWS:
        changes["n_points"] = 2 * probe.n_points
    if drawn and reason not in MENDED_BY_POINTS:
        changes["n_draws"] = 2 * probe.n_draws
    size = changes.get("n_points", probe.n_points) * changes.get("n_draws", probe.n_draws)
    if not changes or size > MAX_OUTPUTS:
        return None
    return side.origin.at(probe.with_(**changes))


def _compared(a: Behavior, b: Behavior, measure: Measure) -> Comparison:
    value = pair_distance(a, b, measure)
    profile = pair_profile(a, b, measure)
    defined_a, defined_b = a.counts > 0, b.counts > 0
    both = defined_a & defined_b
    trust = assess(a, b, value, profile, lambda u, v: pair_profile(u, v, measure), measure)
    return Comparison(
        distance=value,
        stderr=trust.stderr,
        interval=trust.interval,
        noise_floor=trust.noise_floor,
        coverage=float(both.mean()),
        mismatched_points=int((defined_a ^ defined_b).sum()),
        undefined_points=int((~defined_a & ~defined_b).sum()),
        finite_part=kernels.power_mean(profile[both], measure.p),
        profile=profile,
        points=a.points,
        labels=(a.label, b.label),
        n_draws=(a.n_draws, b.n_draws),
        measure=measure,
        origins=(a.origin, b.origin),
        reason=trust.reason,
    )

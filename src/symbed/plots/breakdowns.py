"""Four panels that explain how a distance comes about: densities, CDFs and all points."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from symbed._types import Floats
from symbed.behavior.behavior import Behavior
from symbed.distances.comparison import Comparison
from symbed.errors import PointsMismatch
from symbed.plots.densities import density
from symbed.plots.distributions import cdfs
from symbed.plots.drawing.axis_scales import HUGE, Kind, tame
from symbed.plots.drawing.canvas import LARGE, as_panels, new_figure
from symbed.plots.drawing.cross_sections import names_of, pick_axis
from symbed.plots.drawing.palette import BLUE, GRAY, VERMILLION
from symbed.plots.profiles import profile

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

COMPARABLE = 6.0  # how many times the smaller range of outputs the common one may be


def breakdown(
    comparison: Comparison,
    a: Behavior,
    b: Behavior,
    *,
    fine: tuple[Behavior, Behavior] | None = None,
    at: float | None = None,
    along: str | int | None = None,
    scale: Kind = "auto",
    figure: Figure | None = None,
) -> NDArray[Any]:
    """Draw how a distance comes about: both behaviors, their CDFs at a point, and all points.

    Parameters
    ----------
    comparison : Comparison
        What ``compare(a, b)`` gave.
    a, b : Behavior
        The behaviors that were compared.
    fine : (Behavior, Behavior), optional
        The same two, observed with a finer probe (``cross_section``), for the densities.
    at : float, optional
        The point of the CDFs, on the axis that ``along`` names; by default one at which the
        distance is about the mean.
    along : str or int, optional
        The variable to look along, by name or number.
    scale : {"auto", "linear", "log"}
        The scale of the outputs, as in ``density``.
    figure : matplotlib Figure, optional
        Where to draw; a new one by default.

    Returns
    -------
    ndarray of object
        The axes, (2, 2): densities on the left, CDFs and point-wise distances on the right.
    """
    if not np.array_equal(comparison.points, a.points):
        raise PointsMismatch(f"the comparison is of other points than {a.label!r}")
    figure = figure or new_figure(10.5, 7.0)
    axes = figure.subplots(2, 2)
    names = names_of(a)
    axis = pick_axis(along, names)
    shown = fine or (a, b)
    for ax, behavior, color in zip(axes[:, 0], shown, (BLUE, VERMILLION), strict=True):
        density(behavior, along=axis, scale=scale, color=color, ax=ax)
    _share_limits(axes[0, 0], axes[1, 0])
    place = _typical_place(comparison, axis) if at is None else _nearest(a.points[:, axis], at)
    cdfs(a, b, at=place, along=axis, comparison=comparison, scale=scale, ax=axes[0, 1])
    profile(comparison, along=axis, variables=names, ax=axes[1, 1])
    for ax in (axes[0, 0], axes[1, 0], axes[1, 1]):
        ax.axvline(place, color=GRAY, linestyle=":", linewidth=1.2)
    figure.suptitle(_headline(comparison), size=LARGE + 1)
    return as_panels(axes)


def _typical_place(comparison: Comparison, axis: int) -> float:
    """A point whose distance is closest to the mean; of several the middle one."""
    x = comparison.points[:, axis]
    gaps = np.abs(tame(comparison.profile) - min(comparison.finite_part, HUGE))
    gaps[comparison.profile == 0] += comparison.finite_part  # perhaps nothing is defined there
    best = np.sort(x[gaps == gaps.min()])
    return float(best[len(best) // 2])


def _nearest(x: Floats, at: float) -> float:
    return float(x[np.abs(x - at).argmin()])


def _share_limits(upper: Axes, lower: Axes) -> None:
    """One range of outputs for both densities, unless one of them would be lost in it."""
    limits = np.array([upper.get_ylim(), lower.get_ylim()])
    spans = np.ptp(limits, axis=1)
    linear = upper.get_yscale() == lower.get_yscale() == "linear"
    if linear and np.ptp([limits.min(), limits.max()]) < COMPARABLE * spans.min():
        for ax in (upper, lower):
            ax.set_ylim(limits.min(), limits.max())


def _headline(comparison: Comparison) -> str:
    low, high = comparison.interval
    if np.isfinite(comparison.distance):
        unresolved = f"   unresolved: {comparison.reason}" if comparison.reason else ""
        return f"BED = {comparison.distance:.4g}   [{low:.4g}, {high:.4g}]{unresolved}"
    points = f"{comparison.mismatched_points} of {comparison.n_points} points"
    return f"BED is infinite: at {points} only one of the two is defined"

"""Two behaviors and their distance: CDFs at a point, the profile over points, and all together."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from symbed._types import Floats
from symbed.behavior.behavior import Behavior, require_same_points
from symbed.distances.comparison import Comparison
from symbed.errors import PointsMismatch
from symbed.plots.axis_scales import HUGE, Kind, Scale, tame
from symbed.plots.canvas import (
    BLUE,
    GRAY,
    GREEN,
    LARGE,
    LIGHT,
    SMALL,
    VERMILLION,
    as_panels,
    axes_or_new,
    look,
    new_figure,
)
from symbed.plots.densities import default_names, density, names_of, pick_axis
from symbed.plots.labels import shorten, typeset

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

MANY_POINTS = 400  # dots from here on are small and see-through
MAX_RANGE_RATIO = 6.0  # of the common range of outputs to the smaller one


def cdfs(
    a: Behavior,
    b: Behavior,
    *,
    at: float | None = None,
    along: str | int | None = None,
    comparison: Comparison | None = None,
    scale: Kind = "auto",
    ax: Axes | None = None,
) -> Axes:
    """Draw the distribution functions of two behaviors at one point, the area between them shaded.

    For p = 1 the area is the point-wise distance.

    Parameters
    ----------
    a, b : Behavior
        Behaviors at the same points.
    at : float, optional
        Where, on the axis that ``along`` names; the nearest point is taken. By default a point in
        the middle of those at which both are defined.
    along : str or int, optional
        The variable that ``at`` is a value of, by name or number.
    comparison : Comparison, optional
        The comparison of the two, to write the point's distance into the title.
    scale : {"auto", "linear", "log"}
        The scale of the outputs, as in ``density``.
    ax : matplotlib Axes, optional
        Where to draw; a new figure by default.
    """
    ax = axes_or_new(ax)
    require_same_points(a, b)
    names = names_of(a)
    axis = pick_axis(along, names)
    number = pick_point(a, b, at, axis)
    # (draws, points), sorted along the draws with NaN last: the first ``counts`` are defined.
    sides = [tame(side.outputs[: side.counts[number], number]) for side in (a, b)]
    chosen = Scale.of(np.concatenate(sides), scale)
    if all(len(side) for side in sides):
        _shade(ax, sides[0], sides[1])
    for place, (behavior, outputs) in enumerate(zip((a, b), sides, strict=True)):
        _draw_steps(ax, outputs, chosen, place, _entry(behavior, number))
    chosen.set_axis(ax.xaxis)
    ax.set_ylim(-0.03, 1.03)
    ax.set(xlabel="output", ylabel="share of draws up to it")
    ax.set_title(_title(a.points[number], names, number, comparison), size=LARGE)
    ax.legend(loc="best", fontsize=SMALL)
    return ax


def pick_point(a: Behavior, b: Behavior, at: float | None, axis: int) -> int:
    """The number of the point to look at."""
    x = a.points[:, axis]
    if at is not None:
        return int(np.argmin(np.abs(x - at)))
    # Where only one side is defined there is no area between the two to look at.
    both = np.flatnonzero((a.counts > 0) & (b.counts > 0))
    candidates = both if len(both) else np.arange(len(x))
    order = candidates[np.argsort(x[candidates], kind="stable")]
    return int(order[len(order) // 2])


def _shade(ax: Axes, u: Floats, v: Floats) -> None:
    places = np.unique(np.concatenate([u, v]))
    below = [np.searchsorted(side, places, "right") / len(side) for side in (u, v)]
    if len(places) > 1:
        ax.fill_between(places, below[0], below[1], step="post", color=LIGHT, linewidth=0)


def _draw_steps(ax: Axes, outputs: Floats, scale: Scale, place: int, label: str) -> None:
    color, style, _ = look(place)
    x = np.concatenate([[scale.low], outputs, [scale.high]])
    # 0 from the left end on, k/n from the k-th output on, and 1 up to the right end.
    y = np.minimum(np.arange(len(x)) / max(len(outputs), 1), 1.0)
    if not len(outputs):
        y[:] = np.nan  # nothing to step over, but an entry in the legend
    ax.step(x, y, where="post", color=color, linestyle=style, linewidth=1.8, label=label)


def _entry(behavior: Behavior, number: int) -> str:
    share = 1 - float(behavior.counts[number]) / len(behavior.outputs)
    note = "" if not share else " (undefined here)" if share == 1 else f" ({share:.0%} undefined)"
    return typeset(behavior.label) + note


def _title(
    point: Floats, names: tuple[str, ...], number: int, comparison: Comparison | None
) -> str:
    place = ", ".join(f"{name} = {value:.4g}" for name, value in zip(names, point, strict=True))
    distance = "" if comparison is None else f":   distance {comparison.profile[number]:.4g}"
    return shorten(place, 48) + distance


def profile(
    comparison: Comparison,
    *,
    along: str | int | None = None,
    variables: Sequence[str] | None = None,
    scale: Kind = "auto",
    ax: Axes | None = None,
) -> Axes:
    """Draw the point-wise distances of a comparison, and the distance that is their mean.

    Parameters
    ----------
    comparison : Comparison
        What ``compare`` gave.
    along : str or int, optional
        The variable on the x axis, by name or number; where others vary too, points are dots.
    variables : sequence of str, optional
        Names of the variables; X_0, X_1 ... by default.
    scale : {"auto", "linear", "log"}
        The scale of the distances: ``"linear"``, ``"log"`` far from zero, or whichever suits.
    ax : matplotlib Axes, optional
        Where to draw; a new figure by default.
    """
    ax = axes_or_new(ax)
    names = tuple(variables or default_names(comparison.points))
    axis = pick_axis(along, names)
    x, y = comparison.points[:, axis], comparison.profile
    levels = [comparison.distance, comparison.finite_part, comparison.noise_floor]
    chosen = Scale.of_distances(np.concatenate([y, levels]), scale)
    if comparison.points.shape[1] == 1 and len(x) > 1:
        order = np.argsort(x, kind="stable")
        ax.fill_between(x[order], 0, _finite(y)[order], color=BLUE, alpha=0.15, linewidth=0)
        ax.plot(x[order], _finite(y)[order], color=BLUE, linewidth=1.8)
    else:
        size, alpha = (3, 0.4) if len(x) > MANY_POINTS else (5, 0.8)
        ax.plot(x, _finite(y), "o", color=BLUE, markersize=size, alpha=alpha)
    chosen.set_axis(ax.yaxis, top=0.12)
    _mark_infinite(ax, x, y)
    _draw_levels(ax, comparison)
    ax.set_xlabel(typeset(names[axis]))
    ax.set_ylabel("distance at each point")
    # Above the axes: inside, it would hide points.
    ax.legend(
        loc="lower left", bbox_to_anchor=(0, 1), ncols=3, fontsize=SMALL, frameon=False,
        borderaxespad=0.1, columnspacing=1.2, handlelength=1.6,
    )  # fmt: skip
    return ax


def _draw_levels(ax: Axes, comparison: Comparison) -> None:
    """The mean, which is the distance, and the noise floor."""
    if np.isfinite(comparison.distance):
        level, label = comparison.distance, f"BED = {comparison.distance:.4g}"
    else:
        level, label = comparison.finite_part, f"finite part {comparison.finite_part:.3g}"
    ax.axhline(level, color=VERMILLION, linestyle="--", linewidth=1.5, label=label)
    floor = comparison.noise_floor
    if np.isfinite(floor) and floor > 0:
        label = f"noise floor {floor:.2g}"
        ax.axhline(floor, color=GREEN, linestyle=":", linewidth=1.5, label=label)


def _mark_infinite(ax: Axes, x: Floats, y: Floats) -> None:
    """Points where only one side is defined, as crosses at the top."""
    infinite = x[np.isinf(y)]
    if len(infinite):
        ax.plot(
            infinite, np.full(len(infinite), 0.96), "x", color=GRAY, markersize=6,
            transform=ax.get_xaxis_transform(), label=f"infinite ({len(infinite)})",
        )  # fmt: skip


def _finite(y: Floats) -> Floats:
    return np.where(np.isfinite(y), tame(y), np.nan)


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
    for ax, behavior, color in zip(axes[:, 0], fine or (a, b), (BLUE, VERMILLION), strict=True):
        density(behavior, along=axis, scale=scale, color=color, ax=ax)
    _share_limits(axes[0, 0], axes[1, 0])
    x = a.points[:, axis]
    place = _typical_place(comparison, axis) if at is None else float(x[np.abs(x - at).argmin()])
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


def _share_limits(upper: Axes, lower: Axes) -> None:
    """One range of outputs for both densities, unless one of them would be lost in it."""
    limits = np.array([upper.get_ylim(), lower.get_ylim()])
    spans = np.ptp(limits, axis=1)
    linear = upper.get_yscale() == lower.get_yscale() == "linear"
    if linear and np.ptp([limits.min(), limits.max()]) < MAX_RANGE_RATIO * spans.min():
        for ax in (upper, lower):
            ax.set_ylim(limits.min(), limits.max())


def _headline(comparison: Comparison) -> str:
    low, high = comparison.interval
    if np.isfinite(comparison.distance):
        unresolved = f"   unresolved: {comparison.reason}" if comparison.reason else ""
        return f"BED = {comparison.distance:.4g}   [{low:.4g}, {high:.4g}]{unresolved}"
    points = f"{comparison.mismatched_points} of {comparison.n_points} points"
    return f"BED is infinite: at {points} only one of the two is defined"

"""How far apart two behaviors are at each point."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from symbed._types import Floats
from symbed.distances.comparison import Comparison
from symbed.plots.drawing.axis_scales import Kind, Scale, tame
from symbed.plots.drawing.canvas import SMALL, axes_or_new
from symbed.plots.drawing.cross_sections import default_names, pick_axis
from symbed.plots.drawing.labels import typeset
from symbed.plots.drawing.palette import BLUE, GRAY, GREEN, VERMILLION

if TYPE_CHECKING:
    from matplotlib.axes import Axes

SCATTERED = 400  # dots from here on are small and see-through


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
    chosen = Scale.of_distances(_with_levels(comparison), scale)
    if comparison.points.shape[1] == 1 and len(x) > 1:
        _draw_curve(ax, x, y)
    else:
        small = len(x) > SCATTERED
        ax.plot(
            x,
            _finite(y),
            "o",
            color=BLUE,
            markersize=3 if small else 5,
            alpha=0.4 if small else 0.8,
        )
    chosen.set_y(ax, top=0.12)
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


def _draw_curve(ax: Axes, x: Floats, y: Floats) -> None:
    order = np.argsort(x, kind="stable")
    ax.fill_between(x[order], 0, _finite(y)[order], color=BLUE, alpha=0.15, linewidth=0)
    ax.plot(x[order], _finite(y)[order], color=BLUE, linewidth=1.8)


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
    here = np.isinf(y)
    if not here.any():
        return
    label = f"infinite ({int(here.sum())})"
    ax.plot(
        x[here], np.full(int(here.sum()), 0.96), "x", color=GRAY, markersize=6,
        transform=ax.get_xaxis_transform(), label=label,
    )  # fmt: skip


def _with_levels(comparison: Comparison) -> Floats:
    levels = [comparison.distance, comparison.finite_part, comparison.noise_floor]
    return np.concatenate([comparison.profile, levels])


def _finite(y: Floats) -> Floats:
    return np.where(np.isfinite(y), tame(y), np.nan)

"""Distribution functions of two behaviors at one point, and the area between them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from symbed._types import Floats
from symbed.behavior.behavior import Behavior, require_same_points
from symbed.distances.comparison import Comparison
from symbed.plots.drawing.axis_scales import Kind, Scale, tame
from symbed.plots.drawing.canvas import LARGE, SMALL, axes_or_new
from symbed.plots.drawing.cross_sections import names_of, pick_axis
from symbed.plots.drawing.labels import shorten, typeset
from symbed.plots.drawing.palette import LIGHT, look

if TYPE_CHECKING:
    from matplotlib.axes import Axes


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
    sides = [tame(side.outputs[: side.counts[number], number]) for side in (a, b)]
    chosen = Scale.of(np.concatenate(sides), scale)
    if all(len(side) for side in sides):
        _shade(ax, sides[0], sides[1])
    for place, (behavior, outputs) in enumerate(zip((a, b), sides, strict=True)):
        _draw_steps(ax, outputs, chosen, place, _entry(behavior, number))
    chosen.set_x(ax)
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
    seen = look(place)
    ends = [scale.low], [scale.high]
    x = np.concatenate([ends[0], outputs, ends[1]])
    rising = np.arange(1, len(outputs) + 1) / max(len(outputs), 1)
    y = np.concatenate([[0.0], rising, [1.0]]) if len(outputs) else np.full(2, np.nan)
    ax.step(x, y, where="post", color=seen.color, linestyle=seen.style, linewidth=1.8, label=label)


def _entry(behavior: Behavior, number: int) -> str:
    share = 1 - float(behavior.counts[number]) / len(behavior.outputs)
    note = "" if not share else " (undefined here)" if share == 1 else f" ({share:.0%} undefined)"
    return typeset(behavior.label) + note


def _title(
    point: Floats, names: tuple[str, ...], number: int, comparison: Comparison | None
) -> str:
    place = ", ".join(f"{name} = {value:.4g}" for name, value in zip(names, point, strict=True))
    place = shorten(place, 48)
    if comparison is None:
        return place
    return f"{place}:   distance {comparison.profile[number]:.4g}"

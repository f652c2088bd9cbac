"""Lists of expressions with a bar for each: the nearest with distances, groups of duplicates."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from symbed._types import Floats
from symbed.distances.search.neighbors import Neighbors
from symbed.errors import ShapeError
from symbed.plots.axis_scales import Kind, Scale, tame
from symbed.plots.canvas import (
    BLUE,
    GRAY,
    LARGE,
    MEDIUM,
    SMALL,
    VERMILLION,
    axes_or_new,
)
from symbed.plots.labels import shorten, typeset

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from symbed.distances.duplicates.duplicate_groups import DuplicateGroups

MAX_ROWS = 40  # of a list


def neighbors(
    nearest: Neighbors, *, query: str = "", scale: Kind = "auto", ax: Axes | None = None
) -> Axes:
    """Draw the nearest expressions with their distances, the nearest on top.

    Parameters
    ----------
    nearest : Neighbors
        What ``nearest`` gave for one query; of many queries, ``neighbors[i]``.
    query : str
        What was searched for, for the title.
    scale : {"auto", "linear", "log"}
        The scale of the distances: ``"linear"``, ``"log"`` far from zero, or whichever suits.
    ax : matplotlib Axes, optional
        Where to draw; a new figure by default. At most 40 are drawn.
    """
    if nearest.indices.ndim > 1:
        raise ShapeError(
            f"these are neighbors of {len(nearest)} queries; draw one of them, such as neighbors[0]"
        )
    distances = tame(nearest.distances[:MAX_ROWS])
    ax = axes_or_new(ax, *_list_size(len(distances)))
    _draw_stems(ax, distances, scale)
    _name_rows(ax, [shorten(label) for label in nearest.labels[:MAX_ROWS]])
    ax.set_xlabel("distance")
    of = f" to {typeset(query)}" if query else ""
    ax.set_title(f"nearest{of}{_left_out(len(nearest))}", size=LARGE)
    return ax


def groups(duplicates: DuplicateGroups, *, ax: Axes | None = None) -> Axes:
    """Draw the largest groups of duplicates with their sizes, by their representatives.

    Parameters
    ----------
    duplicates : DuplicateGroups
        What ``duplicates`` gave.
    ax : matplotlib Axes, optional
        Where to draw; a new figure by default. At most 40 are drawn.
    """
    repeated = list(duplicates.repeated)
    shown = repeated[:MAX_ROWS]
    ax = axes_or_new(ax, *_list_size(len(shown)))
    from matplotlib.ticker import MaxNLocator

    sizes = np.array([len(group) for group in shown])
    colors = [GRAY if group.is_undefined else BLUE for group in shown]
    bars = ax.barh(range(len(shown)), sizes, color=colors, height=0.7)
    ax.bar_label(bars, padding=3, fontsize=SMALL)
    notes = ["  (defined nowhere)" if group.is_undefined else "" for group in shown]
    _name_rows(ax, [shorten(g.labels[0]) + note for g, note in zip(shown, notes, strict=True)])
    if not shown:
        ax.text(0.5, 0.5, "all behave differently", ha="center", va="center", color=GRAY,
                transform=ax.transAxes)  # fmt: skip
    ax.set_xlim(0, 1.12 * max(sizes, default=1))
    ax.xaxis.set_major_locator(MaxNLocator(integer=True))
    ax.set_xlabel("expressions in the group")
    ax.set_title(
        f"{len(duplicates.groups):,} expressions, {len(duplicates):,} behaviors"
        f"{_left_out(len(repeated))}",
        size=LARGE,
    )
    return ax


def _draw_stems(ax: Axes, distances: Floats, scale: Kind) -> None:
    chosen = Scale.of_distances(distances, scale)
    rows, finite = np.arange(len(distances)), np.isfinite(distances)
    ax.hlines(rows[finite], 0, distances[finite], color=BLUE, linewidth=1.4)
    ax.plot(distances[finite], rows[finite], "o", color=BLUE, markersize=6, clip_on=False)
    chosen.set_axis(ax.xaxis, top=0.18)
    # Infinite distances have no place on the axis: x in shares of the axes, y in rows.
    across = ax.get_yaxis_transform()
    ax.plot(np.full((~finite).sum(), 0.97), rows[~finite], "x", color=VERMILLION, transform=across)
    for row in rows.tolist():
        text = f"{distances[row]:.4g}" if finite[row] else "infinite"
        place = (distances[row], row) if finite[row] else (0.97, row)
        ax.annotate(
            text, place, (7 if finite[row] else -7, 0), textcoords="offset points",
            xycoords="data" if finite[row] else across, va="center",
            ha="left" if finite[row] else "right", fontsize=SMALL,
        )  # fmt: skip


def _name_rows(ax: Axes, labels: Sequence[str]) -> None:
    ax.set_yticks(range(len(labels)), labels, fontsize=MEDIUM)
    # Downward, so that the first row is on top.
    ax.set_ylim(max(len(labels), 1) - 0.4, -0.6)
    ax.spines[["top", "right"]].set_visible(False)
    ax.tick_params(axis="y", length=0)


def _left_out(n: int) -> str:
    return f"  (first {MAX_ROWS} of {n:,})" if n > MAX_ROWS else ""


def _list_size(n: int) -> tuple[float, float]:
    return 7.0, 1.3 + 0.26 * max(n, 3)

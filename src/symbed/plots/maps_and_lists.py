"""Many expressions: maps in the plane by their distances, and lists of the nearest or repeated."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from symbed._types import Floats
from symbed.distances.clustering import Clusters
from symbed.distances.layout import lay_out
from symbed.distances.matrix.distance_matrix import DistanceMatrix, pairwise
from symbed.distances.measure import Measure
from symbed.distances.search.neighbors import Neighbors
from symbed.distances.selection import Selection
from symbed.errors import RangeError, ShapeError
from symbed.plots.axis_scales import Kind, Scale, tame
from symbed.plots.canvas import (
    BLUE,
    GRAY,
    LARGE,
    MEDIUM,
    SMALL,
    VERMILLION,
    axes_or_new,
    legend_beside,
    look,
)
from symbed.plots.labels import label_places, shorten, typeset

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from symbed.distances.duplicates.duplicate_groups import DuplicateGroups

MAX_MAPPED = 2000  # expressions; the work grows with the cube
MAX_LABELS = 40  # that are tried
MAX_CANDIDATES = 400  # of a selection
MAX_LEGEND = 10  # clusters in the legend
MAX_ROWS = 40  # of a list
TOLD_APART = 0.9  # share of the distances; see ``Scale.of_distances``
INFINITE_LENGTH = 1.5  # of the longest finite distance: how long infinite ones are drawn


def mds(
    matrix: DistanceMatrix,
    *,
    clusters: Clusters | None = None,
    scale: Kind = "auto",
    labels: bool = True,
    ax: Axes | None = None,
) -> Axes:
    """Draw a map of expressions by multidimensional scaling.

    Parameters
    ----------
    matrix : DistanceMatrix
        A square one, from ``pairwise(atlas)``; at most 2000 expressions.
    clusters : Clusters, optional
        What ``cluster`` made of it; gives colors and markers, and labels for the medoids.
    scale : {"auto", "linear", "log"}
        ``"log"`` compresses large distances, which would leave all others in one spot; ``"linear"``
        does not; by default whichever suits. The title says which.
    labels : bool
        Whether to write the expressions beside their dots, where there is room.
    ax : matplotlib Axes, optional
        Where to draw; a new figure by default.
    """
    values = _checked(matrix, clusters)
    chosen = Scale.of_distances(values, scale, share=TOLD_APART)
    shown = np.where(np.isinf(values), values, np.minimum(values, chosen.high))
    layout = lay_out(_finite(chosen.apply(shown)))
    ax = axes_or_new(ax, 7.5, _height(layout.places))
    _draw_dots(ax, layout.places, clusters)
    ax.set_aspect("equal", adjustable="datalim")
    ax.margins(0.12)
    ax.set_xticks([])
    ax.set_yticks([])
    ax.set_title(_map_title(values, chosen, layout.stress), size=LARGE)
    if labels:
        _name_dots(ax, layout.places, matrix.row_labels, clusters)
    return ax


def selected(selection: Selection, *, ax: Axes | None = None) -> Axes:
    """Draw a map of the candidates of a selection, each colored by the selected one nearest to it.

    Of many candidates, those with the lowest losses are drawn, beside all selected ones.

    Parameters
    ----------
    selection : Selection
        What ``select`` chose from an atlas.
    ax : matplotlib Axes, optional
        Where to draw; a new figure by default.
    """
    if selection.atlas is None or not isinstance(selection.measure, Measure):
        raise ShapeError("a selection from a matrix has no atlas to draw; draw the matrix with mds")
    atlas, turns = selection.atlas, np.full(len(selection.candidates), len(selection))
    turns[np.searchsorted(selection.candidates, selection.indices)] = np.arange(len(selection))
    # The selected ones first, in the order of their choice, then by loss; so the medoids below are
    # the first rows.
    shown = np.lexsort((selection.candidate_losses, turns))[:MAX_CANDIDATES]
    behaviors = [atlas[row] for row in selection.candidates[shown].tolist()]
    matrix = pairwise(behaviors, measure=selection.measure, progress=False)
    clusters = Clusters(
        selection.owners[shown], np.arange(min(len(selection), len(shown))), matrix.row_labels
    )
    ax = mds(matrix, clusters=clusters, ax=ax)
    legend = ax.get_legend()
    assert legend is not None
    legend.set_title("by the selected one that is nearest")
    ax.set_title(
        f"{len(selection)} selected of {len(selection.candidates):,}: {ax.get_title()}",
        size=LARGE,
    )
    return ax


def _draw_dots(ax: Axes, places: Floats, clusters: Clusters | None) -> None:
    size = 7.0 if len(places) <= 60 else 4.5
    if clusters is None:
        ax.plot(*places.T, "o", color=BLUE, markersize=size, alpha=0.75, markeredgewidth=0)
        return
    for number in range(clusters.n_clusters):
        color, _, marker = look(number)
        members = clusters.labels_ == number
        name = shorten(clusters.labels[int(clusters.medoids[number])], 24)
        label = f"{name} ({int(members.sum())})" if number < MAX_LEGEND else None
        ax.plot(
            *places[members].T, marker, color=color, markersize=size, alpha=0.8,
            markeredgecolor="white", markeredgewidth=0.5, label=label,
        )  # fmt: skip
    title = "clusters, by their medoids"
    if clusters.n_clusters > MAX_LEGEND:
        title = f"{MAX_LEGEND} of {clusters.n_clusters} clusters"
    legend_beside(ax, title)


def _name_dots(ax: Axes, places: Floats, names: Sequence[str], clusters: Clusters | None) -> None:
    """Labels for the first few that stand apart; medoids come before the others."""
    first = clusters.medoids if clusters is not None else np.arange(0)
    order = np.concatenate([first, np.setdiff1d(np.arange(len(places)), first)])
    size = np.ptp(places, axis=0).max(initial=0.0)
    shown: list[int] = []
    for number in order.tolist():
        gaps = np.abs(places[shown] - places[number]).max(axis=1, initial=0.0)
        if len(shown) < MAX_LABELS and (gaps > 0.01 * size).all():
            shown.append(number)
    texts = [shorten(names[number], 22) for number in shown]
    label_places(ax, places[shown], texts, places, SMALL - 0.5)


def _height(places: Floats) -> float:
    """Inches that suit a map seven inches wide."""
    width, height = np.ptp(places, axis=0).tolist()
    return float(np.clip(7.0 * height / width if width else 0.0, 3.0, 6.0))


def _map_title(values: Floats, scale: Scale, stress: float) -> str:
    notes = [f"stress {stress:.2f}"]
    if scale.width is not None:
        notes.insert(0, "large distances compressed")
    if np.isinf(values).any():
        notes.insert(0, f"infinite as {INFINITE_LENGTH:g} x the longest")
    return f"map of distances ({', '.join(notes)})"


def _finite(distances: Floats) -> Floats:
    finite = np.isfinite(distances)
    longest = float(distances[finite].max(initial=0.0)) or 1.0
    capped: Floats = np.where(finite, distances, INFINITE_LENGTH * longest)
    return (capped + capped.T) / 2


def _checked(matrix: DistanceMatrix, clusters: Clusters | None) -> Floats:
    n, n_columns = matrix.shape
    if n != n_columns:
        raise ShapeError(f"a map needs a square matrix, got {matrix.shape}")
    if n > MAX_MAPPED:
        raise RangeError(
            f"a map of {n:,} expressions would take too long, {MAX_MAPPED:,} are possible; "
            "draw the medoids of clusters"
        )
    if clusters is not None and len(clusters.labels_) != n:
        raise ShapeError(f"the clusters are of {len(clusters.labels_)} expressions, not of {n}")
    return tame(np.asarray(matrix.values))


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

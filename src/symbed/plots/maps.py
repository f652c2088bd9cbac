"""Maps in the plane: expressions, or the candidates of a selection, by their distances."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from symbed._types import Floats
from symbed.distances.clustering import Clusters
from symbed.distances.layout import lay_out
from symbed.distances.matrix.distance_matrix import DistanceMatrix, pairwise
from symbed.distances.measure import Measure
from symbed.distances.selection import Selection
from symbed.errors import RangeError, ShapeError
from symbed.plots.axis_scales import Kind, Scale, tame
from symbed.plots.canvas import (
    BLUE,
    LARGE,
    SMALL,
    axes_or_new,
    legend_beside,
    look,
)
from symbed.plots.labels import label_places, shorten

if TYPE_CHECKING:
    from matplotlib.axes import Axes


MAX_MAPPED = 2000  # expressions; the work grows with the cube
MAX_LABELS = 40  # that are tried
MAX_CANDIDATES = 400  # of a selection
MAX_LEGEND = 10  # clusters in the legend
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

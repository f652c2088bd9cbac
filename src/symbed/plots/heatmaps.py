"""Heatmaps of distance matrices, arranged by a tree that puts likes side by side."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from symbed._types import Floats, Integers
from symbed.distances.clustering import Clusters, cluster
from symbed.distances.matrix.distance_matrix import DistanceMatrix
from symbed.errors import ShapeError
from symbed.plots.axis_scales import Kind, Scale, name_tick, tame
from symbed.plots.canvas import GRAY, HATCH, LARGE, LIGHT, SEQUENTIAL, SMALL, axes_or_new, look
from symbed.plots.labels import shorten

if TYPE_CHECKING:
    from matplotlib.axes import Axes

TOLD_APART = 0.9  # share of the distances that colors must tell apart
MAX_LABELS = 64  # more rows than this go without labels
MAX_BORDERS = 40  # more clusters than this go without borders


def heatmap(
    matrix: DistanceMatrix,
    *,
    clusters: Clusters | None = None,
    scale: Kind = "auto",
    ax: Axes | None = None,
) -> Axes:
    """Draw a distance matrix; infinite distances are hatched.

    Parameters
    ----------
    matrix : DistanceMatrix
        What ``pairwise`` gave.
    clusters : Clusters, optional
        What ``cluster`` or ``arrange`` made of it: rows are put in its order, clusters get borders,
        and a hierarchical method's tree is drawn on the left.
    scale : {"auto", "linear", "log"}
        The scale of the colors: ``"linear"``, ``"log"`` far from zero, or whichever suits.
    ax : matplotlib Axes, optional
        Where to draw; a new figure by default.
    """
    rows, columns = map(np.arange, matrix.shape)
    tree: Dendrogram | None = None
    if clusters is not None:
        n = len(clusters.labels_)
        if matrix.shape != (n, n):
            raise ShapeError(f"the clusters are of {n} expressions, the matrix is {matrix.shape}")
        if clusters.tree is not None and n > 1:
            tree = dendrogram(clusters.tree)
        rows = columns = np.argsort(clusters.labels_, kind="stable") if tree is None else tree.order
    ax = axes_or_new(ax, *_size(matrix, tree is not None), "compressed")
    chosen = Scale.of_distances(np.asarray(matrix.values), scale, share=TOLD_APART)
    _draw_cells(ax, tame(np.asarray(matrix.values)[np.ix_(rows, columns)]), chosen)
    _name_ticks(ax, matrix, rows, columns)
    if clusters is not None:
        _draw_borders(ax, clusters.labels_[rows])
    if tree is not None:
        _draw_tree(ax, tree, scale)
    ax.set_title("distances", size=LARGE)
    return ax


def _draw_cells(ax: Axes, values: Floats, scale: Scale) -> None:
    from matplotlib.patches import Patch

    masked = np.ma.masked_invalid(values)
    image = ax.imshow(
        masked, cmap=SEQUENTIAL, norm=scale.color_norm(), interpolation="nearest", aspect="equal"
    )
    beyond = "max" if masked.max() > scale.high else "neither"
    bar = ax.figure.colorbar(
        image, ax=ax, location="bottom", shrink=0.7, aspect=40, pad=0.04, extend=beyond
    )
    if scale.width is not None:
        bar.set_ticks(scale.ticks(), labels=[name_tick(value) for value in scale.ticks()])
        bar.minorticks_off()
    bar.set_label("distance")
    if np.ma.is_masked(masked):
        # Masked cells let the background show, one hatched patch for any number of them.
        hatched: dict[str, Any] = {"facecolor": LIGHT, "edgecolor": GRAY, "hatch": HATCH}
        ax.patch.set(**hatched)
        key = Patch(**hatched, label="infinite")
        ax.legend(
            handles=[key], loc="lower right", bbox_to_anchor=(1, 1), fontsize=SMALL, frameon=False
        )


def _name_ticks(ax: Axes, matrix: DistanceMatrix, rows: Integers, columns: Integers) -> None:
    n_rows, n_columns = matrix.shape
    ax.set_yticks([])
    ax.set_xticks([])
    if n_rows <= MAX_LABELS:
        ax.yaxis.tick_right()
        ax.set_yticks(range(n_rows), _names(matrix.row_labels, rows), fontsize=_font(n_rows))
    if n_columns <= MAX_LABELS and (
        n_rows != n_columns or list(matrix.row_labels) != list(matrix.column_labels)
    ):
        names = _names(matrix.column_labels, columns)
        ax.set_xticks(range(n_columns), names, fontsize=_font(n_columns), rotation=90)
    ax.tick_params(length=0)


def _draw_borders(ax: Axes, labels: Integers) -> None:
    """A square around each cluster."""
    from matplotlib.patches import Rectangle

    cuts = np.concatenate([[0], np.flatnonzero(np.diff(labels)) + 1, [len(labels)]])
    if not 2 < len(cuts) <= MAX_BORDERS + 1:
        return
    for begin, end in zip(cuts[:-1].tolist(), cuts[1:].tolist(), strict=True):
        corner, side = (begin - 0.5, begin - 0.5), end - begin
        # Black on white, which can be seen on dark cells and on light ones.
        for color, width in (("white", 2.2), ("black", 0.9)):
            ax.add_patch(
                Rectangle(corner, side, side, fill=False, edgecolor=color, linewidth=width)
            )


def _draw_tree(ax: Axes, tree: Dendrogram, scale: Kind) -> None:
    from matplotlib.collections import LineCollection

    beside = ax.inset_axes((-0.22, 0.0, 0.2, 1.0))
    merged_at = tree.forks[:, 1, 1]
    heights = Scale.of_distances(merged_at, scale, share=TOLD_APART)
    heights.set_axis(beside.xaxis, top=0.12)
    # A merge beyond the scale stands at the end of the axis, dotted if it is at infinity.
    end = heights.undo(1.1 * heights.apply(np.array([heights.high])))[0]
    forks = np.minimum(tree.forks, [np.inf, end])
    dotted = [":" if far else "-" for far in np.isinf(merged_at)]
    lines = LineCollection(
        list(forks[:, :, ::-1]), colors=look(6).color, linewidths=0.9, linestyles=dotted
    )
    beside.add_collection(lines, autolim=False)
    # Downward, as the rows of an image go.
    beside.set_ylim(len(forks) + 0.5, -0.5)
    beside.invert_xaxis()
    beside.set_yticks([])
    ends = [0.0, heights.high if heights.width is None else heights.ticks()[-1]]
    beside.set_xticks(ends, [f"{end:.2g}" for end in ends], fontsize=SMALL)
    beside.set_xlabel("merged at", size=SMALL)
    beside.spines[["left", "top", "right"]].set_visible(False)


def _names(labels: Sequence[str], order: Integers) -> list[str]:
    return [shorten(labels[number]) for number in order.tolist()]


def _font(n: int) -> float:
    return SMALL + 1 if n <= 20 else SMALL if n <= 36 else SMALL - 2


def _size(matrix: DistanceMatrix, with_tree: bool) -> tuple[float, float]:
    """Room for the labels: about as many inches as they need, within reason."""
    longest = max((min(len(label), 32) for label in matrix.row_labels), default=0)
    rows = min(matrix.shape[0], MAX_LABELS)
    side = float(np.clip(0.19 * rows, 3.4, 8.5))
    beside = 0.1 * longest if matrix.shape[0] <= MAX_LABELS else 0.0
    return side * (1.25 if with_tree else 1.0) + beside + 0.3, side + 1.3


class Dendrogram(NamedTuple):
    """A tree, ready to be drawn."""

    order: Integers  # the leaves from left to right
    forks: Floats  # (n - 1, 4, 2): for each merge its bracket, four corners as (place, height)


def dendrogram(tree: Floats) -> Dendrogram:
    """Lay out a linkage matrix, (n - 1, 4); no recursion, for trees can be as deep as large.

    >>> dendrogram(np.array([[0, 2, 1.0, 2], [1, 3, 2.0, 3]])).order.tolist()
    [1, 0, 2]
    """
    n = len(tree) + 1
    children = tree[:, :2].astype(np.int64)
    order = _leaves(children, n)
    # As in SciPy, node k < n is a leaf and node n + k the k-th merge.
    places = np.empty(2 * n - 1)
    places[order] = np.arange(n)
    heights = np.concatenate([np.zeros(n), tree[:, 2]])
    forks = np.empty((n - 1, 4, 2))
    for merge, (left, right) in enumerate(children):
        at, height = places[[left, right]], heights[n + merge]
        places[n + merge] = at.mean()
        forks[merge, :, 0] = at[[0, 0, 1, 1]]
        forks[merge, :, 1] = heights[left], height, height, heights[right]
    return Dendrogram(order, forks)


def _leaves(children: Integers, n: int) -> Integers:
    leaves, waiting = [], [2 * n - 2]
    while waiting:
        node = waiting.pop()
        if node < n:
            leaves.append(node)
        else:
            left, right = children[node - n].tolist()
            waiting += [right, left]
    return np.array(leaves, np.int64)


BEYOND = 2.0  # times the longest finite distance: where infinite ones are put for the while


def arrange(matrix: DistanceMatrix) -> Clusters:
    """One cluster with its tree, for a heatmap; unlike ``cluster``, it takes infinite distances.

    Merges at which one side is infinitely far from the other have the height inf. (With infinite
    distances linkage is complete, so that a height is finite only if all distances below it are.)

    Examples
    --------
    >>> far = np.inf
    >>> values = np.array([[0, far, 1], [far, 0, far], [1, far, 0]])
    >>> arrange(DistanceMatrix(values, "abc", "abc")).tree[:, 2]
    array([ 1., inf])
    """
    values = tame(np.asarray(matrix.values))
    infinite = ~np.isfinite(values)
    if not infinite.any():
        return cluster(replace(matrix, values=values), 1)
    end = BEYOND * (float(values[~infinite].max(initial=0.0)) or 1.0)
    capped = replace(matrix, values=np.where(infinite, end, values))
    complete = cluster(capped, 1, method="complete")
    assert complete.tree is not None
    tree = complete.tree.copy()
    tree[tree[:, 2] >= end, 2] = np.inf
    return replace(complete, tree=tree)

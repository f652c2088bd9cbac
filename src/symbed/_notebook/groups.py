"""Clusters, selections and groups of duplicates in notebook cells."""

from __future__ import annotations

from typing import Any

from symbed._notebook.html import SHOWN, code, first, number, picture, table

MAPPED = 400  # expressions whose map is drawn unasked


def clusters_html(clusters: Any) -> str:
    """Clusters by their medoids and sizes."""
    rows = []
    for place in range(min(SHOWN, clusters.n_clusters)):
        size = int((clusters.labels_ == place).sum())
        medoid = clusters.labels[int(clusters.medoids[place])]
        rows.append([str(place), f"{size:,}", code(medoid)])
    title = f"Clusters of {len(clusters.labels_):,} expressions"
    shown = table(title, ["cluster", "members", "medoid"], rows, clusters.n_clusters)
    if clusters.matrix is None or len(clusters.labels_) > MAPPED:
        return shown
    return shown + picture("mds", clusters.matrix, clusters=clusters)


def selection_html(selection: Any) -> str:
    """The selected formulas with their losses, and how far each is from those before it."""
    cells = zip(selection, selection.losses.tolist(), selection.distances.tolist(), strict=True)
    rows = [
        [code(label), number(loss, 4), number(distance, 3)]
        for label, loss, distance in first(cells)
    ]
    title = f"{len(selection):,} of {len(selection.candidates):,} candidates"
    shown = table(title, ["formula", "loss", "distance"], rows, len(selection))
    return shown + (picture("selected", selection) if rows else "")


def duplicates_html(groups: Any) -> str:
    """The largest groups of duplicates."""
    rows = []
    repeated = iter(groups.repeated)
    for group, _ in zip(repeated, range(SHOWN), strict=False):
        note = " (defined nowhere)" if group.is_undefined else ""
        others = ", ".join(code(label, 32) for label in group.labels[1:4])
        more = ", \N{HORIZONTAL ELLIPSIS}" * (len(group) > 4)
        rows.append([code(group.labels[0]) + note, f"{len(group):,}", others + more])
    title = f"{len(groups.groups):,} expressions, {len(groups):,} behaviors"
    shown = table(title, ["representative", "members", "others"], rows, None)
    return shown + (picture("groups", groups) if rows else "")


def group_html(group: Any) -> str:
    """One group of duplicates."""
    rows = [
        [code(label), number(distance, 3)]
        for label, distance in zip(group.labels[:SHOWN], group.distances.tolist(), strict=False)
    ]
    return table("DuplicateGroup", ["expression", "distance"], rows, len(group))

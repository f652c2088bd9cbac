"""What the page shows of a collection beside its map: equals, clusters, neighbors, one formula."""

from __future__ import annotations

from typing import Any

import numpy as np

from symbed import duplicates, nearest
from symbed._types import Floats, Integers
from symbed.distances.clustering import cluster_sampled
from symbed.errors import DataError
from symbed.plots.fronts import front_of
from symbed.web._collection import OpenCollections, ShownFormulas
from symbed.web._comparison_view import LONGEST, check_steps
from symbed.web._formula_names import Reading, problems_in
from symbed.web._json_fields import Fields, encode
from symbed.web._open_files import OpenTables
from symbed.workbench import errors_on

METRICS = ("relative", "wasserstein", "arcsinh")
MAX_CLUSTERS = 24
MAX_SEARCHED = 200_000  # formulas of which every distance is told; of more only the nearest


def equals(fields: Fields, collections: OpenCollections, tables: OpenTables) -> dict[str, Any]:
    """Groups of formulas that behave the same, and the front of loss against complexity.

    A group stands for its member with the lowest loss, and of these the simplest. With data, the
    loss is the error on them.
    """
    within = fields.number("within") if fields.has("within") else None
    metric = fields.choice("metric", METRICS)
    shown: dict[str, Any] = {"problem": None}
    with problems_in(shown):
        formulas = _asked(fields, collections)
        losses, (sizes, measured) = _losses(fields, formulas, tables), formulas.complexities
        ranks = _preference(len(formulas.atlas), formulas.rows, losses, sizes)
        groups = duplicates(formulas.atlas, within, metric=metric, prefer=ranks, progress=False)
        kept = np.isin(formulas.rows, groups.representatives)
        shown |= {
            "groups": encode(groups.groups[formulas.rows].astype(np.int32)),
            "n_groups": len(groups),
            "n_duplicates": groups.n_duplicates,
            "kept": encode(kept.astype(np.uint8)),
            "distances": encode(groups.distances[formulas.rows]),
            "undefined": groups.undefined,
            "complexity": encode(sizes),
            "measured": measured,
            "loss": None if losses is None else encode(losses),
            "front": [] if losses is None else front_of(sizes, losses).tolist(),
        }
    return shown


def clusters(fields: Fields, collections: OpenCollections) -> dict[str, Any]:
    """The cluster of each formula; the medoids come first in each."""
    count = fields.whole("clusters", 4, 1, MAX_CLUSTERS)
    metric = fields.choice("metric", METRICS)
    shown: dict[str, Any] = {"problem": None}
    with problems_in(shown):
        formulas = _asked(fields, collections)
        clustered = cluster_sampled(formulas.atlas, min(count, len(formulas)), metric=metric)
        labels = clustered.labels_[formulas.rows]
        # Of a large atlas a medoid may not be shown; the next formula that is stands for it.
        places = np.minimum(np.searchsorted(formulas.rows, clustered.medoids), len(formulas) - 1)
        shown |= {
            "labels": encode(labels.astype(np.uint8)),
            "medoids": places.tolist(),
            "sizes": np.bincount(labels, minlength=clustered.n_clusters).tolist(),
        }
    return shown


def neighbors(fields: Fields, collections: OpenCollections) -> dict[str, Any]:
    """The distances of all shown formulas to a typed one, and its nearest neighbors."""
    text = fields.text("formula", LONGEST)
    count = fields.whole("k", 8, 1, 50)
    metric = fields.choice("metric", METRICS)
    shown: dict[str, Any] = {"reading": None, "problem": None, "neighbors": [], "distances": None}
    with problems_in(shown):
        formulas = _asked(fields, collections)
        atlas = formulas.atlas
        if atlas.probe is None:
            raise DataError("this collection has no probe to observe a formula with")
        reading = Reading.of(text, atlas.probe.variables)
        shown["reading"] = reading.document()
        if reading.expression is None:
            return shown
        check_steps([reading.expression], len(atlas.points), atlas.n_draws)
        all_of_them = len(atlas) <= MAX_SEARCHED
        k = len(atlas) if all_of_them else min(count, len(atlas))
        near = nearest(reading.expression, atlas, k, metric=metric, progress=False)
        if all_of_them:
            distances = np.empty(len(atlas))
            distances[near.indices] = near.distances
            shown["distances"] = encode(distances[formulas.rows])
        rows = zip(near.indices.tolist(), near.distances.tolist(), near.labels, strict=True)
        places = {row: place for place, row in enumerate(formulas.rows.tolist())}
        shown["neighbors"] = [
            {"place": places.get(row), "distance": distance, "text": label}
            for _, (row, distance, label) in zip(range(count), rows, strict=False)
        ]
    return shown


def one_formula(fields: Fields, collections: OpenCollections) -> dict[str, Any]:
    """All there is to say of one formula of a collection."""
    shown: dict[str, Any] = {"problem": None}
    with problems_in(shown):
        formulas = _asked(fields, collections)
        shown |= formulas.describe(fields.whole("place", 0, 0, len(formulas) - 1))
    return shown


def _asked(fields: Fields, collections: OpenCollections) -> ShownFormulas:
    return ShownFormulas.of(collections.get(fields.text("key", 64)))


def _losses(fields: Fields, formulas: ShownFormulas, tables: OpenTables) -> Floats | None:
    if not fields.has("data"):
        return formulas.losses
    data = tables.get(fields.text("data", 64)).data
    errors: Floats = errors_on(data, fields.text("target", 64), formulas.atlas)
    return errors[formulas.rows]


def _preference(n: int, rows: Integers, losses: Floats | None, sizes: Floats) -> Floats:
    """A number for each source of an atlas, the lowest preferred: by loss, then by size."""
    # What has no number is never preferred.
    by_size = np.nan_to_num(sizes, nan=np.inf)
    by_loss = np.zeros(len(rows)) if losses is None else np.nan_to_num(losses, nan=np.inf)
    # What is not shown comes last.
    ranks = np.full(n, float(len(rows)))
    ranks[rows[np.lexsort((by_size, by_loss))]] = np.arange(len(rows))
    return ranks

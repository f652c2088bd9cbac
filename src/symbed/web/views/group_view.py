"""What the page shows of a collection beside its map: groups of equals, their front, clusters."""

from __future__ import annotations

from typing import Any

import numpy as np

from symbed._types import Floats, Integers
from symbed.distances.clusters.sampled_medoids import cluster_sampled
from symbed.distances.duplicates.duplicate_groups import duplicates
from symbed.errors import SymbedError
from symbed.plots.fronts import front_of
from symbed.web.collection import OpenCollections
from symbed.web.json_fields import Fields
from symbed.web.tables import OpenTables
from symbed.web.views.base64_arrays import encode
from symbed.web.views.data_view import errors_on
from symbed.web.views.formula_names import explain
from symbed.web.views.shown_formulas import ShownFormulas

METRICS = ("relative", "wasserstein", "arcsinh")
MAX_CLUSTERS = 24


def equals(fields: Fields, collections: OpenCollections, tables: OpenTables) -> dict[str, Any]:
    """Groups of formulas that behave the same, and the front of loss against complexity.

    A group stands for its member with the lowest loss, and of these the simplest. With data, the
    loss is the error on them.
    """
    within = fields.number("within") if fields.has("within") else None
    metric = fields.choice("metric", METRICS)
    shown: dict[str, Any] = {"problem": None}
    try:
        formulas = ShownFormulas.of(collections.get(fields.text("key", 64)))
        losses, (sizes, measured) = _losses(fields, formulas, tables), formulas.complexities
        ranks = _preference(len(formulas.atlas), formulas.rows, losses, sizes)
        groups = duplicates(formulas.atlas, within, metric=metric, prefer=ranks, progress=False)
        numbers = groups.groups[formulas.rows]
        kept = np.isin(formulas.rows, groups.representatives)
        return shown | {
            "groups": encode(numbers.astype(np.int32)),
            "n_groups": len(groups),
            "n_duplicates": groups.n_duplicates,
            "kept": encode(kept.astype(np.uint8)),
            "distances": encode(groups.distances[formulas.rows]),
            "undefined": groups.undefined,
            "complexity": encode(sizes),
            "measured": measured,
            "loss": None if losses is None else encode(losses),
            "front": _front(sizes, losses).tolist(),
        }
    except SymbedError as error:
        return shown | {"problem": {"field": "", "message": explain(error)["message"]}}


def clusters(fields: Fields, collections: OpenCollections) -> dict[str, Any]:
    """The cluster of each formula; the medoids come first in each."""
    count = fields.whole("clusters", 4, 1, MAX_CLUSTERS)
    metric = fields.choice("metric", METRICS)
    shown: dict[str, Any] = {"problem": None}
    try:
        formulas = ShownFormulas.of(collections.get(fields.text("key", 64)))
        found = cluster_sampled(formulas.atlas, min(count, len(formulas)), metric=metric)
        labels = found.labels_[formulas.rows]
        places = np.minimum(np.searchsorted(formulas.rows, found.medoids), len(formulas) - 1)
        return shown | {
            "labels": encode(labels.astype(np.uint8)),
            "medoids": places.tolist(),
            "sizes": np.bincount(labels, minlength=found.n_clusters).tolist(),
        }
    except SymbedError as error:
        return shown | {"problem": {"field": "", "message": explain(error)["message"]}}


def _losses(fields: Fields, formulas: ShownFormulas, tables: OpenTables) -> Floats | None:
    if not fields.has("data"):
        return formulas.losses
    data = tables.get(fields.text("data", 64)).data
    errors = errors_on(data, fields.text("target", 64), formulas.atlas)[formulas.rows]
    return np.where(np.isfinite(errors), errors, np.nan)


def _preference(n: int, rows: Integers, losses: Floats | None, sizes: Floats) -> Floats:
    """A number for each source of an atlas, the lowest preferred: by loss, then by size."""
    by_size = np.nan_to_num(sizes, nan=np.inf)
    by_loss = np.zeros(len(rows)) if losses is None else np.nan_to_num(losses, nan=np.inf)
    ranks = np.full(n, float(len(rows)))
    ranks[rows[np.lexsort((by_size, by_loss))]] = np.arange(len(rows))
    return ranks


def _front(sizes: Floats, losses: Floats | None) -> Integers:
    if losses is None:
        return np.empty(0, np.int64)
    return front_of(sizes, losses)

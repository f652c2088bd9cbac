"""How far every formula of a collection is from one that was typed, the nearest first."""

from __future__ import annotations

from typing import Any

import numpy as np

from symbed.distances.search.neighbors import nearest
from symbed.errors import DataError, SymbedError
from symbed.web.collection import OpenCollections
from symbed.web.json_fields import Fields
from symbed.web.views.base64_arrays import encode
from symbed.web.views.comparison_view import LONGEST, check_steps
from symbed.web.views.formula_names import Reading, explain
from symbed.web.views.group_view import METRICS
from symbed.web.views.shown_formulas import ShownFormulas

MAX_SEARCHED = 200_000  # formulas of which every distance is told; of more only the nearest


def neighbors(fields: Fields, collections: OpenCollections) -> dict[str, Any]:
    """The distances of all shown formulas to a typed one, and its nearest neighbors."""
    text = fields.text("formula", LONGEST)
    count = fields.whole("k", 8, 1, 50)
    metric = fields.choice("metric", METRICS)
    shown: dict[str, Any] = {"reading": None, "problem": None, "neighbors": [], "distances": None}
    try:
        formulas = ShownFormulas.of(collections.get(fields.text("key", 64)))
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
    except SymbedError as error:
        shown["problem"] = {"field": "", "message": explain(error)["message"]}
    return shown


def one_formula(fields: Fields, collections: OpenCollections) -> dict[str, Any]:
    """All there is to say of one formula of a collection."""
    shown: dict[str, Any] = {"problem": None}
    try:
        formulas = ShownFormulas.of(collections.get(fields.text("key", 64)))
        place = fields.whole("place", 0, 0, len(formulas) - 1)
        return shown | formulas.describe(place)
    except SymbedError as error:
        return shown | {"problem": {"field": "", "message": explain(error)["message"]}}

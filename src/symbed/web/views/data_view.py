"""What the page shows of a data file: columns, ranges, rows to draw, and errors of formulas."""

from __future__ import annotations

from typing import Any

import numpy as np

from symbed._types import Floats, Integers
from symbed.behavior.atlas import Atlas
from symbed.behavior.behavior import Behavior
from symbed.behavior.survey.surveying import survey
from symbed.distances.matrix.distance_matrix import pairwise
from symbed.errors import DataError, SymbedError
from symbed.limits import PAGE_TEXT
from symbed.sampling.probe import Probe
from symbed.web.json_fields import BadRequest, Fields
from symbed.web.tables import OpenTables, read_table
from symbed.web.views.base64_arrays import encode
from symbed.web.views.formula_names import explain
from symbed.workbench.data.data_files import Data

MAX_DRAWN = 5_000  # rows, evenly chosen: more dots hide the formulas
MAX_FITTED = 1_024  # rows, evenly chosen, that errors are measured at


def show_table(fields: Fields, tables: OpenTables) -> dict[str, Any]:
    """The columns of a table, in the text of a file or open already; gaps are counted."""
    if fields.has("key") == fields.has("text"):
        raise BadRequest("give the text of a file, or the key of an open table")
    key = fields.text("key", 64, "") if fields.has("key") else ""
    shown: dict[str, Any] = {"problem": None, "columns": []}
    try:
        if key:
            table = tables.get(key).refreshed()
        else:
            table = read_table(fields.text("text", PAGE_TEXT.maximum))
    except SymbedError as error:
        return shown | {"problem": explain(error)["message"]}
    rows = _some_rows(len(table.data.X), MAX_DRAWN)
    return shown | {
        "key": tables.put(table, key),
        "name": table.name,
        "n_rows": len(table.data.X),
        "n_dropped": table.n_dropped,
        "n_drawn": len(rows),
        "columns": [
            {"name": name, "range": [float(column.min()), float(column.max())],
             "values": encode(column[rows])}
            for name, column in zip(table.data.names, table.data.X.T, strict=True)
        ],
    }  # fmt: skip


def errors_on(data: Data, target: str, atlas: Atlas) -> Floats:
    """The root mean squared error of each formula of an atlas on a table; infinite if undefined.

    A family with parameters is as far from the data as its outputs are, over all its draws.
    """
    if atlas.probe is None:
        raise DataError("this collection has no probe, so it cannot be set beside data")
    missing = [name for name in (target, *atlas.probe.variables) if name not in data.names]
    if missing:
        columns = ", ".join(data.names)
        raise DataError(f"the data have no column {missing[0]!r}; their columns are {columns}")
    rows = _some_rows(len(data.X), MAX_FITTED)
    places = [data.names.index(name) for name in atlas.probe.variables]
    probe = Probe.at(
        data.X[rows][:, places], atlas.probe.variables, parameters=atlas.probe.parameters,
        n_draws=atlas.n_draws, seed=atlas.probe.seed,
    )  # fmt: skip
    observed = survey(atlas.labels, probe, keep="programs", progress=False)
    wanted = data.X[rows, data.names.index(target)]
    truth = Behavior.from_samples(wanted[:, None], probe.points, target)
    return np.asarray(pairwise([truth], observed, p=2, progress=False).values[0])


def _some_rows(n: int, most: int) -> Integers:
    """All rows of a small table, evenly chosen ones of a large one."""
    return np.unique(np.linspace(0, n - 1, min(n, most)).astype(np.int64))

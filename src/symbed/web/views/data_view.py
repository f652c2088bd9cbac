"""What the page shows of a data file: columns, ranges, rows to draw, and errors of formulas."""

from __future__ import annotations

import secrets
from collections import OrderedDict
from io import StringIO
from threading import Lock
from typing import Any

import numpy as np

from symbed._types import Floats, Integers
from symbed.behavior.atlas import Atlas
from symbed.behavior.behavior import Behavior
from symbed.behavior.survey.surveying import survey
from symbed.distances.matrix.distance_matrix import pairwise
from symbed.errors import DataError, SymbedError
from symbed.formula_files.table_rows import BYTE_ORDER_MARK
from symbed.limits import PAGE_ROWS, PAGE_TEXT
from symbed.sampling.probe import Probe
from symbed.web.json_fields import Fields
from symbed.web.views.base64_arrays import encode
from symbed.web.views.formula_names import explain
from symbed.workbench.data.data_files import Data, read_data

MAX_DRAWN = 5_000  # rows, evenly chosen: more dots hide the formulas
MAX_FITTED = 1_024  # rows, evenly chosen, that errors are measured at
MAX_TABLES = 4  # data files that wait for questions at once


class OpenTables:
    """The last data files that were opened."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._tables: OrderedDict[str, Data] = OrderedDict()

    def put(self, data: Data) -> str:
        """Keep a table, and forget the oldest of too many; gives its key."""
        key = secrets.token_urlsafe(12)
        with self._lock:
            self._tables[key] = data
            if len(self._tables) > MAX_TABLES:
                self._tables.popitem(last=False)
        return key

    def get(self, key: str) -> Data:
        """The table with a key."""
        with self._lock:
            data = self._tables.get(key)
        if data is None:
            raise DataError("these data are no longer kept; open the file again")
        return data


def read_table(fields: Fields, tables: OpenTables) -> dict[str, Any]:
    """The columns of a table in the text of a file; rows with gaps are left out, and counted."""
    text = fields.text("text", PAGE_TEXT.maximum).removeprefix(BYTE_ORDER_MARK)
    file = StringIO(text)
    shown: dict[str, Any] = {"problem": None, "columns": []}
    try:
        n_lines = sum(1 for line in text.splitlines()[1:] if line.strip())
        PAGE_ROWS.check(n_lines)
        data = read_data(file, missing="drop")
    except SymbedError as error:
        return shown | {"problem": explain(error)["message"]}
    rows = _some_rows(len(data.X), MAX_DRAWN)
    return shown | {
        "key": tables.put(data),
        "n_rows": len(data.X),
        "n_dropped": n_lines - len(data.X),
        "n_drawn": len(rows),
        "columns": [
            {"name": name, "range": [float(column.min()), float(column.max())],
             "values": encode(column[rows])}
            for name, column in zip(data.names, data.X.T, strict=True)
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

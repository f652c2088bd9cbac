"""What the page shows of a data file: its columns, their ranges, and rows to draw."""

from __future__ import annotations

from io import StringIO
from typing import Any

import numpy as np

from symbed._formula_rows import BYTE_ORDER_MARK
from symbed.errors import SymbedError
from symbed.limits import PAGE_ROWS, PAGE_TEXT
from symbed.web.base64_arrays import encode
from symbed.web.formula_names import explain
from symbed.web.json_fields import Fields
from symbed.workbench.data.data_files import read_data

MAX_DRAWN = 5_000  # rows, evenly chosen: more dots hide the formulas


def read_table(fields: Fields) -> dict[str, Any]:
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
    rows = np.unique(np.linspace(0, len(data.X) - 1, min(len(data.X), MAX_DRAWN)).astype(np.int64))
    return shown | {
        "n_rows": len(data.X),
        "n_dropped": n_lines - len(data.X),
        "n_drawn": len(rows),
        "columns": [
            {"name": name, "range": [float(column.min()), float(column.max())],
             "values": encode(column[rows])}
            for name, column in zip(data.names, data.X.T, strict=True)
        ],
    }  # fmt: skip

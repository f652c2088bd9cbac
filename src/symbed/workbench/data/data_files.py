"""Reading users' data: a file, an array or a data frame as inputs, target and names."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from io import TextIOBase
from pathlib import Path
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from symbed._types import Floats
from symbed.errors import DataError, RangeError, ShapeError
from symbed.workbench.data.table_files import (
    READERS,
    Columns,
    gather_columns,
    read_lines,
    split_array,
)

Missing = Literal["error", "drop", "keep"]


class Data(NamedTuple):
    """A table of numbers.

    Attributes
    ----------
    X : (n_rows, n_variables) ndarray
        The inputs, read-only.
    y : (n_rows,) ndarray or None
        The target, read-only; None if no column was named as the target.
    names : tuple of str
        The columns of X.
    """

    X: Floats
    y: Floats | None
    names: tuple[str, ...]


def read_data(
    source: Any,
    target: str | int | None = None,
    *,
    names: Sequence[str] | None = None,
    missing: Missing = "error",
    min_rows: int = 1,
) -> Data:
    """Read a table of numbers.

    Parameters
    ----------
    source : path, file, array_like, data frame or mapping
        A file (``.csv``, ``.tsv``, ``.txt``, ``.parquet``, ``.npy``, ``.npz``), an open text file
        with a table, a NumPy array, a data frame (pandas, polars, pyarrow), or a mapping from names
        to columns.
    target : str or int, optional
        The column to predict, by name or by number (-1 is the last); None keeps all in X.
    names : sequence of str, optional
        Names of the columns, target included, where the source has none; ``X_0``, ``X_1`` ...
        by default.
    missing : {"error", "drop", "keep"}
        What happens to rows with empty cells, NaN or infinite numbers: ``"error"`` names the first
        one, ``"drop"`` leaves the rows out, ``"keep"`` gives NaN.
    min_rows : int
        Fewer rows than this are an error.

    Examples
    --------
    >>> data = read_data([[1.0, 10.0], [2.0, 20.0]], target=-1, names=["x", "y"])
    >>> data.X.tolist(), data.y.tolist(), data.names
    ([[1.0], [2.0]], [10.0, 20.0], ('x',))
    """
    if missing not in ("error", "drop", "keep"):
        raise RangeError(f"missing must be 'error', 'drop' or 'keep', got {missing!r}")
    label, columns = _columns(source, names)
    table = np.column_stack(list(columns.values())) if columns else np.empty((0, 0))
    rows = _usable_rows(table, list(columns), label, missing)
    if len(rows) < min_rows or not len(rows):
        dropped = f" ({len(table) - len(rows)} were dropped)" if len(rows) < len(table) else ""
        raise DataError(f"{label} has {len(rows)} rows{dropped}, at least {min_rows} are needed")
    return _split(table[rows], tuple(columns), target, label)


def _columns(source: Any, names: Sequence[str] | None) -> tuple[str, Columns]:
    """What to call the source in messages, and its columns by name."""
    if isinstance(source, str | Path):
        path = Path(source)
        reader = READERS.get(path.suffix.lower())
        if reader is None:
            known = ", ".join(READERS)
            raise DataError(f"{path.name}: a data file ends in one of {known}")
        return path.name, reader(path, names)
    if isinstance(source, TextIOBase):
        label = Path(str(getattr(source, "name", "the file"))).name
        return label, read_lines(source, label, names)
    if isinstance(source, Mapping):
        return "the mapping", gather_columns(source.items(), "the mapping")
    if hasattr(source, "column_names"):  # pyarrow
        cells = (column.to_numpy() for column in source.columns)
        return "the table", gather_columns(
            zip(source.column_names, cells, strict=True), "the table"
        )
    if hasattr(source, "columns") and hasattr(source, "to_numpy"):  # pandas, polars
        return "the data frame", gather_columns(_frame(source), "the data frame")
    return "the array", split_array(_array(source), names, "the array")


def _frame(frame: Any) -> Iterator[tuple[str, Any]]:
    labels = list(map(str, frame.columns))
    for label, name in zip(labels, frame.columns, strict=True):
        # Of a name that is there twice a frame gives a frame; the check of names tells it.
        yield label, [] if labels.count(label) > 1 else frame[name].to_numpy()


def _array(source: Any) -> NDArray[Any]:
    try:
        array = np.asarray(source)
    except ValueError as error:
        raise DataError(f"the array is no table: {error}") from error
    if array.dtype.kind == "O" and array.ndim == 0:
        kind = type(source).__name__
        raise ShapeError(f"data are a file, an array, a data frame or a mapping, got {kind}")
    return array


def _usable_rows(table: Floats, names: list[str], label: str, missing: Missing) -> NDArray[np.intp]:
    undefined = ~np.isfinite(table)
    if missing == "error" and undefined.any():
        row, column = np.argwhere(undefined)[0]
        raise DataError(
            f"{label} has {table[row, column]} in column {names[column]}, row {row + 1} of its "
            "data; missing='drop' leaves such rows out"
        )
    if missing == "keep":
        return np.arange(len(table))
    return np.flatnonzero(~undefined.any(axis=1))


def _split(table: Floats, names: tuple[str, ...], target: str | int | None, label: str) -> Data:
    if target is None:
        return Data(_frozen(table), None, names)
    place = _place(names, target, label)
    if len(names) == 1:
        raise DataError(f"{label} has no column beside the target {names[0]!r}")
    inputs = np.delete(table, place, axis=1)
    return Data(_frozen(inputs), _frozen(table[:, place]), names[:place] + names[place + 1 :])


def _place(names: tuple[str, ...], target: str | int, label: str) -> int:
    shown = ", ".join(names)
    if isinstance(target, str) and target in names:
        return names.index(target)
    if isinstance(target, int) and -len(names) <= target < len(names):
        return target % len(names)
    raise DataError(f"{label} has no column {target!r} for the target; its columns are {shown}")


def _frozen(array: Floats) -> Floats:
    kept = np.ascontiguousarray(array)
    kept.setflags(write=False)
    return kept

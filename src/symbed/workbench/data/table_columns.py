"""Columns of a table: cells of any kind go in; checked columns of numbers by name come out."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from symbed._types import Floats
from symbed.errors import DataError

Columns = dict[str, Floats]

MISSING = frozenset({"NoneType", "NAType", "NaTType"})  # what empty cells of frames are made of


def column_of_numbers(cells: Any, name: str, label: str) -> Floats:
    """A column as float64; an error names the first cell that is no number.

    >>> column_of_numbers([1, "2.5", None], "x", "the table")
    array([1. , 2.5, nan])
    """
    column = np.asarray(cells)
    if column.ndim != 1:
        raise DataError(
            f"{label}: column {name} is no list of numbers, its shape is {column.shape}"
        )
    if column.dtype.kind in "biuf":
        return column.astype(np.float64)
    numbers = np.empty(len(column))
    for row, cell in enumerate(column.tolist()):
        try:
            numbers[row] = np.nan if type(cell).__name__ in MISSING else float(cell)
        except (TypeError, ValueError, OverflowError):
            raise DataError(
                f"{label} needs numbers, got {cell!r} in column {name}, row {row + 1} of its data"
            ) from None
    return numbers


def gather_columns(pairs: Iterable[tuple[Any, Any]], label: str) -> Columns:
    """Names and cells as columns of one length, each name once."""
    columns: Columns = {}
    for name, cells in pairs:
        if str(name) in columns:
            raise DataError(f"{label} has two columns with the name {str(name)!r}")
        columns[str(name)] = column_of_numbers(cells, str(name), label)
    lengths = {name: len(column) for name, column in columns.items()}
    if len(set(lengths.values())) > 1:
        shown = ", ".join(f"{name} {length}" for name, length in lengths.items())
        raise DataError(f"{label} has columns of different lengths: {shown}")
    return columns


def split_array(array: NDArray[Any], names: Sequence[str] | None, label: str) -> Columns:
    """The columns of an array, by the given names or X_0, X_1 ...

    >>> list(split_array(np.eye(2), None, "the array"))
    ['X_0', 'X_1']
    """
    if array.dtype.names:  # a structured array names its columns itself
        return gather_columns(((name, array[name]) for name in array.dtype.names), label)
    table = array[:, None] if array.ndim == 1 else array
    if table.ndim != 2:
        raise DataError(f"{label} must have rows and columns, got shape {array.shape}")
    chosen = [f"X_{place}" for place in range(table.shape[1])] if names is None else list(names)
    if len(chosen) != table.shape[1]:
        raise DataError(f"{label} has {table.shape[1]} columns, got {len(chosen)} names: {chosen}")
    return gather_columns(zip(chosen, table.T, strict=True), label)

"""Columns of numbers by name, from files and arrays of any kind.

One reader for each ending of a file, in ``READERS``.
"""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any
from zipfile import BadZipFile

import numpy as np
from numpy.typing import NDArray

from symbed._text_files import open_text
from symbed._types import Floats
from symbed.errors import DataError, MissingExtra

Names = Sequence[str] | None

DELIMITERS = ",;\t"


def read_csv(path: Path, names: Names = None) -> Columns:
    """A text file with a header; without one if names are given and its first row has numbers."""
    try:
        with open_text(path, errors="strict") as file:
            return read_lines(file, path.name, names)
    except UnicodeDecodeError as error:
        raise DataError(f"{path.name} is no UTF-8 text: {error.reason}") from error


def read_lines(lines: Iterable[str], label: str, names: Names = None) -> Columns:
    """The lines of such a file; ``label`` is what messages call it."""
    try:
        numbered = [(number, line) for number, line in enumerate(lines, start=1) if line.strip()]
        delimiter = _delimiter(numbered[0][1]) if numbered else ","
        header, body = _header(label, numbered, delimiter, names)
        table = _fast_table([line for _, line in body], delimiter, len(header))
        if table is None:
            table = _careful_table(label, body, delimiter, header)
    except csv.Error as error:
        raise DataError(f"{label} is no table: {error}") from error
    return dict(zip(header, table.T, strict=True))


def read_parquet(path: Path, names: Names = None) -> Columns:
    """A Parquet file."""
    try:
        import pyarrow.parquet
    except ImportError:
        raise MissingExtra(
            "Parquet files need pyarrow; install it with: pip install 'symbed[table]'"
        ) from None
    try:
        table = pyarrow.parquet.read_table(path)
    except pyarrow.ArrowInvalid as error:
        raise DataError(f"{path.name} is no Parquet file: {error}") from error
    return gather_columns(
        zip(table.column_names, map(_cells_of, table.columns), strict=True), path.name
    )


def read_numpy(path: Path, names: Names = None) -> Columns:
    """One array, or arrays by name: columns, and tables whose columns are numbered.

    A table ``X`` in an ``.npz`` file has the columns X_0, X_1 ...
    """
    loaded = _load(path)
    if not isinstance(loaded, dict):
        return split_array(loaded, names, path.name)
    pairs: list[tuple[str, Any]] = []
    for name, array in loaded.items():
        single = array.ndim == 1
        numbered = [name] if single else [f"{name}_{place}" for place in range(array.shape[-1])]
        pairs += split_array(array, numbered, f"{path.name}, array {name}").items()
    return gather_columns(pairs, path.name)


READERS: dict[str, Callable[[Path, Names], Columns]] = {
    ".csv": read_csv,
    ".tsv": read_csv,
    ".txt": read_csv,
    ".dat": read_csv,
    ".parquet": read_parquet,
    ".npy": read_numpy,
    ".npz": read_numpy,
}


def _delimiter(line: str) -> str | None:
    """The sign between cells; None for blanks of any number."""
    best = max(DELIMITERS, key=line.count)
    return best if best in line or len(line.split()) < 2 else None


def _header(
    label: str, numbered: list[tuple[int, str]], delimiter: str | None, names: Names
) -> tuple[list[str], list[tuple[int, str]]]:
    """The names of the columns and the lines with data."""
    first = _cells(numbered[0][1], delimiter) if numbered else []
    headless = any(_is_number(cell) for cell in first)
    if names is not None:
        return list(names), numbered if headless else numbered[1:]
    if headless or len(numbered) < 2:
        raise DataError(f"{label} needs a header with the names of the variables, then numbers")
    header = [cell.strip() for cell in first]
    if len(set(header)) < len(header) or "" in header:
        raise DataError(f"{label} needs a name of its own for each column, got {header}")
    return header, numbered[1:]


def _fast_table(lines: list[str], delimiter: str | None, n_columns: int) -> Floats | None:
    """The numbers by NumPy's reader; None if there is anything that needs a closer look."""
    if not lines:
        return np.empty((0, n_columns))
    try:
        table = np.loadtxt(
            lines, delimiter=delimiter, quotechar='"', comments=None, ndmin=2, dtype=np.float64
        )
    except ValueError:
        return None
    return table if table.shape[1] == n_columns else None


def _careful_table(
    label: str, body: list[tuple[int, str]], delimiter: str | None, header: list[str]
) -> Floats:
    """The numbers one by one, with an error for the first cell that is none."""
    table = np.empty((len(body), len(header)))
    for place, (number, line) in enumerate(body):
        cells = _cells(line, delimiter)
        if len(cells) != len(header):
            raise DataError(
                f"{label} has {len(header)} columns in its header and {len(cells)} in row {number}"
            )
        for column, (name, cell) in enumerate(zip(header, cells, strict=True)):
            if cell.strip() and not _is_number(cell):
                raise DataError(
                    f"{label} needs numbers, got {cell!r} in row {number}, column {name}"
                )
            table[place, column] = float(cell) if cell.strip() else np.nan
    return table


def _cells_of(column: Any) -> Any:
    return column.to_numpy()


def _cells(line: str, delimiter: str | None) -> list[str]:
    if delimiter is None:
        return line.split()
    return next(csv.reader([line], delimiter=delimiter), [])


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def _load(path: Path) -> NDArray[Any] | dict[str, NDArray[Any]]:
    try:
        with open(path, "rb") as file:
            loaded = np.load(file, allow_pickle=False)
            return loaded if isinstance(loaded, np.ndarray) else dict(loaded)
    except (ValueError, EOFError, BadZipFile) as error:
        raise DataError(f"{path.name} holds no plain arrays: {error}") from error


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

"""Reading users' data: a file, an array or a data frame as inputs, target and names.

One reader for each ending of a file, in ``READERS``.
"""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from io import TextIOBase
from pathlib import Path
from typing import Any, Literal, NamedTuple
from zipfile import BadZipFile

import numpy as np
from numpy.typing import NDArray

from symbed._text_files import open_text
from symbed._types import Floats
from symbed.errors import DataError, MissingExtra, RangeError, ShapeError

Missing = Literal["error", "drop", "keep"]
Names = Sequence[str] | None
Columns = dict[str, Floats]

DELIMITERS = ",;\t"
EMPTY = frozenset({"NoneType", "NAType", "NaTType"})  # what empty cells of frames are made of


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
        if (reader := READERS.get(path.suffix.lower())) is None:
            raise DataError(f"{path.name}: a data file ends in one of {', '.join(READERS)}")
        return path.name, reader(path, names)
    if isinstance(source, TextIOBase):
        label = Path(str(getattr(source, "name", "the file"))).name
        return label, read_lines(source, label, names)
    if isinstance(source, Mapping):
        return "the mapping", gather_columns(source.items(), "the mapping")
    # Told by what they have: none of these packages is imported to ask.
    if hasattr(source, "column_names"):  # pyarrow
        return "the table", _arrow_columns(source, "the table")
    if hasattr(source, "columns") and hasattr(source, "to_numpy"):  # pandas, polars
        return "the data frame", gather_columns(_frame(source), "the data frame")
    return "the array", split_array(_array(source), names, "the array")


def _arrow_columns(table: Any, label: str) -> Columns:
    cells = (column.to_numpy() for column in table.columns)
    return gather_columns(zip(table.column_names, cells, strict=True), label)


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
    # NumPy makes an array of one object of whatever it does not know.
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
    if isinstance(target, str) and target in names:
        place = names.index(target)
    elif isinstance(target, int) and -len(names) <= target < len(names):
        place = target % len(names)
    else:
        shown = ", ".join(names)
        raise DataError(f"{label} has no column {target!r} for the target; its columns are {shown}")
    if len(names) == 1:
        raise DataError(f"{label} has no column beside the target {names[0]!r}")
    inputs = np.delete(table, place, axis=1)
    return Data(_frozen(inputs), _frozen(table[:, place]), names[:place] + names[place + 1 :])


def _frozen(array: Floats) -> Floats:
    kept = np.ascontiguousarray(array)
    kept.setflags(write=False)
    return kept


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
        # Numbered before blank lines go, so that errors name the line of the file.
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
    return _arrow_columns(table, path.name)


def read_numpy(path: Path, names: Names = None) -> Columns:
    """One array, or arrays by name: columns, and tables whose columns are numbered.

    A table ``X`` in an ``.npz`` file has the columns X_0, X_1 ...
    """
    try:
        with open(path, "rb") as file:
            # Pickles run code.
            loaded = np.load(file, allow_pickle=False)
            # Arrays of an archive are read when asked for, so before the file is closed.
            arrays = None if isinstance(loaded, np.ndarray) else dict(loaded)
    except (ValueError, EOFError, BadZipFile) as error:
        raise DataError(f"{path.name} holds no plain arrays: {error}") from error
    if arrays is None:
        return split_array(loaded, names, path.name)
    pairs: list[tuple[str, Any]] = []
    for name, array in arrays.items():
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
    # A header of one word has no sign between cells, and is still a table of one column.
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
        # An empty cell, or rows of different lengths, are a ValueError. A # is no comment but a
        # cell, and not a number, for the careful reader to name.
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
    # Booleans, whole numbers, floats; everything else is looked at cell by cell.
    if column.dtype.kind in "biuf":
        return column.astype(np.float64)
    numbers = np.empty(len(column))
    for row, cell in enumerate(column.tolist()):
        try:
            numbers[row] = np.nan if type(cell).__name__ in EMPTY else float(cell)
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

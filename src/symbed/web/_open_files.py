"""Files that the page can be asked about: those of the command line, and the last uploads.

Tables of numbers live here; collections of formulas, which are more, in ``collection``.
"""

from __future__ import annotations

import secrets
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass
from io import StringIO
from pathlib import Path
from threading import Lock
from typing import Any, ClassVar, Generic, Protocol, TypeVar

import numpy as np

from symbed.errors import DataError
from symbed.formula_files.table_rows import BYTE_ORDER_MARK
from symbed.limits import PAGE_ROWS, PAGE_TEXT
from symbed.web._formula_names import problems_in
from symbed.web._json_fields import BadRequest, Fields, encode
from symbed.workbench import Data, read_data

MAX_DRAWN = 5_000  # rows, evenly chosen: more dots hide the formulas

Stamp = tuple[int, int] | None


class Named(Protocol):
    """Something with a name that the page can show."""

    @property
    def name(self) -> str:
        """What the page calls it."""


Opened = TypeVar("Opened", bound=Named)


class OpenFiles(Generic[Opened]):
    """Opened files of one kind, each under a key that only who opened it knows.

    Parameters
    ----------
    given : sequence
        Those of the command line, which are never forgotten.

    Attributes
    ----------
    most_uploads : int
        How many uploads wait for questions at once.
    forgotten : str
        What is told of one that is no longer kept.
    """

    most_uploads: ClassVar[int]
    forgotten: ClassVar[str]

    def __init__(self, given: Sequence[Opened] = ()) -> None:
        # Questions are answered in several threads.
        self._lock = Lock()
        self._given = {secrets.token_urlsafe(12): file for file in given}
        self._uploads: OrderedDict[str, Opened] = OrderedDict()

    @property
    def offered(self) -> list[dict[str, str]]:
        """Those of the command line, for the page to offer."""
        return [{"key": key, "name": file.name} for key, file in self._given.items()]

    def put(self, file: Opened, key: str = "") -> str:
        """Keep a file, in place of the one with that key; the oldest upload is forgotten."""
        with self._lock:
            if key in self._given:
                self._given[key] = file
                return key
            key = key or secrets.token_urlsafe(12)
            self._uploads[key] = file
            self._uploads.move_to_end(key)
            if len(self._uploads) > self.most_uploads:
                self._uploads.popitem(last=False)
            return key

    def get(self, key: str) -> Opened:
        """The file with a key."""
        with self._lock:
            file = self._given.get(key) or self._uploads.get(key)
        if file is None:
            raise DataError(f"{self.forgotten}; open the file again")
        return file


def stamp_of(path: Path | None) -> Stamp:
    """When a file was written and how long it is; None if there is none (any more).

    A search that is still running goes on writing to its file: another stamp, and it is read again.
    """
    try:
        told = path.stat() if path is not None else None
    except OSError:
        return None
    return None if told is None else (told.st_mtime_ns, told.st_size)


def key_or_text(fields: Fields) -> tuple[str, str | None]:
    """The key of an open file, or the text of a new one; the page sends one of the two."""
    if fields.has("key") == fields.has("text"):
        raise BadRequest("give the text of a file, or the key of an open one")
    if fields.has("key"):
        return fields.text("key", 64), None
    return "", fields.text("text", PAGE_TEXT.maximum)


@dataclass(frozen=True)
class Table:
    """A data file that was opened.

    Attributes
    ----------
    data : Data
        Its rows that have no gap.
    n_dropped : int
        How many had one.
    name : str
        What the page calls it.
    path : Path, optional
        Where it is on disk, if it was given on the command line.
    stamp : tuple, optional
        When it was written there.
    """

    data: Any
    n_dropped: int = 0
    name: str = ""
    path: Path | None = None
    stamp: Stamp = None

    def refreshed(self) -> Table:
        """The same table, or what its file holds now if that was written again since."""
        now = stamp_of(self.path)
        return self if self.path is None or now in (None, self.stamp) else open_table(self.path)


def read_table(text: str) -> Table:
    """The table in the text of a file."""
    return _whole(read_data(StringIO(text.removeprefix(BYTE_ORDER_MARK)), missing="keep"))


def open_table(path: Path) -> Table:
    """The table at a path that was given on the command line."""
    # Before it is read, so that what is written meanwhile is noticed the next time.
    stamp = stamp_of(path)
    read = _whole(read_data(path, missing="keep"))
    return Table(read.data, read.n_dropped, path.name, path, stamp)


def _whole(data: Any) -> Table:
    """The rows without gaps."""
    PAGE_ROWS.check(len(data.X))
    whole = np.isfinite(data.X).all(axis=1)
    if not whole.any():
        raise DataError(f"all of its {len(data.X)} rows have a gap")
    return Table(Data(data.X[whole], None, data.names), int((~whole).sum()))


class OpenTables(OpenFiles[Table]):
    """The tables that can be asked about."""

    most_uploads = 4
    forgotten = "these data are no longer kept"


def show_table(fields: Fields, tables: OpenTables) -> dict[str, Any]:
    """The columns of a table, in the text of a file or open already; gaps are counted."""
    key, text = key_or_text(fields)
    shown: dict[str, Any] = {"problem": None, "columns": []}
    with problems_in(shown):
        table = tables.get(key).refreshed() if text is None else read_table(text)
        n_rows = len(table.data.X)
        rows = np.unique(np.linspace(0, n_rows - 1, min(n_rows, MAX_DRAWN)).astype(np.int64))
        shown |= {
            "key": tables.put(table, key),
            "name": table.name,
            "n_rows": n_rows,
            "n_dropped": table.n_dropped,
            "n_drawn": len(rows),
            "columns": [
                {"name": name, "range": [float(column.min()), float(column.max())],
                 "values": encode(column[rows])}
                for name, column in zip(table.data.names, table.data.X.T, strict=True)
            ],
        }  # fmt: skip
    return shown

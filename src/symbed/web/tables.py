"""Tables of numbers that the page was given: the text of a data file, or one on disk."""

from __future__ import annotations

import secrets
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass
from io import StringIO
from pathlib import Path
from threading import Lock

import numpy as np

from symbed.errors import DataError
from symbed.formula_files.table_rows import BYTE_ORDER_MARK
from symbed.limits import PAGE_ROWS
from symbed.web.file_stamps import Stamp, stamp_of
from symbed.workbench.data.data_files import Data, read_data

MAX_TABLES = 4  # uploaded data files that wait for questions at once


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

    data: Data
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
    stamp = stamp_of(path)
    read = _whole(read_data(path, missing="keep"))
    return Table(read.data, read.n_dropped, path.name, path, stamp)


def _whole(data: Data) -> Table:
    """The rows without gaps."""
    PAGE_ROWS.check(len(data.X))
    whole = np.isfinite(data.X).all(axis=1)
    if not whole.any():
        raise DataError(f"all of its {len(data.X)} rows have a gap")
    return Table(Data(data.X[whole], None, data.names), int((~whole).sum()))


class OpenTables:
    """The tables that can be asked about: those of the command line, and the last uploads."""

    def __init__(self, given: Sequence[Table] = ()) -> None:
        self._lock = Lock()
        self._given = {secrets.token_urlsafe(12): table for table in given}
        self._uploads: OrderedDict[str, Table] = OrderedDict()

    @property
    def offered(self) -> list[dict[str, str]]:
        """The tables of the command line, for the page to offer."""
        return [{"key": key, "name": one.name} for key, one in self._given.items()]

    def put(self, table: Table, key: str = "") -> str:
        """Keep a table, in place of the one with that key; the oldest upload is forgotten."""
        with self._lock:
            if key in self._given:
                self._given[key] = table
                return key
            key = secrets.token_urlsafe(12)
            self._uploads[key] = table
            if len(self._uploads) > MAX_TABLES:
                self._uploads.popitem(last=False)
        return key

    def get(self, key: str) -> Table:
        """The table with a key."""
        with self._lock:
            table = self._given.get(key) or self._uploads.get(key)
        if table is None:
            raise DataError("these data are no longer kept; open the file again")
        return table

"""Tables of numbers that the page was given: the text of a data file, or one on disk."""

from __future__ import annotations

from dataclasses import dataclass
from io import StringIO
from pathlib import Path

import numpy as np

from symbed.errors import DataError
from symbed.formula_files.table_rows import BYTE_ORDER_MARK
from symbed.limits import PAGE_ROWS
from symbed.web.file_stamps import Stamp, stamp_of
from symbed.web.open_files import OpenFiles
from symbed.workbench.data.data_files import Data, read_data


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


class OpenTables(OpenFiles[Table]):
    """The tables that can be asked about."""

    most_uploads = 4
    forgotten = "these data are no longer kept"

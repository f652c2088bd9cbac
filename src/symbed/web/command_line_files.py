"""Files that were named on the command line, told apart: formulas, data, or an atlas."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from symbed.errors import SymbedError
from symbed.formula_files.table_rows import EXPRESSION_COLUMNS
from symbed.web.collection import Collection, open_collection
from symbed.web.tables import Table, open_table
from symbed.workbench.data.table_files import READERS

ARRAYS = frozenset(READERS) - {".csv", ".tsv", ".txt", ".dat"}  # endings that only data have
SHOWN_COLUMNS = 6


@dataclass
class CommandLineFiles:
    """What the page offers from the start.

    Attributes
    ----------
    collections : list of Collection
        Files of formulas, and atlases.
    tables : list of Table
        Files of data.
    """

    collections: list[Collection] = field(default_factory=list)
    tables: list[Table] = field(default_factory=list)

    @classmethod
    def open(cls, paths: Sequence[str] = (), data: Sequence[str] = ()) -> CommandLineFiles:
        """Open files of any kind, and files that were said to be data."""
        files = cls()
        for path in map(Path, paths):
            table = _table_of_numbers(path)
            if table is None:
                files.collections.append(open_collection(str(path)))
            else:
                files.tables.append(table)
        files.tables += [open_table(Path(path)) for path in data]
        return files

    def told(self) -> Iterator[str]:
        """One line for each file: what it was taken for."""
        for one in self.collections:
            if one.listing is not None:
                yield f"{one.name}: {len(one.listing.formulas):,} formulas"
            elif one.atlas is not None:
                yield f"{one.name}: an atlas of {len(one.atlas):,} formulas"
        for table in self.tables:
            names = table.data.names
            shown = ", ".join(names[:SHOWN_COLUMNS]) + ", ..." * (len(names) > SHOWN_COLUMNS)
            gaps = f", {table.n_dropped:,} with gaps left out" if table.n_dropped else ""
            yield f"{table.name}: data, {len(table.data.X):,} rows of {shown}{gaps}"


def _table_of_numbers(path: Path) -> Table | None:
    """The data in a file; None if it may hold formulas.

    Data have a header of two names or more, none of them one that formulas stand under, and
    nothing but numbers below it. A column of numbers could as well be a list of formulas.
    """
    if path.is_dir():
        return None
    if path.suffix.lower() in ARRAYS:
        return open_table(path)
    try:
        table = open_table(path)
    except SymbedError:
        return None
    titles = {name.strip().lower() for name in table.data.names}
    return table if len(titles) > 1 and not titles & set(EXPRESSION_COLUMNS) else None

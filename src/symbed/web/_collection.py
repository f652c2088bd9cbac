"""Collections of formulas that the page was given: the text of a file, or an atlas on disk.

The page knows a formula by its place among those that are shown: of an atlas with more formulas
than a map can hold, evenly chosen ones.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from io import StringIO
from pathlib import Path
from typing import Any

import numpy as np

from symbed import Atlas, Formulas, parse
from symbed._text_files import decoded
from symbed._types import Floats, Integers
from symbed.errors import DataError, LimitError, SymbedError
from symbed.formula_files.formulas import Listing, list_formulas
from symbed.formula_files.table_rows import BYTE_ORDER_MARK
from symbed.limits import PAGE_FORMULAS, PAGE_TEXT
from symbed.web._formula_names import describe
from symbed.web._open_files import OpenFiles, Stamp, stamp_of

MAX_LISTED = 240  # characters of each formula in the lists; the chosen one is shown whole
REMEDY = "survey them to an atlas first: symbed survey FILE -o my.atlas"


@dataclass(frozen=True)
class Collection:
    """Formulas that were opened: listed in a file, or observed in an atlas.

    Attributes
    ----------
    name : str
        What the page calls it.
    listing : Listing or None
        The formulas of a file as they are written; they are read again with every choice of a
        language.
    atlas : Atlas or None
        Their behaviors, once observed.
    formulas : Formulas or None
        The formulas of a file as they were last read.
    read_as : tuple of str
        The language and the choice of constants that they were asked to be read with.
    path : Path, optional
        Where the file is on disk, if it was given on the command line.
    stamp : tuple, optional
        When it was written there.
    """

    name: str
    listing: Listing | None = None
    atlas: Atlas | None = None
    formulas: Formulas | None = None
    read_as: tuple[str, str] = ("", "")
    path: Path | None = None
    stamp: Stamp = None

    def refreshed(self) -> Collection:
        """The same collection, or what its file lists now if that was written again since."""
        now = stamp_of(self.path)
        # A file that is gone by now is answered for by what was read.
        unchanged = self.path is None or now in (None, self.stamp)
        return self if unchanged else open_collection(str(self.path))

    def read(self, dialect: str, constants: str) -> Collection:
        """The same collection with its formulas read; reading them again costs nothing."""
        if self.listing is None or self.read_as == (dialect, constants):
            return self
        formulas = self.listing.read(dialect, constants, errors="skip", numbered_as_written=True)
        return replace(self, formulas=formulas, read_as=(dialect, constants))


def read_collection(text: str, name: str) -> Collection:
    """The collection in the text of a file."""
    if len(text) > PAGE_TEXT.maximum:
        raise LimitError(f"{name} is longer than {PAGE_TEXT.maximum:,} characters; {REMEDY}")
    # As an open file: a text of one line could be taken for a path, which no request may name.
    listing = list_formulas(StringIO(text.removeprefix(BYTE_ORDER_MARK)), strict=False)
    if len(listing.formulas) > PAGE_FORMULAS.maximum:
        raise LimitError(
            f"{name} has {len(listing.formulas):,} formulas; a page takes "
            f"{PAGE_FORMULAS.maximum:,}; {REMEDY}"
        )
    return Collection(name, listing)


def open_collection(path: str) -> Collection:
    """The collection at a path that was given on the command line: a folder is an atlas."""
    place = Path(path)
    if place.is_dir():
        atlas = Atlas.open(place)
        note = f" ({atlas.extent})" if atlas.is_unfinished else ""
        return Collection(place.name + note, atlas=atlas)
    # Before it is read: what is written meanwhile gives another stamp, and is read the next time.
    stamp = stamp_of(place)
    with place.open("rb") as file:
        # A character has at most four bytes; one byte more tells a file that is too long.
        content = file.read(4 * PAGE_TEXT.maximum + 1)
    read = read_collection(decoded(content), place.name)
    return replace(read, path=place, stamp=stamp)


class OpenCollections(OpenFiles[Collection]):
    """The collections that can be asked about."""

    most_uploads = 8
    forgotten = "this collection is no longer kept"


@dataclass(frozen=True)
class ShownFormulas:
    """The shown formulas of an observed collection.

    Attributes
    ----------
    atlas : Atlas
        All formulas that were observed.
    file : Formulas or None
        What the file tells about them; None for an atlas.
    """

    atlas: Atlas
    file: Formulas | None = None

    @classmethod
    def of(cls, collection: Collection) -> ShownFormulas:
        """Those of a collection that was observed before."""
        if collection.atlas is None:
            raise DataError("this collection has no probe to observe a formula with")
        return cls(collection.atlas, collection.formulas)

    def __len__(self) -> int:
        return len(self.rows)

    @cached_property
    def rows(self) -> Integers:
        """The place of each in the atlas."""
        n = len(self.atlas)
        shown = min(n, PAGE_FORMULAS.maximum)
        return np.arange(shown, dtype=np.int64) * n // max(shown, 1)

    @property
    def texts(self) -> list[str]:
        """Each in our own language, cut where it is long."""
        labels = self.atlas.labels
        return [_cut(labels[row]) for row in self.rows.tolist()]

    @property
    def losses(self) -> Floats | None:
        """The loss of each, NaN where there is none or what is no number; None if none is known."""
        return self._figures("loss")

    @property
    def complexities(self) -> tuple[Floats, str]:
        """The complexity of each, or its number of nodes where nothing is told; and which."""
        told = self._figures("complexity")
        if told is not None:
            return told, "complexity"
        if self.file is not None:
            sizes = np.array([one.size for one in self.file.expressions], np.float64)
            return sizes[self._file_rows], "nodes"
        labels = self.atlas.labels
        return np.array([_size(labels[row]) for row in self.rows.tolist()]), "nodes"

    @property
    def lines(self) -> Integers | None:
        """The line of each in its file."""
        if self.file is None:
            return None
        return np.array(self.file.lines, np.int64)[self._file_rows]

    def describe(self, place: int) -> dict[str, Any]:
        """All there is to say of one formula."""
        row = int(self.rows[place])
        text = self.atlas.label(row)
        told: dict[str, Any] = {"text": text, "written": None, "line": None, "columns": {}}
        if self.file is not None:
            at = int(self._file_rows[place])
            told["line"] = self.file.lines[at]
            told["written"] = self.file.written[at] if self.file.written[at] != text else None
            told["columns"] = {name: cells[at] for name, cells in self.file.columns.items()}
        else:
            told["columns"] = self.atlas.metadata_of(row)
        try:
            reading = describe(parse(text))
        except SymbedError:  # a callable's label is no formula
            reading = {"mathml": "", "size": None}
        return told | {"mathml": reading["mathml"], "size": reading["size"]}

    @cached_property
    def _file_rows(self) -> Integers:
        """The place of each among the formulas of the file: not all could be observed."""
        assert self.file is not None
        # The atlas was made of the file's formulas, so its line numbers count these, from 1.
        unseen = np.array([line.line - 1 for line in self.atlas.skipped], np.int64)
        return np.delete(np.arange(len(self.file)), unseen)[self.rows]

    def _figures(self, name: str) -> Floats | None:
        if self.file is not None:
            cells, rows = self.file.columns.get(name), self._file_rows
        else:
            cells, rows = self.atlas.metadata.get(name), self.rows
        if cells is None:
            return None
        # One cell that is a word makes texts of a whole column; the others still are numbers.
        figures = np.array([_number(cells[row]) for row in rows.tolist()])
        return figures if np.isfinite(figures).any() else None


def _cut(text: str) -> str:
    cut = f"{text[: MAX_LISTED - 1]}\N{HORIZONTAL ELLIPSIS}"
    return text if len(text) <= MAX_LISTED else cut


def _number(cell: Any) -> float:
    try:
        return float(cell)
    except (TypeError, ValueError):
        return float("nan")


def _size(label: str) -> float:
    try:
        return float(parse(label).size)
    except SymbedError:
        return float("nan")

"""Collections of formulas that the page was given: the text of a file, or an atlas on disk."""

from __future__ import annotations

from dataclasses import dataclass, replace
from io import StringIO
from pathlib import Path

from symbed._text_files import decoded
from symbed.behavior.atlas import Atlas
from symbed.errors import LimitError
from symbed.formula_files.formulas import Formulas
from symbed.formula_files.listing import Listing, list_formulas
from symbed.formula_files.table_rows import BYTE_ORDER_MARK
from symbed.limits import PAGE_FORMULAS, PAGE_TEXT
from symbed.web.file_stamps import Stamp, stamp_of
from symbed.web.open_files import OpenFiles

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
        """The same collection, or what its file lists now if that was written again since.

        A search that is still running goes on writing to its file.
        """
        now = stamp_of(self.path)
        return (
            self
            if self.path is None or now in (None, self.stamp)
            else open_collection(str(self.path))
        )

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
    stamp = stamp_of(place)
    with place.open("rb") as file:
        content = file.read(4 * PAGE_TEXT.maximum + 1)
    read = read_collection(decoded(content), place.name)
    return replace(read, path=place, stamp=stamp)


class OpenCollections(OpenFiles[Collection]):
    """The collections that can be asked about."""

    most_uploads = 8
    forgotten = "this collection is no longer kept"

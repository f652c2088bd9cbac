"""Collections: the text of a file or an atlas goes in, formulas to ask about come out."""

from __future__ import annotations

import secrets
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from threading import Lock

from symbed.behavior.atlas import Atlas
from symbed.errors import DataError, LimitError
from symbed.web.formula_files import Listed, is_from_pysr, read_formulas

MAX_FILE = 1 << 20  # characters of a file
MAX_FORMULAS = 5_000
MAX_KEPT = 8  # collections that wait for questions at once
REMEDY = "survey them to an atlas first: symbed survey FILE -o my.atlas"


@dataclass(frozen=True)
class Collection:
    """Formulas that were opened: listed in a file, or observed in an atlas.

    Attributes
    ----------
    name : what the page calls it.
    listed : the formulas of a file, or none.
    atlas : their behaviors, once observed.
    is_from_pysr : whether the file is a table with PySR's columns.
    """

    name: str
    listed: tuple[Listed, ...] = ()
    atlas: Atlas | None = None
    is_from_pysr: bool = False


def read_text(text: str, name: str) -> Collection:
    """The collection in the text of a file."""
    if len(text) > MAX_FILE:
        raise LimitError(f"{name} is longer than {MAX_FILE:,} characters; {REMEDY}")
    listed = read_formulas(text)
    if len(listed) > MAX_FORMULAS:
        raise LimitError(
            f"{name} has {len(listed):,} formulas; a page takes {MAX_FORMULAS:,}; {REMEDY}"
        )
    return Collection(name, tuple(listed), is_from_pysr=is_from_pysr(text))


def open_path(path: str) -> Collection:
    """The collection at a path that was given on the command line: a folder is an atlas."""
    place = Path(path)
    if place.is_dir():
        return Collection(place.name, atlas=Atlas.open(place))
    with place.open("rb") as file:
        content = file.read(4 * MAX_FILE + 1)
    return read_text(content.decode("utf-8", errors="replace"), place.name)


class Shelf:
    """The collections that can be asked about: those of the command line, and the last uploads."""

    def __init__(self, opened: Sequence[Collection] = ()) -> None:
        self._lock = Lock()
        self._opened = {secrets.token_urlsafe(12): collection for collection in opened}
        self._kept: OrderedDict[str, Collection] = OrderedDict()

    @property
    def opened(self) -> list[dict[str, str]]:
        """The collections of the command line, for the page to offer."""
        return [{"key": key, "name": one.name} for key, one in self._opened.items()]

    def put(self, collection: Collection, key: str = "") -> str:
        """Keep a collection, in place of the one with that key; the oldest upload is forgotten."""
        with self._lock:
            if key in self._opened:
                self._opened[key] = collection
                return key
            key = key or secrets.token_urlsafe(12)
            self._kept[key] = collection
            self._kept.move_to_end(key)
            if len(self._kept) > MAX_KEPT:
                self._kept.popitem(last=False)
            return key

    def get(self, key: str) -> Collection:
        """The collection with a key."""
        with self._lock:
            found = self._opened.get(key) or self._kept.get(key)
        if found is None:
            raise DataError("this collection is no longer kept; open the file again")
        return found

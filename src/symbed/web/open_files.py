"""Files that the page can be asked about: those of the command line, and the last uploads."""

from __future__ import annotations

import secrets
from collections import OrderedDict
from collections.abc import Sequence
from threading import Lock
from typing import ClassVar, Generic, Protocol, TypeVar

from symbed.errors import DataError


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

"""The store of named arrays in a folder, read by memory maps.

A store is a folder of immutable segments and a small SQLite manifest. A segment is one file with
several arrays, named by its content; the manifest says which segments there are and where the
arrays lie in them. Segments are written by ``symbed.behavior.store.writer``. Nothing in a store is
ever executed or unpickled.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from hashlib import blake2b
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from symbed.errors import DataError, StorageError

if TYPE_CHECKING:
    import sqlite3

FORMAT = 1
MANIFEST = "manifest.sqlite"
ENDING = ".seg"
DTYPES = ("|b1", "|u1", "|i1", "<i2", "<i4", "<i8", "<u2", "<u4", "<u8", "<f4", "<f8")
READ_WHOLE = 1 << 18  # segments up to so many bytes are read: each mapped one keeps a file open
DIGEST_BYTES = 16


class ArrayPlace(NamedTuple):
    """Where an array lies in its segment."""

    dtype: str
    shape: tuple[int, ...]
    offset: int

    @property
    def n_bytes(self) -> int:
        """Bytes of the array."""
        return np.dtype(self.dtype).itemsize * math.prod(self.shape)


class Segment(Mapping[str, NDArray[Any]]):
    """Named arrays in one file, mapped when the first is asked for.

    Attributes
    ----------
    path : Path
        The file.
    size : int
        Its number of bytes.
    places : mapping of str to ArrayPlace
        Where each array lies.
    """

    def __init__(self, path: Path, size: int, places: Mapping[str, ArrayPlace]) -> None:
        self.path, self.size, self.places = path, size, places
        self._content: NDArray[np.uint8] | None = None

    def __getitem__(self, name: str) -> NDArray[Any]:
        dtype, shape, offset = self.places[name]
        stop = offset + self.places[name].n_bytes
        if self._content is None:
            self._content = _load(self.path, self.size)
        return self._content[offset:stop].view(dtype).reshape(shape)

    def __iter__(self) -> Iterator[str]:
        return iter(self.places)

    def __len__(self) -> int:
        return len(self.places)

    def count(self, name: str) -> int:
        """The length of an array, without reading it; 0 if there is none of that name."""
        return self.places[name].shape[0] if name in self.places else 0


class Store:
    """The state of a folder at one moment; it stays readable while others append.

    Attributes
    ----------
    path : Path
        The folder.
    meta : dict
        What its writers say of the whole: plain JSON values.
    batches : list of Segment
        In the order in which they were appended.
    derived : dict of str to Segment
        What was computed from all of the batches, by their keys.
    """

    def __init__(
        self, path: Path, meta: dict[str, Any], batches: list[Segment], derived: dict[str, Segment]
    ) -> None:
        self.path, self.meta, self.batches, self.derived = path, meta, batches, derived

    @classmethod
    def open(cls, path: str | Path) -> Store:
        """The store as it is now."""
        path = Path(path)
        if not (path / MANIFEST).is_file():
            raise DataError(f"{path} is no atlas: {_missing(path)}")
        with open_manifest(path) as database:
            rows = database.execute("SELECT key, value FROM meta").fetchall()
            meta = _checked_meta(path, dict(rows))
            listed = database.execute(
                "SELECT key, file, bytes, arrays FROM segments ORDER BY number"
            ).fetchall()
        segments = [(key, _segment(path, file, size, arrays)) for key, file, size, arrays in listed]
        for _, segment in segments:
            _check_size(segment)
        batches = [segment for key, segment in segments if not key]
        return cls(path, meta, batches, {key: segment for key, segment in segments if key})

    def count(self, name: str) -> int:
        """The length of an array through all batches."""
        return sum(batch.count(name) for batch in self.batches)

    def parts(self, *names: str) -> list[tuple[NDArray[Any], ...]]:
        """Some arrays of each batch that has them."""
        return [tuple(batch[n] for n in names) for batch in self.batches if names[0] in batch]

    def verify(self) -> None:
        """Read every file and compare it with the digest in its name."""
        for segment in (*self.batches, *self.derived.values()):
            if _digest_file(segment.path) != segment.path.stem:
                raise DataError(f"{segment.path} is damaged: its content has changed")


@contextmanager
def open_manifest(path: Path, *, write: bool = False) -> Iterator[sqlite3.Connection]:
    """The manifest, in one transaction; a written one is synced to the disk when it ends."""
    import sqlite3

    try:
        uri = f"{(path / MANIFEST).absolute().as_uri()}?mode=rw"  # made nowhere else than in create
        database = sqlite3.connect(uri, uri=True, timeout=60, isolation_level=None)
    except sqlite3.Error as error:
        raise _explained(path, error) from None
    try:
        database.execute("PRAGMA synchronous = EXTRA")
        database.execute("BEGIN IMMEDIATE" if write else "BEGIN")
        yield database
        database.execute("COMMIT")
    except sqlite3.Error as error:
        raise _explained(path, error) from None
    finally:
        database.close()  # rolls back what was not committed


def _explained(path: Path, error: sqlite3.Error) -> Exception:
    name = getattr(error, "sqlite_errorname", "SQLITE_ERROR")
    if name.startswith(("SQLITE_ERROR", "SQLITE_CORRUPT", "SQLITE_NOTADB", "SQLITE_MISMATCH")):
        return DataError(f"{path} is damaged: {MANIFEST} cannot be read ({error})")
    if name.startswith(("SQLITE_BUSY", "SQLITE_LOCKED")):
        return StorageError(f"{path} is in use by another process; try again when it is done")
    return StorageError(f"{path} cannot be used: {error}; what was written before is complete")


def _checked_meta(path: Path, rows: dict[str, str]) -> dict[str, Any]:
    try:
        meta = {key: json.loads(text) for key, text in rows.items()}
        version = int(meta["format"])
    except (KeyError, TypeError, ValueError):
        raise DataError(f"{path} is damaged: {MANIFEST} does not say its format") from None
    if version != FORMAT:
        raise DataError(
            f"{path} has atlas format {version}, this symbed reads format {FORMAT}; "
            "install the version that wrote it"
        )
    return meta


def _segment(folder: Path, file: str, size: int, arrays: str) -> Segment:
    """A segment as the manifest describes it; an error if that cannot be."""
    try:
        listed = json.loads(arrays).items()
        places = {name: ArrayPlace(dtype, tuple(shape), at) for name, (dtype, shape, at) in listed}
        sound = file == Path(file).name and all(_fits(place, size) for place in places.values())
    except (AttributeError, TypeError, ValueError):
        sound = False
    if not sound:
        raise DataError(f"{folder} is damaged: {MANIFEST} describes {file!r} wrongly")
    return Segment(folder / file, size, places)


def _fits(place: ArrayPlace, size: int) -> bool:
    numbers = (*place.shape, place.offset)
    return (
        place.dtype in DTYPES
        and all(isinstance(number, int) and number >= 0 for number in numbers)
        and place.offset + place.n_bytes <= size
    )


def _check_size(segment: Segment) -> None:
    folder, file = segment.path.parent, segment.path.name
    try:
        size = segment.path.stat().st_size
    except FileNotFoundError:
        raise DataError(f"{folder} is damaged: {file} is missing") from None
    if size != segment.size:
        raise DataError(f"{folder} is damaged: {file} has {size} of {segment.size} bytes")


def _load(path: Path, size: int) -> NDArray[np.uint8]:
    try:
        if size <= READ_WHOLE:
            content = np.fromfile(path, np.uint8)
        else:
            content = np.asarray(np.memmap(path, np.uint8, "r"))
    except (OSError, ValueError) as error:
        raise StorageError(f"{path} cannot be read: {error}") from None
    content.setflags(write=False)
    if len(content) != size:
        raise DataError(f"{path} is damaged: it has {len(content)} of {size} bytes")
    return content


def _missing(path: Path) -> str:
    return f"it has no {MANIFEST}" if path.is_dir() else "there is no such folder"


def _digest_file(path: Path) -> str:
    digest = blake2b(digest_size=DIGEST_BYTES)
    with open(path, "rb") as file:
        while content := file.read(1 << 20):
            digest.update(content)
    return digest.hexdigest()

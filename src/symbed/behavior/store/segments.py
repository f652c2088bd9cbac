"""The store of named arrays in a folder: read by memory maps, written all or none.

A store is a folder of immutable segments and a small SQLite manifest. A segment is one file with
several arrays, named by its content; the manifest says which segments there are and where the
arrays lie in them. Nothing in a store is ever executed or unpickled.

A segment is written to a temporary file, synced and renamed, the folder is synced, and only then
does a new manifest, written likewise, name it. Killed at any moment, the store is in the state
before that or after it. One process writes at a time; it sweeps away files that are not named.
"""

from __future__ import annotations

import json
import math
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from hashlib import blake2b
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from symbed.behavior.store._manifest import (
    MANIFEST,
    TEMPORARY,
    ListedSegment,
    Manifest,
    read_manifest,
    sync_folder,
    told_as_storage_error,
    told_as_unreadable,
    write_manifest,
)
from symbed.errors import DataError, StorageError

ENDING = ".seg"
# Plain numbers only: whatever else a damaged manifest names is refused before bytes are viewed.
DTYPES = ("|b1", "|u1", "|i1", "<i2", "<i4", "<i8", "<u2", "<u4", "<u8", "<f4", "<f8")
READ_WHOLE = 1 << 18  # segments up to so many bytes are read: each mapped one keeps a file open
DIGEST_BYTES = 16
FILE_NAME = re.compile(rf"[0-9a-f]{{{2 * DIGEST_BYTES}}}{re.escape(ENDING)}")
LOCK = "writer.lock"
PATIENCE = 10.0  # seconds to wait for another writer
ALIGNMENT = 64  # bytes; a cache line

Pieces = NDArray[Any] | Sequence[NDArray[Any]]  # an array, whole or in pieces along its first axis


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
    """Named arrays in one file, mapped when the first is asked for."""

    def __init__(self, path: Path, size: int, places: Mapping[str, ArrayPlace]) -> None:
        self.path, self.size, self.places = path, size, places  # size is in bytes
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
    """The state of a folder at one moment; it stays readable while others append."""

    def __init__(self, path: Path, manifest: Manifest) -> None:
        self.path = path
        self.meta = manifest.meta  # what its writers say of the whole: plain JSON values
        self.is_sealed = manifest.is_sealed  # not in format 1; a seal that was there held
        self.batches: list[Segment] = []  # in the order in which they were appended
        self.derived: dict[str, Segment] = {}  # what was computed from all batches, by its key
        for listed in manifest.segments:
            segment = _segment(path, listed)
            _check_size(segment)
            if listed.key:
                self.derived[listed.key] = segment
            else:
                self.batches.append(segment)

    @classmethod
    def open(cls, path: str | Path) -> Store:
        """The store as it is now."""
        path = Path(path)
        if not (path / MANIFEST).is_file():
            missing = f"it has no {MANIFEST}" if path.is_dir() else "there is no such folder"
            raise DataError(f"{path} is no atlas: {missing}")
        return cls(path, read_manifest(path))

    @property
    def segments(self) -> tuple[Segment, ...]:
        """All of them."""
        return (*self.batches, *self.derived.values())

    def verify(self) -> None:
        """Read every file and compare it with the digest in its name; the seal was seen before."""
        if not self.is_sealed:
            raise DataError(
                f"{self.path / MANIFEST} was written by an earlier symbed, without a digest, and "
                "cannot be verified; open it without verify=True and append to it or save a copy"
            )
        for segment in self.segments:
            if _digest_file(segment.path) != segment.path.stem:
                raise _changed(segment.path)


def _segment(folder: Path, listed: ListedSegment) -> Segment:
    """A segment as the manifest describes it; an error if that cannot be."""
    try:
        arrays = json.loads(listed.arrays).items()
        places = {name: ArrayPlace(dtype, tuple(shape), at) for name, (dtype, shape, at) in arrays}
        sound = FILE_NAME.fullmatch(listed.file) is not None
        sound = sound and all(_fits(place, listed.size) for place in places.values())
    except (AttributeError, TypeError, ValueError, RecursionError):
        sound = False
    if not sound:
        raise DataError(f"{folder / MANIFEST} is damaged: it describes {listed.file!r} wrongly")
    return Segment(folder / listed.file, listed.size, places)


def _fits(place: ArrayPlace, size: int) -> bool:
    numbers = (*place.shape, place.offset)
    return (
        place.dtype in DTYPES
        # Before the size is trusted: the product of two negative lengths looks like a good one.
        and all(isinstance(number, int) and number >= 0 for number in numbers)
        and place.offset + place.n_bytes <= size
    )


def _check_size(segment: Segment) -> None:
    folder, file = segment.path.parent, segment.path.name
    try:
        size = segment.path.stat().st_size
    except FileNotFoundError:
        raise DataError(f"{folder} is damaged: {file} is missing") from None
    except OSError as error:
        raise StorageError(f"{segment.path} cannot be read: {error.strerror}") from None
    if size != segment.size:
        raise DataError(f"{folder} is damaged: {file} has {size} of {segment.size} bytes")


def _load(path: Path, size: int) -> NDArray[np.uint8]:
    """The bytes of a segment; what is read whole is compared with the digest in its name."""
    with told_as_unreadable(path):
        if size <= READ_WHOLE:
            content = np.fromfile(path, np.uint8)
        else:
            content = np.asarray(np.memmap(path, np.uint8, "r"))
    content.setflags(write=False)
    if len(content) != size:
        raise DataError(f"{path} is damaged: it has {len(content)} of {size} bytes")
    if size <= READ_WHOLE and _new_digest(content.data).hexdigest() != path.stem:
        raise _changed(path)
    return content


def _digest_file(path: Path) -> str:
    digest = _new_digest()
    with told_as_unreadable(path), open(path, "rb") as file:
        while content := file.read(1 << 20):
            digest.update(content)
    return digest.hexdigest()


def _new_digest(content: bytes | memoryview = b"") -> blake2b:
    return blake2b(content, digest_size=DIGEST_BYTES)


def _changed(path: Path) -> DataError:
    return DataError(f"{path} is damaged: its content has changed")


@contextmanager
def open_writer(path: str | Path, new: Mapping[str, Any] | None = None) -> Iterator[Writer]:
    """Be the one writer of a store; waits a little for another one to finish.

    ``new`` is what to say of a store that is not there yet, which is then made; None makes none.
    """
    path = Path(path)
    if new is None or (path / MANIFEST).is_file():
        Store.open(path)  # a foreign or damaged folder is left as it is
    else:
        _make_folder(path)
    with _only_writer(path):
        if not (path / MANIFEST).exists():
            write_manifest(path, Manifest(dict(new or {})))
        yield Writer(path)


class Writer:
    """Adds segments to a store; made by ``open_writer``."""

    def __init__(self, path: Path) -> None:
        self.store = Store.open(path)  # as it was last committed
        self._sweep()

    def stage(self, arrays: Mapping[str, Pieces]) -> Staged:
        """Write a segment that no one sees yet; forgotten unless it is committed."""
        temporary = self.store.path / f"{os.getpid()}{TEMPORARY}"
        with told_as_storage_error(temporary):
            return _write_segment(temporary, arrays)

    def commit(self, batches: Sequence[Staged], meta: Mapping[str, Any]) -> Store:
        """Append staged segments, all or none; what was derived of fewer batches is dropped."""
        before = read_manifest(self.store.path)
        kept = [listed for listed in before.segments if not (batches and listed.key)]
        return self._put(
            {**before.meta, **meta}, [*kept, *(ListedSegment("", *b) for b in batches)]
        )

    def keep(self, key: str, derived: Mapping[str, Pieces]) -> Store:
        """Keep arrays that were computed from all batches, until there are more batches."""
        staged, before = self.stage(derived), read_manifest(self.store.path)
        kept = [listed for listed in before.segments if listed.key != key]
        return self._put(before.meta, [*kept, ListedSegment(key, *staged)])

    def _put(self, meta: dict[str, Any], segments: list[ListedSegment]) -> Store:
        with told_as_storage_error(self.store.path):
            sync_folder(self.store.path)  # the segments' names last before somebody says them
        write_manifest(self.store.path, Manifest(meta, segments))
        self.store = Store.open(self.store.path)
        return self.store

    def _sweep(self) -> None:
        """Remove files that the manifest does not name: what a killed writer left behind."""
        named = {segment.path.name for segment in self.store.segments}
        with told_as_storage_error(self.store.path):
            for file in self.store.path.iterdir():
                if file.suffix in (ENDING, TEMPORARY) and file.name not in named:
                    file.unlink(missing_ok=True)


class Staged(NamedTuple):
    """A segment on disk that is not committed yet: its file, size and arrays."""

    file: str
    size: int
    arrays: str


def keep_derived(store: Store, key: str, arrays: Mapping[str, Pieces]) -> bool:
    """Keep what was computed from a store beside it, to be found in ``Store.derived[key]``.

    Gives False, and keeps nothing, where that is not possible now: the folder is read-only or full,
    somebody else writes, or the store has grown since. The caller has the arrays anyway.
    """
    try:
        with open_writer(store.path) as writer:
            files = [batch.path for batch in writer.store.batches]
            if files != [batch.path for batch in store.batches]:
                return False
            writer.keep(key, arrays)
    except (StorageError, DataError):
        return False
    return True


def _make_folder(path: Path) -> None:
    """Make the folder of a new store, or take one that has nothing in it."""
    with told_as_storage_error(path):
        if path.exists() and not path.is_dir():
            raise DataError(f"{path} is a file; an atlas needs a folder of its own")
        path.mkdir(parents=True, exist_ok=True)
        ours = (LOCK, MANIFEST)  # what a writer that was killed at once has left
        if any(not file.name.startswith(ours) for file in path.iterdir()):
            raise DataError(f"{path} is no atlas and not empty; choose another name")
        sync_folder(path.parent)


@contextmanager
def _only_writer(path: Path) -> Iterator[None]:
    """Hold the lock of a store.

    SQLite does the locking: its locks end with their process, do not pass to forked children, and
    work between threads.
    """
    import sqlite3

    try:
        # No isolation level: Python begins no transactions of its own beside ours.
        lock = sqlite3.connect(path / LOCK, timeout=PATIENCE, isolation_level=None)
    except sqlite3.Error as error:
        raise StorageError(f"{path / LOCK} cannot be written: {error}") from None
    with closing(lock):
        try:
            lock.execute("BEGIN EXCLUSIVE")
        except sqlite3.Error as error:
            if getattr(error, "sqlite_errorname", "").startswith("SQLITE_BUSY"):
                raise StorageError(
                    f"{path} is being written to by somebody else; try again when that is done"
                ) from None
            raise StorageError(f"{path / LOCK} cannot be written: {error}") from None
        yield


def _write_segment(temporary: Path, arrays: Mapping[str, Pieces]) -> Staged:
    """Write arrays to a file beside the temporary one that is named by its content."""
    digest, size = _new_digest(), 0
    places = {}
    try:
        with open(temporary, "wb") as file:
            for name, pieces in arrays.items():
                parts = [pieces] if isinstance(pieces, np.ndarray) else list(pieces)
                places[name] = (*_form(parts), size)
                for content in _contents(parts):
                    digest.update(content)
                    size += file.write(content)
            file.flush()
            os.fsync(file.fileno())
        name = digest.hexdigest() + ENDING
        os.replace(temporary, temporary.with_name(name))
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
    return Staged(name, size, json.dumps(places))


def _form(parts: list[NDArray[Any]]) -> tuple[str, list[int]]:
    """The type and shape of an array in pieces, as it is stored: little-endian."""
    dtype = parts[0].dtype.newbyteorder("<")
    return dtype.str, [sum(map(len, parts)), *parts[0].shape[1:]]


def _contents(parts: list[NDArray[Any]]) -> Iterator[bytes | memoryview]:
    """The bytes of an array in pieces, and zeros up to where the next may begin."""
    size = 0
    for part in parts:
        if part.size:
            stored = np.ascontiguousarray(part, part.dtype.newbyteorder("<"))
            yield stored.reshape(-1).view(np.uint8).data
            size += stored.nbytes
    # The next array is viewed in the map where it lies, so it must begin at a multiple of its
    # items.
    yield bytes(-size % ALIGNMENT)

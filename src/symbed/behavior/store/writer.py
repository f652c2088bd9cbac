"""The writer of a store: named arrays are added all or none, whenever the process is killed.

A segment is written to a temporary file, synced and renamed, the folder is synced, and only then
does a new manifest, written likewise, name it. Killed at any moment, the store is in the state
before that or after it. One process writes at a time; it sweeps away files that are not named.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from hashlib import blake2b
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from symbed.behavior.store.manifest import (
    MANIFEST,
    TEMPORARY,
    ListedSegment,
    Manifest,
    read_manifest,
    sync_folder,
    told_as_storage_error,
    write_manifest,
)
from symbed.behavior.store.segments import DIGEST_BYTES, ENDING, Store
from symbed.errors import DataError, StorageError

LOCK = "writer.lock"
PATIENCE = 10.0  # seconds to wait for another writer
ALIGNMENT = 64  # bytes; a cache line

Pieces = NDArray[Any] | Sequence[NDArray[Any]]  # an array, whole or in pieces along its first axis


@contextmanager
def open_writer(path: str | Path, new: Mapping[str, Any] | None = None) -> Iterator[Writer]:
    """Be the one writer of a store; waits a little for another one to finish.

    Parameters
    ----------
    path : str or Path
        The folder.
    new : mapping of str to JSON values, optional
        What to say of a store that is not there yet, which is then made; None makes none.
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
    """Adds segments to a store; made by ``open_writer``.

    Attributes
    ----------
    store : Store
        The store as it was last committed.
    """

    def __init__(self, path: Path) -> None:
        self.store = Store.open(path)
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
        return self._reopened()

    def _reopened(self) -> Store:
        self.store = Store.open(self.store.path)
        return self.store

    def _sweep(self) -> None:
        """Remove files that the manifest does not name: what a killed writer left behind."""
        segments = (*self.store.batches, *self.store.derived.values())
        named = {segment.path.name for segment in segments}
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
    digest, size = blake2b(digest_size=DIGEST_BYTES), 0
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

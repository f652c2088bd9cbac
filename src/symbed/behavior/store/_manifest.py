"""The manifest of a store: what its segments are and what is said of the whole, under a seal.

It is an SQLite file of two tables, written whole and renamed into its place: readers need no lock,
and a process that dies leaves the old one or the new one. Its *seal* is a digest of all its bytes,
those of the seal itself counted as zeros, so that any flipped bit is seen whenever it is read.

Manifests of format 1 were changed in place and have no seal. They are read as they are, and sealed
when something is written.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, closing, contextmanager
from dataclasses import dataclass, field
from hashlib import blake2b
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from symbed.errors import DataError, StorageError

if TYPE_CHECKING:
    import sqlite3

FORMAT, UNSEALED = 2, 1
MANIFEST = "manifest.sqlite"
TEMPORARY = ".tmp"
SEAL_BYTES = 16
SEAL = re.compile(rb"symbed seal ([0-9a-f]{32})")
SCHEMA = """
CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL);
CREATE TABLE segments (
    number INTEGER PRIMARY KEY, key TEXT NOT NULL, file TEXT NOT NULL, bytes INTEGER NOT NULL,
    arrays TEXT NOT NULL);
"""


class ListedSegment(NamedTuple):
    """A segment as the manifest lists it; without a key it is a batch, with one it is derived."""

    key: str
    file: str
    size: int
    arrays: str


@dataclass(frozen=True)
class Manifest:
    """What a store says of itself."""

    meta: dict[str, Any] = field(default_factory=dict)  # said of the whole: plain JSON values
    segments: list[ListedSegment] = field(default_factory=list)  # in the order they were written in
    is_sealed: bool = True  # whether it was read under a seal, which held


def read_manifest(folder: Path) -> Manifest:
    """The manifest of a folder as it is now; an error if it is damaged or of another format."""
    path = folder / MANIFEST
    with told_as_unreadable(path):
        content = path.read_bytes()
    seals = list(SEAL.finditer(content))
    # A text of a user may look like a seal, too; the true one is the one that fits.
    is_sealed = any(_digest(content, *seal.span(1)) == seal[1].decode() for seal in seals)
    if seals and not is_sealed:
        raise DataError(f"{path} is damaged: its content has changed")
    rows, listed = _rows(path, content if is_sealed else None)
    meta = _checked_meta(path, rows, is_sealed)
    return Manifest(meta, [ListedSegment(*row) for row in listed], is_sealed)


def write_manifest(folder: Path, manifest: Manifest) -> None:
    """Seal a manifest and put it in the place of the one before."""
    import sqlite3

    blank = os.urandom(SEAL_BYTES).hex()  # found again in the file, whatever else is in there
    meta = {**manifest.meta, "format": FORMAT, "seal": f"symbed seal {blank}"}
    # In memory, so that its bytes are sealed before any of them is on disk.
    with closing(sqlite3.connect(":memory:")) as database:
        database.executescript(SCHEMA)
        rows = [(key, json.dumps(value)) for key, value in meta.items()]
        database.executemany("INSERT INTO meta VALUES (?, ?)", rows)
        database.executemany(
            "INSERT INTO segments (key, file, bytes, arrays) VALUES (?, ?, ?, ?)",
            manifest.segments,
        )
        database.commit()
        content = database.serialize()
    start = content.index(blank.encode())
    seal = _digest(content, start, start + len(blank)).encode()
    replace_whole(folder / MANIFEST, content[:start] + seal + content[start + len(blank) :])


def _digest(content: bytes, start: int, stop: int) -> str:
    """The digest of a manifest whose seal stands between two places."""
    digest = blake2b(content[:start], digest_size=SEAL_BYTES)
    digest.update(bytes(stop - start))
    digest.update(content[stop:])
    return digest.hexdigest()


def _rows(path: Path, sealed: bytes | None) -> tuple[dict[str, str], list[Any]]:
    """What the tables hold: of sealed bytes, or of the file, where there is no seal."""
    import sqlite3

    try:
        with closing(sqlite3.connect(":memory:") if sealed else _connect(path)) as database:
            if sealed:
                # The bytes that the seal was checked on: the file may have been replaced since.
                database.deserialize(sealed)
            # Both tables as of one moment: unsealed manifests were changed in place.
            database.execute("BEGIN")
            meta = dict(database.execute("SELECT key, value FROM meta").fetchall())
            listed = database.execute(
                "SELECT key, file, bytes, arrays FROM segments ORDER BY number"
            ).fetchall()
            database.execute("COMMIT")
    except sqlite3.Error as error:
        raise _explained(path, error) from None
    return meta, listed


def _connect(path: Path) -> sqlite3.Connection:
    """An unsealed manifest; SQLite ends what a killed writer began, so it may have to write."""
    import sqlite3

    uri = f"{path.absolute().as_uri()}?mode=rw"
    return sqlite3.connect(uri, uri=True, timeout=60, isolation_level=None)


def _explained(path: Path, error: sqlite3.Error) -> Exception:
    name = getattr(error, "sqlite_errorname", "SQLITE_ERROR")
    if name.startswith(("SQLITE_BUSY", "SQLITE_LOCKED")):
        return StorageError(f"{path} is in use by another process; try again when it is done")
    if name.startswith(("SQLITE_CANTOPEN", "SQLITE_IOERR", "SQLITE_PERM", "SQLITE_READONLY")):
        return StorageError(f"{path} cannot be read: {error}")
    return DataError(f"{path} is damaged: {MANIFEST} cannot be read ({error})")


def _checked_meta(path: Path, rows: Mapping[str, str], is_sealed: bool) -> dict[str, Any]:
    try:
        meta = {key: json.loads(text) for key, text in rows.items() if key != "seal"}
        version = meta["format"]
        if not isinstance(version, int):
            raise TypeError
    except (KeyError, TypeError, ValueError, RecursionError):
        raise DataError(f"{path} is damaged: it does not say its format") from None
    if version not in (FORMAT, UNSEALED):
        raise DataError(
            f"{path} has atlas format {version}, this symbed reads formats {UNSEALED} and "
            f"{FORMAT}; install the version that wrote it"
        )
    if version == FORMAT and not is_sealed:
        raise DataError(f"{path} is damaged: its seal is missing")
    return meta


def told_as_storage_error(path: Path) -> AbstractContextManager[None]:
    """Let a full or read-only disk be told as an error of ours, which names the file."""
    return _told(path, "written", "; what was written before is complete")


def told_as_unreadable(path: Path) -> AbstractContextManager[None]:
    """Let a file that cannot be read now be told as an error of ours, which names it."""
    return _told(path, "read")


@contextmanager
def _told(path: Path, done: str, comfort: str = "") -> Iterator[None]:
    try:
        yield
    except StorageError:
        raise
    except OSError as error:
        reason = error.strerror or error
        raise StorageError(f"{path} cannot be {done}: {reason}{comfort}") from None


def replace_whole(path: Path, content: bytes) -> None:
    """Give a file new content: whenever the process dies, it has the old one or the new one."""
    temporary = path.with_name(f"{path.name}{TEMPORARY}")
    with told_as_storage_error(path):
        try:
            with open(temporary, "wb") as file:
                file.write(content)
                file.flush()
                # Before the rename, or else a crash could leave the new name without its content.
                os.fsync(file.fileno())
            os.replace(temporary, path)
        except BaseException:
            temporary.unlink(missing_ok=True)
            raise
        sync_folder(path.parent)


def sync_folder(folder: Path) -> None:
    """Make the names in a folder last."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)

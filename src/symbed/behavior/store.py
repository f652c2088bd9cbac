"""The store: named arrays go in, in batches that arrive whole or not at all; memory maps come out.

A store is a folder of immutable ``.npy`` files and a small SQLite manifest. A batch is written file
by file (write, sync, rename), the folder is synced, and one transaction names the new files. Killed
at any moment, the store is in the state before the batch or after it; files that no transaction
names are swept away by the next writer. Files are named by their content, so that writing a batch
again writes nothing. Nothing in it is ever executed or unpickled.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from symbed.errors import DataError

if TYPE_CHECKING:
    import sqlite3

FORMAT = 1
MANIFEST = "manifest.sqlite"
SCHEMA = """
CREATE TABLE IF NOT EXISTS meta (key TEXT PRIMARY KEY, value TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS files (
    batch INTEGER NOT NULL, name TEXT NOT NULL, file TEXT NOT NULL, bytes INTEGER NOT NULL,
    PRIMARY KEY (batch, name));
"""


class Store:
    """A folder of arrays that grows by whole batches.

    Attributes
    ----------
    path : the folder.
    meta : what the last batch said of the whole: plain JSON values.
    n_batches : number of batches.
    """

    def __init__(self, path: Path, meta: dict[str, Any], files: list[tuple[int, str, str, int]]):
        self.path, self.meta = path, meta
        self.n_batches = 1 + max((batch for batch, *_ in files), default=-1)
        self._files = {(batch, name): (file, size) for batch, name, file, size in files}

    @classmethod
    def create(cls, path: str | Path, meta: Mapping[str, Any]) -> Store:
        """A new, empty store; the folder must be new or empty."""
        path = Path(path)
        if path.exists() and (not path.is_dir() or any(path.iterdir())):
            raise DataError(f"{path} exists already; append to it, or choose another name")
        path.mkdir(parents=True, exist_ok=True)
        with _manifest(path) as database:
            database.executescript(SCHEMA)
            _put(database, {**meta, "format": FORMAT})
        return cls.open(path)

    @classmethod
    def open(cls, path: str | Path) -> Store:
        """The store as it is now."""
        path = Path(path)
        if not (path / MANIFEST).is_file():
            raise DataError(f"{path} is no atlas: it has no {MANIFEST}")
        with _manifest(path) as database:
            meta = {key: json.loads(text) for key, text in database.execute("SELECT * FROM meta")}
            files = database.execute("SELECT * FROM files ORDER BY batch, name").fetchall()
        if meta.get("format") != FORMAT:
            raise DataError(
                f"{path} has atlas format {meta.get('format')}, this symbed reads format {FORMAT}; "
                "install the version that wrote it"
            )
        store = cls(path, meta, files)
        store._check_sizes()
        return store

    def append(self, arrays: Mapping[str, NDArray[Any]], meta: Mapping[str, Any]) -> Store:
        """The store with one more batch, and with what ``meta`` says."""
        rows = []
        for name, array in arrays.items():
            file, size = _write(self.path, name, array)
            rows.append((self.n_batches, name, file, size))
        _sync(self.path)
        with _manifest(self.path) as database:
            found = database.execute("SELECT MAX(batch) FROM files").fetchone()[0]
            if (-1 if found is None else found) + 1 != self.n_batches:
                raise DataError(f"{self.path} was appended to by somebody else; open it again")
            database.executemany("INSERT INTO files VALUES (?, ?, ?, ?)", rows)
            _put(database, meta)
        return Store.open(self.path)

    def add(self, batch: int, arrays: Mapping[str, NDArray[Any]]) -> Store:
        """The store with more arrays in a batch that it has, for what can be derived from it."""
        rows = [(batch, name, *_write(self.path, name, array)) for name, array in arrays.items()]
        _sync(self.path)
        with _manifest(self.path) as database:
            database.executemany("INSERT OR REPLACE INTO files VALUES (?, ?, ?, ?)", rows)
        return Store.open(self.path)

    def array(self, batch: int, name: str) -> NDArray[Any]:
        """One array, mapped to memory; empty if the batch has none of that name."""
        if (batch, name) not in self._files:
            return np.empty(0)
        file, _ = self._files[batch, name]
        try:
            mapped: NDArray[Any] = np.load(self.path / file, mmap_mode="r", allow_pickle=False)
        except (OSError, ValueError) as error:
            raise DataError(f"{self.path / file} is damaged ({error})") from None
        return mapped

    def has(self, batch: int, name: str) -> bool:
        """Whether a batch has an array of that name."""
        return (batch, name) in self._files

    def names(self, batch: int, prefix: str) -> list[str]:
        """The names of a batch's arrays that begin so."""
        return [name for b, name in self._files if b == batch and name.startswith(prefix)]

    def sweep(self) -> None:
        """Remove files that no transaction names: what a killed writer left behind."""
        named = {file for file, _ in self._files.values()}
        for file in self.path.iterdir():
            if file.suffix in (".npy", ".tmp") and file.name not in named:
                file.unlink(missing_ok=True)

    def verify(self) -> None:
        """Read every file and compare it with the digest in its name."""
        for file, _ in self._files.values():
            content = hashlib.blake2b((self.path / file).read_bytes(), digest_size=16)
            if content.hexdigest() not in file:
                raise DataError(f"{self.path / file} is damaged: its content has changed")

    def _check_sizes(self) -> None:
        for file, size in self._files.values():
            try:
                found = (self.path / file).stat().st_size
            except FileNotFoundError:
                raise DataError(f"{self.path} is damaged: {file} is missing") from None
            if found != size:
                raise DataError(f"{self.path} is damaged: {file} has {found} of {size} bytes")


@contextmanager
def _manifest(path: Path) -> Iterator[sqlite3.Connection]:
    """The manifest, in one transaction that is synced to the disk when it ends."""
    import sqlite3

    database = sqlite3.connect(path / MANIFEST, timeout=60)
    try:
        database.execute("PRAGMA synchronous = EXTRA")
        with database:
            yield database
    except sqlite3.DatabaseError as error:
        if isinstance(error, sqlite3.OperationalError):
            raise DataError(f"{path / MANIFEST}: {error}") from None
        raise DataError(f"{path / MANIFEST} is damaged ({error})") from None
    finally:
        database.close()


def _put(database: sqlite3.Connection, meta: Mapping[str, Any]) -> None:
    rows = [(key, json.dumps(value)) for key, value in meta.items()]
    database.executemany("INSERT OR REPLACE INTO meta VALUES (?, ?)", rows)


def _write(folder: Path, name: str, array: NDArray[Any]) -> tuple[str, int]:
    """Write one array under a name made of its content; gives the name and its size."""
    temporary = folder / f"{os.getpid()}-{name}.tmp"
    digest = hashlib.blake2b(digest_size=16)
    try:
        with open(temporary, "wb") as file:
            np.lib.format.write_array(_Digested(file, digest), array, allow_pickle=False)
            file.flush()
            os.fsync(file.fileno())
            size = file.tell()
        final = f"{name}-{digest.hexdigest()}.npy"
        os.replace(temporary, folder / final)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
    return final, size


class _Digested:
    """A file that keeps a digest of what is written to it."""

    def __init__(self, file: Any, digest: Any) -> None:
        self._file, self._digest = file, digest

    def write(self, content: Any) -> int:
        self._digest.update(content)
        return int(self._file.write(content))


def _sync(folder: Path) -> None:
    """Make the names in a folder last."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)

"""The journal of finished units, from which a run that was killed goes on.

Each unit is one file, written under another name, synced and renamed: it is whole or absent. A file
that was made by other settings, or by another version, does not count and is made again.
"""

from __future__ import annotations

import io
import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import numpy as np

from symbed.errors import StorageError
from symbed_reproduction.core.experiments import Cost, Finished, Unit

KEY, COST = "unit.key", "unit.cost"  # no array of an experiment has a dot in its name
SCRATCH = ".part"  # ends the names of files that are being written
LOCK = ".lock"


class Journal:
    """The finished units of one experiment.

    Parameters
    ----------
    folder : str or Path
        Where their files are; made if it is not there.
    """

    def __init__(self, folder: str | Path) -> None:
        self.folder = Path(folder)
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            for torn in self.folder.glob(f"*{SCRATCH}"):
                torn.unlink(missing_ok=True)
        except OSError as error:
            raise unwritable(self.folder, error) from error

    def put(self, unit: Unit, finished: Finished) -> None:
        """Keep what a unit gave."""
        file = io.BytesIO()
        arrays: dict[str, Any] = dict(finished.arrays)
        arrays |= {KEY: np.array(unit.key), COST: np.array(finished.cost, np.float64)}
        np.savez_compressed(file, **arrays)
        _write(self._path(unit), file.getbuffer())

    def get(self, unit: Unit) -> Finished | None:
        """What the unit gave, or None if that is not known."""
        path = self._path(unit)
        try:
            content = path.read_bytes()
        except FileNotFoundError:
            return None
        except OSError as error:
            raise StorageError(f"cannot read {path}: {error.strerror or error}") from error
        try:
            return _unpack(content, unit)
        except Exception:  # torn or foreign bytes fail in more ways than can be listed
            return None

    def _path(self, unit: Unit) -> Path:
        return self.folder / f"{unit.name}.npz"


def write_text(path: Path, text: str) -> None:
    """Write a file whole or not at all."""
    _write(path, text.encode("utf-8"))


def keep_only(folder: Path, wanted: Iterable[str], endings: tuple[str, ...]) -> None:
    """Remove files with such endings that are not wanted: those of an earlier, other run."""
    names = set(wanted)
    try:
        for path in folder.iterdir():
            if path.name.endswith((*endings, SCRATCH)) and path.name not in names:
                path.unlink(missing_ok=True)
    except FileNotFoundError:
        return
    except OSError as error:
        raise unwritable(folder, error) from error


@contextmanager
def hold(folder: Path) -> Iterator[None]:
    """Keep a second run out of a folder for the while; the lock goes with its process."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        lock = open(folder / LOCK, "wb")  # noqa: SIM115
    except OSError as error:
        raise unwritable(folder, error) from error
    with lock:
        try:
            import fcntl

            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise StorageError(
                f"another run is using {folder}; wait for it, or choose another folder"
            ) from None
        except (ImportError, OSError):  # a system, or a file system, without locks: then without
            pass
        yield


def unwritable(path: Path, error: OSError) -> StorageError:
    """The error for a file or a folder that cannot be written."""
    return StorageError(
        f"cannot write {path}: {error.strerror or error}; finished units are kept, choose another "
        "folder or make room, and call again to go on"
    )


def _unpack(content: bytes, unit: Unit) -> Finished | None:
    with np.load(io.BytesIO(content), allow_pickle=False) as file:
        if str(file[KEY]) != unit.key:
            return None
        arrays = {name: file[name] for name in file.files if name not in (KEY, COST)}
        seconds, cpu_seconds, peak, began = file[COST].tolist()
    return Finished(arrays, Cost(seconds, cpu_seconds, int(peak), began))


def _write(path: Path, content: bytes | memoryview) -> None:
    scratch = path.with_name(f"{path.name}.{os.getpid()}{SCRATCH}")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with open(scratch, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        os.replace(scratch, path)
        _sync_folder(path.parent)
    except OSError as error:
        with suppress(OSError):
            scratch.unlink()
        raise unwritable(path, error) from error


def _sync_folder(folder: Path) -> None:
    """Bring the names in a folder to the disk, on systems that can open one."""
    if os.name != "posix":
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)

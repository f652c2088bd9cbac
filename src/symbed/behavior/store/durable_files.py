"""Files that last: written aside, synced and renamed; what a disk refuses is an error of ours."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from symbed.errors import StorageError

TEMPORARY = ".tmp"


@contextmanager
def told_as_storage_error(path: Path) -> Iterator[None]:
    """Let a full or read-only disk be told as an error of ours, which names the file."""
    try:
        yield
    except OSError as error:
        if isinstance(error, StorageError):
            raise
        raise StorageError(
            f"{path} cannot be written: {error.strerror or error}; "
            "what was written before is complete"
        ) from None


@contextmanager
def told_as_unreadable(path: Path) -> Iterator[None]:
    """Let a file that cannot be read now be told as an error of ours, which names it."""
    try:
        yield
    except OSError as error:
        if isinstance(error, StorageError):
            raise
        raise StorageError(f"{path} cannot be read: {error.strerror or error}") from None


def replace_whole(path: Path, content: bytes) -> None:
    """Give a file new content: whenever the process dies, it has the old one or the new one."""
    temporary = path.with_name(f"{path.name}{TEMPORARY}")
    with told_as_storage_error(path):
        try:
            with open(temporary, "wb") as file:
                file.write(content)
                file.flush()
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

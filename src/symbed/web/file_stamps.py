"""Stamps of files on disk: whether one was written again since it was read."""

from __future__ import annotations

from pathlib import Path

Stamp = tuple[int, int] | None


def stamp_of(path: Path | None) -> Stamp:
    """When a file was written and how long it is; None if there is none (any more)."""
    try:
        told = path.stat() if path is not None else None
    except OSError:
        return None
    return None if told is None else (told.st_mtime_ns, told.st_size)

"""Threads: how many run at once. Kernels release the GIL, so plain threads do, without OpenMP."""

from __future__ import annotations

import os

from symbed.errors import RangeError


def count_threads(workers: int | None) -> int:
    """The number of threads for a ``workers`` argument: all cores unless it says otherwise."""
    if workers is None:
        return os.cpu_count() or 1
    if not isinstance(workers, int) or workers < 1:
        raise RangeError(f"workers must be a positive whole number, got {workers!r}")
    return workers

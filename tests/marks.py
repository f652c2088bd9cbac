"""Marks that several files of tests share."""

from __future__ import annotations

import pytest

# A cluster takes seconds to start, and Dask's own threads and sockets are closed a moment late.
DASK = [
    pytest.mark.slow,
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
    pytest.mark.filterwarnings("ignore::DeprecationWarning:distributed"),
]

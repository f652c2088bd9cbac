from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.web.live import Explorer, running


@pytest.fixture(scope="session")
def explorer() -> Iterator[Explorer]:
    with running() as one:
        yield one

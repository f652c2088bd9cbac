from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from tests.web.live import Explorer, running
from tests.web.reader import CHROMIUM, FLAGS, Reader


@pytest.fixture(scope="session")
def explorer() -> Iterator[Explorer]:
    with running() as one:
        yield one


@pytest.fixture(scope="module")  # while it runs, no other event loop can
def browser() -> Iterator[Any]:
    """Chromium; tests that need it are skipped where it is missing."""
    driving = pytest.importorskip("playwright.sync_api", reason="Playwright is not installed")
    if CHROMIUM is None:
        pytest.skip("no Chromium on this machine: apt-get install chromium")
    with driving.sync_playwright() as driver:
        one = driver.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield one
        one.close()


@pytest.fixture
def reader(browser: Any, explorer: Explorer) -> Iterator[Reader]:
    one = Reader(browser, explorer)
    yield one
    one.context.close()
    assert one.wrong == []

"""Someone who reads the page in headless Chromium (Debian's ``chromium`` package)."""

from __future__ import annotations

import json
import shutil
import time
from typing import Any

from tests.web.live import Explorer

CHROMIUM = next(
    filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None
)
FLAGS = [
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
    "--disable-background-networking", "--disable-component-update", "--disable-sync",
    "--host-resolver-rules=MAP evil.example 127.0.0.1",
]  # fmt: skip
PATIENCE = 30  # seconds that a page may take on a busy machine
START = "#e=a*x+%2B+b&f=a*sin(x)&range.x=1:5&range.a=1:2&range.b=0:1"


class Reader:
    """Someone at the page: everything that goes wrong there is written down."""

    def __init__(self, browser: Any, explorer: Explorer, **options: Any) -> None:
        self.explorer, self.wrong = explorer, []  # type: ignore[var-annotated]
        self.context = browser.new_context(viewport={"width": 1280, "height": 960}, **options)
        self.context.set_default_timeout(1000 * PATIENCE)
        self.page = self.open_page()

    def open_page(self) -> Any:
        page = self.context.new_page()
        page.on("pageerror", lambda error: self.wrong.append(str(error)))
        page.on("console", lambda m: self.wrong.append(m.text) if m.type == "error" else None)
        page.on("request", self.note_request)
        return page

    def note_request(self, request: Any) -> None:
        if not request.url.startswith((self.explorer.origin, "blob:", "data:")):
            self.wrong.append(f"asks {request.url}")

    def enter(self, fragment: str = START) -> Any:
        self.page.goto(self.explorer.link + fragment)
        until(self.page, "document.getElementById('distance').textContent.trim()")
        return self.page

    def distance(self, page: Any = None) -> str:
        return str((page or self.page).text_content("#distance")).strip()

    def wait_for_distance(self, other_than: str) -> str:
        until(
            self.page,
            f"document.getElementById('distance').textContent !== {json.dumps(other_than)}"
            " && !document.getElementById('results').classList.contains('stale')",
        )
        return self.distance()


def until(page: Any, condition: str) -> None:
    """Wait for a condition; asked from outside, because the page allows no evaluation of texts."""
    deadline = time.monotonic() + PATIENCE
    while not page.evaluate(condition):
        assert time.monotonic() < deadline, condition
        page.wait_for_timeout(20)

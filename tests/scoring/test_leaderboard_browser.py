"""The leaderboard in headless Chromium: light, dark and on a phone; every cell opens its formulas."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from symbed.scoring.benchmark import Leaderboard, RunResult, write_report

playwright_api = pytest.importorskip("playwright.sync_api", reason="Playwright is not installed")
CHROMIUM = next(
    filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None
)
pytestmark = pytest.mark.skipif(
    CHROMIUM is None, reason="no Chromium on this machine: apt-get install chromium"
)
LONG = "sin(" * 40 + "x" + ")" * 40


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with playwright_api.sync_playwright() as driver:
        one = driver.chromium.launch(executable_path=CHROMIUM, args=["--headless", "--no-sandbox"])
        yield one
        one.close()


@pytest.fixture(scope="module")
def report(tmp_path_factory) -> Path:
    runs = []
    for method in ("first", "a-method-with-a-long-name"):
        for problem in ("cooling", "hill"):
            for seed in range(2):
                row = {
                    "formula": LONG, "expression": LONG, "read": True, "right": seed == 0,
                    "true_form": "yes" if seed == 0 else "no",
                    "verdict": "the true form" if seed == 0 else "another form",
                    "relation": "same", "grade": "matched", "form_distance": 0.1, "error": 0.5,
                    "size": 41, "effective": 1, "excess": 0,
                }  # fmt: skip
                runs.append(
                    RunResult(f"{method}{problem}{seed}", problem, "hidden", "<b>a law</b>", "C*x", 1,
                              method, 0.0, seed, "done", "", 1.0, 9.0, (row,))
                )  # fmt: skip
    folder = tmp_path_factory.mktemp("report")
    return write_report(Leaderboard(tuple(runs), len(runs)), folder)["leaderboard.html"]


@pytest.mark.parametrize(
    ("width", "scheme"), [(1200, "light"), (1200, "dark"), (390, "light"), (390, "dark")]
)
def test_a_cell_opens_its_formulas(browser, report: Path, width: int, scheme: str) -> None:
    context = browser.new_context(viewport={"width": width, "height": 800}, color_scheme=scheme)
    page = context.new_page()
    wrong: list[str] = []
    page.on("pageerror", lambda error: wrong.append(str(error)))
    page.on("console", lambda m: wrong.append(m.text) if m.type == "error" else None)
    page.goto(report.as_uri())
    assert not page.evaluate("document.documentElement.scrollWidth > window.innerWidth")
    page.click('button[data-by="problem"][data-group="hill"] >> nth=0')
    assert page.locator("dialog .run").count() == 2
    assert page.locator("dialog code >> nth=1").inner_text() == LONG
    assert "<b>a law</b>" in page.locator("dialog .truth >> nth=0").inner_text()
    assert not page.evaluate(
        "(d => d.scrollWidth > d.clientWidth)(document.querySelector('dialog'))"
    )
    page.keyboard.press("Escape")
    assert not page.locator("dialog").is_visible()
    page.click('button[data-by="all"] >> nth=0')
    assert page.locator("dialog .run").count() == 4
    page.click("#close")
    ground = page.evaluate("getComputedStyle(document.body).backgroundColor")
    assert (ground == "rgb(255, 255, 255)") == (scheme == "light")
    assert wrong == []
    context.close()

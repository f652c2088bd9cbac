"""Makes the explorer's pictures of the documentation from a running page.

Run ``python tools/make_explorer_pictures.py``; it needs Playwright and Debian's ``chromium``.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from playwright.sync_api import sync_playwright

ROOT = Path(__file__).parents[1]
IMAGES = ROOT / "docs" / "images"
HALL_OF_FAME = ROOT / "examples" / "hall_of_fame.csv"
GPLEARN = """add(mul(X0, X1), div(0.123, X2))
add(div(0.731, X2), mul(X1, X0))
mul(X0, X1)
sub(mul(X1, X0), -0.512)
div(X0, X2)
mul(inv(X2), X0)
sqrt(X1)
sqrt(X1
"""


def main() -> None:
    """Make all the pictures."""
    with explorer() as link, sync_playwright() as driver:
        browser = driver.chromium.launch(
            executable_path=shutil.which("chromium"), args=["--no-sandbox", "--disable-gpu"]
        )
        compare(browser, link, "light", "", 1000)
        fragment = "#e=a*x*sin(y)+%2B+b&f=a*sqrt(x+-+y)/b_1&held.y=2&at=3.469"
        compare(browser, link, "dark", fragment, 1060)
        small(browser, link)
        collection(browser, link)
        language(browser, link)
        browser.close()


@contextmanager
def explorer() -> Iterator[str]:
    """The link of a page that runs until the block ends."""
    words = [
        "-m",
        "symbed",
        "explore",
        str(HALL_OF_FAME),
        "--no-browser",
        "--json",
        "--port",
        "0",
    ]
    with subprocess.Popen([sys.executable, *words], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        try:
            yield json.loads(process.stdout.readline())["url"]
        finally:
            process.terminate()


def open_page(browser: Any, link: str, scheme: str, width: int, height: int) -> Any:
    """A page of that size and scheme."""
    context = browser.new_context(viewport={"width": width, "height": height}, color_scheme=scheme)
    page = context.new_page()
    page.goto(link)
    page.wait_for_timeout(800)
    page.reload()  # the first answer of a server is slower than all that follow
    page.wait_for_timeout(800)
    return page


def compare(browser: Any, link: str, scheme: str, fragment: str, height: int) -> None:
    """Two formulas."""
    page = open_page(browser, link + fragment, scheme, 1280, height)
    page.screenshot(path=IMAGES / f"explorer-{scheme}.png")


def small(browser: Any, link: str) -> None:
    """An error on a small screen."""
    page = open_page(browser, link + "#e=a*x^2&f=a*sin(x)&range.x=0:3", "light", 390, 1200)
    page.fill("#formula-1", "a*sn(x)")
    page.wait_for_timeout(600)
    page.screenshot(path=IMAGES / "explorer-small.png")


def collection(browser: Any, link: str) -> None:
    """A hall of fame, with a formula that was searched for and one that was chosen."""
    page = open_page(browser, link + "#tab=collection", "light", 1280, 900)
    page.fill("#query", "x0^2 - x0 + 2*cos(x1)")
    page.locator("#neighbors li").first.wait_for()
    page.focus("#map")
    for _ in range(2):
        page.keyboard.press("ArrowRight")
    page.evaluate("document.activeElement.blur()")
    page.wait_for_timeout(300)
    page.screenshot(path=IMAGES / "explorer-collection.png", full_page=True)


def language(browser: Any, link: str) -> None:
    """Formulas of gplearn with their constants lifted, one of them not readable."""
    page = open_page(browser, link + "#tab=collection&constants=lift", "dark", 1280, 900)
    page.click("summary")
    page.fill("#pasted", GPLEARN)
    page.click("#take")
    page.locator("#skipped li").wait_for()
    page.wait_for_timeout(300)
    page.screenshot(path=IMAGES / "explorer-language.png", full_page=True)


if __name__ == "__main__":
    main()

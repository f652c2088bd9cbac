"""Makes the explorer's pictures of the documentation from a running page.

Run ``PYTHONPATH=. python tools/make_explorer_pictures.py``, with the names of some of them or
without; it needs Playwright and Debian's ``chromium``.
"""

from __future__ import annotations

import json
import random
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from playwright.sync_api import sync_playwright

from benchmarks.explorer_page import run_of

ROOT = Path(__file__).parents[1]
IMAGES = ROOT / "docs" / "images"
RELATED = (
    "#e=a*b*exp(-c*x)&f=a*exp(-b*x)+%2B+c&range.x=0:5&range.a=0.5:2&range.b=0.2:2&range.c=0.2:1"
)
TWO_VARIABLES = "#e=a*x*sin(y)+%2B+b&f=a*sqrt(x+-+y)/b_1&held.y=2&at=3.469"
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
    """Make all the pictures; the names of some of them make these only."""
    asked = set(sys.argv[1:])
    with tempfile.TemporaryDirectory() as folder, explorer() as link, sync_playwright() as driver:
        browser = driver.chromium.launch(
            executable_path=shutil.which("chromium"), args=["--no-sandbox", "--disable-gpu"]
        )
        pictures = {
            "light": lambda: compare(browser, link, "light", RELATED, 1000),
            "dark": lambda: compare(browser, link, "dark", TWO_VARIABLES, 1060),
            "data": lambda: with_data(browser, link, Path(folder)),
            "small": lambda: small(browser, link),
            "collection": lambda: collection(browser, link, Path(folder)),
            "large": lambda: large(browser, link, Path(folder)),
            "language": lambda: language(browser, link),
        }
        for name, make in pictures.items():
            if not asked or name in asked:
                make()
        browser.close()


@contextmanager
def explorer() -> Iterator[str]:
    """The link of a page that runs until the block ends."""
    words = [
        "-m",
        "symbed",
        "explore",
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
    settled(page)
    page.screenshot(path=IMAGES / f"explorer-{scheme}.png")


def settled(page: Any) -> None:
    """Wait until the verdict is there, and nothing is computed any more; a minute at most."""
    condition = "() => judgment.textContent && working.hidden"
    page.wait_for_function(condition, timeout=60_000, polling=200)
    page.wait_for_timeout(300)


def with_data(browser: Any, link: str, folder: Path) -> None:
    """Data under two formulas, one of them with a pole."""
    noise = random.Random(1)
    rows = [f"{k / 40},{1 / (1 + k / 40) + noise.gauss(0, 0.05):.4f}" for k in range(320)]
    (folder / "decay.csv").write_text("\n".join(["t,y", *rows]))
    page = open_page(browser, link + "#e=a/(1+%2B+b*t)&f=1/(t+-+4)&range.a=0.8:1.2&range.b=0.7:1.3",
                     "light", 1280, 1000)  # fmt: skip
    page.set_input_files("#data-file", folder / "decay.csv")
    page.wait_for_timeout(1500)
    settled(page)
    page.screenshot(path=IMAGES / "explorer-data.png")


def small(browser: Any, link: str) -> None:
    """An error on a small screen."""
    page = open_page(browser, link + "#e=a*x^2&f=a*sin(x)&range.x=0:3", "light", 390, 1200)
    page.fill("#formula-1", "a*sn(x)")
    page.wait_for_timeout(900)
    page.screenshot(path=IMAGES / "explorer-small.png")


def open_run(page: Any, folder: Path, size: int) -> None:
    """Open a run of so many formulas, the one that the benchmark of the page takes."""
    path = folder / "run.csv"
    path.write_text(run_of(size))
    page.set_input_files("#file", path)
    while "behaviors" not in page.text_content("#listed"):
        page.wait_for_timeout(200)


def collection(browser: Any, link: str, folder: Path) -> None:
    """A run of 5,000 formulas with one of the front chosen."""
    page = open_page(browser, link + "#tab=collection", "light", 1280, 960)
    open_run(page, folder, 5_000)
    page.focus("#front")
    for _ in range(3):
        page.keyboard.press("ArrowRight")
    page.evaluate("document.activeElement.blur()")
    page.wait_for_timeout(800)
    page.screenshot(path=IMAGES / "explorer-collection.png", full_page=True)


def large(browser: Any, link: str, folder: Path) -> None:
    """100,000 formulas, zoomed in, colored by the distance to a typed one."""
    page = open_page(browser, link + "#tab=collection", "dark", 1280, 960)
    page.context.set_default_timeout(300_000)
    open_run(page, folder, 100_000)
    page.fill("#query", "sin(x0) + x1")
    while page.input_value("#color") != "distance":
        page.wait_for_timeout(200)
    page.click("#formulas li >> nth=0 >> button.link")
    for _ in range(4):
        page.click("#zoom-in")
    page.evaluate("window.scrollTo(0, 0)")
    page.wait_for_timeout(1500)
    page.screenshot(path=IMAGES / "explorer-large.png", full_page=True)


def language(browser: Any, link: str) -> None:
    """Formulas of gplearn with their constants lifted, one of them not readable."""
    page = open_page(browser, link + "#tab=collection&constants=lift", "dark", 1280, 900)
    page.click("#pasting > summary")
    page.fill("#pasted", GPLEARN)
    page.click("#take")
    page.locator("#skipped-card").wait_for()
    page.click("#skipped-title")
    page.evaluate("window.scrollTo(0, 0)")
    page.wait_for_timeout(1500)
    page.mouse.move(5, 5)
    page.wait_for_timeout(200)
    page.screenshot(path=IMAGES / "explorer-language.png", full_page=True)


if __name__ == "__main__":
    main()

"""A leaderboard for the docs: its CSV files, its tables, and pictures of its page.

Run with ``python tools/make_leaderboard_pictures.py REPORT docs``, where REPORT is the folder that
``symbed benchmark report`` wrote. Pictures (light, a cell opened in the dark, and on a phone) need
Playwright and Chromium (``tools/install_test_programs.sh``).
"""

from __future__ import annotations

import re
import shutil
import sys
from pathlib import Path

from playwright.sync_api import Page, sync_playwright

OPENED = 'button[data-by="problem"] >> nth=0'  # the cell whose formulas are shown


MARKERS = re.compile(r"(<!-- leaderboard:.*?-->\n).*?(<!-- end -->)", re.DOTALL)
CROSSED = "**By collection**"  # the one of the Markdown's other tables that the docs show


def main(report: Path, docs: Path) -> None:
    """Copy the tables of a report to the docs, and draw the three pictures."""
    for table in sorted(report.glob("*.csv")):
        shutil.copy(table, docs / "leaderboard" / table.name)
    _, all_methods, *others = re.split(r"\n\n(?=\||\*\*)", (report / "leaderboard.md").read_text())
    crossed = next(part for place, part in enumerate(others) if CROSSED in others[place - 1])
    tables = f"{all_methods}\n\nRecovery of the form by collection:\n\n{crossed.strip()}\n"
    page = docs / "benchmark.md"
    page.write_text(MARKERS.sub(rf"\1\n{tables}\n\2", page.read_text()))
    draw(report / "leaderboard.html", docs / "images")


def draw(page_file: Path, folder: Path) -> None:
    """Draw the three pictures of a page."""
    chromium = next(filter(None, map(shutil.which, ("chromium", "chromium-browser"))), None)
    with sync_playwright() as driver:
        browser = driver.chromium.launch(
            executable_path=chromium, args=["--headless", "--no-sandbox"]
        )
        for name, width, height, scheme in (
            ("light", 1260, 900, "light"),
            ("dark", 1260, 760, "dark"),
            ("phone", 390, 760, "light"),
        ):
            context = browser.new_context(
                viewport={"width": width, "height": height},
                color_scheme=scheme,
                device_scale_factor=2 if name == "phone" else 1,
            )
            page: Page = context.new_page()
            page.goto(page_file.resolve().as_uri())
            if name == "dark":
                page.click(OPENED)
            page.screenshot(path=folder / f"leaderboard-{name}.png")
            context.close()
        browser.close()


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))

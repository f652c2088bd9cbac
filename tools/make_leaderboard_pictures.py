"""Pictures of a leaderboard for the docs: light, a cell opened in the dark, and on a phone.

Run with ``python tools/make_leaderboard_pictures.py REPORT/leaderboard.html docs/images``; it needs
Playwright and Chromium (``tools/install_test_programs.sh``).
"""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

from playwright.sync_api import Page, sync_playwright

OPENED = 'button[data-by="problem"] >> nth=0'  # the cell whose formulas are shown


def main(page_file: Path, folder: Path) -> None:
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

"""Runs the examples of the pages and keeps the pictures that they draw, docs/images/PAGE/*.png.

``python tools/make_page_pictures.py [PAGE ...]`` runs the examples of each page and keeps the
pictures that it shows from its own folder of images. ``tools/make_figures.py`` makes the others.
"""

from __future__ import annotations

import re
import shutil
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))

from tools.page_examples import DOCS, PAGES, Session, page_name  # noqa: E402

PICTURE = re.compile(r"!\[[^\]]*\]\((?:\.\./)*images/(?P<file>[^)/]+/[^)]+\.png)\)")


def main() -> None:
    """Draw for the pages that were named, or for all that show pictures of their own."""
    chosen = [Path(word).resolve() for word in sys.argv[1:]] or PAGES
    for page in chosen:
        shown = own_pictures(page)
        if shown:
            draw(page, shown)


def own_pictures(page: Path) -> list[Path]:
    """Where a page's own pictures are kept."""
    files = [
        Path(picture["file"]) for picture in PICTURE.finditer(page.read_text(encoding="utf-8"))
    ]
    return [DOCS / "images" / file for file in files if file.parent.name == page.stem]


def draw(page: Path, shown: list[Path]) -> None:
    """Run a page and keep its pictures."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        problems = Session(folder).run(page)
        if problems:
            sys.exit(f"{page_name(page)}: " + "\n".join(problems))
        for picture in shown:
            if (folder / picture.name).exists():  # or a tool makes it
                picture.parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(folder / picture.name, picture)
                print(picture.relative_to(ROOT))


if __name__ == "__main__":
    main()

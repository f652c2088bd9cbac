"""``write_report``: a leaderboard as one HTML page, Markdown and CSV tables, in one folder."""

from __future__ import annotations

from pathlib import Path

from symbed.errors import StorageError
from symbed.scoring.benchmark.leaderboard import Leaderboard
from symbed.scoring.benchmark.report_page import page
from symbed.scoring.benchmark.report_tables import markdown, write_tables


def write_report(
    leaderboard: Leaderboard, folder: str | Path, *, title: str = "Leaderboard of forms"
) -> dict[str, Path]:
    """Write the report of a benchmark; gives the paths by file name.

    Parameters
    ----------
    leaderboard : Leaderboard
        What is written.
    folder : str or Path
        Where to; made if it is not there. ``leaderboard.html`` needs no other file,
        ``leaderboard.md`` is for papers, and every number stands in the ``.csv`` files.
    title : str
        The heading of the page.
    """
    place = Path(folder)
    try:
        place.mkdir(parents=True, exist_ok=True)
        written = write_tables(leaderboard, place)
        for name, text in (
            ("leaderboard.html", page(leaderboard, title)),
            ("leaderboard.md", markdown(leaderboard)),
        ):
            written[name] = place / name
            written[name].write_text(text, encoding="utf-8")
    except OSError as error:
        raise StorageError(f"{place} cannot be written ({error.strerror})") from None
    return written

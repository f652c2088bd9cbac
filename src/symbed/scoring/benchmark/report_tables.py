"""The tables of a leaderboard: CSV files with every number, and Markdown for papers."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from symbed.scoring.benchmark.leaderboard import Leaderboard, Summary

NOTHING = "\N{EN DASH}"  # where there is no number

# Name of a grouping: what the page calls it.
TITLES = {
    "noise": "By noise",
    "n_variables": "By number of variables",
    "collection": "By collection",
    "problem": "By problem",
}


def write_tables(leaderboard: Leaderboard, folder: Path) -> dict[str, Path]:
    """Write the CSV files: summaries, runs and formulas; gives their paths.

    Parameters
    ----------
    leaderboard : Leaderboard
        What is written.
    folder : Path
        Where to.
    """
    tables: dict[str, Sequence[Mapping[str, Any]]] = {
        "leaderboard.csv": leaderboard.summary_rows(),
        "runs.csv": [run.to_row() for run in leaderboard.runs],
        "formulas.csv": leaderboard.formula_rows(),
        "statuses.csv": [
            {"method": method, **counts} for method, counts in leaderboard.statuses.items()
        ],
    }
    paths = {}
    for name, rows in tables.items():
        paths[name] = folder / name
        write_whole(paths[name], csv_text(rows))
    return paths


def write_whole(path: Path, text: str) -> None:
    """Write a file as a whole: whoever is killed meanwhile leaves the one that was there."""
    partial = path.with_name(f".partial-{path.name}")
    partial.write_text(text, encoding="utf-8")
    partial.replace(path)


def csv_text(rows: Sequence[Mapping[str, Any]]) -> str:
    """A table with the names of the first row's columns; empty where a number is missing."""
    out = io.StringIO()
    writer = csv.DictWriter(out, list(rows[0]) if rows else [], lineterminator="\n")
    writer.writeheader()
    for row in rows:
        writer.writerow({name: "" if _is_nan(cell) else cell for name, cell in row.items()})
    return out.getvalue()


def markdown(leaderboard: Leaderboard) -> str:
    """The leaderboard as Markdown: all methods, then by noise and by number of variables."""
    parts = [_facts(leaderboard), "", *_main_table(leaderboard)]
    for by in ("noise", "n_variables", "collection"):
        if len(leaderboard.groups(by)) > 1:
            parts += ["", f"**{TITLES[by]}** (recovery of the form)", "", *_cross(leaderboard, by)]
    return "\n".join(parts) + "\n"


def _facts(leaderboard: Leaderboard) -> str:
    problems = len({run.problem for run in leaderboard.runs})
    seeds = len({run.seed for run in leaderboard.runs})
    unfinished = "" if leaderboard.is_finished else f" (unfinished: {leaderboard.n_tasks} to be)"
    return (
        f"{counted(problems, 'problem')}, {counted(len(leaderboard.methods), 'method')}, "
        f"{counted(seeds, 'seed')}: {counted(len(leaderboard.runs), 'run')}{unfinished}."
    )


def _main_table(leaderboard: Leaderboard) -> list[str]:
    heads = ("method", "form recovery", "on the front", "contains it", "special case",
             "R2 > 0.999", "form distance", "median error", "size", "seconds",
             "failed")  # fmt: skip
    rows = {one.method: one for one in leaderboard.summaries("all")}
    lines = ["| " + " | ".join(heads) + " |", "|" + "---|" * len(heads)]
    return lines + [main_row(rows[method]) for method in leaderboard.methods]


def main_row(one: Summary) -> str:
    """The line of a method in the table of all methods."""
    cells = (
        one.method, with_interval(one, "recovery"), share(one.on_front), share(one.contains),
        share(one.special), with_interval(one, "accuracy"), with_interval(one, "form_distance"),
        error_text(one.error), number(one.size), number(one.seconds), str(one.failed),
    )  # fmt: skip
    return "| " + " | ".join(cells) + " |"


def _cross(leaderboard: Leaderboard, by: str) -> list[str]:
    found = {(one.method, one.group): one for one in leaderboard.summaries(by)}
    groups = leaderboard.groups(by)
    lines = [f"| method | {' | '.join(groups)} |", "|" + "---|" * (len(groups) + 1)]
    for method in leaderboard.methods:
        cells = [
            with_interval(found[method, group], "recovery") if (method, group) in found else NOTHING
            for group in groups
        ]
        lines.append("| " + " | ".join([method, *cells]) + " |")
    return lines


def counted(n: int, what: str) -> str:
    """A number of things.

    >>> counted(1, "seed"), counted(2, "seed")
    ('1 seed', '2 seeds')
    """
    return f"{n} {what}" if n == 1 else f"{n} {what}s"


def share(value: float) -> str:
    """A number in [0, 1] as people read it."""
    return NOTHING if math.isnan(value) else f"{value:.2f}"


def with_interval(one: Summary, name: str) -> str:
    """A mean with its interval over seeds, where there is one."""
    center, low, high = (getattr(one, name + end) for end in ("", "_low", "_high"))
    return share(center) if math.isnan(low) else f"{share(center)} ({share(low)} to {share(high)})"


def error_text(value: float) -> str:
    """A relative error."""
    return "\N{INFINITY}" if math.isinf(value) else f"{value:.1e}" if value else "0"


def number(value: float) -> str:
    """A size or a time."""
    return NOTHING if math.isnan(value) else f"{value:.1f}"


def _is_nan(cell: object) -> bool:
    return isinstance(cell, float) and math.isnan(cell)

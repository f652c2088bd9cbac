"""The page of the documentation that shows all experiments, with its tables and figures."""

from __future__ import annotations

import csv
import json
import re
import shutil
from collections import Counter
from dataclasses import dataclass
from fnmatch import fnmatch
from functools import cached_property
from pathlib import Path
from typing import Any

from symbed.errors import DataError
from symbed_reproduction.core.experiments import EXPERIMENTS
from symbed_reproduction.core.journal import keep_only, unwritable, write_text
from symbed_reproduction.core.outcomes import Cell, Table

PAGE, REFERENCE = "index.md", "reference_cost"
REFERENCE_COMMAND = "python -m benchmarks.reproduction_cost -o results"
SHOWN_ROWS = 30  # a longer table is linked to, not shown
SHOWN_FIGURES = 6  # of more, those that SELECTED names are shown and the rest linked to
SELECTED: dict[str, tuple[str, ...]] = {}
SECTION = re.compile(r"^## (?P<title>.+)\n\n`tables/(?P<name>[^`]+)\.csv`$", re.MULTILINE)
NOTES = re.compile(  # up to the first table
    r"^## Notes\n(?P<text>.*?)(?=^## [^\n]+\n\n`tables/|\Z)", re.MULTILINE | re.DOTALL
)
VERDICTS = ("confirmed", "differs", "not checked")


@dataclass(frozen=True)
class ResultsFolder:
    """The folder of one experiment's results, as files."""

    name: str
    folder: Path

    @cached_property
    def report(self) -> str:
        """The whole report."""
        return (self.folder / "report.md").read_text("utf-8")

    @cached_property
    def cost(self) -> dict[str, Any]:
        """What it cost, and where."""
        cost: dict[str, Any] = json.loads((self.folder / "cost.json").read_text("utf-8"))
        return cost

    @cached_property
    def claims(self) -> list[dict[str, str]]:
        """The paper's claims, with verdicts."""
        path = self.folder / "tables" / "claims.csv"
        return _rows(path) if path.exists() else []

    @property
    def notes(self) -> str:
        """What the report notes."""
        notes = NOTES.search(self.report)
        return notes["text"].strip() if notes else ""

    @property
    def sections(self) -> list[tuple[str, str]]:
        """Names and titles of the tables, in order."""
        return [(section["name"], section["title"]) for section in SECTION.finditer(self.report)]

    @property
    def tables(self) -> list[Path]:
        """All tables as files, that of the claims included."""
        return sorted((self.folder / "tables").glob("*.csv"))

    @property
    def figures(self) -> list[Path]:
        """All figures that a page can show."""
        return sorted((self.folder / "figures").glob("*.png"))


def write_page(results: str | Path) -> str:
    """The page of all experiments that have results in a folder.

    Parameters
    ----------
    results : str or Path
        The folder that ``symbed reproduce ... -o`` wrote.
    """
    folders = find_results(Path(results))
    parts = [INTRODUCTION.strip(), _scale_warning(folders), "## Verdicts", _counts(folders)]
    parts += [_verdicts(one) for one in folders]
    parts += ["## What it cost", _costs(folders), _machines(folders), _reference(Path(results))]
    parts += [_section(one) for one in folders]
    return "\n\n".join(part for part in parts if part) + "\n"


def publish(results: str | Path, out: str | Path) -> Path:
    """Write the page into a folder, with the tables and figures that it links to beside it."""
    results, out = Path(results), Path(out)
    text = write_page(results)
    try:
        for one in find_results(results):
            files = [*one.tables, *one.figures]
            (out / one.name).mkdir(parents=True, exist_ok=True)
            for path in files:
                shutil.copyfile(path, out / one.name / path.name)
            keep_only(out / one.name, [path.name for path in files], (".csv", ".png"))
        if (results / f"{REFERENCE}.csv").exists():
            shutil.copyfile(results / f"{REFERENCE}.csv", out / f"{REFERENCE}.csv")
    except OSError as error:
        raise unwritable(out, error) from error
    write_text(out / PAGE, text)
    return out / PAGE


def find_results(results: Path) -> list[ResultsFolder]:
    """The experiments with results in a folder, in the order of the registry."""
    folders = [ResultsFolder(name, results / name) for name in EXPERIMENTS]
    folders = [one for one in folders if (one.folder / "report.md").exists()]
    if not folders:
        raise DataError(
            f"{results} has no results; make some with: symbed reproduce all -o {results}"
        )
    return folders


def _rows(path: Path) -> list[dict[str, str]]:
    with open(path, encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def _scale_warning(folders: list[ResultsFolder]) -> str:
    small = [one.name for one in folders if one.cost["scale"] != "paper"]
    if not small:
        return ""
    return f"**Small scale, not the paper's: {', '.join(small)}.** Their numbers are a smoke test."


def _counts(folders: list[ResultsFolder]) -> str:
    counts = [Counter(claim["verdict"] for claim in one.claims) for one in folders]
    rows: list[tuple[Cell, ...]] = [
        (f"[{one.name}](#{one.name})", *(count[verdict] for verdict in VERDICTS))
        for one, count in zip(folders, counts, strict=True)
    ]
    total = sum(counts, Counter())
    rows.append(("all", *(total[verdict] for verdict in VERDICTS)))
    return Table("counts", "", ("experiment", *VERDICTS), rows).markdown()


def _verdicts(one: ResultsFolder) -> str:
    """A table of the claims of one experiment; what was found links to its file."""
    if not one.claims:
        return ""
    rows = tuple(
        (
            claim["claim"],
            f"**{claim['verdict']}**",
            claim["paper"],
            _linked(claim["here"], one, claim["source"]),
            claim["why"],
        )
        for claim in one.claims
    )
    columns = ("claim", "verdict", "paper", "here", "by how much, and why")
    return f"### Claims: {one.name}\n\n" + Table("claims", "", columns, rows).markdown()


def _linked(text: str, one: ResultsFolder, source: str) -> str:
    path = one.folder / source
    if path.parent.name != "tables" or not path.exists():
        return text
    return f"{text} ([{path.stem}]({one.name}/{path.name}))"


def _costs(folders: list[ResultsFolder]) -> str:
    rows: list[tuple[Cell, ...]] = []
    for one in folders:
        cost = one.cost
        rows.append(
            (one.name, f"`{cost['command']}`", float(cost["cpu_seconds"]),
             float(cost["wall_seconds"]), cost["peak_bytes_of_a_process"] / 1e6)
        )  # fmt: skip
    cpu, wall = (sum(float(one.cost[key]) for one in folders) for key in COST_KEYS)
    rows.append(("all", None, cpu, wall, max(float(str(row[-1])) for row in rows)))
    columns = ("experiment", "command", "CPU seconds", "wall seconds", "peak of a process, MB")
    decimals = {"CPU seconds": 1, "wall seconds": 1, "peak of a process, MB": 0}
    return Table("costs", "", columns, rows, decimals).markdown()


def _machines(folders: list[ResultsFolder]) -> str:
    lines = []
    for machine in dict.fromkeys(_machine(one.cost["machine"]) for one in folders):
        names = [one.name for one in folders if _machine(one.cost["machine"]) == machine]
        who = "All" if len(names) == len(folders) else ", ".join(names)
        lines.append(f"{who}: {machine}.")
    return f"{CLOCKS.strip()}\n\n" + "\n\n".join(lines)


def _machine(machine: dict[str, Any]) -> str:
    return (
        f"{machine['processor']}, {machine['cores']} cores, {machine['system']}, "
        f"Python {machine['python']}, NumPy {machine['numpy']}, symbed {machine['symbed']}"
    )


def _reference(results: Path) -> str:
    path = results / f"{REFERENCE}.md"
    if not path.exists():
        return ""
    link = f" ([{REFERENCE}.csv]({REFERENCE}.csv))" * path.with_suffix(".csv").exists()
    text = re.sub(r"^#+ .*\n+", "", path.read_text("utf-8").strip())  # it has a heading here
    how = (
        "Parts of the experiments were timed with SRToolkit 1.6.0, SciPy and zss on a sample by "
        f"`{REFERENCE_COMMAND}`, and multiplied by how often an experiment needs them{link}."
    )
    return f"### What the reference implementation would need\n\n{how}\n\n{text}"


def _section(one: ResultsFolder) -> str:
    """One experiment: question, command, figures, notes, tables."""
    cost = one.cost
    parts = [
        f"## {one.name}",
        EXPERIMENTS[one.name].question,
        f"`{cost['command']}`: {cost['cpu_seconds']:.0f} s of CPU, {cost['wall_seconds']:.0f} s on "
        f"the clock, at most {cost['peak_bytes_of_a_process'] / 1e6:.0f} MB in a process.",
        re.sub(r"^#", "###", one.notes, flags=re.MULTILINE),
        _figures(one),
        *(_table(one, name, title) for name, title in one.sections),
    ]
    return "\n\n".join(part for part in parts if part)


def _figures(one: ResultsFolder) -> str:
    shown, linked = one.figures, list[Path]()
    if len(shown) > SHOWN_FIGURES:
        patterns = SELECTED.get(one.name, ())
        chosen = [path for path in shown if any(fnmatch(path.stem, p) for p in patterns)]
        chosen = chosen or shown[:SHOWN_FIGURES]
        shown, linked = chosen, [path for path in shown if path not in chosen]
    parts = [f"![{one.name}: {path.stem}]({one.name}/{path.name})" for path in shown]
    if linked:
        links = ", ".join(f"[{path.stem}]({one.name}/{path.name})" for path in linked)
        parts.append(f"More figures: {links}.")
    return "\n\n".join(parts)


def _table(one: ResultsFolder, name: str, title: str) -> str:
    text = (one.folder / "tables" / f"{name}.md").read_text("utf-8").strip()
    n_rows = len(_rows(one.folder / "tables" / f"{name}.csv"))
    link = f"[{name}.csv]({one.name}/{name}.csv)"
    if n_rows > SHOWN_ROWS:
        return f"### {title}\n\n{n_rows} rows in {link}."
    return f"### {title}\n\n{link}\n\n{text}"


COST_KEYS = ("cpu_seconds", "wall_seconds")
CLOCKS = """
CPU seconds are those of the units of work of all processes. Wall seconds count the time during
which any unit was under way, over all runs if there were interruptions, and the making of the
tables; drawing figures is not in them.
"""
INTRODUCTION = """
# Reproduction of the paper

What the experiments of *Quantifying Behavioral Dissimilarity Between Mathematical Expressions*
(Mežnar, Džeroski, Todorovski) give when they are run again by symbed, beside what the paper
prints. Each claim has one of three verdicts: **confirmed**, **differs** (by how much, and why, as
far as that is known), or **not checked**. Verdicts are computed from the tables. Every number
stands in a CSV file beside this page, under the link next to it, and each file was written by the
command that its experiment names; a run that is stopped goes on where it was.

This page is written by `python reproduction/tools/publish.py results docs/reproduction`.
"""

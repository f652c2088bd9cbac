"""What an experiment reports: its tables, its verdicts on the paper's claims, and their files.

``tables`` and ``report.md`` depend on the experiment alone, byte for byte. What differs from run to
run, the time and the machine, stands in ``cost.json``.
"""

from __future__ import annotations

import csv
import io
import json
import math
import os
import platform
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Generic, Literal, NamedTuple, TypeVar

import numpy as np

from symbed import __version__
from symbed.errors import ShapeError
from symbed.plots.canvas import save
from symbed_reproduction.core.experiments import Cost, Experiment, Scale, find, peak_bytes
from symbed_reproduction.core.journal import keep_only, unwritable, write_text

Verdict = Literal["confirmed", "differs", "not checked"]
Results = TypeVar("Results")


class Finding(NamedTuple):
    """What was found on a claim.

    Attributes
    ----------
    ours : str
        What was found, in the words of the claim.
    off : float or None
        How far that is from what the paper says, or `missed`; None if it cannot be judged.
    why : str
        What a reader must know beside it.
    why_not : str
        What is added to ``why`` if the claim does not hold.
    """

    ours: str
    off: float | None
    why: str = ""
    why_not: str = ""


@dataclass(frozen=True)
class ClaimRow(Generic[Results]):
    """One claim of the paper, as a row: what it says, and what decides whether it holds.

    Parameters
    ----------
    text : str
        The claim in one line, with its place in the paper.
    paper : str
        What is printed there.
    compute : callable
        Gives the `Finding` from the results of the experiment.
    source : str
        The files of the results in which the finding can be looked up.
    tolerance : float
        How far off a finding that confirms the claim may be.
    """

    text: str
    paper: str
    compute: Callable[[Results], Finding]
    source: str
    tolerance: float = 0.0


@dataclass(frozen=True)
class Claim:
    """One claim of the paper beside what was found.

    Parameters
    ----------
    text, paper, source : str
        As in the claim's row.
    ours : str
        What was found, in the same words as ``paper``.
    verdict : {"confirmed", "differs", "not checked"}
        Whether it holds.
    why : str
        By how much and why it differs, or what could not be checked.
    """

    text: str
    paper: str
    ours: str
    verdict: Verdict
    source: str
    why: str = ""


def judge_claims(rows: Iterable[ClaimRow[Results]], results: Results) -> tuple[Claim, ...]:
    """The claims with verdicts, each computed from the results and compared with its tolerance."""
    claims = []
    for row in rows:
        ours, off, why, why_not = row.compute(results)
        verdict: Verdict = "not checked"
        if off is not None:
            verdict = "confirmed" if off <= row.tolerance else "differs"
        if verdict == "differs":
            why += why_not
        claims.append(Claim(row.text, row.paper, ours, verdict, row.source, why))
    return tuple(claims)


def missed(holds: bool | np.bool_) -> float:
    """How far a claim that is either true or not is off."""
    return 0.0 if holds else math.inf


@dataclass(frozen=True)
class Outcome:
    """What one experiment found.

    Parameters
    ----------
    tables : tuple of Table
        The tables, in the order of the report.
    claims : tuple of Claim
        The paper's claims with verdicts.
    notes : str
        Paragraphs in Markdown on how it was done, and on what differs from the paper.
    data : mapping from str to Any
        What figures are drawn from; arrays and plain values by name.
    """

    tables: tuple[Table, ...]
    claims: tuple[Claim, ...] = ()
    notes: str = ""
    data: Mapping[str, Any] = field(default_factory=dict)

    def table(self, name: str) -> Table:
        """The table of this name."""
        return next(table for table in self.tables if table.name == name)


def claims_table(claims: tuple[Claim, ...]) -> Table:
    """All claims as a table."""
    rows = [(c.text, c.paper, c.ours, c.verdict, c.why, c.source) for c in claims]
    headings = ("claim", "paper", "here", "verdict", "why", "source")
    return Table("claims", "The paper's claims", headings, rows)


Cell = str | int | float | None
STAR = re.compile(r"(?<=[\w)\]])\*(?=[\w(\[-])")  # between factors, without spaces
HUGE = 1e12  # numbers from here on are shown with an exponent


@dataclass(frozen=True)
class Table:
    """A table of results.

    Parameters
    ----------
    name : str
        The name of its files, without ending.
    title : str
        One line that says what it shows.
    columns : sequence of str
        Their headings.
    rows : sequence of sequence of str, int, float or None
        The cells of each row; None is empty. Numbers keep 9 digits in CSV.
    decimals : int or mapping from str to int
        Digits after the point in Markdown, for all columns or by heading.
    """

    name: str
    title: str
    columns: Sequence[str]
    rows: Sequence[Sequence[Cell]]
    decimals: int | Mapping[str, int] = 3

    def __post_init__(self) -> None:
        object.__setattr__(self, "columns", tuple(self.columns))
        object.__setattr__(self, "rows", tuple(tuple(row) for row in self.rows))
        for row in self.rows:
            if len(row) != len(self.columns):
                raise ShapeError(
                    f"table {self.name!r} has {len(self.columns)} columns, got the row {row!r}"
                )

    def csv(self) -> str:
        """The table as comma-separated values, one heading line."""
        file = io.StringIO()
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(self.columns)
        writer.writerows([_plain(cell) for cell in row] for row in self.rows)
        return file.getvalue()

    def markdown(self) -> str:
        """The table as Markdown, its numbers rounded.

        >>> print(Table("t", "", ("n", "rank"), ((1, 1.25), (2, None)), decimals=1).markdown())
        | n | rank |
        |---|---|
        | 1 | 1.2 |
        | 2 |  |
        """
        lines = [_line(self.columns), "|" + "---|" * len(self.columns)]
        for row in self.rows:
            cells = zip(self.columns, row, strict=True)
            lines.append(_line([self._rounded(heading, cell) for heading, cell in cells]))
        return "\n".join(lines)

    def _rounded(self, heading: str, cell: Cell) -> str:
        if isinstance(cell, float):
            digits = self.decimals
            if not isinstance(digits, int):
                digits = digits.get(heading, 3)
            return _round(cell, digits)
        return "" if cell is None else str(cell)


def escape(text: str) -> str:
    r"""Markdown in which the stars of formulas are no emphasis; code stays as it is.

    >>> print(escape("C*x + `C*x` *and* 2*x"))
    C\*x + `C*x` *and* 2\*x
    """
    parts = text.split("`")
    parts[::2] = [STAR.sub(r"\\*", part) for part in parts[::2]]
    return "`".join(parts)


def _plain(cell: Cell) -> str:
    if isinstance(cell, float):
        return f"{cell:.9g}"
    return "" if cell is None else str(cell)


def _round(number: float, digits: int) -> str:
    """A number with so many decimals; a very small one is not shown as zero, nor a huge one whole.

    >>> _round(0.25, 3), _round(1e-16, 3), _round(1e20, 3), _round(-0.0, 1)
    ('0.250', '1.0e-16', '1.0e+20', '0.0')
    """
    text = f"{number:z.{digits}f}"
    lost = number != 0 and float(text) == 0
    return f"{number:.1e}" if lost or HUGE < abs(number) < math.inf else text


def _line(cells: Sequence[str]) -> str:
    texts = [escape(" ".join(cell.split())).replace("|", "\\|") for cell in cells]
    return "| " + " | ".join(texts) + " |"


TABLE_ENDINGS, FIGURE_ENDINGS = (".csv", ".md"), (".png", ".svg")
SCRATCH = "part-"  # begins the names of figures being written; their ending is the format


def write_outcome(
    folder: Path,
    experiment: Experiment,
    scale: Scale,
    outcome: Outcome,
    costs: Mapping[str, Cost],
    conclude_seconds: float = 0.0,
    command: str | None = None,
) -> None:
    """Write everything that an experiment found, except figures."""
    command = command or experiment.command(scale)
    tables = [*outcome.tables]
    if outcome.claims:
        tables.append(claims_table(outcome.claims))
    for table in tables:
        for ending, text in ((".csv", table.csv()), (".md", table.markdown() + "\n")):
            write_text(folder / "tables" / f"{table.name}{ending}", text)
    names = [f"{table.name}{ending}" for table in tables for ending in TABLE_ENDINGS]
    keep_only(folder / "tables", names, TABLE_ENDINGS)
    write_text(folder / "report.md", _report(experiment, command, outcome))
    document = {"command": command} | _cost(scale, costs, conclude_seconds)
    write_text(folder / "cost.json", json.dumps(document, indent=1) + "\n")
    keep_only(folder, (), ())


def describe_machine() -> dict[str, str | int]:
    """What the run ran on."""
    return {
        "processor": _processor(),
        "cores": os.cpu_count() or 0,
        "system": platform.system(),
        "python": platform.python_version(),
        "numpy": np.__version__,
        "symbed": __version__,
    }


def _cost(scale: Scale, costs: Mapping[str, Cost], conclude_seconds: float) -> dict[str, object]:
    peaks = [cost.peak_bytes for cost in costs.values()]
    return {
        "scale": scale,
        "wall_seconds": round(_busy_seconds(costs) + conclude_seconds, 3),
        "cpu_seconds": round(sum(cost.cpu_seconds for cost in costs.values()), 3),
        "seconds_of_units": round(sum(cost.seconds for cost in costs.values()), 3),
        "conclude_seconds": round(conclude_seconds, 3),
        "peak_bytes_of_a_process": max([*peaks, peak_bytes()]),
        "units": {name: round(cost.cpu_seconds, 3) for name, cost in sorted(costs.items())},
        "machine": describe_machine(),
    }


def _busy_seconds(costs: Mapping[str, Cost]) -> float:
    """Seconds during which any unit was under way, over all runs that it took."""
    total, end = 0.0, -math.inf
    for began, seconds in sorted((cost.began, cost.seconds) for cost in costs.values()):
        total += max(0.0, began + seconds - max(began, end))
        end = max(end, began + seconds)
    return total


def _report(experiment: Experiment, command: str, outcome: Outcome) -> str:
    parts = [f"# {experiment.name}", experiment.question]
    parts.append(f"Made by `{command}`.")
    if outcome.claims:
        parts += ["## Claims", claims_table(outcome.claims).markdown()]
    if outcome.notes:
        parts += ["## Notes", escape(outcome.notes.strip())]
    for table in outcome.tables:
        parts += [f"## {escape(table.title)}", f"`tables/{table.name}.csv`", table.markdown()]
    return "\n\n".join(parts) + "\n"


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text("utf-8").splitlines()
    except OSError:
        return platform.processor()
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.processor()


def draw_figures(name: str, outcome: Outcome, folder: str | Path) -> list[Path]:
    """Draw the figures of an experiment into a folder; gives the files, each whole or not there."""
    folder = Path(folder)
    written = []
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for torn in folder.glob(f"{SCRATCH}*"):
            torn.unlink(missing_ok=True)
        for figure, axes in find(name).draw(outcome):
            for ending in FIGURE_ENDINGS:
                path = folder / f"{figure}{ending}"
                scratch = path.with_name(f"{SCRATCH}{os.getpid()}-{path.name}")
                save(axes, scratch)
                os.replace(scratch, path)
                written.append(path)
    except OSError as error:
        raise unwritable(folder, error) from error
    keep_only(folder, [path.name for path in written], FIGURE_ENDINGS)
    return written

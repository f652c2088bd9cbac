"""What an experiment reports: its tables, and its verdicts on the paper's claims."""

from __future__ import annotations

import csv
import io
import math
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Generic, Literal, NamedTuple, TypeVar

import numpy as np

from symbed.errors import ShapeError

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
    rows = tuple((c.text, c.paper, c.ours, c.verdict, c.why, c.source) for c in claims)
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
    columns : tuple of str
        Their headings.
    rows : tuple of tuple of str, int, float or None
        The cells of each row; None is empty. Numbers keep 9 digits in CSV.
    decimals : int or mapping from str to int
        Digits after the point in Markdown, for all columns or by heading.
    """

    name: str
    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]
    decimals: int | Mapping[str, int] = field(default=3)

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

"""Outcomes: what an experiment found; its tables, and what they say about the paper's claims."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from symbed_reproduction.core.tables import Table

Verdict = Literal["confirmed", "differs", "not checked"]


@dataclass(frozen=True)
class Claim:
    """One claim of the paper beside what was found.

    Parameters
    ----------
    text : the claim in one line, with its place in the paper.
    paper : what is printed there.
    ours : what was found, in the same words.
    verdict : whether it holds.
    source : the file of the results in which ``ours`` can be looked up.
    why : by how much and why it differs, or what could not be checked.
    """

    text: str
    paper: str
    ours: str
    verdict: Verdict
    source: str
    why: str = ""


@dataclass(frozen=True)
class Outcome:
    """What one experiment found.

    Parameters
    ----------
    tables : in the order of the report.
    claims : the paper's claims with verdicts.
    notes : paragraphs in Markdown on how it was done, and on what differs from the paper.
    data : what figures are drawn from; arrays and plain values by name.
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

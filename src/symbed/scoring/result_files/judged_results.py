"""Result files with our judgment beside theirs: the table, the disagreements, a summary."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from symbed._export import data_frame
from symbed.scoring.result_files.result_rows import ResultRow
from symbed.scoring.spare_terms import SpareTerm

PREFIX = "symbed_"  # of our columns, so that none is taken for one of theirs
OURS = (
    "right", "true_form", "relation", "grade", "verdict", "to_truth", "from_truth", "function",
    "nearest", "size", "effective", "excess", "dropped", "evidence",
)  # fmt: skip
# What a wrong form is to the true one.
KINDS = {
    "e_in_f": "contains it, with parameters too many",
    "f_in_e": "a special case of it",
    "neither": "another form",
    "undecided": "not found to be the true form",
}


@dataclass(frozen=True)
class JudgedRow:
    """One row of a result file with our judgment.

    Attributes
    ----------
    result : ResultRow
        The row as the file has it.
    judged : mapping or None
        What `symbed.scoring.ScoredFormula.to_dict` gives; None where it could not be judged.
    problem : str
        Why it could not be judged; empty if it could.
    source : str
        Where the domain is from.
    """

    result: ResultRow
    judged: Mapping[str, Any] | None
    problem: str = ""
    source: str = ""

    @property
    def is_right(self) -> bool:
        """Whether the true form was found; what could not be judged was not."""
        return bool(self.judged and self.judged["right"])

    @property
    def verdict(self) -> str:
        """The answer in words; what could not be judged has its reason in ``evidence``."""
        if self.judged is None or self.judged["reason"]:
            return "not judged"
        return str(self.judged["verdict"])

    @property
    def disagrees(self) -> bool:
        """Whether the file says otherwise."""
        return self.result.accepted is not None and self.result.accepted != self.is_right

    @property
    def evidence(self) -> str:
        """What the verdict rests on: a parameter map, a witness, or what is undefined."""
        if self.judged is None or self.judged["reason"]:
            return self.problem if self.judged is None else str(self.judged["reason"])
        if self.judged["undefined"] == 1.0:
            return "as found it has no real value on the domain"
        contains = self.judged["relation"] in ("same", "e_in_f")
        is_true_nearby = self.is_right and self.judged["relation"] in ("neither", "undecided")
        tell = _map_text if contains else _nearby if is_true_nearby else _witness
        parts = [_spare(self.judged), tell(self.judged)]
        if self.judged["excess"] > 0 and self.judged["relation"] == "e_in_f":
            parts.append(f"as found {self.judged['nearest']:.2g} from the nearest true function")
        return "; ".join(filter(None, parts))

    def to_columns(self) -> dict[str, Any]:
        """Our columns."""
        own = {"right": False, "true_form": "undecided", "verdict": self.verdict}
        if self.judged is not None:
            own = {**self.judged, **self.judged["form"], "dropped": _spare(self.judged)}
        own["evidence"] = self.evidence
        return {PREFIX + name: own.get(name) for name in OURS}

    def to_dict(self) -> dict[str, Any]:
        """The row in plain values: theirs, ours, and the whole judgment."""
        return {
            "file": self.result.file,
            "line": self.result.line,
            **self.result.columns,
            **self.to_columns(),
            "symbed_domain": self.source,
            "symbed_judgment": None if self.judged is None else dict(self.judged),
        }


@dataclass(frozen=True, eq=False, repr=False)
class JudgedResults:
    """The rows of result files, judged.

    Attributes
    ----------
    rows : tuple of JudgedRow
        One for each row of the files, in their order.
    n_expected : int
        How many rows the files have; more than ``rows`` where the work was interrupted.
    formats : mapping of str to str
        Whose results each file holds.
    seconds : float
        How long it took.
    left_out : mapping of str to str
        Files that hold no results, each with the reason.
    """

    rows: tuple[JudgedRow, ...]
    n_expected: int
    formats: Mapping[str, str]
    seconds: float = 0.0
    left_out: Mapping[str, str] = field(default_factory=dict)

    @property
    def is_complete(self) -> bool:
        """Whether every row was judged."""
        return len(self.rows) == self.n_expected

    @cached_property
    def disagreements(self) -> tuple[JudgedRow, ...]:
        """The rows where the file says otherwise, in their order."""
        return tuple(row for row in self.rows if row.disagrees)

    @property
    def rejected(self) -> tuple[JudgedRow, ...]:
        """Solutions of theirs that are none of ours."""
        return tuple(row for row in self.disagreements if row.result.accepted)

    @property
    def accepted(self) -> tuple[JudgedRow, ...]:
        """Solutions of ours that are none of theirs."""
        return tuple(row for row in self.disagreements if not row.result.accepted)

    @property
    def unjudged(self) -> tuple[JudgedRow, ...]:
        """The rows that could not be judged: no formula, not real, not readable, no domain."""
        return tuple(row for row in self.rows if row.judged is None)

    def summary(self) -> dict[str, Any]:
        """Counts of everything."""
        judged = [row for row in self.rows if row.judged is not None]
        kinds = Counter(_kind(row) for row in self.rows)
        theirs = [row for row in self.rows if row.result.accepted is not None]
        return {
            "rows": len(self.rows),
            "expected": self.n_expected,
            "judged": len(judged),
            "right": sum(row.is_right for row in self.rows),
            "verdicts": dict(kinds.most_common()),
            "they_accept": sum(bool(row.result.accepted) for row in theirs),
            "agree": sum(not row.disagrees for row in theirs),
            "they_say": len(theirs),
            "they_accept_we_reject": len(self.rejected),
            "they_reject_we_accept": len(self.accepted),
            "unjudged": len(self.unjudged),
            "left_out": len(self.left_out),
            "domains": dict(Counter(row.source.partition(",")[0] for row in judged).most_common()),
            "seconds": self.seconds,
        }

    def to_columns(self) -> dict[str, list[Any]]:
        """Their table with our columns behind theirs."""
        # Rows of JSON, and of several files, need not have the same columns.
        names = dict.fromkeys(name for row in self.rows for name in row.result.columns)
        table: dict[str, list[Any]] = {}
        if len(self.formats) > 1:
            table["file"] = [row.result.file for row in self.rows]
        table |= {name: [row.result.columns.get(name) for row in self.rows] for name in names}
        ours = [row.to_columns() for row in self.rows]
        table |= {name: [cells[name] for cells in ours] for name in (ours[0] if ours else ())}
        return table

    def to_frame(self) -> Any:
        """Their table as a pandas one, our columns behind theirs."""
        return data_frame(self.to_columns())

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain values."""
        return {
            "formats": dict(self.formats),
            "left_out": dict(self.left_out),
            "complete": self.is_complete,
            "summary": self.summary(),
            "rows": [row.to_dict() for row in self.rows],
        }

    def __len__(self) -> int:
        return len(self.rows)

    def __repr__(self) -> str:
        right = sum(row.is_right for row in self.rows)
        of_all = "" if self.is_complete else f" of {self.n_expected}"
        return (
            f"JudgedResults({len(self.rows)}{of_all} rows, {right} right, "
            f"{len(self.disagreements)} disagreements)"
        )


def _kind(row: JudgedRow) -> str:
    """The verdict without numbers, to be counted."""
    if row.is_right:
        return "the true form"
    if row.judged is None or row.judged["reason"]:
        return "not judged"
    if row.judged["undefined"] == 1.0:
        return "undefined on the whole domain"
    return KINDS[row.judged["relation"]]


def _spare(judged: Mapping[str, Any]) -> str:
    terms = (SpareTerm(one["term"], one["effect"], one["kept"]) for one in judged["dropped"])
    return "; ".join(map(str, terms))


def _map_text(judged: Mapping[str, Any]) -> str:
    """The parameters of the found form at which it is the truth."""
    containment = judged["e_in_f"]
    if containment["substitution"]:
        pairs = ", ".join(f"{name} = {text}" for name, text in containment["substitution"].items())
        return f"{judged['found_form']} with {pairs}"
    residual = containment["residual"]
    told = "" if residual is None or math.isnan(residual) else f", residual {residual:.0e}"
    return f"{judged['found_form']}: {containment['reason']}{told}"


def _nearby(judged: Mapping[str, Any]) -> str:
    return f"members of {judged['found_form']} around the found one are true ones"


def _witness(judged: Mapping[str, Any]) -> str:
    """Why the truth is not in the found form."""
    containment = judged["e_in_f"]
    member = containment["member"]
    at = f" (at {', '.join(f'{k} = {v}' for k, v in member.items())})" if member else ""
    return (
        f"the truth is not in {judged['found_form']}: {containment['reason']}{at}; "
        f"form distance {judged['form']['from_truth']:.2g}"
    )

"""Judges the runs of a benchmark: form, function and size of what each method found.

A judgment is a function of the formulas and the truth alone, and holds nothing that was timed, so
that judging again gives the same bytes.
"""

from __future__ import annotations

import math
from typing import Any

from symbed.errors import SymbedError
from symbed.formula_files import Formulas, Listing
from symbed.scoring.benchmark.method_process import Ending
from symbed.scoring.benchmark.tasks import Task, digest
from symbed.scoring.run_score import Score, score
from symbed.scoring.scored_formula import ScoredFormula

VERSION = 1  # of judgments; raised when they would change
FRONT = 8  # formulas of a run that are judged, the method's answer first
# One relation takes some 20 ms. A search that is stopped by the clock would not be repeatable, so
# the clock is far beyond what searches take.
SECONDS = 60.0


def score_key(task: Task, ending: Ending, n_judged: int) -> str:
    """What names a judgment: the formulas, the truth, and who judges."""
    return digest(
        {
            "task": task.key,
            "formulas": list(ending.formulas),
            "status": ending.status,
            "dialect": ending.dialect,
            "n_judged": n_judged,
            "version": VERSION,
        }
    )


def score_run(task: Task, ending: Ending, n_judged: int = FRONT) -> dict[str, Any]:
    """The judgment of a run, as plain values.

    Parameters
    ----------
    task : Task
        What was run.
    ending : Ending
        What came of it.
    n_judged : int
        How many of the formulas are judged; the first is the method's answer.
    """
    document: dict[str, Any] = {
        "problem": task.problem,
        "method": task.method.name,
        "noise": task.noise,
        "seed": task.seed,
        "status": ending.status,
        "formulas": [],
    }
    if ending.status != "done":
        return document
    problem = task.truth
    truth = problem.form if problem.form.parameters else problem.formula
    rows = ending.formulas[:n_judged]
    try:
        judged = score(
            _formulas(rows, ending.dialect, problem.variables), truth, problem.domain,
            values=problem.values if problem.form.parameters else None,
            noise=task.noise, seconds=SECONDS, progress=False,
        )  # fmt: skip
    except SymbedError as error:
        reason = str(error).split("\n")[0]
        document["formulas"] = [_unjudged(row["formula"], reason) for row in rows]
        return document
    document["formulas"] = _listed(judged, rows)
    return document


def _formulas(
    rows: tuple[dict[str, Any], ...], dialect: str, variables: tuple[str, ...]
) -> Formulas:
    listing = Listing(
        tuple(row["formula"] for row in rows), tuple(range(1, len(rows) + 1)),
        {name: tuple(row.get(name) for row in rows) for name in ("loss", "complexity")},
    )  # fmt: skip
    return listing.read(dialect, "keep", variables, errors="skip")


def _listed(judged: Score, rows: tuple[dict[str, Any], ...]) -> list[dict[str, Any]]:
    """The formulas in the method's order, those that could not be read included."""
    known = {row.line: _row(row) for row in judged.rows}
    unread = {one.line: str(one.error).split("\n")[0] for one in judged.unread}
    return [
        known.get(line) or _unjudged(row["formula"], unread.get(line, "it was not judged"))
        for line, row in enumerate(rows, 1)
    ]


def _row(row: ScoredFormula) -> dict[str, Any]:
    distance = row.form.mean
    return {
        "formula": row.text,
        "expression": str(row.expression),
        "read": True,
        "right": row.is_right,
        "verdict": row.verdict,
        "relation": row.relation,
        "grade": row.grade,
        "form_distance": 0.0 if row.is_right else distance,
        "error": _number(row.errors.domain),
        "size": row.size,
        "effective": row.n_effective,
        "excess": row.excess,
    }


def _unjudged(text: str, reason: str) -> dict[str, Any]:
    return {
        "formula": text, "expression": text, "read": False, "right": False, "verdict": reason,
        "relation": "undecided", "grade": "", "form_distance": 1.0, "error": "inf",
        "size": 0, "effective": 0, "excess": 0,
    }  # fmt: skip


def _number(value: float) -> float | str:
    return value if math.isfinite(value) else "inf"

"""Judges the runs of a benchmark: form, function and size of what each method found.

A judgment is a function of the formulas and the truth alone, and holds nothing that was timed, so
that judging again gives the same bytes.
"""

from __future__ import annotations

import math
from typing import Any

from symbed.formula_files.formulas import Formulas, Listing
from symbed.scoring.benchmark.method_process import Ending
from symbed.scoring.benchmark.tasks import Task, digest
from symbed.scoring.run_score import Score, score
from symbed.scoring.scored_formula import ScoredFormula
from symbed.workbench.data.benchmark_datasets import Dataset

VERSION = 4  # of judgments; raised when they would change
FRONT = 8  # formulas of a run that are judged, the method's answer first
# One relation takes some 20 ms. A search that is stopped by the clock would not be repeatable, so
# the clock is far beyond what searches take.
SECONDS = 60.0

Rows = tuple[dict[str, Any], ...]


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
    rows = ending.formulas[:n_judged]
    document["formulas"] = _judged(task, rows, ending.dialect)
    return document


def _judged(task: Task, rows: Rows, dialect: str) -> list[dict[str, Any]]:
    """The judged formulas; one that breaks the judgment is judged alone, and the others without it.

    A benchmark runs for hours, and no formula of a stranger's may end it: what cannot be judged is
    recorded with the reason.
    """
    problem = task.truth
    is_form = bool(problem.form.parameters)
    try:
        judged = score(
            _formulas(rows, dialect, problem.variables),
            problem.form if is_form else problem.formula, _domain(problem),
            values=problem.values if is_form else None,
            noise=task.noise, seconds=SECONDS, progress=False,
        )  # fmt: skip
    except Exception as error:
        if len(rows) == 1:
            words = str(error).split("\n")[0]
            return [_unjudged(rows[0]["formula"], f"{type(error).__name__}: {words}")]
        return [row for one in rows for row in _judged(task, (one,), dialect)]
    return _listed(judged, rows)


def _domain(problem: Dataset) -> dict[str, Any]:
    """The domain that a truth is judged on: the laws of its inputs.

    Two formulas without parameters are compared by proofs, which know ranges only.
    """
    if problem.form.parameters:
        return problem.domain
    ends = (law.ppf([0.0, 1.0]).tolist() for law in problem.laws)
    return {name: tuple(pair) for name, pair in zip(problem.variables, ends, strict=True)}


def _formulas(rows: Rows, dialect: str, variables: tuple[str, ...]) -> Formulas:
    listing = Listing(
        tuple(row["formula"] for row in rows), tuple(range(1, len(rows) + 1)),
        {name: tuple(row.get(name) for row in rows) for name in ("loss", "complexity")},
    )  # fmt: skip
    return listing.read(dialect, "keep", variables, errors="skip")


def _listed(judged: Score, rows: Rows) -> list[dict[str, Any]]:
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
        "true_form": row.true_form,
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
        "formula": text, "expression": text, "read": False, "right": False,
        "true_form": "undecided", "verdict": reason, "relation": "undecided", "grade": "",
        "form_distance": 1.0, "error": "inf", "size": 0, "effective": 0, "excess": 0,
    }  # fmt: skip


def _number(value: float) -> float | str:
    # JSON has no infinity.
    return value if math.isfinite(value) else "inf"

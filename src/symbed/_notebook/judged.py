"""Fits, scores and verdicts in notebook cells."""

from __future__ import annotations

from html import escape
from typing import Any

from symbed._notebook.html import code, facts, first, number, picture, table

FITTED = 20_000  # rows of data whose picture is drawn unasked


def fit_html(fit: Any) -> str:
    """A fit as facts."""
    told = [
        *((escape(name), number(value)) for name, value in fit.values.items()),
        ("rmse", number(fit.rmse, 4)),
        ("R\N{SUPERSCRIPT TWO}", number(fit.r2)),
        ("rows", f"{fit.n_points:,}"),
        *[("note", "the best descent did not come to rest")] * (not fit.converged),
    ]
    shown = facts(f"Fit of {code(str(fit.source))}", told)
    drawn = fit.target is not None and fit.n_points <= FITTED
    return shown + (picture("fitted", fit) if drawn else "")


def score_html(score: Any) -> str:
    """The formulas of a run, best first, and where the truth appears among them."""
    rows = [
        [code(row.text), escape(row.verdict), number(row.form.to_truth, 3), number(row.function, 3),
         f"{row.size:,}", f"{row.line:,}"]
        for row in first(score.ranked)
    ]  # fmt: skip
    head = ["formula", "against the truth", "form distance", "error", "size", "line"]
    title = f"{code(str(score.truth))}: {escape(score.appearance)}"
    return table(title, head, rows, len(score.rows)) + (picture("scored", score) if rows else "")


def verdict_html(verdict: Any) -> str:
    """A verdict in words, with its grade and the point that shows it."""
    told = [("verdict", f"<b>{escape(verdict.verdict)}</b>"), ("on", escape(verdict.domain))]
    if verdict.grade:
        told.append(("grade", escape(verdict.grade)))
    if verdict.witness is not None:
        at = ", ".join(f"{name} = {value}" for name, value in verdict.witness.items())
        told.append(("differ at", code(at, 200)))
        told += [(side, code(text)) for side, text in zip("EF", verdict.values or (), strict=False)]
    if verdict.exceptions:
        told.append(("but for", code("; ".join(map(str, verdict.exceptions[:5])), 200)))
    return facts("Verdict", [*told, ("in words", escape(str(verdict)))])


def relation_html(relation: Any) -> str:
    """How two families relate, with the evidence of both directions."""
    told = [
        ("relation", f"<b>{escape(relation.relation)}</b>"),
        ("E in F", escape(str(relation.e_in_f))),
        ("F in E", escape(str(relation.f_in_e))),
        ("form distance", number(relation.distance, 3)),
    ]
    return facts(f"E = {code(str(relation.e))}, F = {code(str(relation.f))}", told)


def effective_html(effective: Any) -> str:
    """How many parameters a family really has, and which act only together."""
    told = [
        ("effective", f"<b>{effective.rank}</b> of {effective.n_parameters}"),
        *(("act only together", code(", ".join(group))) for group in effective.redundant),
        *(("through", code(str(one))) for one in effective.combinations),
    ]
    return facts("Effective parameters", told)

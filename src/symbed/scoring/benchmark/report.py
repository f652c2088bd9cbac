"""``write_report``: a leaderboard as one HTML page, Markdown and CSV tables, in one folder.

The page has no external parts, and every one of its cells opens its formulas, which are embedded as
JSON. The numbers are those of the CSV tables, and every text of a method's is escaped.
"""

from __future__ import annotations

import csv
import io
import json
import math
from collections.abc import Iterable, Mapping, Sequence
from html import escape
from importlib.resources import files
from pathlib import Path
from typing import Any

from symbed.errors import StorageError
from symbed.scoring.benchmark.leaderboard import Leaderboard, RunResult, Summary

BAR = 90.0  # units of width of a bar
NOTHING = "\N{EN DASH}"  # where there is no number
WITH_INTERVAL = ("recovery", "accuracy", "form_distance")

# Figure of a summary: what its column is called, and what it says.
COLUMNS = {
    "recovery": (
        "form recovery",
        "share of runs whose answer has the true form, constants free",
    ),
    "on_front": (
        "on the front",
        "share of runs that have the true form among the judged formulas",
    ),
    "contains": (
        "contains it",
        "share of runs whose answer contains the true form, with parameters too many",
    ),
    "special": (
        "special case",
        "share of runs whose answer is a special case of the true form",
    ),
    "accuracy": (
        "R\N{SUPERSCRIPT TWO} > 0.999",
        "share of runs whose answer is that accurate over the domain",
    ),
    "form_distance": (
        "form distance",
        "mean distance of the answer's form to the true one; 0 same, 1 farthest",
    ),
    "error": (
        "median error",
        "of the answers over the domain, RMSE over the spread of the outputs",
    ),
    "size": ("size", "median number of nodes of the answers"),
    "seconds": ("seconds", "median time of a run, start-up included"),
    "failed": ("failed", "runs that ended without a formula"),
}
# Name of a grouping: what the page calls it.
TITLES = {
    "noise": "By noise",
    "n_variables": "By number of variables",
    "collection": "By collection",
    "problem": "By problem",
}


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
    statuses = [{"method": method, **counts} for method, counts in leaderboard.statuses.items()]
    texts = {
        "leaderboard.csv": _csv_text(leaderboard.summary_rows()),
        "runs.csv": _csv_text([run.to_row() for run in leaderboard.runs]),
        "formulas.csv": _csv_text(leaderboard.formula_rows()),
        "statuses.csv": _csv_text(statuses),
        "leaderboard.html": page(leaderboard, title),
        "leaderboard.md": markdown(leaderboard),
    }
    try:
        place.mkdir(parents=True, exist_ok=True)
        for name, text in texts.items():
            # Whoever is killed meanwhile leaves the file that was there.
            partial = place / f".partial-{name}"
            partial.write_text(text, encoding="utf-8")
            partial.replace(place / name)
    except OSError as error:
        raise StorageError(f"{place} cannot be written ({error.strerror})") from None
    return {name: place / name for name in texts}


def _csv_text(rows: Sequence[Mapping[str, Any]]) -> str:
    """A table with the names of the first row's columns; empty where a number is missing."""
    out = io.StringIO()
    writer = csv.DictWriter(out, list(rows[0]) if rows else [], lineterminator="\n")
    writer.writeheader()
    for row in rows:
        # Only NaN is not equal to itself.
        writer.writerow({name: cell if cell == cell else "" for name, cell in row.items()})
    return out.getvalue()


def shown_figure(one: Summary, name: str) -> str:
    """A figure of a summary as people read it; a mean with its interval over seeds, if any."""
    center = getattr(one, name)
    if name == "failed":
        return str(center)
    if name == "error":
        return _shown_error(center)
    if name in ("size", "seconds"):
        return NOTHING if math.isnan(center) else f"{center:.1f}"
    if name not in WITH_INTERVAL or math.isnan(getattr(one, f"{name}_low")):
        return _shown_share(center)
    low, high = (_shown_share(getattr(one, f"{name}_{end}")) for end in ("low", "high"))
    return f"{_shown_share(center)} ({low} to {high})"


def _shown_share(value: float) -> str:
    return NOTHING if math.isnan(value) else f"{value:.2f}"


def _shown_error(value: float) -> str:
    return "\N{INFINITY}" if math.isinf(value) else f"{value:.1e}" if value else "0"


def markdown(leaderboard: Leaderboard) -> str:
    """The leaderboard as Markdown: all methods, then by noise and by number of variables."""
    heads = [head.replace("\N{SUPERSCRIPT TWO}", "2") for head, _ in COLUMNS.values()]
    rows = {one.method: one for one in leaderboard.summaries("all")}
    unfinished = "" if leaderboard.is_finished else f" (unfinished: {leaderboard.n_tasks} to be)"
    lines = [
        f"{_counts(leaderboard, '')}: {_counted(len(leaderboard.runs), 'run')}{unfinished}.",
        "",
        _markdown_line(["method", *heads]),
        "|" + "---|" * (len(heads) + 1),
        *(markdown_row(rows[method]) for method in leaderboard.methods),
    ]
    for by in ("noise", "n_variables", "collection"):
        groups = leaderboard.groups(by)
        if len(groups) > 1:
            found = {(one.method, one.group): one for one in leaderboard.summaries(by)}
            lines += ["", f"**{TITLES[by]}** (recovery of the form)", ""]
            lines += [_markdown_line(["method", *groups]), "|" + "---|" * (len(groups) + 1)]
            for method in leaderboard.methods:
                cells = [found.get((method, group)) for group in groups]
                shown = [NOTHING if one is None else shown_figure(one, "recovery") for one in cells]
                lines.append(_markdown_line([method, *shown]))
    return "\n".join(lines) + "\n"


def markdown_row(one: Summary) -> str:
    """The line of a method in the table of all methods."""
    return _markdown_line([one.method, *(shown_figure(one, name) for name in COLUMNS)])


def _markdown_line(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _counts(leaderboard: Leaderboard, truths: str) -> str:
    """How many problems, methods and seeds."""
    problems, seeds = ({getattr(r, k) for r in leaderboard.runs} for k in ("problem", "seed"))
    return (
        f"{_counted(len(problems), 'problem')}{truths}, "
        f"{_counted(len(leaderboard.methods), 'method')}, {_counted(len(seeds), 'seed')}"
    )


def _counted(n: int, what: str) -> str:
    return f"{n} {what}" if n == 1 else f"{n} {what}s"


def page(leaderboard: Leaderboard, title: str = "Leaderboard") -> str:
    """The whole page, with a title as its heading."""
    runs = leaderboard.runs
    noises = ", ".join(f"{noise:g}" for noise in sorted({run.noise for run in runs}))
    facts = (
        f"{_counts(leaderboard, ' with forms as truths')}, noise {noises}: "
        f"{_counted(len(runs), 'run')}."
    )
    warning = (
        f'<p class="warning">Unfinished: {len(runs)} of {leaderboard.n_tasks} runs have ended.</p>'
    )
    tables = [_cross_table(leaderboard, by) for by in TITLES if len(leaderboard.groups(by)) > 1]
    folder = files("symbed.scoring.benchmark").joinpath("page")
    text, style, script = (
        folder.joinpath(f"page.{ending}").read_text(encoding="utf-8")
        for ending in ("html", "css", "js")
    )
    parts = {
        "TITLE": escape(title),
        "FACTS": escape(facts),
        "WARNING": "" if leaderboard.is_finished else warning,
        "MAIN": _main_table(leaderboard),
        "TABLES": "\n".join(tables),
        "STATUSES": _status_table(leaderboard),
        "DATA": _embedded(leaderboard),
        "STYLE": style,
        "SCRIPT": script,
    }
    # In one pass, so that a formula that looks like a placeholder stays what it is.
    pieces = text.split("@@")
    return "".join(parts[piece] if odd % 2 else piece for odd, piece in enumerate(pieces))


def _table(corner: str, heads: Mapping[str, str], rows: Mapping[str, tuple[str, str]]) -> str:
    """A table in HTML.

    ``heads`` has the tooltip of each column, ``rows`` that of each row, and its cells.
    """
    columns = "".join(_head("col", name, why) for name, why in heads.items())
    body = "".join(
        f"<tr>{_head('row', name, why)}{cells}</tr>" for name, (why, cells) in rows.items()
    )
    return (
        f"<table><thead><tr>{_head('col', corner)}{columns}</tr></thead>"
        f"<tbody>{body}</tbody></table>"
    )


def _head(scope: str, name: str, why: str = "") -> str:
    tooltip = f' title="{escape(why)}"' if why else ""
    return f'<th scope="{scope}"{tooltip}>{escape(name)}</th>'


def _main_table(leaderboard: Leaderboard) -> str:
    found = {one.method: one for one in leaderboard.summaries("all")}
    rows = {
        method: ("", "".join(f"<td>{_main_cell(found[method], name)}</td>" for name in COLUMNS))
        for method in leaderboard.methods
    }
    return _table("method", dict(COLUMNS.values()), rows)


def _main_cell(one: Summary, name: str) -> str:
    if name == "recovery":
        return _button(one)
    return (_bar(one, name) if name in WITH_INTERVAL else "") + shown_figure(one, name)


def _cross_table(leaderboard: Leaderboard, by: str) -> str:
    """A table of methods by groups; each cell has recovery and the median error."""
    found = {(one.method, one.group): one for one in leaderboard.summaries(by)}
    methods, groups = leaderboard.methods, leaderboard.groups(by)
    if by == "problem":  # many groups: they go down, and methods across
        forms = {run.problem: f"{run.title} {run.truth}".strip() for run in leaderboard.runs}
        corner, heads = "problem", dict.fromkeys(methods, "")
        rows = {
            group: (forms[group], "".join(_cell(found.get((method, group))) for method in methods))
            for group in groups
        }
    else:
        corner, heads = "method", dict.fromkeys(groups, "")
        rows = {
            method: ("", "".join(_cell(found.get((method, group))) for group in groups))
            for method in methods
        }
    table = _table(corner, heads, rows)
    return f"<section><h2>{TITLES[by]}</h2><div class='wide'>{table}</div></section>"


def _cell(one: Summary | None) -> str:
    if one is None:
        return f"<td>{NOTHING}</td>"
    error = f'<span class="error">error {_shown_error(one.error)}</span>'
    return f"<td>{_button(one, error)}</td>"


def _button(one: Summary, more: str = "") -> str:
    """The recovery, which opens the formulas behind a cell."""
    words = {"method": one.method, "by": one.by, "group": one.group}
    data = " ".join(f'data-{name}="{escape(word)}"' for name, word in words.items())
    text = f"{_bar(one, 'recovery')}<span>{shown_figure(one, 'recovery')}</span>{more}"
    return f'<button type="button" {data}>{text}</button>'


def _bar(one: Summary, name: str) -> str:
    """A share as a bar, its interval as a whisker."""
    center, low, high = (getattr(one, name + end) for end in ("", "_low", "_high"))
    whisker = ""
    if not math.isnan(low):
        whisker = (
            f'<line x1="{BAR * low:.1f}" x2="{BAR * high:.1f}" y1="6" y2="6" class="whisker"/>'
        )
    return (
        f'<svg viewBox="0 0 {BAR:g} 12" class="bar" preserveAspectRatio="none" aria-hidden="true">'
        f'<rect width="{BAR:g}" height="12" class="ground"/>'
        f'<rect width="{BAR * center:.1f}" height="12" class="{name}"/>{whisker}</svg>'
    )


def _status_table(leaderboard: Leaderboard) -> str:
    counts = leaderboard.statuses
    heads = dict.fromkeys(next(iter(counts.values()), {}), "")
    rows = {
        method: ("", "".join(f"<td>{count}</td>" for count in by_status.values()))
        for method, by_status in counts.items()
    }
    return _table("method", heads, rows)


def _embedded(leaderboard: Leaderboard) -> str:
    """The runs as JSON that no text in it can end."""
    text = json.dumps([_run(run) for run in leaderboard.runs], ensure_ascii=False)
    # A formula may hold </script>, and line separators end a line in older JavaScript.
    return text.replace("<", "\\u003c").replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")


def _run(run: RunResult) -> dict[str, Any]:
    return {
        "method": run.method, "problem": run.problem, "collection": run.collection,
        "noise": f"{run.noise:g}", "n_variables": str(run.n_variables), "seed": run.seed,
        "status": run.status, "message": run.message, "truth": run.truth, "title": run.title,
        "formulas": [
            {
                "formula": one["expression"], "true_form": one["true_form"],
                "verdict": one["verdict"],
                "error": _shown_error(float(one["error"])),
                "form_distance": _shown_share(one["form_distance"]), "size": one["size"],
            }
            for one in run.formulas
        ],
    }  # fmt: skip

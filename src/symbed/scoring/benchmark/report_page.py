"""``write_report``: a leaderboard as one HTML page, Markdown and CSV tables, in one folder.

The page has no external parts, and every one of its cells opens its formulas, which are embedded as
JSON. The numbers are those of the CSV tables, and every text of a method's is escaped.
"""

from __future__ import annotations

import json
import math
from html import escape
from importlib.resources import files
from pathlib import Path
from typing import Any

from symbed.errors import StorageError
from symbed.scoring.benchmark.leaderboard import Leaderboard, RunResult, Summary
from symbed.scoring.benchmark.report_tables import (
    NOTHING,
    TITLES,
    counted,
    error_text,
    markdown,
    number,
    share,
    with_interval,
    write_tables,
    write_whole,
)

BAR = 90.0  # units of width of a bar

HEADS = {
    "form recovery": "share of runs whose answer has the true form, constants free",
    "on the front": "share of runs that have the true form among the judged formulas",
    "contains it": "share of runs whose answer contains the true form, with parameters too many",
    "special case": "share of runs whose answer is a special case of the true form",
    "R\N{SUPERSCRIPT TWO} > 0.999": "share of runs whose answer is that accurate over the domain",
    "form distance": "mean distance of the answer's form to the true one; 0 same, 1 farthest",
    "median error": "of the answers over the domain, RMSE over the spread of the outputs",
    "size": "median number of nodes of the answers",
    "seconds": "median time of a run, start-up included",
    "failed": "runs that ended without a formula",
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
    try:
        place.mkdir(parents=True, exist_ok=True)
        written = write_tables(leaderboard, place)
        for name, text in (
            ("leaderboard.html", page(leaderboard, title)),
            ("leaderboard.md", markdown(leaderboard)),
        ):
            written[name] = place / name
            write_whole(written[name], text)
    except OSError as error:
        raise StorageError(f"{place} cannot be written ({error.strerror})") from None
    return written


def page(leaderboard: Leaderboard, title: str = "Leaderboard") -> str:
    """The whole page.

    Parameters
    ----------
    leaderboard : Leaderboard
        What is shown.
    title : str
        Its heading.
    """
    tables = [_cross(leaderboard, by) for by in TITLES if len(leaderboard.groups(by)) > 1]
    parts = {
        "TITLE": escape(title),
        "FACTS": escape(_facts(leaderboard)),
        "WARNING": _warning(leaderboard),
        "MAIN": _main(leaderboard),
        "TABLES": "\n".join(tables),
        "STATUSES": _statuses(leaderboard),
        "DATA": _embedded(leaderboard),
    }
    folder = files("symbed.scoring.benchmark").joinpath("page")
    text = folder.joinpath("page.html").read_text(encoding="utf-8")
    parts["STYLE"] = folder.joinpath("page.css").read_text(encoding="utf-8")
    parts["SCRIPT"] = folder.joinpath("page.js").read_text(encoding="utf-8")
    # In one pass, so that a formula that looks like a placeholder stays what it is.
    pieces = text.split("@@")
    return "".join(parts[piece] if odd % 2 else piece for odd, piece in enumerate(pieces))


def _facts(leaderboard: Leaderboard) -> str:
    runs = leaderboard.runs
    noises = sorted({run.noise for run in runs})
    return (
        f"{counted(len({run.problem for run in runs}), 'problem')} with forms as truths, "
        f"{counted(len(leaderboard.methods), 'method')}, "
        f"{counted(len({run.seed for run in runs}), 'seed')}, "
        f"noise {', '.join(f'{one:g}' for one in noises)}: {counted(len(runs), 'run')}."
    )


def _warning(leaderboard: Leaderboard) -> str:
    if leaderboard.is_finished:
        return ""
    return (
        f'<p class="warning">Unfinished: {len(leaderboard.runs)} of {leaderboard.n_tasks} runs '
        "have ended.</p>"
    )


def _main(leaderboard: Leaderboard) -> str:
    heads = "".join(
        f'<th scope="col" title="{escape(why)}">{escape(name)}</th>' for name, why in HEADS.items()
    )
    rows = {one.method: one for one in leaderboard.summaries("all")}
    body = "".join(_main_row(rows[method]) for method in leaderboard.methods)
    return (
        f'<table><thead><tr><th scope="col">method</th>{heads}</tr></thead>'
        f"<tbody>{body}</tbody></table>"
    )


def _main_row(one: Summary) -> str:
    plain = (error_text(one.error), number(one.size), number(one.seconds), str(one.failed))
    return (
        f'<tr><th scope="row">{escape(one.method)}</th>'
        f"<td>{_button(one, with_interval(one, 'recovery'), _bar(one, 'recovery'))}</td>"
        f"<td>{share(one.on_front)}</td><td>{share(one.contains)}</td>"
        f"<td>{share(one.special)}</td>"
        f"<td>{_bar(one, 'accuracy')}{with_interval(one, 'accuracy')}</td>"
        f"<td>{_bar(one, 'form_distance')}{with_interval(one, 'form_distance')}</td>"
        + "".join(f"<td>{cell}</td>" for cell in plain)
        + "</tr>"
    )


def _cross(leaderboard: Leaderboard, by: str) -> str:
    """A table of methods by groups; each cell has recovery and the median error."""
    found = {(one.method, one.group): one for one in leaderboard.summaries(by)}
    groups = leaderboard.groups(by)
    forms = {run.problem: f"{run.title} {run.truth}".strip() for run in leaderboard.runs}
    if by == "problem":  # many groups: they go down, and methods across
        heads = "".join(f'<th scope="col">{escape(method)}</th>' for method in leaderboard.methods)
        body = "".join(
            f'<tr><th scope="row" title="{escape(forms[group])}">{escape(group)}</th>'
            + "".join(_cell(found.get((method, group))) for method in leaderboard.methods)
            + "</tr>"
            for group in groups
        )
        corner = "problem"
    else:
        heads = "".join(f'<th scope="col">{escape(group)}</th>' for group in groups)
        body = "".join(
            f'<tr><th scope="row">{escape(method)}</th>'
            + "".join(_cell(found.get((method, group))) for group in groups)
            + "</tr>"
            for method in leaderboard.methods
        )
        corner = "method"
    return (
        f"<section><h2>{TITLES[by]}</h2><div class='wide'><table>"
        f'<thead><tr><th scope="col">{corner}</th>{heads}</tr></thead>'
        f"<tbody>{body}</tbody></table></div></section>"
    )


def _cell(one: Summary | None) -> str:
    if one is None:
        return f"<td>{NOTHING}</td>"
    error = f'<span class="error">error {error_text(one.error)}</span>'
    return f"<td>{_button(one, with_interval(one, 'recovery'), _bar(one, 'recovery'), error)}</td>"


def _button(one: Summary, text: str, picture: str, more: str = "") -> str:
    """What opens the formulas behind a cell."""
    words = {"method": one.method, "by": one.by, "group": one.group}
    data = " ".join(f'data-{name}="{escape(word)}"' for name, word in words.items())
    return f'<button type="button" {data}>{picture}<span>{text}</span>{more}</button>'


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


def _statuses(leaderboard: Leaderboard) -> str:
    counts = leaderboard.statuses
    names = list(next(iter(counts.values()))) if counts else []
    heads = "".join(f'<th scope="col">{escape(name)}</th>' for name in names)
    body = "".join(
        f'<tr><th scope="row">{escape(method)}</th>'
        + "".join(f"<td>{counts[method][name]}</td>" for name in names)
        + "</tr>"
        for method in counts
    )
    return (
        f'<table><thead><tr><th scope="col">method</th>{heads}</tr></thead>'
        f"<tbody>{body}</tbody></table>"
    )


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
                "error": error_text(float(one["error"])),
                "form_distance": share(one["form_distance"]), "size": one["size"],
            }
            for one in run.formulas
        ],
    }  # fmt: skip

r"""HTML and LaTeX of results, for notebook cells.

Results are taken by their fields, whatever their class, because this module stands above them all.
Every text of a user's is escaped. The HTML carries its own styles, inline, and works on dark and
light pages; no script, nothing loaded from elsewhere. The picture of a result is folded below its
table, where matplotlib is installed and the result alone tells what to draw.
"""

from __future__ import annotations

import math
from base64 import b64encode
from collections.abc import Iterable, Sequence
from html import escape
from itertools import islice
from typing import Any

SHOWN = 10  # rows of a table; the rest is counted
LABEL = 60  # characters of a label
CELLS = 8  # rows and columns of a matrix
# Pictures that are drawn unasked take a blink: the largest matrix, map and data set that do.
DRAWN, MAPPED, FITTED = 60, 400, 20_000
CELL = "padding:2px 10px;text-align:left;border:none;vertical-align:top"
CAPTION = "text-align:left;font-weight:bold;padding:2px 10px;white-space:nowrap"
BAR = "background:#0072B2;display:inline-block;height:0.7em;width:{width:.0f}px"
ELLIPSIS = "\N{HORIZONTAL ELLIPSIS}"


def behavior_html(behavior: Any) -> str:
    """A behavior as facts."""
    pairs = [
        ("points", f"{behavior.n_points:,}"),
        ("draws", f"{behavior.n_draws:,}"),
        ("defined", f"{100 * behavior.coverage:.3g}%"),
        ("outputs", _spread(behavior.outputs)),
    ]
    return facts(f"Behavior {code(behavior.label)}", pairs) + picture("density", behavior)


def atlas_html(atlas: Any) -> str:
    """An atlas as facts and its first expressions."""
    pairs = [
        ("expressions", atlas.extent if atlas.is_unfinished else f"{len(atlas):,}"),
        ("distinct", f"{atlas.n_distinct:,}"),
        ("points x draws", f"{len(atlas.points):,} x {atlas.n_draws:,}"),
        # A list times a truth value: the row is there or not.
        *[("kept as", "programs")] * (atlas.keep == "programs"),
        *[("skipped", f"{len(atlas.skipped):,}")] * bool(atlas.skipped),
        *[("columns", escape(", ".join(atlas.metadata)))] * bool(atlas.metadata),
        ("first", "<br>".join(code(_label(atlas.sources[i])) for i in range(min(5, len(atlas))))),
    ]
    return facts("Atlas", pairs)


def comparison_html(comparison: Any) -> str:
    """A comparison as facts, with what must be told beside the number."""
    low, high = comparison.interval
    pairs = [
        ("distance", f"<b>{number(comparison.distance)}</b>"),
        ("interval", f"{number(low, 4)} to {number(high, 4)}"),
        *[("unresolved", f"{comparison.reason}; {comparison.remedy}")] * bool(comparison.reason),
        ("noise floor", number(comparison.noise_floor, 2)),
        ("compared at", f"{100 * comparison.coverage:.4g}% of {comparison.n_points:,} points"),
    ]
    if comparison.mismatched_points:
        rest = f"{comparison.mismatched_points:,} points; over the others "
        pairs.append(("only one defined", rest + number(comparison.finite_part)))
    title = " and ".join(map(code, comparison.labels))
    return facts(title, pairs) + picture("profile", comparison)


def comparison_latex(comparison: Any) -> str:
    r"""The distance as an equation; labels are formulas only where they can be read as such."""
    sides = [_mathematics(label) for label in comparison.labels]
    distance = comparison.distance
    value = r"\infty" if math.isinf(distance) else _power_of_ten(f"{distance:.6g}")
    sign = "=" if math.isinf(distance) or distance == 0 else r"\approx"
    return rf"$\displaystyle d\left({sides[0]},\; {sides[1]}\right) {sign} {value}$"


def matrix_html(matrix: Any) -> str:
    """The upper left corner of a distance matrix."""
    n_rows, n_columns = min(matrix.shape[0], CELLS), min(matrix.shape[1], CELLS)
    more = [ELLIPSIS] * (matrix.shape[1] > n_columns)
    head = ["", *(code(matrix.column_labels[j], 16) for j in range(n_columns)), *more]
    corner = matrix.values[:n_rows, :n_columns].tolist()
    labels = [code(matrix.row_labels[i], 32) for i in range(n_rows)]
    rows = [
        [label, *(number(value, 4) for value in row), *more]
        for label, row in zip(labels, corner, strict=True)
    ]
    title = f"DistanceMatrix, {matrix.shape[0]:,} x {matrix.shape[1]:,}"
    shown = table(title, head, rows, matrix.shape[0])
    return shown + (picture("heatmap", matrix) if max(matrix.shape) <= DRAWN else "")


def neighbors_html(neighbors: Any) -> str:
    """The nearest expressions with their distances as bars; of many queries, a count."""
    if neighbors.indices.ndim > 1:
        n_queries, k = neighbors.indices.shape
        pairs = [("queries", f"{n_queries:,}"), ("of each", f"{k:,}")]
        return facts("Neighbors", pairs)
    longest = max((d for d in neighbors.distances.tolist() if math.isfinite(d)), default=0.0)
    rows = [
        [code(one.label), number(one.distance), bar(one.distance, longest), f"{one.index:,}"]
        for one in islice(neighbors, SHOWN)
    ]
    shown = table("Neighbors", ["expression", "distance", "", "index"], rows, len(neighbors))
    return shown + picture("neighbors", neighbors)


def _label(source: Any) -> str:
    if isinstance(source, (list, tuple)):
        return " ".join(source)
    return str(getattr(source, "label", source))


def _spread(outputs: Any) -> str:
    """The range and the middle of the defined outputs."""
    import numpy as np

    defined = outputs[~np.isnan(outputs)]
    if not defined.size:
        return "none defined"
    low, middle, high = np.quantile(defined, [0.0, 0.5, 1.0]).tolist()
    return f"{number(low, 4)} to {number(high, 4)}, median {number(middle, 4)}"


def _mathematics(label: str) -> str:
    from symbed.errors import SymbedError
    from symbed.language.parser import parse

    try:
        return parse(label).latex()
    except SymbedError:
        return rf"\text{{{_plain(label)}}}"


def _plain(label: str) -> str:
    """A label in which LaTeX finds no commands."""
    return "".join(c if c.isalnum() or c in " .,;:+-*/()=" else " " for c in label)[:LABEL]


def _power_of_ten(number: str) -> str:
    digits, e, exponent = number.partition("e")
    return rf"{digits} \cdot 10^{{{int(exponent)}}}" if e else digits


def clusters_html(clusters: Any) -> str:
    """Clusters by their medoids and sizes."""
    rows = []
    for place in range(min(SHOWN, clusters.n_clusters)):
        size = int((clusters.labels_ == place).sum())
        medoid = clusters.labels[int(clusters.medoids[place])]
        rows.append([str(place), f"{size:,}", code(medoid)])
    title = f"Clusters of {len(clusters.labels_):,} expressions"
    shown = table(title, ["cluster", "members", "medoid"], rows, clusters.n_clusters)
    if clusters.matrix is None or len(clusters.labels_) > MAPPED:
        return shown
    return shown + picture("mds", clusters.matrix, clusters=clusters)


def selection_html(selection: Any) -> str:
    """The selected formulas with their losses, and how far each is from those before it."""
    cells = zip(selection, selection.losses.tolist(), selection.distances.tolist(), strict=True)
    rows = [
        [code(label), number(loss, 4), number(distance, 3)]
        for label, loss, distance in islice(cells, SHOWN)
    ]
    title = f"{len(selection):,} of {len(selection.candidates):,} candidates"
    shown = table(title, ["formula", "loss", "distance"], rows, len(selection))
    return shown + (picture("selected", selection) if rows else "")


def duplicates_html(groups: Any) -> str:
    """The largest groups of duplicates."""
    rows = []
    for group in islice(groups.repeated, SHOWN):
        note = " (defined nowhere)" if group.is_undefined else ""
        others = ", ".join(code(label, 32) for label in group.labels[1:4])
        more = f", {ELLIPSIS}" * (len(group) > 4)
        rows.append([code(group.labels[0]) + note, f"{len(group):,}", others + more])
    title = f"{len(groups.groups):,} expressions, {len(groups):,} behaviors"
    shown = table(title, ["representative", "members", "others"], rows, None)
    return shown + (picture("groups", groups) if rows else "")


def group_html(group: Any) -> str:
    """One group of duplicates."""
    rows = [
        [code(label), number(distance, 3)]
        for label, distance in zip(group.labels[:SHOWN], group.distances.tolist(), strict=False)
    ]
    return table("DuplicateGroup", ["expression", "distance"], rows, len(group))


def fit_html(fit: Any) -> str:
    """A fit as facts."""
    pairs = [
        *((escape(name), number(value)) for name, value in fit.values.items()),
        ("rmse", number(fit.rmse, 4)),
        ("R\N{SUPERSCRIPT TWO}", number(fit.r2)),
        ("rows", f"{fit.n_points:,}"),
        *[("note", "the best descent did not come to rest")] * (not fit.converged),
    ]
    shown = facts(f"Fit of {code(str(fit.source))}", pairs)
    drawn = fit.target is not None and fit.n_points <= FITTED
    return shown + (picture("fitted", fit) if drawn else "")


def score_html(score: Any) -> str:
    """The formulas of a run, best first, and where the truth appears among them."""
    rows = [
        [code(row.text), escape(row.verdict), number(row.form.to_truth, 3), number(row.function, 3),
         f"{row.size:,}", f"{row.line:,}"]
        for row in islice(score.ranked, SHOWN)
    ]  # fmt: skip
    head = ["formula", "against the truth", "form distance", "error", "size", "line"]
    title = f"{code(str(score.truth))}: {escape(score.appearance)}"
    return table(title, head, rows, len(score.rows)) + (picture("scored", score) if rows else "")


def verdict_html(verdict: Any) -> str:
    """A verdict in words, with its grade and the point that shows it."""
    pairs = [("verdict", f"<b>{escape(verdict.verdict)}</b>"), ("on", escape(verdict.domain))]
    if verdict.grade:
        pairs.append(("grade", escape(verdict.grade)))
    if verdict.witness is not None:
        at = ", ".join(f"{name} = {value}" for name, value in verdict.witness.items())
        pairs.append(("differ at", code(at, 200)))
        pairs += [
            (side, code(text)) for side, text in zip("EF", verdict.values or (), strict=False)
        ]
    if verdict.exceptions:
        pairs.append(("but for", code("; ".join(map(str, verdict.exceptions[:5])), 200)))
    return facts("Verdict", [*pairs, ("in words", escape(str(verdict)))])


def relation_html(relation: Any) -> str:
    """How two families relate, with the evidence of both directions."""
    pairs = [
        ("relation", f"<b>{escape(relation.relation)}</b>"),
        ("E in F", escape(str(relation.e_in_f))),
        ("F in E", escape(str(relation.f_in_e))),
        ("form distance", number(relation.distance, 3)),
    ]
    return facts(f"E = {code(str(relation.e))}, F = {code(str(relation.f))}", pairs)


def effective_html(effective: Any) -> str:
    """How many parameters a family really has, and which act only together."""
    pairs = [
        ("effective", f"<b>{effective.rank}</b> of {effective.n_parameters}"),
        *(("act only together", code(", ".join(group))) for group in effective.redundant),
        *(("through", code(str(one))) for one in effective.combinations),
    ]
    return facts("Effective parameters", pairs)


def picture(plot: str, *given: Any, **settings: Any) -> str:
    """What one of the plots draws of a result, folded; nothing where it cannot be drawn."""
    from symbed import plots  # late and downward: nobody else shows a result and its picture
    from symbed.errors import SymbedError

    try:
        png, size = getattr(plots, plot)(*given, **settings)._repr_png_()
    except SymbedError:  # no matplotlib, or nothing to draw; the table is shown all the same
        return ""
    data = f"data:image/png;base64,{b64encode(png).decode()}"
    return (
        f"<details><summary>picture: <code>symbed.plots.{plot}</code></summary>"
        f'<img alt="{plot}" width="{size["width"]}" height="{size["height"]}" src="{data}" />'
        "</details>"
    )


def facts(title: str, pairs: Iterable[tuple[str, str]]) -> str:
    """A table of names and values, both finished HTML."""
    rows = "".join(f"<tr>{cell(name)}{cell(value)}</tr>" for name, value in pairs)
    return f'<table><caption style="{CAPTION}">{title}</caption>{rows}</table>'


def table(title: str, head: Sequence[str], rows: Sequence[Sequence[str]], n: int | None) -> str:
    """A table of finished HTML; ``n`` is how many rows there are in all, if that is known."""
    names = "".join(cell(name, "th") for name in head)
    body = "".join(f"<tr>{''.join(map(cell, row))}</tr>" for row in rows)
    rest = f"<tr>{cell(f'{n - len(rows):,} more')}</tr>" if n and n > len(rows) else ""
    caption = f'<caption style="{CAPTION}">{title}</caption>'
    return f"<table>{caption}<thead><tr>{names}</tr></thead><tbody>{body}{rest}</tbody></table>"


def cell(content: str, tag: str = "td") -> str:
    """One cell."""
    return f'<{tag} style="{CELL}">{content}</{tag}>'


def code(label: str, length: int = LABEL) -> str:
    """A formula, cut where it is long."""
    shown = label if len(label) <= length else label[: length - 1] + ELLIPSIS
    return f"<code>{escape(shown)}</code>"


def number(value: float, digits: int = 6) -> str:
    """A number of so many digits; a dash where there is none."""
    if math.isnan(value):
        return "\N{EN DASH}"
    if math.isinf(value):
        return "\N{INFINITY}" if value > 0 else "-\N{INFINITY}"
    return f"{value:.{digits}g}"


def bar(value: float, longest: float) -> str:
    """A bar as long as its value."""
    if not math.isfinite(value) or not longest:
        return ""
    return f'<span style="{BAR.format(width=120 * value / longest)}"></span>'

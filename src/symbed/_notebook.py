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
from typing import Any

SHOWN = 10  # rows of a table; the rest is counted
CELLS = 8  # rows and columns of a matrix
DRAWN = 60  # rows and columns of a matrix whose picture is drawn unasked
LABEL = 60  # characters of a label
CELL = "padding:2px 10px;text-align:{align};border:none;vertical-align:top"
CAPTION = "text-align:left;font-weight:bold;padding:2px 10px"
BAR = "background:#0072B2;display:inline-block;height:0.7em;width:{width:.0f}px"


def behavior_html(behavior: Any) -> str:
    """A behavior as facts."""
    facts = [
        ("points", f"{behavior.n_points:,}"),
        ("draws", f"{behavior.n_draws:,}"),
        ("defined", f"{100 * behavior.coverage:.3g}%"),
        ("outputs", _spread(behavior.outputs)),
    ]
    return _facts(f"Behavior {_code(behavior.label)}", facts) + _picture("density", behavior)


def atlas_html(atlas: Any) -> str:
    """An atlas as facts and its first expressions."""
    facts = [
        ("expressions", atlas.extent if atlas.is_unfinished else f"{len(atlas):,}"),
        ("distinct", f"{atlas.n_distinct:,}"),
        ("points x draws", f"{len(atlas.points):,} x {atlas.n_draws:,}"),
        *[("kept as", "programs")] * (atlas.keep == "programs"),
        *[("skipped", f"{len(atlas.skipped):,}")] * bool(atlas.skipped),
        *[("columns", escape(", ".join(atlas.metadata)))] * bool(atlas.metadata),
        ("first", "<br>".join(_code(_label(atlas.sources[i])) for i in range(min(5, len(atlas))))),
    ]
    return _facts("Atlas", facts)


def comparison_html(comparison: Any) -> str:
    """A comparison as facts, with what must be told beside the number."""
    low, high = comparison.interval
    facts = [
        ("distance", f"<b>{_number(comparison.distance)}</b>"),
        ("interval", f"{_number(low, 4)} to {_number(high, 4)}"),
        *[("unresolved", f"{comparison.reason}; {comparison.remedy}")] * bool(comparison.reason),
        ("noise floor", _number(comparison.noise_floor, 2)),
        ("compared at", f"{100 * comparison.coverage:.4g}% of {comparison.n_points:,} points"),
    ]
    if comparison.mismatched_points:
        rest = f"{comparison.mismatched_points:,} points; over the others "
        facts.append(("only one defined", rest + _number(comparison.finite_part)))
    title = " and ".join(map(_code, comparison.labels))
    return _facts(title, facts) + _picture("profile", comparison)


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
    more = ["\N{HORIZONTAL ELLIPSIS}"] * (matrix.shape[1] > n_columns)
    head = ["", *(_code(matrix.column_labels[j], 16) for j in range(n_columns)), *more]
    rows = [
        [
            _code(matrix.row_labels[i], 32),
            *(_number(matrix.values[i, j], 4) for j in range(n_columns)),
            *more,
        ]
        for i in range(n_rows)
    ]
    title = f"DistanceMatrix, {matrix.shape[0]:,} x {matrix.shape[1]:,}"
    table = _table(title, head, rows, matrix.shape[0])
    return table + (_picture("heatmap", matrix) if max(matrix.shape) <= DRAWN else "")


def neighbors_html(neighbors: Any) -> str:
    """The nearest expressions with their distances as bars; of many queries, a count."""
    if neighbors.indices.ndim > 1:
        n_queries, k = neighbors.indices.shape
        facts = [("queries", f"{n_queries:,}"), ("of each", f"{k:,}")]
        return _facts("Neighbors", facts)
    longest = max((d for d in neighbors.distances.tolist() if math.isfinite(d)), default=0.0)
    rows = [
        [_code(one.label), _number(one.distance), _bar(one.distance, longest), f"{one.index:,}"]
        for one in _first(neighbors)
    ]
    table = _table("Neighbors", ["expression", "distance", "", "index"], rows, len(neighbors))
    return table + _picture("neighbors", neighbors)


def clusters_html(clusters: Any) -> str:
    """Clusters by their medoids and sizes."""
    rows = []
    for number in range(min(SHOWN, clusters.n_clusters)):
        size = int((clusters.labels_ == number).sum())
        medoid = clusters.labels[int(clusters.medoids[number])]
        rows.append([str(number), f"{size:,}", _code(medoid)])
    title = f"Clusters of {len(clusters.labels_):,} expressions"
    return _table(title, ["cluster", "members", "medoid"], rows, clusters.n_clusters)


def selection_html(selection: Any) -> str:
    """The selected formulas with their losses, and how far each is from those before it."""
    cells = zip(selection, selection.losses.tolist(), selection.distances.tolist(), strict=True)
    rows = [
        [_code(label), _number(loss, 4), _number(distance, 3)]
        for label, loss, distance in _first(cells)
    ]
    title = f"{len(selection):,} of {len(selection.candidates):,} candidates"
    return _table(title, ["formula", "loss", "distance"], rows, len(selection))


def duplicates_html(groups: Any) -> str:
    """The largest groups of duplicates."""
    rows = []
    repeated = iter(groups.repeated)
    for group, _ in zip(repeated, range(SHOWN), strict=False):
        note = " (defined nowhere)" if group.is_undefined else ""
        others = ", ".join(_code(label, 32) for label in group.labels[1:4])
        more = ", \N{HORIZONTAL ELLIPSIS}" * (len(group) > 4)
        rows.append([_code(group.labels[0]) + note, f"{len(group):,}", others + more])
    title = f"{len(groups.groups):,} expressions, {len(groups):,} behaviors"
    table = _table(title, ["representative", "members", "others"], rows, None)
    return table + (_picture("groups", groups) if rows else "")


def group_html(group: Any) -> str:
    """One group of duplicates."""
    rows = [
        [_code(label), _number(distance, 3)]
        for label, distance in zip(group.labels[:SHOWN], group.distances.tolist(), strict=False)
    ]
    return _table("DuplicateGroup", ["expression", "distance"], rows, len(group))


def fit_html(fit: Any) -> str:
    """A fit as facts."""
    facts = [
        *((escape(name), _number(value)) for name, value in fit.values.items()),
        ("rmse", _number(fit.rmse, 4)),
        ("R\N{SUPERSCRIPT TWO}", _number(fit.r2)),
        ("rows", f"{fit.n_points:,}"),
        *[("note", "the best descent did not come to rest")] * (not fit.converged),
    ]
    return _facts(f"Fit of {_code(str(fit.source))}", facts)


def _picture(plot: str, result: Any) -> str:
    """What one of the plots draws of a result, folded; nothing where it cannot be drawn."""
    from symbed import plots  # late and downward: nobody else shows a result and its picture
    from symbed.errors import SymbedError

    try:
        png, size = getattr(plots, plot)(result)._repr_png_()
    except SymbedError:  # no matplotlib, or nothing to draw; the table is shown all the same
        return ""
    data = f"data:image/png;base64,{b64encode(png).decode()}"
    return (
        f"<details><summary>picture: <code>symbed.plots.{plot}</code></summary>"
        f'<img alt="{plot}" width="{size["width"]}" height="{size["height"]}" src="{data}" />'
        "</details>"
    )


def _facts(title: str, facts: Iterable[tuple[str, str]]) -> str:
    rows = "".join(f"<tr>{_cell(name)}{_cell(value)}</tr>" for name, value in facts)
    return f'<table><caption style="{CAPTION}">{title}</caption>{rows}</table>'


def _table(title: str, head: Sequence[str], rows: Sequence[Sequence[str]], n: int | None) -> str:
    """A table of finished HTML; ``n`` is how many rows there are in all, if that is known."""
    names = "".join(_cell(name, "th") for name in head)
    body = "".join(f"<tr>{''.join(map(_cell, row))}</tr>" for row in rows)
    rest = f"<tr>{_cell(f'{n - len(rows):,} more')}</tr>" if n and n > len(rows) else ""
    caption = f'<caption style="{CAPTION}">{title}</caption>'
    return f"<table>{caption}<thead><tr>{names}</tr></thead><tbody>{body}{rest}</tbody></table>"


def _cell(content: str, tag: str = "td") -> str:
    return f'<{tag} style="{CELL.format(align="left")}">{content}</{tag}>'


def _code(label: str, length: int = LABEL) -> str:
    shown = label if len(label) <= length else label[: length - 1] + "\N{HORIZONTAL ELLIPSIS}"
    return f"<code>{escape(shown)}</code>"


def _label(source: Any) -> str:
    if isinstance(source, (list, tuple)):
        return " ".join(source)
    return str(getattr(source, "label", source))


def _number(value: float, digits: int = 6) -> str:
    if math.isinf(value):
        return "\N{INFINITY}" if value > 0 else "-\N{INFINITY}"
    return f"{value:.{digits}g}"


def _bar(value: float, longest: float) -> str:
    if not math.isfinite(value) or not longest:
        return ""
    return f'<span style="{BAR.format(width=120 * value / longest)}"></span>'


def _first(items: Iterable[Any]) -> list[Any]:
    return [item for item, _ in zip(items, range(SHOWN), strict=False)]


def _spread(outputs: Any) -> str:
    """The range and the middle of the defined outputs."""
    import numpy as np

    defined = outputs[~np.isnan(outputs)]
    if not defined.size:
        return "none defined"
    low, middle, high = np.quantile(defined, [0.0, 0.5, 1.0]).tolist()
    return f"{_number(low, 4)} to {_number(high, 4)}, median {_number(middle, 4)}"


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

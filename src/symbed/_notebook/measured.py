"""Behaviors, atlases, comparisons, matrices and neighbors in notebook cells."""

from __future__ import annotations

import math
from html import escape
from typing import Any

from symbed._notebook.html import LABEL, bar, code, facts, first, number, picture, table

CELLS = 8  # rows and columns of a matrix
DRAWN = 60  # rows and columns of a matrix whose picture is drawn unasked


def behavior_html(behavior: Any) -> str:
    """A behavior as facts."""
    told = [
        ("points", f"{behavior.n_points:,}"),
        ("draws", f"{behavior.n_draws:,}"),
        ("defined", f"{100 * behavior.coverage:.3g}%"),
        ("outputs", _spread(behavior.outputs)),
    ]
    return facts(f"Behavior {code(behavior.label)}", told) + picture("density", behavior)


def atlas_html(atlas: Any) -> str:
    """An atlas as facts and its first expressions."""
    told = [
        ("expressions", atlas.extent if atlas.is_unfinished else f"{len(atlas):,}"),
        ("distinct", f"{atlas.n_distinct:,}"),
        ("points x draws", f"{len(atlas.points):,} x {atlas.n_draws:,}"),
        *[("kept as", "programs")] * (atlas.keep == "programs"),
        *[("skipped", f"{len(atlas.skipped):,}")] * bool(atlas.skipped),
        *[("columns", escape(", ".join(atlas.metadata)))] * bool(atlas.metadata),
        ("first", "<br>".join(code(_label(atlas.sources[i])) for i in range(min(5, len(atlas))))),
    ]
    return facts("Atlas", told)


def comparison_html(comparison: Any) -> str:
    """A comparison as facts, with what must be told beside the number."""
    low, high = comparison.interval
    told = [
        ("distance", f"<b>{number(comparison.distance)}</b>"),
        ("interval", f"{number(low, 4)} to {number(high, 4)}"),
        *[("unresolved", f"{comparison.reason}; {comparison.remedy}")] * bool(comparison.reason),
        ("noise floor", number(comparison.noise_floor, 2)),
        ("compared at", f"{100 * comparison.coverage:.4g}% of {comparison.n_points:,} points"),
    ]
    if comparison.mismatched_points:
        rest = f"{comparison.mismatched_points:,} points; over the others "
        told.append(("only one defined", rest + number(comparison.finite_part)))
    title = " and ".join(map(code, comparison.labels))
    return facts(title, told) + picture("profile", comparison)


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
    head = ["", *(code(matrix.column_labels[j], 16) for j in range(n_columns)), *more]
    rows = [
        [
            code(matrix.row_labels[i], 32),
            *(number(matrix.values[i, j], 4) for j in range(n_columns)),
            *more,
        ]
        for i in range(n_rows)
    ]
    title = f"DistanceMatrix, {matrix.shape[0]:,} x {matrix.shape[1]:,}"
    shown = table(title, head, rows, matrix.shape[0])
    return shown + (picture("heatmap", matrix) if max(matrix.shape) <= DRAWN else "")


def neighbors_html(neighbors: Any) -> str:
    """The nearest expressions with their distances as bars; of many queries, a count."""
    if neighbors.indices.ndim > 1:
        n_queries, k = neighbors.indices.shape
        told = [("queries", f"{n_queries:,}"), ("of each", f"{k:,}")]
        return facts("Neighbors", told)
    longest = max((d for d in neighbors.distances.tolist() if math.isfinite(d)), default=0.0)
    rows = [
        [code(one.label), number(one.distance), bar(one.distance, longest), f"{one.index:,}"]
        for one in first(neighbors)
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

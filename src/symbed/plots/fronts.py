"""Error against size of many formulas: the Pareto front, which behave alike, which are right."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from symbed._types import Booleans, Floats, Integers
from symbed.errors import DataError, SymbedError
from symbed.language.parser import parse
from symbed.plots.canvas import (
    BLUE,
    GRAY,
    GREEN,
    LARGE,
    LIGHT,
    ORANGE,
    SMALL,
    VERMILLION,
    axes_or_new,
    legend_beside,
    look,
)
from symbed.plots.labels import label_places, shorten

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from symbed.behavior.atlas import Atlas
    from symbed.distances.duplicates.duplicate_groups import DuplicateGroups
    from symbed.scoring.result_files.judged_results import JudgedResults
    from symbed.scoring.scores import Score

MAX_GROUPS = 8  # with a color of their own and a line in the legend
MAX_LABELS = 12  # formulas of a front that are written out, where there is room
MAX_SCORED_LABELS = 8  # the same among scored ones, whose labels are longer
SMALLEST_ERROR = 1e-17  # errors of 0 are drawn there


def pareto(
    duplicates: DuplicateGroups,
    *,
    loss: ArrayLike | None = None,
    complexity: ArrayLike | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Draw loss against complexity: the front of formulas that nothing beats in both, and groups.

    Members of a group that behaves alike share color and marker, and are joined by a line: all but
    one of them are not needed.

    Parameters
    ----------
    duplicates : DuplicateGroups
        What ``duplicates`` gave.
    loss, complexity : array_like, optional
        A number for each expression of the atlas. By default the atlas's columns ``loss`` and
        ``complexity``; without the latter, the number of nodes of each formula.
    ax : matplotlib Axes, optional
        Where to draw; a new figure by default.
    """
    atlas = duplicates.atlas
    losses = _column(atlas, "loss", loss)
    sizes = _column(atlas, "complexity", complexity)
    ax = axes_or_new(ax, 7.5, 5.0)
    known = np.isfinite(losses) & np.isfinite(sizes)
    front = _draw_front(ax, sizes, losses)
    _draw_groups(ax, duplicates, sizes, losses, known)
    # A logarithmic axis has no place for a loss of 0.
    in_decades = known.any() and losses[known].min() > 0 and np.ptp(np.log10(losses[known])) > 1
    _finish(ax, "complexity", "loss", in_decades)
    ax.set_title(f"{len(losses):,} formulas, {len(duplicates):,} behaviors", size=LARGE)
    places = np.stack([sizes, losses], axis=1)
    front = front[:MAX_LABELS]
    names = [shorten(atlas.labels[number], 24) for number in front.tolist()]
    label_places(ax, places[front], names, places[known], SMALL - 0.5)
    return ax


class Mark(NamedTuple):
    """How one kind of scored formula is drawn."""

    label: str
    color: str
    marker: str
    size: float


MARKS = {
    "right": Mark("the true form", GREEN, "*", 13.0),
    "e_in_f": Mark("contains it", BLUE, "D", 6.0),
    "f_in_e": Mark("a special case of it", ORANGE, "v", 6.5),
    "neither": Mark("another form", VERMILLION, "X", 6.5),
    "undecided": Mark("not found to be it", GRAY, "o", 5.0),
}


def scored(score: Score | JudgedResults, *, ax: Axes | None = None) -> Axes:
    """Draw error against size, each formula marked by its relation to the true form.

    Parameters
    ----------
    score : Score or JudgedResults
        What ``symbed.score`` or ``symbed.scoring.judge_results`` gave.
    ax : matplotlib Axes, optional
        Where to draw; a new figure by default.
    """
    dots = [dot for dot in _dots(score) if math.isfinite(dot.size) and math.isfinite(dot.error)]
    if not dots:
        raise DataError(
            "there is no error to draw: give data, the values of the truth's parameters, or a "
            "truth with its numbers"
        )
    ax = axes_or_new(ax, 7.5, 5.0)
    places = np.array([(dot.size, dot.error) for dot in dots])
    front = [dots[number] for number in _draw_front(ax, *places.T).tolist()]
    # The true forms last, on top of the others.
    for kind, mark in reversed(MARKS.items()):
        own = places[[dot.kind == kind for dot in dots]]
        if len(own):
            ax.plot(
                *own.T, linestyle="none", marker=mark.marker, color=mark.color,
                markersize=mark.size, markeredgecolor="white", markeredgewidth=0.5,
                label=f"{mark.label} ({len(own)})",
            )  # fmt: skip
    errors = places[:, 1]
    from_file = any("loss" in getattr(row, "columns", ()) for row in score.rows)
    _finish(ax, "size", "loss" if from_file else "relative error", errors.max() > 10 * errors.min())
    n_right = sum(dot.kind == "right" for dot in dots)
    ax.set_title(f"{len(dots):,} formulas, {n_right:,} with the true form", size=LARGE)
    # Right ones are named first: labels that find no room are left out.
    named = sorted(front, key=lambda dot: dot.kind != "right")[:MAX_SCORED_LABELS]
    labeled = np.array([(dot.size, dot.error) for dot in named])
    label_places(ax, labeled, [shorten(dot.text, 28) for dot in named], places, SMALL - 0.5)
    return ax


def front_of(complexities: Floats, losses: Floats) -> Integers:
    """The formulas with a smaller loss than every simpler one, by complexity.

    What is not finite is no part of it.

    >>> front_of(np.array([1.0, 2, 3, 3]), np.array([5.0, 6, 4, 2])).tolist()
    [0, 3]
    """
    order = np.flatnonzero(np.isfinite(losses) & np.isfinite(complexities))
    # By complexity, then by loss: of equally complex formulas only the best can be on the front.
    order = order[np.lexsort((losses[order], complexities[order]))]
    best = np.minimum.accumulate(losses[order]) if len(order) else losses[order]
    first = np.concatenate([[True], best[1:] < best[:-1]])[: len(order)]
    front: Integers = order[first]
    return front


def _draw_front(ax: Axes, sizes: Floats, errors: Floats) -> Integers:
    front = front_of(sizes, errors)
    ax.step(sizes[front], errors[front], where="post", color=LIGHT, linewidth=6.0, label="front")
    return front


def _finish(ax: Axes, x_name: str, y_name: str, in_decades: bool | np.bool_) -> None:
    from matplotlib.ticker import MaxNLocator

    if in_decades:
        ax.set_yscale("log")
    ax.margins(0.08)
    ax.xaxis.set_major_locator(MaxNLocator(integer=True))
    ax.set(xlabel=x_name, ylabel=y_name)
    legend_beside(ax)


def _draw_groups(
    ax: Axes, duplicates: DuplicateGroups, sizes: Floats, losses: Floats, known: Booleans
) -> None:
    named = [group for group in duplicates.repeated if known[group.members].any()][:MAX_GROUPS]
    rest = known.copy()
    for number, group in enumerate(named):
        color, style, marker = look(number)
        members = group.members[known[group.members]]
        members = members[np.argsort(sizes[members], kind="stable")]
        rest[members] = False
        ax.plot(
            sizes[members], losses[members], marker=marker, linestyle=style,
            color=color, linewidth=1.0, markersize=7, markeredgecolor="white",
            markeredgewidth=0.5, label=f"{shorten(group.labels[0], 24)} ({len(group)})",
        )  # fmt: skip
    ax.plot(
        sizes[rest], losses[rest], "o", color=GRAY, markersize=4, alpha=0.7,
        label="others" if named else "formulas",
    )  # fmt: skip


def _n_nodes(label: str) -> float:
    try:
        return float(parse(label).size)
    except SymbedError:
        return math.nan


def _column(atlas: Atlas, name: str, column: ArrayLike | None) -> Floats:
    """The numbers that were given for an atlas, or those among its columns."""
    if column is None:
        column = atlas.metadata.get(name)
    if column is None and name == "complexity":
        return np.array([_n_nodes(label) for label in atlas.labels])
    if column is None:
        raise DataError(
            f"a front needs the {name} of each formula; give {name}=..., "
            f"or survey with metadata={{{name!r}: ...}}"
        )
    try:
        numbers = np.asarray(column, dtype=np.float64)
    except (TypeError, ValueError):
        raise DataError(f"{name} must be numbers") from None
    if numbers.shape != (len(atlas),):
        raise DataError(f"{name} has shape {numbers.shape} for {len(atlas):,} expressions")
    return numbers


class _Dot(NamedTuple):
    size: float
    error: float
    kind: str
    text: str


def _dots(score: Any) -> list[_Dot]:
    from symbed.scoring.scores import Score, loss_of, size_of

    if isinstance(score, Score):
        rows = [(size_of(r), loss_of(r), r.relation, r.kept, r.is_right) for r in score.rows]
    else:
        rows = [
            (r.judged["size"], r.judged["function"], r.judged["relation"], r.result.formula,
             r.is_right)
            for r in score.rows if r.judged is not None
        ]  # fmt: skip
    return [  # max keeps a NaN that comes first
        _Dot(size, max(error, SMALLEST_ERROR), "right" if right else kind, str(text))
        for size, error, kind, text, right in rows
    ]

"""Error against size of scored formulas, marked by how their forms relate to the truth."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, NamedTuple

from symbed.errors import DataError
from symbed.plots.drawing.canvas import LARGE, SMALL, axes_or_new
from symbed.plots.drawing.labels import label_places, shorten
from symbed.plots.drawing.palette import BLUE, GRAY, GREEN, LIGHT, VERMILLION

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from symbed.scoring.result_files.judged_results import JudgedResults
    from symbed.scoring.run_score import Score

LABELED = 8  # formulas that are written out, where there is room
SMALLEST = 1e-17  # errors of 0 are drawn there


class Mark(NamedTuple):
    """How one kind of formula is drawn."""

    label: str
    color: str
    marker: str
    size: float


MARKS = {
    "right": Mark("the true form", GREEN, "*", 13.0),
    "e_in_f": Mark("contains it", BLUE, "D", 6.0),
    "f_in_e": Mark("a special case of it", "#E69F00", "v", 6.5),
    "neither": Mark("another form", VERMILLION, "X", 6.5),
    "undecided": Mark("not found to be it", GRAY, "o", 5.0),
}


class _Dot(NamedTuple):
    size: float
    error: float
    kind: str
    text: str


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
    from matplotlib.ticker import MaxNLocator

    front = _front(dots)
    ax.step(
        [dot.size for dot in front], [dot.error for dot in front], where="post", color=LIGHT,
        linewidth=6.0, label="front",
    )  # fmt: skip
    for kind, mark in reversed(MARKS.items()):
        own = [dot for dot in dots if dot.kind == kind]
        if own:
            ax.plot(
                [dot.size for dot in own], [dot.error for dot in own], linestyle="none",
                marker=mark.marker, color=mark.color, markersize=mark.size,
                markeredgecolor="white", markeredgewidth=0.5, label=f"{mark.label} ({len(own)})",
            )  # fmt: skip
    errors = [dot.error for dot in dots]
    if max(errors) > 10 * min(errors):
        ax.set_yscale("log")
    ax.margins(0.08)
    ax.xaxis.set_major_locator(MaxNLocator(integer=True))
    ax.set(xlabel="size", ylabel="loss" if _has_losses(score) else "relative error")
    n_right = sum(dot.kind == "right" for dot in dots)
    ax.set_title(f"{len(dots):,} formulas, {n_right:,} with the true form", size=LARGE)
    ax.legend(loc="upper left", bbox_to_anchor=(1.01, 1), fontsize=SMALL, frameon=False)
    _label(ax, front, dots)
    return ax


def _label(ax: Axes, front: list[_Dot], dots: list[_Dot]) -> None:
    import numpy as np

    named = sorted(front, key=lambda dot: dot.kind != "right")[:LABELED]
    places = np.array([(dot.size, dot.error) for dot in named])
    everybody = np.array([(dot.size, dot.error) for dot in dots])
    label_places(ax, places, [shorten(dot.text, 28) for dot in named], everybody, SMALL - 0.5)


def _dots(score: Any) -> list[_Dot]:
    from symbed.scoring.run_score import Score, loss_of, size_of

    if isinstance(score, Score):
        return [
            _Dot(size_of(row), _drawn(loss_of(row)), "right" if row.is_right else row.relation,
                 str(row.kept))
            for row in score.rows
        ]  # fmt: skip
    return [
        _Dot(row.judged["size"], _drawn(row.judged["function"]),
             "right" if row.is_right else row.judged["relation"], str(row.result.formula))
        for row in score.rows
        if row.judged is not None
    ]  # fmt: skip


def _has_losses(score: Any) -> bool:
    """Whether the run's file says what is drawn."""
    return any("loss" in getattr(row, "columns", ()) for row in score.rows)


def _drawn(error: float) -> float:
    return max(error, SMALLEST) if error == error else math.nan


def _front(dots: list[_Dot]) -> list[_Dot]:
    front: list[_Dot] = []
    for dot in sorted(dots, key=lambda dot: (dot.size, dot.error)):
        if not front or dot.error < front[-1].error:
            front.append(dot)
    return front

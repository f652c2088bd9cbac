"""Figures of the smoothness experiment: average ranks, and error curves of two data sets."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from symbed._types import Floats
from symbed.plots.canvas import GRAY, GREEN, LARGE, MEDIUM, SMALL, Look, look, new_figure
from symbed.plots.labels import typeset
from symbed.workbench import dataset
from symbed_reproduction.core.outcomes import Outcome
from symbed_reproduction.smoothness.results import NAMES, RIVALS, SmoothnessResults, average_ranks

if TYPE_CHECKING:
    from matplotlib.axes import Axes


BLACK = 6
LOOKS = {
    "bed": Look(GREEN, "-", "o"),
    "edit": look(1),
    "tree": Look(look(0).color, "-.", "^"),
    "jaro": Look(look(3).color, ":", "D"),
    "optimal": Look(look(BLACK).color, "-", ""),
}
SMALLEST = 1e-9  # of the largest error; a perfect fit is drawn there, since zero has no logarithm


def draw(outcome: Outcome) -> Iterator[tuple[str, Any]]:
    """The paper's figures, those of the appendix included."""
    results: SmoothnessResults = outcome.data["findings"]
    for aggregation in results.ranks:
        yield f"average_rank_{aggregation}", _draw_ranks(results, aggregation)
        for name in outcome.data["pictured"]:
            yield f"curves_{name}_{aggregation}", _draw_errors(results, name, aggregation)


def _draw_ranks(results: SmoothnessResults, aggregation: str) -> Axes:
    """Average ranks with two standard errors, and the points of the published curves."""
    ax = new_figure(8.0, 4.8).add_subplot()
    ranks, published = results.ranks[aggregation]["paper"], average_ranks()[aggregation]
    n = np.arange(1, ranks.each.shape[2] + 1)
    for measure, mean, deviation in zip(ranks.measures, ranks.mean, ranks.deviation, strict=True):
        seen, error = LOOKS[measure], 2.0 * deviation / np.sqrt(len(results.names))
        band = np.maximum(mean - error, 1.0), np.minimum(mean + error, len(ranks.measures))
        ax.fill_between(n, *band, color=seen.color, alpha=0.15, linewidth=0)
        _draw_line(ax, n, mean, measure)
        ax.plot(
            *_known(published[measure]), seen.marker, markerfacecolor="white",
            markeredgecolor=seen.color, markersize=5.5, clip_on=False, zorder=3,
        )  # fmt: skip
    ax.plot([], [], "o", markerfacecolor="white", markeredgecolor=GRAY, label="published")
    ax.set(xlabel="number of nearest candidates n", ylabel="average rank", xlim=(0, n[-1] + 1))
    ax.set_ylim(0.9, len(ranks.measures) + 0.05)
    ax.grid(visible=True, alpha=0.25)
    ax.set_title(f"Rank by {aggregation} RMSE over {len(results.names)} data sets", size=LARGE)
    ax.legend(loc="upper center", bbox_to_anchor=(0.5, -0.13), ncols=5, fontsize=MEDIUM)
    return ax


def _draw_errors(results: SmoothnessResults, name: str, aggregation: str) -> Axes:
    """The errors of the n nearest on one data set, with the range of the repeats."""
    ax = new_figure(7.0, 4.6).add_subplot()
    row = results.names.index(name)
    curves = {m: results.curves[aggregation][m][row] for m in ("optimal", "bed", *RIVALS)}
    least = SMALLEST * max(float(curve.max()) for curve in curves.values())
    n = np.arange(1, len(curves["bed"]) + 1)
    for measure, curve in curves.items():
        low, high = np.maximum(results.bands(name, aggregation, measure), least)
        ax.fill_between(n, low, high, color=LOOKS[measure].color, alpha=0.18, linewidth=0)
        _draw_line(ax, n, np.maximum(curve, least), measure)
    ax.set_yscale("log")
    ax.set(xlabel="number of nearest candidates n", xlim=(0, n[-1] + 1))
    ax.set_ylabel(f"{aggregation} RMSE of the n nearest")
    ax.grid(visible=True, alpha=0.25)
    ax.set_title(f"{name}: {typeset(dataset(name).formula, 60)}", size=LARGE, pad=10)
    ax.legend(loc="upper center", bbox_to_anchor=(0.5, -0.13), ncols=5, fontsize=SMALL)
    return ax


def _draw_line(ax: Axes, n: NDArray[np.int64], curve: Floats, measure: str) -> None:
    seen = LOOKS[measure]
    width = 2.2 if measure == "bed" else 1.5
    label = NAMES[measure]
    ax.plot(n, curve, color=seen.color, linestyle=seen.style, linewidth=width, label=label)


def _known(curve: dict[int, float | None]) -> tuple[list[int], list[float]]:
    """The points of a published curve that could be read."""
    points = [(n, value) for n, value in curve.items() if value is not None]
    return [n for n, _ in points], [value for _, value in points]

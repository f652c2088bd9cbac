"""Figures of the consistency experiment: heatmaps, and what consistency costs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from symbed._types import Floats
from symbed.plots.canvas import LARGE, MEDIUM, SEQUENTIAL, SMALL, look, new_figure
from symbed_reproduction.consistency.expression_sets import BOUNDED, DRAWN, GIVEN
from symbed_reproduction.consistency.measurements import STRATEGIES
from symbed_reproduction.consistency.ranks import with_self_pairs
from symbed_reproduction.consistency.resampling import OURS, PAPER
from symbed_reproduction.consistency.results import Place, Size, published
from symbed_reproduction.core.outcomes import Outcome

if TYPE_CHECKING:
    from matplotlib.axes import Axes


TITLES = {"run": "new X per run", "pair": "new X per pair", "all": "one X"}
NAMES = {PAPER: "the paper's sampling", OURS: "our default design"}
LOSSES = (1e-5, 0.3)  # ends of the colors: what is missing to a consistency of 1
DARK = 0.55  # from this place of the colors on, text is black


def draw(outcome: Outcome) -> Iterator[tuple[str, Any]]:
    """Published heatmaps with ours, the two designs by strategy, and the cost of consistency."""
    cells, size = outcome.data["cells"], outcome.data["size"]
    yield "published", _draw_published(cells, size)
    for strategy in STRATEGIES:
        yield f"designs_{strategy}", _draw_designs(cells, size, strategy)
    yield "cost", _draw_cost(cells, size)


def _draw_published(cells: Mapping[Place, Floats], size: Size) -> Any:
    """The printed heatmaps above those made here, on the given sets or on some drawn alike."""
    given = [place for place in cells if (place.kind, place.design) == (GIVEN, PAPER)]
    places = given or [place for place in cells if place.kind == DRAWN]
    where = "here, given set" if given else "here"
    axes = new_figure(3.0 * len(places), 6.6).subplots(2, len(places), squeeze=False)
    for column, place in zip(axes.T, sorted(places, key=lambda p: p[2:]), strict=True):
        printed = published(place.n_variables, place.strategy, size.counts)
        assert printed is not None
        title = f"{_variables(place.n_variables)}, {TITLES[place.strategy]}"
        _draw_heatmap(column[0], printed, size.counts, f"published\n{title}")
        here = with_self_pairs(cells[place], size.n_runs)
        _draw_heatmap(column[1], here, size.counts, f"{where}\n{title}")
    _explain_colors(axes)
    return axes.ravel()


def _draw_designs(cells: Mapping[Place, Floats], size: Size, strategy: str) -> Any:
    """The paper's sampling above our design, for every number of variables."""
    n_columns = len(size.variables)
    axes = new_figure(3.0 * n_columns, 6.6).subplots(2, n_columns, squeeze=False)
    for row, design in zip(axes, (PAPER, OURS), strict=True):
        for ax, n_variables in zip(row, size.variables, strict=True):
            scores = cells[Place(BOUNDED, design, n_variables, strategy)]
            here = with_self_pairs(scores, size.n_runs)
            title = f"{NAMES[design]}\n{_variables(n_variables)}, {TITLES[strategy]}"
            _draw_heatmap(ax, here, size.counts, title)
    _explain_colors(axes)
    return axes.ravel()


def _draw_heatmap(ax: Axes, cells: Floats, counts: tuple[int, ...], title: str) -> None:
    """One heatmap, |X| growing upward; colors by what is missing to 1, on a log scale."""
    losses = np.clip(1.0 - cells, *LOSSES)
    low, high = np.log10(LOSSES)
    bright = (high - np.log10(losses)) / (high - low)
    ax.imshow(bright, cmap=SEQUENTIAL, vmin=0.0, vmax=1.0, origin="lower", aspect="equal")
    size = SMALL - (1.5 if len(counts) > 4 else 0.0)
    for (i, j), value in np.ndenumerate(cells):
        color = "black" if bright[i, j] > DARK else "white"
        ax.text(j, i, _figure(value), ha="center", va="center", fontsize=size, color=color)
    ax.set_xticks(range(len(counts)), [str(count) for count in counts], fontsize=SMALL)
    ax.set_yticks(range(len(counts)), [str(count) for count in counts], fontsize=SMALL)
    ax.set_xlabel("|C|", size=MEDIUM)
    ax.set_ylabel("|X|", size=MEDIUM)
    ax.tick_params(length=0)
    ax.set_title(title, size=MEDIUM)


def _figure(value: float) -> str:
    """Three digits, without the zero before the point.

    >>> _figure(0.9437), _figure(0.9997)
    ('.944', '1.00')
    """
    text = f"{value:.3f}"
    return "1.00" if text.startswith("1") else text[1:]


def _explain_colors(axes: Any) -> None:
    from matplotlib.cm import ScalarMappable
    from matplotlib.colors import LogNorm

    reversed_colors = f"{SEQUENTIAL}_r"
    shown = ScalarMappable(LogNorm(*LOSSES), reversed_colors)
    figure = axes[0, 0].get_figure(root=True)
    bar = figure.colorbar(shown, ax=list(axes.flat), shrink=0.7, aspect=35, pad=0.01)
    bar.set_label("1 - consistency", size=MEDIUM)


def _draw_cost(cells: Mapping[Place, Floats], size: Size) -> Any:
    """For each budget the best that either design does with it."""
    axes = new_figure(12.0, 4.2).subplots(1, len(STRATEGIES), sharey=True)
    costs = np.outer(size.counts, size.counts)
    for ax, strategy in zip(axes, STRATEGIES, strict=True):
        for number, n_variables in enumerate(size.variables):
            seen = look(number)
            for design, style in ((PAPER, ":"), (OURS, "-")):
                scores = cells[Place(BOUNDED, design, n_variables, strategy)]
                budgets = np.unique(costs)
                best = [1.0 - scores[costs <= budget].max() for budget in budgets]
                ax.plot(
                    budgets, np.maximum(best, LOSSES[0]), color=seen.color, linestyle=style,
                    marker=seen.marker, markersize=4, linewidth=1.6,
                )  # fmt: skip
        ax.set_xscale("log", base=2)
        ax.set_yscale("log")
        ax.set_title(TITLES[strategy], size=LARGE)
        ax.set_xlabel("evaluations per expression, |X| |C|", size=MEDIUM)
        ax.grid(alpha=0.3)
    axes[0].set_ylabel("1 - consistency, best within the budget", size=MEDIUM)
    _explain_lines(axes[-1], size.variables)
    return axes


def _explain_lines(ax: Axes, variables: tuple[int, ...]) -> None:
    from matplotlib.lines import Line2D

    handles = [
        Line2D([], [], color=look(k).color, marker=look(k).marker, label=_variables(n))
        for k, n in enumerate(variables)
    ]
    handles += [
        Line2D([], [], color="black", linestyle=":", label=NAMES[PAPER]),
        Line2D([], [], color="black", linestyle="-", label=NAMES[OURS]),
    ]
    ax.legend(handles=handles, fontsize=SMALL, loc="upper left", bbox_to_anchor=(1.0, 1.0))


def _variables(count: int) -> str:
    return f"{count} variable" + ("s" if count > 1 else "")

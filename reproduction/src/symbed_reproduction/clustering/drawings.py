"""Figures of the clustering experiment: maps of expressions, and the score by number of draws."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from symbed._types import Floats
from symbed.distances.layout import lay_out
from symbed.plots.canvas import (
    BLUE,
    GRAY,
    GREEN,
    LARGE,
    MEDIUM,
    SMALL,
    VERMILLION,
    look,
    new_figure,
)
from symbed.plots.labels import typeset
from symbed_reproduction.clustering.published import PUBLISHED
from symbed_reproduction.core.outcomes import Outcome

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Drawn = tuple[str, "Axes | NDArray[Any]"]

# The paper's two pictures, and what our design does to the first of them.
PICTURES = {
    "mds_bed_tree": ("BED, paper's sampling", "tree edit distance"),
    "mds_edit_jaro": ("edit distance", "Jaro distance"),
    "mds_bed_sampling": ("BED, paper's sampling", "BED, default design"),
}
COLUMNS = 6  # of the legend


def draw(outcome: Outcome) -> Iterator[Drawn]:
    """The figures by name."""
    data = outcome.data
    for name, panels in PICTURES.items():
        chosen = {panel: data["maps"][panel] for panel in panels}
        yield name, draw_maps(chosen, data["groups"], data["names"])
    yield "draws", draw_scores(data["draws"], data["drawn"], data["default"])


def draw_maps(
    maps: dict[str, Floats], groups: NDArray[np.int64], names: Sequence[str]
) -> NDArray[Any]:
    """Maps side by side, each group with a color and a marker of its own.

    Parameters
    ----------
    maps : dict from str to ndarray
        For each title the distances d; log10(1 + d) is drawn, which the tables are from.
    groups : ndarray of int
        The number of each expression's group.
    names : sequence of str
        The base expression of each group.
    """
    figure = new_figure(5.2 * len(maps), 5.9)
    axes: NDArray[Any] = np.atleast_1d(figure.subplots(1, len(maps)))
    for ax, (title, distances) in zip(axes, maps.items(), strict=True):
        layout = lay_out(np.log10(1.0 + distances))
        _draw_groups(ax, layout.places, groups, names)
        ax.set_title(title, size=LARGE)
        ax.set_xlabel(f"map of log10(1 + d), stress {layout.stress:.2f}", size=MEDIUM)
    handles, labels = axes[0].get_legend_handles_labels()
    figure.legend(
        handles, labels, loc="outside lower center", ncols=COLUMNS, fontsize=MEDIUM,
        frameon=False, handletextpad=0.2, columnspacing=1.2,
    )  # fmt: skip
    return axes


def draw_scores(counts: NDArray[np.int64], drawn: Floats, default: Floats) -> Axes:
    """The adjusted Rand index of plain BED by the number of draws.

    Parameters
    ----------
    counts : ndarray of int
        Numbers of draws.
    drawn : ndarray
        (sets, counts, 2, 4), see ``add_draws``.
    default : ndarray
        Scores of our default design with as many draws as the first count, for each set.
    """
    ax = new_figure(6.2, 3.8).add_subplot()
    plain = drawn[:, :, 0, 0]
    ax.fill_between(counts, plain.min(axis=0), plain.max(axis=0), color=BLUE, alpha=0.2, lw=0)
    ax.plot(counts, plain.mean(axis=0), "o-", color=BLUE, label="paper's sampling (mean, range)")
    start = counts[:1]
    ax.plot(start, [default.mean()], "D", color=GREEN, ms=8, label="our default design")
    mean, deviation = PUBLISHED["BED"][0]
    ax.errorbar(
        start, [mean], [2 * deviation], fmt="s", color=VERMILLION, capsize=4, ms=5,
        label="paper (± two deviations)", zorder=3,
    )  # fmt: skip
    ax.axhline(1.0, color=GRAY, lw=0.8, ls=":")
    ax.set_xscale("log", base=2)
    ax.set_xticks(counts, [str(count) for count in counts])
    ax.minorticks_off()
    ax.set_ylim(0.0, 1.05)
    ax.set_xlabel("draws of parameters")
    ax.set_ylabel("adjusted Rand index")
    ax.set_title("Plain BED, single linkage", size=LARGE)
    ax.legend(loc="lower right", fontsize=SMALL, frameon=False)
    return ax


def _draw_groups(ax: Axes, places: Floats, groups: NDArray[np.int64], names: Sequence[str]) -> None:
    for number, name in enumerate(names):
        seen, here = look(number), groups == number
        size = 9.5 if seen.marker == "*" else 6.5  # a star has little body
        ax.plot(
            *places[here].T, seen.marker, color=seen.color, markersize=size, alpha=0.85, ls="none",
            markeredgecolor="white", markeredgewidth=0.4, label=typeset(name),
        )  # fmt: skip
    ax.set_aspect("equal", adjustable="datalim")
    ax.margins(0.06)
    ax.set_xticks([])
    ax.set_yticks([])

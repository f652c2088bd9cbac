"""The first two figures: an outcome goes in; a behavior and the breakdown of BED come out."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from symbed.plots.breakdowns import breakdown
from symbed.plots.canvas import LARGE, new_figure
from symbed.plots.densities import density
from symbed.plots.palette import GRAY, GREEN
from symbed_reproduction.core.outcomes import Outcome
from symbed_reproduction.figures.experiment import AT, CUTS

if TYPE_CHECKING:
    from matplotlib.axes import Axes

BINS = 60


def draw(outcome: Outcome) -> Iterator[tuple[str, Any]]:
    """Figure 1 with its two cuts, and figure 2."""
    yield "behavior", _draw_behavior(outcome)
    a, b = outcome.data["pair"]
    panels = breakdown(outcome.data["comparison"], a, b, fine=outcome.data["dense"], at=AT)
    yield "breakdown", panels.ravel()


def _draw_behavior(outcome: Outcome) -> Any:
    axes = new_figure(10.5, 4.6).subplot_mosaic(
        [["cloud", "0"], ["cloud", "1"]], width_ratios=[2.2, 1.0]
    )
    cloud = density(
        outcome.data["bell"], curve=outcome.data["curve"], color=GREEN, ax=axes["cloud"]
    )
    cloud.set_title(cloud.get_title(), size=LARGE, pad=12)
    legend = cloud.get_legend()
    for entry in legend.get_texts() if legend else ():
        entry.set_text(f"$C = 1$: {entry.get_text()}")
    for number, cut in enumerate(CUTS):
        cloud.axvline(cut, color=GRAY, linestyle=":", linewidth=1.2)
        _draw_cut(axes[str(number)], outcome.data["outputs"][number], cut)
    return np.array(list(axes.values()), dtype=object)


def _draw_cut(ax: Axes, outputs: np.ndarray, cut: float) -> None:
    """Where the outputs fall at one input."""
    ax.hist(outputs, BINS, density=True, color=GREEN, alpha=0.75)
    ax.axvline(float(outputs.mean()), color="black", linestyle="--", linewidth=1.2)
    ax.set_title(f"outputs at x = {cut:g}; mean {outputs.mean():.3f}", size=LARGE - 1)
    ax.set(xlabel="output", ylabel="density")

"""The limits experiment: the weaknesses of BED in numbers. Here is what its figures share."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from symbed.plots.canvas import look

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def draw_line(ax: Axes, x: np.ndarray, y: np.ndarray, number: int, label: str) -> None:
    """A line with markers, in the look of its number."""
    seen = look(number)
    ax.plot(
        x, y, color=seen.color, linestyle=seen.style, marker=seen.marker, markersize=4.5,
        linewidth=1.6, label=label,
    )  # fmt: skip


def set_logarithmic(ax: Axes) -> None:
    """Both axes logarithmic, with a grid."""
    ax.set_xscale("log")
    ax.set_yscale("log")
    ax.grid(visible=True, which="major", color="#E4E4E4", linewidth=0.8)

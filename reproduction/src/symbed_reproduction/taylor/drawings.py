"""Figures of the Taylor experiment: curves on both domains, and errors over all domains."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from symbed.behavior.behavior import Behavior
from symbed.plots.axis_scales import Scale
from symbed.plots.canvas import LARGE, SMALL, new_figure
from symbed.plots.labels import typeset
from symbed.plots.palette import GRAY, LIGHT, look
from symbed_reproduction.core.outcomes import Outcome
from symbed_reproduction.taylor.experiment import ENDS, EXPANSIONS, TITLES, TRUTH

if TYPE_CHECKING:
    from matplotlib.axes import Axes

BLACK = 6  # the look of the truth


def draw(outcome: Outcome) -> Iterator[tuple[str, Any]]:
    """The paper's figure of the curves, and the errors against the end of the domain."""
    yield "curves", _draw_curves(outcome.data["curves"])
    yield "errors", _draw_errors(outcome.data["ends"])


def _draw_curves(curves: dict[str, list[Behavior]]) -> Any:
    axes = new_figure(10.0, 4.0).subplots(1, 2)
    for ax, (name, behaviors) in zip(axes, curves.items(), strict=True):
        for number, one in enumerate(behaviors):
            seen = look(number - 1 if number else BLACK)
            style = seen.style if number else "-"
            ax.plot(
                one.points[:, 0], one.outputs[0], color=seen.color, linestyle=style,
                linewidth=1.8, label=typeset(one.label),
            )  # fmt: skip
        outputs = np.concatenate([one.outputs[0] for one in behaviors])
        Scale.of(outputs, "linear" if name == "pi" else "log").set_y(ax)
        ax.set_title(TITLES[name] + ("" if name == "pi" else ", scale logarithmic"), size=LARGE)
        ax.set(xlabel=typeset("x"), ylabel="output", xlim=(0.0, ENDS[name]))
        ax.legend(fontsize=SMALL, loc="best")
    return axes


def _draw_errors(found: dict[str, Any]) -> Axes:
    ax = new_figure(7.0, 4.4).add_subplot()
    for number, text in enumerate(EXPANSIONS):
        seen = look(number)
        ax.plot(
            found["ends"], found["rmse"][:, number], color=seen.color, linestyle=seen.style,
            linewidth=1.8, label=typeset(text),
        )  # fmt: skip
    ax.set_yscale("log")
    ax.set_ylim(1e-4, 3e4)
    for name, end in ENDS.items():
        ax.axvline(end, color=GRAY, linestyle=":", linewidth=1.2)
        side = "right" if name == "6pi" else "left"
        ax.text(
            end, 2e-4, f" {TITLES[name]} ", size=SMALL, color=GRAY, ha=side,
            bbox={"facecolor": "white", "edgecolor": LIGHT, "pad": 1.0, "linewidth": 0},
        )  # fmt: skip
    ax.set(xlabel="end of the domain, which begins at 0", ylabel=f"RMSE against {typeset(TRUTH)}")
    ax.set_xlim(0.0, 22.6)
    ax.set_title("The best expansion depends on the domain", size=LARGE)
    ax.legend(fontsize=SMALL, loc="center right")
    return ax

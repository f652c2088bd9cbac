"""Draws the pictures that explain the measure, docs/images/PAGE/*.png.

Run with ``python tools/make_explanations.py``, from anywhere. The densities, distributions and
profiles are symbed's own plots; only single curves of a family are drawn here.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import symbed
from symbed import plots
from symbed.plots.canvas import BLUE, VERMILLION, new_figure
from symbed.plots.labels import typeset
from symbed.workbench import evaluate

IMAGES = Path(__file__).parents[1] / "docs" / "images"
E, F = "a*exp(-b*x)", "a/(1 + b*x)"
PROBE = symbed.Probe({"x": (0, 5)}, parameters=(0.5, 2), n_draws=128)
MARK = 1.0
N_CURVES = 40


def main() -> None:
    """Draw them all."""
    for name, draw in FIGURES.items():
        path = IMAGES / f"{name}.png"
        path.parent.mkdir(parents=True, exist_ok=True)
        plots.save(draw(), path)
        print(path)


def draw_curves() -> Any:
    """Members of a family, and where they pass one input."""
    ax = new_figure(6.0, 4.0).add_subplot()
    outputs = curves(ax, E, PROBE, (0, 5), BLUE)
    ax.axvline(MARK, color="black", linestyle=":", linewidth=1)
    ax.plot(np.full(len(outputs), MARK), outputs, "o", color="black", markersize=3)
    ax.set_ylim(-0.09, 2.09)
    return ax


def draw_behavior() -> Any:
    """The behavior of the same family."""
    return plots.density(symbed.observe(E, plots.cross_section(PROBE)))


def draw_area() -> Any:
    """Two distributions at one input, and the area between."""
    a, b = symbed.observe(E, PROBE), symbed.observe(F, PROBE)
    return plots.cdfs(a, b, at=MARK, comparison=symbed.compare(a, b))


def draw_profile() -> Any:
    """The distance at every input."""
    a, b = symbed.observe(E, PROBE), symbed.observe(F, PROBE)
    return plots.profile(symbed.compare(a, b), variables=["x"])


def draw_unseen() -> Any:
    """Two families of different curves with one behavior."""
    probe = symbed.Probe({"x": (-2, 2)}, parameters=(-1, 1))
    axes = new_figure(9.0, 6.5).subplots(2, 2, sharex=True, sharey=True)
    for column, (text, color) in enumerate((("C*x", BLUE), ("C*abs(x)", VERMILLION))):
        curves(axes[0, column], text, probe, (-2, 2), color)
        member = text.replace("C", "0.7")
        highlight(axes[0, column], member, (-2, 2))
        fine = symbed.observe(text, plots.cross_section(probe))
        plots.density(fine, color=color, colorbar=False, ax=axes[1, column])
    return axes.ravel()


def curves(
    ax: Any, text: str, probe: symbed.Probe, span: tuple[float, float], color: str
) -> list[float]:
    """Draw single members of a family; returns their outputs at the mark."""
    expression = symbed.parse(text)
    n_parameters = len(expression.parameters)
    draws = probe.with_(design="shared", n_draws=N_CURVES).columns(n_parameters)[:, :, 0].T
    x = np.linspace(*span, 201)
    for vector in draws:
        ax.plot(x, evaluate(expression, x, values=vector), color=color, linewidth=0.7, alpha=0.7)
    ax.set(title=typeset(text), xlabel="$x$", ylabel="output")
    return [float(evaluate(expression, [MARK], values=vector)[0]) for vector in draws]


def highlight(ax: Any, text: str, span: tuple[float, float]) -> None:
    """Draw one function in black over the others."""
    x = np.linspace(*span, 201)
    ax.plot(x, evaluate(symbed.parse(text), x), color="black", linewidth=2)


FIGURES: dict[str, Callable[[], Any]] = {
    "definition/curves": draw_curves,
    "definition/behavior": draw_behavior,
    "definition/area": draw_area,
    "definition/profile": draw_profile,
    "traps/unseen": draw_unseen,
}

if __name__ == "__main__":
    main()

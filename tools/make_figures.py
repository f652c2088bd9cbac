"""Draws the pictures of the documents, docs/images/*.png.

Run with ``python tools/make_figures.py``, from anywhere. The same symbed and matplotlib give the
same bytes.
"""

from __future__ import annotations

import csv
from collections.abc import Callable
from pathlib import Path
from typing import Any

import symbed
from symbed import plots
from symbed.workbench import fit, read_data

ROOT = Path(__file__).parents[1]
IMAGES = ROOT / "docs" / "images"
PLANE = symbed.Probe({"X_0": (1, 5), "X_1": (1, 5)}, parameters=(1, 5))


def main() -> None:
    """Draw them all."""
    IMAGES.mkdir(exist_ok=True)
    for name, draw in FIGURES.items():
        plots.save(draw(), IMAGES / f"{name}.png")
        print(IMAGES / f"{name}.png")


def draw_density() -> Any:
    """The paper's first figure: a family of bells, and the one with deviation 1."""
    line = plots.cross_section(symbed.Probe({"x": (-5, 5)}, parameters=(0.2, 2)))
    family = symbed.observe("1/sqrt(2*pi*C_0)*exp(-x^2/(2*C_0^2))", line)
    return plots.density(family, curve=symbed.observe("1/sqrt(2*pi)*exp(-x^2/2)", line))


def draw_breakdown() -> Any:
    """The paper's second figure: two formulas that only look equal."""
    probe = symbed.Probe({"x": (-2.5, 2.5)}, parameters=(0.1, 5))
    texts = "C_0*x + C_1*x", "2*C_0*x"
    a, b = (symbed.observe(text, probe) for text in texts)
    line = plots.cross_section(probe)
    fine = symbed.observe(texts[0], line), symbed.observe(texts[1], line)
    return plots.breakdown(symbed.compare(a, b), a, b, fine=fine, at=-2.0).ravel()


def draw_cdfs() -> Any:
    """Two distributions of outputs, and the area between."""
    a, b = (symbed.observe(text, PLANE) for text in ("C*X_0 + C", "C*X_0*X_1"))
    return plots.cdfs(a, b, at=3.0, comparison=symbed.compare(a, b))


def draw_profile() -> Any:
    """Distances at points in two variables; at some, only one of the two is defined."""
    probe = symbed.Probe({"x": (-1, 5), "y": (1, 3)}, parameters=(1, 5))
    a, b = (symbed.observe(text, probe) for text in ("C*x*sin(y)", "C*ln(x)"))
    return plots.profile(symbed.compare(a, b), variables=probe.variables)


def draw_heatmap() -> Any:
    """Distances, a tree and clusters."""
    matrix = symbed.pairwise(_formulas())
    return plots.heatmap(matrix, clusters=symbed.cluster(matrix, 6))


def draw_infinite() -> Any:
    """Distances that are infinite, because domains of definition differ."""
    probe = symbed.Probe({"X_0": (-1, 5), "X_1": (1, 5)}, parameters=(1, 5))
    matrix = symbed.pairwise(_formulas(probe))
    return plots.heatmap(matrix, clusters=plots.arrange(matrix))


def draw_map() -> Any:
    """A map with clusters."""
    matrix = symbed.pairwise(_formulas())
    return plots.mds(matrix, clusters=symbed.cluster(matrix, 6))


def draw_neighbors() -> Any:
    """What is nearest to a formula."""
    return plots.neighbors(symbed.nearest("a*atan(X_0)", _formulas(), k=10), query="a*atan(X_0)")


def draw_front() -> Any:
    """A hall of fame, with the formulas in it that are one."""
    with (ROOT / "examples" / "hall_of_fame.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    probe = symbed.Probe({"x0": (1, 5), "x1": (1, 5)})
    atlas = symbed.survey([row["Equation"] for row in rows], probe)
    loss, complexity = ([float(row[name]) for row in rows] for name in ("Loss", "Complexity"))
    return plots.pareto(symbed.duplicates(atlas), loss=loss, complexity=complexity)


def draw_fit() -> Any:
    """Data with a fitted formula."""
    data = read_data(ROOT / "examples" / "decay.csv", -1)
    fitted = fit("a*exp(-b*t) + c", data.X, data.y, variables=data.names)
    assert data.y is not None
    return plots.fitted(fitted, data.X, data.y)


def _formulas(probe: symbed.Probe = PLANE) -> symbed.Atlas:
    with (ROOT / "examples" / "formulas.txt").open(encoding="utf-8") as lines:
        return symbed.survey(lines, probe)


FIGURES: dict[str, Callable[[], Any]] = {
    "density": draw_density,
    "breakdown": draw_breakdown,
    "cdfs": draw_cdfs,
    "profile": draw_profile,
    "heatmap": draw_heatmap,
    "infinite": draw_infinite,
    "map": draw_map,
    "neighbors": draw_neighbors,
    "front": draw_front,
    "fit": draw_fit,
}

if __name__ == "__main__":
    main()

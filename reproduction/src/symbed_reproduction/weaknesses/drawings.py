"""Figures of the limits experiment: an outcome goes in; one figure for each weakness comes out."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from symbed.distances.measure import METRICS
from symbed.plots.canvas import LARGE, SMALL, new_figure
from symbed.plots.labels import typeset
from symbed.plots.palette import BLUE, GRAY, GREEN, VERMILLION, look
from symbed_reproduction.core.outcomes import Outcome
from symbed_reproduction.weaknesses.fitted import CASES, WIDTHS
from symbed_reproduction.weaknesses.scale import FACTORS, SAMPLINGS
from symbed_reproduction.weaknesses.undefined import COST, E, F, exact

if TYPE_CHECKING:
    from matplotlib.axes import Axes

ROUNDING = 1e-17  # where a distance of zero is drawn
FAR = 60.0  # distances to the exponential form are far beyond, and out of sight


def draw(outcome: Outcome) -> Iterator[tuple[str, Any]]:
    """Noise, scale, undefined outputs, free against fitted."""
    data = outcome.data
    yield "noise", _draw_noise(data["noise"])
    yield "scale", _draw_scale(data)
    yield "undefined", _draw_undefined(data)
    yield "fitted", _draw_fitted(data)


def _draw_noise(found: Mapping[str, Any]) -> Any:
    axes = new_figure(10.5, 4.4).subplots(1, 2)
    draws, paper, ours = np.array(found["draws"]), found["paper"], found["lattice"]
    lines = (
        ("paper's sampling, several parameters", paper[:, 1]),
        ("paper's sampling, one parameter", paper[:, 0]),
        ("our design, fresh draws, several", ours[:, 1]),
        ("our design, shared and aligned", np.maximum(ours[:, 2], ROUNDING)),
    )
    for number, (name, values) in enumerate(lines):
        _line(axes[0], draws, values, number, name)
    lines = (
        ("paper's sampling, worst pair", paper[:, 4]),
        ("paper's sampling, median", paper[:, 3]),
        ("our design, worst pair", ours[:, 4]),
        ("our design, median", ours[:, 3]),
    )
    for number, (name, values) in enumerate(lines):
        _line(axes[1], draws, values, number, name)
    axes[0].set_title("Equal expressions", size=LARGE)
    axes[0].set_ylabel("distance, as a share of the spread")
    axes[1].set_title("Unequal expressions", size=LARGE)
    axes[1].set_ylabel("deviation of a distance, share of it")
    for ax in axes:
        _logarithmic(ax)
        ax.set_xlabel("number of draws")
        ax.set_xticks(draws, [f"{n}" for n in draws])
        ax.set_xticks([], minor=True)
        ax.legend(fontsize=SMALL)
    return axes


def _draw_scale(data: Mapping[str, Any]) -> Any:
    axes = new_figure(10.5, 4.2).subplots(1, 2)
    for number, metric in enumerate(METRICS):
        _line(axes[0], np.array(FACTORS), data["scale_factors"][:, number], number, metric)
    _logarithmic(axes[0])
    axes[0].set(xlabel="factor of both expressions' outputs", ylabel="distance")
    axes[0].set_title("Distance grows with the outputs", size=LARGE)
    axes[0].legend(fontsize=SMALL)
    width = 0.8 / len(METRICS)
    places = np.arange(len(SAMPLINGS))
    for number, metric in enumerate(METRICS):
        heights = data["scale_rand"][:, number, 0]
        offset = (number - (len(METRICS) - 1) / 2) * width
        bars = axes[1].bar(
            places + offset, heights, 0.9 * width, color=look(number).color, label=metric,
            hatch=("", "//", "..")[number], edgecolor="white",
        )  # fmt: skip
        axes[1].bar_label(bars, [f"{height:.2f}" for height in heights], size=SMALL)
    labels = [f"{'our design' if d == 'lattice' else d} 64 x {n}" for d, n in SAMPLINGS]
    axes[1].set_xticks(places, labels)
    axes[1].set(ylabel="adjusted Rand index", ylim=(0, 1.3))
    axes[1].set_title("Three groups of different scale, single linkage", size=LARGE)
    axes[1].legend(fontsize=SMALL, ncols=3, loc="upper center")
    return axes


def _draw_undefined(data: Mapping[str, Any]) -> Any:
    axes = new_figure(10.5, 4.2).subplots(1, 2)
    counts = data["undefined_counts"]
    for number, (design, shares) in enumerate(data["undefined_shares"].items()):
        name = {"paper": "paper's sampling", "lattice": "our design"}.get(design, design)
        _line(axes[0], counts, np.array(shares), number, name)
    axes[0].set(ylabel="share of designs with infinite BED", ylim=(-0.03, 1.05))
    axes[0].set_title(f"{typeset(E)} against {typeset(F)} on [1, 5]", size=LARGE)
    names = {"mismatch": f"mismatch = {COST:g}", "cemetery": f"cemetery, penalty = {COST:g}"}
    for number, option in enumerate(names, start=1):
        found = np.array([values[:, number] for values in data["undefined_paper"]])
        low, high = np.quantile(found, [0.05, 0.95], axis=1)
        _line(axes[1], counts, found.mean(axis=1), number, names[option])
        color = look(number).color
        axes[1].fill_between(counts, low, high, color=color, alpha=0.2, linewidth=0)
        axes[1].axhline(exact(option), color=color, linestyle=":", linewidth=1.0)
    axes[1].set(ylabel="distance")
    axes[1].set_title("Finite options, paper's points: mean, 5 to 95 %", size=LARGE)
    for ax in axes:
        ax.set_xscale("log", base=2)
        ax.set_xticks(counts, [f"{n}" for n in counts])
        ax.set_xlabel("number of points")
        ax.legend(fontsize=SMALL)
    return axes


def _draw_fitted(data: Mapping[str, Any]) -> Any:
    axes = new_figure(10.5, 4.8).subplots(1, 2, width_ratios=[1.15, 1.0])
    _draw_ranks(axes[0], data["fitted_free"], data["fitted_floor"])
    for number, case in enumerate(CASES):
        _line(axes[1], np.array(WIDTHS), data["fitted_widths"][number], number, typeset(case.form))
    _logarithmic(axes[1])
    axes[1].set_ylim(2e-3, 2e3)  # the exponential form leaves the picture
    axes[1].set(xlabel="half width of the parameters' ranges", ylabel="BED, formula to form")
    axes[1].set_title("Narrower ranges around the formula's values", size=LARGE)
    axes[1].legend(fontsize=SMALL, ncols=2, loc="upper left")
    return axes


def _draw_ranks(ax: Axes, free: np.ndarray, floor: np.ndarray) -> None:
    """Distances from each formula to all forms, its own marked."""
    rows = np.arange(len(CASES))
    own = np.diagonal(free)
    for row in rows:
        others = np.delete(free[row], row)
        label = "other forms" if row == 0 else None
        ax.plot(others, np.full(len(others), row), "o", color=GRAY, alpha=0.6, label=label)
    ax.plot(floor, rows, "|", color=GREEN, markersize=14, markeredgewidth=2.5,
            label="least possible for its form")  # fmt: skip
    ax.plot(own, rows, "D", color=VERMILLION, markersize=5.5, label="its own form")
    ax.plot(free.min(axis=1), rows, "o", markersize=11, markerfacecolor="none", color=BLUE,
            label="nearest")  # fmt: skip
    ax.set_xscale("log")
    ax.set_xlim(1.8, FAR)
    ax.set_xticks([2, 5, 10, 20, 50], ["2", "5", "10", "20", "50"])
    ax.set_xticks([], minor=True)
    for far in np.flatnonzero(own > FAR).tolist():
        text = f"its own form: {own[far]:.0e} $\\rightarrow$"
        ax.text(0.98, far - 0.3, text, transform=ax.get_yaxis_transform(), ha="right", va="center",
                size=SMALL, color=VERMILLION)  # fmt: skip
    ax.set_yticks(rows, [typeset(case.truth) for case in CASES])
    ax.invert_yaxis()
    ax.set_xlabel("BED from the formula to forms with parameters in [-5, 5]")
    ax.legend(fontsize=SMALL, loc="lower left", bbox_to_anchor=(0.0, 1.0), ncols=2, frameon=False)


def _line(ax: Axes, x: np.ndarray, y: np.ndarray, number: int, label: str) -> None:
    seen = look(number)
    ax.plot(
        x, y, color=seen.color, linestyle=seen.style, marker=seen.marker, markersize=4.5,
        linewidth=1.6, label=label,
    )  # fmt: skip


def _logarithmic(ax: Axes) -> None:
    ax.set_xscale("log")
    ax.set_yscale("log")
    ax.grid(visible=True, which="major", color="#E4E4E4", linewidth=0.8)

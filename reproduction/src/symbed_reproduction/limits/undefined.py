"""Undefined outputs: how often BED is infinite by chance, and what remedies give."""

from __future__ import annotations

import math
from collections.abc import Mapping
from itertools import permutations
from typing import Any

import numpy as np
from numpy.typing import NDArray

import symbed
from symbed.plots.canvas import LARGE, SMALL, look, new_figure
from symbed.plots.labels import typeset
from symbed_reproduction.core.experiments import Arrays, Scale, Unit
from symbed_reproduction.core.outcomes import (
    Cell,
    ClaimRow,
    Finding,
    Outcome,
    Table,
    judge_claims,
)
from symbed_reproduction.limits import draw_line

# Undefined on 1/80 of the domain: a design of few points may miss it.
E, F, EDGE = "x", "sqrt(x - 1.05)", 1.05
LOW, HIGH = 1.0, 5.0
COST = 10.0  # of a mismatch, and of the way to the cemetery
OPTIONS: dict[str, dict[str, Any]] = {
    "strict": {},
    "mismatch": {"mismatch": COST},
    "cemetery": {"undefined": "cemetery", "penalty": COST},
}
N_POINTS = {"small": (4, 16, 64, 256), "paper": (4, 8, 16, 32, 64, 128, 256, 512, 1024)}
N_SEEDS = {"small": 50, "paper": 400}
FEW, MANY = 16, 256
# Expressions that are undefined in different parts of [1, 5], for the triangle inequality.
CROWD = (
    "x", "5 - x", "sqrt(x - 2)", "sqrt(3 - x)", "ln(x - 4)", "ln(4.5 - x)", "sqrt(x - 1.5)",
    "1/(x - 3)", "C*x", "C + x", "sqrt(x - C)", "ln(C - x)", "sqrt(C*x - 4)", "ln(x - C) + x",
)  # fmt: skip
TRIANGLE_OPTIONS: dict[str, dict[str, Any]] = {
    "strict": {},
    "mismatch=1": {"mismatch": 1.0},
    "mismatch=10": {"mismatch": 10.0},
    "cemetery, penalty=1": {"undefined": "cemetery", "penalty": 1.0},
    "cemetery, penalty=10": {"undefined": "cemetery", "penalty": 10.0},
}
ROUNDING = 1e-9


def plan(scale: Scale) -> list[Unit]:
    """One unit for each design and number of points, and one for triangles."""
    seeds = N_SEEDS[scale]
    designs = [
        Unit(f"undefined-{design}-{n}", measure, (design, n, seeds))
        for n in reversed(N_POINTS[scale])
        for design in ("paper", "random", "lattice")
    ]
    return [*designs, Unit("undefined-triangles", count_triangles, (64, 32))]


def measure(design: str, n_points: int, n_seeds: int) -> Arrays:
    """Distances by each option, (n_seeds, n_options), and over co-defined points, (n_seeds,)."""
    distances, parts = [], []
    for seed in range(n_seeds):
        probe = symbed.Probe({"x": (LOW, HIGH)}, n_points=n_points, design=design, seed=seed)
        a, b = symbed.observe(E, probe), symbed.observe(F, probe)
        distances.append([symbed.distance(a, b, **options) for options in OPTIONS.values()])
        both = (a.counts > 0) & (b.counts > 0)
        parts.append(float(np.abs(a.outputs - b.outputs)[0, both].mean()))
    return {"distances": np.array(distances), "finite": np.array(parts)}


def count_triangles(n_points: int, n_draws: int) -> Arrays:
    """How many triples break the triangle inequality, by each option, and how many there are."""
    probe = symbed.Probe(
        {"x": (LOW, HIGH)}, (LOW, HIGH), n_points=n_points, n_draws=n_draws, seed=0
    )
    atlas = symbed.survey(CROWD, probe, workers=1)
    matrices = [
        np.asarray(symbed.pairwise(atlas, workers=1, **options).values)
        for options in TRIANGLE_OPTIONS.values()
    ]
    behaviors = [symbed.observe(text, probe) for text in CROWD]
    matrices.append(
        np.array([[symbed.compare(a, b).finite_part for b in behaviors] for a in behaviors])
    )
    counts = [_broken(values) for values in matrices]
    return {"broken": np.array(counts), "triples": np.array(math.perm(len(CROWD), 3) // 2)}


def conclude(results: Mapping[str, Arrays]) -> Outcome:
    """Tables, claims and figure data of the part on undefined outputs."""
    cases = [n.split("-")[1:] for n in results if n.startswith("undefined-")]
    counts = sorted({int(case[1]) for case in cases if len(case) == 2})
    shares = {
        design: [_share(results[f"undefined-{design}-{n}"]) for n in counts]
        for design in ("paper", "random", "lattice")
    }
    triangles = results["undefined-triangles"]
    tables = (_table(results, counts), _triangle_table(triangles))
    claims = judge_claims(CLAIMS, dict(zip(counts, shares["paper"], strict=True)))
    data = {
        "undefined_counts": np.array(counts),
        "undefined_shares": shares,
        "undefined_paper": [results[f"undefined-paper-{n}"]["distances"] for n in counts],
    }
    return Outcome(tables, claims, NOTES, data)


def exact(option: str) -> float:
    """The distance in closed form."""
    whole = (HIGH**2 - EDGE**2) / 2 - 2 / 3 * (HIGH - EDGE) ** 1.5
    gap = EDGE - LOW
    extra: dict[str, float] = {
        "strict": math.inf,
        "mismatch": gap * COST,
        "cemetery": gap * COST + (EDGE**2 - LOW**2) / 2,  # and the way from x to zero
    }
    return float(whole + extra[option]) / (HIGH - LOW)


def _broken(values: NDArray[np.float64]) -> int:
    """Number of triples i < k, j with d(i, k) > d(i, j) + d(j, k)."""
    n = len(values)
    return sum(
        bool(values[i, k] > values[i, j] + values[j, k] + ROUNDING)
        for i, j, k in permutations(range(n), 3)
        if i < k
    )


def _share(arrays: Arrays) -> float:
    return float(np.isinf(arrays["distances"][:, 0]).mean())


def _table(results: Mapping[str, Arrays], counts: list[int]) -> Table:
    rows: list[tuple[Cell, ...]] = []
    for design in ("paper", "random", "lattice"):
        for n in counts:
            arrays = results[f"undefined-{design}-{n}"]
            cells: list[float] = []
            for column in (1, 2):
                values = arrays["distances"][:, column]
                cells += [float(values.mean()), float(values.std())]
            rows.append((design, n, _share(arrays), *cells, float(arrays["finite"].mean())))
    rows.append(("closed form", None, 1.0, exact("mismatch"), None, exact("cemetery"), None, None))
    columns = (
        "sampling", "points", "infinite", f"mismatch={COST:g}", "its deviation",
        f"cemetery, penalty={COST:g}", "deviation", "over common points",
    )  # fmt: skip
    title = f"BED between {E} and {F} on [1, 5]: share of infinite ones, and finite options"
    return Table("undefined", title, columns, rows)


def _triangle_table(arrays: Arrays) -> Table:
    names = (*TRIANGLE_OPTIONS, "over common points")
    total = int(arrays["triples"])
    rows = [(name, int(n), total) for name, n in zip(names, arrays["broken"], strict=True)]
    columns = ("option", "broken triangles", "triples")
    title = "Triangle inequality among 14 expressions that are undefined in different places"
    return Table("undefined_triangles", title, columns, rows)


def _always_infinite(shares: Mapping[int, float]) -> Finding:
    return Finding(
        f"{E} against {F}: infinite in {shares[FEW]:.0%} of designs with {FEW} points, "
        f"{shares[MANY]:.0%} with {MANY}",
        1 - min(shares.values()),
        why_not="points may miss a small gap, so the answer depends on their number",
    )


CLAIMS = (
    ClaimRow(
        "Expressions with different domains are infinitely far apart (section 3.1)",
        "infinite", _always_infinite, "tables/undefined.csv",
    ),
)  # fmt: skip


def draw(data: Mapping[str, Any]) -> Any:
    """How often BED is infinite, and what finite options give, by the number of points."""
    axes = new_figure(10.5, 4.2).subplots(1, 2)
    counts = data["undefined_counts"]
    for number, (design, shares) in enumerate(data["undefined_shares"].items()):
        name = {"paper": "paper's sampling", "lattice": "our design"}.get(design, design)
        draw_line(axes[0], counts, np.array(shares), number, name)
    axes[0].set(ylabel="share of designs with infinite BED", ylim=(-0.03, 1.05))
    axes[0].set_title(f"{typeset(E)} against {typeset(F)} on [1, 5]", size=LARGE)
    names = {"mismatch": f"mismatch = {COST:g}", "cemetery": f"cemetery, penalty = {COST:g}"}
    for number, option in enumerate(names, start=1):
        distances = np.array([values[:, number] for values in data["undefined_paper"]])
        low, high = np.quantile(distances, [0.05, 0.95], axis=1)
        draw_line(axes[1], counts, distances.mean(axis=1), number, names[option])
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


NOTES = f"""
**Undefined outputs.** {F} is undefined on an eightieth of [1, 5], where {E} is not. The paper's
rule makes their distance infinite, but the sampled one is so only if a point falls there. Two
options are finite: a fixed `mismatch` at such points, and the `cemetery`, in which undefined
outputs sit on an extra point `penalty` away from zero. Both converge to their closed forms. The
cemetery is a metric; a mismatch that is small beside the distances, or the mean over common points,
breaks the triangle inequality.
"""

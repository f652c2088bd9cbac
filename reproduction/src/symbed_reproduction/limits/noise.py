"""Noise: how far apart equal expressions are, and how much distances vary, by the draws."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

import symbed
from symbed.plots.canvas import LARGE, SMALL, new_figure
from symbed.workbench import BASE_GROUPS, equivalent_groups
from symbed_reproduction.core.experiments import Arrays, Scale, Unit
from symbed_reproduction.core.outcomes import (
    Cell,
    ClaimRow,
    Finding,
    Outcome,
    Table,
    judge_claims,
    missed,
)
from symbed_reproduction.limits import draw_line, set_logarithmic

DOMAIN, PARAMETERS = {"X_0": (1.0, 5.0), "X_1": (1.0, 5.0)}, (0.2, 5.0)
N_DRAWS = {"small": (8, 32, 128), "paper": (8, 16, 32, 64, 128, 256, 512, 1024, 2048)}
N_SEEDS = {"small": 4, "paper": 20}
DESIGNS = {"paper": "paper", "lattice": "ours"}
SEVERAL = np.array([base.text.count("C") > 1 for base in BASE_GROUPS])  # parameters
NUMBERS = (
    "equal, one parameter", "equal, several", "equal, respelled", "deviation, median",
    "deviation, largest",
)  # fmt: skip
MINOR = 0.1  # a deviation below this share of a distance is "minor"
USUAL = 32  # draws, in the paper and by default
ZERO = 1e-17  # where a distance of zero is drawn on a logarithmic axis


class Noise(NamedTuple):
    """The row of ``NUMBERS`` at the usual number of draws, by the two designs."""

    paper: Mapping[str, float]
    ours: Mapping[str, float]


def plan(scale: Scale) -> list[Unit]:
    """One unit for each design and number of draws, the largest first."""
    return [
        Unit(f"noise-{design}-{n_draws}", measure, (design, n_draws, N_SEEDS[scale]))
        for n_draws in reversed(N_DRAWS[scale])
        for design in DESIGNS
    ]


def measure(design: str, n_draws: int, n_seeds: int) -> Arrays:
    """Under several seeds, for the paper's sixteen base expressions:

    ``fresh``: (n_seeds, 16), each against itself with other draws, as a share of its spread;
    ``respelled``: (n_seeds, 16), each against an equivalent, observed by the same probe;
    ``pairs``: (n_seeds, 120), all distances between two of them.
    """
    groups = equivalent_groups(2)
    distances: dict[str, list[list[float]]] = {"fresh": [], "respelled": [], "pairs": []}
    for seed in range(n_seeds):
        probe = symbed.Probe(DOMAIN, PARAMETERS, n_draws=n_draws, design=design, seed=seed)
        first = [symbed.observe(group.members[0], probe) for group in groups]
        again = [symbed.observe(group.members[0], probe.redrawn()) for group in groups]
        other = [symbed.observe(group.members[1], probe) for group in groups]
        spreads = [_spread(behavior.values) for behavior in first]
        for name, second in (("fresh", again), ("respelled", other)):
            pairs = zip(first, second, spreads, strict=True)
            distances[name].append([symbed.distance(a, b) / spread for a, b, spread in pairs])
        distances["pairs"].append([symbed.distance(a, b) for a, b in combinations(first, 2)])
    return {name: np.array(rows) for name, rows in distances.items()}


def conclude(results: Mapping[str, Arrays]) -> Outcome:
    """Tables, claims and figure data of the part on noise."""
    counts = sorted({int(n.split("-")[2]) for n in results if n.startswith("noise-")})
    rows = {
        design: np.array([_summary(results[f"noise-{design}-{n}"]) for n in counts])
        for design in DESIGNS
    }
    usual = [dict(zip(NUMBERS, rows[d][counts.index(USUAL)], strict=True)) for d in DESIGNS]
    claims = judge_claims(CLAIMS, Noise(*usual))
    return Outcome((_table(counts, rows),), claims, NOTES, {"noise": {"draws": counts, **rows}})


def _spread(values: NDArray[np.float64]) -> float:
    """Mean absolute deviation of the outputs from their median, over all points."""
    middle = np.median(values, axis=1, keepdims=True)
    return float(np.abs(values - middle).mean())


def _summary(arrays: Arrays) -> list[float]:
    """One row of numbers, in the order of ``NUMBERS``."""
    pairs, fresh = arrays["pairs"], arrays["fresh"].mean(axis=0)
    deviations = pairs.std(axis=0, ddof=1) / pairs.mean(axis=0)
    return [
        float(fresh[~SEVERAL].mean()),
        float(fresh[SEVERAL].mean()),
        float(arrays["respelled"].max()),
        float(np.median(deviations)),
        float(deviations.max()),
    ]


def _table(counts: list[int], rows: Mapping[str, NDArray[np.float64]]) -> Table:
    cells: list[tuple[Cell, ...]] = [
        (DESIGNS[design], n, *row)
        for design, numbers in rows.items()
        for n, row in zip(counts, numbers.tolist(), strict=True)
    ]
    title = "Distance of equal expressions (share of their spread), and deviation of distances"
    return Table("noise", title, ("sampling", "draws", *NUMBERS), cells, decimals=4)


def _variability(noise: Noise) -> Finding:
    typical, worst = noise.paper["deviation, median"], noise.paper["deviation, largest"]
    ours = noise.ours["deviation, median"], noise.ours["deviation, largest"]
    return Finding(
        f"deviation of a distance at 64 x 32: {typical:.1%} of it (median), at most {worst:.1%}; "
        f"ours {ours[0]:.2%}, at most {ours[1]:.1%}",
        typical,
        f"taken as minor: a median below {MINOR:.0%}",
    )


def _self_distances(noise: Noise) -> Finding:
    one, several = noise.paper["equal, one parameter"], noise.paper["equal, several"]
    return Finding(
        f"fresh draws at 64 x 32: {one:.1%} of the spread with one parameter, {several:.1%} with "
        f"several; shared and aligned draws: at most {noise.ours['equal, respelled']:.1e}",
        missed(min(one, several) > 0),
        "with one behavior kept for each expression all properties hold, as in symbed's default",
    )


CLAIMS = (
    ClaimRow(
        "Sampling brings minor variability into the computed dissimilarities (discussion)",
        "minor", _variability, "tables/noise.csv", tolerance=MINOR,
    ),
    ClaimRow(
        "The sampled measure loses BED(E, E) = 0 (section 3.1)",
        "the properties do not hold for the approximation", _self_distances, "tables/noise.csv",
    ),
)  # fmt: skip


def draw(noise: Mapping[str, Any]) -> Any:
    """Deviations by the number of draws, of equal and of unequal expressions."""
    axes = new_figure(10.5, 4.4).subplots(1, 2)
    draws, paper, ours = np.array(noise["draws"]), noise["paper"], noise["lattice"]
    lines = (
        ("paper's sampling, several parameters", paper[:, 1]),
        ("paper's sampling, one parameter", paper[:, 0]),
        ("our design, fresh draws, several", ours[:, 1]),
        ("our design, shared and aligned", np.maximum(ours[:, 2], ZERO)),
    )
    for number, (name, values) in enumerate(lines):
        draw_line(axes[0], draws, values, number, name)
    lines = (
        ("paper's sampling, worst pair", paper[:, 4]),
        ("paper's sampling, median", paper[:, 3]),
        ("our design, worst pair", ours[:, 4]),
        ("our design, median", ours[:, 3]),
    )
    for number, (name, values) in enumerate(lines):
        draw_line(axes[1], draws, values, number, name)
    axes[0].set_title("Equal expressions", size=LARGE)
    axes[0].set_ylabel("distance, as a share of the spread")
    axes[1].set_title("Unequal expressions", size=LARGE)
    axes[1].set_ylabel("deviation of a distance, share of it")
    for ax in axes:
        set_logarithmic(ax)
        ax.set_xlabel("number of draws")
        ax.set_xticks(draws, [f"{n}" for n in draws])
        ax.set_xticks([], minor=True)
        ax.legend(fontsize=SMALL)
    return axes


NOTES = """
**Noise.** Equal expressions are at distance 0, but with fresh draws for each they are not, above
all if they have several parameters. With draws that are shared, and given to parameters in
order of their effect, it vanishes to rounding whatever their number ("respelled": against an
equivalent expression, the largest of all). In the paper's sampling, each spelling has draws of its
own. Deviations are those of one distance over seeds, points included, as a share of it: over the
120 pairs of the paper's sixteen base expressions. Pairs that are nearly alike vary more: the one of
the paper's second figure does by a quarter (experiment `figures`).
"""

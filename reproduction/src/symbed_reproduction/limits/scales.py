"""Scale: which metric and sampling keeps groups of outputs of different size apart.

The paper's example: equivalents of C*X_0^2 + C*X_1^2 are farther from each other than the groups of
C and sqrt(C*X_0) are, and a clustering merges the wrong ones first.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import combinations
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.metrics import adjusted_rand_score

import symbed
from symbed._types import Floats
from symbed.plots.canvas import LARGE, SMALL, look, new_figure
from symbed.workbench import equivalent_groups
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

PAIR = "C*x + C", "C*sin(x)"
METRICS = ("wasserstein", "relative", "arcsinh")  # those that differ in how they treat scale
FACTORS = (0.001, 0.01, 0.1, 1.0, 10.0, 100.0, 1000.0)
BASES = ("C", "sqrt(C*X_0)", "C*X_0^2 + C*X_1^2")
DOMAIN, PARAMETERS = {"X_0": (1.0, 5.0), "X_1": (1.0, 5.0)}, (0.2, 5.0)
MEMBERS = 10
SAMPLINGS = (("paper", 32), ("paper", 2048), ("lattice", 32))
LINKAGES: tuple[Literal["single", "average", "complete"], ...] = ("single", "average", "complete")
N_SETS = {"small": 2, "paper": 10}


class Scales(NamedTuple):
    """Distances by factor, means within and between groups, and Rand indices; see the units."""

    factors: Floats
    means: Floats
    rand: Floats


def plan(scale: Scale) -> list[Unit]:
    """One unit for each set of groups, and one for the factors."""
    sets = [Unit(f"scale-set-{seed}", measure_set, (seed,)) for seed in range(N_SETS[scale])]
    return [*sets, Unit("scale-factors", measure_factors, (FACTORS,))]


def measure_factors(factors: tuple[float, ...]) -> Arrays:
    """Distances of a pair whose outputs are multiplied by a factor, (n_factors, n_metrics)."""
    probe = symbed.Probe({"x": (1.0, 5.0)}, (1.0, 5.0))
    distances = []
    for factor in factors:
        a, b = (symbed.observe(f"{factor!r}*({text})", probe) for text in PAIR)
        distances.append([symbed.distance(a, b, metric=metric) for metric in METRICS])
    return {"distances": np.array(distances)}


def measure_set(seed: int) -> Arrays:
    """Mean distances within and between groups, and how well clusters find them.

    ``means`` is (n_samplings, n_metrics, 3, 3), with the distances within groups on the diagonal,
    and ``rand`` is (n_samplings, n_metrics, n_linkages), the adjusted Rand index.
    """
    by_base = {str(group.base): group for group in equivalent_groups(MEMBERS, seed=seed)}
    groups = [by_base[base] for base in BASES]
    members = [member for group in groups for member in group.members]
    truth = np.repeat(np.arange(len(groups)), MEMBERS)
    means, rand = [], []
    for design, n_draws in SAMPLINGS:
        probe = symbed.Probe(DOMAIN, PARAMETERS, n_draws=n_draws, design=design, seed=seed)
        atlas = symbed.survey(members, probe, workers=1)
        for metric in METRICS:
            matrix = symbed.pairwise(atlas, metric=metric, workers=1)
            means.append(_block_means(np.asarray(matrix.values), truth))
            clusters = [symbed.cluster(matrix, len(groups), method=m).labels_ for m in LINKAGES]
            rand.append([adjusted_rand_score(truth, labels) for labels in clusters])
    shape = len(SAMPLINGS), len(METRICS)
    return {"means": np.reshape(means, (*shape, 3, 3)), "rand": np.reshape(rand, (*shape, -1))}


def conclude(results: Mapping[str, Arrays]) -> Outcome:
    """Tables, claims and figure data of the part on scale."""
    sets = [arrays for name, arrays in results.items() if name.startswith("scale-set-")]
    means = np.mean([arrays["means"] for arrays in sets], axis=0)
    rand = np.mean([arrays["rand"] for arrays in sets], axis=0)
    factors = results["scale-factors"]["distances"]
    tables = (_factor_table(factors), _group_table(means, rand))
    data = {"scale_factors": factors, "scale_rand": rand}
    return Outcome(tables, judge_claims(CLAIMS, Scales(factors, means, rand)), NOTES, data)


def _block_means(values: Floats, truth: NDArray[np.int64]) -> Floats:
    """Mean distances of pairs, by the groups of the two."""
    sums, counts = np.zeros((3, 3)), np.zeros((3, 3))
    for i, j in combinations(range(len(truth)), 2):
        for place in {(truth[i], truth[j]), (truth[j], truth[i])}:
            sums[place] += values[i, j]
            counts[place] += 1
    means: Floats = sums / counts
    return means


def _factor_table(factors: Floats) -> Table:
    rows = [
        (factor, *distances) for factor, distances in zip(FACTORS, factors.tolist(), strict=True)
    ]
    title = f"Distance of k*({PAIR[0]}) and k*({PAIR[1]}), by metric"
    decimals = {"k": 3} | dict.fromkeys(METRICS, 4)
    return Table("scale_factors", title, ("k", *METRICS), rows, decimals)


def _group_table(means: Floats, rand: Floats) -> Table:
    rows: list[tuple[Cell, ...]] = []
    for s, (design, n_draws) in enumerate(SAMPLINGS):
        for m, metric in enumerate(METRICS):
            blocks, within = means[s, m], np.diagonal(means[s, m]).tolist()
            wrong = "yes" if within[2] > blocks[0, 1] else "no"
            rows.append(
                (design, n_draws, metric, *within, float(blocks[0, 1]), wrong, *rand[s, m].tolist())
            )
    columns = (
        "sampling", "draws", "metric", *(f"within {base}" for base in BASES),
        f"between {BASES[0]} and {BASES[1]}", "wrong order", *(f"ARI, {m}" for m in LINKAGES),
    )  # fmt: skip
    title = "Mean distances within and between three groups of ten equivalents, and clustering"
    return Table("scale_groups", title, columns, rows)


def _growth(scales: Scales) -> Finding:
    plain, relative = scales.factors[:, 0], scales.factors[:, 1]
    growth, change = float(plain[-1] / plain[0]), float(relative[-1] / relative[0])
    return Finding(
        f"outputs times 10^6: BED times {growth:.4g}, relative metric times {change:.4g}",
        missed(growth > 1),
        "BED is in the unit of the outputs; `metric='relative'` has none",
    )


def _wrong_order(scales: Scales) -> Finding:
    means, rand = scales.means[:, 0], scales.rand[:, 0, 0]
    wide, narrow = float(means[0, 2, 2]), float(means[0, 0, 1])
    ours, many = float(means[2, 2, 2]), float(means[1, 2, 2])
    return Finding(
        f"paper's sampling: {wide:.2f} within, {narrow:.2f} between; ours: {ours:.1e} within",
        missed(wide > narrow),
        "the distance within a group is noise of the draws, magnified by the scale: with 2048 "
        f"draws it is {many:.2f}; single linkage reaches an ARI of {rand[0]:.2f} with 32 "
        f"draws, {rand[1]:.2f} with 2048, {rand[2]:.2f} with our draws",
    )


CLAIMS = (
    ClaimRow(
        "Outputs of larger magnitude yield higher BED values (discussion)",
        "yes", _growth, "tables/scale_factors.csv",
    ),
    ClaimRow(
        f"Equivalents of {BASES[2]} are farther apart than the groups of {BASES[0]} and "
        f"{BASES[1]} (discussion)",
        "yes", _wrong_order, "tables/scale_groups.csv",
    ),
)  # fmt: skip


def draw(data: Mapping[str, Any]) -> Any:
    """Distances by the scale of the outputs, and what scale does to clusters."""
    axes = new_figure(10.5, 4.2).subplots(1, 2)
    for number, metric in enumerate(METRICS):
        draw_line(axes[0], np.array(FACTORS), data["scale_factors"][:, number], number, metric)
    set_logarithmic(axes[0])
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


NOTES = """
**Scale.** BED has the unit of the outputs and grows with them. The `relative` metric does not
change when both expressions are multiplied by one number, and `arcsinh` grows like a logarithm.
The paper's example is due to two things at once: equal expressions are apart because their draws
are, and that noise has the scale of the outputs. Either cure is enough: aligned draws make the
distance within a group vanish, and the relative metric makes noise comparable between groups.
"""

"""The two example behaviors of the paper's first figures, in pictures and numbers.

Both have closed forms for some of their numbers, which are set beside those that were measured.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

import symbed
from symbed.plots.canvas import GRAY, GREEN, LARGE, new_figure
from symbed.plots.comparisons import breakdown
from symbed.plots.densities import density
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

if TYPE_CHECKING:
    from matplotlib.axes import Axes


# Figure 1: the normal density with a free standard deviation.
DENSITIES = {
    "with C in front": "1/(sqrt(2*pi)*C) * exp(-x^2/(2*C^2))",
    "as in the caption": "1/sqrt(2*pi*C) * exp(-x^2/(2*C^2))",
}
BELL, DEVIATIONS = {"x": (-4.0, 4.0)}, (0.2, 2.0)
CURVE = "1/sqrt(2*pi) * exp(-x^2/2)"  # the one with C = 1
CUTS = (0.0, 1.0)  # where the figure shows the distribution of outputs
HALF = 0.5  # a deviation at which the two formulas differ

# Figure 2: how a distance comes about.
SUM, DOUBLE = "C_0*x + C_1*x", "2*C_0*x"
DOMAIN, PARAMETERS = {"x": (-2.5, 2.5)}, (0.1, 5.0)
AT = -2.0  # where the figure shows distribution functions
SIZES = {"64 x 32": (64, 32), "65 x 512": (65, 512)}
MIDDLES = (np.arange(65) + 0.5) / 13 - 2.5  # of 65 steps through the domain: one is at -2
N_SEEDS = {"small": 16, "paper": 200}

# W1 between the sum of two uniforms and twice one of them is a sixth of the range's length.
EXACT_AT = abs(AT) * (PARAMETERS[1] - PARAMETERS[0]) / 6
EXACT = EXACT_AT * 1.25 / abs(AT)  # the mean of |x| is 1.25
NEAR = 0.1  # a mean over seeds confirms the closed form within this share of it


def plan(scale: Scale) -> list[Unit]:
    """Repeated measurements of the second figure's distance, and the first one's outputs."""
    designs = [(d, size) for d in ("lattice", "paper") for size in SIZES]
    return [
        *(Unit(f"sum-{d}-{'-'.join(s.split())}", repeat, (d, *SIZES[s], N_SEEDS[scale]))
          for d, s in designs),
        Unit("outputs", measure_outputs, (4096,)),
    ]  # fmt: skip


def repeat(design: str, n_points: int, n_draws: int, n_seeds: int) -> Arrays:
    """Distance and interval of the second figure under several seeds."""
    triples = []
    for seed in range(n_seeds):
        probe = symbed.Probe(
            DOMAIN, PARAMETERS, n_points=n_points, n_draws=n_draws, design=design, seed=seed
        )
        compared = symbed.compare(symbed.observe(SUM, probe), symbed.observe(DOUBLE, probe))
        triples.append((compared.distance, *compared.interval))
    distances, lows, highs = np.array(triples).T
    return {"distance": distances, "low": lows, "high": highs}


def measure_outputs(n_draws: int) -> Arrays:
    """Outputs of the first figure's formulas where it cuts, and the area below one curve of each.

    ``outputs`` is (2 formulas, 2 cuts, n_draws).
    """
    cuts = symbed.Probe.at(CUTS, "x", parameters=DEVIATIONS, n_draws=n_draws)
    wide = symbed.Probe({"x": (-10 * HALF, 10 * HALF)}, n_points=2000)
    members = [text.replace("C", f"{HALF}") for text in DENSITIES.values()]
    areas = [symbed.observe(text, wide).values[:, 0].mean() * 20 * HALF for text in members]
    outputs = [symbed.observe(text, cuts).values for text in DENSITIES.values()]
    return {"outputs": np.array(outputs), "areas": np.array(areas)}


def conclude(scale: Scale, results: Mapping[str, Arrays]) -> Outcome:
    """Tables of both, and the behaviors that the figures show."""
    outputs = results["outputs"]
    repeats = {name: arrays for name, arrays in results.items() if name.startswith("sum-")}
    fine = symbed.Probe.at(MIDDLES, "x", parameters=PARAMETERS, n_draws=512)
    pair = symbed.observe(SUM, fine), symbed.observe(DOUBLE, fine)
    compared = symbed.compare(*pair)
    tables = (_distance_table(repeats), _point_table(compared), _output_table(outputs))
    # One set of draws for all points: members of the family show as curves.
    bell = symbed.Probe(BELL, DEVIATIONS, n_points=200, n_draws=512, design="shared")
    dense = symbed.Probe(DOMAIN, PARAMETERS, n_points=200, n_draws=512)
    data = {
        "bell": symbed.observe(DENSITIES["with C in front"], bell),
        "curve": symbed.observe(CURVE, bell),
        "outputs": outputs["outputs"][0],
        "pair": pair,
        "dense": (symbed.observe(SUM, dense), symbed.observe(DOUBLE, dense)),
        "comparison": compared,
    }
    return Outcome(tables, judge_claims(CLAIMS, results), NOTES, data)


def _distance_table(repeats: Mapping[str, Arrays]) -> Table:
    rows: list[tuple[Cell, ...]] = []
    for name, distances in repeats.items():
        _, design, n_points, _, n_draws = name.split("-")
        d, low, high = distances["distance"], distances["low"], distances["high"]
        inside = (low <= EXACT) & (high >= EXACT)
        error = math.sqrt(np.mean((d - EXACT) ** 2))
        rows.append(
            (design, int(n_points), int(n_draws), len(d), EXACT, float(d.mean()), float(d.std()),
             error, float(low[0]), float(high[0]), float(inside.mean()))
        )  # fmt: skip
    columns = (
        "sampling", "points", "draws", "seeds", "closed form", "mean", "deviation", "RMSE",
        "interval of seed 0, low", "high", "intervals that hold it",
    )  # fmt: skip
    title = f"BED between {SUM} and {DOUBLE} on [-2.5, 2.5], parameters in [0.1, 5]"
    return Table("distance", title, columns, rows, decimals=4)


def _point_table(compared: symbed.Comparison) -> Table:
    x = compared.points[:, 0]
    exact = np.abs(x) * (PARAMETERS[1] - PARAMETERS[0]) / 6
    rows = np.stack([x, compared.profile, exact], axis=1).tolist()
    title = "Point-wise BED of the second figure, 512 draws"
    columns = ("x", "distance", "closed form")
    return Table("points", title, columns, rows, decimals=4)


def _output_table(arrays: Arrays) -> Table:
    rows: list[tuple[Cell, ...]] = []
    for name, of_formula in zip(DENSITIES, arrays["outputs"], strict=True):
        for cut, y in zip(CUTS, of_formula, strict=True):
            quartiles = np.quantile(y, [0.0, 0.25, 0.5, 0.75, 1.0]).tolist()
            exact = _exact_mean(name) if cut == 0 else None
            rows.append((name, cut, *quartiles, float(y.mean()), exact))
    columns = (
        "formula", "x", "lowest", "quarter", "median", "three quarters", "highest", "mean",
        "mean in closed form",
    )  # fmt: skip
    title = "Outputs of the normal density, C in [0.2, 2]"
    decimals = {"x": 0} | dict.fromkeys(columns[2:], 4)
    return Table("outputs", title, columns, rows, decimals)


def _exact_mean(formula: str) -> float:
    """The mean output at x = 0: of 1/C, or of 1/sqrt(C), over the range."""
    low, high = DEVIATIONS
    total = math.log(high / low) if formula == "with C in front" else 2 * (high**0.5 - low**0.5)
    return total / (high - low) / math.sqrt(2 * math.pi)


def _density_area(results: Mapping[str, Arrays]) -> Finding:
    right, printed = results["outputs"]["areas"].tolist()
    return Finding(
        f"area below it at C = {HALF:g}: {printed:.4f}; with 1/(sqrt(2 pi) C): {right:.4f}",
        abs(printed - 1),
        why_not="C belongs outside the root; at C = 1, the red curve, both agree",
    )


def _apart(results: Mapping[str, Arrays]) -> Finding:
    ours = results["sum-lattice-64-x-32"]
    apart = bool((ours["low"] > 0).all())
    told = f"BED {ours['distance'].mean():.4f}, every interval above 0: {'yes' if apart else 'no'}"
    return Finding(told, missed(apart))


def _closed_form(results: Mapping[str, Arrays]) -> Finding:
    both = [results[f"sum-{design}-64-x-32"]["distance"] for design in ("lattice", "paper")]
    ours, theirs = (float(distances.mean()) for distances in both)
    errors = [math.sqrt(np.mean((distances / EXACT - 1) ** 2)) for distances in both]
    return Finding(
        f"mean of the paper's sampling {theirs:.4f}, of ours {ours:.4f}",
        max(abs(mean / EXACT - 1) for mean in (ours, theirs)),
        f"at 64 x 32 one comparison is off by {errors[1]:.0%} (RMSE) with the paper's "
        f"sampling, by {errors[0]:.1%} with ours",
    )


CLAIMS = (
    ClaimRow(
        "The caption's formula is the normal density with standard deviation C (figure 1)",
        "1/sqrt(2 pi C) * exp(-x^2/(2 C^2))", _density_area, "tables/outputs.csv", tolerance=1e-6,
    ),
    ClaimRow(
        f"{SUM} and {DOUBLE} look alike but do not behave alike (figure 2)",
        "BED above 0", _apart, "tables/distance.csv",
    ),
    ClaimRow(
        "The sampled measure approximates BED (section 3.2), where BED is known: figure 2",
        f"{EXACT:.4f} in closed form", _closed_form, "tables/distance.csv", tolerance=NEAR,
    ),
)  # fmt: skip


NOTES = f"""
**Figure 1.** The picture is of 1/(√(2π)·C)·exp(-x²/(2C²)), C in [0.2, 2]. The caption has C under
the root, which is no density unless C = 1: `outputs` has both formulas. The paper does not print
the domain of its picture; here it is [-4, 4].

**Figure 2.** At each x the distance between the sum of two independent parameters and twice one of
them is a sixth of the range's length times |x|, so that BED is 1.25 · 4.9/6 = {EXACT:.4f}, and
{EXACT_AT:.4f} at x = -2. The figure has 65 points, of which one is x = -2, and 512 draws;
`distance` has the default of 64 x 32 as well, in our design and in the paper's sampling, under
several seeds.
"""


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

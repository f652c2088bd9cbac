"""Make the true distances of the pairs in ``interval_sets`` by brute force.

Nothing of the default design, of aligned draws or of intervals has a part in it. Inputs are one
random number in each of many cells (one variable) or scrambled Sobol points; at each input both
families get some thousands of parameter vectors of their own, randomly shifted grids or Sobol
points, and their distance is exact by sorting. All is done in ``REPLICATES`` independent rounds.
The error of a truth is the standard error of the rounds' mean, and beside it what a quarter of the
parameter vectors would change, which is more than their remaining bias. Closed forms, such as 0 for
families that are equal in law or the shift between two copies of one law, are in the files as
``exact``.

Run with ``python -m benchmarks.interval_truths FILE``, which writes the truths that are missing
into the file, or all with ``--anew``; ``--check`` compares the closed forms with brute force.
"""

from __future__ import annotations

import argparse
import json
import math
from pathlib import Path
from typing import Any

import numpy as np
from scipy.stats import qmc

import symbed
from symbed._types import Floats
from symbed.workbench.evaluation import evaluate

Pair = dict[str, Any]
REPLICATES = 6
BUDGET = 1 << 22  # outputs of one side in one round
N_VECTORS = {0: 1, 1: 1 << 10, 2: 1 << 12}  # at each input, by number of parameters
MANY_VECTORS = 1 << 14  # ... and of more
SORTED_AT_ONCE = 1 << 21
N_TRAJECTORIES = 1024


def main() -> None:
    """Compute and write, or check."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0] if __doc__ else None)
    parser.add_argument("file", type=Path)
    parser.add_argument("--check", action="store_true", help="compare closed forms")
    parser.add_argument("--anew", action="store_true", help="also where there is a truth")
    arguments = parser.parse_args()
    pairs = json.loads(arguments.file.read_text(encoding="utf-8"))
    for number, pair in enumerate(pairs):
        if "exact" not in pair if arguments.check else "truth" in pair and not arguments.anew:
            continue
        truth, error = brute_force(pair, np.random.default_rng([number, 20]))
        if "exact" in pair and arguments.check:
            force = f"by force {truth:.6g} +- {error:.2g}"
            print(f"{pair['e']} | {pair['f']}: {pair['exact']:.6g}, {force}")
            continue
        if "exact" in pair:
            truth, error = float(pair["exact"]), 0.0
        pair["truth"], pair["truth_error"] = truth, error
        lines = ",\n".join(json.dumps(pair) for pair in pairs)
        arguments.file.write_text(f"[\n{lines}\n]\n", encoding="utf-8")


def brute_force(pair: Pair, chance: np.random.Generator) -> tuple[float, float]:
    """The distance of a pair and its error."""
    measure = {"metric": "wasserstein", "p": 1, **pair.get("measure", {})}
    rounds = [_round(pair, measure, chance) for _ in range(REPLICATES)]
    fine, coarse = np.mean(rounds, axis=0)
    scatter = np.std([each[0] for each in rounds], ddof=1) / math.sqrt(REPLICATES)
    return float(fine), float(scatter + abs(fine - coarse))


def _round(pair: Pair, measure: dict[str, Any], chance: np.random.Generator) -> tuple[float, float]:
    """The distance by one round, and with a quarter of the parameter vectors."""
    sides = [symbed.parse(pair[name]) for name in "ef"]
    inputs = [name for name in pair["domain"] if any(name in side.names for side in sides)]
    unknowns = [[name for name in side.names if name not in pair["domain"]] for side in sides]
    if measure["metric"] in ("trajectory", "energy"):
        return _whole(pair, sides, inputs, unknowns, measure, chance)
    n, m = _sizes(len(inputs), max(map(len, unknowns)))
    points = _scaled(_places(n, len(inputs), chance), [pair["domain"][name] for name in inputs])
    costs: list[Floats] = []
    sizes = np.zeros(2)
    step = max(1, SORTED_AT_ONCE // m)
    for start in range(0, n, step):
        some = points[start : start + step]
        outputs = [
            _outputs(side, some, inputs, names, m, pair["parameters"], chance)
            for side, names in zip(sides, unknowns, strict=True)
        ]
        if measure["metric"] == "arcsinh":
            outputs = [np.arcsinh(each) for each in outputs]
        if measure["metric"] == "relative":
            sizes += [np.abs(each).mean(axis=1).sum() for each in outputs]
        quarters = [each[:, : max(1, each.shape[1] // 4)] for each in outputs]
        costs.append(np.stack([_costs(u, v, measure) for u, v in (outputs, quarters)]))
    means = np.concatenate(costs, axis=1).mean(axis=1) ** (1 / measure["p"])
    if measure["metric"] == "relative":
        means = 2 * means / (sizes.sum() / n + means)
    return float(means[0]), float(means[1])


def _sizes(n_inputs: int, n_unknowns: int) -> tuple[int, int]:
    """Numbers of inputs and of parameter vectors at each."""
    if n_unknowns and not n_inputs:
        return 4, BUDGET // 4
    m = N_VECTORS.get(n_unknowns, MANY_VECTORS)
    return BUDGET // m, m


def _places(n: int, d: int, chance: np.random.Generator) -> Floats:
    """Points of the unit cube: one in each cell, or scrambled Sobol points."""
    if d < 2:
        cells = (np.arange(n) + chance.random(n)) / n
        return cells[:, None][:, :d]
    return np.asarray(qmc.Sobol(d, seed=chance).random(n))


def _scaled(units: Floats, ranges: list[tuple[float, float]]) -> Floats:
    ends = np.array(ranges, dtype=float).reshape(-1, 2)
    return np.asarray(ends[:, 0] + (ends[:, 1] - ends[:, 0]) * units)


def _outputs(
    side: symbed.Expression,
    points: Floats,
    inputs: list[str],
    names: list[str],
    m: int,
    law: tuple[float, float] | None,
    chance: np.random.Generator,
) -> Floats:
    """(n, m) outputs, (n, 1) without parameters; a quarter of the columns is a coarser sample."""
    n, k = len(points), len(names)
    if k == 0:
        return _evaluated(side, points, inputs).reshape(n, 1)
    if k == 1:  # a grid with a shift of its own at each input; every fourth value comes first
        order = np.concatenate([np.arange(start, m, 4) for start in range(4)])
        cells = (order + chance.integers(4, size=(n, 1))) % m
        units = ((cells + chance.random((n, 1))) / m)[:, :, None]
    else:
        base = qmc.Sobol(k, seed=chance).random(m)
        units = (base + chance.random((n, 1, k))) % 1.0
    assert law is not None
    values = law[0] + (law[1] - law[0]) * units.reshape(n * m, k)
    table = np.concatenate([np.repeat(points, m, axis=0), values], axis=1)
    return _evaluated(side, table, [*inputs, *names]).reshape(n, m)


def _evaluated(side: symbed.Expression, table: Floats, names: list[str]) -> Floats:
    used = [name for name in names if name in side.names]
    if not used:
        return np.full(len(table), evaluate(side, np.zeros((1, 1)), ["unused"])[0])
    outputs = evaluate(side, table[:, [names.index(name) for name in used]], used)
    return np.where(np.isfinite(outputs), outputs, np.nan)


def _costs(a: Floats, b: Floats, measure: dict[str, Any]) -> Floats:
    """Distances at every input, to the power p."""
    if measure.get("undefined") == "cemetery":
        gap = np.abs(np.isnan(a).mean(axis=1) - np.isnan(b).mean(axis=1))
        way = _transported(np.nan_to_num(a), np.nan_to_num(b), 1)
        return np.asarray(way + measure["penalty"] * gap)
    lost = [np.isnan(side) for side in (a, b)]
    if not lost[0].any() and not lost[1].any():
        return _transported(a, b, measure["p"])
    if a.shape[1] == b.shape[1] == 1:
        one_sided = (lost[0] != lost[1])[:, 0]
        gaps = np.nan_to_num(np.abs(a - b)[:, 0])
        return np.asarray(
            np.where(one_sided, measure.get("mismatch", math.inf), gaps) ** measure["p"]
        )
    rows = zip(a, b, *lost, strict=True)
    return np.array([_row_cost(u[~p], v[~q], measure) for u, v, p, q in rows])


def _transported(a: Floats, b: Floats, p: int) -> Floats:
    """Optimal transport in one dimension between rows of equal length (or of one output)."""
    return np.asarray(np.mean(np.abs(np.sort(a, axis=1) - np.sort(b, axis=1)) ** p, axis=1))


def _row_cost(u: Floats, v: Floats, measure: dict[str, Any]) -> float:
    """Transport between any two numbers of outputs, by their quantile functions."""
    if not len(u) or not len(v):
        return 0.0 if len(u) == len(v) else measure.get("mismatch", math.inf) ** measure["p"]
    u, v = np.sort(u), np.sort(v)
    levels = np.unique(np.concatenate([np.arange(1, len(s) + 1) / len(s) for s in (u, v)]))
    widths = np.diff(levels, prepend=0.0)
    middles = levels - widths / 2
    gaps = u[(middles * len(u)).astype(int)] - v[(middles * len(v)).astype(int)]
    return float(np.sum(widths * np.abs(gaps) ** measure["p"]))


def _whole(
    pair: Pair,
    sides: list[symbed.Expression],
    inputs: list[str],
    unknowns: list[list[str]],
    measure: dict[str, Any],
    chance: np.random.Generator,
) -> tuple[float, float]:
    """Distances between families of whole functions: assignment, or the energy distance."""
    from scipy.optimize import linear_sum_assignment
    from scipy.spatial.distance import cdist

    n, m = 512, N_TRAJECTORIES
    points = _scaled(_places(n, len(inputs), chance), [pair["domain"][name] for name in inputs])
    curves = []
    for side, names in zip(sides, unknowns, strict=True):
        values = _scaled(_places(m, len(names), chance), [pair["parameters"]] * len(names))
        values = chance.permutation(values)  # so that a quarter is a sample
        table = np.concatenate([np.repeat(points, m, axis=0), np.tile(values, (n, 1))], axis=1)
        curves.append(_evaluated(side, table, [*inputs, *names]).reshape(n, m).T)
    distances = []
    for size in (m, m // 4):
        u, v = (each[:size] for each in curves)
        if measure["metric"] == "trajectory":
            gaps = cdist(u, v, "cityblock") / n
            distances.append(float(gaps[linear_sum_assignment(gaps)].mean()))
        else:
            apart = cdist(u, v).mean() * 2
            own = sum(cdist(w, w).sum() / (size * (size - 1)) for w in (u, v))
            distances.append(math.sqrt(max(0.0, (apart - own) / math.sqrt(n))))
    return distances[0], distances[1]


if __name__ == "__main__":
    main()

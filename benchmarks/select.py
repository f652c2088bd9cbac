"""Measure the selection of formulas that are good and different: its time, and what it covers."""

from __future__ import annotations

import sys
import time
from itertools import combinations
from pathlib import Path

import numpy as np

import symbed
from benchmarks.common import Goal, Report, Row, argument_parser, finish
from symbed._types import Floats, Integers
from symbed.workbench import paper_grammar, sample

RUNS = Path(__file__).parent / "gplearn_runs"
RANGES = {
    "damped_oscillation": (0.0, 8.0),
    "nguyen_10": (0.0, 1.0),
    "nguyen_5": (-1.0, 1.0),
    "pagie_1": (-5.0, 5.0),
}
BOUNDS = (0.1, 0.25, 0.5)  # shares of a population that a loss bound lets pass
K = 20
SMALL_CASES = 50
HALF = 0.5  # of the radius of the lowest losses
ROUNDING = 1e-9  # a radius below it says that every candidate is a selected one in other words


def main() -> int:
    """Run the benchmark."""
    parser = argument_parser(__doc__, "one gplearn run, 10 small cases")
    parser.add_argument("--expressions", type=int, default=10_000)
    parser.add_argument(
        "--runs", type=Path, default=RUNS, help="folder of gplearn's runs (default: ours)"
    )
    arguments = parser.parse_args()
    n_cases = 10 if arguments.quick else SMALL_CASES
    files = sorted(arguments.runs.glob("*.csv"))[: 1 if arguments.quick else None]
    reports = [_timed(arguments.expressions), _small(n_cases), *map(_gplearn, files)]
    return finish(reports, arguments.json)


def _timed(count: int) -> Report:
    """Random expressions with free parameters, the slow kind, with random losses."""
    report = Report(f"{K} of {count:,} random expressions of the paper's grammar")
    texts = list(sample(paper_grammar(2), count, seed=0, unique=True).texts())
    losses = np.random.default_rng(0).random(count)
    probe = symbed.Probe({"X_0": (1, 5), "X_1": (1, 5)}, parameters=(1, 5))
    atlas = symbed.survey(texts, probe, metadata={"loss": losses}, progress=False)
    symbed.select(atlas, 2, progress=False)  # the first call loads modules
    began, cpu = time.perf_counter(), time.process_time()
    selection = symbed.select(atlas, K, progress=False)
    seconds, spent = time.perf_counter() - began, time.process_time() - cpu
    note = f"{spent:.2f} s of CPU, {atlas.n_distinct:,} distinct, radius {selection.radius:.3g}"
    report.rows.append(Row("selecting", seconds, 1, note))
    report.goals += [
        Goal("seconds", seconds, 1.0, at_least=False),
        Goal("pairs of duplicates among the selected", _n_duplicates(selection), 0, at_least=False),
    ]
    return report


def _small(n_cases: int) -> Report:
    """Small cases, where every choice of k can be tried."""
    report = Report(f"{n_cases} cases of 14 expressions, k = 4, all choices tried")
    probe = symbed.Probe({"X_0": (1, 5), "X_1": (1, 5)}, parameters=(1, 5))
    ratios = []
    for seed in range(n_cases):
        texts = list(sample(paper_grammar(2), 14, seed=seed, unique=True).texts())
        losses = np.random.default_rng(seed).random(14)
        atlas = symbed.survey(texts, probe, progress=False)
        selection = symbed.select(atlas, 4, losses, progress=False)
        defined = [place for place in range(14) if atlas[place].counts.any()]
        matrix = np.asarray(symbed.pairwise(atlas, metric="relative", progress=False))
        matrix = matrix[np.ix_(defined, defined)]
        best = min(
            matrix[list(some)].min(axis=0).max() for some in combinations(range(len(defined)), 4)
        )
        ratios.append(selection.radius / best if best else float(selection.radius > 0) + 1.0)
    report.facts.append(f"radius over the best possible: median {np.median(ratios):.2f}")
    report.goals.append(Goal("largest ratio", max(ratios), 2.0, at_least=False))
    return report


def _gplearn(file: Path) -> Report:
    """A population of gplearn's, under several loss bounds."""
    report = Report(f"{K} of gplearn's last population, {file.stem}")
    formulas = symbed.read_formulas(file, dialect="gplearn")
    names = sorted({one for expression in formulas for one in expression.names})
    problem = next(name for name in RANGES if file.stem.startswith(name))
    probe = symbed.Probe(dict.fromkeys(names, RANGES[problem]))
    atlas = symbed.survey(formulas, probe, progress=False)
    losses = np.asarray(atlas.metadata["loss"], np.float64)
    matrix = np.asarray(symbed.pairwise(atlas, metric="relative", progress=False))
    for share in BOUNDS:
        bound = float(np.quantile(losses[np.isfinite(losses)], share))
        selection = symbed.select(atlas, K, within=bound, progress=False)
        lowest = np.argsort(losses, kind="stable")[:K]
        differing = _lowest_losses(atlas, losses, K)
        ours, theirs, others = (
            _radius(matrix, some, selection.candidates)
            for some in (selection.indices, lowest, differing)
        )
        n_distinct = len(set(atlas.numbers[selection.candidates].tolist()))
        report.facts.append(
            f"loss within {bound:.4g}: {len(selection.candidates)} candidates, "
            f"{n_distinct} distinct, {len(selection)} selected; covering radius {ours:.3g}, "
            f"of the {K} lowest losses {theirs:.3g}, of the {K} lowest that differ {others:.3g}"
        )
        ratio = ours / theirs if ours > ROUNDING else 0.0
        if ratio > HALF:
            fewest = _fewest(matrix, selection.candidates, HALF * theirs)
            report.facts.append(f"  for the half, any choice needs at least {fewest} formulas")
        report.goals.append(Goal(f"radius over theirs, best {share:.0%}", ratio, HALF, False))
    return report


def _lowest_losses(atlas: symbed.Atlas, losses: Floats, count: int) -> Integers:
    """Those with the lowest losses, each distinct behavior once."""
    order = np.argsort(losses, kind="stable")
    _, first = np.unique(atlas.numbers[order], return_index=True)
    return order[np.sort(first)[:count]]


def _radius(matrix: Floats, chosen: Integers, candidates: Integers) -> float:
    return float(matrix[np.ix_(chosen, candidates)].min(axis=0).max())


def _fewest(matrix: Floats, candidates: Integers, radius: float) -> int:
    """How many of the candidates any choice needs that leaves nobody farther than a radius."""
    from scipy.optimize import Bounds, LinearConstraint, milp

    near = (matrix[np.ix_(candidates, candidates)] <= radius).astype(float)
    near = np.unique(np.unique(near, axis=0), axis=1)  # who covers and is covered alike is one
    ones = np.ones(near.shape[1])
    cover = LinearConstraint(near, 1.0, np.inf)
    solution = milp(ones, constraints=cover, integrality=ones, bounds=Bounds(0, 1))
    return round(float(solution.fun))


def _n_duplicates(selection: symbed.Selection) -> int:
    assert selection.atlas is not None
    behaviors = [selection.atlas[place] for place in selection.indices.tolist()]
    texts = [behavior.label for behavior in behaviors]
    groups = symbed.duplicates(
        texts, probe=selection.atlas.probe, metric="relative", progress=False
    )
    return groups.n_duplicates


if __name__ == "__main__":
    sys.exit(main())

"""Counts how many printed cells come out to the last digit with the published random numbers.

``python reproduction/tools/published_seeds.py FOLDER`` ranks the expressions in ``FOLDER`` (see
``symbed reproduce consistency --expressions``) by the rules of the published code, and with its
random numbers, which SciPy draws: run s takes X from ``LatinHypercube(d, optimization="random-cd",
seed=s)``, the parameters of the k-th expression, counted from 1, from ``LatinHypercube(p,
seed=s + k)``, and one X for all runs is that of seed 0. It takes minutes for each heatmap. New X
per pair would take 20,000 optimized hypercubes for each number of points, and is left out.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from functools import cache

import numpy as np
from numpy.typing import NDArray
from scipy.stats.qmc import LatinHypercube

from symbed.engine.packed_programs import PackedPrograms
from symbed.errors import SymbedError
from symbed.language.expression import Expression
from symbed_reproduction.consistency.expression_sets import RANGE, read_expression, read_sets
from symbed_reproduction.consistency.measurements import (
    CODE_LIMIT,
    Rankings,
    ordered_ranks,
    with_self_pairs,
)
from symbed_reproduction.consistency.resampling import PAPER, Resampler, SampleKey
from symbed_reproduction.consistency.results import COUNTS, HEATMAPS, published

Floats = NDArray[np.float64]
N_RUNS = 100
LOW, HIGH = RANGE


class PublishedResampler(Resampler):
    """A resampler with the random numbers of the published code."""

    def __init__(
        self, expressions: Sequence[Expression], n_variables: int, n_points: int, one_x: bool
    ) -> None:
        super().__init__(expressions, n_variables, PAPER, n_points, 1, CODE_LIMIT)
        points = [_points(n_points, n_variables, seed) for seed in range(1 if one_x else N_RUNS)]
        self._inputs = np.stack(points * (N_RUNS if one_x else 1))

    def draws(
        self, rows: NDArray[np.int64], programs: PackedPrograms, n_draws: int, sample: SampleKey
    ) -> Floats:
        """A hypercube for each expression, by its place and the run's number."""
        counts = programs.n_parameters.tolist()
        return np.concatenate(
            [
                _draws(count, sample.points + row + 1, n_draws)
                for row, count in zip(rows.tolist(), counts, strict=True)
            ]
        )


def main() -> int:
    """Compare the heatmaps of one folder."""
    parser = argparse.ArgumentParser(description="Printed heatmaps with the published seeds.")
    parser.add_argument("folder", help="with expressions_N.txt for each number N of variables")
    folder = parser.parse_args().folder
    try:
        sets = read_sets(folder, {n for n, _ in HEATMAPS}, at_least=200)
    except SymbedError as error:
        print(f"published_seeds: {error}", file=sys.stderr)
        return 1
    for n_variables, strategy in HEATMAPS:
        if strategy == "pair":
            continue
        expressions = [read_expression(text, n_variables) for text in sets[n_variables]]
        heatmap = _heatmap(expressions, n_variables, strategy == "all")
        printed = published(n_variables, strategy)
        steps = np.rint(1000 * np.abs(heatmap.round(3) - printed)).astype(int)
        print(
            f"up to X_{n_variables - 1}, {strategy}: {(steps == 0).sum()} of {steps.size} cells as "
            f"printed, the others off by at most {steps.max()} in the last digit",
            flush=True,
        )
    return 0


def _heatmap(expressions: Sequence[Expression], n_variables: int, one_x: bool) -> Floats:
    heatmap = np.empty((len(COUNTS), len(COUNTS)))
    for i, n_points in enumerate(COUNTS):
        resampler = PublishedResampler(expressions, n_variables, n_points, one_x)
        for j, n_draws in enumerate(COUNTS):
            runs = np.stack([resampler.matrix(SampleKey(run, 0), n_draws) for run in range(N_RUNS)])
            scores = Rankings.of(runs, ordered_ranks).scores
            heatmap[i, j] = with_self_pairs(float(scores.mean()), N_RUNS)
    return heatmap


def _points(n_points: int, n_variables: int, seed: int) -> Floats:
    optimization = "random-cd" if n_variables > 1 else None  # one column cannot be improved
    sampler = LatinHypercube(n_variables, optimization=optimization, seed=seed)
    return np.ascontiguousarray((LOW + (HIGH - LOW) * sampler.random(n_points)).T)


@cache
def _draws(n_parameters: int, seed: int, n_draws: int) -> Floats:
    return LOW + (HIGH - LOW) * LatinHypercube(n_parameters, seed=seed).random(n_draws).T


if __name__ == "__main__":
    sys.exit(main())

"""A small run of gplearn, to be scored: its last formulas and their losses, as it prints them.

Needs gplearn (``pip install gplearn``); ``python examples/run_gplearn.py run.csv`` takes seconds.
The hidden law is the harmonic mean of two numbers, up to a factor.
"""

from __future__ import annotations

import csv
import sys

import numpy as np
from gplearn.genetic import SymbolicRegressor


def main(path: str) -> None:
    X = np.random.default_rng(0).uniform(1, 5, (200, 2))
    y = X[:, 0] * X[:, 1] / (X[:, 0] + X[:, 1])
    run = SymbolicRegressor(
        population_size=1000, generations=15, p_crossover=0.8, p_point_mutation=0.05,
        parsimony_coefficient=0.001, const_range=None, random_state=1,
    )  # fmt: skip
    run.fit(X, y)
    losses = {str(program): float(program.raw_fitness_) for program in run._programs[-1]}
    best = sorted(losses.items(), key=lambda formula: formula[1])[:30]
    with open(path, "w", newline="") as file:
        csv.writer(file).writerows([("formula", "loss"), *best])


if __name__ == "__main__":
    main(sys.argv[1])

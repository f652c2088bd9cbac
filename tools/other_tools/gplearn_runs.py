"""Run gplearn on small problems and keep its last populations, raw: formulas with their losses.

``benchmarks/select.py`` reads the files. gplearn is no dependency of ours; run this with any
Python that has it: ``python tools/other_tools/gplearn_runs.py benchmarks/gplearn_runs``; seeds
after the folder make other runs, each in a file of its own.
"""

from __future__ import annotations

import csv
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from gplearn.genetic import SymbolicRegressor

# name: number of variables, range of each, and the truth.
PROBLEMS: dict[str, tuple[int, tuple[float, float], Callable[..., Any]]] = {
    "nguyen_5": (1, (-1.0, 1.0), lambda x: np.sin(x**2) * np.cos(x) - 1),
    "nguyen_10": (2, (0.0, 1.0), lambda x, y: 2 * np.sin(x) * np.cos(y)),
    "damped_oscillation": (1, (0.0, 8.0), lambda t: 2 * np.cos(2.5 * t) * np.exp(-0.3 * t)),
    "pagie_1": (2, (-5.0, 5.0), lambda x, y: 1 / (1 + x**-4) + 1 / (1 + y**-4)),
}


def main(folder: Path, seed: int, suffix: str) -> None:
    """Run gplearn on each problem."""
    for name, (n_variables, (low, high), truth) in PROBLEMS.items():
        rng = np.random.default_rng(seed)
        X = rng.uniform(low, high, (100, n_variables))
        y = truth(*X.T)
        # gplearn's defaults but for more functions: 1000 formulas, 20 generations.
        functions = ("add", "sub", "mul", "div", "sqrt", "log", "sin", "cos")
        regressor = SymbolicRegressor(function_set=functions, random_state=seed)
        regressor.fit(X, y)
        with (folder / f"{name}{suffix}.csv").open("w", newline="") as file:
            writer = csv.writer(file, lineterminator="\n")
            writer.writerow(["equation", "loss", "complexity"])
            for program in regressor._programs[-1]:
                writer.writerow([str(program), repr(float(program.raw_fitness_)), program.length_])


if __name__ == "__main__":
    for word in sys.argv[2:] or ["0"]:
        main(Path(sys.argv[1]), int(word), f"_{word}" if sys.argv[2:] else "")

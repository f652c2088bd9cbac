"""Writes the fronts of gplearn and pyoperon on twelve problems to ``benchmarks/tool_fronts``.

Run it with a Python that has both tools: ``python tools/other_tools/make_tool_fronts.py``. Seeds
are fixed. Each file is a table ``complexity,loss,formula``, as the tool printed its formulas.
"""

from __future__ import annotations

import csv
import sys
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[2]))

from benchmarks.front_problems import NOISES, PROBLEMS, FrontProblem

FOLDER = Path(__file__).parents[2] / "benchmarks" / "tool_fronts"
Entry = tuple[int, float, str]


def gplearn_front(X: Any, y: Any) -> list[Entry]:
    """The programs of all generations that no shorter one beats."""
    model = import_module("gplearn.genetic").SymbolicRegressor(
        population_size=800, generations=16, random_state=0, metric="rmse", stopping_criteria=1e-9,
        function_set=("add", "sub", "mul", "div", "sqrt", "sin", "cos", "neg"),
        const_range=(-5.0, 5.0), parsimony_coefficient=0.001,
    )  # fmt: skip
    model.fit(X, y)
    programs = [one for generation in model._programs for one in generation if one is not None]
    return front([(one.length_, float(one.raw_fitness_), str(one)) for one in programs])


def operon_front(X: Any, y: Any) -> list[Entry]:
    """The front that the library hands out, at its own default precision."""
    model = import_module("pyoperon.sklearn").SymbolicRegressor(
        allowed_symbols="add,sub,mul,div,sin,cos,exp,sqrt,square,constant,variable",
        objectives=["rmse", "length"], population_size=400, generations=120, max_length=24,
        optimizer_iterations=8, random_state=1, n_threads=1, epsilon=1e-7,
    )  # fmt: skip
    model.fit(X, y)
    entries = []
    for one in model.pareto_front_:
        loss = float(np.sqrt(one["mean_squared_error"]))
        entries.append((int(one["complexity"]), loss, model.get_model_string(one["tree"], 5)))
    return front(entries)


def front(entries: list[Entry]) -> list[Entry]:
    """Entries that no smaller one beats."""
    best, kept = float("inf"), []
    for entry in sorted(entries):
        if entry[1] < best * (1 - 1e-6):
            best = entry[1]
            kept.append(entry)
    return kept


TOOLS = {"gplearn": gplearn_front, "operon": operon_front}


def write_front(tool: str, problem: FrontProblem, noise: float) -> None:
    """Write one table."""
    X, y = problem.sample(noise)
    path = FOLDER / f"{tool}_{problem.name}_{round(100 * noise)}.csv"
    with open(path, "w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["complexity", "loss", "formula"])
        writer.writerows(TOOLS[tool](X, y))
    print(path.name, flush=True)


if __name__ == "__main__":
    FOLDER.mkdir(exist_ok=True)
    for problem in PROBLEMS:
        for noise in NOISES:
            for tool in TOOLS:
                write_front(tool, problem, noise)

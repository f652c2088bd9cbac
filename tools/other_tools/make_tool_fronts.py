"""Writes the fronts of gplearn and pyoperon on problems with known truths to ``benchmarks/``.

Run it with a Python that has both tools: ``python tools/other_tools/make_tool_fronts.py`` makes
``tool_fronts/``, with ``--fresh`` ``fresh_fronts/``: other problems and seeds, also with 5 % of
noise, and tools that may write long formulas. Seeds are fixed. Each file is a table
``complexity,loss,formula``, as the tool printed its formulas.
"""

from __future__ import annotations

import csv
import sys
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[2]))

from benchmarks.front_problems import (
    FRESH_NOISES,
    FRESH_PROBLEMS,
    NOISES,
    PROBLEMS,
    FrontProblem,
)

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"
Entry = tuple[int, float, str]


class Setting(NamedTuple):
    """How the tools are run."""

    folder: Path
    seed: int
    parsimony: float
    max_length: int


SHORT = Setting(BENCHMARKS / "tool_fronts", 0, 0.001, 24)
LONG = Setting(BENCHMARKS / "fresh_fronts", 41, 0.0002, 50)


def gplearn_front(X: Any, y: Any, setting: Setting) -> list[Entry]:
    """The programs of all generations that no shorter one beats."""
    model = import_module("gplearn.genetic").SymbolicRegressor(
        population_size=800, generations=16, random_state=setting.seed, metric="rmse",
        stopping_criteria=1e-9,
        function_set=("add", "sub", "mul", "div", "sqrt", "sin", "cos", "neg"),
        const_range=(-5.0, 5.0), parsimony_coefficient=setting.parsimony,
    )  # fmt: skip
    model.fit(X, y)
    programs = [one for generation in model._programs for one in generation if one is not None]
    return front([(one.length_, float(one.raw_fitness_), str(one)) for one in programs])


def operon_front(X: Any, y: Any, setting: Setting) -> list[Entry]:
    """The front that the library hands out, at its own default precision."""
    model = import_module("pyoperon.sklearn").SymbolicRegressor(
        allowed_symbols="add,sub,mul,div,sin,cos,exp,sqrt,square,constant,variable",
        objectives=["rmse", "length"], population_size=400, generations=120,
        max_length=setting.max_length, optimizer_iterations=8, random_state=setting.seed + 1,
        n_threads=1, epsilon=1e-7,
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


def write_front(tool: str, problem: FrontProblem, noise: float, setting: Setting) -> None:
    """Write one table."""
    X, y = problem.sample(noise)
    path = setting.folder / f"{tool}_{problem.name}_{round(100 * noise)}.csv"
    with open(path, "w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["complexity", "loss", "formula"])
        writer.writerows(TOOLS[tool](X, y, setting))
    print(path.name, flush=True)


if __name__ == "__main__":
    is_fresh = "--fresh" in sys.argv[1:]
    setting = LONG if is_fresh else SHORT
    setting.folder.mkdir(exist_ok=True)
    for problem in FRESH_PROBLEMS if is_fresh else PROBLEMS:
        for noise in FRESH_NOISES if is_fresh else NOISES:
            for tool in TOOLS:
                write_front(tool, problem, noise, setting)

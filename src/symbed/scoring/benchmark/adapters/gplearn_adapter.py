"""gplearn: generation after generation until the time is up."""

from __future__ import annotations

import time
import warnings
from importlib import import_module
from typing import Any

FUNCTIONS = ("add", "sub", "mul", "div", "sqrt", "log", "sin", "cos")
SHARE = 0.9  # of the time; the next generation may take longer than the last


class Gplearn:
    """gplearn's ``SymbolicRegressor``; its programs print constants with three decimals.

    Parameters
    ----------
    population_size : int
        Programs of a generation.
    function_set : sequence of str
        gplearn's names.
    **settings
        Anything else that ``SymbolicRegressor`` takes.
    """

    dialect = "gplearn"

    def __init__(
        self, population_size: int = 500, function_set: Any = FUNCTIONS, **settings: Any
    ) -> None:
        self.settings = {"population_size": population_size, **settings}
        self.settings["function_set"] = tuple(function_set)
        self._found: list[dict[str, Any]] = []
        self.version = ""

    @staticmethod
    def check() -> None:
        """Whether gplearn can be had."""
        import_module("gplearn.genetic")

    def fit(self, X: Any, y: Any, seconds: float, seed: int) -> None:
        """Evolve."""
        warnings.simplefilter("ignore")
        package = import_module("gplearn")
        self.version = str(getattr(package, "__version__", ""))
        end = time.perf_counter() + SHARE * seconds
        regressor = import_module("gplearn.genetic").SymbolicRegressor(
            generations=1, warm_start=True, random_state=seed, n_jobs=1, **self.settings
        )
        best: dict[int, dict[str, Any]] = {}
        while True:
            regressor.fit(X, y)
            for program in regressor._programs[-1]:
                size, loss = int(program.length_), float(program.raw_fitness_)
                if loss == loss and (size not in best or loss < best[size]["loss"]):
                    best[size] = {"formula": str(program), "loss": loss, "complexity": size}
            if time.perf_counter() > end or regressor.generations >= 1000:
                break
            regressor.set_params(generations=regressor.generations + 1)
        self._found = import_module("pareto_front").front(list(best.values()))

    def formulas(self) -> list[dict[str, Any]]:
        """The front of all generations, the lowest error first."""
        return self._found

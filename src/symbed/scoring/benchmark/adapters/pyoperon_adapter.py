"""pyoperon: Operon's genetic programming, by its scikit-learn interface."""

from __future__ import annotations

import math
import warnings
from importlib import import_module, metadata
from typing import Any

SYMBOLS = "add,sub,mul,div,sqrt,log,exp,sin,cos,square,constant,variable"
PRECISION = 60  # decimals of constants, and not digits: 4.7e-24 was printed as 0 with twelve


class Pyoperon:
    """pyoperon's ``SymbolicRegressor``.

    Parameters
    ----------
    allowed_symbols : str
        Operon's names, with commas.
    **settings
        Anything else that ``SymbolicRegressor`` takes.
    """

    dialect = "operon"

    def __init__(self, allowed_symbols: str = SYMBOLS, **settings: Any) -> None:
        defaults: dict[str, Any] = {
            "objectives": ["r2", "length"], "max_length": 25, "population_size": 500,
            "pool_size": 500, "generations": 10_000, "max_evaluations": 10_000_000,
            "optimizer_iterations": 5,
            "model_selection_criterion": "bayesian_information_criterion",
        }  # fmt: skip
        self.settings = {**defaults, "allowed_symbols": allowed_symbols, **settings}
        self._found: list[dict[str, Any]] = []
        self.version = ""

    @staticmethod
    def check() -> None:
        """Whether pyoperon can be had."""
        import_module("pyoperon.sklearn")

    def fit(self, X: Any, y: Any, seconds: float, seed: int) -> None:
        """Evolve; Operon counts whole seconds."""
        warnings.simplefilter("ignore")
        self.version = metadata.version("pyoperon")
        regressor = import_module("pyoperon.sklearn").SymbolicRegressor(
            max_time=max(1, math.floor(seconds)), n_threads=1, random_state=seed + 1,
            **self.settings,
        )  # fmt: skip
        regressor.fit(X, y)
        rows = []
        for one in regressor.pareto_front_:
            text = regressor.get_model_string(one["tree"], PRECISION)
            loss = float(one["mean_squared_error"])
            if math.isfinite(loss):
                rows.append({"formula": text, "loss": loss, "complexity": one["complexity"]})
        chosen = regressor.get_model_string(regressor.model_, PRECISION)
        # The model that Operon itself would predict with is its answer.
        self._found = sorted(rows, key=lambda row: (row["formula"] != chosen, row["loss"]))
        if not any(row["formula"] == chosen for row in rows):
            self._found.insert(0, {"formula": chosen})

    def formulas(self) -> list[dict[str, Any]]:
        """The chosen model, then the others of the front."""
        return self._found

"""PySR: its hall of fame, from a run or from the folder that a run left."""

from __future__ import annotations

import csv
from importlib import import_module
from pathlib import Path
from typing import Any

SETTINGS = {
    "binary_operators": ["+", "-", "*", "/", "^"],
    "unary_operators": ["sin", "cos", "exp", "log", "sqrt"],
    "niterations": 1_000_000,
    "progress": False,
    "verbosity": 0,
    "parallelism": "serial",
    "deterministic": True,
}


class Pysr:
    """PySR's ``PySRRegressor``.

    Parameters
    ----------
    saved : str, optional
        The folder of a run, or its ``hall_of_fame.csv``: that is read, and nothing is run.
    **settings
        Anything that ``PySRRegressor`` takes.
    """

    dialect = "pysr"

    def __init__(self, saved: str | None = None, **settings: Any) -> None:
        self.saved, self.settings = saved, {**SETTINGS, **settings}
        self._found: list[dict[str, Any]] = []
        self.version = ""

    def fit(self, X: Any, y: Any, variables: list[str], seconds: float, seed: int) -> None:
        """Evolve, or read what was saved."""
        if self.saved is not None:
            self._found = read_hall_of_fame(Path(self.saved))
            return
        package = import_module("pysr")
        self.version = str(getattr(package, "__version__", ""))
        regressor = package.PySRRegressor(
            timeout_in_seconds=seconds, random_state=seed, **self.settings
        )
        regressor.fit(X, y, variable_names=variables)
        chosen = str(regressor.get_best()["equation"])
        rows = [
            {
                "formula": str(row["equation"]),
                "loss": float(row["loss"]),
                "complexity": int(row["complexity"]),
            }
            for _, row in regressor.equations_.iterrows()
        ]
        self._found = sorted(rows, key=lambda row: (row["formula"] != chosen, row["loss"]))

    def formulas(self) -> list[dict[str, Any]]:
        """The equation that PySR chooses, then the others, the lowest loss first."""
        return self._found


def read_hall_of_fame(path: Path) -> list[dict[str, Any]]:
    """The equations of a saved run, the lowest loss first."""
    if path.is_dir():
        files = sorted(path.glob("**/hall_of_fame*.csv"))
        if not files:
            raise FileNotFoundError(f"{path} has no hall_of_fame.csv")
        path = files[-1]
    with path.open(newline="", encoding="utf-8") as file:
        table = [{key.lower(): cell for key, cell in row.items()} for row in csv.DictReader(file)]
    rows = [
        {
            "formula": row["equation"],
            "loss": float(row["loss"]),
            "complexity": int(float(row["complexity"])),
        }
        for row in table
    ]
    return sorted(rows, key=lambda row: (row["loss"], row["complexity"]))

"""Random search: formulas of a grammar, their constants fitted; the baseline of a benchmark."""

from __future__ import annotations

import time
from importlib import import_module
from typing import Any

BLOCK = 500  # formulas that are fitted between looks at the clock


class RandomSearch:
    """Draws formulas of the paper's grammar, fits them, and keeps the front of error and size.

    Parameters
    ----------
    n_candidates : int
        How many formulas; fewer where the time is up before.
    """

    dialect = "infix"

    @staticmethod
    def check() -> None:
        """Whether this Python has symbed."""
        import_module("symbed.workbench")

    def __init__(self, n_candidates: int = 5000) -> None:
        self.n_candidates = n_candidates
        self._found: list[dict[str, Any]] = []

    def fit(self, X: Any, y: Any, variables: list[str], seconds: float, seed: int) -> None:
        """Draw and fit."""
        from symbed.errors import DataError
        from symbed.workbench import fit_many, paper_grammar, sample

        end = time.perf_counter() + seconds
        texts = list(sample(paper_grammar(variables), self.n_candidates, seed=seed).texts())
        best: dict[int, dict[str, Any]] = {}
        for first in range(0, len(texts), BLOCK):
            try:
                fits = fit_many(
                    texts[first : first + BLOCK], X, y, variables=variables, workers=1, seed=seed,
                    errors="skip",
                )  # fmt: skip
            except DataError:  # none of the block could be fitted
                continue
            for one in fits.best(20):
                if one.rmse == one.rmse and one.rmse < float("inf"):
                    row: dict[str, Any] = {
                        "formula": str(one.expression),
                        "loss": one.rmse,
                        "complexity": one.expression.size,
                    }
                    known = best.get(row["complexity"])
                    if known is None or row["loss"] < known["loss"]:
                        best[row["complexity"]] = row
            if time.perf_counter() > end:
                break
        self._found = import_module("pareto_front").front(list(best.values()))

    def formulas(self) -> list[dict[str, Any]]:
        """The front, the lowest error first."""
        return self._found

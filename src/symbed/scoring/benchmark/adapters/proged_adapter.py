"""ProGED as SRToolkit has it: formulas of a probabilistic grammar, their constants fitted."""

from __future__ import annotations

import time
import warnings
from importlib import import_module, metadata
from typing import Any

N_FOUND = 20  # models that are handed out
SYMBOLS = ["+", "-", "*", "/", "^2", "sqrt", "sin", "cos", "exp", "ln", "C"]


class Proged:
    """SRToolkit's ``ProGED`` with the grammar that it derives from a library of symbols.

    Parameters
    ----------
    symbols : sequence of str
        SRToolkit's names of operators and functions.
    max_evaluations : int
        How many formulas are evaluated at most.
    """

    dialect = "infix"

    def __init__(self, symbols: Any = tuple(SYMBOLS), max_evaluations: int = 100_000) -> None:
        self.symbols, self.max_evaluations = list(symbols), max_evaluations
        self._found: list[dict[str, Any]] = []
        self.version = ""

    @staticmethod
    def check() -> None:
        """Whether SRToolkit can be had."""
        import_module("SRToolkit.approaches")

    def fit(self, X: Any, y: Any, variables: list[str], seconds: float, seed: int) -> None:
        """Draw and fit until the time is up."""
        warnings.simplefilter("ignore")
        self.version = metadata.version("symbolic-regression-toolkit")
        end = time.perf_counter() + seconds
        library = import_module("SRToolkit.utils").SymbolLibrary.from_symbol_list(
            self.symbols, X.shape[1]
        )
        evaluator = import_module("SRToolkit.evaluation").SR_evaluator(
            X, y, symbol_library=library, max_evaluations=self.max_evaluations, seed=seed
        )
        approach = import_module("SRToolkit.approaches").ProGED()
        approach.adapt(X, library)
        approach.search(_Timed(evaluator, end), seed)
        result = evaluator.get_results("ProGED", N_FOUND)[0]
        for model in result.top_models:
            if model.error == model.error and model.error < float("inf"):
                self._found.append(
                    {
                        "formula": _with_constants(model.expr, model.parameters, variables),
                        "loss": float(model.error),
                        "complexity": len(model.expr),
                    }
                )

    def formulas(self) -> list[dict[str, Any]]:
        """The best models, the lowest error first."""
        return self._found


class _Timed:
    """An evaluator that also stops when the time is up."""

    def __init__(self, evaluator: Any, end: float) -> None:
        self._evaluator, self._end = evaluator, end

    @property
    def should_stop(self) -> bool:
        return bool(self._evaluator.should_stop) or time.perf_counter() > self._end

    def __getattr__(self, name: str) -> Any:
        return getattr(self._evaluator, name)


def _with_constants(tokens: list[str], values: Any, variables: list[str]) -> str:
    """The text of a token list, fitted values for ``C``, our names for ``X_0``, ``X_1`` ..."""
    left = iter([] if values is None else [float(value) for value in values])
    named = {f"X_{place}": name for place, name in enumerate(variables)}
    return " ".join(f"({next(left)!r})" if t == "C" else named.get(t, t) for t in tokens)

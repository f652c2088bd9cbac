"""``symbed.discover``, where this version has it."""

from __future__ import annotations

from importlib import import_module
from typing import Any


class Discover:
    """``symbed.discover`` with its defaults.

    Parameters
    ----------
    **settings
        Anything else that ``discover`` takes.
    """

    dialect = "infix"

    def __init__(self, **settings: Any) -> None:
        self.settings = settings
        self._found: list[dict[str, Any]] = []
        self.version = ""

    @staticmethod
    def check() -> None:
        """Whether this version has ``discover``."""
        if not hasattr(import_module("symbed"), "discover"):
            raise ImportError("this version of symbed has no discover")

    def fit(self, X: Any, y: Any, variables: list[str], seconds: float, seed: int) -> None:
        """Discover."""
        symbed: Any = import_module("symbed")
        self.version = str(symbed.__version__)
        found = symbed.discover(
            X, y, variables, seconds=seconds, seed=seed, workers=1, **self.settings
        )
        for one in found.candidates:
            self._found.append(
                {
                    "formula": str(one.expression),
                    "loss": float(one.rmse),
                    "complexity": int(one.expression.size),
                }
            )

    def formulas(self) -> list[dict[str, Any]]:
        """The candidates, best first."""
        return self._found

"""Shared by the makers of dialect fixtures: points, collected formulas and documents."""

from __future__ import annotations

import math
from collections.abc import Iterable
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np

DATA = Path(__file__).resolve().parents[2] / "tests" / "language" / "dialects" / "data"
N_POINTS = 6
LARGEST = 1e9  # beyond, an absolute error of 1e-9 asks for more digits than floats have
Formula = dict[str, Any]


def points(n_variables: int) -> np.ndarray:
    """The same few points for every tool."""
    return np.random.default_rng(5).uniform(0.3, 2.5, (N_POINTS, n_variables)).round(6)


def collected(name: str) -> list[str]:
    """The formulas of a file, without comments."""
    lines = (DATA / f"{name}.txt").read_text(encoding="utf-8").splitlines()
    return [line for line in lines if line.strip() and not line.startswith("#")]


def listed(values: Iterable[Any]) -> list[float | None]:
    """Values as JSON has them: None where undefined."""
    return [_real(value) for value in values]


def _real(value: Any) -> float | None:
    number = complex(value)
    return number.real if math.isfinite(number.real) and abs(number.imag) < 1e-12 else None


def usable(formula: Formula) -> bool:
    """Whether something can be compared: a defined value, of ordinary size."""
    values = [value for value in formula["values"] if value is not None]
    return bool(values) and max(map(abs, values)) < LARGEST


def values_at(expression: Any, symbols: Iterable[Any], table: np.ndarray) -> list[complex]:
    """Values of a SymPy expression at points."""
    import sympy

    out = []
    for row in table:
        known = {symbol: sympy.Float(float(v), 40) for symbol, v in zip(symbols, row, strict=False)}
        value = expression.xreplace(known).evalf(30)
        out.append(complex(value) if value.is_number and value.is_finite else complex("nan"))
    return out


def make_document(package: str, how: str, x: np.ndarray, formulas: Iterable[Formula]) -> Formula:
    """What a fixture file holds; formulas without a usable value are left out."""
    kept = [formula for formula in formulas if usable(formula)]
    made = f"{package} {version(package)}" if package else ""
    return {"made_by": made, "how": how, "points": x.tolist(), "formulas": kept}

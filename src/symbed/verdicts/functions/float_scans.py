"""Every operator of the language on arrays of floats, to look for places worth an exact test.

Nothing is concluded from these numbers. They say where a function changes sign or turns around,
and exact numbers and balls decide what happens there.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from symbed.engine.reference.elementary.functions import FUNCTIONS
from symbed.verdicts.arithmetic.ball_programs import BallProgram

NEAR_ZERO = 0.001  # where gplearn's protected functions switch

FLOAT_OPERATIONS: dict[str, Callable[..., Any]] = {
    "+": np.add, "-": np.subtract, "*": np.multiply, "/": np.divide,
    "^": lambda a, b: np.power(a, b), "neg": np.negative,
    "^2": lambda a: a * a,
    "^3": lambda a: a * a * a,
    "^4": lambda a: (a * a) ** 2,
    "^5": lambda a: (a * a) ** 2 * a,
    "^-1": lambda a: 1.0 / a,
    "sin": np.sin, "cos": np.cos, "tan": np.tan,
    "asin": np.arcsin, "acos": np.arccos, "atan": np.arctan,
    "sinh": np.sinh, "cosh": np.cosh, "tanh": np.tanh, "sech": lambda a: 1.0 / np.cosh(a),
    "sqrt": np.sqrt, "cbrt": np.cbrt, "exp": np.exp,
    "ln": np.log, "log10": np.log10, "log2": np.log2,
    "abs": np.abs, "sign": np.sign, "min": np.minimum, "max": np.maximum,
    "pdiv": lambda a, b: np.where(np.abs(b) <= NEAR_ZERO, 1.0, a / b),
    "plog": lambda a: np.where(np.abs(a) <= NEAR_ZERO, 0.0, np.log(np.abs(a))),
    "pinv": lambda a: np.where(np.abs(a) <= NEAR_ZERO, 0.0, 1.0 / a),
    "cond": lambda a, b: np.where(a > 0, b, np.where(a <= 0, 0.0, np.nan)),
    "floor": np.floor,
    **{name: FUNCTIONS[name] for name in ("erf", "gamma", "polygamma")},
    "pi": lambda: np.float64(np.pi), "e": lambda: np.float64(math.e),
}  # fmt: skip


def scan(program: BallProgram, values: Mapping[str, Any]) -> list[Any]:
    """The floats of every step; steps without variables stay single numbers."""
    results: list[Any] = []
    with np.errstate(all="ignore"):
        for step in program.steps:
            item = step.item
            if isinstance(item, str):
                results.append(values[item])
            elif isinstance(item, float):
                results.append(np.float64(item))
            else:
                operation = FLOAT_OPERATIONS[item.name]
                results.append(operation(*(results[place] for place in step.operands)))
    return results

"""Expressions of every kind that searching and grouping must cope with, for the tests."""

from __future__ import annotations

from typing import Any

import symbed
from symbed._types import Floats
from symbed.behavior.atlas import Atlas
from symbed.behavior.behavior import Behavior

PROBE = symbed.Probe(
    {"X_0": (1, 5), "X_1": (1, 5)}, parameters=(1, 5), n_points=24, n_draws=8, seed=3
)

# With and without parameters, undefined in places, in part, and everywhere, tiny, huge, repeated.
TEXTS = [
    "X_0", "X_1", "C", "C*X_0", "C*X_0 + C", "C*X_1 + C*X_0", "X_0*C", "X_0 + 0*X_1",
    "sqrt(X_0 - C)", "sqrt(X_0 - 3)", "ln(X_0 - 3)", "ln(X_0 - 3) + C", "sqrt(X_1 - C) + C",
    "ln(-X_0)", "sqrt(-C)", "C/(X_0 - X_0)", "X_0/X_0", "X_1/X_1", "X_0 - X_0", "X_1 - X_1",
    "C - C", "exp(X_0*X_1)", "exp(exp(X_0))", "exp(exp(X_0)*C)", "exp(exp(X_0*X_1))",
    "1e200*X_0", "1e200*C", "-1e200*C", "1e308*X_0 - 1e308*X_1", "1e-200*X_0", "1e-310*C",
    "exp(-exp(X_0))", "-X_0", "-C*X_0", "sin(C*X_0)", "sin(100*X_0)", "cos(X_0)*C", "tan(X_0)",
    "1/(X_0 - X_1)", "1/(X_0 - C)", "X_0^C", "X_0^2", "X_0*X_0", "X_0^3 - X_1", "2*X_0", "X_0 + X_0",
    "X_0 + 1", "X_0 + 1.0000001", "(X_0 + 1e6) - 1e6", "ln(exp(X_0))", "exp(ln(C) + ln(X_0))",
    "C*(X_0 + C/C)", "0", "1", "3", "3 + 1e-12", "C*0", "0*C + X_1",
]  # fmt: skip

MEASURES: list[dict[str, Any]] = [
    {},
    {"p": 2},
    {"mismatch": 2.5},
    {"p": 2, "mismatch": 0.5},
    {"mismatch": 0.0},
    {"metric": "arcsinh"},
    {"metric": "relative"},
    {"metric": "relative", "p": 2},
    {"metric": "relative", "mismatch": 1.0},
    {"undefined": "cemetery", "penalty": 3.0},
    {"metric": "arcsinh", "undefined": "cemetery", "penalty": 1.0},
    {"metric": "relative", "undefined": "cemetery", "penalty": 1.0},
]


def random_texts(n: int, seed: int = 0) -> list[str]:
    """Random expressions of the paper's grammar, some of them repeated."""
    from symbed.workbench import paper_grammar, sample

    return list(sample(paper_grammar(2), n, seed=seed).texts())


def all_distances(query: Behavior, atlas: Atlas, **measure: Any) -> Floats:
    """Distances to all sources; those of a matrix are those of ``distance``, which a test shows."""
    return symbed.pairwise([query], atlas, **measure).values[0]

"""LaTeX as SymPy prints it in each of its ways: read as SymPy means it, or refused."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest

import symbed
from symbed.errors import ParseError

sympy = pytest.importorskip("sympy")

NAMES = ["x", "y", "x_1", "alpha", "gamma", "theta_0", "omega", "a", "T", "psi"]
WAYS: list[dict[str, Any]] = [
    {}, {"mode": "inline"}, {"mode": "equation*"}, {"fold_short_frac": True}, {"mul_symbol": "dot"},
    {"mul_symbol": "times"}, {"ln_notation": True}, {"root_notation": False},
    {"fold_frac_powers": True}, {"fold_func_brackets": True}, {"long_frac_ratio": 1},
    {"inv_trig_style": "power"}, {"inv_trig_style": "full"},
]  # fmt: skip
# What SymPy means by these is not what everybody does, so that they are refused.
TWO_MEANINGS = ("behind '/'", "inverse function or the reciprocal")
N_FORMULAS, N_POINTS = 60, 4


@pytest.fixture(scope="module")
def formulas() -> tuple[Any, list[tuple[Any, np.ndarray]]]:
    """Points, and formulas with their values there."""
    dice = random.Random(11)
    symbols = [sympy.Symbol(name, positive=True) for name in NAMES]
    points = np.array([[dice.uniform(0.4, 2.2) for _ in NAMES] for _ in range(N_POINTS)])
    known = []
    while len(known) < N_FORMULAS:
        formula = _formula(dice, symbols, 3)
        if formula.has(sympy.zoo, sympy.nan, sympy.oo, sympy.I):
            continue
        at = [dict(zip(symbols, point, strict=True)) for point in points.tolist()]
        values = np.array([complex(formula.evalf(20, subs=one)) for one in at])
        if np.isfinite(values).all() and np.abs(values).max() < 1e6 and not values.imag.any():
            known.append((formula, values.real))
    return symbed.Probe.at(points, NAMES, n_draws=1), known


@pytest.mark.parametrize("way", WAYS, ids=lambda way: "-".join(map(str, way.items())) or "plain")
def test_what_is_read_has_the_values_of_the_formula(way: dict[str, Any], formulas) -> None:
    probe, known = formulas
    n_read = 0
    for formula, wanted in known:
        text = sympy.latex(formula, **way)
        try:
            expression = symbed.parse(text, NAMES, "latex")
        except ParseError as error:
            if any(words in str(error) for words in TWO_MEANINGS):
                continue
            raise
        values = symbed.observe(expression, probe).values.ravel()
        assert np.allclose(values, wanted, rtol=1e-7, atol=1e-12), text
        n_read += 1
    assert n_read > N_FORMULAS // 2


def _formula(dice: random.Random, symbols: list[Any], depth: int) -> Any:
    if not depth or dice.random() < 0.15:
        numbers = [sympy.Integer(dice.randint(1, 12)), sympy.Rational(dice.randint(1, 9), 7),
                   sympy.Float(round(dice.uniform(-5, 5), 3)), sympy.Float("1.5e-7"), sympy.pi,
                   sympy.E]  # fmt: skip
        return dice.choice(symbols) if dice.random() < 0.6 else dice.choice(numbers)
    a, b = (_formula(dice, symbols, depth - 1) for _ in "ab")
    functions = [sympy.sin, sympy.tan, sympy.exp, sympy.log, sympy.sqrt, sympy.Abs, sympy.atan,
                 sympy.gamma, sympy.erf, sympy.sec]  # fmt: skip
    exponents = [2, -1, -2, sympy.Rational(1, 2), sympy.Rational(1, 3), sympy.Rational(-1, 2), b]
    made = [a + b, a - b, a * b, a / b, a ** dice.choice(exponents), dice.choice(functions)(a)]
    return dice.choice(made)

"""The elementary functions where one result is right: special values, exact cases, laws."""

from __future__ import annotations

import math

import numpy as np
import pytest

from symbed.engine.reference.elementary.functions import FUNCTIONS
from tests.engine.test_elementary import ONE, assert_same_bits, inputs

INF, NAN = math.inf, math.nan
ODD = ("sin", "tan", "asin", "atan", "sinh", "tanh", "cbrt")
EVEN = ("cos", "cosh", "sech")
LOGARITHMS = ("ln", "log2", "log10")

VALUES: list[tuple[str, tuple[float, ...], float]] = [
    *[(name, (0.0,), 0.0) for name in (*ODD, "sqrt", "abs", "sign", "^2")],
    *[(name, (-0.0,), -0.0) for name in (*ODD, "sqrt", "^3", "^5")],
    *[(name, (0.0,), 1.0) for name in (*EVEN, "exp")],
    *[(name, (1.0,), 0.0) for name in (*LOGARITHMS, "acos")],
    *[(name, (x,), -INF) for name in LOGARITHMS for x in (0.0, -0.0)],
    *[(name, (x,), NAN) for name in (*LOGARITHMS, "sqrt") for x in (-1.0, -INF, -5e-324)],
    *[(name, (x,), NAN) for name in ("sin", "cos", "tan") for x in (INF, -INF)],
    *[(name, (x,), NAN) for name in ("asin", "acos") for x in (1.0000000000000002, -2.0, INF)],
    *[(name, (INF,), INF) for name in (*LOGARITHMS, "exp", "sinh", "cosh", "cbrt", "sqrt", "abs")],
    *[(name, (NAN,), NAN) for name in ONE],
    ("exp", (-INF,), 0.0), ("exp", (710.0,), INF), ("exp", (-746.0,), 0.0),
    ("exp", (-745.0,), 5e-324), ("sinh", (-INF,), -INF), ("cosh", (-INF,), INF),
    ("sech", (INF,), 0.0), ("sech", (-746.0,), 0.0), ("tanh", (INF,), 1.0),
    ("tanh", (-40.0,), -1.0), ("cbrt", (-INF,), -INF), ("cbrt", (-27.0,), -3.0),
    ("atan", (INF,), math.pi / 2), ("atan", (-INF,), -math.pi / 2), ("atan", (1.0,), math.pi / 4),
    ("asin", (1.0,), math.pi / 2), ("asin", (-1.0,), -math.pi / 2), ("acos", (-1.0,), math.pi),
    ("sign", (-0.0,), 0.0), ("sign", (-3.0,), -1.0), ("sign", (INF,), 1.0), ("^-1", (-0.0,), -INF),
    ("min", (0.0, -0.0), -0.0), ("min", (-0.0, 0.0), -0.0), ("max", (-0.0, 0.0), 0.0),
    ("max", (0.0, -0.0), 0.0), ("min", (1.0, NAN), NAN), ("max", (NAN, 1.0), NAN),
    ("min", (2.0, 1.0), 1.0),
    ("pdiv", (3.0, 0.001), 1.0), ("pdiv", (3.0, -0.0011), 3.0 / -0.0011), ("pdiv", (1.0, NAN), NAN),
    ("pdiv", (NAN, 2.0), NAN), ("pdiv", (NAN, 0.0), NAN), ("pdiv", (INF, 0.0), NAN),
    ("pdiv", (1.0, INF), NAN), ("plog", (-0.001,), 0.0), ("plog", (-1.0,), 0.0),
    ("plog", (-INF,), INF), ("pinv", (-0.001,), 0.0), ("pinv", (-0.5,), -2.0), ("pinv", (INF,), NAN),
    ("cond", (1.0, 5.0), 5.0), ("cond", (0.0, 5.0), 0.0), ("cond", (-1.0, NAN), 0.0),
    ("cond", (NAN, 5.0), NAN), ("cond", (INF, NAN), NAN), ("floor", (-0.5,), -1.0),
    ("floor", (-0.0,), -0.0), ("floor", (0.9999999999999999,), 0.0), ("floor", (-2.0,), -2.0),
    ("floor", (2.0**52 - 0.5,), 2.0**52 - 1), ("floor", (0.5 - 2.0**52,), -(2.0**52)),
    ("floor", (-INF,), -INF), ("floor", (1e300,), 1e300), ("floor", (5e-324,), 0.0),
    ("floor", (-5e-324,), -1.0), ("floor", (2.5,), 2.0), ("floor", (3.5,), 3.0),
]  # fmt: skip


@pytest.mark.parametrize(("name", "operands", "expected"), VALUES)
def test_special_values(name: str, operands: tuple[float, ...], expected: float) -> None:
    assert_same_bits(FUNCTIONS[name](*np.array(operands)[:, None]), np.array([expected]))


POWERS = [
    (0.0, 3.0, 0.0), (-0.0, 3.0, -0.0), (-0.0, 2.0, 0.0), (-0.0, 0.5, 0.0), (0.0, -1.0, INF),
    (-0.0, -1.0, -INF), (-0.0, -2.0, INF), (-0.0, -0.5, INF), (0.0, INF, 0.0), (0.0, -INF, INF),
    (-1.0, INF, 1.0), (-1.0, -INF, 1.0), (1.0, NAN, 1.0), (1.0, INF, 1.0), (NAN, 0.0, 1.0),
    (NAN, -0.0, 1.0), (INF, 0.0, 1.0), (NAN, 1.0, NAN), (2.0, NAN, NAN), (-2.0, 0.5, NAN),
    (-2.0, 3.0, -8.0), (-2.0, 2.0, 4.0), (-2.0, -1.0, -0.5), (0.5, INF, 0.0), (0.5, -INF, INF),
    (2.0, INF, INF), (2.0, -INF, 0.0), (-0.5, INF, 0.0), (-2.0, INF, INF), (INF, 2.0, INF),
    (INF, -2.0, 0.0), (-INF, 3.0, -INF), (-INF, 2.0, INF), (-INF, 0.5, INF), (-INF, -3.0, -0.0),
    (-INF, -2.0, 0.0), (-INF, -0.5, 0.0), (INF, INF, INF), (INF, -INF, 0.0), (-INF, INF, INF),
    (2.0, 10.0, 1024.0), (2.0, 1023.0, 2.0**1023), (2.0, 1024.0, INF), (2.0, -1074.0, 5e-324),
    (2.0, -1076.0, 0.0), (-2.0, 1025.0, -INF), (-2.0, -1077.0, -0.0), (5e-324, 1.0, 5e-324),
    (-1.0, 2.0**53 - 1, -1.0), (-1.0, 2.0**53, 1.0), (-1.0, 2.0**52 + 1, -1.0),
    (-1.0, 2.0**52 - 0.5, NAN), (9.0, 0.5, 3.0), (10.0, 3.0, 1000.0),
]  # fmt: skip


@pytest.mark.parametrize(("x", "y", "expected"), POWERS)
def test_pow_follows_c99(x: float, y: float, expected: float) -> None:
    assert_same_bits(FUNCTIONS["^"](np.array([x]), np.array([y])), np.array([expected]))


def test_sines_stay_within_one_and_symmetries_hold_to_the_bit() -> None:
    x = inputs(6)
    x = x[~np.isnan(x)]
    for name in ("sin", "cos", "tanh"):
        assert not (np.abs(FUNCTIONS[name](x)) > 1).any()
    for name in ODD:
        assert_same_bits(FUNCTIONS[name](-x), -FUNCTIONS[name](x), x)
    for name in EVEN:
        assert_same_bits(FUNCTIONS[name](-x), FUNCTIONS[name](x), x)
    for name in ("+", "*", "min", "max"):
        assert_same_bits(FUNCTIONS[name](x, x[::-1]), FUNCTIONS[name](x[::-1], x), x)


def test_exact_results_are_exact() -> None:
    n = np.arange(1.0, 200.0)
    x = inputs(5)
    x = x[np.isfinite(x)]
    assert_same_bits(FUNCTIONS["cbrt"](n * n * n), n)
    assert_same_bits(FUNCTIONS["log2"](2.0**n), n)
    assert_same_bits(FUNCTIONS["log10"](10.0 ** n[:22]), n[:22])
    assert_same_bits(FUNCTIONS["^"](x, 1.0), x)
    bases, powers = np.meshgrid(np.arange(-40, 41), np.arange(20))
    whole = [int(b) ** int(p) for b, p in zip(bases.flat, powers.flat, strict=True)]
    exact = np.array([abs(value) < 2**53 for value in whole])
    got = FUNCTIONS["^"](bases.ravel(), powers.ravel())
    assert_same_bits(got[exact], np.array(whole, dtype=float)[exact])

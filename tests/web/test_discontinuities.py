"""A curve is broken at its poles and jumps, and nowhere else."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from symbed._types import Floats
from symbed.web._densities import Breaks, find_breaks

X = (np.arange(160) + 0.5) / 160 * 4 - 1.5


def breaks(curve: Callable[[Floats], Floats]) -> Breaks:
    with np.errstate(all="ignore"):
        return find_breaks(curve, X, curve(X))


@pytest.mark.parametrize(
    ("curve", "at"),
    [
        (lambda x: 1 / x, [0.0]),
        (lambda x: 3 / (x - 0.7), [0.7]),
        (lambda x: 1 / x**2, [0.0]),
        (lambda x: 1 / x + 100, [0.0]),
        (lambda x: np.tan(np.pi * x), [-0.5, 0.5, 1.5]),
        (lambda x: 1 / ((x - 1) * (x + 1)), [-1.0, 1.0]),
    ],
)
def test_poles_are_found_where_they_are(curve: Callable[[Floats], Floats], at: list[float]) -> None:
    found = np.flatnonzero(breaks(curve).poles)
    assert len(found) == len(at)
    for place, gap in zip(at, found, strict=True):
        assert X[gap] <= place <= X[gap + 1]


@pytest.mark.parametrize(
    "curve", [np.floor, lambda x: np.sign(x - 0.3), lambda x: np.where(x < 1, x, 5.0)]
)
def test_jumps_are_breaks_and_no_poles(curve: Callable[[Floats], Floats]) -> None:
    found = breaks(curve)
    assert found.gaps.any()
    assert not found.poles.any()


@pytest.mark.parametrize(
    "curve",
    [
        lambda x: x,
        lambda x: np.full_like(x, 3.0),
        np.exp,
        lambda x: np.tanh(1000 * (x - 0.37)),
        lambda x: np.sin(40 * x),
        lambda x: np.sqrt(np.abs(x)),
        np.abs,
        lambda x: np.exp(-((x / 0.02) ** 2)),
        lambda x: 1 / (x**2 + 1e-4),
        np.sqrt,
        lambda x: np.full_like(x, np.nan),
        lambda x: 1e300 * np.sin(x),
    ],
)
def test_what_is_only_steep_is_whole(curve: Callable[[Floats], Floats]) -> None:
    assert not breaks(curve).gaps.any()

"""Pairs of formulas that agree at the points of a probe and differ elsewhere, for `duplicates`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

import symbed
from symbed._types import Floats

BASES = {
    1: ("{x}", "2*{x} + 1", "ln({x})", "C*{x}"),
    2: ("{x}*{y}", "{x} + {y}", "sqrt({x})*{y}", "C*{x} + {y}"),
    3: ("{x}*{y} + {z}", "{x}/{y}*{z}", "{x} + {y} + {z}", "C*{x}*{y} - {z}"),
}
DENSE = 1 << 14  # random points at which a pair must differ
DIFFERENT = 1e-3  # the least of their largest gap there, of the size of the formula


class Alias(NamedTuple):
    """A formula, another that agrees with it at the points, and what hides between them."""

    base: str
    other: str
    kind: str


def aliases(probe: symbed.Probe) -> Iterator[Alias]:
    """Pairs that agree at the points of a probe of one to three variables, of every kind there is.

    Only those are given that do agree at its points, and do differ elsewhere.
    """
    names = list(probe.variables)
    bases = [base.format(**dict(zip("xyz", names, strict=False))) for base in BASES[len(names)]]
    hidden = [*_waves(probe), *_peaks(probe), *_products(probe)]
    for number, (kind, text) in enumerate(hidden):
        base = bases[number % len(bases)]
        alias = Alias(base, f"{base} + {text}", kind)
        if _agrees(text, probe) and _differs(text, probe):
            yield alias


def _waves(probe: symbed.Probe) -> Iterator[tuple[str, str]]:
    """Waves with a zero at each point, where the values of a variable are evenly spaced."""
    n = probe.n_points
    for column, name in enumerate(probe.variables):
        values = np.sort(probe.points[:, column])
        step = (values[-1] - values[0]) / (n - 1)
        for half_waves in (1, 2, 3, 5, 8):
            frequency = float(half_waves / step)
            text = f"sin({frequency!r}*pi*({name} - {float(values[0])!r}))"
            yield f"wave of {half_waves} half waves in a step", text


def _peaks(probe: symbed.Probe) -> Iterator[tuple[str, str]]:
    """Peaks in the largest gaps between the points, so narrow that no point sees them."""
    points = probe.points
    low, high = points.min(axis=0), points.max(axis=0)
    places = low + (high - low) * np.random.default_rng(5).random((4096, points.shape[1]))
    gaps = np.sqrt(((places[:, None] - points) ** 2).sum(axis=2)).min(axis=1)
    order = np.argsort(-gaps)
    for number, reach in enumerate((6.2, 7.0, 8.0, 10.0, 12.0, 14.0)):  # gap over width of the peak
        for place in order[[number, 40 + number, 120 + number]].tolist():
            width = gaps[place] / reach
            squares = " + ".join(
                f"({name} - {float(center)!r})^2"
                for name, center in zip(probe.variables, places[place], strict=True)
            )
            yield f"peak of 1/{reach:g} of its gap", f"exp(-({squares})/{float(width**2)!r})"


def _products(probe: symbed.Probe) -> Iterator[tuple[str, str]]:
    """Products with a factor for each point, zero there: they need no evenly spaced values."""
    places = symbed.Probe(probe.domain, n_points=256, design="random", seed=77).points
    for scale in (0.5, 1.0, 2.0, 3.0):
        sizes = np.zeros(len(places))
        factors = []
        for point in probe.points:
            gaps = [
                f"sin({scale!r}*({name} - {float(value)!r}))^2"
                for name, value in zip(probe.variables, point, strict=True)
            ]
            squares = (np.sin(scale * (places - point)) ** 2).sum(axis=1)
            sizes += np.log(np.maximum(squares, 1e-300))
            factors.append(f"({' + '.join(gaps)})")
        shift = float(np.exp(-sizes.max() / len(factors)))
        text = "*".join(f"({shift!r}*{factor})" for factor in factors)
        yield f"product of {len(factors)} factors, scale {scale:g}", text


def _agrees(text: str, probe: symbed.Probe) -> bool:
    """Whether what is hidden cannot be told from zero at the points."""
    return bool(np.abs(_values(text, probe)).max() < 1e-13)


def _differs(text: str, probe: symbed.Probe) -> bool:
    dense = symbed.Probe(probe.domain, n_points=DENSE, design="random", seed=99)
    return bool(np.abs(_values(text, dense)).max() > DIFFERENT)


def _values(text: str, probe: symbed.Probe) -> Floats:
    outputs: Floats = symbed.observe(text, probe.with_(n_draws=1)).outputs[0]
    return outputs

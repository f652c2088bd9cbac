"""Pairs of formulas that agree at the points of a probe and differ elsewhere, for `duplicates`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

import symbed
from symbed._types import Floats, Integers

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
    hidden = [
        *_waves(probe), *_peaks(probe), *_products(probe), *_boxes(probe), *_tents(probe),
        *_distances(probe),
    ]  # fmt: skip
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
    places, gaps, order = _widest_gaps(probe, 2)
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


def _boxes(probe: symbed.Probe) -> Iterator[tuple[str, str]]:
    """1 in a box between the points and 0 elsewhere, by signs or by comparisons."""
    places, gaps, order = _widest_gaps(probe, np.inf)
    for number, reach in enumerate((1.02, 1.1, 1.3, 1.7, 2.5, 4.0)):
        for start, (rise, fall) in enumerate(
            (
                ("(1 + sign({0} - {1!r}))/2", "(1 - sign({0} - {1!r}))/2"),
                ("({0} > {1!r})", "({0} < {1!r})"),
            )
        ):
            place = int(order[number + 30 * start])
            width = gaps[place] / reach
            sides = [
                side.format(name, float(end))
                for name, center in zip(probe.variables, places[place], strict=True)
                for side, end in ((rise, center - width), (fall, center + width))
            ]
            yield f"box of 1/{reach:g} of its gap", "*".join(sides)


def _tents(probe: symbed.Probe) -> Iterator[tuple[str, str]]:
    """Pyramids between the points, with nothing but corners."""
    places, gaps, order = _widest_gaps(probe, 1)
    for number, reach in enumerate((1.02, 1.2, 1.6, 2.2, 3.0)):
        place = int(order[7 * number])
        way = " + ".join(
            f"abs({name} - {float(center)!r})"
            for name, center in zip(probe.variables, places[place], strict=True)
        )
        yield (
            f"tent of 1/{reach:g} of its gap",
            f"max(0, 1 - ({way})/{float(gaps[place] / reach)!r})",
        )


def _distances(probe: symbed.Probe) -> Iterator[tuple[str, str]]:
    """The distance to the nearest point, and functions of it."""
    names = probe.variables
    ways = [
        "("
        + " + ".join(f"abs({n} - {float(v)!r})" for n, v in zip(names, point, strict=True))
        + ")"
        for point in probe.points
    ]
    while len(ways) > 1:
        ways = [
            f"min({', '.join(ways[k : k + 2])})" if k + 1 < len(ways) else ways[k]
            for k in range(0, len(ways), 2)
        ]
    for shape in ("{0}", "{0}^2", "sqrt({0})", "tanh(5*{0})", "ln(1 + {0})", "1 - exp(-9*{0})"):
        yield f"distance to the nearest point, {shape.format('d')}", shape.format(ways[0])


def _widest_gaps(probe: symbed.Probe, norm: float) -> tuple[Floats, Floats, Integers]:
    """Random places, how far the nearest point is from each, and their order, farthest first."""
    points = probe.points
    low, high = points.min(axis=0), points.max(axis=0)
    places = low + (high - low) * np.random.default_rng(5).random((4096, points.shape[1]))
    gaps = np.linalg.norm(places[:, None] - points, ord=norm, axis=2).min(axis=1)
    return places, gaps, np.argsort(-gaps)


def _agrees(text: str, probe: symbed.Probe) -> bool:
    """Whether what is hidden cannot be told from zero at the points."""
    return bool(np.abs(_values(text, probe)).max() < 1e-13)


def _differs(text: str, probe: symbed.Probe) -> bool:
    dense = symbed.Probe(probe.domain, n_points=DENSE, design="random", seed=99)
    return bool(np.abs(_values(text, dense)).max() > DIFFERENT)


def _values(text: str, probe: symbed.Probe) -> Floats:
    outputs: Floats = symbed.observe(text, probe.with_(n_draws=1)).outputs[0]
    return outputs

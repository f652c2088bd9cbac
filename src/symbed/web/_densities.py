"""Density pictures of behaviors along an axis, as the numbers that the page draws them by.

Drawn lines are broken at poles and jumps, told apart from places where a curve is only steep. A
line through samples of ``1/x`` would cross the whole picture at 0. Between two samples that are
suspiciously far apart the curve is halved again and again, always on the side where it changes
most: what is steep comes together, a jump stays as large as it is, a pole grows.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from symbed import Behavior
from symbed._types import Booleans, Floats, Integers
from symbed.web._json_fields import encode

N_COLUMNS, N_ROWS = 160, 120  # of a density picture
N_PICTURE_DRAWS = 256
# Ranks among the sorted outputs of a column, between which its mass is spread evenly.
N_SPREAD = 24
LEVELS = (0.05, 0.25, 0.5, 0.75, 0.95)
TAIL = 0.005  # share of the outputs at each end that may fall off a picture with long tails
POLE_TAIL = 0.06  # and of one with poles, whose largest samples are an accident
DRAWN_LEVELS = (0, 2, 4)  # of the quantiles, as lines
LONG_TAIL = 1.6  # tails are cut where the whole is so many times wider than what is inside them
MARGIN = 0.04

STEEPER = 3.0  # times as far apart as the neighboring samples: worth a look
MAX_LOOKED_AT = 32  # gaps of one curve
HALVINGS = 18
PART = 0.4873  # where a gap is cut: poles often lie exactly in the middle, and have no value
STAYS = 0.25  # share of the gap that is left of a jump; of a steep place next to nothing is
GROWS = 8.0  # times as large as the samples beside it: a pole

Along = Callable[[Floats], Behavior]
Curves = Callable[[Floats], Floats]


def picture(lines: Sequence[Along], steps: Floats) -> dict[str, Any]:
    """Density pictures of behaviors along one axis, on one scale of outputs.

    Parameters
    ----------
    lines : sequence of callables
        Each observes one formula at some places of the axis.
    steps : (n_columns,) array
        The places of the columns.
    """
    behaviors = [line(steps) for line in lines]
    breaks = [_breaks(line, b, steps) for line, b in zip(lines, behaviors, strict=True)]
    has_poles = any(side.poles.any() for side in breaks)
    low, high = _window(behaviors, POLE_TAIL if has_poles else TAIL)
    return {
        "columns": len(steps),
        "rows": N_ROWS,
        "low": low,
        "high": high,
        "sides": [
            _side(behavior, low, high) | {"breaks": _gaps(behavior, side)}
            for behavior, side in zip(behaviors, breaks, strict=True)
        ],
    }


def _breaks(line: Along, behavior: Behavior, steps: Floats) -> Breaks:
    """Where the drawn lines of one side are broken, one row for each."""
    return find_breaks(lambda places: _drawn(line(places)), steps, _drawn(behavior))


def _drawn(behavior: Behavior) -> Floats:
    """The quantiles that are drawn as lines; of a curve there is one."""
    levels = _quantiles(behavior.outputs, behavior.counts)
    return np.asarray(levels[list(_levels(behavior))])


def _gaps(behavior: Behavior, breaks: Breaks) -> dict[int, list[int]]:
    rows = zip(_levels(behavior), breaks.gaps, strict=True)
    return {level: np.flatnonzero(gaps).tolist() for level, gaps in rows}


def _levels(behavior: Behavior) -> tuple[int, ...]:
    return DRAWN_LEVELS if len(behavior.outputs) > 1 else DRAWN_LEVELS[1:2]


def _window(behaviors: Sequence[Behavior], tail: float) -> tuple[float, float]:
    """The range of outputs to show, for all the pictures alike."""
    defined = [b.outputs[np.isfinite(b.outputs)] for b in behaviors]
    defined = [outputs for outputs in defined if len(outputs)]
    if not defined:
        return -1.0, 1.0
    low, high = (float(end(map(at, defined))) for end, at in ((min, np.min), (max, np.max)))
    # Of each formula by itself: one with many draws would push another out of the picture.
    inner = [np.quantile(outputs, [tail, 1.0 - tail], method="nearest") for outputs in defined]
    inner_low, inner_high = float(min(i[0] for i in inner)), float(max(i[1] for i in inner))
    # Halves are compared, because the width of the widest outputs is no float.
    if high / 2 - low / 2 > LONG_TAIL * (inner_high / 2 - inner_low / 2) > 0:
        low, high = inner_low, inner_high
    margin = MARGIN * (high / 2 - low / 2) * 2 or max(1.0, abs(low)) * MARGIN
    extreme = float(np.finfo(np.float64).max) / 8  # a window that is wider is no float itself
    return max(low - margin, -extreme), min(high + margin, extreme)


def _side(behavior: Behavior, low: float, high: float) -> dict[str, Any]:
    outputs, counts = behavior.outputs, behavior.counts
    with np.errstate(invalid="ignore"):
        outside = (outputs < low) | (outputs > high)
    return {
        "curve": len(outputs) == 1,
        "density": encode(_density(outputs, counts, low, high)),
        "quantiles": [encode(level) for level in _quantiles(outputs, counts)],
        "undefined": encode(1.0 - counts / len(outputs)),
        "clipped": float(outside.mean()),
    }


def _density(outputs: Floats, counts: NDArray[np.int32], low: float, high: float) -> NDArray[Any]:
    """(rows, columns) bytes, the first row highest: how dense the outputs are, 255 at the densest.

    Between some of the sorted outputs the mass is spread evenly, which is what makes a few hundred
    draws look like a density and not like as many threads.
    """
    m, n_columns = outputs.shape
    if m == 1:  # a curve, drawn as a line
        return np.zeros((N_ROWS, n_columns), np.uint8)
    edges, levels = np.linspace(0.0, 1.0, N_ROWS + 1), np.linspace(0.0, 1.0, N_SPREAD)
    # (columns, spread) ranks of defined outputs only: undefined ones are sorted last.
    ranks = np.rint(np.maximum(counts - 1, 0)[:, None] * levels).astype(np.int64)
    knots = outputs[ranks, np.arange(n_columns)[:, None]]
    # In units of the window, where neither huge nor tiny outputs have slopes beyond a float.
    knots = np.clip(knots / (high - low) - low / (high - low), -1.0, 2.0)
    below = np.zeros((n_columns, N_ROWS + 1))
    for column in np.flatnonzero(counts).tolist():
        below[column] = np.interp(edges, knots[column], levels, left=0.0, right=1.0)
    mass = (np.diff(below, axis=1) * (counts / m)[:, None]).T
    for _ in range(2):  # running means over neighboring rows: threads become a cloud
        mass[1:-1] = (mass[:-2] + mass[1:-1] + mass[2:]) / 3.0
    # The densest hundredth is cut: one narrow place would leave everything else pale.
    some = mass[mass > 0]
    top = float(np.quantile(some, 0.99)) if len(some) else 1.0
    return np.asarray(np.round(255.0 * np.minimum(mass[::-1] / top, 1.0)), np.uint8)


def _quantiles(outputs: Floats, counts: NDArray[np.int32]) -> Floats:
    """(levels, columns) quantiles of the defined outputs; NaN where there are none."""
    quantiles = np.full((len(LEVELS), len(counts)), np.nan)
    columns = np.flatnonzero(counts)
    for row, level in enumerate(LEVELS):
        ranks = np.ceil(level * counts[columns]).astype(np.int64) - 1
        quantiles[row, columns] = outputs[np.maximum(ranks, 0), columns]
    return quantiles


class Breaks(NamedTuple):
    """Gaps between neighboring samples in which curves are broken.

    Attributes
    ----------
    gaps : (..., n - 1) array of bool
        Whether a curve is broken between a sample and the next.
    poles : (..., n - 1) array of bool
        Whether it also grows without bound there.
    """

    gaps: Booleans
    poles: Booleans


def find_breaks(curves: Curves, x: Floats, y: Floats) -> Breaks:
    """Find the gaps between samples in which curves are broken.

    Parameters
    ----------
    curves : callable
        From places (k,) to values, (k,) of one curve or (n_curves, k) of several; NaN where they
        are undefined.
    x : (n,) array
        Ascending places.
    y : (n,) or (n_curves, n) array
        The values there.

    Examples
    --------
    >>> x = np.linspace(-1, 1, 8)
    >>> find_breaks(lambda x: 1 / x, x, 1 / x).poles.nonzero()[0].tolist()
    [3]
    >>> steep = lambda x: np.tanh(1000 * x)
    >>> find_breaks(steep, x, steep(x)).gaps.any().item()
    False
    """
    with np.errstate(over="ignore", invalid="ignore"):  # the largest outputs are far apart
        gaps, poles = _find(curves, x, np.atleast_2d(y))
    shape = (*y.shape[:-1], max(len(x) - 1, 0))
    return Breaks(gaps.reshape(shape), poles.reshape(shape))


def _find(curves: Curves, x: Floats, y: Floats) -> Breaks:
    poles = np.zeros((len(y), max(len(x) - 1, 0)), np.bool_)
    gaps = poles.copy()
    places = [_suspicious(curve) for curve in y]
    which = np.repeat(np.arange(len(y)), [len(some) for some in places])
    looked_at = np.concatenate(places)
    if not len(looked_at):
        return Breaks(gaps, poles)
    low, high = x[looked_at], x[looked_at + 1]
    at_low, at_high = y[which, looked_at], y[which, looked_at + 1]
    before = np.abs(at_high - at_low)
    height = np.maximum(np.abs(at_low), np.abs(at_high))
    hits = np.zeros(len(looked_at), np.bool_)  # exactly a place where nothing is defined
    highest = height.copy()
    for _ in range(HALVINGS):
        middle = (1.0 - PART) * low + PART * high
        # All curves are asked at all middles, and of each middle its own curve is taken.
        at_middle = np.atleast_2d(curves(middle))[which, np.arange(len(which))]
        hits |= ~np.isfinite(at_middle)
        # An undefined middle counts as the left end; ``hits`` remembers that it was met.
        value = np.where(np.isfinite(at_middle), at_middle, at_low)
        highest = np.maximum(highest, np.abs(value))
        left = _change(at_low, value) >= _change(value, at_high)
        low, at_low = np.where(left, low, middle), np.where(left, at_low, value)
        high, at_high = np.where(left, middle, high), np.where(left, value, at_high)
    grows = highest > GROWS * np.maximum(height, np.finfo(np.float64).tiny)
    stays = (np.abs(at_high - at_low) > STAYS * before) & (before > 0)
    poles[which, looked_at] = grows
    gaps[which, looked_at] = grows | stays | hits
    return Breaks(gaps, poles)


def _change(u: Floats, v: Floats) -> Floats:
    """How much a curve changes from one value to another; towards a pole also if both are alike."""
    change: Floats = np.abs(v - u) + 1e-3 * np.maximum(np.abs(u), np.abs(v))
    return change


def _suspicious(y: Floats) -> Integers:
    """The gaps that are much wider than their neighbors, or between samples that rise to them."""
    steps = np.diff(y)
    # The first and the last gap have one neighbor; fmax and fmin pass over the NaN.
    known = np.concatenate([[np.nan], steps, [np.nan]])
    before, after = known[:-2], known[2:]
    beside = np.fmax(np.abs(before), np.abs(after))
    # Jumps, and what is only steep.
    wide = np.abs(steps) > STEEPER * beside
    # Poles with a change of sign: 1/x falls on both sides of 0, and the step between rises.
    turned = (np.sign(steps) * np.sign(before) < 0) | (np.sign(steps) * np.sign(after) < 0)
    turned &= np.abs(steps) > np.fmin(np.abs(before), np.abs(after))
    # Rises from zero on the left, and comes back on the right.
    away = np.sign(y[:-1]) * np.sign(before) > 0
    # Poles without one: 1/x^2 rises to the gap and falls behind it, and the step itself is small.
    peaks = away & (np.sign(y[1:]) * np.sign(after) < 0) & (np.sign(y[:-1]) * np.sign(y[1:]) > 0)
    peaks &= np.abs(steps) < beside
    found = np.flatnonzero((wide | turned | peaks) & np.isfinite(steps))
    # Of too many the highest, as poles are.
    order = np.argsort(-np.maximum(np.abs(y[found]), np.abs(y[found + 1])), kind="stable")
    return np.sort(found[order[:MAX_LOOKED_AT]])

"""Density pictures of behaviors along an axis, as the numbers that the page draws them by."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from symbed import Behavior
from symbed._types import Floats
from symbed.plots.discontinuities import Breaks, find_breaks
from symbed.web.json_fields import encode

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


Along = Callable[[Floats], Behavior]


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

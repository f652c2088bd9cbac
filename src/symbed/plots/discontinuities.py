"""Where a sampled curve is broken: poles and jumps, told apart from places where it is only steep.

A line through samples of ``1/x`` would cross the whole picture at 0. Between two samples that are
suspiciously far apart the curve is halved again and again, always on the side where it changes
most: what is steep comes together, a jump stays as large as it is, a pole grows.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from symbed._types import Booleans, Floats

Curves = Callable[[Floats], Floats]

STEEPER = 3.0  # times as far apart as the neighboring samples: worth a look
MAX_LOOKED_AT = 32  # gaps of one curve
HALVINGS = 18
PART = 0.4873  # where a gap is cut: poles often lie exactly in the middle, and have no value
STAYS = 0.25  # share of the gap that is left of a jump; of a steep place next to nothing is
GROWS = 8.0  # times as large as the samples beside it: a pole


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


def _suspicious(y: Floats) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
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
    away = (
        np.sign(y[:-1]) * np.sign(before) > 0
    )  # rises from zero on the left, and comes back on the right
    # Poles without one: 1/x^2 rises to the gap and falls behind it, and the step itself is small.
    peaks = away & (np.sign(y[1:]) * np.sign(after) < 0) & (np.sign(y[:-1]) * np.sign(y[1:]) > 0)
    peaks &= np.abs(steps) < beside
    found = np.flatnonzero((wide | turned | peaks) & np.isfinite(steps))
    # Of too many the highest, as poles are.
    order = np.argsort(-np.maximum(np.abs(y[found]), np.abs(y[found + 1])), kind="stable")
    return np.sort(found[order[:MAX_LOOKED_AT]])

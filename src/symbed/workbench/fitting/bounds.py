"""Ranges of fitted parameters, and where descents start within them."""

from __future__ import annotations

import math
from collections.abc import Mapping
from functools import lru_cache
from numbers import Real

import numpy as np

from symbed._types import Floats
from symbed.engine.reference.elementary.functions import FUNCTIONS
from symbed.errors import RangeError
from symbed.sampling.counter_rng import uniforms

Bound = tuple[float, float]

FREE: Bound = (-math.inf, math.inf)
MOST_RANGES = 256  # as many as a program's words can tell apart
LN10 = 2.302585092994046
START_KEY = 0xF17  # keeps the numbers of starts apart from other uses of a seed


class Bounds:
    """The range of each parameter.

    Attributes
    ----------
    ranges : list of Bound
        The distinct ranges; a parameter's word holds its place here.
    names : dict from str to int
        The place for each name that was given its own; all others have the first.
    """

    def __init__(self, given: Bound | Mapping[str, Bound] | None) -> None:
        self.ranges: list[Bound] = [FREE]
        self.names: dict[str, int] = {}
        if isinstance(given, Mapping):
            for name, bound in given.items():
                self.names[name] = self._place(_checked(bound, f"bounds of {name!r}"))
        elif given is not None:
            self.ranges = [_checked(given, "bounds")]

    def range_of(self, name: str) -> int:
        """The place of a parameter's range."""
        return self.names.get(name, 0)

    def table(self) -> Floats:
        """The ranges as (n_ranges, 2)."""
        return np.array(self.ranges, np.float64)

    def starts(self, n_starts: int, n_slots: int, seed: int) -> Floats:
        """Where descents start, for parameters of each range: (n_ranges, n_starts, n_slots).

        The first start is 1, or the middle of a range without it. The others spread over a range
        with two ends evenly; otherwise their distance to the end, or to zero, is between 0.01 and
        100, each order of magnitude alike, since the size of a good value is not known.

        >>> Bounds((0, 5)).starts(3, 2, seed=0).round(2).tolist()
        [[[1.0, 1.0], [0.56, 0.21], [3.0, 3.13]]]
        """
        units = _units(n_starts, n_slots, seed)
        starts = np.stack([_spread(units, *bound) for bound in self.ranges])
        starts[:, 0] = [[_middle(*bound)] for bound in self.ranges]
        return starts

    def _place(self, bound: Bound) -> int:
        if bound not in self.ranges:
            self.ranges.append(bound)
        if len(self.ranges) > MOST_RANGES:
            raise RangeError(f"bounds have more than {MOST_RANGES - 1} different ranges")
        return self.ranges.index(bound)


@lru_cache(maxsize=64)  # a thousand starts take longer than many of the fits that use them
def _units(n_starts: int, n_slots: int, seed: int) -> Floats:
    units = np.stack([uniforms(n_slots, seed, START_KEY, start) for start in range(n_starts)])
    units.setflags(write=False)
    return units


def _checked(bound: object, owner: str) -> Bound:
    ends = bound.tolist() if isinstance(bound, np.ndarray) else bound
    if not isinstance(ends, tuple | list) or len(ends) != 2 or not all(map(_is_real, ends)):
        raise RangeError(f"{owner} need (low, high), got {bound!r}")
    low, high = (float(end) for end in ends)
    if not (low <= high and low < math.inf and high > -math.inf):
        raise RangeError(f"{owner} need low <= high, got {bound!r}")
    return low, high


def _is_real(end: object) -> bool:
    return isinstance(end, Real) and not isinstance(end, bool)


def _spread(units: Floats, low: float, high: float) -> Floats:
    """Numbers between 0 and 1 as values of a range."""
    if math.isfinite(low) and math.isfinite(high):
        return np.clip(low * (1.0 - units) + high * units, low, high)
    signed = 2.0 * units - 1.0
    sizes = FUNCTIONS["exp"](LN10 * (4.0 * np.abs(signed) - 2.0))
    if math.isfinite(low):
        return low + sizes
    return high - sizes if math.isfinite(high) else np.copysign(sizes, signed)


def _middle(low: float, high: float) -> float:
    if low <= 1.0 <= high:
        return 1.0
    if math.isfinite(low) and math.isfinite(high):
        return min(max(0.5 * low + 0.5 * high, low), high)
    return low + 1.0 if math.isfinite(low) else high - 1.0

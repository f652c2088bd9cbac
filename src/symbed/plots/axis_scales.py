"""Axes that show all numbers, heavy tails included: linear, or logarithmic far from zero."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np

from symbed._types import Floats

if TYPE_CHECKING:
    from matplotlib.axis import XAxis, YAxis
    from matplotlib.colors import Normalize

Kind = Literal["auto", "linear", "log"]
HEAVY_TAILS = 40.0  # the whole spread over the middle half's, from where on tails hide the rest
ROUNDING_SHARE = 1e-10  # of the upper quartile: distances below it are drawn as zero
MAX_TICKS = 6  # decades that are named on each side of zero
HUGE = 1e250  # larger numbers are drawn here, lest the arithmetic of a picture overflow
MAX_RATIO = 1e4  # of the end of a scale to the distances that must be told apart
TICK_GAP = 0.07  # share of the axis between zero and the first named decade


@dataclass(frozen=True)
class Scale:
    """An axis: linear, or linear up to ``width`` around 0 and logarithmic beyond."""

    low: float  # the ends of what is shown
    high: float
    width: float | None = None  # where the logarithmic part begins; None for a linear scale

    @classmethod
    def of(cls, values: Floats, kind: Kind = "auto") -> Scale:
        """The scale that suits outputs: any sign, some very large."""
        finite = tame(values[np.isfinite(values)])
        if not finite.size:
            return cls(0.0, 1.0)
        low, q1, q3, high = np.quantile(finite, [0.005, 0.25, 0.75, 0.995]).tolist()
        ends = float(finite.min()), float(finite.max())
        # A middle half of one value only has no spread, and nothing is heavy beside it.
        heavy = ends[1] - ends[0] > HEAVY_TAILS * (q3 - q1) > 0
        if kind == "log" or (kind == "auto" and heavy):
            return cls(*ends, width=_knee(finite, 0.5))._padded()
        # The outermost hundredth is left out where it would take two thirds of a linear axis.
        return cls(*(ends if ends[1] - ends[0] < 3.0 * (high - low) else (low, high)))._padded()

    @classmethod
    def of_distances(cls, values: Floats, kind: Kind = "auto", *, share: float = 1.0) -> Scale:
        """The scale that suits distances: from 0 on, infinite ones left out.

        With a ``share`` below 1 the scale ends at most ``MAX_RATIO`` times above what so many of
        the distances are below: a few monsters (random formulas reach 1e300) do not take it all.
        """
        positive = tame(values[np.isfinite(values) & (values > 0)])
        if not positive.size:
            return cls(0.0, 1.0)
        real = positive[positive >= ROUNDING_SHARE * np.quantile(positive, 0.75)]
        high = min(float(real.max()), MAX_RATIO * float(np.quantile(real, share)))
        if kind == "log" or (kind == "auto" and high > HEAVY_TAILS * float(np.median(real))):
            return cls(0.0, high, width=_knee(real, 0.1))
        return cls(0.0, high)

    def apply(self, values: Floats) -> Floats:
        """Where values stand on the scale, up to a factor."""
        if self.width is None:
            return values
        return np.arcsinh(values / self.width)

    def undo(self, places: Floats) -> Floats:
        """The values that stand at some places."""
        if self.width is None:
            return places
        return np.sinh(places) * self.width

    def set_axis(self, axis: XAxis | YAxis, top: float = 0.0) -> None:
        """Give the scale to an axis, with a share of room at its upper end."""
        low, high = self.apply(np.array([self.low, self.high]))
        ends = self.undo(np.array([low, high + top * (high - low)]))
        ax, name = axis.axes, axis.axis_name
        if self.width is not None:
            getattr(ax, f"set_{name}scale")("asinh", linear_width=self.width)
            axis.set_ticks(self.ticks(), [name_tick(value) for value in self.ticks()])
            axis.set_ticks([], minor=True)
        getattr(ax, f"set_{name}lim")(float(ends[0]), float(ends[1]))

    def ticks(self) -> list[float]:
        """Round numbers to name on the logarithmic scale: zero and some decades."""
        assert self.width is not None
        low, high = self.apply(np.array([self.low, self.high])).tolist()
        ticks = [0.0] if self.low <= 0 <= self.high else []
        for sign, end in ((1.0, self.high), (-1.0, -self.low)):
            first = int(np.ceil(np.log10(self.width)))
            last = int(np.floor(np.log10(end))) if end > 0 else first - 1
            step = max(1, -(-(last - first + 1) // MAX_TICKS))
            # From the outermost decade inward, so that the ends of the axis are named.
            values = [sign * 10.0**power for power in range(last, first - 1, -step)]
            places = self.apply(np.array(values))
            ticks += [
                v for v, at in zip(values, places, strict=True) if abs(at) > TICK_GAP * (high - low)
            ]
        return sorted(ticks)

    def color_norm(self) -> Normalize:
        """The scale for colors."""
        from matplotlib.colors import AsinhNorm, Normalize

        if self.width is None:
            return Normalize(self.low, self.high)
        return AsinhNorm(linear_width=self.width, vmin=self.low, vmax=self.high)

    def _padded(self) -> Scale:
        """Some room around; a single value gets as much as it is large."""
        low, high = self.apply(np.array([self.low, self.high])).tolist()
        # In places on the scale: the same share of the picture, logarithmic or not.
        room = 0.04 * (high - low)
        if not room > 1e-9 * max(abs(low), abs(high)):
            room = 0.1 * abs(high) or 1.0
        low, high = self.undo(np.array([low - room, high + room])).tolist()
        return Scale(low, high, self.width)


def tame(values: Floats) -> Floats:
    """Values that a picture can hold: finite ones are cut where its arithmetic would overflow."""
    return np.where(np.isfinite(values), np.clip(values, -HUGE, HUGE), values)


def name_tick(value: float) -> str:
    """A power of ten, or zero, as people write it.

    >>> name_tick(0.0), name_tick(-100.0), name_tick(1e6)
    ('0', '-100', '$10^{6}$')
    """
    if 0.01 <= abs(value) <= 1000 or not value:
        return f"{value:g}"
    power = round(np.log10(abs(value)))
    return f"${'-' if value < 0 else ''}10^{{{power}}}$"


def _knee(values: Floats, level: float) -> float:
    sizes = np.abs(values[values != 0])
    if not sizes.size:
        return 1.0
    knee = 10.0 ** np.round(np.log10(np.quantile(sizes, level)))
    # A value over the width is what arcsinh gets, and it must not overflow.
    return float(max(knee, sizes.max() / HUGE))

"""The query of a search: a behavior with its sketch, and what a limit on distances means for it."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from symbed._types import Floats
from symbed.distances import kernels
from symbed.distances.measure import Measure
from symbed.distances.search.sketch_table import BOUND_SLACK, LEAST, MEAN_SLACK, SIZE
from symbed.distances.search.sketches import sketch
from symbed.engine.structures.observations import SortedOutputs
from symbed.engine.structures.sketches import FAR_OUT, SketchPlan


@dataclass(frozen=True, eq=False)
class Query:
    """What is searched for.

    Attributes
    ----------
    side : SortedOutputs
        Its prepared outputs, as a block of one row.
    sketch : (blocks, width) array
        Its sketch.
    mask : array of bytes
        Where it is defined, bit by bit.
    keys : (3,) array
        Its means of |output|, output and sign * output.
    norm : float
        Its distance from zero.
    measure : Measure
        How distances are measured.
    """

    side: SortedOutputs
    sketch: NDArray[np.float32]
    mask: NDArray[np.uint8]
    keys: Floats
    norm: float
    measure: Measure

    @classmethod
    def of(cls, side: SortedOutputs, plan: SketchPlan, measure: Measure) -> Query:
        """A behavior, given as a block of one prepared row, as a query."""
        values, keys, masks = sketch(side, plan, measure)
        norm = float(kernels.sizes(side, measure)[0])
        return cls(side, values[0], masks[0], keys[0], norm, measure)

    @property
    def size(self) -> float:
        """Its mean |output|."""
        return float(self.keys[SIZE])

    def reach(self, limit: float) -> float:
        """The largest plain distance of anything that the measure puts within a limit."""
        return reach(limit, self.norm, self.measure)

    def passes(self, limit: float) -> float:
        """The largest bound that anything within a limit can have."""
        return passes(limit, self.norm, self.measure)

    def negligible(self, n_draws: int) -> tuple[float, float]:
        """A mean |output| below which nothing matters beside this, and how far all that is.

        Differences and sums are rounded monotonically. So if the computed distance is the same for
        outputs that are all smaller by v, and all larger by v, it is the same for any row with
        outputs between -v and v.
        """
        counts = np.where(self.side[1] > 0, np.int32(n_draws), np.int32(0))
        zero = np.where(counts > 0, 0.0, np.nan)[:, None, :].repeat(n_draws, axis=1), counts

        def distances(exponent: int) -> Floats:
            outputs, moved = self.side[0][0], math.ldexp(1.0, exponent)
            sizes = np.abs(outputs)
            with np.errstate(over="ignore"):
                both = np.stack([np.maximum(sizes - moved, 0.0), sizes + moved])
            near = both, self.side[1].repeat(2, axis=0)
            return kernels.cross(near, zero, self.measure)[:, 0]

        low, high = -1074, 1023
        while high - low > 1:
            middle = (low + high) // 2
            smaller, larger = distances(middle)
            low, high = (middle, high) if smaller == larger else (low, middle)
        smaller, larger = distances(low)
        if smaller != larger:
            return -1.0, 0.0
        return math.ldexp(0.5, low) / (n_draws * self.side[0].shape[2]), float(smaller)


def reach(limit: float, norm: float, measure: Measure) -> float:
    """The largest plain distance of anything that a measure puts within a limit.

    ``norm`` is the distance of the query from zero, or more. For the relative measure,
    2d / (a + b + d) with b <= a + d is at least d / (a + d).
    """
    if not measure.row.relative:
        return limit
    limit *= 1 + 1e-12
    if limit >= 1 or (measure.undefined == "strict" and measure.mismatch < math.inf):
        return math.inf
    return limit / (1 - limit) * norm


def passes(limit: float, norm: float, measure: Measure) -> float:
    """The largest bound of anything within a limit, with slack for what rounding can do."""
    slack = 2 * MEAN_SLACK * min(norm, FAR_OUT) + LEAST
    return reach(limit, norm, measure) * (1 + BOUND_SLACK) + slack

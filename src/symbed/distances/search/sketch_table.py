"""Tables of sketches: lower bounds of the distances of a behavior to all rows of a block.

The rows of a table are ordered by where they are defined, then by their mean |output|: whatever can
be near to a behavior stands in one run of rows.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from symbed._types import Booleans, Floats, Integers
from symbed.distances.measure import Measure
from symbed.engine.backend import active_backend
from symbed.engine.structures.observations import FAR_OUT, Scan, SketchPlan

SIZE, MEAN, TILT = range(3)  # columns of the keys

# What rounding can do. Sketches are single precision: relative to the outputs it is 2**-24, and
# adding up bounds loses a few bits more. Keys are double precision.
BOUND_SLACK, MEAN_SLACK, KEY_SLACK = 2.0**-17, 2.0**-22, 2.0**-40
LEAST = 1e-36  # smaller floats lose digits


@dataclass(frozen=True, eq=False)
class Sketches:
    """The sketches of one block, in an order of their own."""

    plan: SketchPlan  # how outputs were summed up
    rows: Integers  # (n,) the row of the block that each sketch belongs to
    values: NDArray[np.float32]  # (n, blocks, width) single-precision means
    keys: Floats  # (n, 3) means of |output|, output and sign * output
    masks: NDArray[np.uint8]  # (n_masks, bytes) where behaviors are defined; each kind once
    starts: Integers  # (n_masks + 1,) where the sketches of each mask begin; inside, by |output|
    whole: Booleans  # (n,) whether at every point either all draws have outputs, or none

    def __len__(self) -> int:
        return len(self.rows)

    @property
    def nbytes(self) -> int:
        """Bytes of memory."""
        arrays = (self.rows, self.values, self.keys, self.masks, self.starts, self.whole)
        return sum(array.nbytes for array in arrays)

    def zone(self, mask: NDArray[np.uint8]) -> slice:
        """The sketches of behaviors that are defined at just these points."""
        number = self._mask_numbers.get(mask.tobytes())
        return slice(0, 0) if number is None else slice(*self.starts[number : number + 2].tolist())

    def window(self, zone: slice, size: float, reach: float) -> slice:
        """The sketches in a zone whose mean |output| differs from ``size`` by at most ``reach``."""
        slack = KEY_SLACK * reach + 2 * KEY_SLACK * size + LEAST
        sizes = self.keys[zone, SIZE]
        low = np.searchsorted(sizes, size - reach - slack, side="left")
        high = np.searchsorted(sizes, size + (reach + slack), side="right")
        return slice(zone.start + int(low), zone.start + int(high))

    def around(self, zone: slice, size: float, count: int) -> slice:
        """At most so many sketches in a zone, those next to a mean |output|."""
        length = zone.stop - zone.start
        place = int(np.searchsorted(self.keys[zone, SIZE], size))
        first = max(0, min(place - count // 2, length - count))
        return slice(zone.start + first, zone.start + min(length, first + count))

    def one_sided(self, mask: NDArray[np.uint8]) -> Integers:
        """(n,) number of points at which just one of a sketch and a mask is defined."""
        counts = np.unpackbits(self.masks ^ mask, axis=1).sum(axis=1, dtype=np.int64)
        return np.repeat(counts, np.diff(self.starts))

    def key_bounds(self, rows: slice | Integers, keys: Floats) -> Floats:
        """Lower bounds of distances, in double precision, to the behavior that has these keys.

        They are coarse, but hold on to outputs of any size; less what rounding can do.
        """
        some = self.keys[rows]
        with np.errstate(over="ignore"):
            gaps: Floats = np.abs(some[:, SIZE] - keys[SIZE])
            for key in (MEAN, TILT):
                np.maximum(gaps, np.abs(some[:, key] - keys[key]), out=gaps)
        gaps -= KEY_SLACK * some[:, SIZE] + KEY_SLACK * keys[SIZE]
        return gaps

    def bounds(self, rows: slice | Integers, query: NDArray[np.float32], p: int) -> Floats:
        """Lower bounds of distances to the behavior that has the sketch ``query``."""
        scan = Scan(self.values, rows, query, self.plan.weights, p)
        return active_backend().scan(scan).astype(np.float64) if scan.n_rows else np.empty(0)

    @cached_property
    def places(self) -> Integers:
        """(n,) where the sketch of each row of the block stands."""
        places = np.empty_like(self.rows)
        places[self.rows] = np.arange(len(self.rows))
        return places

    @cached_property
    def _mask_numbers(self) -> dict[bytes, int]:
        return {mask.tobytes(): number for number, mask in enumerate(self.masks)}


def reach(limit: float, norm: float, measure: Measure) -> float:
    """The largest plain distance of anything that a measure puts within a limit.

    ``norm`` is the distance of the query from zero, or more. For the relative measure,
    2d / (a + b + d) with b <= a + d is at least d / (a + d).
    """
    if not measure.row.relative:
        return limit
    # Relative distances are rounded, too.
    limit *= 1 + 1e-12
    if limit >= 1 or (measure.undefined == "strict" and measure.mismatch < math.inf):
        return math.inf
    return limit / (1 - limit) * norm


def passes(limit: float, norm: float, measure: Measure) -> float:
    """The largest bound of anything within a limit, with slack for what rounding can do."""
    # By the query's size alone: what is within the limit is not much larger.
    slack = 2 * MEAN_SLACK * min(norm, FAR_OUT) + LEAST
    return reach(limit, norm, measure) * (1 + BOUND_SLACK) + slack

"""Short vectors that bound distances from below: how they are made, and how they are scanned."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from symbed._types import Floats, Integers, Singles

# Parts of the sorted outputs at a point in a sketch; more cost memory and prune little better.
SKETCH_BLOCKS = 2
FAR_OUT = 2.0**62  # sketches cut outputs off there: its square fits into single precision


@dataclass(frozen=True, eq=False)
class SketchPlan:
    """How a behavior becomes a sketch.

    Attributes
    ----------
    groups : NDArray[np.int32]
        (n_points,) the group of each point; neighboring points share one.
    n_groups : int
        Number of groups.
    shares : Floats
        (width,) one over the number of points in a group; 0 where there is none.
    weights : Singles
        (width,) share of the points that are in a group.
    signs : Floats
        (n_points,) +1 and -1 in turn, for a mean that is not like the others.
    """

    groups: NDArray[np.int32]
    n_groups: int
    shares: Floats
    weights: Singles
    signs: Floats

    @property
    def width(self) -> int:
        """Numbers in one block of a sketch."""
        return len(self.shares)

    @property
    def n_points(self) -> int:
        """Number of points."""
        return len(self.groups)


class Scan(NamedTuple):
    """Sketches, and one more that is compared with them.

    Attributes
    ----------
    values : Singles
        (n, blocks, width) sketches.
    rows : slice or Integers
        Which of them.
    query : Singles
        (blocks, width); one block stands for any number of equal ones.
    weights : Singles
        (width,) shares of the points.
    p : int
        Order, 1 or 2.
    """

    values: Singles
    rows: slice | Integers
    query: Singles
    weights: Singles
    p: int

    @property
    def n_rows(self) -> int:
        """Number of sketches that are compared."""
        rows = self.rows
        return rows.stop - rows.start if isinstance(rows, slice) else len(rows)

"""Programs with what they are evaluated on, outputs that are compared, and sketches of them.

No dataclasses: every process that measures one distance imports this, and making such a class takes
longer than the distance does.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from symbed._types import Counts, Floats, Integers, Singles

NO_SENTINELS = np.empty(0, np.int64)

# (k, m, n_points) outputs of k behaviors, sorted along the m draws with undefined ones last as NaN,
# and (k, n_points) how many of them are defined. One draw stands for the same output at every draw.
SortedOutputs = tuple[Floats, Counts]

# Parts of the sorted outputs at a point in a sketch; more cost memory and prune little better.
SKETCH_BLOCKS = 2
FAR_OUT = 2.0**62  # sketches cut outputs off there: its square fits into single precision


class Observation:
    """Programs and what they are evaluated on.

    Attributes
    ----------
    words : NDArray[np.int32]
        The code of all programs (see ``symbed.engine.program``).
    starts : Integers
        (n_programs + 1,) where each program begins in ``words``.
    variables : Floats
        (n_variables, n_points) inputs.
    columns : Floats
        (c, n_draws, n_points) draws, or (c, n_draws, 1) if all points share them.
    bases : Integers
        (n_programs,) first column of each program. Slot s of range r is drawn from column
        ``base + r * n_columns + place(s)``.
    n_columns : int
        Number of columns of one range.
    n_draws : int
        Number of outputs at each point.
    limit : float
        Outputs of larger magnitude are undefined.
    moves : Floats, optional
        (n_ranges, 3) center, low and high end of each range; columns are then given to slots in
        order of effect. None: in order of appearance.
    sentinels : Integers
        Up to 8 points at which effects are measured.
    """

    def __init__(
        self,
        words: NDArray[np.int32],
        starts: Integers,
        variables: Floats,
        columns: Floats,
        bases: Integers,
        n_columns: int,
        n_draws: int,
        limit: float = np.inf,
        moves: Floats | None = None,
        sentinels: Integers = NO_SENTINELS,
    ) -> None:
        self.words, self.starts = words, starts
        self.variables, self.columns, self.bases = variables, columns, bases
        self.n_columns, self.n_draws, self.limit = n_columns, n_draws, limit
        self.moves, self.sentinels = moves, sentinels

    @property
    def n_programs(self) -> int:
        """Number of programs."""
        return len(self.starts) - 1

    @property
    def n_points(self) -> int:
        """Number of points."""
        return int(self.variables.shape[1])


class Wasserstein(NamedTuple):
    """How two behaviors are compared.

    Attributes
    ----------
    p : int
        Order of the Wasserstein distance at a point and of the mean over the points, 1 or 2.
    mismatch : float
        Distance at a point where only one side has outputs.
    """

    p: int = 1
    mismatch: float = np.inf


class Pairs:
    """Which rows of two blocks are compared: ``a[i]`` of one with ``b[i]`` of the other."""

    def __init__(self, a: Integers, b: Integers) -> None:
        self.a, self.b = a, b


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

    n_blocks = SKETCH_BLOCKS

    def __init__(
        self,
        groups: NDArray[np.int32],
        n_groups: int,
        shares: Floats,
        weights: Singles,
        signs: Floats,
    ) -> None:
        self.groups, self.n_groups = groups, n_groups
        self.shares, self.weights, self.signs = shares, weights, signs

    @property
    def width(self) -> int:
        """Numbers in one block of a sketch."""
        return len(self.shares)

    @property
    def n_points(self) -> int:
        """Number of points."""
        return len(self.groups)


class Scan:
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

    def __init__(
        self, values: Singles, rows: slice | Integers, query: Singles, weights: Singles, p: int
    ) -> None:
        self.values, self.rows, self.query, self.weights, self.p = values, rows, query, weights, p

    @property
    def n_rows(self) -> int:
        """Number of sketches that are compared."""
        rows = self.rows
        return rows.stop - rows.start if isinstance(rows, slice) else len(rows)

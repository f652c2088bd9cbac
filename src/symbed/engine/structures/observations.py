"""Programs with what they are evaluated on, and the outputs that are compared."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from symbed._types import Counts, Floats, Integers

NO_SENTINELS = np.empty(0, np.int64)

# (k, m, n_points) outputs of k behaviors, sorted along the m draws with undefined ones last as NaN,
# and (k, n_points) how many of them are defined. One draw stands for the same output at every draw.
SortedOutputs = tuple[Floats, Counts]


class Observation(NamedTuple):
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

    words: NDArray[np.int32]
    starts: Integers
    variables: Floats
    columns: Floats
    bases: Integers
    n_columns: int
    n_draws: int
    limit: float = np.inf
    moves: Floats | None = None
    sentinels: Integers = NO_SENTINELS

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

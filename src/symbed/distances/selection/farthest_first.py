"""Farthest-first traversal: one after the other, whoever is farthest from all chosen so far.

From any start the largest distance of anybody to the nearest chosen one (the covering radius) is
at most twice what the best choice of as many could reach [1]_; no algorithm in polynomial time has
a smaller factor.

References
----------
.. [1] T. F. Gonzalez, "Clustering to minimize the maximum intercluster distance", Theoretical
   Computer Science 38, 1985.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from symbed._types import Booleans, Floats, Integers


class Apart(Protocol):
    """What tells whether two candidates are so near that they count as one.

    Two are duplicates if their distance is at most the sum of their tolerances.
    """

    def ceilings(self) -> Floats:
        """(n,) numbers that the tolerances do not pass; they need no measuring."""

    def tolerances(self, candidates: Integers) -> Floats:
        """The tolerances of some candidates."""


@dataclass(frozen=True, eq=False)
class FixedTolerance:
    """The same tolerance for each of ``n`` candidates: two are duplicates within ``apart``."""

    n: int
    apart: float

    def ceilings(self) -> Floats:
        """Half of the distance, for each."""
        return np.full(self.n, self.apart / 2)

    def tolerances(self, candidates: Integers) -> Floats:
        """Half of the distance, for each."""
        return np.full(len(candidates), self.apart / 2)


@dataclass(frozen=True, eq=False)
class Traversal:
    """What a traversal chose.

    Attributes
    ----------
    chosen : (k,) array
        The candidates, in the order in which they were chosen.
    steps : (k,) array
        How far each was from those before it; infinite for the first.
    gaps : (n,) array
        How far each candidate is from the nearest chosen one.
    owners : (n,) array
        Which of the chosen that is, by its place among them.
    """

    chosen: Integers
    steps: Floats
    gaps: Floats
    owners: Integers


def farthest_first(
    distances_from: Callable[[int], Floats],
    ranks: Integers,
    apart: Apart,
    k: int,
    advance: Callable[[], object],
) -> Traversal:
    """Choose up to k candidates that are far apart, none of them a duplicate of another.

    Parameters
    ----------
    distances_from : callable
        From the number of a candidate to its distances (n,) to all.
    ranks : (n,) array
        The place of each in the order of preference; the first is chosen first, and of equally far
        ones the preferred.
    apart : Apart
        What tells duplicates.
    k : int
        How many at most.
    advance : callable
        Called after each choice.
    """
    n = len(ranks)
    gaps, margins = np.full(n, np.inf), np.full(n, np.inf)
    owners = np.zeros(n, np.int64)
    is_open = np.ones(n, np.bool_)
    chosen: list[int] = []
    steps: list[float] = []
    candidate: int | None = int(np.argmin(ranks))
    while candidate is not None:
        steps.append(float(gaps[candidate]))
        row = distances_from(candidate)
        owners[row < gaps] = len(chosen)
        chosen.append(candidate)
        np.minimum(gaps, row, out=gaps)
        # What is left of a distance once the chosen one's tolerance is spent on it.
        np.minimum(margins, row - apart.tolerances(np.array([candidate]))[0], out=margins)
        is_open[candidate] = False
        advance()
        candidate = _farthest(gaps, margins, is_open, ranks, apart) if len(chosen) < k else None
    gaps[chosen] = 0.0
    owners[chosen] = np.arange(len(chosen))
    return Traversal(np.array(chosen, np.int64), np.array(steps), gaps, owners)


def _farthest(
    gaps: Floats, margins: Floats, is_open: Booleans, ranks: Integers, apart: Apart
) -> int | None:
    """The open candidate farthest from the chosen; duplicates that are met are closed for good."""
    ceilings = apart.ceilings()
    while is_open.any():
        candidates = np.flatnonzero(is_open)
        far = candidates[gaps[candidates] == gaps[candidates].max()]
        best = int(far[np.argmin(ranks[far])])
        if margins[best] > ceilings[best]:
            return best
        # Nobody open is farther, so all who may be duplicates are looked at together.
        doubtful = candidates[margins[candidates] <= ceilings[candidates]]
        equal = margins[doubtful] <= apart.tolerances(doubtful)
        is_open[doubtful[equal]] = False
        if is_open[best]:
            return best
    return None

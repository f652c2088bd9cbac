"""Linking: intervals on a line go in; runs of intervals that hang together come out.

Whatever two expressions can be equal, each of their means is nearly equal. So on the line of such a
mean, with an interval around each that is as wide as its tolerance, they are in one run; and runs
on one line are cut into smaller ones on the next.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from symbed._types import Floats, Integers


def link(runs: Integers, centers: Floats, reaches: Floats) -> Integers:
    """Cut runs into those that hang together on a line.

    Parameters
    ----------
    runs : (n,) the run that each item is in so far.
    centers, reaches : (n,) the middle of its interval, and how far it goes to both sides.

    Returns
    -------
    (n,) the number of the run that each item is in now.

    Examples
    --------
    >>> link(np.zeros(4, int), np.array([0.0, 5.0, 1.0, 5.5]), np.full(4, 0.5)).tolist()
    [0, 1, 0, 1]
    """
    n = len(runs)
    with np.errstate(over="ignore"):
        ends = np.concatenate([centers - reaches, centers + reaches])
    closes = np.repeat([False, True], n)
    order = np.lexsort((closes, ends, np.concatenate([runs, runs])))
    open_now = np.cumsum(np.where(closes[order], -1, 1))
    numbers = np.cumsum(open_now == 0)  # runs that are over
    found = np.empty(n, np.int64)
    opening = order < n
    found[order[opening]] = numbers[opening]
    return found


def several(runs: Integers) -> NDArray[np.bool_]:
    """(n,) whether an item shares its run with another.

    >>> several(np.array([0, 1, 0])).tolist()
    [True, False, True]
    """
    _, inverse, counts = np.unique(runs, return_inverse=True, return_counts=True)
    return counts[inverse] > 1


def in_runs(runs: Integers) -> Iterator[Integers]:
    """The items of each run, run by run.

    >>> [run.tolist() for run in in_runs(np.array([4, 7, 4]))]
    [[0, 2], [1]]
    """
    order = np.argsort(runs, kind="stable")
    cuts = np.flatnonzero(np.diff(runs[order])) + 1
    begins = [0, *cuts.tolist()]
    for begin, end in zip(begins, [*begins[1:], len(order)], strict=True):
        if end > begin:
            yield order[begin:end]

"""k-medoids: groups around representatives, from a distance matrix.

The greedy start of PAM, then swaps of a medoid and another member while one lowers the total; all
swaps of a round are judged at once. Deterministic: there is no random start.
"""

from __future__ import annotations

import numpy as np

from symbed._types import Floats, Integers

MOST_ROUNDS = 300


def medoid_labels(distances: Floats, n_clusters: int) -> Integers:
    """For each row, which of the medoids is nearest.

    >>> medoid_labels(np.abs(np.subtract.outer([0.0, 1, 9, 10], [0.0, 1, 9, 10])), 2)
    array([0, 0, 1, 1])
    """
    medoids = _greedy(distances, n_clusters)
    for _ in range(MOST_ROUNDS):
        swap = _best_swap(distances, medoids)
        if swap is None:
            break
        medoids[swap[0]] = swap[1]
    labels: Integers = np.argmin(distances[:, np.sort(medoids)], axis=1)
    return labels


def _greedy(distances: Floats, n_clusters: int) -> Integers:
    """One medoid after the other, each the one that lowers the total most."""
    chosen: list[int] = []
    nearest = np.full(len(distances), np.inf)
    for _ in range(n_clusters):
        totals = np.minimum(nearest[:, None], distances).sum(axis=0)
        totals[chosen] = np.inf
        chosen.append(int(np.argmin(totals)))
        nearest = np.minimum(nearest, distances[:, chosen[-1]])
    return np.array(chosen, np.int64)


def _best_swap(distances: Floats, medoids: Integers) -> tuple[int, int] | None:
    """The medoid to replace and by whom, or None if no swap lowers the total."""
    to_medoids = distances[:, medoids]
    order = np.argsort(to_medoids, axis=1, kind="stable")
    rows = np.arange(len(distances))
    home, nearest = order[:, 0], to_medoids[rows, order[:, 0]]
    second = to_medoids[rows, order[:, 1]] if len(medoids) > 1 else np.full(len(rows), np.inf)
    best, swap = -1e-12 * nearest.sum(), None
    for place in range(len(medoids)):
        without = np.where(home == place, second, nearest)
        change = np.minimum(without[:, None], distances).sum(axis=0) - nearest.sum()
        candidate = int(np.argmin(change))
        if change[candidate] < best:
            best, swap = float(change[candidate]), (place, candidate)
    return swap

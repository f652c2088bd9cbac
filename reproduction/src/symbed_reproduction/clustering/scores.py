"""Score the labels of a clustering against the true groups or by the distances.

The definitions are those of scikit-learn, which the tests compare with.
"""

from __future__ import annotations

import numpy as np

from symbed._types import Floats, Integers


def agreement(truth: Integers, labels: Integers) -> tuple[float, float, float]:
    """The adjusted Rand index, the V-measure and the Fowlkes-Mallows index.

    >>> agreement(np.array([0, 0, 1, 1]), np.array([5, 5, 2, 2]))
    (1.0, 1.0, 1.0)
    """
    counts = _contingency(truth, labels)
    return adjusted_rand(counts), v_measure(counts), fowlkes_mallows(counts)


def adjusted_rand(counts: Integers) -> float:
    """Pairs that two groupings agree on, beyond chance: 1 if all, about 0 for random labels."""
    both, first, second, pairs = _pairs(counts)
    expected = first * second / pairs
    most = (first + second) / 2
    return 1.0 if most == expected else (both - expected) / (most - expected)


def fowlkes_mallows(counts: Integers) -> float:
    """The geometric mean of precision and recall over pairs."""
    both, first, second, _ = _pairs(counts)
    return float(np.sqrt(both / first) * np.sqrt(both / second)) if both else 0.0


def v_measure(counts: Integers) -> float:
    """The harmonic mean of homogeneity and completeness."""
    whole = _entropy(counts.ravel())
    first, second = _entropy(counts.sum(axis=1)), _entropy(counts.sum(axis=0))
    if first + second == 0.0:
        return 1.0
    # With mutual information I: I/H1 and I/H2 have the harmonic mean 2*I/(H1 + H2).
    return 2.0 * (first + second - whole) / (first + second)


def silhouette(distances: Floats, labels: Integers) -> float:
    """The mean silhouette; an expression that is alone in its cluster counts 0.

    >>> round(silhouette(np.array([[0.0, 1, 4], [1, 0, 4], [4, 4, 0]]), np.array([0, 0, 1])), 3)
    0.5
    """
    _, numbers, sizes = np.unique(labels, return_inverse=True, return_counts=True)
    sums = np.stack([distances[:, numbers == one].sum(axis=1) for one in range(len(sizes))], axis=1)
    places = np.arange(len(labels))
    own_size = sizes[numbers]
    own = sums[places, numbers] / np.maximum(own_size - 1, 1)
    means = sums / sizes
    means[places, numbers] = np.inf
    other = means.min(axis=1)
    larger = np.maximum(own, other)
    values = np.divide(other - own, larger, out=np.zeros_like(own), where=larger > 0)
    return float(np.where(own_size > 1, values, 0.0).mean())


def nearest_share(distances: Floats, truth: Integers) -> float:
    """The share of expressions whose nearest other expression is of their own group."""
    apart = distances.copy()
    np.fill_diagonal(apart, np.inf)
    return float((truth[apart.argmin(axis=1)] == truth).mean())


def _contingency(truth: Integers, labels: Integers) -> Integers:
    """How often each true group meets each cluster."""
    _, rows = np.unique(truth, return_inverse=True)
    _, columns = np.unique(labels, return_inverse=True)
    counts = np.zeros((rows.max() + 1, columns.max() + 1), np.int64)
    np.add.at(counts, (rows, columns), 1)
    return counts


def _pairs(counts: Integers) -> tuple[float, float, float, float]:
    """Pairs together in both groupings, in the first, in the second, and all pairs."""
    sums = (counts.ravel(), counts.sum(axis=1), counts.sum(axis=0), counts.sum(keepdims=True))
    both, first, second, pairs = (float((some * (some - 1) // 2).sum()) for some in sums)
    return both, first, second, pairs


def _entropy(counts: Integers) -> float:
    shares = counts[counts > 0] / counts.sum()
    return float(-(shares * np.log(shares)).sum())

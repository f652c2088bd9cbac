"""How alike repeated runs rank expressions: mean rank correlations over pairs of runs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
from scipy.stats import rankdata

from symbed._types import Floats

Score = TypeVar("Score", float, Floats)
Ranker = Callable[[Floats], Floats]
HALF = np.int64(1 << 12)  # of the last bit that rounding keeps


@dataclass(frozen=True)
class Rankings:
    """What is known of the rankings of some runs; more runs can be added.

    The mean correlation over all pairs of runs follows from sums over the runs: with unit vectors
    z_1 .. z_R, the sum of z_r.z_s over r < s is (|z_1 + .. + z_R|^2 - R)/2.

    Attributes
    ----------
    n_runs : int
        Number of runs.
    whole : ndarray
        (n, n + 1) sums of the standardized ranks of each row. A row in which everything is tied has
        no direction; its runs agree among themselves, and are counted in the last column.
    others : ndarray
        The same where an expression itself is not ranked among its neighbors.
    """

    n_runs: int
    whole: Floats
    others: Floats

    @classmethod
    def of(cls, matrices: Floats, rank: Ranker | None = None) -> Rankings:
        """The rankings by the rows of distance matrices (runs, n, n).

        Entries in the diagonal must be the smallest of their rows. Distances that agree in 12
        digits are ties: ``x + C`` and ``x - C`` are equally far from ``x``, and rounding alone
        would decide which of them comes first. Another ``rank``, such as ``ordered_ranks``, may
        decide otherwise.
        """
        n = matrices.shape[-1]
        ranked = ranks(rounded(matrices)) if rank is None else rank(matrices)
        squares = np.einsum("rij,rij->ri", ranked, ranked)
        whole = _sum(ranked, np.full(squares.shape, (n + 1) / 2), squares - n * (n + 1) ** 2 / 4)
        # An expression is its own nearest neighbor, so the others have the ranks 2 .. n.
        own = np.einsum("rii->ri", ranked).copy()
        np.einsum("rii->ri", ranked)[:] = means = (n * (n + 1) / 2 - own) / (n - 1)
        others = _sum(ranked, means, squares - own**2 - (n - 1) * means**2)
        return cls(len(matrices), whole, others)

    def __add__(self, more: Rankings) -> Rankings:
        return Rankings(
            self.n_runs + more.n_runs, self.whole + more.whole, self.others + more.others
        )

    @property
    def scores(self) -> Floats:
        """(n,) mean Spearman correlation over pairs of different runs, for each expression."""
        return _mean_correlation(self.whole, self.n_runs)

    @property
    def other_scores(self) -> Floats:
        """The same over the other expressions only, without the expression itself."""
        return _mean_correlation(self.others, self.n_runs)


def with_self_pairs(score: Score, n_runs: int) -> Score:
    """The mean that also counts each run's correlation with itself, which is 1.

    Of 5050 pairs of 100 runs, 100 are such: rankings by chance get 0.0198 instead of 0.

    >>> round(with_self_pairs(0.0, 100), 4)
    0.0198
    """
    share = 2.0 / (n_runs + 1)
    return share + (1.0 - share) * score


def rounded(values: Floats) -> Floats:
    """Distances rounded to 40 bits, which are 12 digits.

    >>> bool(rounded(np.array(0.1 + 0.2)) == rounded(np.array(0.3)))
    True
    """
    bits = np.ascontiguousarray(values, np.float64).view(np.int64)
    return ((bits + HALF) & ~(2 * HALF - 1)).view(np.float64)


def ranks(values: Floats) -> Floats:
    """Ranks from 1 along the last axis; equal values share the mean of their ranks.

    >>> ranks(np.array([0.3, 0.1, 0.3, 9.0]))
    array([2.5, 1. , 2.5, 4. ])
    """
    return np.asarray(rankdata(values, axis=-1), np.float64)


def ordered_ranks(values: Floats) -> Floats:
    """Ranks from 1 along the last axis, by the last bit; equal values rank as they stand.

    >>> ordered_ranks(np.array([0.3, 0.1, 0.3, 9.0]))
    array([2., 1., 3., 4.])
    """
    return np.asarray(rankdata(values, "ordinal", axis=-1), np.float64)


def _sum(ranked: Floats, means: Floats, squares: Floats) -> Floats:
    """Over the runs, the sum of ranks around their means, scaled to length one."""
    flat = squares < 0.25  # two different ranks are at least a half apart
    scales = np.where(flat, 0.0, 1.0 / np.sqrt(np.where(flat, 1.0, squares)))
    total = np.einsum("rij,ri->ij", ranked, scales)
    total -= np.einsum("ri,ri->i", means, scales)[:, None]
    return np.concatenate([total, flat.sum(axis=0, dtype=np.float64)[:, None]], axis=1)


def _mean_correlation(total: Floats, n_runs: int) -> Floats:
    squares = np.square(total).sum(axis=1)
    return np.asarray((squares - n_runs) / (n_runs * (n_runs - 1)))

"""Every number again, in loops that a reader can verify."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence


def wasserstein(u: Sequence[float], v: Sequence[float], p: int = 1) -> float:
    """W_p of two empirical distributions: the integral of |Q_u - Q_v|^p over the quantile levels."""
    u, v = sorted(u), sorted(v)
    levels = sorted(
        {i * len(v) for i in range(len(u) + 1)} | {j * len(u) for j in range(len(v) + 1)}
    )
    whole = len(u) * len(v)
    total = 0.0
    for low, high in itertools.pairwise(levels):
        gap = abs(u[low // len(v)] - v[low // len(u)])
        total += (high - low) / whole * gap**p
    return total ** (1 / p)


def defined(row: Sequence[float], limit: float = math.inf) -> list[float]:
    """The outputs of a row that are defined."""
    return [value for value in row if math.isfinite(value) and abs(value) <= limit]


def bed(
    a: Sequence[Sequence[float]],
    b: Sequence[Sequence[float]],
    p: int = 1,
    mismatch: float = math.inf,
    limit: float = math.inf,
) -> float:
    """BED of two matrices of raw outputs (points x draws), word for word from the definition."""
    costs = []
    for row_a, row_b in zip(a, b, strict=True):
        u, v = defined(row_a, limit), defined(row_b, limit)
        if not u and not v:
            costs.append(0.0)
        elif not u or not v:
            costs.append(mismatch)
        else:
            costs.append(wasserstein(u, v, p))
    return (sum(cost**p for cost in costs) / len(costs)) ** (1 / p)

"""Cells of the clustering tables: scores go in, means with deviations as the paper prints them
come out.
"""

from __future__ import annotations

from collections.abc import Iterable

from symbed._types import Floats


def spread(mean: float, deviation: float) -> str:
    """A mean with its deviation, as the paper prints them.

    >>> spread(-0.0001, 0.02)
    '0.000 (± 0.020)'
    """
    return f"{mean:.3f} (± {deviation:.3f})".replace("-0.000 ", "0.000 ")


def moments(found: Floats) -> Iterable[tuple[float, float]]:
    """Mean and deviation of each column."""
    return zip(found.mean(axis=0).tolist(), found.std(axis=0).tolist(), strict=True)


def spreads(found: Floats) -> tuple[str, ...]:
    """Means with deviations of scores, (sets, scores)."""
    return tuple(spread(*pair) for pair in moments(found))

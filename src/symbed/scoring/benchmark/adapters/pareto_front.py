"""The front of error and size, for adapters: this file lies beside theirs and needs no package."""

from __future__ import annotations

from typing import Any


def front(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Rows that no smaller one beats, the lowest loss first.

    >>> rows = [{"loss": loss, "complexity": size} for loss, size in [(2, 1), (3, 2), (1, 3)]]
    >>> [row["loss"] for row in front(rows)]
    [1, 2]
    """
    kept: list[dict[str, Any]] = []
    for row in sorted(rows, key=lambda row: (row["complexity"], row["loss"])):
        if not kept or row["loss"] < kept[-1]["loss"]:
            kept.append(row)
    return kept[::-1]

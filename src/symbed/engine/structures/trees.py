"""Ordered trees in postorder, and what edits of them cost."""

from __future__ import annotations

from typing import NamedTuple

from symbed._types import Counts, Integers


class Trees:
    """Some ordered trees, their nodes in postorder one after the other.

    Attributes
    ----------
    labels, arities : Counts
        Of all nodes: the number of the label, and of the children.
    starts : Integers
        (n_trees + 1,) where each tree begins.
    """

    def __init__(self, labels: Counts, arities: Counts, starts: Integers) -> None:
        self.labels, self.arities, self.starts = labels, arities, starts

    def __len__(self) -> int:
        return len(self.starts) - 1

    def part(self, which: slice) -> Trees:
        """Some consecutive trees, without a copy."""
        return Trees(self.labels, self.arities, self.starts[which.start : which.stop + 1])

    def nodes(self, tree: int) -> tuple[list[int], list[int]]:
        """Labels and arities of one tree."""
        span = slice(self.starts[tree], self.starts[tree + 1])
        return self.labels[span].tolist(), self.arities[span].tolist()


class EditCosts(NamedTuple):
    """What edits cost, by label: inserting or removing a node, and relabeling one."""

    weights: Counts
    changes: Counts

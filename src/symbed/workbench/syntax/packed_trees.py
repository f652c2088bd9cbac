"""Packed trees: what the engines of the tree edit distance take, and how much work a tree makes."""

from __future__ import annotations

from typing import NamedTuple

from symbed._types import Counts, Integers


class Trees:
    """Some ordered trees, their nodes in postorder one after the other.

    Attributes
    ----------
    labels, arities : of all nodes: the number of the label, and of the children.
    starts : (n_trees + 1,) where each tree begins.
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


class Costs(NamedTuple):
    """What edits cost, by label: inserting or removing a node, and relabeling one."""

    weights: Counts
    changes: Counts


def works(trees: Trees) -> list[tuple[int, int]]:
    """For each tree, the nodes that the recursion visits from the left, and from the right.

    These are the nodes below all children but the first (but the last, from the right), and below
    the root. The steps for a pair are the product of the two trees' numbers.

    >>> import numpy as np
    >>> chain = Trees(np.zeros(5, np.int32), np.array([0, 0, 0, 2, 2]), np.array([0, 5]))
    >>> works(chain)  # x + (x + x)
    [(9, 7)]
    """
    return [_work(trees.nodes(tree)[1]) for tree in range(len(trees))]


def _work(arities: list[int]) -> tuple[int, int]:
    sizes: list[int] = []
    from_left = from_right = len(arities)
    for count in arities:
        below = sizes[len(sizes) - count :]
        del sizes[len(sizes) - count :]
        from_left += sum(below[1:])
        from_right += sum(below[:-1])
        sizes.append(1 + sum(below))
    return from_left, from_right

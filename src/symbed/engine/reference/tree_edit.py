"""Tree edit distance after Zhang and Shasha in plain Python, used where there is no native core."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from symbed._types import Floats
from symbed.engine.structures.trees import EditCosts, Trees


def tree_edit(a: Trees, b: Trees, costs: EditCosts | None) -> Floats:
    """(len(a), len(b)) distances of packed trees; see ``Backend.tree_edit``."""
    rows = [_plant(*a.nodes(tree)) for tree in range(len(a))]
    columns = [_plant(*b.nodes(tree)) for tree in range(len(b))]
    weight, change = _functions(costs)
    out = np.empty((len(a), len(b)))
    for i, row in enumerate(rows):
        for j, column in enumerate(columns):
            out[i, j] = _distance(row, column, weight, change)
    return out


class _Tree(NamedTuple):
    """A tree as the recursion sees it.

    ``lefts`` is the leftmost leaf below each node; ``keyroots`` are the nodes that are not the
    first child of their parent, ascending: below each of them the recursion starts anew.
    """

    labels: list[int]
    lefts: list[int]
    keyroots: list[int]


def _plant(labels: list[int], arities: list[int]) -> _Tree:
    lefts: list[int] = []
    stack: list[int] = []
    for place, count in enumerate(arities):
        left = stack[-count] if count else place
        del stack[len(stack) - count :]
        stack.append(left)
        lefts.append(left)
    highest = {left: place for place, left in enumerate(lefts)}
    return _Tree(labels, lefts, sorted(highest.values()))


def _distance(
    a: _Tree, b: _Tree, weight: Callable[[int], int], change: Callable[[int, int], int]
) -> int:
    trees = [[0] * len(b.labels) for _ in a.labels]
    for i in a.keyroots:
        for j in b.keyroots:
            _fill_below(a, b, i, j, trees, weight, change)
    return trees[-1][-1]


def _fill_below(
    a: _Tree,
    b: _Tree,
    i: int,
    j: int,
    trees: list[list[int]],
    weight: Callable[[int], int],
    change: Callable[[int, int], int],
) -> None:
    """The distances of all trees that start at the leftmost leaves of keyroots i and j.

    ``forests[x][y]`` is the distance of the forests of the first x and y nodes below i and j.
    """
    p, q = a.lefts[i], b.lefts[j]
    forests = [[0] * (j - q + 2) for _ in range(i - p + 2)]
    for y in range(q, j + 1):
        forests[0][y - q + 1] = forests[0][y - q] + weight(b.labels[y])
    for x in range(p, i + 1):
        row, above, before = forests[x - p + 1], forests[x - p], forests[a.lefts[x] - p]
        removal = weight(a.labels[x])
        row[0] = above[0] + removal
        for y in range(q, j + 1):
            c = y - q
            whole = a.lefts[x] == p and b.lefts[y] == q  # both forests are trees
            if whole:
                kept = above[c] + change(a.labels[x], b.labels[y])
            else:
                kept = before[b.lefts[y] - q] + trees[x][y]
            row[c + 1] = min(kept, above[c + 1] + removal, row[c] + weight(b.labels[y]))
            if whole:
                trees[x][y] = row[c + 1]


def _functions(costs: EditCosts | None) -> tuple[Callable[[int], int], Callable[[int, int], int]]:
    if costs is None:
        return lambda _: 1, lambda a, b: int(a != b)
    weights, changes = costs.weights.tolist(), costs.changes.tolist()
    return weights.__getitem__, lambda a, b: changes[a][b]

"""The tree edit distance of Zhang and Shasha (1989).

It is the least cost of inserting, removing and relabeling nodes that turns one ordered tree into
the other. The native core and its twin take the same packed trees; costs are whole numbers, so both
are exact.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Literal

import numpy as np

from symbed._types import Floats
from symbed.engine.backend import active_backend
from symbed.engine.structures.requests import EditCosts, Trees
from symbed.errors import RangeError
from symbed.language.expression import Expression, arity
from symbed.limits import LABELS, TREE, TREE_STEPS
from symbed.parallel import count_threads
from symbed.progress import Progress, Shown
from symbed.workbench.token_sequences import token_distances, tokens_of

Relabel = Literal["unit", "string"]

TILE = 64  # trees on each side of one call: 4,096 distances, some 5 ms
LARGE_TREE = 256  # nodes; the distance of two smaller trees never takes long


def tree_edit_distances(
    rows: Sequence[Expression],
    columns: Sequence[Expression] | None = None,
    *,
    relabel: Relabel = "unit",
    workers: int | None = None,
    progress: Shown = False,
) -> Floats:
    """The tree edit distances between rows and columns, or among the rows.

    With the costs ``unit`` each insertion, removal and relabeling costs 1. With ``string``
    relabeling costs the edit distance of the two labels as text, inserting or removing a node the
    length of its label. Progress counts tiles of 64 trees on each side.

    >>> from symbed import parse
    >>> trees = [parse("X_0 + C"), parse("X_0 - C"), parse("sin(X_0) + C")]
    >>> tree_edit_distances(trees)
    array([[0., 1., 1.],
           [1., 0., 2.],
           [1., 2., 0.]])
    >>> tree_edit_distances(trees[:1], trees[2:], relabel="string")
    array([[3.]])
    """
    if relabel not in ("unit", "string"):
        raise RangeError(f"relabel must be 'unit' or 'string', got {relabel!r}")
    labels: dict[str, int] = {}
    left = pack_trees(rows, labels)
    right = left if columns is None or columns is rows else pack_trees(columns, labels)
    costs = label_costs(list(labels)) if relabel == "string" else None
    return distances_of_trees(left, right, costs, workers, progress)


def pack_trees(expressions: Sequence[Expression], labels: dict[str, int]) -> Trees:
    """Trees as flat arrays; a new label gets the next number."""
    numbers: list[int] = []
    arities: list[int] = []
    starts = [0]
    for expression in expressions:
        TREE.check(expression.size)
        numbers += [labels.setdefault(t, len(labels)) for t in tokens_of(expression, "postfix")]
        arities += map(arity, expression.postfix)
        starts.append(len(numbers))
    return Trees(
        np.array(numbers, np.int32), np.array(arities, np.int32), np.array(starts, np.int64)
    )


def label_costs(labels: list[str]) -> EditCosts:
    """The costs of edits by the text of labels."""
    LABELS.check(len(labels))
    weights = np.array([len(label) for label in labels], np.int32)
    # A label is a word of its characters. Removing one costs its distance to the empty word, its
    # length: the costs of the package zss when it finds a string distance installed.
    return EditCosts(weights, token_distances("edit", labels, labels).astype(np.int32))


def distances_of_trees(
    left: Trees,
    right: Trees,
    costs: EditCosts | None = None,
    workers: int | None = None,
    progress: Shown = False,
) -> Floats:
    """The distances between packed trees whose labels are numbered alike.

    Tiles are filled by several threads; where rows are columns, each pair once.
    """
    _check_steps(left, right)
    engine, same = active_backend(), left is right
    distances = np.empty((len(left), len(right)))

    def fill(rows: slice, columns: slice) -> None:
        tile = engine.tree_edit(left.part(rows), right.part(columns), costs)
        distances[rows, columns] = tile
        if same:
            distances[columns, rows] = tile.T

    tiles = [(r, c) for r in _tiles(left) for c in _tiles(right) if not same or r.start <= c.start]
    with (
        ThreadPoolExecutor(count_threads(workers)) as pool,
        Progress("tiles", len(tiles), progress) as bar,
    ):
        for job in [pool.submit(fill, rows, columns) for rows, columns in tiles]:
            job.result()
            bar.advance()
    return distances


def _tiles(trees: Trees) -> Iterator[slice]:
    for start in range(0, len(trees), TILE):
        yield slice(start, min(start + TILE, len(trees)))


def _check_steps(left: Trees, right: Trees) -> None:
    """Refuse pairs of large trees that both fan out in the worst way; nothing else takes long."""
    large = [np.flatnonzero(np.diff(trees.starts) > LARGE_TREE) for trees in (left, right)]
    if not any(map(len, large)):
        return
    # (n_trees, 2) each. The core recurses from the side that is cheaper for the pair.
    a, b = np.array(recursion_sizes(left), float), np.array(recursion_sizes(right), float)
    for large_ones, others in ((a[large[0]], b), (b[large[1]], a)):
        for tree in large_ones:
            TREE_STEPS.check(int(np.min(tree * others, axis=1).max(initial=0.0)))


def recursion_sizes(trees: Trees) -> list[tuple[int, int]]:
    """For each tree, the nodes that the recursion visits from the left, and from the right.

    These are the nodes below all children but the first (but the last, from the right), and below
    the root. The steps for a pair are the product of the two trees' numbers.

    >>> import numpy as np
    >>> chain = Trees(np.zeros(5, np.int32), np.array([0, 0, 0, 2, 2]), np.array([0, 5]))
    >>> recursion_sizes(chain)  # x + (x + x)
    [(9, 7)]
    """
    return [_recursion_size(trees.nodes(tree)[1]) for tree in range(len(trees))]


def _recursion_size(arities: list[int]) -> tuple[int, int]:
    sizes: list[int] = []
    # The root counts with all nodes below it, whatever side the recursion comes from.
    from_left = from_right = len(arities)
    for count in arities:
        below = sizes[len(sizes) - count :]
        del sizes[len(sizes) - count :]
        from_left += sum(below[1:])
        from_right += sum(below[:-1])
        sizes.append(1 + sum(below))
    return from_left, from_right

"""Patterns: a law such as ``A + B`` and a tree go in; what A and B stand for comes out.

A pattern is an expression whose names A, B and D stand for any subtree. A name that occurs twice
stands for the same subtree.
"""

from __future__ import annotations

from collections.abc import Mapping

from symbed.language.expression import Item, Postfix, apply, arity, fold, spans

PLACEHOLDERS = frozenset("ABD")  # C is the anonymous parameter


def match(pattern: Postfix, tree: Postfix) -> dict[str, Postfix] | None:
    """What the pattern's names stand for in a tree, or None if it does not fit.

    >>> from symbed.language.operators import ADD
    >>> match(("A", "A", ADD), ("x", "x", ADD)), match(("A", "A", ADD), ("x", "y", ADD))
    ({'A': ('x',)}, None)
    """
    if not _same(pattern[-1], tree[-1]):  # most patterns fail here
        return None
    found: dict[str, Postfix] = {}
    outer, inner = spans(pattern), spans(tree)
    waiting = [(len(pattern) - 1, len(tree) - 1)]
    while waiting:
        end, place = waiting.pop()
        wanted = pattern[end]
        if wanted in PLACEHOLDERS:
            subtree = tree[inner[place] : place + 1]
            if found.setdefault(str(wanted), subtree) != subtree:
                return None
        elif not _same(wanted, tree[place]):
            return None
        else:
            below = zip(_operands(pattern, outer, end), _operands(tree, inner, place), strict=True)
            waiting.extend(below)
    return found


def fill(pattern: Postfix, bindings: Mapping[str, Postfix]) -> Postfix:
    """The pattern with its names replaced by what they stand for.

    >>> from symbed.language.operators import ADD
    >>> fill(("B", "A", ADD), {"A": ("x",), "B": (2.0,)})
    (2.0, 'x', <+>)
    """

    def leaf(item: Item) -> Postfix:
        return bindings[str(item)] if item in PLACEHOLDERS else (item,)

    return fold(pattern, leaf, apply)


def _same(wanted: Item, item: Item) -> bool:
    if wanted in PLACEHOLDERS or wanted != item:
        return wanted in PLACEHOLDERS
    return wanted != 0.0 or repr(wanted) == repr(item)  # 0 is not -0


def _operands(postfix: Postfix, starts: list[int], end: int) -> list[int]:
    """Where the operands of the node at ``end`` end, the last one first."""
    ends: list[int] = []
    for _ in range(arity(postfix[end])):
        end = end - 1 if not ends else starts[ends[-1]] - 1
        ends.append(end)
    return ends

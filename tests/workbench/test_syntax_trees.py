"""Tree edit distance: native and twin agree with each other and with a definition by recursion."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import symbed
from benchmarks.grammar_sampler import sample
from symbed.engine.reference import syntax as reference
from symbed.engine.structures.requests import EditCosts, Trees
from symbed.errors import LimitError, RangeError, ShapeError
from symbed.language.expression import Expression
from symbed.limits import LABELS, TREE
from symbed.workbench import tree_edit
from symbed.workbench.token_sequences import token_distances
from symbed.workbench.tree_edit import label_costs, recursion_sizes, tree_edit_distances
from tests.engine.engines import engine_in_use, has_core, native, twin
from tests.engine.engines import needs_core as needs_native

EXPRESSIONS = [symbed.parse(tokens) for tokens in sample(40, 3, seed=9)]

Node = tuple  # (label, (child, child ...))
leaves = st.sampled_from([("x", ()), ("C", ()), ("X_10", ())])
trees = st.recursive(
    leaves,
    lambda below: st.one_of(
        st.tuples(st.sampled_from(["sin", "exp"]), st.tuples(below)),
        st.tuples(st.sampled_from(["+", "-"]), st.tuples(below, below)),
        st.tuples(st.just("f"), st.tuples(below, below, below)),
    ),
    max_leaves=6,
)


def pack(nodes: list[Node], labels: dict[str, int]) -> Trees:
    flat: list[tuple[int, int]] = []
    starts = [0]

    def walk(node: Node) -> None:
        for child in node[1]:
            walk(child)
        flat.append((labels.setdefault(node[0], len(labels)), len(node[1])))

    for node in nodes:
        walk(node)
        starts.append(len(flat))
    columns = np.array(flat, np.int32).T
    return Trees(*map(np.ascontiguousarray, columns), np.array(starts, np.int64))


def naive(a: Node, b: Node, string: bool) -> int:
    """The definition: forests lose or match the root of their last tree."""

    def weight(label: str) -> int:
        return len(label) if string else 1

    def change(x: str, y: str) -> int:
        return int(token_distances("edit", [x], [y])[0, 0]) if string else int(x != y)

    @lru_cache(None)
    def forest(f: tuple[Node, ...], g: tuple[Node, ...]) -> int:
        if not f and not g:
            return 0
        options = []
        if f:
            options.append(forest(f[:-1] + f[-1][1], g) + weight(f[-1][0]))
        if g:
            options.append(forest(f, g[:-1] + g[-1][1]) + weight(g[-1][0]))
        if f and g:
            inside = forest(f[-1][1], g[-1][1]) + forest(f[:-1], g[:-1])
            options.append(inside + change(f[-1][0], g[-1][0]))
        return min(options)

    return forest((a,), (b,))


def engines() -> list:
    return [twin, native] if has_core else [twin]


@pytest.mark.parametrize("string", [False, True], ids=["unit", "string"])
@given(st.lists(trees, min_size=1, max_size=3), st.lists(trees, min_size=1, max_size=3))
@settings(max_examples=80, deadline=None)
def test_engines_follow_the_definition(string: bool, rows: list, columns: list) -> None:
    labels: dict[str, int] = {}
    a, b = pack(rows, labels), pack(columns, labels)
    costs = label_costs(list(labels)) if string else None
    wanted = [[naive(x, y, string) for y in columns] for x in rows]
    for engine in engines():
        assert engine.tree_edit(a, b, costs).tolist() == wanted


@pytest.mark.no_cover
@needs_native
@pytest.mark.parametrize("relabel", ["unit", "string"])
def test_both_engines_agree_on_expressions(relabel) -> None:
    fast = tree_edit_distances(EXPRESSIONS, relabel=relabel)
    with engine_in_use("numpy"):
        assert (tree_edit_distances(EXPRESSIONS, relabel=relabel) == fast).all()


def test_more_trees_than_one_tile_are_all_filled(monkeypatch) -> None:
    whole = tree_edit_distances(EXPRESSIONS)
    monkeypatch.setattr(tree_edit, "TILE", 7)
    assert (tree_edit_distances(EXPRESSIONS) == whole).all()
    assert (tree_edit_distances(EXPRESSIONS[:3], EXPRESSIONS) == whole[:3]).all()
    assert (tree_edit_distances(EXPRESSIONS, EXPRESSIONS[5:]) == whole[:, 5:]).all()


@pytest.mark.parametrize(
    ("e", "f", "unit", "string"),
    [
        ("x", "x", 0, 0),
        ("x", "y", 1, 1),
        ("x", "X_0", 1, 3),             # relabel: three letters; remove and insert would cost four
        ("x + C", "x*C", 1, 1),
        ("sin(x)", "x", 1, 3),          # to remove a node costs the length of its label
        ("sin(x)", "cos(x)", 1, 3),     # three letters replaced
        ("exp(x)", "sqrt(exp(x))", 1, 4),
        ("x + y", "y + x", 2, 2),
        ("x^2 + 1", "x^3 + 1", 1, 1),
    ],
)  # fmt: skip
def test_distances_that_can_be_checked_by_hand(e: str, f: str, unit: int, string: int) -> None:
    a, b = [symbed.parse(e)], [symbed.parse(f)]
    assert tree_edit_distances(a, b) == unit
    assert tree_edit_distances(a, b, relabel="string") == string


def _sum(n_terms: int, right: bool) -> Expression:
    """x + x + ... grown to the left or to the right."""
    from symbed.language.operators import ADD

    items: list = ["x"]
    for _ in range(n_terms - 1):
        items = [*items, "x", ADD] if not right else ["x", *items, ADD]
    return Expression.unchecked(tuple(items), None)


class TestLargeTrees:
    @pytest.mark.no_cover
    @pytest.mark.parametrize("right", [False, True])
    @needs_native
    def test_thousands_of_nodes_are_exact_whichever_way_they_grow(self, right: bool) -> None:
        a, b = _sum(1500, right), _sum(1490, right)
        assert tree_edit_distances([a], [b]) == 20

    @needs_native
    def test_the_limit_of_nodes_is_where_it_says(self) -> None:
        small = symbed.parse("x")
        at = _sum(2048, False)  # 4095 nodes
        assert tree_edit_distances([at], [small]) == at.size - 1
        with pytest.raises(
            LimitError, match=r"nodes of one tree .* 4,097 is over the limit of 4,096"
        ):
            tree_edit_distances([_sum(2049, False)], [small])
        assert TREE.maximum == 4096

    def test_a_pair_that_would_take_minutes_is_refused(self) -> None:
        from symbed.language.operators import ADD

        items: list = ["x"]
        for step in range(1500):
            items = [*items, "x", ADD] if step % 2 else ["x", *items, ADD]
        zigzag = Expression.unchecked(tuple(items), None)
        with pytest.raises(LimitError, match="steps of the tree edit distance"):
            tree_edit_distances([zigzag])

    def test_the_number_of_labels_with_string_costs_is_limited(self) -> None:
        numbers = [symbed.parse(str(number)) for number in range(LABELS.maximum + 1)]
        with pytest.raises(LimitError, match="different labels"):
            tree_edit_distances(numbers[:1], numbers, relabel="string")


@given(trees)
def test_work_counts_the_nodes_below_keyroots(tree: Node) -> None:
    labels, arities = pack([tree], {}).nodes(0)
    planted = reference._plant(labels, arities)
    nodes = sum(root + 1 - planted.lefts[root] for root in planted.keyroots)
    (from_left, from_right) = recursion_sizes(pack([tree], {}))[0]
    assert from_left == nodes
    mirrored = recursion_sizes(pack([_mirror(tree)], {}))[0]
    assert mirrored == (from_right, from_left)


def _mirror(node: Node) -> Node:
    return node[0], tuple(_mirror(child) for child in reversed(node[1]))


@needs_native
class TestWrongArrays:
    """The core checks what it is given: a status, never a crash."""

    def call(self, labels, arities, starts, costs=None) -> None:
        arrays = np.array(labels, np.int32), np.array(arities, np.int32), np.array(starts, np.int64)
        some = Trees(*arrays)
        native.tree_edit(some, some, costs)

    @pytest.mark.parametrize(
        ("arities", "starts"),
        [
            ([1, 0], [0, 2]),      # an operand is missing
            ([0, 0], [0, 2]),      # two trees
            ([0, 3], [0, 2]),
            ([0, -1], [0, 2]),
            ([0, 1], [0, 0, 2]),   # an empty tree
            ([0, 1], [2, 0]),
            ([0, 1], [-1, 1]),
        ],
    )  # fmt: skip
    def test_what_is_no_tree_is_an_error(self, arities, starts) -> None:
        with pytest.raises(ShapeError):
            self.call([0, 0], arities, starts)

    def test_a_label_without_cost_is_an_error(self) -> None:
        costs = EditCosts(np.ones(1, np.int32), np.zeros((1, 1), np.int32))
        self.call([0, 0], [0, 1], [0, 2], costs)
        with pytest.raises(ShapeError):
            self.call([0, 1], [0, 1], [0, 2], costs)


def test_an_unknown_cost_is_told() -> None:
    with pytest.raises(RangeError, match="relabel must be 'unit' or 'string', got 'word'"):
        tree_edit_distances(EXPRESSIONS[:1], relabel="word")  # type: ignore[arg-type]

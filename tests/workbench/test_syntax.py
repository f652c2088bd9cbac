"""Syntactic measures: each against a definition in loops, against RapidFuzz, and by its laws."""

from __future__ import annotations

import sys

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import symbed
from benchmarks.grammar_sampler import sample
from symbed.errors import DataError, MissingExtra, MissingRange, RangeError, ShapeError
from symbed.workbench import MEASURES, nearest, pairwise, syntactic_distance
from symbed.workbench.token_sequences import token_distances, tokens_of

rapidfuzz = pytest.importorskip("rapidfuzz")

EXPRESSIONS = [symbed.parse(tokens) for tokens in sample(60, 3, seed=4)]
letters = st.lists(st.sampled_from(["x", "C", "sin", "+", "^2", "12"]), min_size=1, max_size=12)
PROBE = symbed.Probe({"x": (0, 4)}, n_points=32)


def naive_edit(a: list[str], b: list[str]) -> int:
    table = np.zeros((len(a) + 1, len(b) + 1), int)
    table[:, 0], table[0] = range(len(a) + 1), range(len(b) + 1)
    for i, x in enumerate(a, 1):
        for j, y in enumerate(b, 1):
            replaced = table[i - 1, j - 1] + (x != y)
            table[i, j] = min(table[i - 1, j] + 1, table[i, j - 1] + 1, replaced)
    return int(table[-1, -1])


def naive_subsequence(a: list[str], b: list[str]) -> int:
    table = np.zeros((len(a) + 1, len(b) + 1), int)
    for i, x in enumerate(a, 1):
        for j, y in enumerate(b, 1):
            together = table[i - 1, j - 1] + 1
            table[i, j] = together if x == y else max(table[i - 1, j], table[i, j - 1])
    return max(len(a), len(b)) - int(table[-1, -1])


def naive_jaro(a: list[str], b: list[str]) -> float:
    """One minus the similarity as Jaro defined it in 1989."""
    reach = max(max(len(a), len(b)) // 2 - 1, 0)
    taken: list[int] = []
    left: list[str] = []
    for i, x in enumerate(a):
        for j in range(max(0, i - reach), min(len(b), i + reach + 1)):
            if j not in taken and b[j] == x:
                taken.append(j)
                left.append(x)
                break
    if not taken:
        return 1.0
    right = [b[j] for j in sorted(taken)]
    m = len(taken)
    swapped = sum(x != y for x, y in zip(left, right, strict=True)) // 2
    return 1.0 - (m / len(a) + m / len(b) + (m - swapped) / m) / 3


def naive_jaccard(a: list[str], b: list[str]) -> float:
    return 1 - len(set(a) & set(b)) / len(set(a) | set(b))


NAIVE = {
    "edit": naive_edit,
    "lcs": naive_subsequence,
    "jaro": naive_jaro,
    "jaccard": naive_jaccard,
}


@pytest.mark.parametrize("measure", NAIVE)
@given(st.lists(letters, min_size=1, max_size=4), st.lists(letters, min_size=1, max_size=4))
@settings(max_examples=150, deadline=None)
def test_distances_of_words_follow_their_definitions(measure: str, rows, columns) -> None:
    distances = token_distances(measure, rows, columns)
    wanted = [[NAIVE[measure](a, b) for b in columns] for a in rows]
    assert np.allclose(distances, wanted, rtol=1e-15, atol=1e-15)


@pytest.mark.parametrize(("measure", "scorer"), [("edit", "Levenshtein"), ("jaro", "Jaro")])
@pytest.mark.parametrize("notation", ["infix", "prefix", "postfix"])
def test_edit_and_jaro_equal_rapidfuzz_on_token_lists(measure: str, scorer: str, notation) -> None:
    function = getattr(rapidfuzz.distance, scorer).distance
    lists = [expression.tokens(notation) for expression in EXPRESSIONS]
    wanted = [[function(a, b) for b in lists] for a in lists]
    assert (pairwise(EXPRESSIONS, measure=measure, notation=notation).values == wanted).all()


@pytest.mark.parametrize("measure", ["edit", "lcs"])
@given(st.lists(letters, min_size=1, max_size=3))
@settings(max_examples=60, deadline=None)
def test_the_loop_and_rapidfuzz_agree(measure: str, rows) -> None:
    fast = token_distances(measure, rows, rows)
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(sys.modules, "rapidfuzz", None)
        assert (token_distances(measure, rows, rows) == fast).all()


def test_jaro_without_rapidfuzz_names_the_extra(monkeypatch) -> None:
    monkeypatch.setitem(sys.modules, "rapidfuzz", None)  # Python's own way to say: not installed
    with pytest.raises(MissingExtra, match=r"pip install 'symbed\[syntax\]'"):
        syntactic_distance("x", "x + 1", "jaro")
    assert syntactic_distance("x", "x + 1", "edit") == 2
    assert syntactic_distance("x", "x + 1", "lcs") == 2


def test_more_tokens_than_one_byte_of_characters_stay_apart() -> None:
    row = [str(number) for number in range(60_000)]  # beyond the surrogates of Unicode
    other = [*row[:55_000], "a", "b", *row[55_002:]]
    assert token_distances("edit", [row], [other]).tolist() == [[2.0]]


@pytest.mark.parametrize("notation", ["infix", "prefix", "postfix"])
def test_tokens_are_those_that_expressions_print(notation: str) -> None:
    zeros = [symbed.parse("x - 0"), symbed.parse("x*-0.0 + 1e-7"), symbed.parse("log10(-x)*pi")]
    for expression in (*EXPRESSIONS, *zeros):
        assert tokens_of(expression, notation) == expression.tokens(notation)


class TestByHand:
    @pytest.mark.parametrize(
        ("measure", "notation", "distance"),
        [
            ("edit", "infix", 2),       # 2*x+5 -> 2*x-3: the sign and the number
            ("edit", "postfix", 2),
            ("edit", "prefix", 2),
            ("lcs", "infix", 2),
            ("jaccard", "infix", 4 / 7),  # 2 * x of 2 * x + 5 - 3
            ("tree", "infix", 2),
        ],
    )  # fmt: skip
    def test_the_papers_example(self, measure: str, notation, distance: float) -> None:
        assert syntactic_distance("2*x + 5", "2*x - 3", measure, notation) == pytest.approx(
            distance
        )

    def test_the_papers_taylor_table(self) -> None:
        series = ["x", "x - x^3/6", "x - x^3/6 + x^5/120"]
        distances = pairwise(series, ["sin(x)"], measure="edit").values[:, 0]
        assert (np.diff(distances) > 0).all()

    def test_tokens_are_those_of_the_paper(self) -> None:
        assert syntactic_distance(["C", "*", "X_0", "^2"], "C*X_0^2") == 0
        assert syntactic_distance("x^2", "x*x", notation="postfix") == 2


@pytest.mark.parametrize("name", [name for name, row in MEASURES.items() if row.symmetric])
def test_symmetric_measures_are_zero_on_the_diagonal_and_symmetric(name: str) -> None:
    probe = None
    sources: list = EXPRESSIONS[:30]
    if name == "rmse":
        probe, sources = PROBE, ["x", "x + 1", "sin(x)", "x^2"]
    matrix = pairwise(sources, measure=name, probe=probe)
    assert (np.diag(matrix) == 0).all()
    assert (matrix.values == matrix.values.T).all()


@pytest.mark.parametrize("name", ["edit", "lcs", "tree", "jaccard"])
def test_these_measures_obey_the_triangle_inequality(name: str) -> None:
    d = pairwise(EXPRESSIONS, measure=name).values
    assert (d[:, None, :] <= d[:, :, None] + d[None, :, :] + 1e-12).all()


@pytest.mark.parametrize("name", ["edit", "jaro", "lcs", "jaccard", "tree"])
def test_an_entry_of_the_matrix_is_the_distance(name: str) -> None:
    rows, columns = EXPRESSIONS[:6], EXPRESSIONS[10:14]
    matrix = pairwise(rows, columns, measure=name, workers=1)
    assert matrix.shape == (6, 4)
    assert list(matrix.row_labels) == list(map(str, rows))
    assert list(matrix.column_labels[1:3]) == list(map(str, columns[1:3]))
    for i, a in enumerate(rows):
        for j, b in enumerate(columns):
            assert matrix[i, j] == syntactic_distance(a, b, name)


def test_the_number_of_workers_changes_nothing() -> None:
    for name in ("edit", "jaro", "tree"):
        one, two = (pairwise(EXPRESSIONS, measure=name, workers=w).values for w in (1, 2))
        assert (one == two).all()


def test_a_matrix_knows_how_it_was_measured() -> None:
    matrix = pairwise(["x", "x + 1"], measure="tree", relabel="string")
    assert (matrix.measure.name, matrix.measure.relabel) == ("tree", "string")
    assert np.asarray(matrix).shape == (2, 2)


class TestNearest:
    def test_ties_come_in_the_order_given(self) -> None:
        neighbors = nearest("x", ["x + 1", "x", "x - 1", "x"], k=3)
        assert neighbors.indices.tolist() == [1, 3, 0]
        assert neighbors.distances.tolist() == [0, 0, 2]
        assert neighbors.labels == ("x", "x", "x + 1")

    def test_fewer_than_k_are_all_of_them(self) -> None:
        assert len(nearest("x", ["y", "x"], k=10, measure="jaccard")) == 2

    def test_it_is_a_row_of_the_matrix(self) -> None:
        neighbors = nearest(EXPRESSIONS[0], EXPRESSIONS, k=60, measure="jaro")
        row = pairwise(EXPRESSIONS[:1], EXPRESSIONS, measure="jaro").values[0]
        assert (neighbors.distances == np.sort(row)).all()
        assert (row[neighbors.indices] == neighbors.distances).all()


class TestOutputs:
    X = np.array([0.0, 1.0, 3.0])
    AT = symbed.Probe.at(X, ["x"])

    def test_rmse_is_the_root_of_the_mean_of_squares(self) -> None:
        wanted = np.sqrt(np.mean((self.X**2 - 2 * self.X) ** 2))
        assert syntactic_distance("x^2", "2*x", "rmse", probe=self.AT) == pytest.approx(wanted)

    def test_one_minus_r2_takes_the_first_as_the_truth(self) -> None:
        y, guess = self.X**2, 2 * self.X
        wanted = np.sum((y - guess) ** 2) / np.sum((y - y.mean()) ** 2)
        there = syntactic_distance("x^2", "2*x", "1-r2", probe=self.AT)
        back = syntactic_distance("2*x", "x^2", "1-r2", probe=self.AT)
        assert there == pytest.approx(wanted, rel=1e-14)
        assert back == pytest.approx(wanted * np.var(y) / np.var(guess), rel=1e-14)
        assert there != back
        assert not MEASURES["1-r2"].symmetric

    def test_the_mean_of_the_truth_explains_nothing(self) -> None:
        assert syntactic_distance("x", "4/3", "1-r2", probe=self.AT) == pytest.approx(1)

    def test_a_constant_truth_is_explained_by_itself_only(self) -> None:
        matrix = pairwise(["2"], ["2", "x", "1 + 1"], measure="1-r2", probe=self.AT)
        assert matrix.values.tolist() == [[0, np.inf, 0]]

    @pytest.mark.parametrize("measure", ["rmse", "1-r2"])
    def test_undefined_on_one_side_is_infinitely_far_and_on_both_nothing(self, measure) -> None:
        matrix = pairwise(["1/x", "x"], ["1/x", "x", "2/x"], measure=measure, probe=self.AT)
        assert matrix[0, 0] == 0
        assert matrix[0, 1] == np.inf
        assert matrix[1, 0] == np.inf
        assert np.isfinite(matrix[0, 2])

    def test_r2_over_the_defined_points(self) -> None:
        y, guess = 1 / self.X[1:], 2 / self.X[1:]
        wanted = np.sum((y - guess) ** 2) / np.sum((y - y.mean()) ** 2)
        assert syntactic_distance("1/x", "2/x", "1-r2", probe=self.AT) == pytest.approx(wanted)

    def test_free_parameters_are_an_error_that_says_what_to_do(self) -> None:
        with pytest.raises(RangeError, match=r"'C\*x' has free parameters C.*fit it first"):
            syntactic_distance("C*x", "x", "rmse", probe=self.AT)

    def test_a_probe_is_needed(self) -> None:
        with pytest.raises(MissingRange, match="give probe="):
            syntactic_distance("x", "2*x", "rmse")


@pytest.mark.parametrize(
    ("act", "kind", "message"),
    [
        (lambda: syntactic_distance("x", "y", "cosine"), RangeError,
         "must be one of edit, jaro, lcs, jaccard, tree, rmse, 1-r2, got 'cosine'"),
        (lambda: syntactic_distance("x", "y", "edit", "polish"), RangeError,  # type: ignore[arg-type]
         "notation must be one of infix, prefix, postfix"),
        (lambda: pairwise([]), DataError, "nothing to compare"),
        (lambda: pairwise("x + 1"), ShapeError, r"put it in brackets"),
        (lambda: pairwise(["x"], workers=0), RangeError, "workers"),
        (lambda: nearest("x", ["y"], k=0), RangeError, "k must be at least 1"),
        (lambda: syntactic_distance("x +", "y"), symbed.SymbedError, "column"),
    ],
)  # fmt: skip
def test_a_bad_argument_is_told(act, kind: type[Exception], message: str) -> None:
    with pytest.raises(kind, match=message):
        act()

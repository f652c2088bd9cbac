from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import symbed
from symbed.language.expression import Postfix
from symbed.workbench import Rewriter, evaluate, paper_grammar, sample
from symbed.workbench._identities import (
    IDENTITIES,
    MARGIN,
    PLACEHOLDERS,
    TABLE,
    TAME,
    UNKNOWN,
    Transformation,
    bounds,
    fill,
    is_finite,
    magnitude,
    match,
)

ROWS = (*TABLE, *IDENTITIES)
NAMES = ("A", "B", "D")


def tree(text: str) -> Postfix:
    return symbed.parse(text).postfix


class TestRows:
    @pytest.mark.parametrize("row", ROWS, ids=str)
    def test_both_sides_of_a_law_are_equal_wherever_it_is_applied(
        self, row: Transformation
    ) -> None:
        points = np.random.default_rng(0).uniform(0.1, 5, (200, 3))
        left, right = (
            evaluate(symbed.parse(side), points, NAMES) for side in (row.left, row.right)
        )
        assert np.isfinite(left).all()
        assert np.allclose(left, right, rtol=1e-12, atol=1e-12)

    def test_every_law_of_the_paper_has_its_rows(self) -> None:
        assert {row.law for row in ROWS} == {
            "commutativity of +", "associativity of +", "factoring", "trigonometric identity",
            "logarithm combination", "commutativity of *", "associativity of *", "distributivity",
            "minus removal", "division removal", "sine/cosine identity", "power expansion", "zero",
            "one", "additive identity", "multiplicative identity",
        }  # fmt: skip
        assert len(set(map(str, ROWS))) == len(ROWS)

    def test_the_page_of_equivalents_lists_every_row(self) -> None:
        page = (Path(__file__).parents[2] / "docs" / "equivalents.md").read_text()
        laws: dict[str, list[str]] = {}
        for row in ROWS:
            laws.setdefault(row.law, []).append(f"`{row.left} → {row.right}`")
        lines = [f"| {law} | {', '.join(rows)} |" for law, rows in laws.items()]
        assert [line for line in page.splitlines() if "→" in line] == lines

    @pytest.mark.parametrize(
        ("text", "law"),
        [
            ("C*(X_0 + X_1)", "distributivity"),
            ("(X_0 + X_1)*C", "distributivity"),
            ("C*X_0 + C*X_0", "factoring"),
            ("a*X_0 + a*X_0", "factoring"),
            ("2*C", "factoring"),
            ("a*X_0 + a*X_1", "distributivity"),
            ("sin(a)^2 + cos(a)^2", "trigonometric identity"),
            ("(C*X_0)^2", "power expansion"),
            ("a/a", "one"),
            ("a - a", "zero"),
        ],
    )
    def test_a_law_never_copies_merges_or_drops_a_parameter(self, text: str, law: str) -> None:
        assert law not in self._fitting(text)
        plain = text.replace("C", "X_1").replace("a", "X_1")
        assert law in self._fitting(plain)

    @pytest.mark.parametrize(
        ("text", "law", "domain"),
        [
            ("ln(X_0) + ln(X_1)", "logarithm combination", (-1.0, 5.0)),
            ("ln(X_0*X_1)", "logarithm combination", (-1.0, 5.0)),
            ("X_0/X_0", "one", (-1.0, 5.0)),
            ("sin(ln(X_0))^2 + cos(ln(X_0))^2", "trigonometric identity", (-1.0, 5.0)),
            ("sqrt(X_0) - sqrt(X_0)", "zero", (-1.0, 5.0)),
        ],
    )
    def test_a_law_with_a_condition_waits_for_its_proof(
        self, text: str, law: str, domain: tuple[float, float]
    ) -> None:
        assert law in self._fitting(text)
        assert law not in self._fitting(text, domain)

    def test_parameters_may_be_moved_and_combined_where_each_stays_one(self) -> None:
        assert "logarithm combination" in self._fitting("ln(C*X_0) + ln(C)")
        assert "distributivity" in self._fitting("X_0*(C + C)")
        assert "sine/cosine identity" in self._fitting("cos(C*X_1)")

    def test_subtrees_are_made_up_only_where_there_are_variables(self) -> None:
        rows = [row for row in TABLE if str(row) == "0 -> A - A"]
        with_variables, without = Rewriter("C*X_0"), Rewriter("C")
        assert rows[0].bind((0.0,), with_variables) == {}
        assert rows[0].bind((0.0,), without) is None

    @pytest.mark.parametrize("text", ["0 -> A - A", "1 -> A/A", "1 -> sin(A)^2 + cos(A)^2"])
    def test_made_up_subtrees_are_small_defined_and_without_parameters(self, text: str) -> None:
        (row,) = [row for row in TABLE if str(row) == text]
        rewriter = Rewriter("C*X_0", variables=2)
        pattern = symbed.parse(row.right).postfix
        for _ in range(200):
            made = row.apply({}, rewriter)
            bindings = match(pattern, made)
            assert bindings is not None
            least, most = magnitude(bounds(bindings["A"], rewriter.ranges))
            assert len(bindings["A"]) <= 5
            assert most <= TAME
            assert least >= (MARGIN if row.nonzero else 0)
            assert {n for n in bindings["A"] if isinstance(n, str)} <= {"X_0", "X_1"}

    @staticmethod
    def _fitting(text: str, domain: tuple[float, float] = (1.0, 5.0)) -> set[str]:
        rewriter = Rewriter(text, variables=2, domain=domain)
        return {row.law for row in TABLE if row.bind(rewriter.postfix, rewriter) is not None}


class TestPatterns:
    def test_a_name_stands_for_one_subtree(self) -> None:
        bindings = match(tree("A*(B + D)"), tree("sin(x)*(y^2 + 3)"))
        assert bindings == {"A": tree("sin(x)"), "B": tree("y^2"), "D": (3.0,)}
        assert match(tree("A + A"), tree("x*y + x*y")) == {"A": tree("x*y")}
        assert match(tree("A + A"), tree("x*y + y*x")) is None

    def test_numbers_and_operators_match_themselves_only(self) -> None:
        assert match((0.0,), (0.0,)) == {}
        assert match((0.0,), (-0.0,)) is None
        assert match((0.0,), (1.0,)) is None
        assert match(tree("2*A"), tree("3*x")) is None
        assert match(tree("A - B"), tree("x + y")) is None

    @settings(max_examples=50, deadline=None)
    @given(seed=st.integers(0, 2**32), row=st.sampled_from(ROWS))
    def test_filling_what_was_matched_gives_the_tree_back(
        self, seed: int, row: Transformation
    ) -> None:
        pattern = symbed.parse(row.left).postfix
        drawn = iter(sample(paper_grammar(2), 3, seed=seed))
        bindings = {name: next(drawn).postfix for name in sorted(PLACEHOLDERS & set(pattern))}
        made = fill(pattern, bindings)
        assert match(pattern, made) == bindings

    def test_filling_keeps_the_one_form_of_each_tree(self) -> None:
        assert fill(tree("-A"), {"A": (2.0,)}) == (-2.0,)


class TestBounds:
    @settings(max_examples=60, deadline=None)
    @given(seed=st.integers(0, 2**32))
    def test_every_value_lies_within_and_is_defined(self, seed: int) -> None:
        points = np.random.default_rng(seed).uniform(1, 5, (50, 3))
        ranges = {"X_0": (1.0, 5.0), "X_1": (1.0, 5.0), "C": (1.0, 5.0)}
        for expression in sample(paper_grammar(2), 20, seed=seed, max_length=30):
            low, high = bounds(expression.postfix, ranges)
            if is_finite((low, high)):
                outputs = evaluate(
                    expression, points[:, :2], ["X_0", "X_1"], [2.5] * len(expression.parameters)
                )
                slack = 1e-12 * max(1.0, abs(low), abs(high))
                assert ((outputs >= low - slack) & (outputs <= high + slack)).all(), str(expression)

    @pytest.mark.parametrize(
        ("text", "expected"),
        [
            ("x + y", (0, 7)), ("x - y", (-6, 1)), ("x*y", (-5, 10)), ("-x", (-2, 1)),
            ("x^2", (0, 4)), ("x^3", (-1, 8)), ("x^4", (0, 16)), ("x^5", (-1, 32)),
            ("y^-1", (0.2, 1)), ("x/y", (-1, 2)), ("abs(x)", (0, 2)), ("sin(x)", (-1, 1)),
            ("exp(0*x)", (1, 1)), ("y^x", (0.2, 25)), ("cos(0)", (1, 1)), ("sqrt(4)", (2, 2)),
            ("ln(e)", (1, 1)), ("2*pi", (2 * math.pi, 2 * math.pi)),
        ],
    )  # fmt: skip
    def test_bounds_are_those_a_reader_finds(self, text: str, expected: tuple[int, int]) -> None:
        ranges = {"x": (-1.0, 2.0), "y": (1.0, 5.0)}
        assert bounds(tree(text), ranges) == pytest.approx(expected)

    @pytest.mark.parametrize(
        "text",
        [
            "1/x",
            "x^-1",
            "ln(x)",
            "sqrt(x)",
            "x^y",
            "tan(y)",
            "exp(exp(exp(y)))",
            "z + 1",
            "1/0 - x",
        ],
    )
    def test_what_cannot_be_proven_is_unknown(self, text: str) -> None:
        assert bounds(tree(text), {"x": (-1.0, 2.0), "y": (1.0, 5.0)}) == UNKNOWN

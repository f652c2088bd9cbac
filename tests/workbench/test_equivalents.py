from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import symbed
from symbed import Expression
from symbed.errors import RangeError
from symbed.language.expression import Postfix
from symbed.workbench import (
    BASE_GROUPS,
    Rewriter,
    equivalent_groups,
    equivalents,
    evaluate,
    paper_grammar,
    sample,
)
from symbed.workbench._identities import IDENTITIES, TABLE, Transformation, bounds, magnitude
from symbed.workbench.rewriting import NumericalAgreement

N_POINTS = 64


def largest_difference(members: list[Expression], seed: int) -> float:
    """The largest difference from the first member, relative to its outputs or to 1.

    Parameters have names and are given as inputs, so that each point has a vector of its own.
    """
    names = sorted({name for member in members for name in member.names} | {"X_0"})
    generator = np.random.default_rng(seed)
    low = [1.0 if name.startswith("X_") else 0.2 for name in names]
    points = generator.uniform(low, 5.0, (N_POINTS, len(names)))
    outputs = np.stack([evaluate(member, points, names) for member in members])
    assert np.isfinite(outputs).all()
    return float((np.abs(outputs - outputs[0]) / np.maximum(1.0, np.abs(outputs[0]))).max())


def is_tame(expression: Expression) -> bool:
    """Whether its outputs are defined and no larger than a million on the whole domain."""
    ranges = {n: (1.0 if n.startswith("X_") else 0.2, 5.0) for n in expression.names}
    return magnitude(bounds(expression.postfix, ranges))[1] <= 1e6


class TestMeaning:
    @pytest.mark.parametrize("base", BASE_GROUPS, ids=lambda base: base.text)
    def test_equivalents_have_the_outputs_of_their_base(self, base) -> None:
        respelled = equivalents(base.text, 40, variables=2, named=True)
        start = Rewriter(base.text, variables=2).base(named=True)
        assert largest_difference([start, *respelled], seed=0) <= 1e-9

    @settings(max_examples=30, deadline=None)
    @given(seed=st.integers(0, 2**62))
    def test_any_seed_gives_groups_of_one_meaning(self, seed: int) -> None:
        for group in equivalent_groups(4, seed=seed, named=True):
            assert largest_difference(group.members, seed) <= 1e-9

    @pytest.mark.no_cover
    @pytest.mark.parametrize("seed", range(3))
    def test_random_expressions_keep_their_outputs(self, seed: int) -> None:
        # At points of its own, not the witness's; expressions with poles there are left out.
        n_tested = 0
        for expression in sample(paper_grammar(2), 40, seed=seed, min_length=3, max_length=25):
            rewriter = Rewriter(expression, seed=seed, variables=2)
            members = [rewriter.base(named=True), *rewriter.take(5, named=True)]
            if is_tame(members[0]):
                n_tested += 1
                assert largest_difference(members, seed) <= 1e-9
        assert n_tested >= 25

    @pytest.mark.slow
    @pytest.mark.parametrize("seed", range(50))
    def test_sixteen_groups_of_a_hundred_hold_no_stranger(self, seed: int) -> None:
        for group in equivalent_groups(100, seed=seed, named=True):
            assert len(group.members) == 100
            assert largest_difference(group.members, seed) <= 1e-9

    @pytest.mark.no_cover
    def test_the_base_groups_never_need_the_witness(self) -> None:
        # The laws alone are right; the witness is for expressions at the edge of their domain.
        for number, base in enumerate(BASE_GROUPS):
            rewriter = Rewriter(base.text, stream=number, variables=2)
            rewriter.take(60)
            assert rewriter.n_rejected == 0

    def test_arithmetic_that_is_not_exact_enough_is_rejected(self) -> None:
        rewriter = Rewriter("C*sqrt(0)")
        respelled = rewriter.take(60, named=True)
        assert rewriter.n_rejected > 0  # sqrt(cos(pi/2)) is 8e-9
        values = [float(evaluate(e, [[1.0]], ["X_0"], [2.0])[0]) for e in respelled]
        assert max(map(abs, values)) <= 1e-9

    def test_behaviors_of_a_group_are_equal_in_bed(self) -> None:
        probe = symbed.Probe({"X_0": (1, 5), "X_1": (1, 5)}, parameters=(0.2, 5))
        for text in ("C*sin(X_0) + C*cos(X_1)", "C + C*X_0*X_1"):
            base = symbed.observe(text, probe)
            for other in equivalents(text, 10, variables=2):
                assert symbed.distance(base, symbed.observe(other, probe)) < 1e-9


class TestNumericalAgreement:
    def test_it_tells_equal_from_different(self) -> None:
        ranges = {"x": (1.0, 5.0), "a": (0.2, 5.0)}
        agreement = NumericalAgreement(symbed.parse("a*x"), ["x"], ranges)
        assert agreement.holds_for(symbed.parse("x*a*1"))
        assert not agreement.holds_for(symbed.parse("a*x + 0.00001"))
        assert not agreement.holds_for(symbed.parse("a*x + ln(x - 3)"))
        assert not NumericalAgreement(symbed.parse("ln(x - 3)"), ["x"], ranges).holds_for(
            symbed.parse("x")
        )


class TestForm:
    @pytest.mark.no_cover
    def test_all_are_distinct_and_none_is_the_expression_itself(self) -> None:
        respelled = equivalents("C*X_0", 200, variables=2)
        assert len(set(respelled)) == 200
        assert symbed.parse("C*X_0") not in respelled

    @pytest.mark.no_cover
    def test_each_keeps_the_parameters_of_the_base_exactly_once(self) -> None:
        for group in equivalent_groups(20, seed=3, named=True):
            for member in group.members:
                occurrences = Counter(n for n in member.postfix if str(n).startswith("C_"))
                assert set(occurrences) == set(group.base.parameters)
                assert set(occurrences.values()) == {1}

    def test_named_and_anonymous_results_are_the_same_expressions(self) -> None:
        plain = equivalents("C + C*X_1", 30)
        named = equivalents("C + C*X_1", 30, named=True)
        for one, other in zip(plain, named, strict=True):
            assert (
                tuple("C" if str(n).startswith("C_") else n for n in other.postfix) == one.postfix
            )

    def test_given_names_stay_and_new_ones_avoid_them(self) -> None:
        (respelled,) = equivalents("C_0*x + C", 1, named=True)
        assert {"C_0", "C_1"} == set(respelled.parameters)

    def test_a_seed_gives_the_same_and_fewer_are_the_first_of_more(self) -> None:
        many = equivalents("C*ln(X_0)", 30, seed=5)
        assert equivalents("C*ln(X_0)", 10, seed=5) == many[:10]
        assert equivalents("C*ln(X_0)", 30, seed=6) != many

    @pytest.mark.no_cover
    def test_made_up_subtrees_use_the_variables_that_are_given(self) -> None:
        names = {n for e in equivalents("C", 60, variables=["t", "u"]) for n in e.variables}
        assert names == {"t", "u"}
        assert {n for e in equivalents("C", 60) for n in e.variables} == set()

    def test_groups_are_the_papers_sixteen_with_the_base_first(self) -> None:
        groups = equivalent_groups(3, seed=1)
        assert [group.base for group in groups] == [symbed.parse(b.text) for b in BASE_GROUPS]
        assert [len(group.members) for group in groups] == [3] * 16
        assert all(group.members[0] == group.base for group in groups)
        forms = Counter(group.form for group in groups)
        assert forms == {
            "constant": 1, "linear": 4, "quadratic": 3, "trigonometric": 3, "square root": 2,
            "logarithmic": 3,
        }  # fmt: skip


class TestRates:
    @pytest.mark.no_cover
    def test_every_row_of_the_table_is_exercised_and_counted(self) -> None:
        counts: Counter[str] = Counter()
        texts = [base.text for base in BASE_GROUPS]
        # Powers, differences and negations that the base groups lack, and sums that simplify.
        texts += ["X_0^3 - X_1^4", "X_0^5/C", "-X_0 - C", "C + (-1)*X_0", "X_0*X_1^-1 + C"]
        texts += ["sin(X_0)^2 + cos(X_0)^2 + C", "cos(X_0)^2 + sin(X_0)^2 + C", "ln(X_0) + ln(C)"]
        texts += ["X_0*X_1 + X_0*C", "X_0*X_1 + C*X_1", "X_0 + X_0 - C", "cos(X_0 - pi/2)*C"]
        texts += ["sin(X_0 + pi/2)*C", "2*X_0 + C", "X_0/X_0 + C", "(X_0 - X_0) + C", "X_0 + X_0"]
        for text in texts:
            rewriter = Rewriter(text, variables=2)
            rewriter.take(60)
            counts.update({str(row): count for row, count in rewriter.counts.items()})
        assert {str(row) for row in (*TABLE, *IDENTITIES)} - set(counts) == set()
        assert min(counts.values()) >= 1

    @pytest.mark.no_cover
    def test_a_node_is_changed_half_of_the_time(self) -> None:
        changed = self._first_steps("X_0*X_1", "commutativity of *")
        assert changed == pytest.approx(0.5, abs=0.05)

    @pytest.mark.no_cover
    @pytest.mark.parametrize(("text", "law"), [("0", "zero"), ("1", "one")])
    def test_a_zero_or_one_is_replaced_two_times_in_five(self, text: str, law: str) -> None:
        assert self._first_steps(text, law) == pytest.approx(0.4, abs=0.05)

    @pytest.mark.no_cover
    def test_a_node_receives_an_identity_four_times_in_a_hundred(self) -> None:
        added = self._first_steps("X_0", "additive identity")
        multiplied = self._first_steps("X_0", "multiplicative identity")
        assert added + multiplied == pytest.approx(0.04, abs=0.015)
        assert added == pytest.approx(0.02, abs=0.012)

    def test_one_to_four_steps_are_equally_likely(self, monkeypatch: pytest.MonkeyPatch) -> None:
        steps: list[int] = []
        rewriter = Rewriter("X_0")

        def visit(tree: Postfix, applied: list[Transformation]) -> Postfix:
            steps[-1] += 1
            return tree

        monkeypatch.setattr(rewriter, "_visit", visit)
        for _ in range(2000):
            steps.append(0)
            rewriter._rewritten()
        totals = Counter(steps)
        assert set(totals) == {1, 2, 3, 4}
        assert max(totals.values()) < 1.2 * min(totals.values())

    @staticmethod
    def _first_steps(text: str, law: str, n: int = 2000) -> float:
        """How often the root of an expression is changed by a law when it is visited once."""
        rewriter = Rewriter(text, variables=2)
        hits = 0
        for _ in range(n):
            rewriter._rewritten()  # moves on to the next stream of random numbers
            applied: list[Transformation] = []
            rewriter._visit(rewriter.postfix, applied)
            hits += any(row.law == law for row in applied)
        return hits / n


class TestErrors:
    def test_when_no_more_are_found_it_says_how_many_there_were(self) -> None:
        with pytest.raises(RangeError, match=r"only \d+ equivalents of 'C' found"):
            Rewriter("C", max_tries=3).take(1000)

    @pytest.mark.parametrize(
        ("options", "message"),
        [
            ({"n": -1}, "n must be a whole number"),
            ({"n": 2.5}, "n must be a whole number"),
            ({"domain": (5, 1)}, r"domain needs finite low < high, got \(5, 1\)"),
            ({"parameters": (1, float("inf"))}, "parameters needs finite low < high"),
            ({"domain": {"y": (1, 2)}}, "domain has no range for 'x'"),
            ({"parameters": {"a": (2, 1)}}, "parameters of 'a' needs finite low < high"),
        ],
    )
    def test_impossible_requests_are_refused(self, options: dict, message: str) -> None:
        with pytest.raises(RangeError, match=message):
            equivalents("a*x", **{"n": 1, **options})

    def test_ranges_may_be_given_by_name(self) -> None:
        respelled = equivalents("a*x", 3, domain={"x": (2, 3)}, parameters={"a": (0, 1)})
        assert len(respelled) == 3

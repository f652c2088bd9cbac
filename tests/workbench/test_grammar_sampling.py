from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import symbed
from symbed.errors import ParseError, RangeError, ShapeError
from symbed.limits import NESTING
from symbed.workbench import Grammar, Rule, paper_grammar, read_grammar, sample
from symbed.workbench.grammar import sampling as generation
from symbed.workbench.grammar.sampling import tabulate_reader
from tests.engine.engines import engine_in_use, has_core, native, twin

PAPER = paper_grammar(2)
needs_native = pytest.mark.skipif(not has_core, reason="no native core here")

# Every kind of token: signs, stacked powers, bars, calls of two arguments, constants, numbers.
RICH = read_grammar("""
E -> E + T [0.15] | E - T [0.15] | - T [0.1] | + T [0.05] | T [0.55]
T -> T * P [0.15] | T / P [0.1] | P [0.75]
P -> V ^ P [0.1] | V ** - P [0.05] | V ^2 [0.1] | V ^ 3 [0.05] | V ^-1 [0.05] | V [0.65]
V -> (E) [0.1] | '|' E '|' [0.05] | max(E, E) [0.05] | abs(E) [0.05] | neg(2) [0.05] | pow(x, 2) [0.05]
   | x [0.2] | C [0.1] | pi [0.05] | 2 [0.1] | 0 [0.05] | 0.5 [0.05] | 1e3 [0.1]
""")


@pytest.fixture(params=["native", "numpy"])
def engine(request: pytest.FixtureRequest) -> Iterator[str]:
    if request.param == "native" and not has_core:
        pytest.skip("no native core here")
    with engine_in_use(request.param):
        yield str(request.param)


class TestAgreement:
    @needs_native
    @pytest.mark.parametrize("grammar", [PAPER, paper_grammar(64), RICH], ids=["2", "64", "rich"])
    @pytest.mark.parametrize(
        "options",
        [
            {},
            {"unique": True},
            {"min_length": 4, "max_length": 9},
            {"unique": True, "max_length": 7},
        ],
        ids=str,
    )
    def test_both_engines_draw_the_same_words(
        self, grammar: Grammar, options: dict[str, int]
    ) -> None:
        drawn = []
        for name in ("native", "numpy"):
            with engine_in_use(name):
                sampled = sample(grammar, 300, seed=7, **options)
                drawn.append((sampled, *sampled.postfix))
        (a, a_items, a_starts), (b, b_items, b_starts) = drawn
        for one, other in (
            (a.token_ids, b.token_ids), (a.starts, b.starts), (a.rule_counts, b.rule_counts),
            (a_items, b_items), (a_starts, b_starts), (a.n_attempts, b.n_attempts),
        ):  # fmt: skip
            assert np.array_equal(one, other)

    @needs_native
    @pytest.mark.parametrize(
        "word",
        ["", "x x", "x +", "* x", "( x", "x )", "max ( x )", "abs ( x , x )", "x , x", "sin x",
         "( )", "| x )", "( x |", "sin | x |", "x ( x )", "max ( x , )", "- ^2", "abs",
         "x < x < x", "x < - x + x < x", "abs ( x < x < x )"],
    )  # fmt: skip
    def test_what_is_no_expression_is_none_for_both(self, word: str) -> None:
        reader = tabulate_reader(
            ("x", "+", "*", "(", ")", "|", ",", "max", "abs", "sin", "-", "^2", "<")
        )
        tokens = np.array([reader.terminals.index(t) for t in word.split()], dtype=np.int32)
        starts = np.array([0, len(tokens)])
        assert native.read_words(reader, tokens, starts)[2] == 0
        assert twin.read_words(reader, tokens, starts)[2] == 0

    @pytest.mark.parametrize(
        ("rule", "postfix"),
        [
            ("E -> gamma + gamma(x)", ["gamma", "x", "<gamma>", "<+>"]),
            ("E -> (x < y) < z", ["x", "y", "<<>", "z", "<<>"]),
        ],
    )
    def test_a_functions_name_without_call_is_a_name_and_comparisons_nest_in_parentheses(
        self, engine: str, rule: str, postfix: list[str]
    ) -> None:
        (only,) = sample(read_grammar(rule), 1, seed=1)
        assert [
            str(item) if isinstance(item, str) else repr(item) for item in only.postfix
        ] == postfix

    @needs_native
    @pytest.mark.parametrize(
        "word",
        [
            lambda n: "( " * n + "x" + " )" * n,
            lambda n: "sin ( " * n + "x" + " )" * n,
            lambda n: "x ^ " * (n + 1) + "x",
            lambda n: "x ^ " * n + "x ^2",
            lambda n: "x ^ - - " * (n + 1) + "x",
            lambda n: "x ^ " * (n // 2) + "( " + "x ^ " * (n - n // 2 + 1) + "x )",
            lambda n: "x ^ x ^ x * ( " + "( " * (n - 1) + "x" + " )" * n,
        ],
    )
    @pytest.mark.parametrize("extra", [0, 1])
    def test_nesting_stops_at_the_published_limit_for_both(
        self, word: Callable[[int], str], extra: int
    ) -> None:
        reader = tabulate_reader(("x", "(", ")", "sin", "^", "^2", "-", "*"))
        tokens = word(NESTING.maximum + extra).split()
        ids = np.array([reader.terminals.index(t) for t in tokens], dtype=np.int32)
        starts = np.array([0, len(ids)])
        for module in (native, twin):
            assert module.read_words(reader, ids, starts)[2] == (0 if extra else -1)


class TestSeeds:
    def test_a_seed_gives_these_expressions_on_every_machine(self, engine: str) -> None:
        drawn = sample(PAPER, 6, seed=1)
        assert list(drawn.texts()) == [
            "(X_0)*X_1*X_1 - C - (C)*X_0/X_0 + (X_0)",
            "C*sqrt(X_1)",
            "X_1",
            "(X_1*C)*X_1",
            "X_0 - (X_1*X_1)*X_0*(X_0 - X_1*X_1)",
            "X_0*exp(X_0)*C/X_0*X_0",
        ]

    def test_fewer_are_the_first_of_more(self, engine: str) -> None:
        many = list(sample(PAPER, 200, seed=3, unique=True).texts())
        assert list(sample(PAPER, 50, seed=3, unique=True).texts()) == many[:50]
        assert many != list(sample(PAPER, 200, seed=4, unique=True).texts())

    @needs_native
    def test_blocks_leave_no_trace(self, monkeypatch: pytest.MonkeyPatch) -> None:
        whole = sample(PAPER, 1000, unique=True)
        texts = list(whole.texts())
        monkeypatch.setattr(generation, "BLOCK", 7)
        again = sample(PAPER, 1000, unique=True)
        assert np.array_equal(again.token_ids, whole.token_ids)
        assert list(again.texts()) == texts
        assert list(again) == list(whole)


class TestForms:
    @pytest.mark.parametrize("grammar", [PAPER, RICH], ids=["paper", "rich"])
    def test_trees_texts_and_tokens_are_the_same_expressions(
        self, grammar: Grammar, engine: str
    ) -> None:
        drawn = sample(grammar, 300, seed=2, max_length=40)
        trees = list(drawn)
        assert trees == [symbed.parse(text) for text in drawn.texts()]
        assert trees == [symbed.parse(" ".join(tokens)) for tokens in drawn.tokens()]
        assert [str(tree) for tree in drawn[:3]] == [str(tree) for tree in trees[:3]]
        assert drawn[-1] == trees[-1]
        assert len(drawn) == 300

    def test_the_papers_token_lists_are_read_by_the_papers_dialect(self) -> None:
        drawn = sample(PAPER, 300, seed=5)
        assert list(drawn) == [symbed.parse(tokens) for tokens in drawn.tokens()]

    def test_flat_arrays_are_read_only_and_fit_together(self) -> None:
        drawn = sample(PAPER, 100)
        assert drawn.starts[-1] == len(drawn.token_ids)
        for array in (drawn.token_ids, drawn.starts, drawn.rule_counts):
            assert not array.flags.writeable
        items, starts = drawn.postfix
        assert tuple(drawn.items[i] for i in items[starts[7] : starts[8]]) == drawn[7].postfix

    def test_names_of_other_scripts_survive(self) -> None:
        assert list(sample(read_grammar("E -> \u03b1 * 2"), 1).texts()) == ["\u03b1*2"]

    def test_places_out_of_range_are_an_index_error(self) -> None:
        with pytest.raises(IndexError):
            sample(PAPER, 3)[3]

    def test_a_survey_takes_a_sample(self) -> None:
        probe = symbed.Probe(
            {"X_0": (1, 5), "X_1": (1, 5)}, parameters=(1, 5), n_points=4, n_draws=4
        )
        assert len(symbed.survey(sample(PAPER, 20), probe)) == 20

    def test_a_sample_shows_its_size(self) -> None:
        assert repr(sample(PAPER, 2, seed=2)) == "Sample(2 expressions, 8 tokens, seed 2)"

    def test_none_is_a_number_of_expressions_too(self, engine: str) -> None:
        drawn = sample(PAPER, 0)
        assert (list(drawn), list(drawn.texts()), len(drawn)) == ([], [], 0)


class TestLimits:
    def test_lengths_stay_within_their_bounds(self, engine: str) -> None:
        lengths = np.diff(sample(PAPER, 500, min_length=3, max_length=7).starts)
        assert set(lengths.tolist()) == {3, 4, 5, 6, 7}

    def test_bounds_keep_relative_probabilities(self) -> None:
        free = Counter(t for t in sample(PAPER, 60_000, seed=1).texts() if len(t.split()) == 3)
        bound = Counter(sample(PAPER, 60_000, seed=2, min_length=3, max_length=3).texts())
        plus, minus = "X_0 + X_1", "X_0 - X_1"
        expected = 0.2004 / 0.1108
        assert bound[plus] / bound[minus] == pytest.approx(expected, rel=0.1)
        assert free[plus] / free[minus] == pytest.approx(expected, rel=0.3)

    def test_unique_trees_are_unique_though_brackets_differ(self, engine: str) -> None:
        drawn = sample(PAPER, 400, unique=True)
        assert len(set(drawn)) == 400
        plain = sample(PAPER, 400)
        assert len(set(plain)) < len(set(plain.texts())) < 400

    def test_a_small_language_is_found_whole_and_no_more(self, monkeypatch, engine: str) -> None:
        monkeypatch.setattr(generation, "PATIENCE", 20_000)
        assert {str(e) for e in sample(PAPER, 3, unique=True, max_length=1)} == {"X_0", "X_1", "C"}
        with pytest.raises(RangeError, match="only 3 of 4 different expressions of 1 to 1 tokens"):
            sample(PAPER, 4, unique=True, max_length=1)

    def test_lengths_that_never_happen_end_in_an_error(self, monkeypatch, engine: str) -> None:
        monkeypatch.setattr(generation, "PATIENCE", 20_000)
        with pytest.raises(RangeError, match=r"only 0 of 1 expressions .* none in the last 20,000"):
            sample(read_grammar("E -> E + x [0.5] | x [0.5]"), 1, min_length=2, max_length=2)

    def test_a_loop_that_almost_never_ends_is_left(self, monkeypatch, engine: str) -> None:
        monkeypatch.setattr(generation, "PATIENCE", 20_000)
        with pytest.raises(RangeError, match="none in the last"):
            sample(read_grammar("E -> E [0.99999999] | x [0.00000001]"), 1)

    def test_an_endless_grammar_needs_a_limit(self, engine: str) -> None:
        grammar = read_grammar("E -> E + E [0.6] | x [0.4]")
        with pytest.raises(RangeError, match=r"no finite expected length .* give max_length"):
            sample(grammar, 1)
        assert np.diff(sample(grammar, 50, max_length=9).starts).max() <= 9

    @pytest.mark.parametrize(
        ("options", "message"),
        [
            ({"n": -1}, "n must be a whole number from 0 on, got -1"),
            ({"n": 1.5}, "n must be a whole number from 0 on, got 1.5"),
            ({"min_length": 0}, "min_length must be a whole number from 1 on"),
            ({"max_length": 0}, "max_length must be a whole number from 1 on"),
            ({"min_length": 5, "max_length": 4}, "min_length 5 is above max_length 4"),
        ],
    )
    def test_impossible_counts_are_refused(self, options: dict[str, int], message: str) -> None:
        with pytest.raises(RangeError, match=message):
            sample(PAPER, **{"n": 1, **options})

    def test_a_limit_below_the_shortest_word_is_refused(self) -> None:
        with pytest.raises(RangeError, match="the shortest word has 3 tokens, above max_length 2"):
            sample(read_grammar("E -> x + x"), 1, max_length=2)

    def test_only_grammars_are_sampled(self) -> None:
        with pytest.raises(ShapeError, match="sample needs a Grammar, got str"):
            sample("paper", 1)  # type: ignore[arg-type]

    @pytest.mark.parametrize("unique", [False, True])
    def test_words_that_are_no_expressions_get_the_parsers_error(
        self, unique: bool, engine: str
    ) -> None:
        with pytest.raises(ParseError, match="no operator between 'x' and 'y'"):
            sample(read_grammar("E -> x y"), 3, unique=unique).check()


def _chi_square(grammar: Grammar, counts: np.ndarray) -> list[tuple[str, float, int]]:
    """For each nonterminal with a choice: the statistic and its degrees of freedom."""
    p_values = []
    for left, rules in grammar.by_left.items():
        places = [grammar.rules.index(rule) for rule in rules]
        expected = np.array([rule.probability for rule in rules]) * counts[places].sum()
        statistic = float((((counts[places] - expected) ** 2) / expected).sum())
        p_values.append((left, statistic, len(rules) - 1))
    return [row for row in p_values if row[2]]


def _p_values(grammar: Grammar, counts: np.ndarray) -> dict[str, float]:
    stats = pytest.importorskip("scipy.stats")
    return {left: float(stats.chi2.sf(x, k)) for left, x, k in _chi_square(grammar, counts)}


class TestFrequencies:
    def test_rules_come_as_often_as_their_probabilities_say(self) -> None:
        p_values = _p_values(PAPER, sample(PAPER, 20_000, seed=11).rule_counts)
        assert set(p_values) == {"E", "F", "T", "R", "X"}
        assert min(p_values.values()) > 1e-4, p_values

    @pytest.mark.slow
    @pytest.mark.parametrize("n_variables", [1, 2, 9])
    def test_a_million_expressions_match_the_paper(self, n_variables: int) -> None:
        grammar = paper_grammar(n_variables)
        p_values = _p_values(grammar, sample(grammar, 1_000_000, seed=n_variables).rule_counts)
        assert min(p_values.values()) > 1e-4, p_values

    def test_a_wrong_probability_would_be_seen(self) -> None:
        wrong = read_grammar(str(PAPER).replace("0.2004", "0.2104").replace("0.6888", "0.6788"))
        assert _p_values(wrong, sample(PAPER, 20_000).rule_counts)["E"] < 1e-4

    def test_counted_rules_are_those_of_the_words(self, engine: str) -> None:
        drawn = sample(PAPER, 300, seed=9, unique=True, max_length=20)
        counts = dict(zip(PAPER.rules, drawn.rule_counts.tolist(), strict=True))
        tokens = Counter(token for word in drawn.tokens() for token in word)
        for rule, count in counts.items():
            if rule.right[0] in ("C", "X_0", "X_1", "sin", "cos", "sqrt", "exp", "ln"):
                assert tokens[rule.right[0]] == count
        assert tokens["+"] == counts[PAPER.rules[0]]

    def test_one_rule_given_twice_is_counted_at_both_places(self, engine: str) -> None:
        half = Rule("E", ("x",), 0.5)
        drawn = sample(Grammar((half, half)), 200, seed=3)
        assert drawn.rule_counts.sum() == 200
        assert drawn.rule_counts.min() > 60

    def test_the_mean_length_is_the_expected_one(self) -> None:
        lengths = np.diff(sample(PAPER, 50_000, seed=12).starts)
        error = lengths.std() / np.sqrt(len(lengths))
        assert abs(lengths.mean() - PAPER.expected_length) < 4 * error


@settings(max_examples=25, deadline=None)
@given(seed=st.integers(-(2**70), 2**70), n_variables=st.integers(1, 5))
def test_any_seed_gives_readable_expressions_of_these_variables(
    seed: int, n_variables: int
) -> None:
    drawn = sample(paper_grammar(n_variables), 20, seed=seed)
    allowed = {f"X_{i}" for i in range(n_variables)} | {"C"}
    assert {name for tree in drawn for name in tree.names} <= allowed
    assert [str(symbed.parse(str(tree))) for tree in drawn] == [str(tree) for tree in drawn]

from __future__ import annotations

import math
import subprocess
import sys

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import symbed.workbench
from symbed.errors import LimitError, ParseError, RangeError, ShapeError, SymbedError
from symbed.limits import NONTERMINALS
from symbed.workbench import Grammar, Rule, paper_grammar, read_grammar, write_grammar
from symbed.workbench.grammar.text_format import named_grammar, variable_names

SUMS = "E -> E + V [0.25] | V [0.75]\nV -> x | y"


class TestText:
    def test_rules_have_the_symbols_and_probabilities_that_were_written(self) -> None:
        grammar = read_grammar(SUMS)
        assert grammar.rules[0] == Rule("E", ("E", "+", "V"), 0.25)
        assert grammar.rules[2:] == (Rule("V", ("x",), 0.5), Rule("V", ("y",), 0.5))
        assert (grammar.start, grammar.nonterminals) == ("E", ("E", "V"))
        assert grammar.terminals == ("+", "x", "y")

    @pytest.mark.parametrize(
        "text",
        [
            "E->E+V[0.25]|V[0.75]\nV->x|y",
            "# sums\nE -> E + V [0.25]  # recursive\n   | V [0.75]\n\nV -> x\n | y\n",
            "E -> E '+' V [0.25]\nE -> V [0.75]\nV -> 'x' [0.5] | \"y\" [5e-1]",
            "E -> E + V [0.25] | V [0.75]\r\nV -> x | y\r\n",
        ],
    )
    def test_spaces_quotes_comments_and_line_breaks_do_not_matter(self, text: str) -> None:
        assert read_grammar(text) == read_grammar(SUMS)

    def test_calls_powers_and_numbers_are_cut_like_expressions(self) -> None:
        grammar = read_grammar("E -> sin(2.5e-1*x)^2 + x^10 - x^-1 + min(x,1)**x")
        spaced = "sin ( 2.5e-1 * x ) ^2 + x ^ 10 - x ^-1 + min ( x , 1 ) ** x"
        assert " ".join(grammar.rules[0].right) == spaced

    @pytest.mark.parametrize("n_variables", [1, 2, 64])
    def test_what_is_written_reads_back(self, n_variables: int) -> None:
        grammar = paper_grammar(n_variables)
        assert read_grammar(write_grammar(grammar)) == grammar
        bars = read_grammar("E -> '|' x '|'")
        assert read_grammar(str(bars)) == bars

    @pytest.mark.parametrize(
        ("text", "column", "message"),
        [
            ("E + F", 1, "a rule is expected"),
            ("| x [1]", 1, "a rule is expected"),
            ("E -> x [0.5] y", 14, "a symbol after the probability"),
            ("E -> x [half]", 8, "[half] is no probability"),
            ("E -> x |", 8, "an alternative without symbols"),
            ("E -> | x", 3, "an alternative without symbols"),
            ("E -> [1]", 3, "an alternative without symbols"),
            ("E -> x [0.5] | y", 1, "E lacks a probability"),
            ("E -> x E -> y", 10, "a second arrow"),
            ("E -> x\nE -> y", 1, "E has rules already"),
            ("E -> E + 'E' [0.1] | x [0.9]", 10, "'E' is quoted as a terminal"),
        ],
    )
    def test_errors_point_at_the_character(self, text: str, column: int, message: str) -> None:
        with pytest.raises(ParseError) as caught:
            read_grammar(text)
        assert message in str(caught.value)
        assert f"at column {column}" in str(caught.value)

    @pytest.mark.parametrize("text", ["", "  \n# nothing\n"])
    def test_an_empty_text_is_no_grammar(self, text: str) -> None:
        with pytest.raises(ParseError, match="the grammar is empty"):
            read_grammar(text)

    def test_strange_inputs_are_refused(self) -> None:
        with pytest.raises(ShapeError, match="read from text, got list"):
            read_grammar(["E -> x"])  # type: ignore[arg-type]
        with pytest.raises(LimitError):
            read_grammar("#" * 300_000)
        with pytest.raises(LimitError):
            read_grammar("E -> " + "x+" * 30_000 + "x")

    @settings(max_examples=300, deadline=None)
    @given(
        st.lists(
            st.sampled_from([*"EFVxy+-*/()|[]#'\"\n ", "->", " -> ", "[0.5]", "[1]", "| ", "'E'"]),
            max_size=40,
        )
    )
    def test_any_text_is_a_grammar_or_a_clear_error(self, pieces: list[str]) -> None:
        try:
            grammar = read_grammar("".join(pieces))
        except SymbedError:
            return
        assert read_grammar(str(grammar)).by_left == grammar.by_left


class TestValidation:
    @pytest.mark.parametrize(
        ("text", "message"),
        [
            ("E -> x [0.5] | y [0.4]", "the probabilities of E must sum to 1, they sum to 0.9"),
            ("E -> x [1.5]", "needs a probability above 0"),
            ("E -> x [0] | y [1]", "needs a probability above 0"),
            ("E -> x [nan]", "needs a probability above 0"),
            ("E -> x\nF -> y", "F is never reached from E"),
            ("E -> F\nF -> E + F", "no word can be derived from E"),
            ("E -> x [0.5] | F [0.5]\nF -> F + x", "no word can be derived from F"),
            ("E -> x % y", "terminal '%' is no token"),
            ("E -> inf", "terminal 'inf' is no token"),
            ("2 -> x", "a nonterminal is a plain name"),
            ("E -> 'sin(x)'", "terminal 'sin(x)' is no token"),
        ],
    )
    def test_a_grammar_that_cannot_be_gets_one_clear_error(self, text: str, message: str) -> None:
        with pytest.raises(RangeError) as caught:
            read_grammar(text)
        assert message in str(caught.value)

    def test_objects_are_checked_like_text(self) -> None:
        with pytest.raises(RangeError, match="at least one rule"):
            Grammar(())
        with pytest.raises(RangeError, match="empty right-hand side"):
            Rule("E", (), 1.0)
        with pytest.raises(ShapeError, match="tuple of symbols"):
            Rule("E", "x", 1.0)  # type: ignore[arg-type]
        with pytest.raises(RangeError, match="start symbol 'F' has no rules"):
            Grammar((Rule("E", ("x",), 1.0),), start="F")

    def test_probabilities_may_miss_one_by_rounding_only(self) -> None:
        third = 0.333333333
        Grammar(tuple(Rule("E", (name,), third) for name in "xyz"))
        with pytest.raises(RangeError, match="sum to"):
            Grammar(tuple(Rule("E", (name,), 0.3333) for name in "xyz"))

    def test_another_symbol_can_be_the_start(self) -> None:
        rules = (Rule("V", ("x",), 0.5), Rule("V", ("(", "E", ")"), 0.5), Rule("E", ("V",), 1.0))
        assert Grammar(rules, start="E").nonterminals == ("E", "V")

    @pytest.mark.no_cover
    @pytest.mark.parametrize(("extra", "passes"), [(-1, True), (0, True), (1, False)])
    def test_nonterminals_are_counted_up_to_the_limit(self, extra: int, passes: bool) -> None:
        n = NONTERMINALS.maximum + extra
        chain = "\n".join(f"N{i} -> N{i + 1} + x" for i in range(n - 1)) + f"\nN{n - 1} -> x"
        if passes:
            assert read_grammar(chain).expected_length == pytest.approx(2 * n - 1)
        else:
            with pytest.raises(LimitError, match="nonterminals in one grammar"):
                read_grammar(chain)


class TestLengths:
    def test_the_expected_length_is_that_of_a_geometric_law(self) -> None:
        # One more term with probability q: 1/(1 - q) terms, and a sign between each two.
        grammar = read_grammar("E -> E + x [0.6] | x [0.4]")
        assert grammar.growth == pytest.approx(0.6)
        assert grammar.expected_length == pytest.approx(2 / 0.4 - 1)

    @pytest.mark.parametrize("q", [0.5, 0.6])
    def test_a_grammar_that_may_never_end_has_infinite_expected_length(self, q: float) -> None:
        grammar = read_grammar(f"E -> E + E [{q}] | x [{1 - q}]")
        assert grammar.growth == pytest.approx(2 * q)
        assert grammar.expected_length == math.inf

    def test_the_shortest_words_are_known(self) -> None:
        assert paper_grammar(1).shortest == {"E": 1, "F": 1, "T": 1, "R": 3, "X": 1}


class TestThePapersGrammar:
    def test_its_probabilities_are_those_of_the_appendix(self) -> None:
        probabilities = {(r.left, " ".join(r.right)): r.probability for r in paper_grammar(2).rules}
        assert probabilities == {
            ("E", "E + F"): 0.2004, ("E", "E - F"): 0.1108, ("E", "F"): 0.6888,
            ("F", "F * T"): 0.3349, ("F", "F / T"): 0.1098, ("F", "T"): 0.5553,
            ("T", "C"): 0.1174, ("T", "R"): 0.1746, ("T", "X"): 0.708,
            ("R", "( E )"): 0.6841,
            ("R", "( E ) ^2"): pytest.approx(0.0036 * 0.65),
            ("R", "( E ) ^3"): pytest.approx(0.0036 * 0.35),
            ("R", "sin ( E )"): 0.028, ("R", "cos ( E )"): 0.049, ("R", "sqrt ( E )"): 0.0936,
            ("R", "exp ( E )"): 0.0878, ("R", "ln ( E )"): 0.0539,
            ("X", "X_0"): 0.5, ("X", "X_1"): 0.5,
        }  # fmt: skip

    @pytest.mark.parametrize("n_variables", [1, 3, 64])
    def test_it_is_there_for_any_number_of_variables(self, n_variables: int) -> None:
        rules = paper_grammar(n_variables).by_left["X"]
        assert [rule.right for rule in rules] == [(f"X_{i}",) for i in range(n_variables)]
        assert {rule.probability for rule in rules} == {1 / n_variables}

    def test_variables_may_have_names(self) -> None:
        assert [r.right for r in paper_grammar(["x", "t"]).by_left["X"]] == [("x",), ("t",)]

    def test_without_parameters_the_rest_keeps_its_proportions(self) -> None:
        rules = named_grammar("paper-without-parameters", 1).by_left["T"]
        assert [rule.right for rule in rules] == [("R",), ("X",)]
        assert rules[1].probability / rules[0].probability == pytest.approx(0.708 / 0.1746)

    @pytest.mark.parametrize(
        ("variables", "message"),
        [
            (0, "at least one"),
            (["x", "x"], "distinct"),
            (["T"], "variable 'T' has the name of a symbol"),
            (["sin"], "variable 'sin' has the name of a symbol"),
        ],
    )
    def test_impossible_variables_are_refused(self, variables: object, message: str) -> None:
        with pytest.raises(RangeError, match=message):
            paper_grammar(variables)  # type: ignore[arg-type]

    def test_variables_are_a_number_or_names(self) -> None:
        with pytest.raises(ShapeError, match="a number or a list of names"):
            variable_names("xy")
        with pytest.raises(LimitError):
            variable_names(65)

    def test_an_unknown_name_lists_the_known_ones(self) -> None:
        with pytest.raises(RangeError, match="must be one of paper, "):
            named_grammar("wikipedia")


class TestTheWorkbench:
    def test_every_public_name_is_found_where_the_table_says(self) -> None:
        for name in symbed.workbench.__all__:
            assert getattr(symbed.workbench, name) is not None
            assert name in dir(symbed.workbench)
        with pytest.raises(AttributeError, match="no attribute 'nothing'"):
            _ = symbed.workbench.nothing

    def test_importing_it_imports_nothing_heavy(self) -> None:
        code = "import sys, symbed.workbench; print([m for m in HEAVY if m in sys.modules])"
        heavy = (
            "HEAVY = ['scipy', 'sklearn', 'pandas', 'pyarrow', 'symbed.workbench.grammar.sampling']"
        )
        done = subprocess.run(
            [sys.executable, "-c", f"{heavy}; {code}"], capture_output=True, text=True, check=True
        )
        assert done.stdout.strip() == "[]"

"""Token lists in and out: the paper's infix, prefix and postfix."""

import pytest

from symbed.errors import ParseError, RangeError, ShapeError
from symbed.language.operators import BY_NAME
from symbed.language.parser import parse


def test_the_papers_list_is_read():
    assert parse(["C", "*", "X_0", "^2"]) == parse("C*X_0^2")
    assert parse(["C", "*", "X_0", "^2"], dialect="tokens") == parse("C*X_0^2")
    assert parse(("sin", "(", "X_0", ")", "^-1")) == parse("sin(X_0)^-1")


def test_a_text_of_tokens_is_split_at_white_space():
    assert parse("C * X_0 ^2", dialect="tokens") == parse("C*X_0^2")
    assert parse("+ C * 2 x", dialect="prefix") == parse("C + 2*x")
    assert parse("C 2 x * +", dialect="postfix") == parse("C + 2*x")


def test_log_has_base_ten_in_token_lists_and_base_e_in_text():
    assert parse(["log", "(", "x", ")"]) == parse("log10(x)")
    assert parse(["ln", "(", "x", ")"]) == parse("log(x)") == parse("ln(x)")
    assert parse("log x", dialect="prefix") == parse("log10(x)")
    assert parse("log(x)").tokens() == ["ln", "(", "x", ")"]
    assert parse("log10(x)").tokens("prefix") == ["log", "x"]


@pytest.mark.parametrize(
    ("tokens", "text"),
    [
        (["u-", "x", "^2"], "-(x^2)"),
        (["-", "x"], "-x"),
        (["a", "*", "-", "b"], "a*(-b)"),
        (["a", "-", "-", "b"], "a - (-b)"),
        (["-2", "^2"], "(-2)^2"),
        (["x", "^", "-1"], "x^-1"),
        (["x", "^", "y", "^2"], "x^(y^2)"),
        (["x", "^2", "^3"], "(x^2)^3"),
        (["min", "(", "x", ",", "y", ")"], "min(x, y)"),
        (["|", "x", "|"], "abs(x)"),
        (["arctan", "(", "pi", ")"], "atan(pi)"),
        (["+1.5"], "1.5"),
    ],
)
def test_signs_powers_and_calls_are_read_as_in_text(tokens, text):
    assert parse(tokens) == parse(text)


def test_names_declared_as_variables_hide_constants():
    assert parse(["e", "+", "x"], variables=["e"]).names == ("e", "x")
    assert parse("+ e x", variables=["e"], dialect="prefix").names == ("e", "x")


def test_the_lists_of_one_expression():
    read = parse("-(a + b)*min(x, 2)^2")
    assert read.tokens() == (
        ["u-", "(", "a", "+", "b", ")", "*", "min", "(", "x", ",", "2", ")", "^2"]
    )
    assert read.tokens("prefix") == ["*", "u-", "+", "a", "b", "^2", "min", "x", "2"]
    assert read.tokens("postfix") == ["a", "b", "+", "u-", "x", "2", "min", "^2", "*"]


def test_an_unknown_notation_names_the_known_ones():
    with pytest.raises(RangeError, match="one of infix, prefix, postfix, got 'polish'"):
        parse("x").tokens("polish")


@pytest.mark.parametrize(
    ("dialect", "tokens", "problem", "position"),
    [
        ("tokens", "x y", "no operator between 'x' and 'y'", 2),
        ("tokens", "x -2", "no operator between 'x' and '-2'", 2),
        ("tokens", "x + sn ( x )", "unknown function 'sn'", 4),
        ("tokens", "sin x", "function 'sin' without its argument", 0),
        ("tokens", "x *", "a value is missing at the end", 4),
        ("tokens", "a.b + 1", "unexpected character '.'", 1),
        ("tokens", "x + 2y", "unexpected character '2'", 4),
        ("tokens", "", "the expression is empty", None),
        ("prefix", "", "the expression is empty", None),
        ("postfix", "", "the expression is empty", None),
        ("prefix", "+ x", "'+' still needs 1 value at the end", 4),
        ("prefix", "+", "'+' still needs 2 values at the end", 2),
        ("prefix", "x y", "'y' after the end of the expression", 2),
        ("prefix", "+ x y z", "'z' after the end of the expression", 6),
        ("prefix", "sin ( x )", "'(' has no place in prefix or postfix notation", 4),
        ("postfix", "x +", "'+' needs 2 values before it, got 1", 2),
        ("postfix", "sin", "'sin' needs 1 value before it, got 0", 0),
        ("postfix", "x y", "2 values are left without an operator", 4),
        ("postfix", "x , y", "',' has no place in prefix or postfix notation", 2),
        ("postfix", "x \u0445 +", "unexpected character U+0445 CYRILLIC SMALL LETTER HA", 2),
    ],
)
def test_each_mistake_has_its_message(dialect, tokens, problem, position):
    with pytest.raises(ParseError) as caught:
        parse(tokens, dialect=dialect)
    assert (caught.value.problem, caught.value.position) == (problem, position)


def test_a_token_that_is_empty_or_holds_spaces_is_refused():
    with pytest.raises(ParseError, match="empty token"):
        parse(["x", "+", ""])
    with pytest.raises(ParseError, match="unexpected character ' '"):
        parse(["x y"])


def test_tokens_must_be_text():
    with pytest.raises(ShapeError, match=r"a token list holds text, got 2 \(int\)"):
        parse(["x", "*", 2])
    with pytest.raises(ShapeError, match="a token list holds text"):
        parse([b"x"])


def test_every_operator_has_its_own_token():
    symbols = [row.symbol for row in set(BY_NAME.values())]
    assert len(symbols) == len(set(symbols))

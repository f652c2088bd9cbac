"""Text out: few parentheses, and the same tree when read again."""

import math

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from symbed.errors import ParseError
from symbed.language.expression import Expression
from symbed.language.operators import NEG, POW, SQUARE
from symbed.language.parser import parse
from symbed.language.printers import nesting, number, tree
from symbed.limits import NESTING
from tests.language.trees import expressions


@given(expressions)
@settings(max_examples=400, deadline=None)
@example(Expression((-2.0, SQUARE)))
@example(Expression((-0.0, "x", POW)))
@example(Expression(("x", NEG, NEG, "y", NEG, POW)))
@example(Expression((2.0, "x", SQUARE, NEG, POW)))
def test_print_then_read_gives_the_same_tree(expression):
    assert parse(str(expression)) == expression
    assert parse(expression.tokens()) == expression
    assert parse(expression.tokens("prefix"), dialect="prefix") == expression
    assert parse(expression.tokens("postfix"), dialect="postfix") == expression
    assert parse(" ".join(expression.tokens()), dialect="tokens") == expression


@given(expressions)
@settings(max_examples=200, deadline=None)
def test_removing_a_pair_of_parentheses_changes_the_tree(expression):
    text = str(expression)
    for opening, char in enumerate(text):
        if char != "(" or (opening and (text[opening - 1].isalnum() or text[opening - 1] == "_")):
            continue
        closing = _partner(text, opening)
        shorter = text[:opening] + text[opening + 1 : closing] + text[closing + 1 :]
        assert _parsed_or_none(shorter) != expression


def _parsed_or_none(text: str) -> Expression | None:
    try:
        return parse(text)
    except ParseError as error:
        if "of a comparison" not in str(error):
            raise
        return None  # comparisons do not chain


def _partner(text: str, opening: int) -> int:
    depth = 0
    for place in range(opening, len(text)):
        depth += {"(": 1, ")": -1}.get(text[place], 0)
        if not depth:
            return place
    raise AssertionError(text)


@pytest.mark.parametrize(
    ("text", "printed"),
    [
        ("((a))+((b*c))", "a + b*c"),
        ("a+(b+c)", "a + (b + c)"),
        ("(a+b)+c", "a + b + c"),
        ("a*(b/c)", "a*(b/c)"),
        ("(a/b)*c", "a/b*c"),
        ("a-(-b)", "a - -b"),
        ("(a^b)^c", "(a^b)^c"),
        ("a^(b^c)", "a^b^c"),
        ("(-a)^b", "(-a)^b"),
        ("a^(-b)", "a^-b"),
        ("(x^2)^3", "(x^2)^3"),
        ("-(a*b)", "-(a*b)"),
        ("(-a)*b", "-a*b"),
        ("inv(x)", "x^-1"),
        ("|x|", "abs(x)"),
        ("arcsin(x)", "asin(x)"),
        ("log(x)", "ln(x)"),
        ("min(x,y)", "min(x, y)"),
        ("2.0*x", "2*x"),
        ("1e5*x", "100000*x"),
        ("x+-2", "x + -2"),
    ],
)
def test_text_has_as_few_parentheses_as_can_be(text, printed):
    assert str(parse(text)) == printed
    assert repr(parse(text)) == f"Expression({printed!r})"


@given(st.floats(allow_nan=False))
@example(math.inf)
@example(1e16)
@example(123456789012345680.0)
def test_a_number_reads_back_as_the_same_number(value):
    assert float(number(value)) == value
    assert math.copysign(1, float(number(value))) == math.copysign(1, value)
    assert len(number(value)) <= len(repr(value)) or math.isinf(value)


def test_numbers_are_written_short():
    assert [number(value) for value in (2.0, -3.0, 0.5, 1e-5, 1e22, 1.5e-7, 1e-10)] == (
        ["2", "-3", "0.5", "1e-5", "1e22", "1.5e-7", "1e-10"]
    )


def test_the_tree_has_one_node_on_a_line():
    assert tree(parse("C*sin(x) + 1")) == "+\n  *\n    C\n    sin\n      x\n  1"


def test_the_drawing_of_a_deep_tree_stays_linear():
    drawn = tree(parse("-" * 10_000 + "x"))
    assert drawn.count("\n") == 10_000
    assert len(drawn) < 2_000_000
    assert drawn.endswith("[10000] x")


@pytest.mark.parametrize(
    ("text", "depth"),
    [
        ("x", 0),
        ("a + b*c - d", 0),
        ("(((x)))", 0),
        ("sin(x)", 1),
        ("sin(cos(x))", 2),
        ("a - (b - (c - d))", 2),
        ("a^b", 0),
        ("a^b^c", 1),
        ("a^b^c^d", 2),
        ("a^-b^-c^2", 2),
        ("x^2", 0),
        ("(x^2)^2", 1),
        ("a^sin(x)", 1),
        ("a^b^sin(x)", 2),
        ("-(-(-(x)))", 0),
        ("(-2)^x", 1),
    ],
)
def test_nesting_counts_groups_and_stacked_powers(text, depth):
    assert nesting(parse(text)) == depth


@given(expressions)
@settings(max_examples=50, deadline=None)
def test_what_nests_no_deeper_than_allowed_can_be_read_again(expression):
    # Wrapped in calls up to the limit, the text is still read: nesting() never counts too little.
    for _ in range(NESTING.maximum - nesting(expression)):
        expression = Expression((*expression.postfix, parse("sin(x)").postfix[-1]))
    assert nesting(expression) == NESTING.maximum
    assert parse(str(expression)) == expression

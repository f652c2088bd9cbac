from __future__ import annotations

from xml.etree import ElementTree

import pytest
from hypothesis import given, settings

from symbed.language.expression import Expression
from symbed.language.operators import BY_NAME, TABLE
from symbed.language.parser import parse
from symbed.language.typesetting import MAX_MATHML_DEPTH, MAX_MATHML_NODES, mathml
from tests.language.trees import expressions

KNOWN = {"mrow", "mi", "mn", "mo", "msup", "msub", "mfrac", "msqrt", "mroot"}


def tree(text: str) -> ElementTree.Element:
    written = mathml(parse(text))
    assert written is not None
    return ElementTree.fromstring(f"<math>{written}</math>")


def words(text: str) -> str:
    return "".join(tree(text).itertext()).replace("\N{FUNCTION APPLICATION}", "")


@pytest.mark.parametrize("row", TABLE, ids=lambda row: row.name)
def test_each_operator_is_well_formed_and_shows_its_operands(row) -> None:
    operands = ("u", "v", "w")[: row.arity]
    written = mathml(Expression((*operands, row)))
    assert written is not None
    element = ElementTree.fromstring(f"<math>{written}</math>")
    shown = [leaf.text for leaf in element.iter("mi")]
    assert [name for name in shown if name in operands] == list(operands)
    assert {part.tag for part in element.iter()} <= KNOWN | {"math"}


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("a - (b - c)", "a\N{MINUS SIGN}(b\N{MINUS SIGN}c)"),
        ("(a + b)*c", "(a+b)\N{DOT OPERATOR}c"),
        ("a*(-b)", "a\N{DOT OPERATOR}(\N{MINUS SIGN}b)"),
        ("alpha*x", "\N{GREEK SMALL LETTER ALPHA}\N{DOT OPERATOR}x"),
        ("pi", "\N{GREEK SMALL LETTER PI}"),
        ("2.5e-7", "2.5\N{DOT OPERATOR}10\N{MINUS SIGN}7"),
        ("1e22", "1022"),
        ("1e999", "\N{INFINITY}"),
        ("atan(x)", "arctan(x)"),
        ("log10(x)", "log10(x)"),
        ("max(x, y)", "max(x,y)"),
        ("abs(x)", "|x|"),
    ],
)
def test_mathematics_reads_as_written(text: str, shown: str) -> None:
    assert words(text) == shown


def test_an_index_is_below_the_line_and_a_power_above() -> None:
    assert [part.tag for part in tree("x_12^2")] == ["msup"]
    below = tree("x_12^2").find(".//msub")
    assert below is not None
    assert [part.text for part in below] == ["x", "12"]


def test_a_fraction_needs_no_brackets() -> None:
    assert words("(a + b)/(c + d)") == "a+bc+d"
    assert words("((a + b)/c)^2") == "(a+bc)2"


@settings(max_examples=60, deadline=None)
@given(expressions)
def test_any_expression_is_well_formed(expression: Expression) -> None:
    written = mathml(expression)
    if written is not None:
        element = ElementTree.fromstring(f"<math>{written}</math>")
        assert {part.tag for part in element.iter()} <= KNOWN | {"math"}


def test_what_is_too_large_to_typeset_is_left_to_text() -> None:
    count = MAX_MATHML_NODES // 2
    assert mathml(parse("+".join(["x"] * count))) is not None
    assert mathml(parse("+".join(["x"] * (count + 1)))) is None
    assert mathml(parse("/".join(["x"] * MAX_MATHML_DEPTH))) is None


def test_names_that_look_like_markup_cannot_be() -> None:
    # The language refuses such names; should it ever allow them, they are escaped.
    expression = Expression.unchecked(("<b>", BY_NAME["sin"]), None)
    written = mathml(expression)
    assert written is not None
    assert "<b>" not in written

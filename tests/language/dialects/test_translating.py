"""The formulas of a file in our own language, whoever wrote them."""

from __future__ import annotations

import pytest

from symbed.errors import ParseError, RangeError
from symbed.formula_files.formulas import read_formulas
from symbed.language.dialects.detection import Ambiguous, detect, detect_source
from symbed.language.dialects.reader import read
from symbed.language.dialects.tool_table import READABLE, TOOLS, find_tool
from symbed.language.dialects.translator import Translator
from symbed.language.parser import parse


@pytest.mark.parametrize(
    ("dialect", "text", "own"),
    [
        ("gplearn", "div(X0, X1)", "pdiv(x0, x1)"),
        ("gplearn", "0.5", "0.5"),
        ("srjl", "x1*x2", "x0*x1"),
        ("pysr", "square(x0)  -  1.50", "square(x0)  -  1.50"),
        ("pysr", "greater(x0, x1)", "greater(x0, x1)"),
        ("pysr", "x0 > x1", "x0 > x1"),
        ("infix", "anything at all", "anything at all"),
        ("latex", r"\frac{x}{2}", "x/2"),
    ],
)
def test_a_text_stays_where_our_language_means_the_same(dialect, text, own) -> None:
    assert Translator(dialect).own_text(text) == own


@pytest.mark.parametrize(
    "text", ["log(x0) * max(x0, 2.0)", "cond(x0, -x1) ^ 2", "abs(x0)/tanh(x1)"]
)
def test_what_passes_as_plain_means_the_same(text: str) -> None:
    assert Translator("pysr").is_plain(text)
    assert parse(text).postfix == parse(text, dialect="pysr").postfix


def test_lifted_constants_are_parameters() -> None:
    translator = Translator("pysr", "lift")
    assert translator.own_text("2.5*x0 + 3") == "C*x0 + 3"
    assert translator.read("2.5*x0").parameters == ("C",)


def test_columns_can_be_named() -> None:
    assert Translator("operon", variables=("mass", "speed")).own_text("X1 + X2") == "mass + speed"


def test_a_variable_that_has_the_name_of_a_number_gets_another() -> None:
    assert Translator("gplearn").own_text("add(e, X0)") == "e_0 + x0"
    with pytest.raises(ParseError, match="e is a number in our own language; rename"):
        Translator("gplearn", variables=("x", "e")).own_text("add(e, X0)")


def test_rounded_constants_are_noted() -> None:
    assert "three decimals" in Translator("gplearn").note("add(X0, 0.125)")
    assert Translator("gplearn").note("add(X0, X1)") == Translator().note("x + 0.125") == ""


def test_choices_that_cannot_be_are_told() -> None:
    with pytest.raises(RangeError, match=r"one of infix, .*gplearn.*got 'gpleam'"):
        Translator("gpleam")
    with pytest.raises(RangeError, match="can be written, not read"):
        Translator("excel")
    with pytest.raises(RangeError, match="'keep' or 'lift', got 'drop'"):
        Translator("pysr", "drop")


def test_the_texts_say_whose_they_are() -> None:
    assert read_formulas(["add(X0, X1)", "X0"], dialect="auto").dialect == "gplearn"
    assert read_formulas(["add(X0, X1)"], dialect="pysr", errors="skip").dialect == "pysr"


def test_a_plain_x_is_everybodys() -> None:
    assert detect("2*x").dialect == "infix"
    assert detect_source(["x", "max(x, 1)", "2*x"]).dialect == "infix"


def test_a_guess_must_read_what_we_can_read() -> None:
    assert detect_source(["x0 + 1", "speed*x0"]).dialect == "pysr"
    assert detect_source(["add(X0, X1)", "sech(X0)"]).dialect == "infix"


def test_what_nobody_can_read_is_no_evidence() -> None:
    assert detect_source(["square(x0)", "x0 +* 1"]).dialect == "pysr"


def test_two_marks_do_not_make_a_guess() -> None:
    with pytest.raises(ParseError, match="LaTeX and Python are mixed"):
        detect_source([r"\frac{x}{2}", "np.sin(x)"])


def test_an_ambiguity_says_if_it_is_only_about_names() -> None:
    with pytest.raises(Ambiguous) as names:
        detect_source(["x1 + x2"])
    with pytest.raises(Ambiguous) as meaning:
        detect_source(["log(X_0)"])
    assert (names.value.only_names, meaning.value.only_names) == (True, False)


def test_a_tool_that_only_writes_is_not_offered_for_reading() -> None:
    assert "excel" not in READABLE
    assert ("infix", *(name for name, tool in TOOLS.items() if tool.reads)) == READABLE


def test_numbers_of_sympy_beyond_floats_are_told() -> None:
    sympy = pytest.importorskip("sympy")
    ten, x = sympy.Integer(10), sympy.Symbol("x")
    for number in (ten**400, -(ten**5000), sympy.Rational(1, 10**400), sympy.Float("1e400")):
        with pytest.raises(RangeError, match="out of the range of floats"):
            parse(number * x, dialect="sympy")
    with pytest.raises(ParseError):
        parse(sympy.srepr(ten**400), dialect="sympy")


def test_a_quotient_of_numbers_beyond_floats_may_be_a_float() -> None:
    sympy = pytest.importorskip("sympy")
    value = sympy.Rational(10**400 + 1, 10**399)
    assert str(parse(value, dialect="sympy")) == "10"


PLAIN = [
    "x0", "-x0", "- 2.5e-3 * x12", "x0 ^ 2 - -1", "(sin(x0) + exp(x1)) / 3.", "x0^2^3", "-x0^2", "2 - 3 - x1",
    "((exp(cos(x0)) / exp((x0 / -1.381))) * log(x1))", "x0*x1*x2/x3/x4", "abs(x0) ^ x1", "max(x0, 2)", "1e300*x0",
]  # fmt: skip


@pytest.mark.parametrize("text", PLAIN)
def test_what_both_languages_share_is_read_by_ours_and_means_the_same(text: str) -> None:
    pysr = Translator("pysr")
    assert pysr.is_plain(text)
    slow = read(text, find_tool("pysr"), quiet=True)
    fast = pysr.read(text)
    assert (fast.postfix, fast.declared) == (slow.postfix, slow.declared)
    assert pysr.own_text(text) == text


@pytest.mark.parametrize(
    "text",
    [
        "e*x0",
        "C*x0 + C",
        "pi*x0",
        "2.5f0*x0",
        "x0 >= 1",
        "x01 + 1",
        "2x0",
        "x0(3)",
        "a*x0",
        "x0 % 2",
        "sn(x0)",
    ],
)
def test_what_they_may_not_share_is_read_as_the_tool_means_it(text: str) -> None:
    pysr = Translator("pysr")
    assert not pysr.is_plain(text)


def test_a_column_called_like_a_number_of_ours_is_a_column_in_every_verb() -> None:
    found = read_formulas("Complexity,Loss,Equation\n3,0.5,e*x0\n5,0.1,C*x0 + C\n")
    assert found.labels == ("e_0*x0", "C_0*x0 + C_0")


def test_a_shared_text_that_is_broken_is_told_in_the_words_of_the_tool() -> None:
    pysr = Translator("pysr")
    with pytest.raises(ParseError) as told:
        pysr.read("sin(x0")
    with pytest.raises(ParseError) as slow:
        read("sin(x0", find_tool("pysr"))
    assert str(told.value) == str(slow.value)

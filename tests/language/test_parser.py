"""Reading infix text."""

import math

import pytest

from symbed.language.expression import Expression
from symbed.language.operators import (
    ADD,
    BY_NAME,
    CUBE,
    DIVIDE,
    INV,
    MULTIPLY,
    NEG,
    POW,
    SQUARE,
    SUBTRACT,
)  # fmt: skip
from symbed.language.parser import parse
from tests.language.trees import evaluate

ABS, SIN, PI, E = BY_NAME["abs"], BY_NAME["sin"], BY_NAME["pi"], BY_NAME["e"]


@pytest.mark.parametrize(
    ("text", "postfix"),
    [
        ("x", ("x",)),
        ("1", (1.0,)),
        (".5", (0.5,)),
        ("7.", (7.0,)),
        ("1e-3", (0.001,)),
        ("2.5E+2", (250.0,)),
        ("1e999", (math.inf,)),
        ("a + b - c", ("a", "b", ADD, "c", SUBTRACT)),
        ("a + b*c", ("a", "b", "c", MULTIPLY, ADD)),
        ("a/b/c", ("a", "b", DIVIDE, "c", DIVIDE)),
        ("a - (b - c)", ("a", "b", "c", SUBTRACT, SUBTRACT)),
        ("a^b^c", ("a", "b", "c", POW, POW)),
        ("a**b", ("a", "b", POW)),
        ("-x^2", ("x", SQUARE, NEG)),
        ("(-x)^2", ("x", NEG, SQUARE)),
        ("2^-x", (2.0, "x", NEG, POW)),
        ("2^-x^2", (2.0, "x", SQUARE, NEG, POW)),
        ("-a*b", ("a", NEG, "b", MULTIPLY)),
        ("a*-b", ("a", "b", NEG, MULTIPLY)),
        ("a - -b", ("a", "b", NEG, SUBTRACT)),
        ("+x", ("x",)),
        ("a^-b*c", ("a", "b", NEG, POW, "c", MULTIPLY)),
        ("--x", ("x", NEG, NEG)),
        ("-2", (-2.0,)),
        ("--2", (2.0,)),
        ("-(2)", (-2.0,)),
        ("-2^2", (2.0, SQUARE, NEG)),
        ("(-2)^2", (-2.0, SQUARE)),
        ("x^2", ("x", SQUARE)),
        ("x^(3.0)", ("x", CUBE)),
        ("x^-1", ("x", INV)),
        ("x^2.5", ("x", 2.5, POW)),
        ("x^6", ("x", 6.0, POW)),
        ("x^2^3", ("x", 2.0, CUBE, POW)),
        ("square(x)", ("x", SQUARE)),
        ("pow(x, 2)", ("x", SQUARE)),
        ("pow(x, y)", ("x", "y", POW)),
        ("inv(x)", ("x", INV)),
        ("neg(3)", (-3.0,)),
        ("add(x, mul(y, 2))", ("x", "y", 2.0, MULTIPLY, ADD)),
        ("sin(x)", ("x", SIN)),
        ("arcsin(x)", ("x", BY_NAME["asin"])),
        ("log(x)", ("x", BY_NAME["ln"])),
        ("min(x, y)", ("x", "y", BY_NAME["min"])),
        ("max(min(x, 1), 2)", ("x", 1.0, BY_NAME["min"], 2.0, BY_NAME["max"])),
        ("|x|", ("x", ABS)),
        ("||x| - 2|", ("x", ABS, 2.0, SUBTRACT, ABS)),
        ("|x|*|y|", ("x", ABS, "y", ABS, MULTIPLY)),
        ("|x - |y||", ("x", "y", ABS, SUBTRACT, ABS)),
        ("|(x)|^2", ("x", ABS, SQUARE)),
        ("2*pi", (2.0, PI, MULTIPLY)),
        ("\u03c0", (PI,)),
        ("e^x", (E, "x", POW)),
        ("exp(e)", (E, BY_NAME["exp"])),
        (" x\n\t+ y ", ("x", "y", ADD)),
        ("x\u2080 + x\u2081\u2082", ("x0", "x12", ADD)),
        ("\u03b1*\u03b2_1", ("\u03b1", "\u03b2_1", MULTIPLY)),
        ("gr\u00f6\u00dfe", ("gr\u00f6\u00dfe",)),
        ("9**9**9", (9.0, 9.0, 9.0, POW, POW)),
    ],
)
def test_text_is_read_as_mathematicians_read_it(text, postfix):
    assert parse(text) == Expression(postfix)
    assert parse(text).postfix == postfix


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("-2^2 + 3*4/5 - 2^-3^2", -(2**2) + 3 * 4 / 5 - 2 ** -(3**2)),
        ("2^3^2/7 - -1", 2 ** (3**2) / 7 + 1),
        ("1 - 2 - 3 + -4^2*-1.5", 1 - 2 - 3 + (-(4**2)) * -1.5),
    ],
)
def test_values_agree_with_python_on_what_binds_tighter(text, value):
    assert evaluate(parse(text), {}) == pytest.approx(value, rel=1e-15)


def test_declared_variables_may_be_named_like_constants():
    assert parse("e*pi").names == ()
    read = parse("e*pi", variables=["e"])
    assert read.names == ("e",)
    assert read.postfix == ("e", PI, MULTIPLY)


def test_declared_subscripts_are_the_same_names():
    assert parse("x\u2080 + a", variables=["x\u2080"]).variables == ("x0",)


def test_variables_given_once_do_not_leak_into_other_calls():
    assert parse("e", variables=["e"]).postfix == ("e",)
    assert parse("e").postfix == (E,)


def test_anonymous_parameters_count_at_each_occurrence():
    assert parse("C*x + C").parameters == ("C", "C")
    assert parse("C_0*x + C_0").parameters == ("C_0",)


def test_a_name_declared_as_variable_is_one_variable_even_if_it_is_c():
    assert parse("C*x + C", variables=["x", "C"]).variables == ("C", "x")
    assert parse("C*x + C", variables=["x", "C"]).parameters == ()


def test_without_declaration_convention_tells_variables_from_parameters():
    read = parse("a*x + b*X_1 + z12*speed")
    assert read.variables == ("x", "X_1", "z12")
    assert read.parameters == ("a", "b", "speed")


@pytest.mark.no_cover
def test_a_sum_of_ten_thousand_terms_is_ordinary():
    read = parse(" + ".join(f"C*x{i % 9}" for i in range(10_000)))
    assert read.size == 39_999
    assert parse(str(read)) == read
    assert read.latex().count(" + ") == 9_999
    assert len(read.tokens("prefix")) == 39_999


def test_ten_thousand_signs_are_read():
    assert parse("-" * 10_000 + "x").size == 10_001
    assert parse("-" * 10_001 + "1").postfix == (-1.0,)


def test_reading_the_same_spelling_again_gives_the_same_tree():
    # Spellings are remembered, and the memory is bounded: neither may show.
    first = [parse(f"x*{i}.25 + name{i}") for i in range(6000)]
    assert first == [parse(f"x*{i}.25 + name{i}") for i in range(6000)]
    assert first[5999].postfix[1] == 5999.25

"""What is no expression gets one error that says where and what would work."""

import pytest

from symbed.errors import ParseError, RangeError, ShapeError
from symbed.language.parser import parse


def test_an_unknown_function_is_pointed_at_with_a_suggestion():
    with pytest.raises(ParseError) as caught:
        parse("a*sn(x)")
    assert str(caught.value) == (
        "unknown function 'sn' at column 3; did you mean 'sin'?\n    a*sn(x)\n      ^"
    )


@pytest.mark.parametrize(
    ("text", "problem", "position", "hint"),
    [
        ("2x", "no operator between '2' and 'x'", 1, "write 2*x"),
        ("x y", "no operator between 'x' and 'y'", 2, "write x*y"),
        ("2(x + 1)", "no operator between '2' and '('", 1, "write 2*("),
        ("(x)(y)", "no operator between ')' and '('", 3, "write )*("),
        ("2sin(x)", "no operator between '2' and 'sin'", 1, "write 2*sin"),
        ("2e", "no operator between '2' and 'e'", 1, "write 2*e"),
        ("pi(x)", "no operator between 'pi' and '('", 2, "write pi*("),
        ("1.5.2", "no operator between '1.5' and '.2'", 3, "write 1.5*.2"),
        ("1_000", "a number with an underscore", 1, "write its digits together"),
        ("lg(x)", "unknown function 'lg'", 0, "write log10(...), or log2(...)"),
        ("x mod 2", "no operator between 'x' and 'mod'", 2, "write mod(x, y)"),
        ("x if x > 0 else 1", "no operator between 'x' and 'if'", 2, "write where(x > 0, u, v)"),
        (
            "sin^2(x)",
            "function 'sin' without its argument",
            0,
            "write sin(...)^2, the power behind it",
        ),
        ("x!", "unexpected character '!'", 1, "write gamma(n + 1) for a factorial"),
        ("x%2", "unexpected character '%'", 1, "write mod(x, y)"),
        ("$x^2$", "unexpected character '$'", 0, "leave it out"),
        ("SIN(x)", "unknown function 'SIN'", 0, "did you mean 'sin'?"),
        ("x + Sqrt(y)", "unknown function 'Sqrt'", 4, "did you mean 'sqrt'?"),
        ("x(y + 1)", "unknown function 'x'", 0, "write x*(...) for a product"),
        ("sin + 1", "function 'sin' without its argument", 0, "write sin(...)"),
        ("sin", "function 'sin' without its argument", 0, "write sin(...)"),
        ("1 + sin x", "function 'sin' without its argument", 4, "write sin(...)"),
        ("sin(x, y)", "function 'sin' takes 1 argument, got 2", 0, ""),
        ("1 + min(x)", "function 'min' takes 2 arguments, got 1", 4, ""),
        ("max(x, y, z)", "function 'max' takes 2 arguments, got 3", 0, ""),
        ("sin()", "function 'sin' takes 1 argument, got 0", 0, ""),
        ("min(x,)", "a value is missing before ')'", 6, ""),
        ("()", "a value is missing before ')'", 1, ""),
        ("x + ", "a value is missing at the end", 3, ""),
        ("x + * y", "a value is missing before '*'", 4, ""),
        ("x /* y", "a value is missing before '*'", 3, ""),
        ("x < y <= 1", "a comparison of a comparison", 6, "write min(a < b, b < c)"),
        ("x > -y > z", "a comparison of a comparison", 7, "write min(a < b, b < c)"),
        ("x > y + 1 == z", "a comparison of a comparison", 10, "write min(a < b, b < c)"),
        ("(x + (y)", "'(' is never closed", 0, ""),
        ("2*min(x, y", "'min(' is never closed", 2, ""),
        ("|x", "'|' is never closed", 0, ""),
        ("x)", "')' closes nothing", 1, ""),
        ("x|", "'|' closes nothing", 1, ""),
        ("x || y", "'|' closes nothing", 2, ""),
        ("|(x|)", "'|' where '(' is still open", 3, "write )"),
        ("(|x)", "')' where '|' is still open", 3, "write |"),
        ("a, b", "',' outside the arguments of a function", 1, "write 1.5, not 1,5"),
        ("(a, b)", "',' outside the arguments of a function", 2, "write 1.5, not 1,5"),
        ("|a, b|", "',' outside the arguments of a function", 2, "write 1.5, not 1,5"),
        ("y = x", "unexpected character '='", 2, "give only the right-hand side"),
        ("x[0]", "unexpected character '['", 1, "there is no indexing, write x0 or x_0"),
        ("'x'", 'unexpected character "\'"', 0, "an expression holds no quoted text"),
        ("x @ y", "unexpected character '@'", 2, ""),
        ("x # y", "unexpected character '#'", 2, ""),
        ("nan*x", "'nan' is no name and no number", 0, "write 1e999 for inf"),
        ("x + inf", "'inf' is no name and no number", 4, "write 1e999 for inf"),
        ("x square", "no operator between 'x' and 'square'", 2, "write x*square"),
        ("f(x) = x", "unexpected character '='", 5, "give only the right-hand side"),
        ("1.0d-3*x", "a number in the notation of Fortran", 3, "write e for d: 1.5e-3"),
        ("2d*x", "no operator between '2' and 'd'", 1, "write 2*d"),
        ("if x", "no operator between 'if' and 'x'", 3, "write where(x > 0, u, v)"),
        (
            "tan^-1(x)",
            "function 'tan' without its argument",
            0,
            "write atan(...) for the inverse function, 1/tan(...) for the reciprocal",
        ),
        ("x mul y", "no operator between 'x' and 'mul'", 2, "write x*mul"),
    ],
)
def test_each_mistake_has_its_message(text, problem, position, hint):
    with pytest.raises(ParseError) as caught:
        parse(text)
    error = caught.value
    assert (error.problem, error.position, error.hint) == (problem, position, hint)


@pytest.mark.parametrize("text", ["", " ", "\n\t"])
def test_an_empty_text_is_said_to_be_empty(text):
    with pytest.raises(ParseError, match=r"\Athe expression is empty\Z"):
        parse(text)


@pytest.mark.parametrize(
    "text",
    [
        "__import__('os').system('true')", "a.b", "x.real", "().__class__.__bases__[0]",
        "lambda x: x", "[x for x in y]", "x if y else z", "x := 3", "f'{x}'", "`x`", "x; y",
        "exec('1')", "open(x)", "\\frac{1}{2}", "{x}", "$x$", "x\\\ny", "x = y", "x <> y", "~x",
        "x % y", "0x10", "1j", "True and x", "not x", "x\0", "\0", "\x7f", "x\x1b[0m",
    ],
)  # fmt: skip
def test_program_text_is_refused(text):
    with pytest.raises(ParseError):
        parse(text)


def test_a_long_name_is_cut_in_the_message():
    with pytest.raises(ParseError) as caught:
        parse("x " + "y" * 60)
    assert len(caught.value.problem) < 100


def test_the_column_counts_from_the_beginning_of_its_line():
    with pytest.raises(ParseError, match=r"at column 3; did you mean 'sin'\?\n    1\*sn\(x\)\n"):
        parse("x +\n1*sn(x)")


@pytest.mark.parametrize("source", [None, 3, 2.5, b"x + 1", {"x": 1}, object()])
def test_what_is_neither_text_nor_tokens_is_an_argument_of_the_wrong_kind(source):
    with pytest.raises(ShapeError, match="an expression is text or a list of tokens"):
        parse(source)


def test_variables_must_be_a_list_of_names():
    with pytest.raises(ShapeError, match="variables must be a list of names, got the text 'xy'"):
        parse("x", variables="xy")
    with pytest.raises(ShapeError, match="variables must be names, got 3"):
        parse("x", variables=["x", 3])
    with pytest.raises(ShapeError, match=r"variables must be names, got \['y'\]"):
        parse("x", variables=["x", ["y"]])
    with pytest.raises(ParseError, match="variable 'sin' has the name of a function"):
        parse("x", variables=["sin"])
    with pytest.raises(ParseError, match="unexpected character ' '"):
        parse("x", variables=["x y"])


def test_an_unknown_dialect_names_the_known_ones():
    with pytest.raises(RangeError, match=r"one of infix, tokens, prefix, postfix, .*got 'polish'"):
        parse("x", dialect="polish")
    with pytest.raises(RangeError, match="got None"):
        parse("x", dialect=None)

"""Reading other tools' formulas: names, constants, errors that point, and hostile text."""

from __future__ import annotations

import warnings
from types import SimpleNamespace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from symbed.errors import LimitError, ParseError, RangeError, ShapeError, SymbedError
from symbed.language.dialects.reader import LossyConstants
from symbed.language.dialects.tool_table import ALIASES, TOOLS
from symbed.language.parser import parse

READABLE = [name for name, tool in TOOLS.items() if tool.reads]


class TestNames:
    def test_numbered_variables_are_columns_counted_from_0(self) -> None:
        assert parse("x1*x2", dialect="srjl") == parse("x0*x1", dialect="pysr")
        assert parse("mul(X0, X1)", dialect="gplearn") == parse("X1*X2", dialect="operon")
        assert str(parse("mul,x_3,x_0", dialect="e2e")) == "x3*x0"

    def test_given_variables_name_the_columns(self) -> None:
        expression = parse("x1 + x2", ["speed", "mass"], "srjl")
        assert str(expression) == "speed + mass"
        assert expression.variables == ("speed", "mass")

    def test_a_numbered_name_that_is_given_stays(self) -> None:
        assert str(parse("x1 + x2", ["x1", "x2", "x3"], "srjl")) == "x1 + x2"

    def test_a_name_and_a_number_that_differ_are_an_error(self) -> None:
        with pytest.raises(
            ParseError, match="'x1' is one of the variables, but PySR's 'x1' is col"
        ):
            parse("2*x1", ["x1", "x2"], "pysr")
        assert str(parse("x0 + x1", ["x1", "x2"], "pysr")) == "x1 + x2"

    def test_names_are_enough_where_columns_are_left_out(self) -> None:
        assert str(parse("x1 + x7", ["x1", "x7"], "srjl")) == "x1 + x7"

    def test_a_column_that_is_not_there_is_an_error(self) -> None:
        with pytest.raises(ParseError, match="'x3' is column 4, but 2 variables were given"):
            parse("x0 + x3", ["a", "b"], "pysr")

    def test_x0_does_not_exist_where_counting_begins_at_1(self) -> None:
        with pytest.raises(ParseError, match="counts variables from x1, got 'x0' at column 5"):
            parse("2 + x0", dialect="srjl")

    def test_subscripts_are_numbers(self) -> None:
        assert str(parse("x\N{SUBSCRIPT ZERO}*2.5", dialect="pysr")) == "x0*2.5"

    def test_words_of_tools_without_parameters_are_variables(self) -> None:
        assert parse("2.5*speed", dialect="pysr").variables == ("speed",)
        assert parse("C0*n", dialect="proged").parameters == ("C0", "n")
        assert parse("C0*n", ["n"], "proged").parameters == ("C0",)

    def test_free_parameters_of_each_kind(self) -> None:
        assert parse("mul,const,add,const,x1", dialect="dso").parameters == ("C", "C")
        assert parse("?*X_0 + ?", dialect="bingo").parameters == ("C", "C")
        assert parse("t0*x0 + t1*t0", dialect="srtree").parameters == ("t0", "t1")
        assert parse("params[1]*np.exp(x[:, 2])", dialect="python").parameters == ("params_1",)

    def test_a_plain_name_may_not_be_taken_for_a_column(self) -> None:
        with pytest.raises(ParseError, match="'x0' is also the name of column 0"):
            parse("X_0 + x0", dialect="srtoolkit")


class TestMeanings:
    @pytest.mark.parametrize(
        ("dialect", "text", "meaning"),
        [
            ("pysr", "log(x0)", "ln(x0)"),
            ("srtoolkit", "log(X_0)", "log10(x0)"),
            ("srtoolkit", "u- X_0 ^2", "-(x0^2)"),
            ("gplearn", "log(X0)", "plog(x0)"),
            ("gplearn", "div(X0, X1)", "pdiv(x0, x1)"),
            ("gplearn", "sqrt(X0)", "sqrt(abs(x0))"),
            ("gplearn", "inv(X0)", "pinv(x0)"),
            ("bingo", "sqrt(X_0)(X_1)", "sqrt(abs(x0))*x1"),
            ("operon", "aq(X1, X2)", "x0/sqrt(x1^2 + 1)"),
            ("esr", "pow(x - a0, a1)", "abs(x - a0)^a1"),
            ("dso", "expneg,x1", "exp(-x0)"),
            ("e2e", "((x_0 pow 2) sub inv(x_1))", "x0^2 - inv(x1)"),
            ("latex", r"\sin^{2} x \cos x", "sin(x)^2*cos(x)"),
            ("latex", r"\sin \cos 2 x + 1", "sin(cos(2*x)) + 1"),
            ("latex", r"\sqrt[n + 1]{x}", "x^(1/(n + 1))"),
            ("latex", r"\min{\left(x, y \right)}", "min(x, y)"),
            ("latex", r"\[ \csch x \ast \ceil{y} \]", "csch(x)*ceil(y)"),
            ("latex", r"2 \sin x + 1", "2*sin(x) + 1"),
            ("latex", r"\sqrt[3]{x} \sqrt[4]{y}", "cbrt(x)*y^(1/4)"),
            ("latex", r"\frac12 x^{10}", "1/2*x^10"),
            ("latex", r"|x - |y||", "abs(x - abs(y))"),
            ("latex", r"\log_{10}(x) - \log_2 x", "log10(x) - log2(x)"),
            ("latex", r"10^{-3} x + 2.5 \times 10^{4}", "1e-3*x + 2.5e4"),
            ("latex", r"\mathrm{speed}_{max}^{2}", "speed_max^2"),
            ("latex", r"\lfloor x \rfloor + \alpha", "floor(x) + alpha"),
            ("sympy", "Max(x, y, z)", "max(x, max(y, z))"),
            ("python", "lambda x, p: p[0]*x", "p_0*x"),
            ("python", "np.e**x + math.pi", "e^x + pi"),
            (
                "python",
                "def f(x, params):\n    '''Doc.'''\n    a = params[0]*x  # why\n    return a**2 + a",
                "(params_0*x)^2 + params_0*x",
            ),
        ],
    )
    def test_a_formula_means(self, dialect: str, text: str, meaning: str) -> None:
        assert parse(text, dialect=dialect) == parse(meaning)

    def test_the_letters_of_a_column_are_its_name_to_who_wrote_it(self) -> None:
        with pytest.raises(ParseError, match=r"write \\mathrm\{age\}"):
            parse(r"\frac{age}{2}", ["age", "x"], "latex")
        assert str(parse(r"\frac{\mathrm{age}}{2}", ["age"], "latex")) == "age/2"
        assert parse(r"R i", ["i"], "latex").variables == ("i",)

    def test_a_superscript_minus_one_on_a_sine_is_refused(self) -> None:
        with pytest.raises(ParseError, match="inverse function or the reciprocal"):
            parse(r"\sin^{-1}(x)", dialect="latex")

    def test_rounded_constants_are_told(self) -> None:
        with pytest.warns(LossyConstants, match="three decimals"):
            parse("add(X0, 0.123)", dialect="gplearn")
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            parse("add(X0, X1)", dialect="gplearn")

    def test_constants_are_lifted_and_integers_stay(self) -> None:
        text = "2.5*x0^2 - 3*x1 + 0.1*pi + 1e300"
        assert str(parse(text, constants="lift")) == "C*x0^2 - 3*x1 + C*pi + C"
        with pytest.raises(RangeError, match="constants must be 'keep' or 'lift', got 'drop'"):
            parse(text, constants="drop")

    @pytest.mark.parametrize("alias", ALIASES)
    def test_other_names_of_a_tool_are_known(self, alias: str) -> None:
        assert ALIASES[alias] in TOOLS


class TestErrors:
    @pytest.mark.parametrize(
        ("dialect", "text", "message"),
        [
            ("gplearn", "add(X0, X1, X2) ", "takes 2 arguments"),
            ("gplearn", "X0 + X1", "no operator between|unexpected character"),
            ("dso", "add,x1", "still needs 1 value"),
            ("pysr", "x0 +* x1", r"a value is missing before '\*' at column 5"),
            ("latex", r"\frac{x}{y", "never closed"),
            ("latex", r"\unknowncommand x", r"unknown command '\\unknowncommand' at column 1"),
            ("latex", "x}", "closes nothing at column 2"),
            ("sympy", "Add(Symbol('x'), Gamma(Symbol('y')))", "has no counterpart"),
            ("python", "import os", "no operator between"),
            ("python", "x = 1\nreturn x\nx", "code after the result"),
            ("python", "__import__('os').system('ls')", "unexpected character|unknown function"),
            ("excel", "=A1", "can be written, not read"),
            ("python", "Sinh[5]*x", r"write sinh\(...\)"),
            ("python", "lambda x, e: e*x", "'e' is a name in this code.* write np.e"),
            ("python", "e = 0.5\nreturn e*x", "'e' is a name in this code"),
            ("python", "lambda x, pi: pi*x", "'pi' is a name in this code"),
            (
                "python",
                "pi = 3\nreturn pi*x",
                "'pi' is a number to the reader",
            ),
        ],
    )
    def test_an_error_says_what_and_where(self, dialect: str, text: str, message: str) -> None:
        with pytest.raises(SymbedError, match=message):
            parse(text, dialect=dialect)

    def test_an_unknown_dialect_lists_the_known(self) -> None:
        with pytest.raises(RangeError, match=r"one of infix, .*pysr, .*auto, got 'pyysr'"):
            parse("x", dialect="pyysr")

    @pytest.mark.parametrize("dialect", READABLE)
    def test_an_empty_text_is_an_error(self, dialect: str) -> None:
        with pytest.raises(SymbedError):
            parse("", dialect=dialect)

    @pytest.mark.parametrize("dialect", READABLE)
    def test_the_size_of_a_text_is_limited(self, dialect: str) -> None:
        with pytest.raises(LimitError):
            parse("x" + " " * (256 * 1024), dialect=dialect)

    @pytest.mark.parametrize(
        ("dialect", "text"),
        [
            ("pysr", "(" * 300 + "x0" + ")" * 300),
            ("gplearn", "neg(" * 300 + "X0" + ")" * 300),
            ("latex", r"\frac{1}{" * 300 + "x" + "}" * 300),
            ("latex", "{" * 5000 + "x" + "}" * 5000),
            ("sympy", "sin(" * 300 + "Symbol('x')" + ")" * 300),
            ("dso", "sin," * 300 + "x1"),
            ("pysr", "ifelse(" * 60 + "x0" + " > 0, x0, 1)" * 60),
            ("pysr", "+".join(["x0"] * 60_000)),
            ("python", "a = x\n" + "a = a + a\n" * 60 + "return a"),
            ("python", "-" * 300 + "(" * 250 + "x" + ")" * 250),
        ],
    )
    def test_depth_and_growth_are_limited(self, dialect: str, text: str) -> None:
        with pytest.raises(LimitError):
            parse(text, dialect=dialect)

    @pytest.mark.no_cover
    @pytest.mark.parametrize("dialect", ["latex", "python", "sympy", "bingo", "e2e", "auto"])
    @pytest.mark.parametrize(
        "piece",
        ["1", "|", "a(", "{", " a", '"', "\\left|", "a\\mathrm{", "x^", "a = a\n", "1.", "[ "],
    )
    def test_hostile_repetition_costs_a_moment(self, dialect: str, piece: str) -> None:
        with pytest.raises(SymbedError):
            parse(piece * (200_000 // len(piece)), dialect=dialect)

    @pytest.mark.parametrize("dialect", READABLE)
    @settings(max_examples=60, deadline=None)
    @given(data=st.data())
    def test_any_text_is_read_or_refused_politely(self, dialect: str, data: st.DataObject) -> None:
        words = [*TOOLS[dialect].meanings, *MATERIAL]
        text = "".join(data.draw(st.lists(st.sampled_from(words), max_size=25)))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", LossyConstants)
            try:
                expression = parse(text, dialect=dialect)
            except SymbedError:
                return
        assert parse(str(expression), expression.declared or None) == expression


MATERIAL = [
    "x", "x0", "x1", "X_0", "X1", "C", "t0", "a0", "2", "0.5", "1e-3", "(", ")", ",", " ", "+", "-",
    "*", "/", "^", "**", "|", "{", "}", "_", "\\frac", "\\sin", "\\left(", "\\right)", "\\sqrt", "\n",
    "=", "return ", "params[0]", "np.", "Symbol('x')", "Integer(2)", "Rational(1, 2)", "Add(", "?",
    "'", '"', "\N{MINUS SIGN}", ";", "def f(x):", "lambda x:", "[", "]", "#", "\\",
]  # fmt: skip


class TestSympyObjects:
    """Objects are walked by ``func`` and ``args``; SymPy itself is not needed."""

    def test_an_object_is_walked(self) -> None:
        x, y = symbol("x"), symbol("y")
        half = node("Half", p=1, q=2)
        whole = node(
            "Add", node("Mul", number(3), node("Pow", x, half)), node("sin", y), node("Pi")
        )
        assert parse(whole) == parse("3*sqrt(x) + sin(y) + pi")
        assert parse(whole, dialect="auto") == parse(whole, dialect="sympy")

    @pytest.mark.no_cover
    def test_a_long_chain_and_a_deep_one(self) -> None:
        x = symbol("x")
        assert parse(node("Add", *[x] * 5000)).size == 9999
        deep = x
        for _ in range(5000):
            deep = node("sin", deep)
        with pytest.raises(LimitError):
            parse(deep)

    def test_a_float_keeps_its_value(self) -> None:
        class Float:
            args, func = (), SimpleNamespace(__name__="Float")

            def __float__(self) -> float:
                return 0.1

        assert parse(Float()).postfix == (0.1,)

    def test_what_has_no_counterpart_is_an_error(self) -> None:
        with pytest.raises(ShapeError, match="'zeta' has no counterpart"):
            parse(node("zeta", symbol("x")))
        with pytest.raises(ShapeError, match="'ImaginaryUnit' has no counterpart"):
            parse(node("ImaginaryUnit"))
        with pytest.raises(ShapeError, match="SymPy expression is needed, got SimpleNamespace"):
            parse(SimpleNamespace(func=3), dialect="sympy")
        with pytest.raises(ShapeError, match="got int"):
            parse(3, dialect="pysr")


def node(kind: str, *args: object, **fields: object) -> SimpleNamespace:
    return SimpleNamespace(func=SimpleNamespace(__name__=kind), args=args, **fields)


def symbol(name: str) -> SimpleNamespace:
    return node("Symbol", name=name)


def number(value: int) -> SimpleNamespace:
    return node("Integer", p=value, q=1)

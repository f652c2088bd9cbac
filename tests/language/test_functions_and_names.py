"""Words that are functions where they are called and names where they are not."""

import numpy as np
import pytest

import symbed
from symbed.errors import DataError, ParseError, ShapeError
from symbed.language.dialects.templates import write_out
from symbed.language.operators import TABLE, is_reserved

NAMEABLE = [row.identifier for row in TABLE if row.nameable]


@pytest.mark.parametrize("word", NAMEABLE)
def test_a_new_function_is_a_name_without_its_parenthesis(word):
    expression = symbed.parse(f"{word}*x + 1")
    assert expression.parameters == (word,)
    assert symbed.parse(str(expression)) == expression
    assert not is_reserved(word)
    assert symbed.Probe({word: (1, 2)}).variables == (word,)


def test_prefix_and_postfix_lists_keep_such_names():
    assert symbed.parse("* gamma x", dialect="prefix") == symbed.parse("gamma*x")
    assert symbed.parse("gamma x", dialect="prefix") == symbed.parse("gamma(x)")
    assert symbed.parse("x gamma *", dialect="postfix") == symbed.parse("x*gamma")
    assert symbed.parse("< rint gamma", dialect="prefix") == symbed.parse("rint < gamma")


@pytest.mark.parametrize("text", ["gamma + gamma(x)", "gamma(gamma) + x", "mod(less, x) // rint"])
@pytest.mark.parametrize("notation", ["prefix", "postfix"])
def test_beside_such_functions_such_names_have_parentheses(text, notation):
    expression = symbed.parse(text)
    written = expression.tokens(notation)
    assert [t for t in written if t[0] == "("] == [f"({name})" for name in _names(expression)]
    assert symbed.parse(written, dialect=notation) == expression
    assert symbed.parse(" ".join(written), dialect=notation) == expression


def _names(expression):
    return [name for name in expression.names if name != "x"]


@pytest.mark.parametrize("row", [row for row in TABLE if row.definition], ids=lambda row: row.name)
def test_the_operator_has_the_values_of_its_definition(row):
    text = (
        f"x {row.name} y" if row.form == "infix" else f"{row.name}({'x, y'[: 3 * row.arity - 2]})"
    )
    expression = symbed.parse(text, variables=("x", "y"))
    probe = symbed.Probe({"x": (-3, 3), "y": (-2, 2.5)}, n_points=97)
    defined = symbed.Expression(write_out(expression.postfix), expression.declared)
    one, other = (symbed.observe(e, probe).outputs for e in (expression, defined))
    np.testing.assert_allclose(one, other, rtol=1e-10, atol=1e-13)


LATEX = {
    r"1.5e-3 x": "0.0015*x", r"1e-3": "0.001", r"1\,000 x": "1000*x",
    r"1/2 \cdot 10^{3}": "1/2*1000", r"2 \cdot 10^{3} x": "2000*x", r"{x^2}^3": "(x^2)^3",
    r"2e^{x}": "2*e^x", r"x(1-x)": "x*(1 - x)", r"\Gamma(x) + \Gamma": "gamma(x) + Gamma",
    r"\operatorname{sinc}(\pi x)": "sinc(x)",
    r"\operatorname{sinc}(\sin(\pi) x)":
        "cond(abs(sin(pi)*x), sin(sin(pi)*x)/(sin(pi)*x)) + (sin(pi)*x == 0)", r"x \ge 2": "x >= 2",
    r"e^{-\gamma t}": "e^(-gamma*t)", r"$$ \frac{x}{2} $$": "x/2", r"\frac{x}{2}.": "x/2",
    r"\Gamma^{2}\left(x\right)": "gamma(x)^2", r"\Gamma^{2} x": "Gamma^2*x",
    r"\begin{equation*}\frac{x}{2}\end{equation*}": "x/2", r"a/b \cdot c": "a/b*c", r"-x/y + 2 x": "-x/y + 2*x", r"nRT": "n*R*T",
    r"\frac{1}{2}x/y": "1/2*x/y", r"(1/2) x": "(1/2)*x",
}  # fmt: skip


@pytest.mark.parametrize(("text", "meaning"), LATEX.items())
def test_latex_means_what_it_looks_like(text, meaning):
    assert symbed.parse(text, dialect="latex") == symbed.parse(meaning)


@pytest.mark.parametrize(
    ("text", "remedy"),
    [
        ("3.14.15", "digits together"),
        ("2 3", r"write \\cdot"),
        (r"10^{2}^{3}", r"write x\^\{2\^\{3\}\}"),
        (r"x^{2}^{3}", r"write x\^\{2\^\{3\}\}"),
        ("x^10", r"put it in braces: \{10\}"),
        ("x_10", r"put it in braces: \{10\}"),
        (r"3 \cdot 10^23", r"put it in braces: \{23\}"),
        ("sin(x)", r"write \\sin"),
        ("exp x", r"write \\exp"),
        (r"\frac{d}{dx} x^2", "write out what it is"),
        (r"\frac{\partial f}{\partial x}", "write out what it is"),
        ("f(x)", r"write f \\cdot"),
        ("a(x)", r"write a \\cdot"),
        (r"\sin(x1) + x2^{2}", r"write x_\{1\} for the name, x \\cdot 1"),
        (r"velocity^{2}", r"write \\mathrm\{velocity\} for the name"),
        (r"2pi r", r"write \\pi for the name"),
        (r"\frac{dx}{dt}", "write out what it is"),
        (r"\Delta x + 1", r"write \\Delta_\{x\} for one quantity"),
        (r"e^{i x}", "only real formulas"),
        (r"e^{-x/2\sigma^2}", "a product behind '/' .* brackets"),
        (r"1/2 \sin(x)", "a product behind '/' .* brackets"),
        (r"x/6.02 \times 10^{23}", "a product behind '/' .* brackets"),
        (r"\cos \theta/2", r"write \\sin\(x\)/2 or"),
        (r"0{,}125 x", "1.5 for one and a half"),
        (r"x^{2} \quad (2)", r"before \\quad"),
        (r"2x \text{ for } x > 0", "give only the formula"),
        (r"The law is $\frac{1}{2}mv^2$.", r"between \$ and its end"),
        (r"$x$ and $y$", r"between \$ and its end"),
        (r"f(x) = \frac{x}{2}", "give only the right-hand side"),
    ],
)
def test_latex_that_misleads_is_refused_with_a_remedy(text, remedy):
    with pytest.raises(ParseError, match=remedy):
        symbed.parse(text, dialect="latex")


def test_a_symbol_of_sympy_is_one_parameter_whatever_its_name():
    sympy = pytest.importorskip("sympy")
    x, big, e = sympy.symbols("x C e")
    expression = symbed.parse(big / (big + x))
    assert expression.parameters == ("C_0",)
    assert symbed.parse(r"\frac{C}{C + x}", dialect="latex").parameters == ("C_0",)
    assert symbed.parse(big * x) == symbed.parse("C*x")
    found = symbed.parse(e * x)
    assert found.parameters == ("e_0",)
    assert symbed.parse(str(found)) == found


def test_two_symbols_of_one_name_are_refused():
    sympy = pytest.importorskip("sympy")
    total = sympy.Symbol("x") + sympy.Symbol("x", positive=True)
    for source in (total, sympy.srepr(total)):
        with pytest.raises((ShapeError, ParseError), match="two different SymPy symbols"):
            symbed.parse(source, dialect="sympy")


def test_columns_of_a_table_go_by_name():
    pandas = pytest.importorskip("pandas")
    table = pandas.DataFrame({"y": [2.0, 4.0], "x": [1.0, 3.0]})
    assert symbed.bed("x+0*y", "0*x*y", points=table) == 2.0
    assert symbed.observe("x", symbed.Probe.at(table, ["x", "y"])).outputs.tolist() == [[1, 3]]
    with pytest.raises(DataError, match="'z' is no column of the points, which have y, x"):
        symbed.Probe.at(table, ["x", "z"])


def test_masked_points_are_refused():
    masked = np.ma.masked_array([1.0, 999.0], mask=[False, True])
    with pytest.raises(DataError, match="masked array"):
        symbed.Probe.at(masked, "x")

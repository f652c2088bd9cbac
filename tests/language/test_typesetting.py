"""LaTeX out."""

import pytest
from hypothesis import given, settings

from symbed.language.parser import parse
from tests.language.trees import expressions


@pytest.mark.parametrize(
    ("text", "latex"),
    [
        ("C*x + C", r"C \cdot x + C"),
        ("C_0*X_1", r"C_{0} \cdot X_{1}"),
        ("x12", "x_{12}"),
        ("alpha*\u03b2_1", r"\alpha \cdot \beta_{1}"),
        ("speed_max", r"\mathrm{speed}_{\mathrm{max}}"),
        ("a_b_c", r"a_{\mathrm{b\_c}}"),
        ("C_", r"\mathrm{C\_}"),
        ("_", r"\_"),
        ("\u0394", r"\Delta"),
        ("Beta", r"\mathrm{Beta}"),
        ("a/b", r"\frac{a}{b}"),
        ("(a + b)/(c*d)", r"\frac{a + b}{c \cdot d}"),
        ("(a/b)^2", r"\left(\frac{a}{b}\right)^{2}"),
        ("-a/b", r"\frac{-a}{b}"),
        ("-(a/b)", r"-\frac{a}{b}"),
        ("a*(b + c)", r"a \cdot \left(b + c\right)"),
        ("a - (b - c)", r"a - \left(b - c\right)"),
        ("a*-b", r"a \cdot \left(-b\right)"),
        ("a + -2", r"a + \left(-2\right)"),
        ("x^(a + b)", "x^{a + b}"),
        ("(-x)^2", r"\left(-x\right)^{2}"),
        ("-x^2", "-x^{2}"),
        ("(x^2)^y", r"\left(x^{2}\right)^{y}"),
        ("x^-1", "x^{-1}"),
        ("sqrt(x + 1)", r"\sqrt{x + 1}"),
        ("cbrt(x)", r"\sqrt[3]{x}"),
        ("sin(x)^2", r"\sin\left(x\right)^{2}"),
        ("atan(x)", r"\arctan\left(x\right)"),
        ("sech(x)", r"\operatorname{sech}\left(x\right)"),
        ("log10(x)", r"\log_{10}\left(x\right)"),
        ("abs(x)", r"\left|x\right|"),
        ("min(x, y)", r"\min\left(x, y\right)"),
        ("pi*e", r"\pi \cdot e"),
        ("1e-5", "10^{-5}"),
        ("-1e-5", "-10^{-5}"),
        ("1.5e-7*x", r"1.5 \cdot 10^{-7} \cdot x"),
        ("1.5e-7^x", r"\left(1.5 \cdot 10^{-7}\right)^{x}"),
        ("1e30^x", r"\left(10^{30}\right)^{x}"),
        ("(-1e30)^x", r"\left(-10^{30}\right)^{x}"),
        ("1e999", r"\infty"),
        ("-1e999", r"-\infty"),
    ],
)
def test_latex_reads_like_mathematics(text, latex):
    assert parse(text).latex() == latex


@given(expressions)
@settings(max_examples=100, deadline=None)
def test_braces_and_brackets_are_balanced(expression):
    latex = expression.latex()
    depth = 0
    for char in latex.replace(r"\_", ""):
        depth += {"{": 1, "}": -1}.get(char, 0)
        assert depth >= 0
    assert depth == 0
    assert latex.count(r"\left") == latex.count(r"\right")


def test_notebooks_show_latex():
    assert parse("x^2")._repr_latex_() == "$x^{2}$"

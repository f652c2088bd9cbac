"""Tools whose formulas are plain text or lists of tokens.

Text: gplearn, Operon, ProGED, AI Feynman, ESR, Bingo, and srtree, whose notation is also that of
eggp and rEGGression. Lists: DSO, SRToolkit, and the transformers E2E and SNIP. Printed trees and
equations: DEAP, PySINDy, feyn, Eureqa; and Excel, only written. Each tool has its own view of
undefined values: some of its words are protected.
"""

from __future__ import annotations

import re

from symbed.language._token_readers import read_infix, read_prefix
from symbed.language.dialects.templates import COMPARISONS, WHERE, Builder, negate
from symbed.language.dialects.tool_table import (
    SIGNS,
    Style,
    Token,
    Tool,
    cut_formula,
    cut_list,
    ends_value,
    insert_products,
)
from symbed.language.expression import Item
from symbed.language.printers import number
from symbed.language.tokens import Symbols

WORD_SIGNS = {"add": "+", "sub": "-", "mul": "*", "div": "/", "pow": "^"}
# Words of several tools for operators under their own absolute values.
ABSOLUTE = {"sqrtabs": "sqrt(abs(a))", "logabs": "ln(abs(a))", "powabs": "abs(a)^b"}
QUOTIENT = "a/sqrt(b^2 + 1)"  # the analytic quotient

GPLEARN = Tool(
    name="gplearn",
    title="gplearn",
    base=0,
    log="protected: ln|x|, and 0 where |x| <= 0.001",
    protected={
        "div": "protected: 1 where the divisor is within 0.001 of zero",
        "log": "protected: ln|x|, and 0 where |x| <= 0.001",
        "inv": "protected: 0 where |x| <= 0.001",
        "sqrt": "protected: the root of |x|",
    },
    constants="rounded to three decimals when printed",
    words={"sqrt": "sqrt(abs(a))"},
    spelled="X{}",
    style=Style("calls"),
    lossy=(
        re.compile(r"(?<![\w.])[0-9]+\.[0-9]{3}(?![0-9])"),
        "constants are printed with three decimals, so the formula is not quite the fitted one; "
        "its values can differ from the model's",
    ),
)

OPERON = Tool(
    name="operon",
    title="Operon",
    base=1,
    constants="as many decimals as were asked for; a weight before each variable",
    words=SIGNS | ABSOLUTE | {"aq": QUOTIENT},
    spelled="X{}",
    style=Style(),
    lossy=(
        re.compile(r"(?<![\w.])[0-9]+\.[0-9]{3,8}(?![0-9])"),
        "constants are printed with few decimals (0.000000 is a small one, not zero), so the "
        "formula is not quite the fitted one; get_model_string(tree, 17) prints them whole",
    ),
)

PROGED = Tool(
    name="proged",
    title="ProGED",
    base=0,
    constants="C, C0, C1 ... are free parameters; fitted ones are numbers in the text",
    words=SIGNS,
    spelled="X_{}",
    parameter=re.compile("C_?([0-9]*)"),
    parameters="C{}",
    open_names=True,
    style=Style(power="**"),
)

FEYNMAN = Tool(
    name="aifeynman",
    title="AI Feynman",
    base=0,
    words=SIGNS,
    style=Style(power="**"),
)

ESR = Tool(
    name="esr",
    title="ESR",
    base=None,
    protected={"pow": "protected: |a|^b", "sqrt_abs": "the root of |x|", "log_abs": "ln|x|"},
    constants="a0, a1, ... are free parameters",
    words=SIGNS
    | {
        "pow": "abs(a)^b",
        "sqrt_abs": "sqrt(abs(a))",
        "log_abs": "ln(abs(a))",
        "pow_abs": "abs(a)^b",
        "log10_abs": "log10(abs(a))",
        "tenexp": "10^a",
    },
    variable=re.compile("(x)"),
    parameter=re.compile("a([0-9]+)"),
    parameters="a{}",
    open_names=True,
    style=Style(power="**"),
)


def cut_bingo(source: str) -> list[Token]:
    """The tokens of Bingo's console text, with its products written out.

    >>> " ".join(token.text for token in cut_bingo("(X_0)(2.0) + sin(X_1)"))
    '( X_0 ) * ( 2.0 ) + sin ( X_1 )'
    """
    # ? is no name, and C is a new parameter each time too.
    tokens = (Token("C", t.place) if t.text == "?" else t for t in cut_formula(source))
    return insert_products(tokens, BINGO.meanings)


BINGO = Tool(
    name="bingo",
    title="Bingo",
    base=0,
    log="protected: ln|x|",
    protected={"log": "protected: ln|x|", "sqrt": "protected: the root of |x|"},
    constants="all digits, as numbers in the text; ? where not fitted",
    words=SIGNS | {"log": "ln(abs(a))", "sqrt": "sqrt(abs(a))"},
    variable=re.compile("X_([0-9]+)", re.IGNORECASE),
    spelled="X_{}",
    parameter=re.compile("C(?:_([0-9]+))?"),
    parameters="?",
    cut=cut_bingo,
    style=Style(only=frozenset({"+", "-", "*", "/", "^", "^2", "^3"})),
)

SRTREE = Tool(
    name="srtree",
    title="srtree",
    base=0,
    protected={"sqrtabs": "the root of |x|", "logabs": "ln|x|", "powabs": "|a|^b"},
    constants="t0, t1, ... are free parameters; fitted ones are numbers in the text",
    words=SIGNS
    | ABSOLUTE
    | {
        "Id": "a",
        "SqrtAbs": "sqrt(abs(a))",
        "LogAbs": "ln(abs(a))",
        "aq": QUOTIENT,
        "AQ": QUOTIENT,
    },
    parameter=re.compile(r"t\[?([0-9]+)\]?"),
    parameters="t{}",
    open_names=True,
    style=Style(power="**"),
)


DSO = Tool(
    name="dso",
    title="DSO",
    base=1,
    constants="const is a free parameter; fitted ones are numbers in the list",
    words={"expneg": "exp(-a)", "logabs": "ln(abs(a))"},
    parameter=re.compile("const"),
    parameters="const",
    cut=cut_list,
    read=read_prefix,
    style=Style("prefix", joint=","),
)


def cut_srtoolkit(source: str) -> list[Token]:
    """The tokens of SRToolkit's text: ``u-`` is one of them, and so are ``^2`` and ``^-1``."""
    joined: list[Token] = []
    for token in cut_formula(source):
        last = joined[-1] if joined else None
        if token.text == "-" and last is not None and last.text == "u":
            joined[-1] = Token("u-", last.place)
        else:
            joined.append(token)
    return joined


SRTOOLKIT = Tool(
    name="srtoolkit",
    title="SRToolkit",
    base=0,
    log="base 10",
    constants="C is a free parameter, a new one each time",
    words=SIGNS,
    spelled="X_{}",
    parameter=re.compile("C"),
    parameters="C",
    cut=cut_srtoolkit,
    style=Style(),
)

ENCODED = re.compile(r"[-+] N[0-9]+ E-?[0-9]+")


def read_either(tokens: list[str], symbols: Symbols) -> list[Item]:
    """Read infix text with words for signs, or a prefix list."""
    return read_infix(tokens, symbols) if _is_infix(tokens) else read_prefix(tokens, symbols)


def cut_either(source: str) -> list[Token]:
    """The tokens of a prefix list or of infix text with words for signs.

    The model itself writes a number as three tokens: sign, digits, exponent.

    >>> [token.text for token in cut_either("mul,-,N2345,E-3,x_0")]
    ['mul', '-2345e-3', 'x_0']
    """
    if _is_infix([source]):
        return cut_word_signs(source)
    joined: list[Token] = []
    for token in cut_list(source):
        joined.append(token)
        last = " ".join(text for text, _ in joined[-3:])
        if ENCODED.fullmatch(last):
            sign, digits, exponent = joined[-3:]
            number = f"{sign.text}{digits.text[1:]}e{exponent.text[1:]}".removeprefix("+")
            joined[-3:] = [Token(number, sign.place)]
    return joined


def cut_word_signs(source: str) -> list[Token]:
    """The tokens of infix text whose signs are words, such as ``(x_0 add 2)``.

    A word that stands where a value is wanted is the function of that name.

    >>> [token.text for token in cut_word_signs("(x_0 mul inv(x_1))")]
    ['(', 'x_0', '*', 'inv', '(', 'x_1', ')', ')']
    """
    tokens: list[Token] = []
    for token in cut_formula(source):
        # mul(x, y) begins with a word that follows no value, and stays a call.
        is_sign = tokens and ends_value(tokens[-1].text) and token.text in WORD_SIGNS
        tokens.append(Token(WORD_SIGNS[token.text], token.place) if is_sign else token)
    return tokens


def _is_infix(texts: list[str]) -> bool:
    """Only infix text has parentheses, or a sign that no comma follows."""
    if len(texts) == 1:
        text = texts[0]
        return "(" in text or not ("," in text or re.match(r"\s*[a-z]+[0-9]?\s+\S", text))
    return "(" in texts or not texts or not texts[0].removesuffix("2").removesuffix("3").isalpha()


E2E = Tool(
    name="e2e",
    title="E2E",
    base=0,
    words=SIGNS | {"id": "a"},
    spelled="x_{}",
    parameter=re.compile("CONSTANT"),
    parameters="CONSTANT",
    cut=cut_either,
    read=read_either,
    style=Style("prefix", joint=","),
)

DEAP = Tool(
    name="deap",
    title="DEAP",
    base=0,
    protected={"protectedDiv": "protected: 1 where the divisor is zero"},
    words={
        "add": "+", "sub": "-", "mul": "*", "truediv": "/", "neg": "neg", "pow": "^",
        "subtract": "-", "multiply": "*", "negative": "neg", "square": "^2", "floordiv": "//",
        **{name: name for name in (
            "sin", "cos", "tan", "tanh", "exp", "sqrt", "abs", "min", "max", "mod", "log10")},
        "log": "ln", "absolute": "abs", "minimum": "min", "maximum": "max",
        **dict.fromkeys(
            ("protectedDiv", "protected_div", "safe_div"), "cond(abs(b), a/b) + (b == 0)"),
        "lt": COMPARISONS["<"], "gt": COMPARISONS[">"], "le": COMPARISONS["<="],
        "ge": COMPARISONS[">="], "eq": COMPARISONS["=="], "ne": COMPARISONS["!="],
        "and_": COMPARISONS["&"], "or_": COMPARISONS["||"], "not_": Builder(1, negate),
        "if_then_else": WHERE,
    },
    spelled="ARG{}",
)  # fmt: skip

# (x0)' = ... of a flow, (x0)[k+1] = ... of a map
LEFT_SIDE = re.compile(r"\s*\(?\s*[^\W\d]\w*\s*\)?\s*(?:'|\[k\+1\])\s*=")


def cut_pysindy(source: str) -> list[Token]:
    """The tokens of one equation's right side, with its products written out.

    >>> " ".join(token.text for token in cut_pysindy("(x0)' = -1.000 x1 + 0.5 x0 x1^2"))
    '- 1.000 * x1 + 0.5 * x0 * x1 ^ 2'
    """
    head = LEFT_SIDE.match(source)
    start = head.end() if head else 0
    tokens = [Token(text, place + start) for text, place in cut_formula(source[start:])]
    return insert_products(tokens, PYSINDY.meanings)


PYSINDY = Tool(
    name="pysindy",
    title="PySINDy",
    base=0,
    constants="rounded to three decimals when printed; equations(17) has all digits",
    words=SIGNS
    | {name: name for name in ("sin", "cos", "tan", "exp", "sqrt", "abs", "tanh", "sinh", "cosh")}
    | {"log": "ln"},
    strict=False,  # only its own way of writing products tells it from others
    cut=cut_pysindy,
    lossy=(
        re.compile(r"(?<![\w.])[0-9]+\.[0-9]{3}(?![0-9])"),
        "coefficients are printed with three decimals, so the equation is not quite the fitted "
        "one; model.equations(17) prints them whole",
    ),
)

FEYN = Tool(
    name="feyn",
    title="feyn",
    base=None,
    constants="rounded to six significant digits by sympify(), unless signif= says otherwise",
    words=SIGNS | {"Abs": "abs", "Max": "max(a, b)", "Min": "min(a, b)"},
    vocabulary="sympy",
    open_names=False,
    strict=False,
    lossy=(
        re.compile(r"(?<![\w.])[0-9]+\.[0-9]{3,6}(?![0-9])"),
        "constants are printed with few digits, so the formula is not quite the fitted one; "
        "model.sympify(signif=17) prints them whole",
    ),
)


def cut_eureqa(source: str) -> list[Token]:
    """The tokens of a solution's right side.

    >>> " ".join(token.text for token in cut_eureqa("y = f(x) = 2.5*x + sin(x)"))
    '2.5 * x + sin ( x )'
    """
    start = source.rfind("=") + 1 if re.match(r"\s*\w+\s*=", source) else 0
    return [Token(text, place + start) for text, place in cut_formula(source[start:])]


EUREQA = Tool(
    name="eureqa",
    title="Eureqa",
    base=None,
    constants="all digits that the solution list shows",
    words=SIGNS
    | {name: name for name in (
        "sin", "cos", "tan", "asin", "acos", "atan", "sinh", "cosh", "tanh", "asinh", "acosh",
        "atanh", "exp", "sqrt", "abs", "min", "max", "floor", "ceil", "round", "mod", "atan2",
        "erf", "erfc", "gauss", "sgn")}
    | {
        "log": "ln", "pow": "^", "logistic": "sigmoid", "step": "a > 0",
        "less": "<", "less_or_equal": "<=", "greater": ">", "greater_or_equal": ">=",
        "equal": "==", "and": "min(a, b) > 0", "or": "max(a, b) > 0", "not": "a <= 0",
        "if": "cond(a, b) + unless(a, c)",
    },
    open_names=False,
    strict=False,
    cut=cut_eureqa,
    style=Style(),
)  # fmt: skip


def cell(column: int) -> str:
    """The cell of a column in the first row.

    >>> cell(0), cell(25), cell(26), cell(702)
    ('A1', 'Z1', 'AA1', 'AAA1')
    """
    letters = ""
    column += 1
    while column:
        # Letters count from 1 and there is no zero: AA follows Z.
        column, letter = divmod(column - 1, 26)
        letters = chr(ord("A") + letter) + letters
    return letters + "1"


def _number(value: float) -> str:
    return number(value).replace("e", "E")


EXCEL = Tool(
    name="excel",
    title="Excel",
    base=0,
    log="base 10",
    constants="15 digits",
    words={},
    spelled=cell,
    taken=re.compile("[A-Za-z]{1,3}[0-9]+|[CRcr]"),  # cells, and Excel's words for column and row
    parameters="C_{}",
    reads=False,
    style=Style(head="=", number=_number),
)

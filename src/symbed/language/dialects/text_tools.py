"""Tools whose formulas are plain text or lists of tokens.

Text: gplearn, Operon, ProGED, AI Feynman, ESR, Bingo, and srtree, whose notation is also that of
eggp and rEGGression. Lists: DSO, SRToolkit, and the transformers E2E and SNIP. Each tool has its
own view of undefined values: some of its words are protected.
"""

from __future__ import annotations

import re

from symbed.language.dialects.tokenizer import (
    Token,
    cut_formula,
    cut_list,
    cut_word_signs,
    insert_products,
)
from symbed.language.dialects.tool_table import SIGNS, Style, Tool
from symbed.language.expression import Item
from symbed.language.token_readers import read_infix, read_prefix
from symbed.language.tokens import Symbols

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
    variable=re.compile("X([0-9]+)"),
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
    words=SIGNS
    | {
        "aq": "a/sqrt(b^2 + 1)",
        "logabs": "ln(abs(a))",
        "sqrtabs": "sqrt(abs(a))",
        "powabs": "abs(a)^b",
    },
    variable=re.compile("X([0-9]+)"),
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
    variable=re.compile("X_([0-9]+)"),
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
    constants="all digits, as numbers in the text",
    words=SIGNS,
    variable=re.compile("x([0-9]+)"),
    spelled="x{}",
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
    | {
        "Id": "a",
        "sqrtabs": "sqrt(abs(a))",
        "logabs": "ln(abs(a))",
        "powabs": "abs(a)^b",
        "SqrtAbs": "sqrt(abs(a))",
        "LogAbs": "ln(abs(a))",
        "aq": "a/sqrt(b^2 + 1)",
        "AQ": "a/sqrt(b^2 + 1)",
    },
    variable=re.compile("x([0-9]+)"),
    spelled="x{}",
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
    variable=re.compile("x([0-9]+)"),
    spelled="x{}",
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
    variable=re.compile("X_([0-9]+)"),
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
    constants="all digits, as numbers in the text",
    words=SIGNS | {"id": "a"},
    variable=re.compile("x_([0-9]+)"),
    spelled="x_{}",
    parameter=re.compile("CONSTANT"),
    parameters="CONSTANT",
    cut=cut_either,
    read=read_either,
    style=Style("prefix", joint=","),
)

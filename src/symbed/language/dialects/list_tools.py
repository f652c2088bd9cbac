"""Tools whose formulas are lists of tokens: DSO, SRToolkit, and the transformers E2E and SNIP.

SRToolkit and the transformers write infix text too, with the same tokens.
"""

from __future__ import annotations

import re

from symbed.language._token_readers import read_infix, read_prefix
from symbed.language.dialects.tool_table import (
    SIGNS,
    Style,
    Token,
    Tool,
    cut_formula,
    cut_list,
    ends_value,
)
from symbed.language.expression import Item
from symbed.language.tokens import Symbols

WORD_SIGNS = {"add": "+", "sub": "-", "mul": "*", "div": "/", "pow": "^"}

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

"""gplearn, pyoperon and Bingo: genetic programming, each with its own view of undefined values."""

from __future__ import annotations

import re

from symbed.language.dialects.notation import Style
from symbed.language.dialects.tokenizer import Token, cut_formula, insert_products
from symbed.language.dialects.tool import Tool
from symbed.language.dialects.vocabulary import SIGNS, TRIGONOMETRIC, words

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
    words=words(
        "add sub mul neg abs max min sin cos tan",
        div="pdiv",
        log="plog",
        inv="pinv",
        sqrt="sqrt(abs(a))",
        sig="1/(1 + exp(-a))",
    ),
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
    log="natural",
    protected={},
    constants="as many decimals as were asked for; a weight before each variable",
    words=SIGNS
    | words(
        f"{TRIGONOMETRIC} exp log sqrt cbrt abs square floor max min pow",
        aq="a/sqrt(b^2 + 1)",
        logabs="ln(abs(a))",
        log1p="ln(a + 1)",
        sqrtabs="sqrt(abs(a))",
        powabs="abs(a)^b",
        ceil="-floor(-a)",
        fmin="min",
        fmax="max",
    ),
    variable=re.compile("X([0-9]+)"),
    spelled="X{}",
    style=Style(),
)

_BINGO_WORDS = SIGNS | words(
    f"{TRIGONOMETRIC} exp abs square cube",
    log="ln(abs(a))", sqrt="sqrt(abs(a))", arcsin="asin", arccos="acos", arctan="atan",
)  # fmt: skip


def cut_bingo(source: str) -> list[Token]:
    """The tokens of Bingo's console text, with its products written out.

    >>> " ".join(token.text for token in cut_bingo("(X_0)(2.0) + sin(X_1)"))
    '( X_0 ) * ( 2.0 ) + sin ( X_1 )'
    """
    tokens = (Token("C", t.place) if t.text == "?" else t for t in cut_formula(source))
    return insert_products(tokens, _BINGO_WORDS)


BINGO = Tool(
    name="bingo",
    title="Bingo",
    base=0,
    log="protected: ln|x|",
    protected={"log": "protected: ln|x|", "sqrt": "protected: the root of |x|"},
    constants="all digits, as numbers in the text; ? where not fitted",
    words=_BINGO_WORDS,
    variable=re.compile("X_([0-9]+)", re.IGNORECASE),
    spelled="X_{}",
    parameter=re.compile("C(?:_([0-9]+))?"),
    parameters="?",
    cut=cut_bingo,
    style=Style(only=frozenset({"+", "-", "*", "/", "^", "^2", "^3"})),
)

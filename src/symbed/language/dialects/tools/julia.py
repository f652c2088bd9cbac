"""PySR and SymbolicRegression.jl: the same words, printed for Python and for Julia.

SymbolicRegression.jl calls its functions ``safe_log`` and so on inside; they are undefined where
the plain ones are, so nothing is protected in value.
"""

from __future__ import annotations

import re

from symbed.language.dialects.conditions import COMPARISONS, WHERE, join_signs
from symbed.language.dialects.templates import TRUNCATE, Builder
from symbed.language.dialects.tokenizer import Token, cut_formula
from symbed.language.dialects.tool_table import SIGNS, Style, Tool

SINGLE = re.compile(r"(?<![\w.])([0-9]+(?:\.[0-9]*)?|\.[0-9]+)f([-+]?[0-9]+)(?!\w)")


def cut_julia(source: str) -> list[Token]:
    """The tokens of Julia's text; ``2.5f0`` is a number of single precision.

    >>> [token.text for token in cut_julia("x1*2.5f-3 >= 1")]
    ['x1', '*', '2.5e-3', '>=', '1']
    """
    # Most formulas have neither, and files of 100,000 wait for this.
    tokens = cut_formula(SINGLE.sub(r"\1e\2", source) if "f" in source else source)
    return join_signs(tokens) if "=" in source else tokens


WORDS: dict[str, str | Builder] = SIGNS | COMPARISONS | {
    "trunc": TRUNCATE,
    "rem": "sign(a)*mod(abs(a), abs(b))",
    "digamma": "polygamma(0, a)",
    "trigamma": "polygamma(1, a)",
    "acoth": "atanh(1/a)",
    "asech": "acosh(1/a)",
    "acsch": "asinh(1/a)",
    "acot": "atan(1/a)",
    "sinpi": "sin(pi*a)",
    "cospi": "cos(pi*a)",
    "ifelse": WHERE,
    "clamp": "min(max(a, b), c)",
    "fma": "a*b + c",
    "muladd": "a*b + c",
    "exp2": "2^a",
    "exp10": "10^a",
    "log10_abs": "log10(abs(a))",
    "log2_abs": "log2(abs(a))",
    "log1p_abs": "log1p(abs(a))",
    "acosh_abs": "acosh(abs(a) + 1)",
    "atanh_clip": "atanh(mod(a + 1, 2) - 1)",
    "logical_or": "max(a, b) > 0",
    "logical_and": "min(a, b) > 0",
    "pow_abs": "abs(a)^b",
    "log_abs": "ln(abs(a))",
    "logm": "ln(abs(a) + 1e-8)",
    "logm2": "log2(abs(a) + 1e-8)",
    "logm10": "log10(abs(a) + 1e-8)",
    "sqrt_abs": "sqrt(abs(a))",
}  # fmt: skip


def _tool(name: str, title: str, base: int) -> Tool:
    return Tool(
        name=name,
        title=title,
        base=base,
        log="natural",
        protected={},
        constants="all digits, as numbers in the text",
        words=WORDS,
        vocabulary="julia",
        variable=re.compile("x([0-9]+)"),
        spelled="x{}",
        cut=cut_julia,
        style=Style(),
    )


PYSR = _tool("pysr", "PySR", 0)
SRJL = _tool("srjl", "SymbolicRegression.jl", 1)

"""PySR and SymbolicRegression.jl: the same words, printed for Python and for Julia.

SymbolicRegression.jl calls its functions ``safe_log`` and so on inside; they are undefined where
the plain ones are, so nothing is protected in value.
"""

from __future__ import annotations

import re

from symbed.language.dialects.conditions import COMPARISONS, join_signs
from symbed.language.dialects.templates import (
    ARCTAN2,
    INVERSE_HYPERBOLIC,
    MODULO,
    ROUND,
    SECANTS,
    TRUNCATE,
    Builder,
)
from symbed.language.dialects.tokenizer import Token, cut_formula
from symbed.language.dialects.tools import SIGNS, Style, Tool

SINGLE = re.compile(r"(?<![\w.])([0-9]+(?:\.[0-9]*)?|\.[0-9]+)f([-+]?[0-9]+)(?!\w)")


def cut_julia(source: str) -> list[Token]:
    """The tokens of Julia's text; ``2.5f0`` is a number of single precision.

    >>> [token.text for token in cut_julia("x1*2.5f-3 >= 1")]
    ['x1', '*', '2.5e-3', '>=', '1']
    """
    return join_signs(cut_formula(SINGLE.sub(r"\1e\2", source)))


WORDS: dict[str, str | Builder] = SIGNS | COMPARISONS | INVERSE_HYPERBOLIC | SECANTS | {
    "ceil": "-floor(-a)",
    "round": ROUND,
    "trunc": TRUNCATE,
    "atan2": ARCTAN2,
    "hypot": "sqrt(a^2 + b^2)",
    "clamp": "min(max(a, b), c)",
    "fma": "a*b + c",
    "muladd": "a*b + c",
    "exp2": "2^a",
    "exp10": "10^a",
    "expm1": "-1 + exp(a)",
    "greater_equal": "1 - max(sign(b - a), 0)",
    "less_equal": "1 - max(sign(a - b), 0)",
    "log10_abs": "log10(abs(a))",
    "log2_abs": "log2(abs(a))",
    "log1p_abs": "ln(abs(a) + 1)",
    "acosh_abs": "ln(abs(a) + 1 + sqrt((abs(a) + 1)^2 - 1))",
    "relu": "max(a, 0)",
    "log1p": "ln(a + 1)",
    "atanh_clip": "ln((a + 1 - 2*floor((a + 1)/2))/(1 - a + 2*floor((a + 1)/2)))/2",
    "mod": MODULO,
    "greater": "max(sign(a - b), 0)",
    "less": "max(sign(b - a), 0)",
    "logical_or": "max(sign(max(a, b)), 0)",
    "logical_and": "max(sign(min(a, b)), 0)",
    "pow_abs": "abs(a)^b",
    "log_abs": "ln(abs(a))",
    "logm": "ln(abs(a) + 1e-8)",
    "logm2": "log2(abs(a) + 1e-8)",
    "logm10": "log10(abs(a) + 1e-8)",
    "sqrt_abs": "sqrt(abs(a))",
    "safe_log1p": "ln(a + 1)",
    "safe_acosh": INVERSE_HYPERBOLIC["acosh"],
    "safe_atanh": INVERSE_HYPERBOLIC["atanh"],
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

"""PySR and SymbolicRegression.jl: the same words, printed for Python and for Julia.

SymbolicRegression.jl calls its functions ``safe_log`` and so on inside; they are undefined where
the plain ones are, so nothing is protected in value.
"""

from __future__ import annotations

import re

from symbed.language.dialects.notations import Style
from symbed.language.dialects.tool import Tool
from symbed.language.dialects.vocabulary import INVERSE_HYPERBOLIC, SIGNS, TRIGONOMETRIC, words

WORDS = SIGNS | words(
    f"{TRIGONOMETRIC} exp log log2 log10 sqrt cbrt abs sign max min square cube neg inv cond floor",
    **INVERSE_HYPERBOLIC,
    ceil="-floor(-a)",
    relu="max(a, 0)",
    log1p="ln(a + 1)",
    atanh_clip="ln((a + 1 - 2*floor((a + 1)/2))/(1 - a + 2*floor((a + 1)/2)))/2",
    mod="a - b*floor(a/b)",
    greater="max(sign(a - b), 0)",
    less="max(sign(b - a), 0)",
    logical_or="max(sign(max(a, b)), 0)",
    logical_and="max(sign(min(a, b)), 0)",
    pow="^",
    div="/",
    mult="*",
    plus="+",
    sub="-",
    pow_abs="abs(a)^b",
    log_abs="ln(abs(a))",
    logm="ln(abs(a) + 1e-8)",
    logm2="log2(abs(a) + 1e-8)",
    logm10="log10(abs(a) + 1e-8)",
    sqrt_abs="sqrt(abs(a))",
    safe_pow="^",
    safe_log="log",
    safe_log2="log2",
    safe_log10="log10",
    safe_log1p="ln(a + 1)",
    safe_sqrt="sqrt",
    safe_asin="asin",
    safe_acos="acos",
    safe_acosh=INVERSE_HYPERBOLIC["acosh"],
    safe_atanh=INVERSE_HYPERBOLIC["atanh"],
)
COMMON = {
    "log": "natural",
    "protected": {},
    "constants": "all digits, as numbers in the text",
    "words": WORDS,
    "style": Style(),
}

PYSR = Tool(
    name="pysr",
    title="PySR",
    base=0,
    variable=re.compile("x([0-9]+)"),
    spelled="x{}",
    **COMMON,  # type: ignore[arg-type]
)
SRJL = Tool(
    name="srjl",
    title="SymbolicRegression.jl",
    base=1,
    variable=re.compile("x([0-9]+)"),
    spelled="x{}",
    **COMMON,  # type: ignore[arg-type]
)

r"""LaTeX: mathematics as SymPy, PySR and people typeset it, in and out."""

from __future__ import annotations

from symbed.language.dialects.latex_tokenizer import cut_latex
from symbed.language.dialects.notation import Style
from symbed.language.dialects.tool import Tool
from symbed.language.dialects.vocabulary import (
    ARCTAN2,
    INVERSE_HYPERBOLIC,
    SECANTS,
    SIGNS,
    TRIGONOMETRIC,
    words,
)
from symbed.language.operators import POW

LATEX = Tool(
    name="latex",
    title="LaTeX",
    base=None,
    log="natural",
    protected={},
    constants="numbers in the text",
    words=SIGNS
    | words(
        f"{TRIGONOMETRIC} sech exp ln log10 log2 sqrt cbrt abs sign floor pi e div "
        "pdiv plog pinv cond",
        **INVERSE_HYPERBOLIC,
        max="max(a, b)", min="min(a, b)",
        **SECANTS,
        ceil="-floor(-a)", atan2=ARCTAN2,
    )
    | {"power_of": (1, 0, POW)},
    parameters="*",
    open_names=True,
    strict=False,
    loose=True,
    cut=cut_latex,
    style=Style("latex"),
)  # fmt: skip

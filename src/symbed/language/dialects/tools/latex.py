"""LaTeX: mathematics as SymPy, PySR and people typeset it, in and out."""

from __future__ import annotations

from symbed.language.dialects.conditions import COMPARISONS
from symbed.language.dialects.templates import Builder, plain_sinc
from symbed.language.dialects.tool_table import SIGNS, Style, Tool
from symbed.language.dialects.tools.latex_tokens import cut_latex
from symbed.language.operators import POW

LATEX = Tool(
    name="latex",
    title="LaTeX",
    base=None,
    log="natural",
    protected={},
    constants="numbers in the text",
    words=SIGNS
    | COMPARISONS
    | {
        "max": "max(a, b)",
        "min": "min(a, b)",
        "sinc": Builder(1, plain_sinc),
        "power_of": (1, 0, POW),
    },
    parameters="=",
    open_names=True,
    strict=False,
    loose=True,
    cut=cut_latex,
    style=Style("latex"),
)

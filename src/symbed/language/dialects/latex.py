r"""LaTeX: mathematics as SymPy, PySR and people typeset it, in and out."""

from __future__ import annotations

import re

from symbed.errors import ParseError
from symbed.language.dialects._latex_cutter import LatexCutter
from symbed.language.dialects.templates import COMPARISONS, Builder, plain_sinc
from symbed.language.dialects.tool_table import SIGNS, Style, Token, Tool
from symbed.language.names import unexpected
from symbed.language.operators import POW

# What a formula stands between in a text: $, $$, \[, \(, or an environment.
DELIMITER = re.compile(r"\$|\\[\[(]|\\begin\{(?:equation|displaymath|math)\*?\}")
DELIMITED = re.compile(
    r"\s*(?:\$\$([^$]*)\$\$|\$([^$]*)\$|\\\[(.*?)\\\]|\\\((.*?)\\\)"
    r"|\\begin\{(?:equation|displaymath|math)\*?\}(.*?)\\end\{[a-z]+\*?\})[.,;\s]*",
    re.DOTALL,
)


def cut_latex(source: str) -> list[Token]:
    r"""The infix tokens of LaTeX mathematics.

    >>> " ".join(token.text for token in cut_latex(r"\frac{2 x}{\sin^{2}{\left(x_{1} \right)}}"))
    'div ( 2 * x , power_of ( 2 , sin ( ( x_1 ) ) ) )'
    """
    start, end = _mathematics(source)
    equation = source.find("=", start, end)
    if equation >= 0:
        # Before f(x) = ... is complained of for its left side.
        raise unexpected(source, equation)
    # Cut off behind the formula only, so that places are those of the source.
    return LatexCutter(source[:end], start).run()


def _mathematics(source: str) -> tuple[int, int]:
    r"""Where the formula begins and ends: inside of ``$`` or ``\[``, before a sentence's end."""
    delimiter = DELIMITER.search(source)
    if delimiter is None:
        end = len(source.rstrip())
        is_sentence = source[end - 1 : end] in (".", ",", ";") and source[end - 2 : end - 1] != "\\"
        return 0, end - is_sentence
    inside = DELIMITED.fullmatch(source)
    if inside is None:
        hint = f"give only what stands between {delimiter[0]} and its end"
        raise ParseError("words or formulas beside a formula", source, delimiter.start(), hint)
    assert inside.lastindex is not None
    return inside.span(inside.lastindex)


LATEX = Tool(
    name="latex",
    title="LaTeX",
    base=None,
    words=SIGNS
    | COMPARISONS
    | {
        "max": "max(a, b)",
        "min": "min(a, b)",
        "sinc": Builder(1, plain_sinc),
        "power_of": (1, 0, POW),  # as \sin^{2} x has it
    },
    constants="numbers in the text",
    parameters="=",
    open_names=True,
    strict=False,
    loose=True,
    cut=cut_latex,
    refused={"i": "the imaginary unit"},  # so SymPy writes it
    style=Style("latex"),
)

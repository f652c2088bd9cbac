"""Formulas as people and language models write them: text, LaTeX, SymPy, Excel, a Python function.

What surrounds a formula (dollars, a box, a code fence, ``y =``) is taken off, then each notation is
tried in turn, the library's own first. Nothing is executed.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any

from symbed.errors import ParseError, SymbedError
from symbed.language.expression import Expression
from symbed.language.parser import check_literals, parse
from symbed.limits import TEXT

FENCE = re.compile(r"\A```[A-Za-z0-9]*\n(?P<inside>.*?)\n?```\Z", re.DOTALL)
DOLLARS = re.compile(r"\A(\$\$?|\\\[|\\\()(?P<inside>.*?)(\$\$?|\\\]|\\\))\Z", re.DOTALL)
BOXED = "\\boxed{"
# A name, perhaps with arguments, and one equals sign: y =, f(x) =, F_g =, \hat{y} =.
LEFT_SIDE = re.compile(
    r"\A\s*\\?[A-Za-z][A-Za-z0-9_]*(\{[A-Za-z0-9_]*\})?(_\{?[A-Za-z0-9]+\}?)?\s*"
    r"(\([A-Za-z0-9_,\s]*\))?\s*=(?!=)"
)
PYTHON = re.compile(r"\A\s*(def\s|lambda\b|import\s|from\s)|\b(np|numpy|math)\s*\.")
LONG_WORD = re.compile(r"(?<!\\)[A-Za-z]{3,}")
# 2x and 2(x + 1), but neither the 2 of x2 nor that of 2e3.
NUMBER_TIMES = re.compile(r"(?<![A-Za-z_0-9.])(\d+\.?\d*|\.\d+)(?![eE][+-]?\d)(?=[A-Za-z(])")
PARENTHESIS_TIMES = re.compile(r"\)\s*(?=[A-Za-z0-9(])")

EXCEL_TOKEN = re.compile(r"\d+\.?\d*(?:[eE][+-]?\d+)?|\.\d+|[A-Za-z_][A-Za-z0-9_.]*|\S")
EXCEL_WORDS = {"POWER": "pow", "LOG": "log10", "INT": "floor", "CEILING": "ceil"}


def read_answer(
    source: Any, variables: Sequence[str] | None = None, dialect: str | None = None
) -> tuple[Expression, str]:
    """A formula and the notation that it was read as.

    Parameters
    ----------
    source : str, Expression or SymPy object
        What somebody wrote.
    variables : sequence of str, optional
        Names that are variables; by convention otherwise.
    dialect : str, optional
        The only notation to try.

    Raises
    ------
    ParseError
        It is no formula in any of the notations; the message is that of the likeliest one.
    """
    if isinstance(source, Expression):
        return source, "expression"
    if not isinstance(source, str):
        return parse(source, variables), "sympy"
    TEXT.check(len(source))
    text = stripped(source)
    check_literals(text)
    first: SymbedError | None = None
    for notation, candidate in [(dialect, text)] if dialect else _readings(text):
        try:
            return parse(candidate, variables, notation), "excel" if candidate != text else notation
        except SymbedError as error:
            first = first or error
    if first is None:
        raise ParseError("there is no formula", source)
    raise first


def stripped(source: str) -> str:
    r"""A formula without what is written around it.

    >>> stripped("$$ y = 2x + 1 $$"), stripped(r"The answer is \boxed{x^2}.")
    ('2x + 1', 'x^2')
    """
    text = source.strip()
    fence = FENCE.match(text)
    if fence:
        text = fence["inside"].strip()
    if BOXED in text:
        text = _boxed(text)
    dollars = DOLLARS.match(text)
    if dollars:
        text = dollars["inside"].strip()
    if PYTHON.match(text):
        return text
    left = LEFT_SIDE.match(text)
    if left:
        text = text[left.end() :].strip()
    # A leading = marks a spreadsheet's formula; other text may end a sentence.
    return text.rstrip(".;,") if not text.startswith("=") else text


def _boxed(text: str) -> str:
    """What the last box holds."""
    start = text.rindex(BOXED) + len(BOXED)
    depth = 1
    for place in range(start, len(text)):
        depth += {"{": 1, "}": -1}.get(text[place], 0)
        if depth == 0:
            return text[start:place].strip()
    return text[start:].strip()


def _readings(text: str) -> Iterator[tuple[str, str]]:
    """The notations to try, likeliest first, with the text to read."""
    if text.startswith("="):
        yield "infix", from_excel(text[1:])
        return
    if PYTHON.search(text):
        yield "python", text
        return
    # No other notation has these, so an error of this one is the one to tell.
    if "\\" in text or "^{" in text or "_{" in text:
        yield "latex", text
        return
    yield "infix", text
    yield "sympy", text
    if re.search(r"\b[A-Z]{2,}[0-9]*\(", text):
        yield "infix", from_excel(text)
    if not LONG_WORD.search(text):
        yield "latex", text  # 2xy is a product for everybody but a parser
    spread = PARENTHESIS_TIMES.sub(")*", NUMBER_TIMES.sub(r"\1*", text))
    yield "infix", spread


def from_excel(formula: str) -> str:
    """A formula of a spreadsheet in our own notation.

    A sign binds more tightly than a power there: ``-x^2`` is the square of ``-x``.

    >>> from_excel("SQRT(A1)-B1^2"), from_excel("-x^2"), from_excel("LOG(x;2)+PI()")
    ('sqrt(A1)-B1^2', '(-x)^2', '(ln(x)/ln(2))+pi')
    """
    tokens = [_excel_word(token) for token in EXCEL_TOKEN.findall(formula)]
    written: list[str] = []
    closing: list[int] = []  # at which places a parenthesis of a sign ends
    for place, token in enumerate(tokens):
        before = tokens[place - 1] if place else "("
        # A sign, not a difference: nothing that could be subtracted from stands before it.
        if token == "-" and before in "(,+-*/^" and place + 1 < len(tokens):
            written.append("(-")
            closing.append(_operand_end(tokens, place + 1))
        else:
            written.append(token)
        while place in closing:
            closing.remove(place)
            written.append(")")
    return _excel_calls("".join(written))


def _excel_word(token: str) -> str:
    if token == ";":
        return ","
    upper = token.upper()
    if upper in EXCEL_WORDS and token == upper:
        return EXCEL_WORDS[upper]
    is_function = token.isupper() and token.isalpha() and len(token) > 1
    return token.lower() if is_function or re.fullmatch(r"LOG10|ATAN2", token) else token


def _operand_end(tokens: list[str], start: int) -> int:
    """The place of the last token of the operand that begins at ``start``."""
    place = start
    while place + 1 < len(tokens) and tokens[place] in "+-":
        place += 1
    if place + 1 < len(tokens) and tokens[place] != "(" and tokens[place + 1] == "(":
        place += 1
    if tokens[place] != "(":
        return place
    depth = 0
    for end in range(place, len(tokens)):
        depth += {"(": 1, ")": -1}.get(tokens[end], 0)
        if depth == 0:
            return end
    return len(tokens) - 1


def _excel_calls(text: str) -> str:
    """Calls that differ in more than their name: ``PI()`` and ``LOG(x, base)``."""
    text = text.replace("pi()", "pi")
    place = text.find("log10(")
    while place >= 0:
        depth, comma = 0, -1
        for end in range(place + 5, len(text)):
            depth += {"(": 1, ")": -1}.get(text[end], 0)
            if depth == 1 and text[end] == "," and comma < 0:
                comma = end
            if depth == 0:
                break
        else:
            return text
        if comma >= 0:
            argument, base = text[place + 6 : comma], text[comma + 1 : end]
            text = f"{text[:place]}(ln({argument})/ln({base})){text[end + 1 :]}"
        place = text.find("log10(", place + 1)
    return text

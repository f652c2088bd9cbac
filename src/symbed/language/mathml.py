"""MathML: an expression goes in, mathematics that browsers render comes out.

Operators of one form look alike, so a new row of the operator table has its rendering already; the
few that mathematics writes in a way of their own are listed. What needs brackets in LaTeX needs
them here.
"""

from __future__ import annotations

import math
from html import escape

from symbed.language.expression import Expression
from symbed.language.operators import TABLE, Operator
from symbed.language.printers import Notation, Pieces, number, write
from symbed.language.typesetting import LATEX, LETTERS, SCIENTIFIC, SPLIT

LONGEST = 600  # nodes: a longer formula is read better as text
DEEPEST = 120  # elements inside each other; browsers give up somewhere beyond


def mathml(expression: Expression) -> str | None:
    """The expression as the inside of a ``<math>`` element; None if it is too large to typeset.

    >>> from symbed.language.parser import parse
    >>> mathml(parse("a_1*x"))
    '<msub><mi>a</mi><mn>1</mn></msub><mo>⋅</mo><mi>x</mi>'
    """
    if expression.size > LONGEST:
        return None
    written = "".join(write(expression.postfix, MATHML))
    return written if _depth(written) <= DEEPEST else None


def _depth(written: str) -> int:
    deepest = depth = 0
    for part in written.split("<")[1:]:
        depth += -1 if part.startswith("/") else 1
        deepest = max(deepest, depth)
    return deepest


def _pieces(row: Operator) -> Pieces:
    if row.name in SPECIAL:
        return SPECIAL[row.name]
    if row.form == "infix":
        return (0, f"<mo>{escape(row.name)}</mo>", 1)
    if row.form == "postfix":
        exponent = row.name.removeprefix("^")
        return ("<msup>" + ROW, 0, END + _number(float(exponent)) + "</msup>")
    if row.form == "constant":
        return (f"<mi>{escape(row.name)}</mi>",)
    return _called(f"<mi>{escape(row.name)}</mi>", row.arity)


def _called(name: str, arity: int) -> Pieces:
    inside: Pieces = (0,) if arity == 1 else (0, "<mo>,</mo>", 1)
    return (f"{name}<mo>\N{FUNCTION APPLICATION}</mo>{OPEN}", *inside, CLOSE)


def _leaf(item: str | float) -> str:
    return _name(item) if isinstance(item, str) else _number(item)


def _name(name: str) -> str:
    """A name: Greek letters by name, an index as subscript."""
    split = SPLIT.match(name)
    if split is None:
        return _word(name)
    return f"<msub>{_word(split['stem'])}{_word(split['index'])}</msub>"


def _word(word: str) -> str:
    kind = "mn" if word.isdigit() else "mi"
    return f"<{kind}>{escape(GREEK.get(word, word))}</{kind}>"


def _number(value: float) -> str:
    if math.copysign(1.0, value) < 0:
        return f"<mrow>{MINUS}{_number(-value)}</mrow>"
    if math.isinf(value):
        return "<mi>\N{INFINITY}</mi>"
    spelled = number(value)
    split = SCIENTIFIC.match(spelled)
    if split is None:
        return f"<mn>{spelled}</mn>"
    power = f"<msup><mn>10</mn>{_number(float(split['exponent']))}</msup>"
    if split["digits"] == "1":
        return power
    return f"<mrow><mn>{split['digits']}</mn>{TIMES}{power}</mrow>"


ROW, END = "<mrow>", "</mrow>"
OPEN, CLOSE = "<mrow><mo>(</mo><mrow>", "</mrow><mo>)</mo></mrow>"
MINUS, TIMES = "<mo>\N{MINUS SIGN}</mo>", "<mo>\N{DOT OPERATOR}</mo>"
GREEK = {name: letter for letter, name in LETTERS.items() if name != "-"}

# Mathematics that is not written as its form is.
SPECIAL: dict[str, Pieces] = {
    "-": (0, MINUS, 1),
    "*": (0, TIMES, 1),
    "/": ("<mfrac>" + ROW, 0, END + ROW, 1, END + "</mfrac>"),
    "^": ("<msup>" + ROW, 0, END + ROW, 1, END + "</msup>"),
    "neg": (ROW + MINUS, 0, END),
    "sqrt": ("<msqrt>", 0, "</msqrt>"),
    "cbrt": ("<mroot>" + ROW, 0, END + "<mn>3</mn></mroot>"),
    "abs": ("<mrow><mo>|</mo>" + ROW, 0, END + "<mo>|</mo></mrow>"),
    "log10": _called("<msub><mi>log</mi><mn>10</mn></msub>", 1),
    "log2": _called("<msub><mi>log</mi><mn>2</mn></msub>", 1),
    "asin": _called("<mi>arcsin</mi>", 1),
    "acos": _called("<mi>arccos</mi>", 1),
    "atan": _called("<mi>arctan</mi>", 1),
    "pi": ("<mi>\N{GREEK SMALL LETTER PI}</mi>",),
}
MATHML = Notation({row: _pieces(row) for row in TABLE}, _leaf, LATEX.wraps, (OPEN, CLOSE))

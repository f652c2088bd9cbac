r"""Typesetting: an expression goes in, LaTeX mathematics comes out.

Each operator's row holds its LaTeX template. An operand that the template encloses, as ``\frac``
and ``\sqrt`` and the parentheses of a function do, needs no brackets of its own.
"""

from __future__ import annotations

import math
import re
from string import Formatter

from symbed.language.expression import Expression, Item
from symbed.language.operators import NEG, POWER, PRODUCT, SIGN, TABLE, Operator
from symbed.language.printers import NEEDS, Notation, Pieces, level, number, write

GREEK = {
    0x391: "Alpha Beta Gamma Delta Epsilon Zeta Eta Theta Iota Kappa Lambda Mu Nu Xi Omicron Pi Rho"
    " - Sigma Tau Upsilon Phi Chi Psi Omega",
    0x3B1: "alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi omicron pi rho"
    " varsigma sigma tau upsilon phi chi psi omega",
}
LETTERS = {
    chr(first + place): name
    for first, row in GREEK.items()
    for place, name in enumerate(row.split())
}
# LaTeX has no command for these letters, because Latin ones look the same.
LATIN = r"(Alpha|Beta|Epsilon|Zeta|Eta|Iota|Kappa|Mu|Nu|Omicron|Rho|Tau|Chi|omicron|-)"
COMMANDS = frozenset(name for name in LETTERS.values() if not re.fullmatch(LATIN, name))
SPLIT = re.compile(r"(?P<stem>.*?[^_0-9])_?(?P<index>(?<=_).+|[0-9]+)\Z")
SCIENTIFIC = re.compile(r"(?P<digits>.*)e(?P<exponent>-?[0-9]+)\Z")
ENCLOSING = ("{", "(", "|", ", ")


def latex(expression: Expression) -> str:
    r"""The expression as LaTeX mathematics.

    >>> from symbed.language.parser import parse
    >>> print(latex(parse("C_0*alpha^2/sqrt(x + 1e-5)")))
    \frac{C_{0} \cdot \alpha^{2}}{\sqrt{x + 10^{-5}}}
    """
    return "".join(write(expression.postfix, LATEX))


def _pieces(row: Operator) -> Pieces:
    pieces: list[str | int] = []
    for before, operand, _, _ in Formatter().parse(row.latex):
        pieces += [before] * bool(before) + ([int(operand)] if operand is not None else [])
    return tuple(pieces)


def _encloses(pieces: Pieces, operand: int) -> bool:
    before = pieces[pieces.index(operand) - 1] if pieces.index(operand) else ""
    return isinstance(before, str) and before.endswith(ENCLOSING)


def _leaf(item: str | float) -> str:
    return _name(item) if isinstance(item, str) else _number(item)


def _name(name: str) -> str:
    r"""A name: Greek letters by command, an index as subscript, a word upright."""
    split = SPLIT.match(name)
    if split is None:
        return _word(name)
    return f"{_word(split['stem'])}_{{{_word(split['index'])}}}"


def _word(word: str) -> str:
    word = LETTERS.get(word, word)
    if word in COMMANDS:
        return rf"\{word}"
    if len(word) == 1 or word.isdigit():
        return word.replace("_", r"\_")
    escaped = word.replace("_", r"\_")
    return rf"\mathrm{{{escaped}}}"


def _number(value: float) -> str:
    if math.isinf(value):
        return r"\infty" if value > 0 else r"-\infty"
    spelled = number(value)
    split = SCIENTIFIC.match(spelled)
    if split is None:
        return spelled
    power = f"10^{{{split['exponent']}}}"
    digits = {"1": "", "-1": "-"}.get(split["digits"], split["digits"] + r" \cdot ")
    return digits + power


def _level(item: Item) -> int:
    """How tightly the LaTeX of a subtree with this root holds together."""
    if isinstance(item, Operator):
        return TIGHT[item]
    if isinstance(item, str) or "e" not in number(item):
        return level(item)
    if r"\cdot" in _number(item):
        return PRODUCT
    return POWER if item > 0 else SIGN


def _wraps(row: Operator, place: int, item: Item) -> bool:
    if place in ENCLOSED[row]:
        return False
    signed = item is NEG or (isinstance(item, float) and math.copysign(1.0, item) < 0)
    return _level(item) < NEEDS[row][place] or (signed and place == 1)


PIECES = {row: _pieces(row) for row in TABLE}
ENCLOSED = {
    row: frozenset(place for place in range(row.arity) if _encloses(PIECES[row], place))
    for row in TABLE
}
# A fraction holds together in a sum or product, but not under a power.
TIGHT = {
    row: SIGN if row.form == "infix" and len(ENCLOSED[row]) == row.arity else row.precedence
    for row in TABLE
}
LATEX = Notation(PIECES, _leaf, _wraps, (r"\left(", r"\right)"))

"""Notations: a tool's words go in, the notation that writes expressions in them comes out.

What a reader might group otherwise is put in brackets: signs and powers differ between tools (in a
spreadsheet, ``-x^2`` is the square of ``-x``), so no signed operand and no power of a power stands
bare, and the text means the same everywhere.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from symbed.language.expression import Item
from symbed.language.operators import (
    ATOM,
    FIXED_POWERS,
    NEG,
    POW,
    SUM,
    TABLE,
    Operator,
)
from symbed.language.printers import NEEDS, Notation, Pieces, level, number
from symbed.language.typesetting import LATEX

EXPONENTS = {row: f"{exponent:g}" for exponent, row in FIXED_POWERS.items()}
ARITHMETIC = tuple(row for row in TABLE if row.form in ("infix", "sign"))


@dataclass(frozen=True)
class Style:
    """How a tool's formulas are written.

    Attributes
    ----------
    form : infix text, calls only, or a prefix list.
    power : the sign of powers, in infix text.
    product : the sign of products.
    joint : what stands between tokens, in a list.
    head : what stands before the formula.
    only : signs that it has, if not all; operators without a sign or word are written by others.
    special : pieces of its own for some operators.
    number : writes a number.
    """

    form: str = "infix"
    power: str = "^"
    product: str = "*"
    joint: str = ""
    head: str = ""
    only: frozenset[str] | None = None
    special: Mapping[str, Pieces] = field(default_factory=dict)
    number: Callable[[float], str] = number


def make_notation(style: Style, words: Mapping[Operator, str]) -> Notation:
    """The notation of a style with these words for operators; what has no pieces cannot be said."""
    if style.form == "latex":
        return LATEX
    make = {"infix": _infix_pieces, "calls": _call_pieces, "prefix": _prefix_pieces}[style.form]
    pieces: dict[Operator, Pieces] = {}
    for row in (*TABLE, *words):
        found = style.special.get(row.name) or make(row, style, words.get(row, ""))
        if found:
            pieces[row] = found

    def leaf(item: str | float) -> str:
        return item if isinstance(item, str) else style.number(item)

    bare = frozenset(row for row, found in pieces.items() if not _encloses(found))

    def wraps(row: Operator, place: int, item: Item) -> bool:
        return row in bare and _wraps(row, place, item)

    return Notation(pieces, leaf, wraps if style.form == "infix" else _never)


def _encloses(pieces: Pieces) -> bool:
    """Whether the operands stand in a call's own brackets."""
    return isinstance(pieces[0], str) and "(" in pieces[0]


def _infix_pieces(row: Operator, style: Style, word: str) -> Pieces:
    if style.only is not None and row.form in ("infix", "postfix") and row.name not in style.only:
        return _call_pieces(row, style, word)
    if row is POW:
        return (0, style.power, 1)
    if row.form == "infix":
        sign = style.product if row.name == "*" else row.name
        return (0, f" {sign} " if row.precedence == SUM else sign, 1)
    if row in EXPONENTS and row.name != "^-1":
        return (0, style.power + EXPONENTS[row])
    if row.form == "sign":
        return ("-", 0)
    return _call_pieces(row, style, word)


def _call_pieces(row: Operator, style: Style, word: str) -> Pieces:
    if not word:
        return ()
    if not row.arity:
        return (word,)
    inside: list[str | int] = []
    for place in range(row.arity):
        inside += [", ", place] if place else [place]
    return (f"{word}(", *inside, ")")


def _prefix_pieces(row: Operator, style: Style, word: str) -> Pieces:
    return (word, *range(row.arity)) if word else ()


def _wraps(row: Operator, place: int, item: Item) -> bool:
    if row.form not in ("infix", "postfix", "sign"):
        return False
    if _is_signed(item):
        return place > 0 or row.form != "infix" or row.precedence != SUM
    if row is POW or row is NEG:
        return level(item) < ATOM
    return row in NEEDS and level(item) < NEEDS[row][place]


def _is_signed(item: Item) -> bool:
    return item is NEG or (isinstance(item, float) and math.copysign(1.0, item) < 0)


def _never(row: Operator, place: int, item: Item) -> bool:
    return False

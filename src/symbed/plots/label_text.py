r"""Wording: the label of an expression goes in; text that matplotlib can draw comes out.

Labels are anybody's text. A dollar sign would start mathematics, a first underscore would hide a
legend's entry, and a character that the font lacks would print as a box with a warning.
"""

from __future__ import annotations

from functools import lru_cache

from symbed.errors import SymbedError
from symbed.language.expression import Expression, Item
from symbed.language.parser import parse

TYPESET = 48  # characters; longer formulas stay plain, so that they can be cut
ELLIPSIS = "\N{HORIZONTAL ELLIPSIS}"
UNKNOWN = "\N{REPLACEMENT CHARACTER}"


def shorten(label: str, length: int = 32) -> str:
    """A label as plain text of at most so many characters; the middle is left out.

    >>> shorten("C*X_0 + C*X_0^2 + C*X_0^3 + C*X_0^4", 21)
    'C*X_0 + C*… + C*X_0^4'
    """
    text = "".join(char if _drawable(char) else UNKNOWN for char in label) or "(no label)"
    if len(text) > length:
        tail = (length - 1) // 2
        text = text[: length - 1 - tail] + ELLIPSIS + text[len(text) - tail :]
    text = text.replace("$", r"\$")
    return f" {text}" if text.startswith("_") else text


def typeset(label: str | Expression, length: int = TYPESET) -> str:
    r"""A label as mathematics where it is a short formula, as plain text otherwise.

    >>> typeset("C*x^2"), typeset("my model")
    ('$C \\cdot x^{2}$', 'my model')
    """
    text = str(label)
    if len(text) > length:
        return shorten(text, length)
    return _as_mathematics(text) or shorten(text, length)


def round_numbers(expression: Expression, digits: int = 4) -> Expression:
    """The expression with its numbers rounded, to be read and not to be computed with.

    >>> round_numbers(parse("2.71828182846*x"))
    Expression('2.718*x')
    """

    def rounded(item: Item) -> Item:
        return float(f"{item:.{digits}g}") if isinstance(item, float) else item

    return Expression(tuple(map(rounded, expression.postfix)), expression.declared)


@lru_cache(maxsize=512)
def _as_mathematics(text: str) -> str | None:
    from matplotlib.mathtext import MathTextParser

    try:
        found = f"${parse(text).latex()}$"
        if not found.isascii():
            return None
        MathTextParser("path").parse(found)
    except (SymbedError, ValueError):
        return None
    return found


@lru_cache(maxsize=4096)
def _drawable(char: str) -> bool:
    from matplotlib import font_manager

    if char.isascii():
        return char.isprintable()
    font = font_manager.get_font(font_manager.findfont(font_manager.FontProperties()))
    return char.isprintable() and font.get_char_index(ord(char)) != 0

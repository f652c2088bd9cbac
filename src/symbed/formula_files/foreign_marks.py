"""Marks of other tools in texts: whether it need be asked whose language they are.

Every text that is observed or surveyed is looked at here, and most are our own, so that readers of
other languages are loaded only where a mark was seen.
"""

from __future__ import annotations

import re
import string
from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np

from symbed.errors import ParseError
from symbed.language.unreadable import Unreadable
from symbed.limits import TEXT

# What other tools' formulas have and ours mostly have not: names with a number, marks of LaTeX,
# Python and SymPy, words of theirs for constants, numbers and names side by side. The paper's own
# names, X_0 and so on, are ours too.
_MARKS = re.compile(r"(?<=[A-Za-z_])(?<!\bX_)[0-9]|[\\\[{=;?]|\)\s*\(|[0-9]\s+[A-Za-z(]")
_MODULES = ("np.", "numpy.", "math.", "np .", "numpy .", "math .")
_WORDS = ("const", "CONSTANT", "lambda", "return", "Symbol", "protected")
LONGEST = TEXT.maximum
APART = "\0"  # between joined texts: neither a space nor part of a word
# Words by which tools with the paper's names mean something else than we do: SRToolkit's log has
# base 10, and its minus in front of an operand is ``u-``.
PAPER_NAMES, PAPER_CONFLICTS = "X_", ("log",)
_PAPER_WORDS = re.compile(r"\b(?:log\b|u\s*-)")

# Kinds of characters, a bit each, by which many texts are looked at in few passes.
_LETTER, _DIGIT, _CLOSE, _OPEN, _SPACE, _DOT, _X, _UNDERSCORE = (1 << bit for bit in range(8))
_BITS = np.uint8(1) << np.arange(8, dtype=np.uint8)[:, None]
_FEW = 1000  # characters: for fewer the search itself is quicker


def _kinds_of_characters() -> bytes:
    """What kind each byte is; a table for ``bytes.translate``."""
    kinds = bytearray(256)
    for characters, kind in (
        (string.ascii_letters, _LETTER), (string.digits, _DIGIT), (")", _CLOSE), ("(", _OPEN),
        (filter(str.isspace, map(chr, range(128))), _SPACE), (".", _DOT),
        ("X", _LETTER | _X), ("_", _LETTER | _UNDERSCORE),
    ):  # fmt: skip
        for character in characters:
            kinds[ord(character)] = kind
    return bytes(kinds)


_KINDS = _kinds_of_characters()


def is_suspicious(formula: Any) -> bool:
    """Whether another tool than ours may have written a formula; quick, and says yes too often."""
    return isinstance(formula, str) and not is_too_long(formula) and has_marks(formula)


def is_too_long(formula: Any) -> bool:
    """Whether nobody will read a text anyway; to look through it for words would take long."""
    return isinstance(formula, str) and len(formula) > LONGEST


def joined(formulas: Iterable[Any]) -> str:
    """The texts among formulas as one, each of them once, those without that nobody will read."""
    # One search for all: what it costs to begin one for each is more than the search itself.
    try:
        text = APART.join(set(formulas))
    except TypeError:  # some of them are no texts
        text = APART.join({one for one in formulas if isinstance(one, str)})
    if len(text) <= LONGEST:
        return text
    return APART.join(one for one in text.split(APART) if len(one) <= LONGEST)


def has_marks(text: str) -> bool:
    """Whether another tool than ours may have written one of these joined texts."""
    if (len(text) < _FEW or _may_have_marks(text)) and _marks_of_tools(text):
        return True
    if PAPER_NAMES not in text or not any(word in text for word in ("log", "u-", "u -")):
        return False
    return _PAPER_WORDS.search(text) is not None


def _marks_of_tools(text: str) -> bool:
    return bool(_MARKS.search(text)) or any(word in text for word in _MODULES + _WORDS)


def _may_have_marks(text: str) -> bool:
    """Whether a search for marks is worth its time; never no where it would find one.

    The search costs 25 ns for a character, these passes over whole arrays a tenth of that: 5 % of
    the time of a survey of 50,000 formulas, or nothing.
    """
    if not text.isascii() or any(mark in text for mark in r"\[{=;?"):
        return True
    kinds = np.frombuffer((APART + text).encode().translate(_KINDS), np.uint8)
    letter, digit, close, opening, space, dot, x, underscore = np.not_equal(kinds & _BITS, 0)
    number = letter[:-1] & digit[1:]
    if PAPER_NAMES in text:
        paper = ~(letter | digit)[:-3] & x[1:-2] & underscore[2:-1]
        number[2:] &= ~paper
    product, module = close[:-1] & opening[1:], letter[:-1] & dot[1:]
    # The same with one space between; of two or more nothing is known here.
    spaced = digit[:-2] & (letter | opening)[2:]
    spaced |= close[:-2] & opening[2:]
    spaced |= letter[:-2] & dot[2:]
    spaced &= space[1:-1]
    if (number | product | module | (space[:-1] & space[1:])).any() or spaced.any():
        return True
    two = letter[:-1] & letter[1:]
    five = two[:-3] & two[2:-1] & letter[4:]  # as long as the shortest word
    return bool(five.any())


class Watched(Iterator[Any]):
    """Formulas that are read as our own; a word by which tools mean something else is an error.

    Only some were looked at to find out whose they are, and such a word may come later.

    Parameters
    ----------
    formulas : iterator
        Texts and other things.
    words : tuple of str
        The words that are watched for.

    Attributes
    ----------
    unchecked : iterator
        The formulas as they come, for those who take many at once and ask `may_be_in` of them.
    """

    def __init__(self, formulas: Iterator[Any], words: tuple[str, ...]) -> None:
        self.unchecked, self._words = formulas, words
        self._called = re.compile(rf"(?<!\w)({'|'.join(words)})\s*\(")

    def __next__(self) -> Any:
        return self.checked(next(self.unchecked))

    def may_be_in(self, text: str) -> bool:
        """Whether a word is in a text, which may be that of many formulas."""
        # A letter is found, or not, twenty times as fast as a word.
        return any(all(x in text for x in word) and word in text for word in self._words)

    def checked(self, formula: Any) -> Any:
        """The formula, or why it cannot be read."""
        word = self._called.search(formula) if isinstance(formula, str) else None
        if word is None:
            return formula
        problem = f"tools with such names mean something else by {word[1]!r} than symbed"
        error = ParseError(problem, hint="say whose they are: dialect=...")
        error.in_command = f"{problem}; add --dialect NAME, or --dialect infix for symbed's meaning"
        return Unreadable(formula.strip(), error)

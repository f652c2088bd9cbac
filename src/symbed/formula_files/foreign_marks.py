"""Marks of other tools in a text: whether it need be asked whose language it is.

Every text that is observed or surveyed is looked at here, and most are our own, so that readers of
other languages are loaded only where a mark was seen.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from symbed.limits import TEXT

# What other tools' formulas have and ours mostly have not: names with a number, marks of LaTeX,
# Python and SymPy, words of theirs for constants, numbers and names side by side. The paper's own
# names, X_0 and so on, are ours too. Each branch begins with one of few characters, since only then
# the search skips all others at once.
_MARKS = re.compile(r"(?<=[A-Za-z_])(?<!\bX_)[0-9]|[\\\[{=;?]|\)\s*\(|[0-9]\s+[A-Za-z(]")
_WORDS = (
    "np.", "numpy.", "math.", "np .", "numpy .", "math .", "const", "CONSTANT",
    "lambda", "return", "Symbol", "protected",
)  # fmt: skip
LONGEST = TEXT.maximum
APART = "\0"  # between joined texts: neither a space nor part of a word
# Words by which tools with the paper's names mean something else than we do: SRToolkit's log has
# base 10, and its minus in front of an operand is ``u-``.
PAPER_NAMES, PAPER_CONFLICTS = "X_", ("log",)
_PAPER_WORDS = re.compile(r"\b(?:log\b|u\s*-)")


def is_suspicious(formula: Any) -> bool:
    """Whether another tool than ours may have written a formula; quick, and says yes too often."""
    return isinstance(formula, str) and any_suspicious([formula])


def any_suspicious(formulas: Iterable[Any]) -> bool:
    """Whether another tool than ours may have written one of these; some of them are no text."""
    # One search for all: what it costs to begin one for each is more than the search itself.
    text = APART.join({one for one in formulas if isinstance(one, str) and len(one) <= LONGEST})
    if _MARKS.search(text) or any(word in text for word in _WORDS):
        return True
    if PAPER_NAMES not in text or not any(word in text for word in ("log", "u-", "u -")):
        return False
    return _PAPER_WORDS.search(text) is not None


def has_paper_names(formulas: Iterable[Any]) -> bool:
    """Whether one of these has a name of the paper's, such as X_0."""
    return any(isinstance(one, str) and PAPER_NAMES in one for one in formulas)


def is_too_long(formula: Any) -> bool:
    """Whether nobody will read a text anyway; to look through it for words would take long."""
    return isinstance(formula, str) and len(formula) > LONGEST

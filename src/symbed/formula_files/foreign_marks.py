"""Marks of other tools in a text: whether it need be asked whose language it is.

Every text that is observed or surveyed is looked at here, and most are our own, so that readers of
other languages are loaded only where a mark was seen.
"""

from __future__ import annotations

import re
from typing import Any

from symbed.limits import TEXT

# What other tools' formulas have and ours mostly have not: names with a number, marks of LaTeX,
# Python and SymPy, words of theirs for constants, numbers and names side by side.
_MARKS = re.compile(
    r"[A-Za-z_][0-9]|[\\\[{=;?]|\)\s*\(|\b(?:np|numpy|math)\s*\.|\bconst\b|\bCONSTANT\b|[0-9]\s+[A-Za-z(]"
    r"|\b(?:lambda|return|Symbol|protected[A-Z])"
)


def is_suspicious(formula: Any) -> bool:
    """Whether another tool than ours may have written a formula; quick, and says yes too often."""
    if not isinstance(formula, str) or is_too_long(formula):
        return False
    return _MARKS.search(formula) is not None


def is_too_long(formula: Any) -> bool:
    """Whether nobody will read a text anyway; to look through it for words would take long."""
    return isinstance(formula, str) and len(formula) > TEXT.maximum

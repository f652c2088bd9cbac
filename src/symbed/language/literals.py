"""Numbers that somebody wrote and no double holds: no answer may rest on them in silence.

Formulas keep their numbers as doubles, and a verdict takes a double for its shortest decimal. That
is what was meant by ``0.1``, and by the thirty digits that a tool prints of a double; it is not
what was meant by ``1e-400`` (read as 0) or ``1.00000000000000000001`` (read as 1).
"""

from __future__ import annotations

import math
import warnings
from decimal import Context, Decimal, InvalidOperation

from symbed.errors import RangeError, SymbedWarning
from symbed.language.notation.lexer import TOKEN

SHORT = 15  # so many significant digits survive the way to a double and back


class RoundedLiteral(SymbedWarning):
    """A number has more digits than a double holds; the answer is about what was read."""


def check_literals(text: str) -> None:
    """Refuse numbers beyond the range of doubles, and warn of those that lose digits.

    Parameters
    ----------
    text : str
        A formula as somebody wrote it.

    Raises
    ------
    RangeError
        A number that is not zero and would be read as 0, or one that would be read as infinite.

    Warns
    -----
    RoundedLiteral
        A number that was read as another one.
    """
    for token in dict.fromkeys(TOKEN.findall(text)):
        if not (token[0].isdigit() or token[0] == ".") or (len(token) <= SHORT and _plain(token)):
            continue
        try:
            number = float(token)
        except ValueError:  # a lone point, or a digit of another script: the parser's business
            continue
        if math.isinf(number) or (number == 0 and _is_nonzero(token)):
            raise RangeError(
                f"{_brief(token)} is {'larger' if number else 'smaller'} than any number that a "
                "literal can be; write a power, such as 10^400 or 10^-400"
            )
        if not _is_meant(token, number):
            sentence = (
                f"{_brief(token)} has more digits than a number holds and was read as {number!r}"
            )
            warnings.warn(RoundedLiteral(sentence), stacklevel=4)


def _plain(token: str) -> bool:
    return "e" not in token and "E" not in token


def _is_nonzero(token: str) -> bool:
    return token.lower().split("e")[0].strip("0.") != ""


def _is_meant(token: str, number: float) -> bool:
    """Whether the text is the shortest decimal of the double, or more of the double's own digits,
    as tools print them.
    """
    try:
        written = Decimal(token)
    except InvalidOperation:  # an exponent that even decimals do not hold, of a zero
        return True
    digits = len(written.as_tuple().digits)
    printed = Context(prec=max(digits, 1)).create_decimal(Decimal(number))
    return written in (Decimal(repr(number)), printed)


def _brief(token: str) -> str:
    return token if len(token) <= 40 else f"{token[:37]}..."

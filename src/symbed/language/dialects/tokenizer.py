"""Tokens of other tools' texts, each with where it begins.

Every cutter is one pass of one regular expression in which no branch can fail after it has matched
a character, so cutting is linear. Errors point at the character by the places kept here.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from itertools import islice
from typing import NamedTuple

from symbed.language.notation.lexer import TOKEN
from symbed.limits import TOKENS

LISTED = re.compile(r"[^\s,]+")
WORD_SIGNS = {"add": "+", "sub": "-", "mul": "*", "div": "/", "pow": "^"}


class Token(NamedTuple):
    """One token: its text and where it begins in the source."""

    text: str
    place: int


_new = tuple.__new__


def cut_formula(source: str) -> list[Token]:
    """The tokens of infix text or of calls."""
    return cut_by(TOKEN, source)


def cut_list(source: str) -> list[Token]:
    """The tokens of a list that is separated by commas or white space."""
    return cut_by(LISTED, source)


def cut_by(pattern: re.Pattern[str], source: str) -> list[Token]:
    """The matches of a pattern, as far as the published limit allows."""
    matches = list(islice(pattern.finditer(source), TOKENS.maximum + 1))
    TOKENS.check(len(matches))
    # As `Token(...)` does, without the call of Python code for each.
    return [_new(Token, (token[0], token.start())) for token in matches]


def cut_word_signs(source: str) -> list[Token]:
    """The tokens of infix text whose signs are words, such as ``(x_0 add 2)``.

    A word that stands where a value is wanted is the function of that name.

    >>> [token.text for token in cut_word_signs("(x_0 mul inv(x_1))")]
    ['(', 'x_0', '*', 'inv', '(', 'x_1', ')', ')']
    """
    tokens: list[Token] = []
    for token in cut_formula(source):
        is_sign = tokens and _ends_value(tokens[-1].text) and token.text in WORD_SIGNS
        tokens.append(Token(WORD_SIGNS[token.text], token.place) if is_sign else token)
    return tokens


def insert_products(tokens: Iterable[Token], functions: Collection[str]) -> list[Token]:
    """The tokens with a ``*`` between a value and the value or parenthesis that follows it.

    >>> " ".join(token.text for token in insert_products(cut_formula("2x(sin(y))"), {"sin"}))
    '2 * x * ( sin ( y ) )'
    """
    filled: list[Token] = []
    for token in tokens:
        last = filled[-1].text if filled else ""
        if last and last not in functions and _ends_value(last) and _begins_value(token.text):
            filled.append(Token("*", token.place))
        filled.append(token)
    return filled


def _ends_value(text: str) -> bool:
    return text == ")" or text[0].isalnum() or text[0] == "_"


def _begins_value(text: str) -> bool:
    return text == "(" or text[0].isalnum() or text[0] == "_"

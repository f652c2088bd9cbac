"""Tokens of other tools' texts, each with where it begins.

Every cutter is one pass of one regular expression in which no branch can fail after it has matched
a character, so cutting is linear. Errors point at the character by the places kept here.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from itertools import islice
from typing import NamedTuple

from symbed.errors import ParseError
from symbed.language.tokens import TOKEN
from symbed.limits import TOKENS

LISTED = re.compile(r"[^\s,]+")
BRANCH_WORD = "Piecewise"  # once its pairs are nested
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
        # mul(x, y) begins with a word that follows no value, and stays a call.
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
        # Behind a function's name the parenthesis is that of its call.
        if last and last not in functions and _ends_value(last) and _begins_value(token.text):
            filled.append(Token("*", token.place))
        filled.append(token)
    return filled


def _ends_value(text: str) -> bool:
    return text == ")" or text[0].isalnum() or text[0] == "_"


def _begins_value(text: str) -> bool:
    return text == "(" or text[0].isalnum() or text[0] == "_"


def join_signs(tokens: Iterable[Token], *, bars: bool = False) -> list[Token]:
    """The tokens with ``>`` and ``=`` side by side as one; with ``bars``, ``|`` means "or".

    >>> [token.text for token in join_signs(cut_formula("x >= 2"))]
    ['x', '>=', '2']
    """
    joined: list[Token] = []
    for token in tokens:
        last = joined[-1] if joined else None
        if token.text == "=" and last and last.text in "<>=!" and last.place + 1 == token.place:
            joined[-1] = Token(last.text + "=", last.place)
        elif token.text == "|" and bars:
            joined.append(Token("||", token.place))
        else:
            joined.append(token)
    return joined


def nest_branches(tokens: list[Token]) -> list[Token]:
    """``Piecewise((a, s), (b, True))`` as a call of three: value, condition, what else.

    >>> tokens = nest_branches(cut_formula("Piecewise((a, s), (b, True))"))
    >>> " ".join(token.text for token in tokens)
    'Piecewise ( a , s , + ( b ) )'
    """
    out: list[Token] = []
    open_groups: list[_Group] = []
    steps = iter(range(len(tokens)))
    for k in steps:
        token, top = tokens[k], open_groups[-1] if open_groups else None
        if token.text == "Piecewise" and k + 1 < len(tokens) and tokens[k + 1].text == "(":
            open_groups.append(_Group("branches"))
            next(steps)
        elif token.text == "(":
            is_pair = top is not None and top.kind == "branches"
            open_groups.append(_Group("pair" if is_pair else "", len(out)))
            out += [Token(BRANCH_WORD, token.place)] * is_pair + [token]
        elif token.text == ")" and top is not None:
            open_groups.pop()
            _close(top, token, out, open_groups)
        elif token.text != "," or top is None or top.kind != "branches":
            out.append(token)
    return out


class _Group:
    """An open parenthesis: of Piecewise, of one of its pairs, or any other.

    ``start`` is its place among the tokens; ``waiting`` counts calls that are closed at the end;
    ``is_total`` says that the last condition was ``True``.
    """

    def __init__(self, kind: str, start: int = 0) -> None:
        self.kind, self.start = kind, start
        self.waiting, self.is_total = 0, False


def _close(group: _Group, token: Token, out: list[Token], open_groups: list[_Group]) -> None:
    place = token.place
    if group.kind == "branches":
        if not group.waiting and not group.is_total:
            raise ParseError("Piecewise without a branch", hint="write Piecewise((a, x > 0))")
        # Where no condition holds, SymPy's Piecewise is undefined.
        rest = [] if group.is_total else ["(", "0", "/", "0", ")"]
        out += [Token(text, place) for text in rest + [")"] * group.waiting]
    elif group.kind == "pair":
        owner = open_groups[-1]
        if owner.is_total:
            raise ParseError("a branch after the one that is always taken", hint="leave it out")
        if [last.text for last in out[-2:]] == [",", "True"]:
            del out[-2:]
            out[group.start] = Token("+", out[group.start].place)  # a sign that does nothing
            out.append(token)
            owner.is_total = True
        else:
            out.append(Token(",", place))
            owner.waiting += 1
    else:
        out.append(token)

"""Tokens: how texts and lists of our own language are cut into them, and what each means.

One regular expression cuts everything, and every character that is not white space ends up in
some token, so nothing is skipped in silence. Cutting is linear: no branch of the pattern can fail
after it has matched a character.

What a token means is looked up in ``before`` where a value is wanted, in ``infix`` or ``after``
where an operator is. Names and numbers join ``before`` when they are first read, so that a survey
of a hundred thousand formulas judges each spelling once.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import islice
from typing import Literal, NamedTuple

from symbed.errors import ParseError, ShapeError
from symbed.language.expression import Item
from symbed.language.names import clean_name
from symbed.language.operators import BY_NAME, NEG, POW, Operator, is_reserved
from symbed.limits import DIGITS, TEXT, TOKENS

TOKEN = re.compile(
    r"[^\W\d]\w*"  # a name, judged later
    r"|(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][-+]?[0-9]+)?"  # a number
    r"|\*\*|//|[<>=!]="
    r"|[^ \t\r\n\f\v]"  # signs, and whatever else a stranger may type
)
# [0-9] and not \d, which has the digits of every script, and float() would read them.
NUMBER = re.compile(r"[-+]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][-+]?[0-9]+)?\Z")
# 250,000 blanks cost TOKEN 17 ms, since it tries each branch at each; to join them, 0.4 ms.
SPACES = re.compile(r"[ \t\r\n\f\v]{2,}")
COUNTED_AT_ONCE = 1 << 16  # characters; an ASCII text of no more is within the limit of bytes


def cut_text(source: str | Sequence[str]) -> list[str]:
    """The tokens of a text.

    >>> cut_text("2*sin(x_1)**1e-3")
    ['2', '*', 'sin', '(', 'x_1', ')', '**', '1e-3']
    """
    if not isinstance(source, str):
        raise ShapeError(f"this dialect reads text, got {type(source).__name__}")
    if len(source) > COUNTED_AT_ONCE or not source.isascii():
        _check_size(source)
        source = SPACES.sub(" ", source)
        _check_count(source)
    tokens: list[str] = TOKEN.findall(source)
    if len(tokens) > TOKENS.maximum:
        TOKENS.check(len(tokens))
    return tokens


def cut_tokens(source: str | Sequence[str]) -> list[str]:
    """The tokens of a token list, or of a text with white space between tokens.

    >>> cut_tokens("C * X_0 ^2")
    ['C', '*', 'X_0', '^2']
    """
    if isinstance(source, str):
        TEXT.check(len(source))
        source = source.split()
    if not isinstance(source, Sequence) or isinstance(source, (bytes, bytearray)):
        raise ShapeError(f"an expression is text or a list of tokens, got {type(source).__name__}")
    TOKENS.check(len(source))
    try:
        # To join them is also to check that each is a text.
        _check_size(" ".join(source))
    except TypeError:
        odd = next(token for token in source if not isinstance(token, str))
        raise ShapeError(f"a token list holds text, got {odd!r} ({type(odd).__name__})") from None
    return list(source)


def locate_in_text(source: str | Sequence[str], tokens: list[str], place: int) -> tuple[str, int]:
    """The text, and where its token number ``place`` begins; behind the last one, the end."""
    text = str(source)
    if place == len(tokens):
        return text, len(text.rstrip())
    return text, next(islice(TOKEN.finditer(text), place, None)).start()


def locate_in_tokens(source: str | Sequence[str], tokens: list[str], place: int) -> tuple[str, int]:
    """The tokens joined by spaces, and where token number ``place`` begins in that."""
    return " ".join(tokens), sum(len(token) + 1 for token in tokens[:place])


def _check_size(text: str) -> None:
    TEXT.check(len(text))
    # After the characters, which are never more than the bytes: encoding a huge text costs.
    # Lone surrogates are counted here and refused later, as unexpected characters.
    TEXT.check(len(text.encode("utf-8", "surrogatepass")))


def _check_count(text: str) -> None:
    """Refuse far too many tokens after cutting a part of them; each slice may split one in two."""
    count = 0
    for begin in range(0, len(text) - COUNTED_AT_ONCE, COUNTED_AT_ONCE):
        count += len(TOKEN.findall(text, begin, begin + COUNTED_AT_ONCE)) - 1
        TOKENS.check(count)


# Spellings of names and numbers that one table remembers; a file may have a new constant in every
# formula.
MAX_SPELLINGS = 4096


class Fault(Exception):
    """Something wrong at a token, ``offset`` characters into it; for ``parse`` to report."""

    def __init__(self, place: int, problem: str, hint: str = "", offset: int = 0) -> None:
        super().__init__(problem)
        self.place, self.problem, self.hint, self.offset = place, problem, hint, offset


class Word(NamedTuple):
    """What a token that is no value does.

    Attributes
    ----------
    role : {"sign", "open", "call", "power", "postfix", "comma", "close"}
        How the reader treats it.
    rows : tuple of Operator
        The operator that it brings, if any.
    closer : str
        The token that closes the group which it opens.
    yields : bool
        Whether it is a plain name where no parenthesis follows.
    """

    role: Literal["sign", "open", "call", "power", "postfix", "comma", "close"]
    rows: tuple[Operator, ...] = ()
    closer: str = ""
    yields: bool = False


class Symbols:
    """The meaning of every token in one dialect, for one choice of variables.

    Parameters
    ----------
    rows : mapping from str to Operator
        The dialect's words for operators.
    declared : iterable of str
        Names that are variables; they take precedence over the constants.
    written_out : iterable of Operator
        Rows in no table, which are written out in others when all is read.
    """

    def __init__(
        self,
        rows: Mapping[str, Operator],
        declared: Iterable[str] = (),
        written_out: Iterable[Operator] = (),
    ) -> None:
        declared = frozenset(declared)
        self.written_out = frozenset(written_out)
        # A declared pi or e hides the constant; a function's name is refused below.
        self.rows = {word: row for word, row in rows.items() if row.arity or word not in declared}
        self.functions = {w: row for w, row in self.rows.items() if row.arity and w.isidentifier()}
        for word in filter(is_reserved, declared & self.functions.keys()):
            raise ParseError(f"variable {word!r} has the name of a function", word, 0, "rename it")
        signs = {word: row for word, row in self.rows.items() if not word.isidentifier()}
        self.before: dict[str, Item | Word] = {
            **{word: row for word, row in self.rows.items() if not row.arity},
            **{
                word: Word("call", (row,), ")", row.nameable)
                for word, row in self.functions.items()
            },
            **{sign: Word("sign", (row,)) for sign, row in signs.items() if row.form == "sign"},
            "-": Word("sign", (NEG,)),
            "+": Word("sign"),  # brings no operator: +x is x
            "(": Word("open", (), ")"),
            "|": Word("open", (BY_NAME["abs"],), "|"),
        }
        # Powers group from the right, the other infix operators from the left.
        self.infix = {s: row for s, row in signs.items() if row.form == "infix" and row is not POW}
        self.after = {
            **{sign: Word("power", (row,)) for sign, row in signs.items() if row is POW},
            **{s: Word("postfix", (row,)) for s, row in signs.items() if row.form == "postfix"},
            ",": Word("comma"),
            ")": Word("close"),
            "|": Word("close"),
        }
        self._free_spellings = MAX_SPELLINGS

    def leaf(self, token: str, place: int) -> Item:
        """The name or number that a token spells; remembered, since most come again."""
        if not token:
            raise Fault(place, "empty token")
        item = _number(token) if NUMBER.match(token) else _name(token, place)
        if self._free_spellings:
            self._free_spellings -= 1
            self.before[token] = item
        return item


def suggest(word: str, known: Collection[str]) -> str:
    """The known word that was probably meant, or an empty string.

    >>> suggest("sn", ["cos", "sin"]), suggest("SIN", ["cos", "sin"]), suggest("f", ["cos", "sin"])
    ('sin', 'sin', '')
    """
    from difflib import get_close_matches

    return next(iter(get_close_matches(word.lower(), sorted(known), n=1)), "")


def counted(count: int, noun: str) -> str:
    """A count and its noun: ``1 argument``, ``2 arguments``."""
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


def brief(token: str) -> str:
    """A token in a message: quoted, and cut if it is long."""
    return repr(token if len(token) <= 40 else token[:37] + "...")


def _number(token: str) -> float:
    if len(token) > DIGITS.maximum:
        DIGITS.check(sum(map(str.isdigit, token)))
    return float(token)


def _name(token: str, place: int) -> str:
    try:
        return clean_name(token)
    except ParseError as error:
        raise Fault(place, error.problem, error.hint, error.position or 0) from None

"""The lexer of our own language: tokens, and their positions when an error wants one.

One regular expression cuts everything, and every character that is not white space ends up in
some token, so nothing is skipped in silence. Cutting is linear: no branch of the pattern can fail
after it has matched a character.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import islice

from symbed.errors import ShapeError
from symbed.limits import TEXT, TOKENS

TOKEN = re.compile(
    r"[^\W\d]\w*"  # a name, judged later
    r"|(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][-+]?[0-9]+)?"  # a number
    r"|\*\*|//|[<>=!]="
    r"|[^ \t\r\n\f\v]"  # signs, and whatever else a stranger may type
)
NUMBER = re.compile(r"[-+]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][-+]?[0-9]+)?\Z")
SPACES = re.compile(r"[ \t\r\n\f\v]{2,}")
SLICE = 1 << 16


def cut_text(source: str | Sequence[str]) -> list[str]:
    """The tokens of a text.

    >>> cut_text("2*sin(x_1)**1e-3")
    ['2', '*', 'sin', '(', 'x_1', ')', '**', '1e-3']
    """
    if not isinstance(source, str):
        raise ShapeError(f"this dialect reads text, got {_kind(source)}")
    if len(source) > SLICE or not source.isascii():
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
    if not _is_list(source):
        raise ShapeError(f"an expression is text or a list of tokens, got {_kind(source)}")
    TOKENS.check(len(source))
    try:
        _check_size(" ".join(source))
    except TypeError:
        odd = next(token for token in source if not isinstance(token, str))
        raise ShapeError(f"a token list holds text, got {odd!r} ({_kind(odd)})") from None
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
    TEXT.check(len(text.encode("utf-8", "surrogatepass")))


def _check_count(text: str) -> None:
    """Refuse far too many tokens after cutting a part of them; each slice may split one in two."""
    count = 0
    for begin in range(0, len(text) - SLICE, SLICE):
        count += len(TOKEN.findall(text, begin, begin + SLICE)) - 1
        TOKENS.check(count)


def _is_list(source: object) -> bool:
    return isinstance(source, Sequence) and not isinstance(source, (bytes, bytearray))


def _kind(value: object) -> str:
    return type(value).__name__

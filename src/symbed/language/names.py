"""Names and their one spelling; what a stranger may not call a thing, and why.

Two names that look the same must be the same, or a formula says one thing to its reader and
another to the machine. So names are written in Latin or Greek letters only, letters that look like
plain Latin ones but are not (Cyrillic, full-width, Greek capitals) are refused by code point, and
subscript digits are plain digits.
"""

from __future__ import annotations

import re

from symbed.errors import ParseError
from symbed.limits import NAME

PLAIN = re.compile(r"[A-Za-z_][A-Za-z0-9_]*\Z")
SUBSCRIPTS = {0x2080 + digit: str(digit) for digit in range(10)}
RESERVED = frozenset({"inf", "nan", "Inf", "NaN"})

# What to write instead of a character that an expression has no use for.
REMEDIES = {
    "=": "give only the right-hand side",
    ".": "names have no attributes and numbers only one point",
    "[": "there is no indexing, write x0 or x_0",
    "]": "there is no indexing, write x0 or x_0",
    "'": "an expression holds no quoted text",
    '"': "an expression holds no quoted text",
    "{": "write (",
    "}": "write )",
    "!": "write gamma(n + 1) for a factorial",
    "%": "write mod(x, y)",
    "$": "leave it out",
    "\u2212": "write -",  # minus sign
    "\u2013": "write -",  # en dash
    "\u00d7": "write *",  # multiplication sign
    "\u00b7": "write *",  # middle dot
    "\u22c5": "write *",  # dot operator
    "\u00f7": "write /",  # division sign
    "\u221a": "write sqrt(...)",  # square root
    "\u221e": "write 1e999",  # infinity
    "\u00b9": "write ^1",
    "\u00b2": "write ^2",
    "\u00b3": "write ^3",
    "\u2074": "write ^4",
    "\u2075": "write ^5",
    "\ufffd": "what stood there is no UTF-8; save the text as UTF-8",
}
LATIN_OR_GREEK = "names are written in Latin or Greek letters"

# Greek capitals and omicron, then Cyrillic letters, that look like Latin ones, with those.
LOOKALIKES = str.maketrans(
    "\u0391\u0392\u0395\u0396\u0397\u0399\u039a\u039c\u039d\u039f\u03a1\u03a4\u03a5\u03a7\u03bf"
    "\u0430\u0441\u0435\u0456\u0458\u043e\u0440\u0455\u0445\u0443"
    "\u0410\u0412\u0421\u0415\u041d\u041a\u041c\u041e\u0420\u0422\u0425\u0423",
    "ABEZHIKMNOPTYXo" + "aceijopsxy" + "ABCEHKMOPTXY",
)
NOT_LATIN = frozenset("\u00d7\u00f7\u0131\u0138")  # in Latin's blocks: x and / signs, i and k alike


def clean_name(token: str) -> str:
    """The one spelling of a name.

    >>> clean_name("x\N{SUBSCRIPT ZERO}")
    'x0'
    """
    NAME.check(len(token))
    if not token:
        raise ParseError("a name is empty")
    if not token.isascii():
        token = token.translate(SUBSCRIPTS)
        _check_letters(token)
    elif not PLAIN.match(token):
        place = next((i for i, c in enumerate(token) if not (c.isalnum() or c == "_")), 0)
        raise unexpected(token, place)
    if token in RESERVED:
        raise ParseError(f"{token!r} is no name and no number", token, 0, "write 1e999 for inf")
    return token


def unexpected(source: str, place: int) -> ParseError:
    """The error for a character that cannot stand there."""
    char = source[place]
    return ParseError(f"unexpected character {shown(char)}", source, place, _remedy(char))


def shown(char: str) -> str:
    """A character in a message: itself if anyone can tell what it is, else its code point.

    >>> shown("@"), shown("\N{CYRILLIC SMALL LETTER HA}")
    ("'@'", 'U+0445 CYRILLIC SMALL LETTER HA')
    """
    if char.isascii() and char.isprintable():
        return repr(char)
    from unicodedata import name

    return f"U+{ord(char):04X} {name(char, 'with no name')}"


def _check_letters(token: str) -> None:
    """Refuse letters that can be mistaken for others, and Latin mixed with Greek in one word."""
    for place, char in enumerate(token):
        if not _is_letter(char) or (char.isdigit() and not place):
            raise unexpected(token, place)
    place = 0
    for word in token.split("_"):
        greek = [_is_greek(char) for char in word if not char.isdigit()]
        if any(greek) and not all(greek):
            odd = next(i for i, char in enumerate(word) if not char.isdigit() and _is_greek(char))
            raise ParseError(
                f"Latin and Greek letters in one word: {shown(word[odd])}",
                token, place + odd, "separate them by an underscore",
            )  # fmt: skip
        place += len(word) + 1


def _is_letter(char: str) -> bool:
    if char.isascii():
        return char.isalnum() or char == "_"
    from unicodedata import normalize

    known = _is_greek(char) or ("\u00c0" <= char <= "\u017e" and char not in NOT_LATIN)
    return known and ord(char) not in LOOKALIKES and normalize("NFKC", char) == char


def _is_greek(char: str) -> bool:
    return "\u0391" <= char <= "\u03a9" or "\u03b1" <= char <= "\u03c9"


def _remedy(char: str) -> str:
    if char in REMEDIES or char.isascii():
        return REMEDIES.get(char, "" if char.isprintable() else "remove it")
    from unicodedata import category, normalize

    if category(char) == "Mn":
        return "write an accented letter as one character"
    if category(char)[0] in "CZ":
        return "remove it"
    if ord(char) in LOOKALIKES:
        return f"write the Latin {char.translate(LOOKALIKES)}"
    plain = normalize("NFKC", char)
    if plain != char and all(part.isascii() or _is_letter(part) for part in plain):
        return f"write {plain}"
    return LATIN_OR_GREEK if char.isalnum() else ""

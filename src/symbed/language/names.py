"""Names: their one spelling, and the one rule that tells a missing variable from a parameter.

Two names that look the same must be the same, or a formula says one thing to its reader and
another to the machine. So names are written in Latin or Greek letters only, letters that look like
plain Latin ones but are not (Cyrillic, full-width, Greek capitals) are refused by code point, and
subscript digits are plain digits.

Names of the domain (or of the data's columns) are variables, and what was given a range by name is
a parameter. Of the others, a name that people give to variables (``x``, ``y``, ``z``, ``t``, with
or without an index), one of the domain's own series (``v3`` beside ``v1`` and ``v2``), one that
misses a variable by case or a letter (``xx`` beside ``x``), one made of variables (``xy``), and
another language's name for a number (``Pi``) are mistakes: as a free parameter each would give a
wrong number without a word. Every other name is a free parameter.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from symbed.errors import MissingVariable, ParseError
from symbed.limits import NAME

if TYPE_CHECKING:
    from symbed.language.expression import Expression

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

    # Latin-1 and Latin Extended-A. What NFKC changes is another letter in disguise.
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


CONVENTIONAL = re.compile(r"[xyztXYZT](_?[0-9]+)?\Z")
# Texts, not patterns: re compiles them when a name is first judged, which most surveys never do.
INDEXED = r"(?s:(?P<stem>.*?[^0-9_])_?(?P<index>[0-9]+)\Z)"
COLUMN = r"[xX]_?[0-9]+\Z"  # how tools call their columns
FITTED = r"t[0-9]+\Z"  # how srtree calls free parameters, beside its columns x0, x1
MAX_JOINED = 16  # letters of a name that is taken for a product of variables
SHORTEST_TYPO = 3  # letters; two names of two letters, such as mu and nu, are two names

# Of these, some differ by a letter (eta, beta, zeta), and none is a slip of the pen.
GREEK = frozenset({
    "alpha", "beta", "gamma", "delta", "epsilon", "zeta", "eta", "theta", "iota", "kappa",
    "lambda", "mu", "nu", "xi", "omicron", "pi", "rho", "sigma", "tau", "upsilon", "phi", "chi",
    "psi", "omega",
})  # fmt: skip


def find_missing_variable(
    expression: Expression,
    variables: Sequence[str],
    parameters: Sequence[str] = (),
    *,
    place: str = "the domain",
    remedy: str = "parameters={{{name!r}: (low, high)}}",
    option: str = "--parameters {name}=low:high",
) -> MissingVariable | None:
    """The error for the first name that must be a variable but is not one; None if there is none.

    Parameters
    ----------
    expression : Expression
        Whose names.
    variables : sequence of str
        Names of the domain, or of the columns.
    parameters : sequence of str
        Names that were given a range as parameters, whatever they look like.
    place : str
        Where variables are named, for the message.
    remedy, option : str
        How a name is declared a parameter, in Python and on the command line; empty where no name
        can be.

    Examples
    --------
    >>> from symbed.language.parser import parse
    >>> print(find_missing_variable(parse("a*temp + b"), ["Temp"], remedy=""))
    'temp' in 'a*temp + b' is not in the domain, which has Temp; did you mean 'Temp'?
    >>> find_missing_variable(parse("a*temp + b"), ["x"])
    """
    for name in dict.fromkeys(expression.names):
        if name in variables or name in parameters:
            continue
        meant = meant_variable(name, variables) or _meant_constant(name)
        declared = expression.declared is not None and name in expression.declared
        if not (meant or declared or looks_like_a_variable(name, variables)):
            continue
        listed, shown = ", ".join(variables) or "none", str(expression)
        who = f"{name!r} in {shown if len(shown) <= 80 else shown[:77] + '...'!r}"
        if meant:
            problem = f"{who} is not in {place}, which has {listed}; did you mean {meant!r}?"
            in_python = f" If it is a parameter, name it in {remedy.format(name=name)}"
            in_command = f" If it is a parameter, add {option.format(name=name)}"
        else:
            problem = f"{who} looks like a variable, but {place} has only {listed}; add it there"
            in_python = f", or name it in {remedy.format(name=name)}"
            in_command = f", or {option.format(name=name)} for a parameter"
        error = MissingVariable(problem + in_python * bool(remedy))
        error.in_command = problem + in_command * bool(option)
        return error
    return None


def looks_like_a_variable(name: str, variables: Sequence[str]) -> bool:
    """Whether people would take a name for a variable, beside these variables.

    >>> looks_like_a_variable("y", ["t"]), looks_like_a_variable("k", ["t"])
    (True, False)
    >>> looks_like_a_variable("v3", ["v1", "v2"]), looks_like_a_variable("v3", ["v"])
    (True, False)
    """
    # Only beside numbered columns: elsewhere t1 is a variable's name, as t is.
    if re.match(FITTED, name) and variables and all(re.match(COLUMN, one) for one in variables):
        return False
    stem = _split(name)[0] if re.match(INDEXED, name) else ""
    series = {_split(one)[0] for one in variables if re.match(INDEXED, one)}
    return CONVENTIONAL.match(name) is not None or stem in series


def _meant_constant(name: str) -> str:
    """The number that other languages call so, where ours has another name for it."""
    return {"Pi": "pi", "PI": "pi", "M_PI": "pi", "M_E": "e"}.get(name, "")


def meant_variable(name: str, variables: Sequence[str]) -> str:
    """The variable that a name misses by case or by a letter, or the product of several that it is.

    Empty if there is none.

    >>> meant_variable("T", ["t"]), meant_variable("thetta", ["theta"]), meant_variable("k", ["t"])
    ('t', 'theta', '')
    >>> meant_variable("xx", ["x"]), meant_variable("kx", ["x"])
    ('x', '')
    >>> meant_variable("x1x2", ["x1", "x2"]), meant_variable("mu", ["m", "u"])
    ('x1*x2', '')
    """
    for one in variables:
        # Case and the underscore before an index: X_1 for x1.
        if _joined(one) == _joined(name):
            return one
    near = (one for one in variables if _misses_by_a_letter(name, one))
    return _joined_variables(name, variables) or next(near, "")


def _joined_variables(name: str, variables: Sequence[str]) -> str:
    """The product of different variables whose names a name is made of; empty if it is not."""
    if name in GREEK or len(name) > MAX_JOINED:
        return ""
    product: list[str] = []
    rest = name
    while rest:
        # The longest first, so that x12 is not x1 and a 2.
        factors = [one for one in variables if rest.startswith(one)]
        if not factors:
            return ""
        product.append(max(factors, key=len))
        rest = rest.removeprefix(product[-1])
    return "*".join(product) if len(set(product)) > 1 else ""


def _misses_by_a_letter(name: str, variable: str) -> bool:
    (stem, index), (other, others_index) = _split(name), _split(variable)
    # x1 beside x2 is another member of a series, and no slip of the pen.
    if index != others_index or stem in GREEK:
        return False
    if min(len(stem), len(other)) < SHORTEST_TYPO:
        # kx and mu beside x and nu are names of their own; xx is x, struck twice.
        return _without_doubles(stem) == _without_doubles(other)
    return _is_one_edit(stem, other)


def _without_doubles(word: str) -> str:
    """A word with each run of one letter as that letter."""
    return "".join(letter for letter, _ in itertools.groupby(word))


def _is_one_edit(one: str, other: str) -> bool:
    """Whether one letter more, less or other, or two swapped, makes the one word the other."""
    start = next((i for i, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), None)
    if start is None:
        return abs(len(one) - len(other)) == 1
    a, b = one[start:], other[start:]
    # In this order: one letter more or another one, one less, two swapped (b[1::-1]).
    return a[1:] in (b, b[1:]) or a == b[1:] or (a[:2] == b[1::-1] and a[2:] == b[2:])


def _split(name: str) -> tuple[str, str]:
    """The letters in lower case, and the index."""
    found = re.match(INDEXED, name)
    return (found["stem"].lower(), found["index"]) if found else (name.lower(), "")


def _joined(name: str) -> str:
    return "".join(_split(name))

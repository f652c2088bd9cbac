"""The symbol table of a dialect: what each of its tokens means.

A token is looked up in ``before`` where a value is wanted, in ``infix`` or ``after`` where an
operator is. Names and numbers join ``before`` when they are first read, so that a survey of a
hundred thousand formulas judges each spelling once.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import Literal, NamedTuple

from symbed.errors import ParseError
from symbed.language.expression import Item
from symbed.language.names import clean_name
from symbed.language.notation.lexer import NUMBER
from symbed.language.operator_row import Operator
from symbed.language.operators import BY_NAME, NEG, POW, is_reserved
from symbed.limits import DIGITS

MEMORY = 4096  # spellings of names and numbers that one table remembers


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
        self.rows = {word: row for word, row in rows.items() if row.arity or word not in declared}
        self.functions = _functions(self.rows)
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
            "+": Word("sign"),
            "(": Word("open", (), ")"),
            "|": Word("open", (BY_NAME["abs"],), "|"),
        }
        # Powers group from the right, the other infix operators from the left.
        self.infix = {s: row for s, row in signs.items() if row.form == "infix" and row is not POW}
        self.after = {
            **{sign: Word("power", (row,)) for sign, row in signs.items() if row is POW},
            **{sign: Word("postfix", (row,)) for sign, row in signs.items() if _is_postfix(row)},
            ",": Word("comma"),
            ")": Word("close"),
            "|": Word("close"),
        }
        self._room = MEMORY

    def leaf(self, token: str, place: int) -> Item:
        """The name or number that a token spells; remembered, since most come again."""
        if not token:
            raise Fault(place, "empty token")
        found = _number(token) if NUMBER.match(token) else _name(token, place)
        if self._room:
            self._room -= 1
            self.before[token] = found
        return found


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


def _functions(rows: Mapping[str, Operator]) -> dict[str, Operator]:
    return {word: row for word, row in rows.items() if row.arity and word.isidentifier()}


def _is_postfix(row: Operator) -> bool:
    return row.form == "postfix"


def _number(token: str) -> float:
    if len(token) > DIGITS.maximum:
        DIGITS.check(sum(map(str.isdigit, token)))
    return float(token)


def _name(token: str, place: int) -> str:
    try:
        return clean_name(token)
    except ParseError as error:
        raise Fault(place, error.problem, error.hint, error.position or 0) from None

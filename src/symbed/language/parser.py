"""The parser, for text and tokens in one of several dialects.

A dialect is a row of ``DIALECTS``: how it is cut into tokens, what its words mean, and in which
order they stand. Nothing is ever evaluated, and nothing recurses.

Formulas keep their numbers as doubles, and a verdict takes a double for its shortest decimal. That
is what was meant by ``0.1``, and by the thirty digits that a tool prints of a double; it is not
what was meant by ``1e-400`` (read as 0) or ``1.00000000000000000001`` (read as 1):
``check_literals`` tells.
"""

from __future__ import annotations

import math
import re
import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from symbed.errors import ParseError, RangeError, ShapeError, SymbedWarning
from symbed.language._token_readers import read_infix, read_postfix, read_prefix
from symbed.language.expression import ANONYMOUS, Expression, Item
from symbed.language.names import clean_name
from symbed.language.operators import ATOM, BY_NAME, TOKENS, Operator, is_nameable
from symbed.language.tokens import (
    TOKEN,
    Fault,
    Symbols,
    cut_text,
    cut_tokens,
    locate_in_text,
    locate_in_tokens,
)
from symbed.limits import NESTING, PARAMETERS, VARIABLES

if TYPE_CHECKING:
    from symbed.language.definitions import Definitions

Source = str | Sequence[str]
# A choice between two values; it is written out in cond and unless when it has been read.
WHERE = Operator("where", 3, "call", ATOM, nameable=True)
MAX_EXACT_INTEGER = 2.0**53  # beyond it every float is an integer, so being one says nothing


def parse(
    source: Source | Any,
    variables: Iterable[str] | None = None,
    dialect: str = "infix",
    constants: str = "keep",
    definitions: Definitions | None = None,
) -> Expression:
    """Read an expression.

    Parameters
    ----------
    source : str, sequence of str or SymPy object
        Text, a list of tokens, or a SymPy object.
    variables : iterable of str, optional
        Names that are variables, also ``pi`` or ``e``; None leaves it to convention.
    dialect : str
        ``infix`` text, or token lists in ``tokens`` (the paper's infix, where ``log`` has base 10),
        ``prefix`` or ``postfix`` notation. A list given as ``infix`` is read as ``tokens``, and a
        text given for a token list is split at white space. Other tools' formulas have the dialects
        of ``symbed.language.dialects`` (``pysr``, ``gplearn``, ``sympy``, ``latex`` ...), and
        ``auto`` finds out whose they are.
    constants : {"keep", "lift"}
        ``keep``, or ``lift`` to make free parameters of the fitted ones.
    definitions : Definitions, optional
        Functions of your own, made by ``define``, that the source may call.

    Raises
    ------
    ParseError
        The source is no expression; the message points at the character.
    LimitError
        One of the published limits is passed (``symbed.limits``).

    Examples
    --------
    >>> parse("C*x^2 + sin(pi*y)")
    Expression('C*x^2 + sin(pi*y)')
    >>> parse(["C", "*", "X_0", "^2"]) == parse("* C ^2 X_0", dialect="prefix")
    True
    >>> parse("a*sn(x)")
    Traceback (most recent call last):
    ...
    symbed.errors.ParseError: unknown function 'sn' at column 3; did you mean 'sin'?
        a*sn(x)
          ^
    """
    if not isinstance(source, str) and dialect == "infix":
        # SymPy's objects are known by what they have, so that SymPy is never imported.
        dialect = "sympy" if hasattr(source, "func") else "tokens"
    row = DIALECTS.get(dialect) if isinstance(dialect, str) else None
    declared = None if variables is None else _declare(variables)
    expression = (
        _read_tool(source, declared, dialect, definitions)
        if row is None
        else _read(source, declared, row, definitions)
    )
    if constants == "keep":
        return expression
    return lift(expression, constants)


def lift(expression: Expression, constants: str = "lift") -> Expression:
    """Make a free parameter of each fitted constant; integers, ``pi`` and ``e`` stay.

    Two models can then be compared by their form. Each constant becomes a parameter of its own.

    >>> from symbed.language.parser import parse
    >>> lift(parse("2.718*x^2 + 3*x - 0.5"))
    Expression('C*x^2 + 3*x - C')
    """
    if constants != "lift":
        raise RangeError(f"constants must be 'keep' or 'lift', got {constants!r}")
    lifted = tuple(ANONYMOUS if _is_fitted(item) else item for item in expression.postfix)
    declared = expression.declared
    if declared is None or ANONYMOUS not in declared:
        return Expression.unchecked(lifted, declared)
    raise RangeError(f"{ANONYMOUS!r} is a variable here, and lifted constants need that name")


def _is_fitted(item: Item) -> bool:
    # The size first: int() does not take infinity.
    return isinstance(item, float) and (abs(item) >= MAX_EXACT_INTEGER or item != int(item))


def _read(
    source: Source,
    declared: tuple[str, ...] | None,
    row: Dialect,
    definitions: Definitions | None = None,
) -> Expression:
    tokens = row.cut(source)
    symbols = _symbols(row, declared or (), definitions)
    try:
        postfix = row.read(tokens, symbols)
    except Fault as fault:
        # A list has no parentheses to tell the function gamma from the name, so try the names.
        postfix = _read_as_names(tokens, row, declared or ()) or []
        if not postfix:
            raise _pointed(fault, row, source, tokens) from None
    # Few formulas call these, and the others need not load what writes them out.
    if not symbols.written_out.isdisjoint(postfix):
        from symbed.language.definitions import expand_calls

        postfix = list(expand_calls(tuple(postfix), definitions))
    expression = Expression.unchecked(tuple(postfix), declared)
    # So many levels, or parameters, need at least as many nodes.
    if len(postfix) > NESTING.maximum:
        _check_large(expression, row)
    return expression


def _read_as_names(tokens: list[str], row: Dialect, declared: tuple[str, ...]) -> list[Item] | None:
    """A prefix or postfix list whose words for functions, such as ``gamma``, are plain names."""
    words = {token for token in tokens if is_nameable(token, row.rows)}
    if not words or row.read is read_infix:
        return None
    rows = {word: meaning for word, meaning in row.rows.items() if word not in words}
    try:
        return row.read(tokens, Symbols(rows, declared))
    except Fault:
        return None


def _read_tool(
    source: object,
    declared: tuple[str, ...] | None,
    dialect: str,
    definitions: Definitions | None = None,
) -> Expression:
    """Read the formula of another tool."""
    from symbed.language.dialects.detection import detect
    from symbed.language.dialects.reader import read
    from symbed.language.dialects.tool_table import READABLE, find_tool

    if dialect == "auto":
        return detect(source, declared).expression
    tool = find_tool(dialect)
    if tool is None:
        known = ", ".join(dict.fromkeys([*DIALECTS, *READABLE, "auto"]))
        raise RangeError(f"dialect must be one of {known}, got {dialect!r}")
    if not tool.reads:
        raise RangeError(f"{tool.title} formulas can be written, not read")
    if definitions:
        from symbed.language.definitions import tool_with

        tool = tool_with(tool, definitions)
    return read(source, tool, declared)


@dataclass(frozen=True, eq=False)
class Dialect:
    """One way to write expressions.

    Attributes
    ----------
    cut : callable
        From the source to its tokens.
    read : callable
        From the tokens to a postfix sequence.
    rows : mapping from str to Operator
        What its words for operators mean.
    locate : callable
        From a token's number to the source as shown in errors, and the position there.
    counts : bool
        Whether ``read`` counts the nesting; if not, that of the result's text is counted.
    """

    cut: Callable[[Source], list[str]]
    read: Callable[[list[str], Symbols], list[Item]]
    rows: Mapping[str, Operator]
    locate: Callable[[Source, list[str], int], tuple[str, int]]
    counts: bool = False


DIALECTS: dict[str, Dialect] = {
    "infix": Dialect(cut_text, read_infix, BY_NAME, locate_in_text, counts=True),
    "tokens": Dialect(cut_tokens, read_infix, TOKENS, locate_in_tokens),
    "prefix": Dialect(cut_tokens, read_prefix, TOKENS, locate_in_tokens),
    "postfix": Dialect(cut_tokens, read_postfix, TOKENS, locate_in_tokens),
}


def _declare(variables: Iterable[str]) -> tuple[str, ...]:
    if isinstance(variables, str):
        raise ShapeError(f"variables must be a list of names, got the text {variables!r}")
    names = tuple(variables)
    VARIABLES.check(len(names))
    for name in names:
        if not isinstance(name, str):
            raise ShapeError(f"variables must be names, got {name!r}")
    return _clean(names)


@lru_cache(maxsize=256)
def _clean(names: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(map(clean_name, names))


# Kept for all formulas of one kind, since a table remembers each spelling that it has judged.
@lru_cache(maxsize=256)
def _symbols(
    dialect: Dialect, declared: tuple[str, ...], definitions: Definitions | None
) -> Symbols:
    if dialect.read is not read_infix:
        return Symbols(dialect.rows, declared)
    own = {WHERE.name: WHERE, **(definitions.rows if definitions else {})}
    return Symbols({**dialect.rows, **own}, declared, own.values())


def _check_large(expression: Expression, dialect: Dialect) -> None:
    """The limits that no expression of ordinary size can pass."""
    if not dialect.counts:
        from symbed.language.printers import nesting  # late: text counts its own

        NESTING.check(nesting(expression, NESTING.maximum))
    if expression.size > PARAMETERS.maximum:
        PARAMETERS.check(len(expression.parameters))


def _pointed(fault: Fault, dialect: Dialect, source: Source, tokens: list[str]) -> ParseError:
    if not tokens:
        return ParseError(fault.problem)
    shown, position = dialect.locate(source, tokens, fault.place)
    return ParseError(fault.problem, shown, position + fault.offset, fault.hint)


JULIA_FRACTION = r"(?<![\w.])([0-9]{1,15})\s*//\s*([1-9][0-9]{0,14})(?![\w.])"
EXACT_DIGITS = 15  # so many significant digits survive the way to a double and back


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
        # Up to 15 digits without an exponent always survive.
        if not (token[0].isdigit() or token[0] == ".") or (
            len(token) <= EXACT_DIGITS and _plain(token)
        ):
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
    if "//" in text and (fraction := re.search(JULIA_FRACTION, text)):
        shown, value = fraction[0], int(fraction[1]) // int(fraction[2])
        sentence = f"{shown} was read as {value}, rounded down; write / for the fraction of Julia"
        warnings.warn(RoundedLiteral(sentence), stacklevel=4)


def _plain(token: str) -> bool:
    return "e" not in token and "E" not in token


def _is_nonzero(token: str) -> bool:
    return token.lower().split("e")[0].strip("0.") != ""


def _is_meant(token: str, number: float) -> bool:
    """Whether the text is the shortest decimal of the double, or more of the double's own digits,
    as tools print them.
    """
    from decimal import Context, Decimal, InvalidOperation  # late: few numbers are so long

    try:
        written = Decimal(token)
    except InvalidOperation:  # an exponent that even decimals do not hold, of a zero
        return True
    digits = len(written.as_tuple().digits)
    # The double's exact value, rounded to as many digits as were written.
    printed = Context(prec=max(digits, 1)).create_decimal(Decimal(number))
    return written in (Decimal(repr(number)), printed)


def _brief(token: str) -> str:
    return token if len(token) <= 40 else f"{token[:37]}..."

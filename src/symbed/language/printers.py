"""Printing of expressions: infix text, token lists, and a drawing of the tree.

A notation says how each operator's operands and signs follow each other, and which operands need
brackets. One loop writes every notation, from the root down, piece after piece into one list, so
printing is linear and a sum of ten thousand terms is nothing special. Reading what was printed
gives the same tree.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import NamedTuple

from symbed.errors import RangeError
from symbed.language.expression import Expression, Item, Postfix, arity, spans
from symbed.language.operators import (
    ATOM,
    COMPARISON,
    NEG,
    POW,
    SIGN,
    SUM,
    TABLE,
    TOKENS,
    Operator,
    is_nameable,
)

Pieces = tuple[str | int, ...]  # signs as text, operands by number


def text(expression: Expression) -> str:
    """The expression as infix text, with as few parentheses as can be.

    >>> from symbed.language.parser import parse
    >>> text(parse("((C)*x)+(-(x**2))/pow(y, 0.50)"))
    'C*x + -x^2/y^0.5'
    """
    return "".join(write(expression.postfix, TEXT))


def tokens(expression: Expression, notation: str = "infix") -> list[str]:
    """The expression as a token list, with the symbols of the paper.

    >>> from symbed.language.parser import parse
    >>> tokens(parse("C*x^2"), "prefix")
    ['*', 'C', '^2', 'x']
    """
    if notation not in TOKEN_LISTS:
        raise RangeError(f"notation must be one of {', '.join(TOKEN_LISTS)}, got {notation!r}")
    written = TOKEN_LISTS[notation]
    if notation != "infix" and _calls_and_names(expression):
        written = written._replace(leaf=_guarded_leaf)
    return write(expression.postfix, written)


def tree(expression: Expression) -> str:
    """The expression as an indented tree, one node on a line.

    >>> from symbed.language.parser import parse
    >>> print(tree(parse("C*sin(x)")))
    *
      C
      sin
        x
    """
    postfix, starts = expression.postfix, spans(expression.postfix)
    lines: list[str] = []
    stack = [(len(postfix) - 1, 0)]
    while stack:
        end, level = stack.pop()
        # Deep trees stay readable, and their drawing linear in size.
        margin = (
            "  " * level
            if level <= MAX_INDENTED_LEVELS
            else "  " * MAX_INDENTED_LEVELS + f"[{level}] "
        )
        lines.append(margin + _label(postfix[end]))
        stack.extend((below, level + 1) for below in reversed(_operands(postfix, starts, end)))
    return "\n".join(lines)


def nesting(expression: Expression, enough: float = math.inf) -> int:
    """How many parentheses, calls and stacked powers its text has inside each other.

    Counting stops beyond ``enough``.

    >>> from symbed.language.parser import parse
    >>> nesting(parse("sin(x*(x + 1)) + 1"))
    2
    """
    roots: list[Item] = []  # of each waiting subtree: the root, the depth, whether it is a power
    depths: list[int] = []
    powers: list[bool] = []
    for item in expression.postfix:
        deepest, power = 0, False
        if isinstance(item, Operator):
            for place in reversed(range(item.arity)):
                root, depth, power = roots.pop(), depths.pop(), powers.pop()
                # x^(y^z) is written without brackets, but nests as if it had them.
                stacked = power and item is POW and place == 1
                if stacked or item.form == "call" or needs_parentheses(item, place, root):
                    depth += 1
                deepest = max(depth, deepest)
            # A sign does not end a tower: 2^-x^2. Here power is still that of the one operand.
            power = item is POW or item.form == "postfix" or (power and item is NEG)
        roots.append(item)
        if deepest > enough:
            return deepest
        depths.append(deepest)
        powers.append(power)
    return depths[0]


def number(value: float) -> str:
    """The shortest text that reads back as the same number.

    >>> number(2.0), number(0.1), number(1e22), number(float("inf"))
    ('2', '0.1', '1e22', '1e999')
    """
    if math.isinf(value):
        return "1e999" if value > 0 else "-1e999"  # inf is no word of the language
    return repr(value).removesuffix(".0").replace("e+", "e").replace("e-0", "e-")


class Notation(NamedTuple):
    """One way to write expressions.

    Attributes
    ----------
    pieces : mapping from Operator to Pieces
        For each operator, its signs and operands in the order in which they are written.
    leaf : callable
        Writes a name or number.
    wraps : callable
        Whether an operator's operand, given its place and root, needs brackets.
    brackets : (str, str)
        The opening and the closing one.
    """

    pieces: Mapping[Operator, Pieces]
    leaf: Callable[[str | float], str]
    wraps: Callable[[Operator, int, Item], bool]
    brackets: tuple[str, str] = ("(", ")")


def write(postfix: Postfix, notation: Notation) -> list[str]:
    """The pieces of text that spell a postfix sequence in a notation."""
    starts = spans(postfix)
    opening, closing = notation.brackets
    written: list[str] = []
    stack: list[str | int] = [len(postfix) - 1]  # still to be written: text, or a subtree's end
    while stack:
        top = stack.pop()
        item = top if isinstance(top, str) else postfix[top]
        if isinstance(top, str):
            written.append(top)
        elif not isinstance(item, Operator):
            written.append(notation.leaf(item))
        else:
            ends = _operands(postfix, starts, top)
            for piece in reversed(notation.pieces[item]):
                if isinstance(piece, str):
                    stack.append(piece)
                elif notation.wraps(item, piece, postfix[ends[piece]]):
                    stack += (closing, ends[piece], opening)
                else:
                    stack.append(ends[piece])
    return written


def level(item: Item) -> int:
    """How tightly the text of a subtree with this root holds together."""
    if isinstance(item, Operator):
        return item.precedence
    return SIGN if is_signed(item) else ATOM


def is_signed(item: Item) -> bool:
    """Whether the text of a subtree with this root begins with a minus."""
    # copysign, since -0.0 is written with a sign too.
    return item is NEG or (isinstance(item, float) and math.copysign(1.0, item) < 0)


def call_pieces(word: str, arity: int) -> Pieces:
    """The pieces of a call: ``hypot(``, the operands with commas between them, ``)``."""
    operands = [piece for place in range(arity) for piece in (", ", place)]
    return (f"{word}(", *operands[1:], ")")


def _needs(row: Operator) -> tuple[int, ...]:
    """For each operand, the level below which it has to be wrapped."""
    if row.precedence == COMPARISON:
        return (SUM, SUM)  # a comparison of a comparison has brackets
    if row.form == "infix":
        # Powers group from the right, and a signed exponent is plain: 2^-x^2 is 2^(-(x^2)).
        # The others group from the left: x - (y - z) keeps its brackets, (x - y) - z does not.
        return (ATOM, SIGN) if row is POW else (row.precedence, row.precedence + 1)
    return {"sign": (SIGN,), "postfix": (ATOM,)}.get(row.form, (0,) * row.arity)


NEEDS = {row: _needs(row) for row in TABLE}
MAX_INDENTED_LEVELS = 40  # levels that are drawn by indenting


def needs_parentheses(row: Operator, place: int, item: Item) -> bool:
    """Whether an operator's operand has to stand in parentheses; in a call's it never has."""
    return row in NEEDS and level(item) < NEEDS[row][place]


def _needs_bracket_tokens(row: Operator, place: int, item: Item) -> bool:
    # A negative number is one token, so it never falls apart.
    return isinstance(item, Operator) and item.precedence < NEEDS[row][place]


def never(row: Operator, place: int, item: Item) -> bool:
    """Whether an operand needs brackets in a notation that has none."""
    return False


def _text_pieces(row: Operator) -> Pieces:
    if row.form == "infix":
        return (0, f" {row.name} " if row.precedence <= SUM else row.name, 1)
    if row.form == "call":
        return call_pieces(row.name, row.arity)
    if row.form == "sign":
        return ("-", 0)
    return (0, row.name) if row.form == "postfix" else (row.name,)


def _token_pieces(row: Operator) -> Pieces:
    if row.form == "infix":
        return (0, row.symbol, 1)
    if row.form == "call":
        return (row.symbol, "(", 0, ",", 1, ")") if row.arity == 2 else (row.symbol, "(", 0, ")")
    return (0, row.symbol) if row.form == "postfix" else (row.symbol, *range(row.arity))


def _leaf(item: str | float) -> str:
    return item if isinstance(item, str) else number(item)


def _guarded_leaf(item: str | float) -> str:
    """A leaf, in parentheses if it is a name that could be taken for a function."""
    written = _leaf(item)
    return f"({written})" if is_nameable(written, TOKENS) else written


def _calls_and_names(expression: Expression) -> bool:
    """Whether words that are functions or names, such as ``gamma``, are here both of these.

    With one kind alone a list without parentheses can be read in one way only, since each function
    takes the place of a value.
    """
    return any(is_nameable(name, TOKENS) for name in expression.names) and any(
        isinstance(item, Operator) and is_nameable(item.symbol, TOKENS)
        for item in expression.postfix
    )


def _label(item: Item) -> str:
    return item.name if isinstance(item, Operator) else _leaf(item)


def _operands(postfix: Postfix, starts: list[int], end: int) -> tuple[int, ...]:
    """Where the operands of the operator at ``end`` end."""
    count = arity(postfix[end])
    # No row of the table has three operands; users' functions may.
    if count < 3:
        return (starts[end - 1] - 1, end - 1) if count == 2 else (end - 1,) * count
    ends = [end - 1]
    while len(ends) < count:
        ends.append(starts[ends[-1]] - 1)
    return tuple(reversed(ends))


TEXT = Notation({row: _text_pieces(row) for row in TABLE}, _leaf, needs_parentheses)
TOKEN_LISTS = {
    "infix": Notation({row: _token_pieces(row) for row in TABLE}, _leaf, _needs_bracket_tokens),
    "prefix": Notation({row: (row.symbol, *range(row.arity)) for row in TABLE}, _leaf, never),
    "postfix": Notation({row: (*range(row.arity), row.symbol) for row in TABLE}, _leaf, never),
}

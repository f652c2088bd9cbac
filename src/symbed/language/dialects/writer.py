"""Writing of expressions in the words of another tool.

What the tool has a word for is written with it; another operator by a detour that means the same,
such as ``sech(x)`` as ``1/cosh(x)``; and where there is none, an error says so. A protected
function is no plain one: gplearn's ``div`` cannot say ``/``.

What a reader might group otherwise is put in brackets: signs and powers differ between tools (in a
spreadsheet, ``-x^2`` is the square of ``-x``), so no signed operand and no power of a power stands
bare, and the text means the same everywhere.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Iterable
from functools import lru_cache
from itertools import count

from symbed.errors import RangeError
from symbed.language.dialects.templates import (
    Builder,
    Template,
    contract,
    detours,
    expand,
    is_operand,
)
from symbed.language.dialects.tool_table import SIGNS, TOOLS, Style, Tool, find_tool
from symbed.language.expression import ANONYMOUS, Expression, Item, Postfix, fold
from symbed.language.operators import ATOM, BY_NAME, FIXED_POWERS, NEG, POW, SUM, TABLE, Operator
from symbed.language.printers import (
    Notation,
    Pieces,
    call_pieces,
    is_signed,
    level,
    needs_parentheses,
    never,
    text,
    tokens,
    write,
)
from symbed.language.typesetting import LATEX
from symbed.limits import NODES

EXPONENTS = {row: f"{exponent:g}" for exponent, row in FIXED_POWERS.items()}
VALUES: dict[object, float] = {BY_NAME["pi"]: math.pi, BY_NAME["e"]: math.e}
OPERANDS = {f"operand{place}": place for place in range(2)}
NUMBERED = re.compile(r"[xX]_?([0-9]+)")


def write_text(expression: Expression, dialect: str, variables: Iterable[str] | None = None) -> str:
    """The expression as text in a dialect: one of ours or another tool's.

    >>> from symbed.language.parser import parse
    >>> write_text(parse("x0*exp(-x1^2)"), "operon")
    'X1*exp(-(X2^2))'
    """
    own = OWN.get(dialect) if isinstance(dialect, str) else None
    if own is not None:
        return own(expression)
    tool = find_tool(dialect)
    if tool is None:
        raise RangeError(f"dialect must be one of {', '.join([*OWN, *TOOLS])}, got {dialect!r}")
    return write_formula(expression, tool, variables)


def write_formula(
    expression: Expression, tool: Tool, variables: Iterable[str] | None = None
) -> str:
    """The expression in the words of a tool.

    Parameters
    ----------
    expression : Expression
        What to write.
    tool : Tool
        In whose words.
    variables : iterable of str, optional
        Names of the columns in their order; without them ``x0, X_0, ...`` is the first.
    """
    notation = _notation(tool)
    trees = {row: tree for row, tree in tool.trees.items() if row in notation.pieces}
    # A word that only repeats an operator, such as Python's max, is no better than the operator.
    trees = {row: tree for row, tree in trees.items() if _renames(tree) not in notation.pieces}
    postfix = _reduce(contract(expression.postfix, trees), tool, notation)
    named = _renamed(postfix, expression, tool, variables)
    _check_growth(named, notation)
    joint = tool.style.joint if tool.style else ""
    head = tool.style.head if tool.style else ""
    return head + joint.join(write(named, notation))


def _renames(tree: Template | Builder) -> Operator | None:
    """The operator that a tree consists of, if it is no more than that."""
    if isinstance(tree, Builder) or not isinstance(tree[-1], Operator):
        return None
    return tree[-1] if tree[:-1] == tuple(range(tree[-1].arity)) else None


def _check_growth(postfix: Postfix, notation: Notation) -> None:
    """Refuse what would be too long: some pieces show an operand twice, and so double it."""

    def node(row: Operator, below: list[int]) -> int:
        shown = sum(below[piece] for piece in notation.pieces[row] if isinstance(piece, int))
        return min(1 + shown, NODES.maximum + 1)

    NODES.check(fold(postfix, lambda _: 1, node))


@lru_cache(maxsize=64)
def _notation(tool: Tool) -> Notation:
    """How a tool writes each operator; one without pieces cannot be said."""
    style = tool.style
    if style is None:
        raise RangeError(f"{tool.title} formulas can be read, not written")
    if style.form == "latex":
        return LATEX
    words: dict[Operator, str] = {}
    for word, row in tool.rows.items():
        if word.isidentifier():
            words.setdefault(row, word)  # the first is the one to write
    make = {"infix": _infix_pieces, "calls": _call_pieces, "prefix": _prefix_pieces}[style.form]
    pieces: dict[Operator, Pieces] = {}
    for row in (*TABLE, *words):
        written = tool.written(row) or make(row, style, words.get(row, ""))
        if written:
            pieces[row] = written

    def leaf(item: str | float) -> str:
        return item if isinstance(item, str) else style.number(item)

    # Inside a call's brackets no operand needs others.
    bare = frozenset(row for row, written in pieces.items() if not _encloses(written))

    def wraps(row: Operator, place: int, item: Item) -> bool:
        return row in bare and _wraps(row, place, item)

    return Notation(pieces, leaf, wraps if style.form == "infix" else never)


def _encloses(pieces: Pieces) -> bool:
    """Whether the operands stand in a call's own brackets."""
    return isinstance(pieces[0], str) and "(" in pieces[0]


def _infix_pieces(row: Operator, style: Style, word: str) -> Pieces:
    if style.only is not None and row.form in ("infix", "postfix") and row.name not in style.only:
        return _call_pieces(row, style, word)
    if row is POW:
        return (0, style.power, 1)
    if row.form == "infix" and row.name not in SIGNS:
        return _call_pieces(row, style, word)
    if row.form == "infix":
        return (0, f" {row.name} " if row.precedence == SUM else row.name, 1)
    # x^-1 would have a bare sign in its exponent.
    if row in EXPONENTS and row.name != "^-1":
        return (0, style.power + EXPONENTS[row])
    if row.form == "sign":
        return ("-", 0)
    return _call_pieces(row, style, word)


def _call_pieces(row: Operator, style: Style, word: str) -> Pieces:
    if not word:
        return ()
    return call_pieces(style.module + word, row.arity) if row.arity else (word,)


def _prefix_pieces(row: Operator, style: Style, word: str) -> Pieces:
    return (word, *range(row.arity)) if word else ()


def _wraps(row: Operator, place: int, item: Item) -> bool:
    if row.form not in ("infix", "postfix", "sign"):
        return False
    if is_signed(item):
        # Bare only where a sum begins with it: -x + y.
        return place > 0 or row.form != "infix" or row.precedence != SUM
    if row is POW or row is NEG:
        return level(item) < ATOM
    return needs_parentheses(row, place, item)


def _reduce(postfix: Postfix, tool: Tool, notation: Notation) -> Postfix:
    """The sequence without the operators that the tool has no word for."""
    used = dict.fromkeys(item for item in postfix if isinstance(item, Operator))
    missing = [row for row in used if row not in notation.pieces]
    if not missing:
        return postfix
    known = {row: template for row in missing if row.arity and (template := _detour(row, tool))}
    for row in missing:
        if row.arity and row not in known:
            raise RangeError(f"{tool.title} has no word for {row.name!r}{_excuse(row, tool)}")
    # A tool without the words pi and e gets their digits.
    numbers = tuple(VALUES.get(item, item) if item in missing else item for item in postfix)
    return expand(numbers, known, normal=False)


@lru_cache(maxsize=1024)
def _detour(row: Operator, tool: Tool, seen: frozenset[Operator] = frozenset()) -> Template:
    """The tree for an operator that has no word, in operators that have one; empty if none."""
    pieces, seen = _notation(tool).pieces, seen | {row}
    for template in detours(row):
        # What is on its way does not come again: min and max are each other's detour.
        needed = {part for part in template if isinstance(part, Operator)} - pieces.keys()
        inner = {} if needed & seen else {part: _detour(part, tool, seen) for part in needed}
        if not inner.keys() >= needed or not all(inner.values()):
            continue
        # Operands travel as names, since a sequence that is expanded holds no places.
        names = tuple(f"operand{part}" if is_operand(part) else part for part in template)
        written = expand(names, inner, normal=False)
        return tuple(
            OPERANDS.get(part, part) if isinstance(part, str) else part for part in written
        )
    return ()


def _excuse(row: Operator, tool: Tool) -> str:
    word = {"/": "div", "ln": "log", "^-1": "inv"}.get(row.name, row.name)
    return f"; its {word} is {tool.protected[word]}" if word in tool.protected else ""


def _renamed(
    postfix: Postfix, expression: Expression, tool: Tool, variables: Iterable[str] | None
) -> Postfix:
    """The sequence with the names that the tool gives to variables and parameters."""
    new = _variables(expression, tool, variables)
    counts = Counter(item for item in expression.postfix if isinstance(item, str))
    keeps = tool.parameters == "="
    # One C that no C_0 stands beside is the same to all readers. Of several each needs a name,
    # since a tool's C is one thing.
    alone = counts[ANONYMOUS] == 1 and not any(n.startswith(f"{ANONYMOUS}_") for n in counts)
    pattern = f"{ANONYMOUS}_{{}}" if keeps else tool.parameters
    taken = {*new.values(), *counts} if keeps else set()
    fresh = (name for number in count() if (name := pattern.format(number)) not in taken)
    renamed: list[Item] = []
    for item in postfix:
        if not isinstance(item, str) or item in new:
            renamed.append(new[item] if isinstance(item, str) else item)
        elif not pattern:
            raise RangeError(f"{tool.title} has no free parameters, got {item!r}; fit it first")
        elif keeps and (item != ANONYMOUS or alone):
            renamed.append(_allowed(item, tool))
        elif "{}" in pattern:
            renamed.append(next(fresh))
            if item != ANONYMOUS:
                new[item] = str(renamed[-1])
        elif item != ANONYMOUS and counts[item] > 1:
            raise RangeError(
                f"{tool.title} has one word for all parameters, but {item!r} occurs twice"
            )
        else:
            renamed.append(pattern)  # one word for all, as DSO's const or Bingo's question mark
    return tuple(renamed)


def _variables(
    expression: Expression, tool: Tool, variables: Iterable[str] | None
) -> dict[str, str]:
    order = None if variables is None else list(variables)
    known = expression.variables if order is None else [n for n in expression.names if n in order]
    new: dict[str, str] = {}
    for name in known:
        spelled = _spell_variable(name, tool, order)
        if spelled in new.values():
            raise RangeError(f"{name!r} and another variable would both be {spelled!r}; rename one")
        new[name] = spelled
    return new


def _spell_variable(name: str, tool: Tool, order: list[str] | None) -> str:
    if tool.base is None:
        return name
    if order is not None:
        return tool.spell(order.index(name) + tool.base)
    numbered = NUMBERED.fullmatch(name)
    return tool.spell(int(numbered[1]) + tool.base) if numbered else _allowed(name, tool)


def _allowed(name: str, tool: Tool) -> str:
    if tool.taken and tool.taken.fullmatch(name):
        raise RangeError(f"{name!r} has another meaning for {tool.title}; rename it")
    return name


OWN: dict[str, Callable[[Expression], str]] = {
    "infix": text,
    "tokens": lambda expression: " ".join(tokens(expression, "infix")),
    "prefix": lambda expression: " ".join(tokens(expression, "prefix")),
    "postfix": lambda expression: " ".join(tokens(expression, "postfix")),
}

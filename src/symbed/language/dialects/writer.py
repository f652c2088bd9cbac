"""Writing: an expression goes in, a formula in the words of some tool comes out.

What the tool has a word for is written with it; another operator by a detour that means the same,
such as ``sech(x)`` as ``1/cosh(x)``; and where there is none, an error says so. A protected
function is no plain one: gplearn's ``div`` cannot say ``/``.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache
from itertools import count

from symbed.errors import RangeError
from symbed.language.dialects.notation import make_notation
from symbed.language.dialects.registry import TOOLS, find_tool
from symbed.language.dialects.templates import Template, contract, expand, is_operand
from symbed.language.dialects.tool import Tool
from symbed.language.dialects.vocabulary import DETOURS
from symbed.language.expression import ANONYMOUS, Expression, Postfix, fold
from symbed.language.operators import TABLE, Operator
from symbed.language.printers import Notation, text, tokens, write
from symbed.limits import NODES

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
    expression : what to write.
    tool : in whose words.
    variables : names of the columns in their order; without them ``x0, X_0, ...`` is the first.
    """
    notation = _notation(tool)
    trees = {row: template for row, template in tool.trees.items() if row in notation.pieces}
    postfix = _reduce(contract(expression.postfix, trees), tool, notation)
    named = _renamed(postfix, expression, tool, variables)
    _check_growth(named, notation)
    joint = tool.style.joint if tool.style else ""
    head = tool.style.head if tool.style else ""
    return head + joint.join(write(named, notation))


def _check_growth(postfix: Postfix, notation: Notation) -> None:
    """Refuse what would be too long: some pieces show an operand twice, and so double it."""

    def node(row: Operator, below: list[int]) -> int:
        shown = sum(below[piece] for piece in notation.pieces[row] if isinstance(piece, int))
        return min(1 + shown, NODES.maximum + 1)

    NODES.check(fold(postfix, lambda _: 1, node))


@lru_cache(maxsize=64)
def _notation(tool: Tool) -> Notation:
    if tool.style is None:
        raise RangeError(f"{tool.title} formulas can be read, not written")
    spelled: dict[Operator, str] = {}
    for word, row in tool.rows.items():
        if word.isidentifier():
            spelled.setdefault(row, word)
    return make_notation(tool.style, spelled)


def _reduce(postfix: Postfix, tool: Tool, notation: Notation) -> Postfix:
    """The sequence without the operators that the tool has no word for."""
    missing = {item for item in postfix if isinstance(item, Operator)} - notation.pieces.keys()
    if not missing:
        return postfix
    detours = {row: template for row in missing if row.arity and (template := _detour(row, tool))}
    for row in missing - detours.keys():
        if row.arity:
            raise RangeError(f"{tool.title} has no word for {row.name!r}{_excuse(row, tool)}")
    numbers = tuple(VALUES.get(item, item) if item in missing else item for item in postfix)
    return expand(numbers, detours, normal=False)


@lru_cache(maxsize=1024)
def _detour(row: Operator, tool: Tool, seen: frozenset[Operator] = frozenset()) -> Template:
    """The tree for an operator that has no word, in operators that have one; empty if none."""
    pieces, seen = _notation(tool).pieces, seen | {row}
    for template in DETOURS.get(row.name, ()):
        needed = {part for part in template if isinstance(part, Operator)} - pieces.keys()
        inner = {} if needed & seen else {part: _detour(part, tool, seen) for part in needed}
        if not inner.keys() >= needed or not all(inner.values()):
            continue
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
    new = _variables(expression, tool, variables)
    parameters = _Parameters(expression, tool, set(new.values()))
    return tuple(
        (new[item] if item in new else parameters.spell(item)) if isinstance(item, str) else item
        for item in postfix
    )


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
    found = NUMBERED.fullmatch(name)
    return tool.spell(int(found[1]) + tool.base) if found else _allowed(name, tool)


def _allowed(name: str, tool: Tool) -> str:
    if tool.taken and tool.taken.fullmatch(name):
        raise RangeError(f"{name!r} has another meaning for {tool.title}; rename it")
    return name


class _Parameters:
    """How a tool writes the free parameters of one expression."""

    def __init__(self, expression: Expression, tool: Tool, taken: set[str]) -> None:
        self.tool, self.taken = tool, taken | set(expression.names) - {ANONYMOUS}
        self.repeated = {n for n in expression.names if expression.postfix.count(n) > 1}
        self.numbers: Iterator[int] = count()
        self.known: dict[str, str] = {}

    def spell(self, name: str) -> str:
        """The parameter's name; an anonymous one is new each time."""
        if not self.tool.parameters:
            raise RangeError(
                f"{self.tool.title} has no free parameters, got {name!r}; fit it first"
            )
        if self.tool.parameters == "*" or (self.tool.parameters == "=" and name != ANONYMOUS):
            return _allowed(name, self.tool)
        if "{}" not in self.tool.parameters.replace("=", "C_{}"):
            return self._spell_anonymous(name)
        if name != ANONYMOUS and name in self.known:
            return self.known[name]
        pattern = "C_{}" if self.tool.parameters == "=" else self.tool.parameters
        spelled = next(s for n in self.numbers if (s := pattern.format(n)) not in self._reserved())
        if name != ANONYMOUS:
            self.known[name] = spelled
        return spelled

    def _reserved(self) -> set[str]:
        return self.taken if self.tool.parameters == "=" else set()

    def _spell_anonymous(self, name: str) -> str:
        if name != ANONYMOUS and name in self.repeated:
            raise RangeError(
                f"{self.tool.title} has one word for all parameters, but {name!r} occurs twice"
            )
        return self.tool.parameters


OWN: dict[str, Callable[[Expression], str]] = {
    "infix": text,
    "tokens": lambda expression: " ".join(tokens(expression, "infix")),
    "prefix": lambda expression: " ".join(tokens(expression, "prefix")),
    "postfix": lambda expression: " ".join(tokens(expression, "postfix")),
}
VALUES: dict[object, float] = {
    row: value
    for row in TABLE
    for name, value in (("pi", 3.141592653589793), ("e", 2.718281828459045))
    if row.name == name
}
OPERANDS = {f"operand{place}": place for place in range(2)}

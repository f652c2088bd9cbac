"""The readers of prefix and postfix token lists.

Without parentheses nothing tells the function ``gamma`` from a variable of that name, so a list
that holds names of this kind beside functions of this kind has the names as ``(gamma)``.
"""

from __future__ import annotations

from symbed.language.expression import Item, emit
from symbed.language.notation.symbol_table import Fault, Symbols, Word, brief, counted
from symbed.language.operator_row import Operator
from symbed.language.operators import is_nameable

BRACKETS = frozenset("(),|")


def read_prefix(tokens: list[str], symbols: Symbols) -> list[Item]:
    """Read the tokens of one expression in prefix (Polish) notation."""
    postfix: list[Item] = []
    waiting: list[Operator] = []
    missing: list[int] = []  # for each waiting operator, how many operands are still to come
    for place, token in enumerate(tokens):
        if place and not waiting:
            raise Fault(place, f"{brief(token)} after the end of the expression")
        item = symbols.before.get(token)
        if item is None or isinstance(item, Word):
            item = _item(symbols, token, place)
            if isinstance(item, Operator):
                waiting.append(item)
                missing.append(item.arity)
                continue
        postfix.append(item)
        while waiting:
            missing[-1] -= 1
            if missing[-1]:
                break
            missing.pop()
            emit(postfix, waiting.pop())
    if waiting or not tokens:
        raise Fault(len(tokens), _ending(waiting, missing))
    return postfix


def read_postfix(tokens: list[str], symbols: Symbols) -> list[Item]:
    """Read the tokens of one expression in postfix (reverse Polish) notation."""
    postfix: list[Item] = []
    values = 0
    for place, token in enumerate(tokens):
        item = symbols.before.get(token)
        if item is None or isinstance(item, Word):
            item = _item(symbols, token, place)
        if not isinstance(item, Operator):
            postfix.append(item)
            values += 1
            continue
        if item.arity > values:
            needs = counted(item.arity, "value")
            raise Fault(place, f"{token!r} needs {needs} before it, got {values}")
        values -= item.arity - 1
        emit(postfix, item)
    if values != 1:
        problem = f"{values} values are left without an operator" if tokens else _ending([], [])
        raise Fault(len(tokens), problem)
    return postfix


def _item(symbols: Symbols, token: str, place: int) -> Item:
    """What a token is that is no known value: an operator, or a value met for the first time."""
    if token in BRACKETS:
        raise Fault(place, f"{token!r} has no place in prefix or postfix notation")
    if token[:1] == "(" and token[-1:] == ")" and is_nameable(token[1:-1], symbols.rows):
        return token[1:-1]
    row = symbols.rows.get(token)
    return symbols.leaf(token, place) if row is None else row


def _ending(waiting: list[Operator], missing: list[int]) -> str:
    if not waiting:
        return "the expression is empty"
    return f"{waiting[-1].symbol!r} still needs {counted(missing[-1], 'value')} at the end"

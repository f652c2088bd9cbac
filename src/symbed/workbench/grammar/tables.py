"""A grammar as the arrays that the engines sample from, and what its tokens mean."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction
from itertools import accumulate

import numpy as np

from symbed.engine.structures.requests import GrammarTables, ReaderTables
from symbed.language.expression import Item
from symbed.language.names import clean_name
from symbed.language.operators import ADD, BY_NAME, FIXED_POWERS, NEG, POW, SUBTRACT, Operator
from symbed.language.tokens import NUMBER
from symbed.workbench.grammar.grammar import Grammar

SCALE = 1 << 53  # random numbers are integers below this

# Roles of a token, as native/grammar.cpp numbers them.
NOWHERE, LEAF, SIGN, OPEN, CALL, INFIX, POWER, POSTFIX, COMMA, CLOSE = range(10)


def tabulate(grammar: Grammar) -> GrammarTables:
    """The tables of a grammar."""
    numbers = {token: number for number, token in enumerate(grammar.terminals)}
    # Nonterminals are the negative numbers.
    numbers |= {left: ~number for number, left in enumerate(grammar.nonterminals)}
    groups = [grammar.by_left[left] for left in grammar.nonterminals]
    rules = [rule for group in groups for rule in group]
    # By place: E -> x | x has two rules that are equal, and may have one rule twice. The sort is
    # stable, so that rules of a nonterminal stay in the order of its group.
    group_of = {left: number for number, left in enumerate(grammar.nonterminals)}
    order = sorted(range(len(rules)), key=lambda place: group_of[grammar.rules[place].left])
    least = grammar.shortest
    growth = [sum(least.get(s, 1) for s in rule.right) - least[rule.left] for rule in rules]
    return GrammarTables(
        rules=np.cumsum([0, *map(len, groups)]),
        thresholds=np.array(
            [t for group in groups for t in _thresholds(rule.probability for rule in group)],
            dtype=np.uint64,
        ),
        sides=np.cumsum([0, *(len(rule.right) for rule in rules)]),
        symbols=np.array(
            [numbers[s] for rule in rules for s in reversed(rule.right)], dtype=np.int32
        ),
        growth=np.array(growth, dtype=np.int64),
        n_tokens=len(grammar.terminals),
        shortest=int(least[grammar.start]),
        order=np.array(order),
    )


def _thresholds(probabilities: Iterable[float]) -> list[int]:
    """Exact sums, so that the same grammar has the same thresholds everywhere."""
    # Divided by the last sum, since probabilities may miss one a little: the last threshold is
    # 2^53, and every random number lies below it.
    sums = list(accumulate(map(Fraction, probabilities)))
    return [int(part * SCALE / sums[-1]) for part in sums]


def tabulate_reader(terminals: Sequence[str]) -> ReaderTables:
    """The tables that read words of these tokens."""
    items = _Items()
    tokens = np.array([_token_row(token, items) for token in terminals], dtype=np.int32)
    power, negation = items.known(POW), items.known(NEG)
    rows: list[tuple[int, int, int, int]] = []
    while len(rows) < len(items.all):  # negated numbers join the items meanwhile
        rows.append(_item_row(items.all[len(rows)], items, negation >= 0))
    return ReaderTables(
        tuple(terminals), tuple(items.all), items.numbers,
        tokens.reshape(-1, 6), np.array(rows, dtype=np.int32), power, negation,
    )  # fmt: skip


class _Items:
    """Items numbered in order of appearance; 0 and -0 are two."""

    def __init__(self) -> None:
        self.all: list[Item] = []
        self.numbers: dict[str, int] = {}

    def number(self, item: Item) -> int:
        key = repr(item)  # an operator's is <name>, a name's is quoted
        if key not in self.numbers:
            self.numbers[key] = len(self.all)
            self.all.append(item)
        return self.numbers[key]

    def known(self, item: Item) -> int:
        return self.numbers.get(repr(item), -1)


def _token_row(token: str, items: _Items) -> tuple[int, ...]:
    row = BY_NAME.get(token)
    bracket = int(token == "|")
    if token in SIGNS:
        before, opens, after = SIGNS[token]
        return before, -1 if opens is None else items.number(opens), after, -1, 0, bracket
    if row is None:
        leaf = float(token) if NUMBER.match(token) else clean_name(token)
        return LEAF, items.number(leaf), NOWHERE, -1, 0, bracket
    number = items.number(row)
    if token.isidentifier():
        return CALL if row.arity else LEAF, number, NOWHERE, -1, 0, bracket
    if row.form == "postfix":
        return NOWHERE, -1, POSTFIX, number, 0, bracket
    sign, negated = (SIGN, items.number(NEG)) if row is SUBTRACT else (NOWHERE, -1)
    # A plus sign before a value is no operator at all, a minus sign is a negation.
    before = SIGN if row is ADD else sign
    return before, negated, POWER if row is POW else INFIX, number, row.precedence, bracket


# Brackets and the comma: role where a value is wanted, the operator that it brings, role elsewhere.
SIGNS: dict[str, tuple[int, Operator | None, int]] = {
    "(": (OPEN, None, NOWHERE),
    ")": (NOWHERE, None, CLOSE),
    "|": (OPEN, BY_NAME["abs"], CLOSE),
    ",": (NOWHERE, None, COMMA),
}


def _item_row(item: Item, items: _Items, negates: bool) -> tuple[int, int, int, int]:
    if isinstance(item, Operator):
        return item.arity, item.precedence, -1, -1
    if not isinstance(item, float):
        return 0, 0, -1, -1
    # A number is negated once at a time, and -(-2) is 2 again, so this comes to an end.
    negated = items.number(-item) if negates else -1
    powered = items.number(FIXED_POWERS[item]) if item in FIXED_POWERS else -1
    return 0, 0, negated, powered

"""Drawing random expressions from a grammar, by the million if wanted.

The engines sample from arrays: a grammar as ``GrammarTables``, and what its tokens mean as
``ReaderTables``.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import accumulate, pairwise
from typing import Any, NoReturn, TypeVar, overload

import numpy as np
from numpy.typing import NDArray

from symbed._export import data_frame
from symbed._types import Counts, Integers, Seed
from symbed.engine.backend import active_backend
from symbed.engine.structures.requests import (
    FOUND,
    NO_ROOM,
    UNREADABLE,
    GrammarTables,
    ReaderTables,
    SampleRequest,
)
from symbed.errors import RangeError, ShapeError
from symbed.language.expression import Expression, Item
from symbed.language.names import clean_name
from symbed.language.operators import ADD, BY_NAME, FIXED_POWERS, NEG, POW, SUBTRACT, Operator
from symbed.language.parser import parse
from symbed.language.tokens import NUMBER
from symbed.limits import TOKENS
from symbed.progress import Progress, Shown
from symbed.sampling.counter_rng import hashes
from symbed.sampling.validation import checked_seed
from symbed.workbench.grammar.grammar import Grammar

PATIENCE = 10_000_000  # rules applied since the last word was found before giving up
STREAM = 0x6772616D  # separates these random numbers from others of the same seed
BLOCK = 1 << 16  # words between two looks at the keyboard, and words that are spelled at once
MAX_COUNT = (1 << 32) - 2  # of words or tokens
SCALE = 1 << 53  # random numbers are integers below this

# Roles of a token, as the native sampler numbers them.
NOWHERE, LEAF, SIGN, OPEN, CALL, INFIX, POWER, POSTFIX, COMMA, CLOSE = range(10)


def sample(
    grammar: Grammar,
    n: int,
    *,
    seed: Seed = 0,
    unique: bool = False,
    min_length: int = 1,
    max_length: int | None = None,
    progress: Shown = None,
) -> Sample:
    """Draw random expressions.

    Parameters
    ----------
    grammar : Grammar
        Where they come from.
    n : int
        How many.
    seed : int or numpy Generator
        The same seed gives the same expressions on every machine, and fewer of them are the first
        of more.
    unique : bool
        Whether no expression may come twice. Words that are read as the same tree count as the
        same, such as ``x`` and ``(x)``.
    min_length, max_length : int, optional
        Tokens in a word. Words of other lengths are drawn again, so that the others keep their
        relative probabilities.
    progress : bool or callable, optional
        None shows a bar in terminals and notebooks, True always, False never; a callable is called
        with the number of expressions drawn so far.

    Raises
    ------
    RangeError
        The grammar's words have no finite expected length and there is no ``max_length``, or such
        expressions are not found within ten million steps.

    Examples
    --------
    >>> from symbed.workbench import paper_grammar
    >>> [str(expression) for expression in sample(paper_grammar(2), 3, seed=1)]
    ['X_0*X_1*X_1 - C - C*X_0/X_0 + X_0', 'C*sqrt(X_1)', 'X_1']
    """
    n, low, high = _checked(grammar, n, min_length, max_length)
    seed = checked_seed(seed)
    expected = min(1.1 * grammar.expected_length, high, 64)  # more room is made when needed
    request = SampleRequest(
        tables=tabulate(grammar),
        reader=tabulate_reader(grammar.terminals) if unique else None,
        origin=int(hashes(1, seed, STREAM)[0]),
        shortest=low,
        longest=high,
        patience=PATIENCE,
        tokens=np.empty(int(expected * n) + high, np.int32),
        starts=np.zeros(n + 1, np.int64),
        counts=np.zeros(len(grammar.rules), np.int64),
        # A hash table by powers of two, never fuller than two thirds.
        seen=np.zeros(1 << (3 * n // 2).bit_length() if unique else 0, np.uint64),
    )
    with Progress("drawn", n, progress) as bar:
        while (before := request.n_found) < n:
            outcome = active_backend().sample(request, min(n, before + BLOCK))
            bar.advance(request.n_found - before)
            if outcome == NO_ROOM:
                # At least twice as many, and room for one more word of any length.
                more = len(request.tokens) + high
                request.tokens = np.concatenate([request.tokens, np.empty(more, np.int32)])
            elif outcome != FOUND:
                raise _failure(grammar, request, outcome, n)
    tokens = request.tokens[: request.starts[n]]
    if 2 * len(tokens) < len(request.tokens):  # give back what is mostly empty
        tokens = tokens.copy()
    # The tables have the rules by nonterminal, the grammar as they were written.
    counts = np.empty_like(request.counts)
    counts[request.tables.order] = request.counts
    for array in (tokens, request.starts, counts):
        array.flags.writeable = False
    return Sample(grammar, seed, tokens, request.starts, counts, request.attempt)


def _checked(
    grammar: Grammar, n: int, min_length: int, max_length: int | None
) -> tuple[int, int, int]:
    """The count and the bounds of the length."""
    if not isinstance(grammar, Grammar):
        raise ShapeError(f"sample needs a Grammar, got {type(grammar).__name__}; see read_grammar")
    limits = {"n": (n, 0), "min_length": (min_length, 1)}
    if max_length is not None:
        limits["max_length"] = (max_length, 1)
    for what, (count, least) in limits.items():
        if not isinstance(count, (int, np.integer)) or not least <= count <= MAX_COUNT:
            raise RangeError(f"{what} must be a whole number from {least} on, got {count!r}")
    if max_length is None and grammar.expected_length == np.inf:
        raise RangeError(
            f"words of this grammar have no finite expected length (each symbol becomes "
            f"{grammar.growth:.4g} on average); give max_length"
        )
    high = TOKENS.maximum if max_length is None else min(int(max_length), TOKENS.maximum)
    shortest = int(grammar.shortest[grammar.start])
    if high < shortest:
        raise RangeError(f"the shortest word has {shortest} tokens, above max_length {high}")
    if high < min_length:
        raise RangeError(f"min_length {min_length} is above max_length {high}")
    return int(n), int(min_length), high


def _failure(grammar: Grammar, request: SampleRequest, outcome: int, n: int) -> Exception:
    n_drawn = request.n_found
    if outcome == UNREADABLE:
        reject(grammar, request.tokens[request.starts[n_drawn] : request.starts[n_drawn + 1]])
    kind = "different expressions" if request.reader else "expressions"
    return RangeError(
        f"only {n_drawn:,} of {n:,} {kind} of {request.shortest} to {request.longest:,} tokens "
        f"found, and none in the last {PATIENCE:,} steps; ask for fewer, or widen the lengths"
    )


T = TypeVar("T")


@dataclass(frozen=True, eq=False, repr=False)
class Sample(Sequence[Expression]):
    """Random expressions, kept as flat arrays; texts and trees are made when asked for.

    Attributes
    ----------
    grammar : Grammar
        Where they come from.
    seed : int
        Which of all samples of that grammar.
    token_ids : ndarray of int
        The tokens of all words, as places in ``grammar.terminals``.
    starts : ndarray of int
        Where each word begins; one more than words.
    rule_counts : ndarray of int
        How often each rule of the grammar was applied in these words.
    n_attempts : int
        Derivations that were begun.
    """

    grammar: Grammar
    seed: int
    token_ids: Counts
    starts: Integers
    rule_counts: Integers
    n_attempts: int

    def __len__(self) -> int:
        return len(self.starts) - 1

    @overload
    def __getitem__(self, place: int) -> Expression: ...
    @overload
    def __getitem__(self, place: slice) -> list[Expression]: ...
    def __getitem__(self, place: int | slice) -> Expression | list[Expression]:
        if isinstance(place, slice):
            return [self[number] for number in range(*place.indices(len(self)))]
        number = range(len(self))[place]
        items, starts = self.postfix
        sequence = items[starts[number] : starts[number + 1]].tolist()
        return Expression.unchecked(tuple(self.items[item] for item in sequence), None)

    def __iter__(self) -> Iterator[Expression]:
        for sequence in _cut(*self.postfix, self.items):
            yield Expression.unchecked(tuple(sequence), None)

    def tokens(self) -> Iterator[list[str]]:
        """The words as token lists."""
        return _cut(self.token_ids, self.starts, self.grammar.terminals)

    def to_frame(self) -> Any:
        """A pandas table of the expressions as texts."""
        return data_frame({"expression": list(self.texts())})

    def to_dict(self) -> dict[str, Any]:
        """The expressions as texts, and how often each rule was used; ready for JSON."""
        rules = [str(rule) for rule in self.grammar.rules]
        return {
            "expressions": list(self.texts()),
            "n_attempts": self.n_attempts,
            "rule_counts": dict(zip(rules, self.rule_counts.tolist(), strict=True)),
        }

    def texts(self) -> Iterator[str]:
        """The words as text, with spaces around sums; brackets are those of the grammar."""
        spelled = [f" {t} " if t in ("+", "-") else t for t in (*self.grammar.terminals, "\n")]
        table = np.array([token.encode() for token in spelled])
        for first in range(0, len(self), BLOCK):
            yield from _spelled(table, self.token_ids, self.starts[first : first + BLOCK + 1])

    def check(self) -> None:
        """Raise the parser's error if a word of the grammar is no expression."""
        _ = self.postfix

    @property
    def items(self) -> tuple[Item, ...]:
        """The operators, names and numbers that ``postfix`` refers to."""
        return self._reader.items

    @cached_property
    def postfix(self) -> tuple[Counts, Integers]:
        """The postfix sequences of all words, as places in ``items``, and where each begins."""
        read = active_backend().read_words(self._reader, self.token_ids, self.starts)
        if (failed := read.failed) >= 0:
            reject(self.grammar, self.token_ids[self.starts[failed] : self.starts[failed + 1]])
        return read.items, read.starts

    @cached_property
    def _reader(self) -> ReaderTables:
        return tabulate_reader(self.grammar.terminals)

    def __repr__(self) -> str:
        return f"Sample({len(self)} expressions, {len(self.token_ids)} tokens, seed {self.seed})"


def reject(grammar: Grammar, word: Counts) -> NoReturn:
    """Raise the parser's error for a word that is no expression."""
    text = " ".join(grammar.terminals[token] for token in word)
    # The parser says what is wrong, and where; it must not accept what the tables refuse.
    parse(text)
    raise ShapeError(f"the word {text!r} was not read")


def _spelled(table: NDArray[np.bytes_], tokens: Counts, starts: Integers) -> list[str]:
    """The texts of some words, through one array of bytes; ``table`` ends with the newline."""
    ends = starts[1:] - starts[0]
    lines = np.insert(tokens[starts[0] : starts[-1]], ends, len(table) - 1)
    spelled = table[lines].view(np.uint8)  # fixed width, filled up with zero bytes
    text: str = spelled[spelled != 0].tobytes().decode()
    return text.split("\n")[:-1]


def _cut(flat: Counts, starts: Integers, meanings: Sequence[T]) -> Iterator[list[T]]:
    """The pieces of a flat array, as lists of what its numbers mean, a block at a time."""
    table = np.empty(len(meanings), dtype=object)
    table[:] = meanings
    for first in range(0, len(starts) - 1, BLOCK):
        bounds = starts[first : first + BLOCK + 1]
        block = table[flat[bounds[0] : bounds[-1]]].tolist()
        for begin, end in pairwise((bounds - bounds[0]).tolist()):
            yield block[begin:end]


def tabulate(grammar: Grammar) -> GrammarTables:
    """The tables of a grammar."""
    numbers = {token: number for number, token in enumerate(grammar.terminals)}
    # Nonterminals are the negative numbers.
    numbers |= {left: ~number for number, left in enumerate(grammar.nonterminals)}
    groups = [grammar.by_left[left] for left in grammar.nonterminals]
    rules = [rule for group in groups for rule in group]
    # By place: E -> x | x has two rules that are equal, and may have one rule twice. The sort is
    # stable, so that rules of a nonterminal stay in the order of its group.
    order = sorted(range(len(rules)), key=lambda place: ~numbers[grammar.rules[place].left])
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
    if token in BRACKETS:
        before, opens, after = BRACKETS[token]
        return before, -1 if opens is None else items.number(opens), after, -1, 0, bracket
    if row is None:
        leaf = float(token) if NUMBER.match(token) else clean_name(token)
        return LEAF, items.number(leaf), NOWHERE, -1, 0, bracket
    number = items.number(row)
    if token.isidentifier():
        # What gamma means where no parenthesis follows stands where a call has nothing else.
        name = items.number(token) if row.nameable else -1
        return CALL if row.arity else LEAF, number, NOWHERE, name, 0, bracket
    if row.form == "postfix":
        return NOWHERE, -1, POSTFIX, number, 0, bracket
    sign, negated = (SIGN, items.number(NEG)) if row is SUBTRACT else (NOWHERE, -1)
    # A plus sign before a value is no operator at all, a minus sign is a negation.
    before = SIGN if row is ADD else sign
    return before, negated, POWER if row is POW else INFIX, number, row.precedence, bracket


# Brackets and the comma: role where a value is wanted, the operator that it brings, role elsewhere.
BRACKETS: dict[str, tuple[int, Operator | None, int]] = {
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

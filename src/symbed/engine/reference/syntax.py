"""Random words of a grammar, and distances of trees: in plain Python, as the native core has them.

The random numbers of a derivation are a hash of the seed and of the derivation's number, so a word
depends on nothing that was derived before it.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from symbed._types import Floats
from symbed.engine.structures.requests import (
    EXHAUSTED,
    FOUND,
    NO_ROOM,
    UNREADABLE,
    EditCosts,
    GrammarTables,
    ReaderTables,
    ReadWords,
    SampleRequest,
    Trees,
)
from symbed.errors import SymbedError
from symbed.language.parser import parse
from symbed.sampling.counter_rng import GOLDEN, mix


def sample(request: SampleRequest, n_wanted: int) -> int:
    """Add words to a request until it has ``n_wanted``; returns why it came back."""
    rows = choices(request.tables)
    while request.n_found < n_wanted:
        begin = int(request.starts[request.n_found])
        # Asked before deriving, so that no attempt is lost while the caller makes room.
        if len(request.tokens) - begin < request.longest:
            return NO_ROOM
        numbers = draws(request.origin, request.attempt)
        word, applied = derive(rows, numbers, request.longest, request.patience - request.steps)
        request.attempt += 1
        request.steps += len(applied)
        if request.steps > request.patience:
            return EXHAUSTED
        if word is None or len(word) < request.shortest:
            continue
        request.tokens[begin : begin + len(word)] = word
        request.starts[request.n_found + 1] = begin + len(word)
        if request.reader is not None:
            sequence = read_word(request.reader, word)
            if sequence is None:
                return UNREADABLE
            if sequence in request.sequences:
                continue
            request.sequences.add(sequence)
        np.add.at(request.counts, applied, 1)
        request.n_found += 1
        request.steps = 0
    return FOUND


def read_words(
    reader: ReaderTables, tokens: NDArray[np.int32], starts: NDArray[np.int64]
) -> ReadWords:
    """The postfix sequences of words; see ``Backend.read_words``."""
    items: list[int] = []
    ends = [0]
    failed = -1
    for number in range(len(starts) - 1):
        sequence = read_word(reader, tokens[starts[number] : starts[number + 1]].tolist())
        if sequence is None:
            failed = number
            break
        items.extend(sequence)
        ends.append(len(items))
    return ReadWords(np.array(items, dtype=np.int32), np.array(ends, dtype=np.int64), failed)


def draws(origin: int, attempt: int) -> Iterator[int]:
    """The random integers below 2^53 of one derivation."""
    state = mix(origin + (attempt + 1) * GOLDEN)
    while True:
        state += GOLDEN
        yield mix(state) >> 11


@dataclass(frozen=True)
class Choices:
    """What a derivation looks up: the length of the shortest word, and a row for each nonterminal.

    A row holds the thresholds, the number of the first rule, the right-hand sides and by how much
    each makes the shortest word longer.
    """

    shortest: int
    rows: list[tuple[list[int], int, list[list[int]], list[int]]]


def choices(tables: GrammarTables) -> Choices:
    """The tables as lists."""
    bounds = tables.sides.tolist()
    sides = [tables.symbols[a:b].tolist() for a, b in pairwise(bounds)]
    growth = tables.growth.tolist()
    bounds = tables.rules.tolist()
    return Choices(
        tables.shortest,
        [
            # Without the last threshold: what is not below the others is the last rule, also where
            # probabilities add up to a little less than 1.
            (tables.thresholds[a : b - 1].tolist(), a, sides[a:b], growth[a:b])
            for a, b in pairwise(bounds)
        ],
    )


def derive(
    table: Choices, numbers: Iterator[int], longest: int, steps: int
) -> tuple[list[int] | None, list[int]]:
    """One leftmost derivation: the word, or None if it would be too long, and the rules applied."""
    stack, word, applied = [~0], list[int](), list[int]()
    least = table.shortest  # tokens that the word will have at least
    while stack:
        symbol = stack.pop()
        if symbol >= 0:
            word.append(symbol)
            continue
        thresholds, first, sides, growth = table.rows[~symbol]
        choice = bisect_right(thresholds, next(numbers))
        applied.append(first + choice)
        least += growth[choice]
        if len(applied) > steps or least > longest:
            return None, applied
        stack += sides[choice]
    return word, applied


def read_word(reader: ReaderTables, word: list[int]) -> tuple[int, ...] | None:
    """The postfix sequence of a word, as numbers of items; None if it is no expression."""
    try:
        expression = parse(" ".join([reader.terminals[token] for token in word]))
    except SymbedError:
        return None
    return tuple(reader.numbers[repr(item)] for item in expression.postfix)


def tree_edit(a: Trees, b: Trees, costs: EditCosts | None) -> Floats:
    """(len(a), len(b)) distances of packed trees, after Zhang and Shasha."""
    rows = [_plant(*a.nodes(tree)) for tree in range(len(a))]
    columns = [_plant(*b.nodes(tree)) for tree in range(len(b))]
    weight, change = _functions(costs)
    out = np.empty((len(a), len(b)))
    for i, row in enumerate(rows):
        for j, column in enumerate(columns):
            out[i, j] = _distance(row, column, weight, change)
    return out


class _Tree(NamedTuple):
    """A tree as the recursion sees it.

    ``lefts`` is the leftmost leaf below each node; ``keyroots`` are the nodes that are not the
    first child of their parent, ascending: below each of them the recursion starts anew.
    """

    labels: list[int]
    lefts: list[int]
    keyroots: list[int]


def _plant(labels: list[int], arities: list[int]) -> _Tree:
    lefts: list[int] = []
    stack: list[int] = []
    for place, count in enumerate(arities):
        left = stack[-count] if count else place
        del stack[len(stack) - count :]
        stack.append(left)
        lefts.append(left)
    # In postorder parents follow their children, so the last node with a leftmost leaf is highest.
    highest = {left: place for place, left in enumerate(lefts)}
    return _Tree(labels, lefts, sorted(highest.values()))


def _distance(
    a: _Tree, b: _Tree, weight: Callable[[int], int], change: Callable[[int, int], int]
) -> int:
    trees = [[0] * len(b.labels) for _ in a.labels]
    for i in a.keyroots:
        for j in b.keyroots:
            _fill_below(a, b, i, j, trees, weight, change)
    return trees[-1][-1]


def _fill_below(
    a: _Tree,
    b: _Tree,
    i: int,
    j: int,
    trees: list[list[int]],
    weight: Callable[[int], int],
    change: Callable[[int, int], int],
) -> None:
    """The distances of all trees that start at the leftmost leaves of keyroots i and j.

    ``forests[x][y]`` is the distance of the forests of the first x and y nodes below i and j.
    """
    p, q = a.lefts[i], b.lefts[j]
    forests = [[0] * (j - q + 2) for _ in range(i - p + 2)]
    for y in range(q, j + 1):
        forests[0][y - q + 1] = forests[0][y - q] + weight(b.labels[y])
    for x in range(p, i + 1):
        row, above, before = forests[x - p + 1], forests[x - p], forests[a.lefts[x] - p]
        removal = weight(a.labels[x])
        row[0] = above[0] + removal
        for y in range(q, j + 1):
            c = y - q
            whole = a.lefts[x] == p and b.lefts[y] == q  # both forests are trees
            if whole:
                kept = above[c] + change(a.labels[x], b.labels[y])
            else:
                # Keyroots ascend, so the distance of these two subtrees was found before.
                kept = before[b.lefts[y] - q] + trees[x][y]
            row[c + 1] = min(kept, above[c + 1] + removal, row[c] + weight(b.labels[y]))
            if whole:
                trees[x][y] = row[c + 1]


def _functions(costs: EditCosts | None) -> tuple[Callable[[int], int], Callable[[int, int], int]]:
    if costs is None:
        return lambda _: 1, lambda a, b: int(a != b)
    weights, changes = costs.weights.tolist(), costs.changes.tolist()
    return weights.__getitem__, lambda a, b: changes[a][b]

"""Sampling: a grammar and a seed go in, random expressions come out, by the million if wanted."""

from __future__ import annotations

import numpy as np

from symbed.errors import RangeError, ShapeError
from symbed.limits import TOKENS
from symbed.sampling.counter_rng import hashes
from symbed.workbench.grammar import reference_sampler as grammar_twin
from symbed.workbench.grammar.grammar import Grammar
from symbed.workbench.grammar.samples import Sample, engine, reject
from symbed.workbench.grammar.tables import tabulate, tabulate_reader

PATIENCE = 10_000_000  # rules applied since the last word was found before giving up
STREAM = 0x6772616D  # separates these random numbers from others of the same seed
BLOCK = 1 << 16  # words between two looks at the keyboard
MOST = (1 << 32) - 2


def sample(
    grammar: Grammar,
    n: int,
    *,
    seed: int = 0,
    unique: bool = False,
    min_length: int = 1,
    max_length: int | None = None,
) -> Sample:
    """Draw random expressions.

    Parameters
    ----------
    grammar : where they come from.
    n : how many.
    seed : the same seed gives the same expressions on every machine, and fewer of them are the
        first of more.
    unique : no expression comes twice. Words that are read as the same tree count as the same, such
        as ``x`` and ``(x)``.
    min_length, max_length : tokens in a word. Words of other lengths are drawn again, so that
        the others keep their relative probabilities.

    Raises
    ------
    RangeError : the grammar's words have no finite expected length and there is no ``max_length``,
        or such expressions are not found within ten million steps.

    Examples
    --------
    >>> from symbed.workbench import paper_grammar
    >>> [str(expression) for expression in sample(paper_grammar(2), 3, seed=1)]
    ['X_0*X_1*X_1 - C - C*X_0/X_0 + X_0', 'C*sqrt(X_1)', 'X_1']
    """
    n, low, high = _checked(grammar, n, min_length, max_length)
    request = _request(grammar, n, seed, unique, low, high)
    while request.n_found < n:
        outcome = engine().sample(request, min(n, request.n_found + BLOCK))
        if outcome == grammar_twin.NO_ROOM:
            more = len(request.tokens) + high
            request.tokens = np.concatenate([request.tokens, np.empty(more, np.int32)])
        elif outcome != grammar_twin.FOUND:
            raise _failure(grammar, request, outcome, n)
    return _finished(grammar, request, seed)


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
        if not isinstance(count, (int, np.integer)) or not least <= count <= MOST:
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


def _request(
    grammar: Grammar, n: int, seed: int, unique: bool, low: int, high: int
) -> grammar_twin.Request:
    expected = min(1.1 * grammar.expected_length, high, 64)  # more room is made when needed
    size = 1 << (3 * n // 2).bit_length() if unique else 0
    return grammar_twin.Request(
        tables=tabulate(grammar),
        reader=tabulate_reader(grammar.terminals) if unique else None,
        origin=int(hashes(1, seed, STREAM)[0]),
        shortest=low,
        longest=high,
        patience=PATIENCE,
        tokens=np.empty(int(expected * n) + high, np.int32),
        starts=np.zeros(n + 1, np.int64),
        counts=np.zeros(len(grammar.rules), np.int64),
        seen=np.zeros(size, np.uint64),
    )


def _finished(grammar: Grammar, request: grammar_twin.Request, seed: int) -> Sample:
    tokens = request.tokens[: request.starts[request.n_found]]
    if 2 * len(tokens) < len(request.tokens):  # give back what is mostly empty
        tokens = tokens.copy()
    starts = request.starts[: request.n_found + 1]
    counts = np.empty_like(request.counts)
    counts[request.tables.order] = request.counts
    for array in (tokens, starts, counts):
        array.flags.writeable = False
    return Sample(grammar, seed, tokens, starts, counts, request.attempt)


def _failure(grammar: Grammar, request: grammar_twin.Request, outcome: int, n: int) -> Exception:
    found = request.n_found
    if outcome == grammar_twin.UNREADABLE:
        reject(grammar, request.tokens[request.starts[found] : request.starts[found + 1]])
    kind = "different expressions" if request.reader else "expressions"
    return RangeError(
        f"only {found:,} of {n:,} {kind} of {request.shortest} to {request.longest:,} tokens "
        f"found, and none in the last {PATIENCE:,} steps; ask for fewer, or widen the lengths"
    )

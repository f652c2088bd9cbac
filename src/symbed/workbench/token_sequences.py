"""Distances of token sequences: edit distance, Jaro similarity, common subsequence, Jaccard index.

RapidFuzz does the work where it is installed, on strings with one character for each token. Without
it the edit distance and the longest common subsequence fall back to a plain loop.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from symbed._types import Floats
from symbed.errors import LimitError, MissingExtra
from symbed.language.expression import Expression
from symbed.language.operators import Operator
from symbed.language.printers import number
from symbed.parallel import count_threads
from symbed.progress import Progress, Shown

Word = Sequence[str]

BLOCK = 256  # rows that RapidFuzz compares in one call, between two looks at the bar
SURROGATES = range(0xD800, 0xE000)  # code points that are no characters
LAST_CHARACTER = 0x10FFFF


def tokens_of(expression: Expression, notation: str) -> list[str]:
    """The tokens of an expression; in postfix notation without the detour over a printer.

    >>> from symbed import parse
    >>> tokens_of(parse("C*x^2 - 0.5"), "postfix")
    ['C', 'x', '^2', '*', '0.5', '-']
    """
    if notation != "postfix":
        return expression.tokens(notation)
    return [
        item.symbol if isinstance(item, Operator)
        else item if isinstance(item, str) else number(item)
        for item in expression.postfix
    ]  # fmt: skip


def token_distances(
    measure: str,
    rows: Sequence[Word],
    columns: Sequence[Word],
    workers: int | None = None,
    progress: Shown = False,
) -> Floats:
    """The distances between words; one list on both sides is known by its identity.

    The measure ``edit`` (Levenshtein) counts tokens inserted, removed and replaced; ``lcs`` is the
    length of the longer word minus that of the longest common subsequence; ``jaro`` one minus the
    Jaro similarity; ``jaccard`` one minus the share of common tokens among all tokens of either
    word, as sets.

    >>> token_distances("edit", [["x", "C", "+"]], [["x", "C", "*"], ["x"]])
    array([[1., 2.]])
    >>> token_distances("jaccard", [["x", "x", "+"]], [["x", "C", "+"]]).round(3)
    array([[0.333]])
    """
    if measure == "jaccard":
        return _jaccard_distances(rows, columns, progress)
    scorer, plain = SCORERS[measure]
    left, right = _spelled(rows, columns)
    try:
        from rapidfuzz import distance, process
    except ImportError:
        if plain is None:
            raise MissingExtra(
                f"the measure {scorer} needs RapidFuzz; "
                "install it with: pip install 'symbed[syntax]'"
            ) from None
        return np.array([[plain(a, b) for b in right] for a in left], np.float64)
    kernel, threads = getattr(distance, scorer).distance, count_threads(workers)
    distances = np.empty((len(left), len(right)))
    with Progress("distances", len(left), progress) as bar:
        for first in range(0, len(left), BLOCK):
            block, after = slice(first, first + BLOCK), first if left is right else 0
            distances[block, after:] = stripe = process.cdist(
                left[block], right[after:], scorer=kernel, dtype=np.float64, workers=threads
            )
            if left is right:  # each pair once
                distances[after:, block] = stripe.T
            bar.advance(len(stripe))
    return distances


def _jaccard_distances(rows: Sequence[Word], columns: Sequence[Word], progress: Shown) -> Floats:
    # The columns' sets of tokens lie behind each other in one array; a row marks its tokens, and
    # sums over stretches count what is common. No word is empty: ``reduceat`` cannot sum nothing.
    numbers: dict[str, int] = {}
    sets = [[numbers.setdefault(token, len(numbers)) for token in set(word)] for word in columns]
    flat = np.array([number for tokens in sets for number in tokens], np.int64)
    sizes = np.array([len(tokens) for tokens in sets], np.int64)
    starts = np.cumsum(sizes) - sizes
    distances = np.empty((len(rows), len(columns)))
    marks = np.zeros(len(numbers), np.int64)
    with Progress("distances", len(rows), progress) as bar:
        for place, word in enumerate(rows):
            tokens = set(word)
            known = [numbers[token] for token in tokens if token in numbers]
            marks[known] = 1
            common = np.add.reduceat(marks[flat], starts)
            marks[known] = 0
            distances[place] = 1.0 - common / (len(tokens) + sizes - common)
            bar.advance()
    return distances


def _spelled(rows: Sequence[Word], columns: Sequence[Word]) -> tuple[list[str], list[str]]:
    """The words as strings with one character for each token; equal lists stay one list."""
    letters: dict[str, str] = {}

    def spell(word: Word) -> str:
        return "".join([letters.get(token) or _add_letter(letters, token) for token in word])

    left = [spell(word) for word in rows]
    return left, left if columns is rows else [spell(word) for word in columns]


def _add_letter(letters: dict[str, str], token: str) -> str:
    code = len(letters) + 1
    code += len(SURROGATES) if code >= SURROGATES.start else 0
    if code > LAST_CHARACTER:
        raise LimitError(
            f"over {len(letters):,} different tokens; compare fewer expressions at once"
        )
    letters[token] = chr(code)
    return letters[token]


def _edit(a: str, b: str) -> float:
    # One row of the table of Wagner and Fischer; ``corner`` is the entry above and to the left.
    row = list(range(len(b) + 1))
    for i, x in enumerate(a, start=1):
        corner, row[0] = row[0], i
        for j, y in enumerate(b, start=1):
            corner, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, corner + (x != y))
    return row[-1]


def _subsequence(a: str, b: str) -> float:
    # As in ``_edit``: one row, and the entry above and to the left.
    row = [0] * (len(b) + 1)
    for x in a:
        corner = 0
        for j, y in enumerate(b, start=1):
            corner, row[j] = row[j], corner + 1 if x == y else max(row[j], row[j - 1])
    return max(len(a), len(b)) - row[-1]


# For each measure its scorer in RapidFuzz, and what does the same without it.
SCORERS: dict[str, tuple[str, Callable[[str, str], float] | None]] = {
    "edit": ("Levenshtein", _edit),
    "lcs": ("LCSseq", _subsequence),
    "jaro": ("Jaro", None),
}

"""Draw random expressions for the benchmarks, as token lists of the paper's grammar."""

from __future__ import annotations

from collections.abc import Iterator

from symbed.workbench import paper_grammar
from symbed.workbench import sample as draw

Tokens = list[str]


def sample(n_expressions: int, n_variables: int, seed: int) -> Iterator[Tokens]:
    """Draw token lists of the paper's grammar; the same arguments give the same expressions.

    >>> [text(tokens) for tokens in sample(3, 2, seed=6)]
    ['(X_1 - X_1)', 'X_0 + X_0*X_1/X_0', 'X_0']
    """
    words: Iterator[Tokens] = draw(paper_grammar(n_variables), n_expressions, seed=seed).tokens()
    return words


def text(tokens: Tokens) -> str:
    """A token list as infix text, with spaces around sums only."""
    return "".join(f" {token} " if token in "+-" else token for token in tokens)

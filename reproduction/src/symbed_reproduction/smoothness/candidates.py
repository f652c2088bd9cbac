"""The random candidates of a data set, read and compiled.

They are drawn from the paper's grammar with as many variables as the data set has, at most 40
tokens long, and no token sequence comes twice: ``X_0`` and ``(X_0)`` are two candidates.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from symbed._types import Floats
from symbed.engine.backend import active_backend
from symbed.engine.packed_programs import PackedPrograms
from symbed.engine.program import Binding
from symbed.engine.structures.requests import Trees
from symbed.language.expression import Expression, arity
from symbed.language.parser import parse
from symbed.sampling.probe import Probe
from symbed.workbench import Dataset, Grammar, Sample, paper_grammar, sample
from symbed.workbench.grammar.sampling import tabulate_reader
from symbed.workbench.token_tree_distances import tokens_of

MAX_LENGTH = 40  # tokens
PARAMETERS = (-5.0, 5.0)  # the range of free parameters, for fits and for draws
OVERSAMPLING = 4  # about one word in three is new


@dataclass(frozen=True, eq=False)
class Candidates:
    """Random expressions for one data set, as flat arrays.

    Attributes
    ----------
    grammar : Grammar
        Where they come from.
    token_ids, starts : ndarray of int
        Their tokens as places in ``grammar.terminals``, and where each begins.
    places : ndarray of int
        For each candidate its distinct program: the row of ``fixed``, or -1 - row of ``varied``.
        What is equal up to commutativity shares a program.
    fixed, varied : PackedPrograms
        The programs without and with free parameters.
    n_drawn : int
        Words that were drawn to find as many different ones.
    """

    grammar: Grammar
    token_ids: NDArray[np.int32]
    starts: NDArray[np.int64]
    places: NDArray[np.int64]
    fixed: PackedPrograms
    varied: PackedPrograms
    n_drawn: int

    def __len__(self) -> int:
        return len(self.places)

    def words(self) -> list[list[str]]:
        """The candidates as they were written, brackets included."""
        names = self.grammar.terminals
        tokens = [names[token] for token in self.token_ids.tolist()]
        return [tokens[begin:end] for begin, end in pairwise(self.starts.tolist())]

    def trees(self, labels: dict[str, int]) -> Trees:
        """The candidates as packed trees; a new label gets the next number."""
        reader = tabulate_reader(self.grammar.terminals)
        items, starts, _ = active_backend().read_words(reader, self.token_ids, self.starts)
        symbols = tokens_of(Expression.unchecked(reader.items, None), "postfix")
        numbers = [labels.setdefault(symbol, len(labels)) for symbol in symbols]
        arities = [arity(item) for item in reader.items]
        return Trees(np.array(numbers, np.int32)[items], np.array(arities, np.int32)[items], starts)

    def spread(self, of_fixed: Floats, of_varied: Floats) -> Floats:
        """Numbers of the distinct programs, as numbers of the candidates."""
        both = np.concatenate([of_fixed, of_varied])
        return both[np.where(self.places >= 0, self.places, len(of_fixed) - 1 - self.places)]


def draw_candidates(dataset: Dataset, n: int, seed: int) -> Candidates:
    """The first ``n`` different words that the paper's grammar gives."""
    grammar = paper_grammar(len(dataset.laws))
    drawn, first = _distinct(grammar, n, seed)
    texts = list(first)[:n]
    rows = np.array(list(first.values())[:n], np.int64)
    lengths = drawn.starts[rows + 1] - drawn.starts[rows]
    starts = np.concatenate([[0], np.cumsum(lengths)])
    inside = np.arange(starts[-1]) + np.repeat(drawn.starts[rows] - starts[:-1], lengths)
    compiled = _compile(texts, dataset.variables)
    return Candidates(grammar, drawn.token_ids[inside], starts, *compiled, int(rows[-1]) + 1)


def _distinct(grammar: Grammar, n: int, seed: int) -> tuple[Sample, dict[str, int]]:
    """Draws, and the place of the first of each spelling among them."""
    size = OVERSAMPLING * n
    while True:  # fewer draws are the first of more, so the size does not decide what is found
        words = sample(grammar, size, seed=seed, max_length=MAX_LENGTH)
        first: dict[str, int] = {}
        for row, text in enumerate(words.texts()):
            first.setdefault(text, row)
        if len(first) >= n:
            return words, first
        size *= 2


def _compile(
    texts: Sequence[str], variables: Sequence[str]
) -> tuple[NDArray[np.int64], PackedPrograms, PackedPrograms]:
    """The place of each text among the distinct programs, and these."""
    origin = np.zeros((1, len(variables)))  # roles depend on names alone
    roles = Binding(Probe.at(origin, variables, parameters=PARAMETERS))
    catalog = active_backend().catalog(roles)

    def ask(line: int) -> int:
        return catalog.intern(roles.compile(parse(texts[line], variables)))

    places = catalog.read(texts, ask)
    fixed, varied = (
        catalog.programs(0, catalog.count(varied=kind), varied=kind) for kind in (False, True)
    )
    return places, fixed, varied

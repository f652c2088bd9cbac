"""Made-up subtrees: variables and dice go in, a small tree without parameters comes out."""

from __future__ import annotations

from functools import lru_cache

from symbed.language.expression import Postfix
from symbed.workbench.equivalence.random_choices import Dice
from symbed.workbench.grammar.named_grammars import named_grammar
from symbed.workbench.grammar.reference_sampler import Choices, choices, derive, read_word
from symbed.workbench.grammar.tables import ReaderTables, tabulate, tabulate_reader

SIZE = 5  # most nodes
STEPS = 1000  # most rules in a derivation


def random_subtree(variables: tuple[str, ...], dice: Dice) -> Postfix | None:
    """A random expression of these variables; None if it was too large."""
    table, reader = _generator(variables)
    word, _ = derive(table, dice.numbers, longest=3 * SIZE, steps=STEPS)
    sequence = None if word is None else read_word(reader, word)
    if sequence is None or len(sequence) > SIZE:
        return None
    return tuple(reader.items[item] for item in sequence)


@lru_cache(maxsize=64)
def _generator(variables: tuple[str, ...]) -> tuple[Choices, ReaderTables]:
    grammar = named_grammar("paper-without-parameters", variables)
    return choices(tabulate(grammar)), tabulate_reader(grammar.terminals)

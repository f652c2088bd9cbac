"""Probabilistic context-free grammars of expressions.

A symbol that stands left of some rule is a nonterminal; every other one is a terminal, that is a
token of an expression's text. The words of a grammar are token sequences.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from symbed._types import Floats
from symbed.errors import RangeError, ShapeError, SymbedError
from symbed.language.names import PLAIN, clean_name
from symbed.language.operators import BY_NAME
from symbed.language.tokens import NUMBER
from symbed.limits import NONTERMINALS

TOLERANCE = 1e-6  # by which the probabilities of one nonterminal may miss one
SIGNS = frozenset("()|,")


@dataclass(frozen=True)
class Rule:
    """One rule: with this probability, the symbol on the left becomes those on the right."""

    left: str
    right: tuple[str, ...]
    probability: float

    def __post_init__(self) -> None:
        if isinstance(self.right, str):
            raise ShapeError(f"the right-hand side must be a tuple of symbols, got {self.right!r}")
        object.__setattr__(self, "right", tuple(self.right))
        if not PLAIN.match(self.left):
            raise RangeError(f"a nonterminal is a plain name such as E, got {self.left!r}")
        if not self.right:
            raise RangeError(f"rule {str(self)!r} has an empty right-hand side; leave it out")
        if not 0 < self.probability <= 1:
            raise RangeError(
                f"rule {str(self)!r} needs a probability above 0 and at most 1; "
                "leave out what never happens"
            )

    def __str__(self) -> str:
        return f"{self.left} -> {' '.join(self.right)} [{self.probability!r}]"


@dataclass(frozen=True)
class Grammar:
    """A probabilistic context-free grammar of expressions.

    Parameters
    ----------
    rules : tuple of Rule
        At least one for each nonterminal, with probabilities that sum to one.
    start : str
        The nonterminal from which words are derived; the first rule's if empty.

    Raises
    ------
    RangeError
        Probabilities that do not sum to one, a symbol that is never reached or from which no word
        can be derived, or a terminal that is no token of an expression.

    Examples
    --------
    >>> grammar = Grammar([Rule("E", ("E", "+", "x"), 0.25), Rule("E", ("x",), 0.75)])
    >>> grammar.terminals, round(grammar.expected_length, 3)
    (('+', 'x'), 1.667)
    """

    rules: tuple[Rule, ...]
    start: str = ""

    def __post_init__(self) -> None:
        object.__setattr__(self, "rules", tuple(self.rules))
        if not self.rules:
            raise RangeError("a grammar needs at least one rule, such as E -> x [1]")
        object.__setattr__(self, "start", self.start or self.rules[0].left)
        NONTERMINALS.check(len(self.by_left))
        if self.start not in self.by_left:
            raise RangeError(f"the start symbol {self.start!r} has no rules")
        self._check_probabilities()
        self._check_terminals()
        self._check_reachable()

    @cached_property
    def by_left(self) -> dict[str, tuple[Rule, ...]]:
        """The rules of each nonterminal."""
        rules_of: dict[str, list[Rule]] = {}
        for rule in self.rules:
            rules_of.setdefault(rule.left, []).append(rule)
        return {left: tuple(rules) for left, rules in rules_of.items()}

    @cached_property
    def nonterminals(self) -> tuple[str, ...]:
        """The symbols that have rules, the start symbol first."""
        return tuple(dict.fromkeys([self.start, *self.by_left]))

    @cached_property
    def terminals(self) -> tuple[str, ...]:
        """The tokens that words are made of, in order of appearance."""
        symbols = dict.fromkeys(symbol for rule in self.rules for symbol in rule.right)
        return tuple(symbol for symbol in symbols if symbol not in self.by_left)

    @cached_property
    def shortest(self) -> dict[str, float]:
        """Length of the shortest word of each nonterminal; infinite if it has none."""
        # The least fixed point, from above: lengths only fall, so the rounds end. What stays
        # infinite has no rule that ends.
        lengths = dict.fromkeys(self.by_left, math.inf)
        while True:
            shorter = {
                left: min(sum(lengths.get(s, 1) for s in rule.right) for rule in rules)
                for left, rules in self.by_left.items()
            }
            if shorter == lengths:
                return shorter
            lengths = shorter

    @cached_property
    def growth(self) -> float:
        """Spectral radius of the matrix of mean numbers of nonterminals that a nonterminal becomes.

        Below one, derivations end and words have a finite expected length.
        """
        return float(max(abs(np.linalg.eigvals(self._means))))

    @cached_property
    def expected_length(self) -> float:
        """Mean number of tokens of a word; infinite unless ``growth`` is below one."""
        # Eigenvalues are rounded, and at 1 the system below is singular.
        if self.growth >= 1 - 1e-9:
            return math.inf
        places = self._places
        ends = np.zeros(len(places))
        for rule in self.rules:
            n_ends = sum(symbol not in places for symbol in rule.right)
            ends[places[rule.left]] += rule.probability * n_ends
        # Tokens of a word: a rule's own, and those of its nonterminals' words: L = ends + M L.
        return float(np.linalg.solve(np.eye(len(places)) - self._means, ends)[0])

    @property
    def _places(self) -> dict[str, int]:
        return {left: place for place, left in enumerate(self.nonterminals)}

    @cached_property
    def _means(self) -> Floats:
        places = self._places
        means = np.zeros((len(places), len(places)))
        for rule in self.rules:
            for symbol in rule.right:
                if symbol in places:
                    # M[i, j]: how many j an i becomes on average.
                    means[places[rule.left], places[symbol]] += rule.probability
        return means

    def _check_probabilities(self) -> None:
        """The probabilities of each nonterminal sum to one."""
        for left, rules in self.by_left.items():
            total = math.fsum(rule.probability for rule in rules)
            if abs(total - 1) > TOLERANCE:
                raise RangeError(
                    f"the probabilities of {left} must sum to 1, they sum to {total:.9g}"
                )

    def _check_terminals(self) -> None:
        for token in self.terminals:
            if not (NUMBER.match(token) or token in BY_NAME or token in SIGNS or _is_name(token)):
                raise RangeError(
                    f"terminal {token!r} is no token of an expression; terminals are names, "
                    "numbers, operators and brackets, nonterminals here are "
                    f"{', '.join(self.nonterminals)}"
                )

    def _check_reachable(self) -> None:
        """Each nonterminal has words, and is met on the way from the start."""
        for left in self.by_left:
            if math.isinf(self.shortest[left]):
                raise RangeError(
                    f"no word can be derived from {left}: each of its rules leads back to it; "
                    "add a rule that ends"
                )
        reached, waiting = {self.start}, [self.start]
        while waiting:
            for rule in self.by_left[waiting.pop()]:
                new = {symbol for symbol in rule.right if symbol in self.by_left} - reached
                reached |= new
                waiting += new
        for left in self.nonterminals:
            if left not in reached:
                raise RangeError(f"{left} is never reached from {self.start}; remove its rules")

    def __str__(self) -> str:
        from symbed.workbench.grammar.text_format import write_grammar

        return write_grammar(self)

    def __repr__(self) -> str:
        return (
            f"Grammar({len(self.nonterminals)} nonterminals, {len(self.rules)} rules, "
            f"expected length {self.expected_length:.4g})"
        )


def _is_name(token: str) -> bool:
    try:
        clean_name(token)
    except SymbedError:
        return False
    return True

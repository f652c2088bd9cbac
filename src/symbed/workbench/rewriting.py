"""Spelling an expression differently without changing what it means.

The paper's generator: one to four rounds; in each, every node is visited from the leaves up and
changed with probability 1/2 by a law chosen at random among those that hold there. Groups of
equivalents are made of the paper's sixteen base expressions.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import Any, NamedTuple, TypeVar

import numpy as np

from symbed._types import Floats, Seed
from symbed.engine.reference.syntax import Choices, choices, derive, draws, read_word
from symbed.engine.structures.requests import ReaderTables
from symbed.errors import RangeError
from symbed.language.expression import ANONYMOUS, Expression, Postfix, apply, fold
from symbed.language.parser import parse
from symbed.progress import Progress, Shown
from symbed.sampling.counter_rng import hashes, uniforms
from symbed.sampling.validation import checked_seed
from symbed.workbench._identities import BY_ROOT, IDENTITIES, Interval, Transformation, bounds
from symbed.workbench.evaluation import evaluate
from symbed.workbench.grammar.sampling import SCALE, tabulate, tabulate_reader
from symbed.workbench.grammar.text_format import named_grammar, variable_names
from symbed.workbench.parametrization import name_parameters

Ranges = tuple[float, float] | Mapping[str, tuple[float, float]]
T = TypeVar("T")

MAX_ROUNDS = 4
# Chances in one visit, as the paper has them: that a node is changed, that a 0 or 1 is, and that
# anything receives + 0 or * 1.
NODE_CHANCE, CONSTANT_CHANCE, IDENTITY_CHANCE = 0.5, 0.4, 0.04
MAX_TRIES = 10_000  # in a row, without a new expression
STREAM = 0x65717569  # separates these random numbers from others of the same seed

# Laws are exact and arithmetic is not: sqrt(cos(pi/2)) is a small number, not 0. Who rewrites by
# laws alone hands out such expressions; comparing numbers at random points catches them.
N_POINTS = 16
TOLERANCE = 1e-9  # relative to outputs, or to 1 where they are smaller
NO_VARIABLE = "_"  # the column of points for expressions without variables
POINT_STREAM = 0x7769746E  # as above, for points and values of parameters

N_VARIABLES = 2  # of the paper's groups: made-up subtrees may use both, also where the base has one
SUBTREE_DRAWS = 1_000  # of a made-up subtree, until one suits
SUBTREE_NODES = 5  # larger ones are drawn again
SUBTREE_TOKENS = 3 * SUBTREE_NODES  # a node takes at most three: a name and two brackets
SUBTREE_RULES = 1_000  # in one derivation, before it counts as too large


def equivalents(
    expression: str | Expression,
    n: int,
    *,
    seed: Seed = 0,
    variables: int | Sequence[str] | None = None,
    domain: Ranges = (1.0, 5.0),
    parameters: Ranges = (0.2, 5.0),
    named: bool = False,
    progress: Shown = None,
) -> list[Expression]:
    """Expressions that are spelled differently and behave the same.

    Parameters
    ----------
    expression : str or Expression
        Where to start from.
    n : int
        How many; all are distinct, also from ``expression``.
    seed : int or numpy Generator
        The same seed gives the same expressions; fewer of them are the first of more.
    variables : int or sequence of str, optional
        Names, or a number for X_0, X_1 and so on, that made-up subtrees such as the A of ``A - A``
        may use; None takes the variables of the expression.
    domain, parameters : (float, float) or mapping from str to (float, float)
        Ranges of the variables and of the parameters, for all or by name. A law that holds under
        conditions, such as log A + log B = log(A*B), is applied only where these ranges prove it.
    named : bool
        Give each anonymous ``C`` a name of its own, the same in all results, so that one parameter
        vector serves them all.
    progress : bool or callable, optional
        None shows a bar in terminals and notebooks, True always, False never; a callable is called
        with the number of equivalents so far.

    Raises
    ------
    RangeError
        There seem to be no more equivalents.

    Examples
    --------
    >>> for equivalent in equivalents("C*sin(X_0)", 4)[1:]:
    ...     print(equivalent)
    C*cos(X_0 - pi/2)
    (C + 0)*cos(X_0 - pi/2)
    C*sin(X_0 - pi*2^-1 + pi/2)
    """
    rewriter = Rewriter(
        expression, seed=seed, variables=variables, domain=domain, parameters=parameters
    )
    return rewriter.take(n, named=named, progress=progress)


class Rewriter:
    """Makes equivalents of one expression, as many as are asked for, one after the other.

    Parameters
    ----------
    expression, seed, variables, domain, parameters : as in ``equivalents``
        What to rewrite, and where its laws must hold.
    stream : int
        Separates several expressions that are rewritten with the same seed.
    max_tries : int
        Tries in a row that may bring nothing new before it gives up.

    Attributes
    ----------
    taken : list of Expression
        The expressions given out so far.
    counts : Counter
        How often each row of the table was applied in them.
    n_rejected : int
        Expressions that were not given out because their values differ: laws are exact, arithmetic
        is not, and ``sqrt(cos(pi/2))`` is no 0.
    """

    def __init__(
        self,
        expression: str | Expression,
        *,
        seed: Seed = 0,
        stream: int = 0,
        variables: int | Sequence[str] | None = None,
        domain: Ranges = (1.0, 5.0),
        parameters: Ranges = (0.2, 5.0),
        max_tries: int = MAX_TRIES,
    ) -> None:
        names = None if variables is None else variable_names(variables)
        read = parse(expression, names) if isinstance(expression, str) else expression
        self.variables = names if names is not None else read.variables
        self.declared = names if names is not None else read.declared
        named, self._anonymous = name_parameters(read)
        self.postfix = named.postfix
        self.parameters = frozenset(named.names).difference(self.variables)
        # Sorted, because the order of a set changes from run to run, and ``NumericalAgreement``
        # numbers its random values by the order of these ranges.
        self.ranges = {
            **_ranges(self.variables, domain, "domain"),
            **_ranges(sorted(self.parameters), parameters, "parameters"),
        }
        self.taken: list[Expression] = []
        self.counts: Counter[Transformation] = Counter()
        self.n_rejected = 0
        self.max_tries = max_tries
        self._origin = int(hashes(1, checked_seed(seed), STREAM, stream)[0])
        self._seen = {self._shown(self.postfix, named=False)}
        self._attempt = 0
        self._numbers = draws(self._origin, 0)  # random integers below 2^53
        self._agreement = NumericalAgreement(self.base(named=True), self.variables, self.ranges)

    def base(self, named: bool = False) -> Expression:
        """The expression itself."""
        return self._shown(self.postfix, named)

    def take(self, n: int, *, named: bool = False, progress: Shown = None) -> list[Expression]:
        """The next ``n`` equivalents."""
        if not isinstance(n, int) or n < 0:
            raise RangeError(f"n must be a whole number from 0 on, got {n!r}")
        first = len(self.taken)
        with Progress("equivalents", n, progress) as bar:
            for _ in range(n):
                self.taken.append(self._next(named))
                bar.advance()
        return self.taken[first:]

    def to_dict(self, named: bool = False) -> dict[str, Any]:
        """The expression, what was given out so far and by which laws, ready for JSON."""
        counted = self.counts.most_common()
        return {
            "expression": str(self.base(named)),
            "equivalents": [str(one) for one in self.taken],
            "transformations": {f"{row.law}: {row}": count for row, count in counted},
        }

    def _next(self, named: bool) -> Expression:
        for _ in range(self.max_tries):
            tree, applied = self._rewritten()
            # Told apart without the names of C's: C_0*C_1 and C_1*C_0 both read C*C.
            plain = self._shown(tree, named=False)
            if plain in self._seen:
                continue
            self._seen.add(plain)
            if self._agreement.holds_for(self._shown(tree, named=True)):
                self.counts.update(applied)
                return self._shown(tree, named)
            self.n_rejected += 1
        raise RangeError(
            # ``_seen`` also holds the base, and what was rejected.
            f"only {len(self._seen) - 1 - self.n_rejected} equivalents of {str(self.base())!r} "
            f"found, and none in the last {self.max_tries:,} tries; ask for fewer"
        )

    def _rewritten(self) -> tuple[Postfix, list[Transformation]]:
        """One equivalent, perhaps a known one, and the rows that led to it."""
        # Numbers of its own for each attempt, so that fewer equivalents are the first of more.
        self._numbers = draws(self._origin, self._attempt)
        self._attempt += 1
        tree, applied = self.postfix, list[Transformation]()
        for _ in range(self._choice(range(1, MAX_ROUNDS + 1))):
            tree = fold(
                tree,
                lambda item: self._visit((item,), applied),
                lambda row, below: self._visit(apply(row, below), applied),
            )
        return tree, applied

    def _visit(self, tree: Postfix, applied: list[Transformation]) -> Postfix:
        """One node, its operands already visited."""
        chance = CONSTANT_CHANCE if tree in ((0.0,), (1.0,)) else NODE_CHANCE
        if self._happens(chance):
            tree = self._transform(tree, applied)
        if self._happens(IDENTITY_CHANCE):
            identity = self._choice(IDENTITIES)
            applied.append(identity)
            tree = identity.apply({"A": tree}, self)
        return tree

    def _transform(self, tree: Postfix, applied: list[Transformation]) -> Postfix:
        """Apply a law that holds: first the law is chosen, then one of its rows."""
        fitting: dict[str, list[tuple[Transformation, dict[str, Postfix]]]] = {}
        for row in BY_ROOT.get(tree[-1], ()):
            bindings = row.bind(tree, self)
            if bindings is not None:
                fitting.setdefault(row.law, []).append((row, bindings))
        if not fitting:
            return tree
        # In two steps, or a law with many rows, as power expansion, would be taken more often.
        row, bindings = self._choice(self._choice(list(fitting.values())))
        applied.append(row)
        return row.apply(bindings, self)

    def invent(self, suits: Callable[[Interval], bool]) -> Postfix:
        """A random subtree without parameters whose bounds suit."""
        table, reader = _subtree_tables(self.variables)
        for _ in range(SUBTREE_DRAWS):
            word, _ = derive(table, self._numbers, longest=SUBTREE_TOKENS, steps=SUBTREE_RULES)
            sequence = None if word is None else read_word(reader, word)
            if sequence is not None and len(sequence) <= SUBTREE_NODES:
                tree = tuple(reader.items[item] for item in sequence)
                if suits(bounds(tree, self.ranges)):
                    return tree
        return (1.0,)  # a subtree that suits wherever one does

    def _happens(self, probability: float) -> bool:
        return next(self._numbers) < probability * SCALE

    def _choice(self, options: Sequence[T]) -> T:
        # In integers, the same on every machine.
        return options[next(self._numbers) * len(options) // SCALE]

    def _shown(self, tree: Postfix, named: bool) -> Expression:
        if not named:
            tree = tuple(ANONYMOUS if item in self._anonymous else item for item in tree)
        return Expression.unchecked(tree, self.declared)


def _ranges(names: Sequence[str], ranges: Ranges, what: str) -> dict[str, Interval]:
    if not isinstance(ranges, Mapping):
        return dict.fromkeys(names, _checked(ranges, what))
    for name in names:
        if name not in ranges:
            raise RangeError(f"{what} has no range for {name!r}; add it")
    return {name: _checked(ranges[name], f"{what} of {name!r}") for name in names}


def _checked(ends: tuple[float, float], what: str) -> Interval:
    low, high = ends
    if not -math.inf < low < high < math.inf:
        raise RangeError(f"{what} needs finite low < high, got ({low}, {high})")
    return float(low), float(high)


@lru_cache(maxsize=64)
def _subtree_tables(variables: tuple[str, ...]) -> tuple[Choices, ReaderTables]:
    grammar = named_grammar("paper-without-parameters", variables)
    return choices(tabulate(grammar)), tabulate_reader(grammar.terminals)


class NumericalAgreement:
    """Compares others with an expression, at random points and one random parameter vector.

    Its parameters have names; ``ranges`` are those of the variables and of the parameters.
    """

    def __init__(
        self, expression: Expression, variables: Sequence[str], ranges: Mapping[str, Interval]
    ) -> None:
        self._variables = tuple(variables) or (NO_VARIABLE,)
        all_ranges = {NO_VARIABLE: (0.0, 1.0), **ranges}
        self._values = {
            name: low + (high - low) * uniforms(N_POINTS, 0, POINT_STREAM, number)
            for number, (name, (low, high)) in enumerate(all_ranges.items())
        }
        self._points = np.stack([self._values[name] for name in self._variables], axis=1)
        self._expected = self._outputs(expression)

    def holds_for(self, expression: Expression) -> bool:
        """Whether the outputs are the same, undefined ones included."""
        outputs, expected = self._outputs(expression), self._expected
        defined = np.isfinite(expected)
        if not np.array_equal(np.isfinite(outputs), defined):
            return False
        scale = np.maximum(1.0, np.abs(expected[defined]))
        return bool(np.all(np.abs(outputs[defined] - expected[defined]) <= TOLERANCE * scale))

    def _outputs(self, expression: Expression) -> Floats:
        expression = expression.with_variables(self._variables)
        # One parameter vector for all points: of a parameter's numbers the first is used.
        values = [float(self._values[name][0]) for name in expression.parameters]
        return evaluate(expression, self._points, self._variables, values)


class BaseExpression(NamedTuple):
    """One of the paper's sixteen base expressions, and the form that it is listed under there."""

    form: str
    text: str


BASE_GROUPS = (
    BaseExpression("constant", "C"),
    BaseExpression("linear", "C*X_0"),
    BaseExpression("linear", "C*X_1"),
    BaseExpression("linear", "C + C*X_1"),
    BaseExpression("linear", "C + C*X_0 + C*X_1"),
    BaseExpression("quadratic", "C*X_0^2"),
    BaseExpression("quadratic", "C + C*X_0*X_1"),
    BaseExpression("quadratic", "C*X_0^2 + C*X_1^2"),
    BaseExpression("trigonometric", "C*sin(X_0)"),
    BaseExpression("trigonometric", "cos(C*X_1)"),
    BaseExpression("trigonometric", "C*sin(X_0) + C*cos(X_1)"),
    BaseExpression("square root", "sqrt(C*X_0)"),
    BaseExpression("square root", "C + sqrt(X_0 + X_1)"),
    BaseExpression("logarithmic", "C*ln(X_0)"),
    BaseExpression("logarithmic", "ln(X_1 + C)"),
    BaseExpression("logarithmic", "C*ln(X_0*X_1)"),
)


class EquivalentGroup(NamedTuple):
    """Equivalent expressions: the paper's form, the base, and the members, base first."""

    form: str
    base: Expression
    members: list[Expression]


def equivalent_groups(
    n_per_group: int = 10, *, seed: Seed = 0, named: bool = False, progress: Shown = None
) -> list[EquivalentGroup]:
    """The paper's sixteen groups of equivalent expressions.

    Parameters
    ----------
    n_per_group : int
        Members of each group, the base included.
    seed : int or numpy Generator
        The same seed gives the same expressions.
    named : bool
        Whether each anonymous ``C`` gets a name of its own, see ``equivalents``.
    progress : bool or callable, optional
        None shows a bar in terminals and notebooks, True always, False never; a callable is called
        with the number of groups so far.

    Returns
    -------
    list of EquivalentGroup
        One for each row of ``BASE_GROUPS``.

    Examples
    --------
    >>> groups = equivalent_groups(3)
    >>> len(groups), groups[1].form, [str(e) for e in groups[1].members]
    (16, 'linear', ['C*X_0', 'X_0*sin(0 + pi/2)*C', 'X_0*C'])
    """
    seed = checked_seed(seed)
    groups = []
    with Progress("groups", len(BASE_GROUPS), progress) as bar:
        for number, base in enumerate(BASE_GROUPS):
            rewriter = Rewriter(base.text, seed=seed, stream=number, variables=N_VARIABLES)
            others = rewriter.take(n_per_group - 1, named=named, progress=False)
            members = [rewriter.base(named), *others]
            groups.append(EquivalentGroup(base.form, members[0], members))
            bar.advance()
    return groups

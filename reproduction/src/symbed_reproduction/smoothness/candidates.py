"""The random candidates of a data set, read and compiled, and their labels: errors after fitting.

They are drawn from the paper's grammar with as many variables as the data set has, at most 40
tokens long, and no token sequence comes twice: ``X_0`` and ``(X_0)`` are two candidates. Parameters
are fitted by Levenberg and Marquardt's method inside of [-5, 5], from the best of many random
places; the error of an invalid candidate is infinite.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from symbed._types import Floats, Integers
from symbed.engine.backend import active_backend
from symbed.engine.packed_programs import PackedPrograms
from symbed.engine.program import Binding
from symbed.engine.structures.observations import Observation
from symbed.engine.structures.requests import FitResults, Trees
from symbed.language.expression import Expression, arity
from symbed.language.parser import parse
from symbed.sampling.counter_rng import hashes, uniforms
from symbed.sampling.probe import Probe
from symbed.sampling.ranges import Law
from symbed.workbench import Dataset, Grammar, Sample, paper_grammar, sample
from symbed.workbench.fit_problem import START_KEY, Bounds, FitData
from symbed.workbench.fitting import Fitter, cuts
from symbed.workbench.grammar.sampling import tabulate_reader
from symbed.workbench.token_sequences import tokens_of

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


MAX_PARAMETERS = 8  # candidates with more get no label, as in the published experiment
LARGEST = 1e20  # errors above it count as undefined
ROUNDING = 1e-12  # of the target's size; errors below it are perfect fits
# From how many of the places to go down: with no, one, two, and more parameters. With one parameter
# two of 128 places find what eight find, but for one program in five hundred.
DESCENTS = (1, 2, 4, 8)
MAX_ITERATIONS = 100
BLOCK = 512  # programs between two looks at the keyboard


@dataclass(frozen=True, eq=False)
class Labels:
    """The errors of candidates, and the parameters that give them.

    Attributes
    ----------
    rmse : ndarray
        (n_candidates,) root mean squared errors, infinite for invalid candidates.
    values : ndarray
        The fitted parameters of the distinct programs that have any, by slot.
    cuts : ndarray of int
        Where the values of each program begin.
    """

    rmse: Floats
    values: Floats
    cuts: Integers

    @property
    def valid(self) -> NDArray[np.bool_]:
        """Which candidates have a finite error."""
        return np.isfinite(self.rmse)


def label_candidates(candidates: Candidates, data: FitData, n_places: int, seed: int) -> Labels:
    """Fit all candidates; what is equal up to commutativity is fitted once."""
    fixed = fit_programs(candidates.fixed, data, n_places, seed)
    varied = fit_programs(candidates.varied, data, n_places, seed)
    rmse = candidates.spread(fixed.rmse, varied.rmse)
    rmse[~(rmse <= LARGEST)] = np.inf
    # Whether a perfect fit ends at 1e-16 or 3e-16 is rounding and must not decide a rank.
    rmse[rmse <= ROUNDING * float(np.sqrt(np.mean(data.y**2)))] = 0.0
    return Labels(rmse, varied.values, varied.cuts)


def fit_programs(programs: PackedPrograms, data: FitData, n_places: int, seed: int) -> Labels:
    """Fit programs from the best of ``n_places`` random places."""
    starts = Bounds(PARAMETERS).starts(n_places, MAX_PARAMETERS, seed)
    counts = programs.n_parameters
    ends = cuts(np.where(counts <= MAX_PARAMETERS, counts, 0).tolist())
    rmse, values = np.full(len(programs), np.inf), np.empty(ends[-1])
    kinds = np.where(counts <= MAX_PARAMETERS, np.minimum(counts, len(DESCENTS) - 1), -1)
    for kind, n_descents in enumerate(DESCENTS):
        rows = np.flatnonzero(kinds == kind)
        for first in range(0, len(rows), BLOCK):
            some = rows[first : first + BLOCK]
            fits = descend(programs.take(some), data, starts, min(n_descents, n_places))
            rmse[some] = fits.errors[:, 0]
            values[_spans(ends, some)] = fits.values
    return Labels(rmse, values, ends)


def fit_from_one(programs: PackedPrograms, data: FitData, seed: int) -> Floats:
    """The errors of fits that begin at one random place, another one for each program."""
    keys = hashes(len(programs), seed, START_KEY).tolist()
    errors = []
    for k, key in enumerate(keys):
        # The first start is always the same, the second is random.
        starts = Bounds(PARAMETERS).starts(2, int(programs.n_parameters[k]), key)[:, 1:]
        errors.append(descend(programs[k : k + 1], data, starts, 1).errors[0, 0])
    return np.array(errors)


def descend(programs: PackedPrograms, data: FitData, starts: Floats, n_descents: int) -> FitResults:
    """Fit programs from the best of some starts."""
    return Fitter(data, Bounds(PARAMETERS), starts, n_descents, MAX_ITERATIONS).fit(programs)


def _spans(ends: Integers, rows: Integers) -> Integers:
    """The places of some rows in a flat array, one row after the other."""
    lengths = ends[rows + 1] - ends[rows]
    before = np.cumsum(lengths) - lengths
    spans: Integers = np.arange(lengths.sum()) + np.repeat(ends[rows] - before, lengths)
    return spans


def draw_starts(labels: Labels, seed: int) -> Labels:
    """The same with random values in the place of the fitted parameters: where one fit begins."""
    units = uniforms(int(labels.cuts[-1]), seed, START_KEY)
    return replace(labels, values=Law.of(PARAMETERS).at(units))


def is_defined(
    candidates: Candidates, labels: Labels, rows: Integers, points: Floats
) -> NDArray[np.bool_]:
    """Whether some rows of the candidates, with these parameters, are defined at all points.

    Those without a label for too many parameters count as undefined.
    """
    inputs, defined = np.ascontiguousarray(points.T), np.zeros(len(rows), np.bool_)
    places = candidates.places[rows]
    labeled = np.diff(labels.cuts) > 0
    fixed = np.flatnonzero(places >= 0)
    varied = np.flatnonzero(places < 0)
    varied = varied[labeled[-1 - places[varied]]]
    for programs, here, numbers in (
        (candidates.fixed, fixed, places[fixed]),
        (candidates.varied, varied, -1 - places[varied]),
    ):
        known, which = np.unique(numbers, return_inverse=True)
        defined[here] = _defined(programs.take(known), labels, known, inputs)[which]
    return defined


def _defined(
    programs: PackedPrograms, labels: Labels, rows: Integers, inputs: Floats
) -> NDArray[np.bool_]:
    """Evaluate programs, some at a time, each with parameters of its own."""
    everywhere = np.empty(len(programs), np.bool_)
    n_columns = int(programs.n_parameters.max(initial=0))
    # Room behind the last program: the engine looks at as many columns for each.
    columns = np.concatenate([labels.values, np.zeros(n_columns)])[:, None, None]
    bases = labels.cuts[rows] if n_columns else np.zeros(len(rows), np.int64)
    size = max(1, (1 << 20) // inputs.shape[1])
    for first in range(0, len(programs), size):
        some = programs[first : first + size]
        outputs = np.empty((len(some), 1, inputs.shape[1]))
        defined = np.empty((len(some), inputs.shape[1]), np.int32)
        observation = Observation(
            some.words, some.starts, inputs, columns, bases[first : first + size], n_columns, 1
        )
        active_backend().observe(observation, outputs, defined)
        everywhere[first : first + size] = defined.all(axis=1)
    return everywhere

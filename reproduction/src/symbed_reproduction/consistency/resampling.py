"""Distance matrices of some expressions under fresh samples of points and draws.

Under the paper's design every expression has draws of its own; under ours all share them. The
paper's points are Latin hypercubes of low discrepancy, made here for many seeds at once:
``Probe.paper`` looks at one set alone, which costs a third of a second for 128 points; here each
step serves all sets, in a seventh of it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from symbed._types import Floats, Integers
from symbed.behavior.observation import Observer
from symbed.engine.backend import active_backend
from symbed.engine.packed_programs import PackedPrograms
from symbed.engine.program import Program
from symbed.engine.structures.observations import Observation, Wasserstein
from symbed.language.expression import Expression
from symbed.sampling.counter_rng import uniforms
from symbed.sampling.designs import SWAPS, named
from symbed.sampling.discrepancy import ALL_SWAPS, GAIN, VAIN_SWAPS
from symbed.sampling.probe import POINTS_STREAM, Probe
from symbed.sampling.ranges import Law
from symbed_reproduction.consistency.expression_sets import RANGE, domain_of

OURS, PAPER = "lattice", "paper"  # names of designs
ORDER, PLACE = 1, 2  # what a random number is for
STREAM = 0x73697474  # separates these random numbers from others of the same seed


class SampleKey(NamedTuple):
    """Which points and which draws: two numbers, from which both follow."""

    points: int
    draws: int


class Resampler:
    """Where some expressions are compared again and again.

    Parameters
    ----------
    expressions : sequence of Expression
        What is compared.
    n_variables : int
        How many variables there are.
    design : str
        The design of points and draws, ``"paper"`` or ours.
    n_points : int
        Number of points in a sample.
    n_samples : int
        How many sets of points there are.
    limit : float
        Outputs of larger magnitude are undefined.
    """

    def __init__(
        self,
        expressions: Sequence[Expression],
        n_variables: int,
        design: str,
        n_points: int,
        n_samples: int,
        limit: float = np.inf,
    ) -> None:
        self.design, self.n_points, self.n_variables = design, n_points, n_variables
        self.limit = limit
        self._inputs = (
            _paper_inputs(range(n_samples), n_points, n_variables) if design == PAPER else None
        )
        observer = Observer(self._probe(SampleKey(0, 0), 2))
        programs = [observer.roles.compile(expression) for expression in expressions]
        self._fixed, self._varied = _Group.of(programs, False), _Group.of(programs, True)

    def matrix(self, sample: SampleKey, n_draws: int) -> Floats:
        """All distances between the expressions in one sample; 0 on the diagonal."""
        fixed, varied = (
            self._fixed.outputs(1, self.n_points),
            self._varied.outputs(n_draws, self.n_points),
        )
        if self._inputs is None:
            observer = Observer(self._probe(sample, n_draws))
            observer.evaluate(self._fixed.programs, fixed)
            observer.evaluate(self._varied.programs, varied)
        else:
            inputs = self._inputs[sample.points]
            draws = self.draws(self._varied.rows, self._varied.programs, n_draws, sample)
            _evaluate_fresh(self._fixed.programs, inputs, np.empty((0, 1)), self.limit, *fixed)
            _evaluate_fresh(self._varied.programs, inputs, draws, self.limit, *varied)
        return self._distances(fixed, varied)

    def draws(
        self, rows: NDArray[np.int64], programs: PackedPrograms, n_draws: int, sample: SampleKey
    ) -> Floats:
        """The paper's way: a Latin hypercube of its own for each expression, one for all points.

        ``rows`` are the numbers of the expressions that have parameters, ``programs`` theirs; gives
        (parameters of all programs, n_draws).
        """
        return latin_columns(int(programs.n_parameters.sum()), n_draws, sample)

    def _probe(self, sample: SampleKey, n_draws: int) -> Probe:
        return Probe(
            domain_of(self.n_variables),
            RANGE,
            n_points=self.n_points,
            n_draws=n_draws,
            design=self.design,
            limit=self.limit,
            seed=sample.points,
            redraw=sample.draws,
        )

    def _distances(
        self, fixed: tuple[Floats, NDArray[np.int32]], varied: tuple[Floats, NDArray[np.int32]]
    ) -> Floats:
        n = len(self._fixed.rows) + len(self._varied.rows)
        distances = np.zeros((n, n))
        groups = ((self._fixed.rows, fixed), (self._varied.rows, varied))
        for k, (rows, a) in enumerate(groups):
            for columns, b in groups[k:]:
                block = active_backend().cross(a, b, Wasserstein())
                distances[np.ix_(rows, columns)] = block
                distances[np.ix_(columns, rows)] = block.T
        np.fill_diagonal(distances, 0.0)
        return distances


class _Group:
    """The expressions with parameters, or those without; each kind is evaluated together."""

    def __init__(self, rows: NDArray[np.int64], programs: PackedPrograms) -> None:
        self.rows, self.programs = rows, programs
        self._kept: dict[int, tuple[Floats, NDArray[np.int32]]] = {}

    @classmethod
    def of(cls, programs: Sequence[Program], varied: bool) -> _Group:
        rows = [k for k, program in enumerate(programs) if (program.n_parameters > 0) == varied]
        return cls(np.array(rows, np.int64), PackedPrograms.of([programs[k] for k in rows]))

    def outputs(self, n_draws: int, n_points: int) -> tuple[Floats, NDArray[np.int32]]:
        """Memory for their outputs, the same at every call: touching new memory costs more."""
        if n_draws not in self._kept:
            count = len(self.rows)
            self._kept = {
                n_draws: (
                    np.empty((count, n_draws, n_points)), np.empty((count, n_points), np.int32)
                )
            }  # fmt: skip
        return self._kept[n_draws]


def _paper_inputs(seeds: range, n_points: int, n_variables: int) -> Floats:
    """(seeds, n_variables, n_points)."""
    units = paper_points(seeds, n_points, n_variables)
    return np.ascontiguousarray(Law.of(RANGE).at(units).transpose(0, 2, 1))


def _evaluate_fresh(
    programs: PackedPrograms,
    inputs: Floats,
    draws: Floats,
    limit: float,
    values: Floats,
    defined: NDArray[np.int32],
) -> None:
    """Evaluate programs of which each has draws of its own."""
    if not len(programs):
        return
    counts = programs.n_parameters.astype(np.int64)
    bases = np.cumsum(counts) - counts
    observation = Observation(
        programs.words, programs.starts, inputs, draws[:, :, None], bases, int(counts.max()),
        values.shape[1], limit,
    )  # fmt: skip
    active_backend().observe(observation, values, defined)


def latin_columns(n_columns: int, n_draws: int, sample: SampleKey) -> Floats:
    """(n_columns, n_draws) draws: in each column one in each cell, in random order."""
    size, key = n_columns * n_draws, (*sample, STREAM, n_draws)
    marks = uniforms(size, *key, ORDER).reshape(n_columns, n_draws)
    places = uniforms(size, *key, PLACE).reshape(n_columns, n_draws)
    return np.asarray(Law.of(RANGE).at((np.argsort(marks, axis=1) + places) / n_draws))


AT_ONCE = 256  # sets; their attempts take 15 MB, their products 32 MB at 128 points


def paper_points(seeds: range, n: int, d: int) -> Floats:
    """(seeds, n, d): the unit points of ``Probe.paper(..., seed=seed)`` for each seed."""
    parts = [seeds[first : first + AT_ONCE] for first in range(0, len(seeds), AT_ONCE)]
    return np.concatenate([_some_points(part, n, d) for part in parts])


def _some_points(seeds: range, n: int, d: int) -> Floats:
    hypercube = named("lhs").points
    points = np.stack([hypercube(n, d, (seed, POINTS_STREAM)) for seed in seeds])
    if n < 2 or d < 2:
        return points
    swaps = np.stack([_swaps(n, d, seed) for seed in seeds])
    return lower_discrepancies(points, swaps)


def lower_discrepancies(points: Floats, swaps: NDArray[np.int16]) -> Floats:
    """The point sets after those of their swaps that lower the centered discrepancy.

    Parameters
    ----------
    points : ndarray
        (sets, n, d) in the unit cube.
    swaps : ndarray of int
        (sets, attempts, 3): column, first row and second row of each attempt, in order. A set is
        finished after 100 vain attempts in a row.
    """
    best = points.copy()
    state = _State(np.arange(len(points)), points - 0.5, swaps)
    for attempt in range(swaps.shape[1]):
        state.attempt(attempt)
        done = state.vain >= VAIN_SWAPS
        if done.any():
            best[state.sets[done]] = state.columns[done].transpose(0, 2, 1) + 0.5
            state.keep(~done)
        if not len(state.sets):
            return best
    best[state.sets] = state.columns.transpose(0, 2, 1) + 0.5
    return best


class _State:
    """The sets that are still being worked on.

    ``products`` has the terms of the discrepancy for all pairs of points. A swap changes one factor
    in two of its rows, so that its gain takes n operations.
    """

    def __init__(self, sets: Integers, centered: Floats, swaps: NDArray[np.int16]) -> None:
        self.sets, self.swaps = sets, swaps
        self.columns = np.ascontiguousarray(centered.transpose(0, 2, 1))  # (sets, d, n)
        self.vain = np.zeros(len(sets), np.int64)
        self.products = np.ones((len(sets), centered.shape[1], centered.shape[1]))
        for column in self.columns.transpose(1, 0, 2):
            self.products *= _factors(column[:, :, None], column[:, None, :])

    def keep(self, some: NDArray[np.bool_]) -> None:
        """Go on with some of the sets."""
        self.sets, self.swaps, self.vain = self.sets[some], self.swaps[some], self.vain[some]
        self.columns, self.products = self.columns[some], self.products[some]

    def attempt(self, number: int) -> None:
        """Make this attempt in all sets, and keep the swaps that lower the discrepancy."""
        column, first, second = self.swaps[:, number].astype(np.int64).T
        every = np.arange(len(self.sets))
        values = self.columns[every, column]
        ratios = _ratios(values, values[every, first], values[every, second])
        rows = self.products[every, first], self.products[every, second]
        good = self._gains(rows, ratios, column, first, second) > GAIN
        self.vain = np.where(good, 0, self.vain + 1)
        if good.any():
            moved = rows[0][good] * ratios[good], rows[1][good] / ratios[good]
            self._accept(every[good], column[good], first[good], second[good], moved)

    def _gains(
        self,
        rows: tuple[Floats, Floats],
        ratios: Floats,
        column: Integers,
        i: Integers,
        j: Integers,
    ) -> Floats:
        """By how much each swap lowers the squared discrepancy."""
        n, every = ratios.shape[1], np.arange(len(ratios))
        change = rows[0] * (1.0 - ratios) + rows[1] * (1.0 - 1.0 / ratios)
        # The two rows' common term is symmetric, and their own terms are counted once.
        change[every, i] = change[every, j] = 0.0
        a, b = self.columns[every, :, i], self.columns[every, :, j]
        swapped_a, swapped_b = a.copy(), b.copy()
        swapped_a[every, column], swapped_b[every, column] = b[every, column], a[every, column]
        own = _own(a) + _own(b) - _own(swapped_a) - _own(swapped_b)
        alone = _alone(a) + _alone(b) - _alone(swapped_a) - _alone(swapped_b)
        return np.asarray((2.0 * change.sum(axis=1) + own) / n**2 - 2.0 * alone / n)

    def _accept(
        self, k: Integers, column: Integers, i: Integers, j: Integers, moved: tuple[Floats, Floats]
    ) -> None:
        common = self.products[k, i, j]
        values = self.columns[k, column, i], self.columns[k, column, j]
        self.columns[k, column, i], self.columns[k, column, j] = values[1], values[0]
        for row, terms in ((i, moved[0]), (j, moved[1])):
            self.products[k, row] = terms
            self.products[k, :, row] = terms
        for row in (i, j):
            self.products[k, row, row] = _own(self.columns[k, :, row])
        self.products[k, i, j] = self.products[k, j, i] = common


def _swaps(n: int, d: int, seed: int) -> NDArray[np.int16]:
    """The attempts that ``Probe.paper`` makes."""
    u = uniforms(3 * ALL_SWAPS, seed, POINTS_STREAM, SWAPS).reshape(ALL_SWAPS, 3)
    return (u * (d, n, n)).astype(np.int16)


def _factors(a: Floats, b: Floats) -> Floats:
    return 1.0 + 0.5 * (np.abs(a) + np.abs(b) - np.abs(a - b))


def _ratios(values: Floats, a: Floats, b: Floats) -> Floats:
    """What the terms of point ``a`` with all others are multiplied by when it moves to ``b``."""
    return _factors(b[:, None], values) / _factors(a[:, None], values)


def _own(rows: Floats) -> Floats:
    return np.asarray(np.multiply.reduce(1.0 + np.abs(rows), axis=1))


def _alone(rows: Floats) -> Floats:
    return np.asarray(np.multiply.reduce(1.0 + 0.5 * np.abs(rows) - 0.5 * rows * rows, axis=1))

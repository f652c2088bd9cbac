"""Distance matrices of some expressions under fresh samples of points and draws.

Under the paper's design every expression has draws of its own; under ours all share them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from symbed._types import Floats
from symbed.behavior.observation import Observer
from symbed.engine.backend import active_backend
from symbed.engine.packed_programs import PackedPrograms
from symbed.engine.program import Program
from symbed.engine.structures.observations import Observation, Wasserstein
from symbed.language.expression import Expression
from symbed.sampling.counter_rng import uniforms
from symbed.sampling.probe import Probe
from symbed.sampling.ranges import Law
from symbed_reproduction.consistency.expression_sets import RANGE, domain_of
from symbed_reproduction.consistency.latin_hypercubes import paper_points

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
            observer.evaluate_into(self._fixed.programs, *fixed)
            observer.evaluate_into(self._varied.programs, *varied)
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

        Parameters
        ----------
        rows : ndarray of int
            The numbers of the expressions that have parameters.
        programs : PackedPrograms
            Their programs.

        Returns
        -------
        ndarray
            The draws, (parameters of all programs, n_draws).
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

"""The labels of candidates: their errors after fitting, infinite where they are invalid.

Parameters are fitted by Levenberg and Marquardt's method inside of [-5, 5], from the best of many
random places.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from symbed._types import Floats, Integers
from symbed.engine.backend import active_backend
from symbed.engine.packed_programs import PackedPrograms
from symbed.engine.structures.observations import Observation
from symbed.engine.structures.requests import FitResults
from symbed.sampling.counter_rng import hashes, uniforms
from symbed.sampling.ranges import Law
from symbed.workbench.fit_problem import START_KEY, Bounds, FitData
from symbed.workbench.fitting import Fitter, cuts
from symbed_reproduction.smoothness.candidates import PARAMETERS, Candidates

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
    """Whether candidates with these parameters are defined at all of some points.

    Parameters
    ----------
    rows : ndarray of int
        The candidates that are asked for; those without a label for too many parameters count as
        undefined.
    points : ndarray
        (n, n_variables).
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

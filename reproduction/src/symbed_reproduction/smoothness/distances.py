"""Distances to the truth: candidates go in; how far each is from the formula comes out.

BED is measured at 64 of the data's points, in each repeat others, with the truth's constants as
they are. The paper's sampling gives every candidate with free parameters draws of its own: a Latin
hypercube, the same for all points. Our default design serves all candidates with the same draws.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from symbed._types import Floats
from symbed.behavior.observation import Observer
from symbed.engine.backend import backend
from symbed.engine.packed_programs import PackedPrograms
from symbed.sampling.counter_rng import permutation
from symbed.sampling.designs import named
from symbed.sampling.probe import Probe
from symbed.sampling.ranges import Law
from symbed.workbench import Dataset
from symbed.workbench.syntax.token_distances import edit_distances, jaro_distances
from symbed.workbench.syntax.tree_edit import distances_of_trees, pack_trees
from symbed_reproduction.smoothness.candidates import PARAMETERS, Candidates

Bed = Callable[[Candidates, Dataset, Floats, int], Floats]

N_POINTS, N_DRAWS = 64, 32
POINTS_KEY, DRAWS_KEY = 0x706F696E, 0x64726177  # keep these random numbers apart from others
BLOCK = 4096  # candidates that have draws at a time


def choose_points(X: Floats, seed: int, repeat: int) -> Floats:
    """The points of one repeat: some rows of the data, at random."""
    return X[permutation(len(X), seed, POINTS_KEY, repeat)[:N_POINTS]]


def bed_by_paper(candidates: Candidates, dataset: Dataset, points: Floats, seed: int) -> Floats:
    """BED to the truth with the paper's sampling."""
    observer, target = _aim(dataset, points, "lhs", seed)
    fixed = observer.sweep(candidates.fixed, target, 1, math.inf)[:, 0]
    with_parameters = np.flatnonzero(candidates.places < 0)
    found = candidates.spread(fixed, np.empty(len(candidates.varied)))
    inputs, n_drawn = np.ascontiguousarray(points.T), 0
    for first in range(0, len(with_parameters), BLOCK):
        rows = with_parameters[first : first + BLOCK]
        some = candidates.varied.take(-1 - candidates.places[rows])
        found[rows] = _sweep_with_own_draws(some, inputs, target, (seed, DRAWS_KEY), n_drawn)
        n_drawn += int(some.n_parameters.sum())
    return found


def bed_by_default(candidates: Candidates, dataset: Dataset, points: Floats, seed: int) -> Floats:
    """BED to the truth with our default design."""
    observer, target = _aim(dataset, points, "lattice", seed)
    parts = (candidates.fixed, candidates.varied)
    fixed, varied = (observer.sweep(part, target, 1, math.inf)[:, 0] for part in parts)
    return candidates.spread(fixed, varied)


def measure_spelling(candidates: Candidates, dataset: Dataset) -> dict[str, Floats]:
    """The syntactic distances to the truth: tokens in infix order with brackets, and trees."""
    truth, words = [dataset.formula.tokens("infix")], candidates.words()
    labels: dict[str, int] = {}
    root = pack_trees([dataset.formula], labels)
    return {
        "edit": edit_distances(truth, words, 1)[0],
        "tree": distances_of_trees(root, candidates.trees(labels), workers=1)[0],
        "jaro": jaro_distances(truth, words, 1)[0],
    }


def _aim(
    dataset: Dataset, points: Floats, design: str, seed: int
) -> tuple[Observer, tuple[Floats, NDArray[np.int32]]]:
    """An observer at the points, and the truth's behavior there."""
    probe = Probe.at(
        points, dataset.variables, parameters=PARAMETERS, n_draws=N_DRAWS, design=design, seed=seed
    )
    observer = Observer(probe)
    return observer, observer.evaluate([observer.row(dataset.formula)])


def _sweep_with_own_draws(
    programs: PackedPrograms,
    inputs: Floats,
    target: tuple[Floats, NDArray[np.int32]],
    key: tuple[int, int],
    n_drawn: int,
) -> Floats:
    """BED to the target, each program with draws of its own; columns are numbered from the first
    candidate on, so that blocks do not matter.
    """
    counts = programs.n_parameters.astype(np.int64)
    n_columns, n_new = int(counts.max()), int(counts.sum())
    numbers = range(n_drawn, n_drawn + n_new)
    units = named("paper").column(N_DRAWS, 0, numbers, key).T
    room = np.zeros((n_columns, N_DRAWS))  # the engine looks at as many columns for each program
    columns = np.concatenate([Law.of(PARAMETERS).at(units), room])[:, :, None]
    found = np.empty((len(programs), 1))
    backend().sweep(
        programs.words, programs.starts, inputs, columns, np.cumsum(counts) - counts, n_columns,
        None, np.zeros(0, np.int64), math.inf, N_DRAWS, *target, 1, math.inf, found,
    )  # fmt: skip
    return found[:, 0]


BEDS: dict[str, Bed] = {"bed": bed_by_paper, "default": bed_by_default}

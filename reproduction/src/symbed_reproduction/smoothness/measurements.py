"""Units of the smoothness experiment: candidates of one data set, ordered by each measure.

``measure_dataset`` draws and labels candidates, orders them by each measure, and keeps the errors
of the nearest valid ones. ``check_labels`` fits some candidates again from other starts.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from symbed._types import Floats, Integers
from symbed.behavior.observation import Observer
from symbed.engine.backend import active_backend
from symbed.engine.packed_programs import PackedPrograms
from symbed.engine.structures.observations import Observation, Wasserstein
from symbed.sampling.counter_rng import hashes, permutation
from symbed.sampling.designs import named
from symbed.sampling.probe import Probe
from symbed.sampling.ranges import Law
from symbed.workbench import Dataset, dataset
from symbed.workbench.fit_problem import FitData
from symbed.workbench.token_sequences import token_distances
from symbed.workbench.tree_edit import distances_of_trees, pack_trees
from symbed_reproduction.core.experiments import Arrays
from symbed_reproduction.smoothness.candidates import (
    MAX_PARAMETERS,
    PARAMETERS,
    Candidates,
    Labels,
    draw_candidates,
    draw_starts,
    fit_from_one,
    fit_programs,
    is_defined,
    label_candidates,
)

Orders = dict[str, list[Integers]]  # for each measure, from near to far, one for each repeat

TIES_KEY = 0x74696573
DATA_SEED = 0


class Sizes(NamedTuple):
    """How large the experiment is.

    Attributes
    ----------
    n_candidates : int
        Number of candidates for each data set.
    n_points : int
        Rows of data that candidates are fitted to and measured on.
    n_dense : int
        Rows of the larger sample, of the published size, on which it is checked whether the nearest
        candidates could be fitted from one random place; the first rows are the data.
    n_repeats : int
        Number of repeats of BED, and of the order among equal syntactic distances.
    n_places : int
        Random places that descents may start from, for each fit.
    n_nearest : int
        How many of the nearest candidates are looked at.
    """

    n_candidates: int
    n_points: int
    n_dense: int
    n_repeats: int
    n_places: int
    n_nearest: int


def measure_dataset(name: str, seed: int, sizes: Sizes) -> Arrays:
    """Everything about one data set.

    Returns
    -------
    mapping from str to ndarray
        For each measure ``rmse_*`` (repeats, n_nearest), errors of the nearest valid candidates;
        ``invalid_*`` (repeats,), how many of the nearest are not; ``unstarted_*``, how many have no
        label if a fit begins at one random place and must be defined there on the larger sample.
        Syntactic measures have one repeat in the order of generation, and as ``*_shuffled`` some
        with equal distances in random order. ``numbers`` describes the data set, see ``NUMBERS``.
    """
    sizes = Sizes(*sizes)
    truth = dataset(name)
    X, y = truth.sample(sizes.n_dense, seed=DATA_SEED)
    data = FitData.of(X[: sizes.n_points], y[: sizes.n_points], truth.variables)
    candidates = draw_candidates(truth, sizes.n_candidates, seed)
    orders = dict(_orders(candidates, truth, data, seed, sizes))
    labels = label_candidates(candidates, data, sizes.n_places, seed)
    orders["optimal"] = [np.argsort(labels.rmse, kind="stable")]
    begun = _begun(candidates, draw_starts(labels, seed), orders, X, sizes.n_nearest)
    arrays = _arrays(labels, orders, begun & (labels.valid | (candidates.places < 0)), sizes)
    return arrays | {"numbers": _numbers(candidates, labels, data)}


NUMBERS = ("candidates", "drawn", "distinct", "with parameters", "over 8 parameters", "valid",
           "best RMSE", "deviation of the target")  # fmt: skip


def check_labels(name: str, seed: int, sizes: Sizes, n_checked: int) -> Arrays:
    """The errors of some candidates with parameters, fitted from two sets of starts.

    Returns
    -------
    mapping from str to ndarray
        ``rmse`` (2, n): from the starts of the experiment and from others; ``single`` (2, n): each
        from one random start, as the published labels.
    """
    sizes = Sizes(*sizes)
    truth = dataset(name)
    X, y = truth.sample(sizes.n_points, seed=DATA_SEED)
    data = FitData.of(X, y, truth.variables)
    varied = draw_candidates(truth, sizes.n_candidates, seed).varied
    rows = np.flatnonzero(varied.n_parameters <= MAX_PARAMETERS)
    order = np.argsort(hashes(len(rows), seed, TIES_KEY), kind="stable")
    some, seeds = varied.take(rows[np.sort(order[:n_checked])]), (seed, ~seed)
    return {
        "rmse": np.stack([fit_programs(some, data, sizes.n_places, s).rmse for s in seeds]),
        "single": np.stack([fit_from_one(some, data, s) for s in seeds]),
    }


def _orders(
    candidates: Candidates, truth: Dataset, data: FitData, seed: int, sizes: Sizes
) -> Iterator[tuple[str, list[Integers]]]:
    """For each measure, the candidates from near to far, once for each repeat."""
    for name, distances in measure_spelling(candidates, truth).items():
        yield name, [np.argsort(distances, kind="stable")]
        shuffles = [hashes(len(distances), seed, TIES_KEY, k) for k in range(sizes.n_repeats)]
        yield f"{name}_shuffled", [np.lexsort((ties, distances)) for ties in shuffles]
    X = np.ascontiguousarray(data.inputs.T)
    for name, bed in BEDS.items():
        orders = []
        for repeat in range(sizes.n_repeats):
            points = choose_points(X, seed, repeat)
            distances = bed(candidates, truth, points, seed * sizes.n_repeats + repeat)
            orders.append(np.argsort(distances, kind="stable"))
        yield name, orders


def _begun(
    candidates: Candidates, starts: Labels, orders: Orders, X: Floats, n_nearest: int
) -> NDArray[np.bool_]:
    """Which of the candidates that are near by any measure are defined at random parameters."""
    near = np.unique(
        np.concatenate([order[:n_nearest] for some in orders.values() for order in some])
    )
    begun = np.zeros(len(candidates), np.bool_)
    begun[near] = is_defined(candidates, starts, near, X)
    return begun


def _arrays(
    labels: Labels, orders: Orders, begun: NDArray[np.bool_], sizes: Sizes
) -> dict[str, NDArray[Any]]:
    """What is kept of the orders."""
    valid, n = labels.valid, sizes.n_nearest
    arrays: dict[str, NDArray[Any]] = {}
    for name, some in orders.items():
        arrays[f"rmse_{name}"] = np.stack([labels.rmse[order[valid[order]][:n]] for order in some])
        for key, good in (("invalid", valid), ("unstarted", begun)):
            counts = [np.count_nonzero(~good[order[:n]]) for order in some]
            arrays[f"{key}_{name}"] = np.array(counts, np.int64)
    return arrays


def _numbers(candidates: Candidates, labels: Labels, data: FitData) -> Floats:
    varied = candidates.varied.n_parameters
    with_parameters = candidates.places < 0
    counts = varied[-1 - candidates.places[with_parameters]]
    return np.array(
        [
            len(candidates),
            candidates.n_drawn,
            len(candidates.fixed) + len(varied),
            np.count_nonzero(with_parameters),
            np.count_nonzero(counts > MAX_PARAMETERS),
            np.count_nonzero(labels.valid),
            labels.rmse.min(),
            float(np.std(data.y)),
        ]
    )


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
    distances = candidates.spread(fixed, np.empty(len(candidates.varied)))
    inputs, n_drawn = np.ascontiguousarray(points.T), 0
    for first in range(0, len(with_parameters), BLOCK):
        rows = with_parameters[first : first + BLOCK]
        some = candidates.varied.take(-1 - candidates.places[rows])
        distances[rows] = _sweep_with_own_draws(some, inputs, target, (seed, DRAWS_KEY), n_drawn)
        n_drawn += int(some.n_parameters.sum())
    return distances


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
        "edit": token_distances("edit", truth, words, 1)[0],
        "tree": distances_of_trees(root, candidates.trees(labels), workers=1)[0],
        "jaro": token_distances("jaro", truth, words, 1)[0],
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
    observation = Observation(
        programs.words, programs.starts, inputs, columns, np.cumsum(counts) - counts, n_columns,
        N_DRAWS,
    )  # fmt: skip
    distances: Floats = active_backend().sweep(observation, target, Wasserstein())[:, 0]
    return distances


BEDS: dict[str, Bed] = {"bed": bed_by_paper, "default": bed_by_default}

"""The problems of a benchmark: data sets whose truths are forms, and their data by seed and noise.

A problem is a ``Dataset`` of the workbench. What is to be found is its form; the values of its
constants only make the data.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from symbed._types import Floats
from symbed.engine.reference.elementary.functions import FUNCTIONS
from symbed.errors import RangeError
from symbed.sampling.counter_rng import uniforms
from symbed.workbench.data.benchmark_datasets import COLLECTIONS, Dataset, dataset, datasets

NOISE_KEY = 14  # tells the numbers of the noise from those of the inputs


def read_problems(given: Iterable[str | Dataset]) -> tuple[Dataset, ...]:
    """The problems of a list of names.

    Parameters
    ----------
    given : iterable of str or Dataset
        A collection (``nguyen``), so many problems spread evenly over it (``feynman:10``), or one
        problem (``I.29.4``).

    Examples
    --------
    >>> [one.name for one in read_problems(["nguyen:2", "cooling"])]
    ['Nguyen-1', 'Nguyen-12', 'cooling']
    """
    found: dict[str, Dataset] = {}
    for word in given:
        chosen = (word,) if isinstance(word, Dataset) else _named(word)
        found.update((one.name, one) for one in chosen)
    if not found:
        raise RangeError(f"a benchmark needs problems, such as {', '.join(COLLECTIONS)}")
    return tuple(found.values())


def sample_data(problem: Dataset, n_rows: int, noise: float, seed: int) -> tuple[Floats, Floats]:
    """The data of one run: inputs by their laws, outputs with noise.

    The same on every machine. The noise is normal, its size a share of the spread of the outputs.

    Parameters
    ----------
    problem : Dataset
        What is sampled.
    n_rows : int
        How many rows.
    noise : float
        Standard deviation of the noise over that of the outputs.
    seed : int
        Of inputs and noise.

    Returns
    -------
    X : (n_rows, n_variables) ndarray
        The inputs.
    y : (n_rows,) ndarray
        The outputs.
    """
    X, y = problem.sample(n_rows, seed)
    if noise:
        y = y + noise * float(np.std(y)) * _normals(n_rows, seed, problem.name)
    return X, y


def _named(word: str) -> tuple[Dataset, ...]:
    name, colon, count = word.strip().rpartition(":")
    if not colon:
        name = word.strip()
        return datasets(name) if name in COLLECTIONS else (dataset(name),)
    if name not in COLLECTIONS:
        raise RangeError(f"collection must be one of {', '.join(COLLECTIONS)}, got {name!r}")
    everything = datasets(name)
    if not count.isdecimal() or not 1 <= int(count) <= len(everything):
        raise RangeError(f"{name} has {len(everything)} problems, so many or fewer, got {count!r}")
    places = np.linspace(0, len(everything) - 1, int(count)).round().astype(int)
    return tuple(everything[place] for place in places.tolist())


def _normals(n: int, seed: int, name: str) -> Floats:
    """Normal numbers by Box and Muller, with the engine's own functions: the same bits anywhere."""
    key = int.from_bytes(name.encode(), "little")
    u, v = (uniforms(n, seed, key, NOISE_KEY, column) for column in (0, 1))
    return np.sqrt(-2.0 * FUNCTIONS["ln"](u)) * FUNCTIONS["cos"](2.0 * np.pi * v)

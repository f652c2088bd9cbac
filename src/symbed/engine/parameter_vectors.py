"""One program for many vectors of its parameters, without the sorting of an observation."""

from __future__ import annotations

import numpy as np

from symbed._types import Floats
from symbed.engine.backend import active_backend
from symbed.engine.program import Program
from symbed.engine.structures.observations import Observation


def outputs_at(program: Program, inputs: Floats, vectors: Floats) -> Floats:
    """The outputs (n_vectors, n_points) of a program; NaN where undefined.

    Parameters
    ----------
    program : Program
        Each of its parameters has a range of its own, numbered from 0.
    inputs : ndarray of shape (n_variables, n_points)
        Values of the variables.
    vectors : ndarray of shape (n_vectors, n_slots)
        Values of the parameters, by slot.
    """
    n, p = vectors.shape
    words = np.frombuffer(program.words, np.int32)
    # Each vector is a program with columns of its own, one for each range and slot.
    observation = Observation(
        np.tile(words, n),
        np.arange(n + 1, dtype=np.int64) * len(words),
        inputs,
        np.repeat(vectors[:, None, :], p, axis=1).reshape(n * p * p, 1, 1),
        np.arange(n, dtype=np.int64) * (p * p),
        n_columns=p,
        n_draws=1,
    )
    n_points = inputs.shape[1]
    outputs, defined = np.empty((n, 1, n_points)), np.empty((n, n_points), np.int32)
    active_backend().observe(observation, outputs, defined)
    return outputs[:, 0]

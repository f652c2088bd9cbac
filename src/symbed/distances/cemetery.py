"""Distances that stay finite where outputs are undefined: their mass lies on a cemetery.

``symbed.engine.reference.cemetery`` defines them. Where all outputs are defined they are the plain
distances, which are much faster.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from symbed._types import Floats
from symbed.engine.backend import active_backend
from symbed.engine.structures.observations import SortedOutputs, Wasserstein


def cemetery_distances(a: SortedOutputs, b: SortedOutputs, penalty: float) -> Floats:
    """(k_a, k_b) means of the point-wise distances."""
    engine = active_backend()
    a_full, b_full = _full(a), _full(b)
    out = np.empty((len(a_full), len(b_full)))
    out[np.ix_(a_full, b_full)] = engine.cross(_some(a, a_full), _some(b, b_full), Wasserstein())
    out[~a_full] = engine.cemetery(_some(a, ~a_full), b, penalty)
    out[np.ix_(a_full, ~b_full)] = engine.cemetery(_some(a, a_full), _some(b, ~b_full), penalty)
    return out


def _full(side: SortedOutputs) -> NDArray[np.bool_]:
    """Which behaviors are defined everywhere."""
    return np.asarray((side[1] == side[0].shape[1]).all(axis=1))


def _some(side: SortedOutputs, rows: NDArray[np.bool_]) -> SortedOutputs:
    return side if rows.all() else (side[0][rows], side[1][rows])

"""Distances of listed pairs of rows of two blocks."""

from __future__ import annotations

import numpy as np

from symbed._types import Floats, Integers
from symbed.distances import kernels
from symbed.distances.measure import Measure
from symbed.engine.backend import active_backend
from symbed.engine.structures.observations import SortedOutputs


def paired(
    a: SortedOutputs, b: SortedOutputs, a_rows: Integers, b_rows: Integers, measure: Measure
) -> Floats:
    """Distances of row ``a_rows[i]`` of one block to row ``b_rows[i]`` of the other.

    Bit by bit what ``kernels.cross`` has there.
    """
    if measure.undefined == "cemetery":
        return _row_by_row(a, b, a_rows, b_rows, measure)
    distances = active_backend().paired(a, b, a_rows, b_rows, kernels.wasserstein(measure))
    if measure.row.relative:
        a_sizes, b_sizes = kernels.sizes(a, measure), kernels.sizes(b, measure)
        distances = kernels.relative(distances, a_sizes[a_rows], b_sizes[b_rows])
    return distances


def _row_by_row(
    a: SortedOutputs, b: SortedOutputs, a_rows: Integers, b_rows: Integers, measure: Measure
) -> Floats:
    found = np.empty(len(a_rows))
    for row in np.unique(a_rows):
        here = a_rows == row
        one, others = (a[0][[row]], a[1][[row]]), (b[0][b_rows[here]], b[1][b_rows[here]])
        found[here] = kernels.cross(one, others, measure)[0]
    return found

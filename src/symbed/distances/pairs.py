"""Pairing: two blocks of prepared outputs and a list of pairs go in, their distances come out."""

from __future__ import annotations

import ctypes

import numpy as np

from symbed._types import Floats, Integers
from symbed.behavior.distinct_rows import SortedOutputs
from symbed.distances import kernels
from symbed.distances.measure import Measure
from symbed.engine import native
from symbed.engine import structures as packing
from symbed.engine.backend import backend


def paired(
    a: SortedOutputs, b: SortedOutputs, a_rows: Integers, b_rows: Integers, measure: Measure
) -> Floats:
    """Distances of row ``a_rows[i]`` of one block to row ``b_rows[i]`` of the other.

    Bit by bit what ``kernels.cross`` has there.
    """
    if measure.undefined == "cemetery" or backend().name != "native":
        return _row_by_row(a, b, a_rows, b_rows, measure)
    found = np.empty(len(a_rows))
    _by_the_core(a, b, a_rows, b_rows, measure, found)
    if measure.row.relative:
        a_sizes, b_sizes = kernels.sizes(a, measure), kernels.sizes(b, measure)
        found = kernels.relative(found, a_sizes[a_rows], b_sizes[b_rows])
    return found


def _row_by_row(
    a: SortedOutputs, b: SortedOutputs, a_rows: Integers, b_rows: Integers, measure: Measure
) -> Floats:
    found = np.empty(len(a_rows))
    for row in np.unique(a_rows):
        here = a_rows == row
        one, others = (a[0][[row]], a[1][[row]]), (b[0][b_rows[here]], b[1][b_rows[here]])
        found[here] = kernels.cross(one, others, measure)[0]
    return found


def _by_the_core(
    a: SortedOutputs,
    b: SortedOutputs,
    a_rows: Integers,
    b_rows: Integers,
    measure: Measure,
    found: Floats,
) -> None:
    left, right = packing.Side(*a), packing.Side(*b)
    rows = np.ascontiguousarray(a_rows, np.int64), np.ascontiguousarray(b_rows, np.int64)
    structures = (
        left.structure,
        right.structure,
        _Pairs(packing.address(rows[0]), packing.address(rows[1]), len(found)),
        packing.Measure(left.n_points, measure.p, measure.mismatch),
    )
    filled = packing.writable(found, np.float64, "out", (len(a_rows),))
    native.call("symbed_paired", *map(ctypes.byref, structures), packing.ARRAY(filled))


class _Pairs(ctypes.Structure):
    """``Pairs`` of native/distance/pairs.cpp."""

    _fields_ = (("a", packing.ARRAY), ("b", packing.ARRAY), ("count", packing.INTEGER))

"""Sketches by the native core: arrays go in, arrays are filled. Calls release the GIL."""

from __future__ import annotations

import ctypes
from typing import Any

import numpy as np
from numpy.typing import NDArray

from symbed._types import Counts, Floats, Integers, Singles
from symbed.distances.search.sketch_plan import N_BLOCKS, Plan
from symbed.engine import native
from symbed.errors import ShapeError

_ARRAY, _INTEGER = ctypes.c_void_p, ctypes.c_int64


def sketch(values: Floats, defined: Counts, plan: Plan, out: Singles, keys: Floats) -> None:
    """Sum up behaviors; see ``symbed.distances.search.sketch_twin.sketch``."""
    # These names also keep the arrays alive while the core works on their memory.
    values, defined = np.ascontiguousarray(values), np.ascontiguousarray(defined)
    k, m, n_points = values.shape
    n_blocks = 1 if m == 1 else N_BLOCKS
    _require(values.dtype == np.float64 and defined.dtype == np.int32)
    _require(defined.shape == (k, n_points) and n_points == plan.n_points)
    _require_filled(out, np.float32, (k, n_blocks, plan.width))
    _require_filled(keys, np.float64, (k, 3))
    side = _Behaviors(_address(values), _address(defined), k, m)
    arguments = _SketchPlan(
        n_points, N_BLOCKS, plan.width,
        _address(plan.groups), _address(plan.shares), _address(plan.signs),
    )  # fmt: skip
    structures = ctypes.byref(side), ctypes.byref(arguments)
    native.call("symbed_sketch", *structures, _ARRAY(_address(out)), _ARRAY(_address(keys)))


def scan(
    values: Singles, rows: slice | Integers, query: Singles, weights: Singles, p: int, out: Singles
) -> None:
    """Lower bounds of distances; see ``symbed.distances.search.sketch_twin.scan``."""
    query = np.ascontiguousarray(query)
    n_sketches, n_blocks, width = values.shape
    _require(values.dtype == np.float32 and values.flags.c_contiguous)
    _require(query.dtype == np.float32 and query.shape[1:] == (width,))
    _require(weights.dtype == np.float32 and weights.shape == (width,))
    if isinstance(rows, slice):
        first, listed, count = rows.start, None, rows.stop - rows.start
    else:
        listed = np.ascontiguousarray(rows, np.int64)
        first, count = 0, len(listed)
    _require_filled(out, np.float32, (count,))
    arguments = _Scan(
        _address(values), n_sketches, n_blocks, width,
        None if listed is None else _address(listed), first, count,
        _address(query), len(query), _address(weights), p,
    )  # fmt: skip
    native.call("symbed_scan", ctypes.byref(arguments), _ARRAY(_address(out)))


class _Behaviors(ctypes.Structure):
    """``Behaviors`` of native/core.h."""

    _fields_ = (
        ("values", _ARRAY), ("defined", _ARRAY), ("count", _INTEGER), ("draws", _INTEGER),
    )  # fmt: skip


class _SketchPlan(ctypes.Structure):
    """``SketchPlan`` of native/search/sketch_task.h, field by field."""

    _fields_ = (
        ("n_points", _INTEGER),
        ("n_blocks", _INTEGER),
        ("width", _INTEGER),
        ("groups", _ARRAY),
        ("shares", _ARRAY),
        ("signs", _ARRAY),
    )


class _Scan(ctypes.Structure):
    """``Scan`` of native/search/sketch_task.h, field by field."""

    _fields_ = (
        ("values", _ARRAY),
        ("n_sketches", _INTEGER),
        ("n_blocks", _INTEGER),
        ("width", _INTEGER),
        ("rows", _ARRAY),
        ("first", _INTEGER),
        ("count", _INTEGER),
        ("query", _ARRAY),
        ("query_blocks", _INTEGER),
        ("weights", _ARRAY),
        ("order", _INTEGER),
    )


def _address(array: NDArray[Any]) -> int:
    return int(array.ctypes.data)


def _require_filled(array: NDArray[Any], dtype: type, shape: tuple[int, ...]) -> None:
    _require(array.dtype == dtype and array.shape == shape)
    _require(array.flags.c_contiguous and array.flags.writeable)


def _require(fits: bool) -> None:
    if not fits:
        raise ShapeError("an array for the core has another type, shape or order than it must")

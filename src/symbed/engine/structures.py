"""Packing: arrays go in, the structures of native/core.h that point to them come out.

A packed object keeps its arrays alive, contiguous and of the right type and shape, as long as it
lives itself.
"""

from __future__ import annotations

import ctypes
from typing import Any

import numpy as np
from numpy.typing import NDArray

from symbed._types import Counts, Floats, Integers
from symbed.errors import ShapeError

ARRAY, INTEGER, REAL = ctypes.c_void_p, ctypes.c_int64, ctypes.c_double


class Observed:
    """Programs and what they are evaluated on."""

    def __init__(
        self,
        words: NDArray[np.int32],
        starts: Integers,
        variables: Floats,
        columns: Floats,
        bases: Integers,
        n_columns: int,
        moves: Floats | None,
        sentinels: Integers,
        limit: float,
        shape: tuple[int, int, int],
    ) -> None:
        n_programs, n_draws, n_points = shape
        column_points = columns.shape[2] if len(columns) else 1
        column_shape = (len(columns), n_draws, column_points) if len(columns) else columns.shape
        arrays = {
            "words": readable(words, np.int32, "words", (len(words),)),
            "starts": readable(starts, np.int64, "starts", (n_programs + 1,)),
            "variables": readable(variables, np.float64, "variables", (len(variables), n_points)),
            "columns": readable(columns, np.float64, "columns", column_shape),
            "bases": readable(bases, np.int64, "bases", (n_programs,)),
            "sentinels": readable(sentinels, np.int64, "sentinels", (len(sentinels),)),
        }
        if moves is not None:
            arrays["moves"] = readable(moves, np.float64, "moves", (len(moves), 3))
        self.arrays = arrays
        self.structure = _Observation(
            n_words=len(words), n_programs=n_programs, n_variables=len(variables),
            n_points=n_points, n_all_columns=len(columns), n_draws=n_draws,
            column_points=column_points, n_columns=n_columns,
            n_moves=0 if moves is None else len(moves), n_sentinels=len(sentinels), limit=limit,
            **{name: address(array) for name, array in arrays.items()},
        )  # fmt: skip


class Side:
    """One block of behaviors."""

    def __init__(self, values: Floats, defined: Counts) -> None:
        n_behaviors, n_draws, self.n_points = values.shape
        self.values = readable(values, np.float64, "values", values.shape)
        self.defined = readable(defined, np.int32, "defined", (n_behaviors, self.n_points))
        self.structure = _Behaviors(
            address(self.values), address(self.defined), n_behaviors, n_draws
        )


class _Observation(ctypes.Structure):
    """``Observation`` of native/core.h, field by field."""

    _fields_ = (
        ("words", ARRAY),
        ("starts", ARRAY),
        ("n_words", INTEGER),
        ("n_programs", INTEGER),
        ("variables", ARRAY),
        ("n_variables", INTEGER),
        ("n_points", INTEGER),
        ("columns", ARRAY),
        ("n_all_columns", INTEGER),
        ("n_draws", INTEGER),
        ("column_points", INTEGER),
        ("bases", ARRAY),
        ("n_columns", INTEGER),
        ("moves", ARRAY),
        ("n_moves", INTEGER),
        ("sentinels", ARRAY),
        ("n_sentinels", INTEGER),
        ("limit", REAL),
        ("out", ARRAY),
        ("defined", ARRAY),
    )


class _Behaviors(ctypes.Structure):
    """``Behaviors`` of native/core.h."""

    _fields_ = (
        ("values", ARRAY), ("defined", ARRAY), ("count", INTEGER), ("draws", INTEGER),
    )  # fmt: skip


class Measure(ctypes.Structure):
    """``Measure`` of native/core.h."""

    _fields_ = (("n_points", INTEGER), ("order", INTEGER), ("mismatch", REAL))


def address(array: NDArray[Any]) -> int:
    """Where an array's memory begins."""
    return int(array.ctypes.data)


def readable(array: NDArray[Any], dtype: type, what: str, shape: tuple[int, ...]) -> NDArray[Any]:
    """The array as the core reads it: contiguous; a copy only if it was not."""
    _require_shape(array, dtype, what, shape)
    return np.ascontiguousarray(array)


def writable(array: NDArray[Any], dtype: type, what: str, shape: tuple[int, ...]) -> int:
    """The address of an array that the core fills."""
    _require_shape(array, dtype, what, shape)
    if not (array.flags.c_contiguous and array.flags.writeable):
        raise ShapeError(f"{what} must be contiguous and writable, as numpy.empty makes it")
    return address(array)


def _require_shape(array: NDArray[Any], dtype: type, what: str, shape: tuple[int, ...]) -> None:
    if array.dtype != dtype or array.shape != shape:
        raise ShapeError(
            f"{what} must be {np.dtype(dtype).name} of shape {shape}, "
            f"got {array.dtype.name} of shape {array.shape}"
        )

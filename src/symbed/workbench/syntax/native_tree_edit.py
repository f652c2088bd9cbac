"""Tree edit distance by the native core: packed trees go in, an array of distances is filled."""

from __future__ import annotations

import ctypes
from typing import Any

import numpy as np
from numpy.typing import NDArray

from symbed.engine import native
from symbed.workbench.syntax.packed_trees import Costs, Trees

_ARRAY, _INTEGER = ctypes.c_void_p, ctypes.c_int64


def tree_edit(a: Trees, b: Trees, costs: Costs | None, out: NDArray[np.float64]) -> None:
    """Fill ``out`` (len(a), len(b)); see ``reference_tree_edit.tree_edit``."""
    edits = _Costs(None, None, 0)
    if costs:
        edits = _Costs(_address(costs.weights), _address(costs.changes), len(costs.weights))
    structures = (_described(a), _described(b), edits)
    native.call("symbed_tree_edit", *map(ctypes.byref, structures), _ARRAY(_address(out)))


class _Trees(ctypes.Structure):
    """``Trees`` of native/tree_edit.cpp, field by field."""

    _fields_ = (("labels", _ARRAY), ("arities", _ARRAY), ("starts", _ARRAY), ("count", _INTEGER))


class _Costs(ctypes.Structure):
    """``EditCosts`` of native/tree_edit.cpp."""

    _fields_ = (("weights", _ARRAY), ("changes", _ARRAY), ("n_labels", _INTEGER))


def _described(trees: Trees) -> _Trees:
    arrays = (trees.labels, trees.arities, trees.starts)
    return _Trees(*(_address(array) for array in arrays), len(trees))


def _address(array: NDArray[Any]) -> int:
    return int(array.ctypes.data)

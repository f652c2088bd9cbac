"""Fitting by the native core: programs and data go in, arrays of results are filled."""

from __future__ import annotations

import ctypes

import numpy as np

from symbed.engine import native
from symbed.workbench.fitting.task import Results, Task

_ARRAY, _INTEGER = ctypes.c_void_p, ctypes.c_int64


def fit(task: Task, results: Results) -> None:
    """Fit each program of the task; see ``symbed.workbench.fitting.reference_fitter.fit``."""
    arrays = [np.ascontiguousarray(array) for array in task.arrays()]  # kept alive by this name
    words, starts, variables, targets, scales, floors, bounds, initial, own, places = (
        array.ctypes.data for array in arrays
    )
    middles = None if task.middles is None else np.ascontiguousarray(task.middles)
    n_ranges, n_starts, n_slots = task.initial.shape
    n_targets, n_own, _ = task.own_starts.shape
    arguments = _FitTask(
        words, starts, len(task.words), len(task.starts) - 1,
        variables, *task.variables.shape,
        targets, scales, floors, None if middles is None else middles.ctypes.data, n_targets,
        bounds, initial, n_ranges, n_starts, n_slots, own, n_own,
        task.n_descents, task.max_iterations, places,
        results.values.ctypes.data, results.errors.ctypes.data, results.counts.ctypes.data,
    )  # fmt: skip
    native.call("symbed_fit", ctypes.byref(arguments))


class _FitTask(ctypes.Structure):
    """``FitTask`` of native/fit_task.h, field by field."""

    _fields_ = (
        ("words", _ARRAY),
        ("starts", _ARRAY),
        ("n_words", _INTEGER),
        ("n_programs", _INTEGER),
        ("variables", _ARRAY),
        ("n_variables", _INTEGER),
        ("n_points", _INTEGER),
        ("targets", _ARRAY),
        ("scales", _ARRAY),
        ("floors", _ARRAY),
        ("middles", _ARRAY),
        ("n_targets", _INTEGER),
        ("bounds", _ARRAY),
        ("initial", _ARRAY),
        ("n_ranges", _INTEGER),
        ("n_starts", _INTEGER),
        ("n_slots", _INTEGER),
        ("own", _ARRAY),
        ("n_own", _INTEGER),
        ("n_descents", _INTEGER),
        ("max_iterations", _INTEGER),
        ("places", _ARRAY),
        ("values", _ARRAY),
        ("errors", _ARRAY),
        ("counts", _ARRAY),
    )

"""The NumPy engine: every kernel in readable form, for where there is no native core.

It is also the oracle of the native core: the same arguments give the same bits.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from symbed._types import Floats
from symbed.engine.backend import Backend
from symbed.engine.catalog import Catalog
from symbed.engine.program import Binding
from symbed.engine.reference import bounds, distances, evaluation, fitting, syntax
from symbed.engine.reference.elementary.hyperbolic import asinh_of

KERNELS: dict[str, Callable[..., Any]] = {
    "sweep": evaluation.sweep,
    "cross": distances.cross,
    "profile": distances.profile,
    "paired": distances.paired,
    "cemetery": distances.cemetery,
    "cemetery_profile": distances.cemetery_profile,
    "screen": bounds.screen,
    "dual_bounds": bounds.dual_bounds,
    "sketch": bounds.sketch,
    "scan": bounds.scan,
    "tree_edit": syntax.tree_edit,
}


class ReferenceBackend(Backend):
    """The kernels in NumPy; `symbed.engine.backend.Backend` says what they do."""

    name = "numpy"
    observe = staticmethod(evaluation.observe)
    fit = staticmethod(fitting.fit)
    sample = staticmethod(syntax.sample)
    read_words = staticmethod(syntax.read_words)

    def isa(self) -> str:
        return "numpy"

    def arcsinh(self, values: Floats) -> Floats:
        with np.errstate(all="ignore"):  # the branch that is not taken may overflow
            return asinh_of(np.asarray(values, np.float64))

    def catalog(self, binding: Binding) -> Catalog:
        return Catalog()

    def _run(self, kernel: str, out: tuple[NDArray[Any], ...], *arguments: Any) -> None:
        results = KERNELS[kernel](*arguments)
        for array, result in zip(out, results if len(out) > 1 else (results,), strict=True):
            array[...] = result

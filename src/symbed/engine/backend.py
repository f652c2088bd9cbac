"""The choice of engine: the environment goes in, the module that does the work comes out.

The native core where it was built, else its NumPy twin with the same results, which says once that
it is slower. ``SYMBED_ENGINE=native|numpy`` in the environment forces one.
"""

from __future__ import annotations

import os
import warnings
from functools import cache
from importlib import import_module
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from symbed._types import Counts, Floats, Integers
from symbed.errors import RangeError


class Backend(Protocol):
    """What an engine offers; `symbed.engine.reference` says what the functions mean."""

    @property
    def name(self) -> str:
        """``native`` or ``numpy``."""

    def isa(self) -> str:
        """The instruction set in use."""

    def observe(
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
        out: Floats,
        defined: Counts,
    ) -> None:
        """Evaluate programs and sort their outputs at each point."""

    def cross(
        self,
        a_values: Floats,
        a_defined: Counts,
        b_values: Floats,
        b_defined: Counts,
        p: int,
        mismatch: float,
        out: Floats,
    ) -> None:
        """BED between two blocks of behaviors."""

    def sweep(
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
        n_draws: int,
        targets: Floats,
        targets_defined: Counts,
        p: int,
        mismatch: float,
        out: Floats,
    ) -> None:
        """BED of programs to targets, without keeping their behaviors."""

    def screen(
        self,
        a_values: Floats,
        a_defined: Counts,
        b_values: Floats,
        b_defined: Counts,
        p: int,
        mismatch: float,
        within: float,
        out: Floats,
    ) -> None:
        """BED between two blocks of behaviors, in single precision where it is larger."""

    def profile(
        self,
        u: Floats,
        u_defined: Counts,
        v: Floats,
        v_defined: Counts,
        p: int,
        mismatch: float,
        out: Floats,
    ) -> None:
        """Distances of two behaviors at each point."""


class EngineWarning(RuntimeWarning):
    """The native core is not there, and the slower NumPy engine is used."""


@cache
def backend() -> Backend:
    """The engine in use, chosen once."""
    forced = os.environ.get("SYMBED_ENGINE", "")
    if forced not in ("", "native", "numpy"):
        raise RangeError(f"SYMBED_ENGINE must be native or numpy, got {forced!r}")
    if forced == "numpy":
        return _twin()
    native = import_module("symbed.engine.native")
    if native.is_available():
        return native
    if forced == "native":
        raise RangeError(
            "SYMBED_ENGINE=native, but symbed was installed without its native core; "
            "install it again where there is a C++ compiler"
        )
    warnings.warn(
        "symbed was installed without its native core and uses NumPy: the results are the same, "
        "but slower; install it again where there is a C++ compiler (SYMBED_ENGINE=numpy in the "
        "environment silences this)",
        EngineWarning,
        stacklevel=2,
    )
    return _twin()


def _twin() -> Backend:
    return import_module("symbed.engine.reference.evaluation")

"""The one door to the engines: every kernel as a method, and the choice of who computes.

The native core where it was built, else its NumPy reference with the same results, which says once
that it is slower. ``SYMBED_ENGINE=native|numpy`` in the environment forces one. Nothing outside of
``symbed.engine`` asks which of the two it is.

Here a kernel has its name, its arguments and the shape of what it gives, once for both engines:
most go through ``_run``, which the native core answers by packing structures, and the reference by
calling the function of that name.
"""

from __future__ import annotations

import os
import warnings
from abc import ABC, abstractmethod
from functools import cache
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from symbed._types import Counts, Floats, Integers, Singles
from symbed.engine.structures.observations import Pairs
from symbed.errors import RangeError, ShapeError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from symbed.engine.catalog import Catalog
    from symbed.engine.program import Binding
    from symbed.engine.structures.observations import (
        Observation,
        Scan,
        SketchPlan,
        SortedOutputs,
        Wasserstein,
    )
    from symbed.engine.structures.requests import (
        EditCosts,
        FitResults,
        FitTask,
        ReaderTables,
        ReadWords,
        SampleRequest,
        Trees,
    )

N_KEYS = 3  # numbers in the keys of a sketch


class Backend(ABC):
    """An engine: what both offer, with the same bits.

    Outputs of behaviors are sorted along the draws (``SortedOutputs``), and two sides that are
    compared have the same points.
    """

    name: ClassVar[str]

    @abstractmethod
    def isa(self) -> str:
        """The instruction set in use."""

    @abstractmethod
    def observe(self, observation: Observation, out: Floats, defined: Counts) -> None:
        """Evaluate programs and sort their outputs at each point.

        Parameters
        ----------
        observation : Observation
            The programs and their inputs.
        out : Floats
            (n_programs, n_draws, n_points), filled with outputs sorted along the draws, undefined
            last as NaN.
        defined : Counts
            (n_programs, n_points), filled with the numbers of defined outputs.
        """

    def sweep(
        self, observation: Observation, targets: SortedOutputs, distance: Wasserstein
    ) -> Floats:
        """(n_programs, n_targets) BED, as ``observe`` and ``cross`` give it, keeping no outputs."""
        _require_same_points(observation.n_points, targets[0].shape[2])
        out = np.empty((observation.n_programs, len(targets[0])))
        self._run("sweep", (out,), observation, targets, distance)
        return out

    def cross(self, a: SortedOutputs, b: SortedOutputs, distance: Wasserstein) -> Floats:
        """(k_a, k_b) BED between two blocks of behaviors."""
        return self._compare("cross", a, b, distance)

    def screen(
        self, a: SortedOutputs, b: SortedOutputs, distance: Wasserstein, within: float
    ) -> Floats:
        """(k_a, k_b) BED, exact unless it is larger than ``within``.

        What is larger may come from single precision, but only where that proves that it is.
        """
        return self._compare("screen", a, b, distance, within)

    def profile(self, a: SortedOutputs, b: SortedOutputs, distance: Wasserstein) -> Floats:
        """(n_points,) distances of two behaviors, the only ones of their blocks, at each point."""
        return self._compare("profile", a, b, distance, shape=a[0].shape[2:])

    def paired(
        self,
        a: SortedOutputs,
        b: SortedOutputs,
        a_rows: Integers,
        b_rows: Integers,
        distance: Wasserstein,
    ) -> Floats:
        """BED of row ``a_rows[i]`` of one block to row ``b_rows[i]`` of the other."""
        return self._compare("paired", a, b, Pairs(a_rows, b_rows), distance, shape=a_rows.shape)

    def cemetery(self, a: SortedOutputs, b: SortedOutputs, penalty: float) -> Floats:
        """(k_a, k_b) distances with undefined mass on a point at ``penalty`` from zero."""
        return self._compare("cemetery", a, b, penalty)

    def cemetery_profile(self, a: SortedOutputs, b: SortedOutputs, penalty: float) -> Floats:
        """(n_points,) the same at each point, of two behaviors, the only ones of their blocks."""
        return self._compare("cemetery_profile", a, b, penalty, shape=a[0].shape[2:])

    def dual_bounds(
        self,
        first: tuple[SortedOutputs, SortedOutputs],
        second: tuple[SortedOutputs, SortedOutputs],
    ) -> Floats:
        """(2, n_points) lower bounds of Wasserstein-1 distances, without a noise floor.

        Two behaviors, the only ones of their blocks, under two independent sets of draws. The
        function that tells the first samples apart best is applied to the second, and the reverse;
        on average neither difference of its means is larger than the true distance. NaN where a
        side has no outputs.
        """
        sides = (*first, *second)
        # Behaviors and points; the number of draws may differ from side to side.
        if len({values.shape[::2] for values, _ in sides}) > 1 or len(first[0][0]) != 1:
            raise ShapeError("bounds are for two behaviors, drawn twice at the same points")
        out = np.empty((2, first[0][0].shape[2]))
        self._run("dual_bounds", (out,), *sides)
        return out

    def sketch(self, outputs: SortedOutputs, plan: SketchPlan) -> tuple[Singles, Floats]:
        """Sketches (k, blocks, width) of behaviors, and keys (k, 3).

        Of the sorted outputs at a point, cut into blocks of equal mass, a sketch has the mean of
        each block, and then the mean over the points of a group; NaN where a point of the group has
        no outputs. One block if there is one draw. Keys are the means over the points of the means
        of abs(output), output and sign * output; a point without outputs counts 0.
        """
        k, m, _ = outputs[0].shape
        sketches = np.empty((k, 1 if m == 1 else plan.n_blocks, plan.width), np.float32)
        keys = np.empty((k, N_KEYS))
        self._run("sketch", (sketches, keys), outputs, plan)
        return sketches, keys

    def scan(self, scan: Scan) -> Singles:
        """Lower bounds of the distances between some sketches and one more."""
        out = np.empty(scan.n_rows, np.float32)
        self._run("scan", (out,), scan)
        return out

    def tree_edit(self, a: Trees, b: Trees, costs: EditCosts | None) -> Floats:
        """(len(a), len(b)) tree edit distances; without costs each edit counts 1."""
        out = np.empty((len(a), len(b)))
        self._run("tree_edit", (out,), a, b, costs)
        return out

    @abstractmethod
    def arcsinh(self, values: Floats) -> Floats:
        """The inverse hyperbolic sine of an array, with the same bits on every machine.

        NumPy's own has other last bits where the processor has wider vectors.
        """

    @abstractmethod
    def fit(self, task: FitTask, results: FitResults) -> None:
        """Fit each program of the task, and fill the results."""

    @abstractmethod
    def sample(self, request: SampleRequest, n_wanted: int) -> int:
        """Add words to a request until it has ``n_wanted``; why it came back, as ``FOUND``."""

    @abstractmethod
    def read_words(self, reader: ReaderTables, tokens: Counts, starts: Integers) -> ReadWords:
        """The postfix sequences of words of a grammar."""

    @abstractmethod
    def catalog(self, binding: Binding) -> Catalog:
        """A new, empty catalog of distinct programs."""

    def _compare(
        self,
        kernel: str,
        a: SortedOutputs,
        b: SortedOutputs,
        *rest: Any,
        shape: tuple[int, ...] | None = None,
    ) -> Floats:
        """What a kernel gives for two blocks: a number for each pair, or an array of this shape."""
        _require_same_points(a[0].shape[2], b[0].shape[2])
        out = np.empty((len(a[0]), len(b[0])) if shape is None else shape)
        self._run(kernel, (out,), a, b, *rest)
        return out

    @abstractmethod
    def _run(self, kernel: str, out: tuple[NDArray[Any], ...], *arguments: Any) -> None:
        """Fill arrays by the kernel of this name."""


def _require_same_points(a_points: int, b_points: int) -> None:
    if a_points != b_points:
        raise ShapeError(f"behaviors at {a_points} and {b_points} points cannot be compared")


class EngineWarning(RuntimeWarning):
    """The native core is not there or cannot be used, and the slower NumPy engine is."""


@cache
def active_backend() -> Backend:
    """The engine in use, chosen once."""
    from symbed.engine._native import find_core  # late: it implements what is defined here

    return choose_backend(os.environ.get("SYMBED_ENGINE", ""), find_core())


def choose_backend(forced: str, core: str | os.PathLike[str] | None) -> Backend:
    """The engine that is asked for, or the best there is.

    Parameters
    ----------
    forced : str
        ``native``, ``numpy``, or empty for a choice.
    core : str or path-like, optional
        The library of the native core; None if there is none.
    """
    if forced not in ("", "native", "numpy"):
        raise RangeError(f"SYMBED_ENGINE must be native or numpy, got {forced!r}")
    if forced != "numpy":
        from symbed.engine._native import CoreUnusable, NativeBackend

        try:
            return NativeBackend(core)
        except CoreUnusable as error:
            if forced == "native":
                raise RangeError(f"SYMBED_ENGINE=native, but {error}") from None
            warnings.warn(
                f"{error}. Meanwhile symbed uses NumPy: the results are the same, but slower "
                "(SYMBED_ENGINE=numpy in the environment silences this)",
                EngineWarning,
                stacklevel=3,
            )
    from symbed.engine.reference.numpy_backend import ReferenceBackend  # late: seldom needed

    return ReferenceBackend()

"""The one door to the engines: every kernel as a method, and the choice of who computes.

The native core where it was built, else its NumPy reference with the same results, which says once
that it is slower. ``SYMBED_ENGINE=native|numpy`` in the environment forces one. Nothing outside of
``symbed.engine`` asks which of the two it is.
"""

from __future__ import annotations

import os
import warnings
from abc import ABC, abstractmethod
from functools import cache
from typing import TYPE_CHECKING, ClassVar

from symbed._types import Counts, Floats, Integers, Singles
from symbed.engine.core_library import CoreUnusable, find_core, load_core
from symbed.errors import RangeError

if TYPE_CHECKING:
    from symbed.engine.binding import Binding
    from symbed.engine.catalog import Catalog
    from symbed.engine.structures.fits import FitResults, FitTask
    from symbed.engine.structures.grammars import ReaderTables, ReadWords, SampleRequest
    from symbed.engine.structures.observations import Observation, SortedOutputs, Wasserstein
    from symbed.engine.structures.sketches import Scan, SketchPlan
    from symbed.engine.structures.trees import EditCosts, Trees


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

    @abstractmethod
    def sweep(
        self, observation: Observation, targets: SortedOutputs, distance: Wasserstein
    ) -> Floats:
        """(n_programs, n_targets) BED, as ``observe`` and ``cross`` give it, keeping no outputs."""

    @abstractmethod
    def cross(self, a: SortedOutputs, b: SortedOutputs, distance: Wasserstein) -> Floats:
        """(k_a, k_b) BED between two blocks of behaviors."""

    @abstractmethod
    def screen(
        self, a: SortedOutputs, b: SortedOutputs, distance: Wasserstein, within: float
    ) -> Floats:
        """(k_a, k_b) BED, exact unless it is larger than ``within``.

        What is larger may come from single precision, but only where that proves that it is.
        """

    @abstractmethod
    def profile(self, a: SortedOutputs, b: SortedOutputs, distance: Wasserstein) -> Floats:
        """(n_points,) distances of two behaviors, the only ones of their blocks, at each point."""

    @abstractmethod
    def paired(
        self,
        a: SortedOutputs,
        b: SortedOutputs,
        a_rows: Integers,
        b_rows: Integers,
        distance: Wasserstein,
    ) -> Floats:
        """BED of row ``a_rows[i]`` of one block to row ``b_rows[i]`` of the other."""

    @abstractmethod
    def cemetery(self, a: SortedOutputs, b: SortedOutputs, penalty: float) -> Floats:
        """(k_a, k_b) distances with undefined mass on a point at ``penalty`` from zero."""

    @abstractmethod
    def cemetery_profile(self, a: SortedOutputs, b: SortedOutputs, penalty: float) -> Floats:
        """(n_points,) the same at each point, of two behaviors, the only ones of their blocks."""

    @abstractmethod
    def arcsinh(self, values: Floats) -> Floats:
        """The inverse hyperbolic sine of an array, with the same bits on every machine.

        NumPy's own has other last bits where the processor has wider vectors.
        """

    @abstractmethod
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

    @abstractmethod
    def sketch(self, outputs: SortedOutputs, plan: SketchPlan) -> tuple[Singles, Floats]:
        """Sketches (k, blocks, width) of behaviors, and keys (k, 3).

        Of the sorted outputs at a point, cut into blocks of equal mass, a sketch has the mean of
        each block, and then the mean over the points of a group; NaN where a point of the group has
        no outputs. One block if there is one draw. Keys are the means over the points of the means
        of abs(output), output and sign * output; a point without outputs counts 0.
        """

    @abstractmethod
    def scan(self, scan: Scan) -> Singles:
        """Lower bounds of the distances between some sketches and one more."""

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
    def tree_edit(self, a: Trees, b: Trees, costs: EditCosts | None) -> Floats:
        """(len(a), len(b)) tree edit distances; without costs each edit counts 1."""

    @abstractmethod
    def catalog(self, binding: Binding) -> Catalog:
        """A new, empty catalog of distinct programs."""


class EngineWarning(RuntimeWarning):
    """The native core is not there or cannot be used, and the slower NumPy engine is."""


@cache
def active_backend() -> Backend:
    """The engine in use, chosen once."""
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
        try:
            return _native(core)
        except CoreUnusable as error:
            if forced == "native":
                raise RangeError(f"SYMBED_ENGINE=native, but {error}") from None
            warnings.warn(
                f"{error}. Meanwhile symbed uses NumPy: the results are the same, but slower "
                "(SYMBED_ENGINE=numpy in the environment silences this)",
                EngineWarning,
                stacklevel=3,
            )
    from symbed.engine.reference.backend import ReferenceBackend  # late: seldom needed

    return ReferenceBackend()


def _native(core: str | os.PathLike[str] | None) -> Backend:
    from symbed.engine.native import NativeBackend  # late: it implements what is defined here

    return NativeBackend(load_core(core))

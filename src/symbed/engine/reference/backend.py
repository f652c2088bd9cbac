"""The NumPy engine: every kernel in readable form, for where there is no native core.

It is also the oracle of the native core: the same arguments give the same bits.
"""

from __future__ import annotations

import numpy as np

from symbed._types import Counts, Floats, Integers, Singles
from symbed.engine.backend import Backend
from symbed.engine.binding import Binding
from symbed.engine.reference import distances, evaluation, screening
from symbed.engine.reference.catalog import ReferenceCatalog
from symbed.engine.structures.fits import FitResults, FitTask
from symbed.engine.structures.grammars import ReaderTables, ReadWords, SampleRequest
from symbed.engine.structures.observations import Observation, SortedOutputs, Wasserstein
from symbed.engine.structures.sketches import Scan, SketchPlan
from symbed.engine.structures.trees import EditCosts, Trees


class ReferenceBackend(Backend):
    """The kernels in NumPy; `symbed.engine.backend.Backend` says what they do.

    Kernels that few calls need are imported when they are called.
    """

    name = "numpy"

    def isa(self) -> str:
        return "numpy"

    def observe(self, observation: Observation, out: Floats, defined: Counts) -> None:
        evaluation.observe(observation, out, defined)

    def sweep(
        self, observation: Observation, targets: SortedOutputs, distance: Wasserstein
    ) -> Floats:
        return evaluation.sweep(observation, targets, distance)

    def cross(self, a: SortedOutputs, b: SortedOutputs, distance: Wasserstein) -> Floats:
        return distances.cross(a, b, distance)

    def screen(
        self, a: SortedOutputs, b: SortedOutputs, distance: Wasserstein, within: float
    ) -> Floats:
        return screening.screen(a, b, distance, within)

    def profile(self, a: SortedOutputs, b: SortedOutputs, distance: Wasserstein) -> Floats:
        return distances.profile(a, b, distance)

    def paired(
        self,
        a: SortedOutputs,
        b: SortedOutputs,
        a_rows: Integers,
        b_rows: Integers,
        distance: Wasserstein,
    ) -> Floats:
        return distances.paired(a, b, a_rows, b_rows, distance)

    def cemetery(self, a: SortedOutputs, b: SortedOutputs, penalty: float) -> Floats:
        from symbed.engine.reference.cemetery import cemetery

        return cemetery(a, b, penalty)

    def cemetery_profile(self, a: SortedOutputs, b: SortedOutputs, penalty: float) -> Floats:
        from symbed.engine.reference.cemetery import cemetery_costs

        costs: Floats = cemetery_costs(a, b, penalty)[0, 0]
        return costs

    def arcsinh(self, values: Floats) -> Floats:
        from symbed.engine.reference.elementary.hyperbolic import asinh_of

        with np.errstate(all="ignore"):  # the branch that is not taken may overflow
            return asinh_of(np.asarray(values, np.float64))

    def dual_bounds(
        self,
        first: tuple[SortedOutputs, SortedOutputs],
        second: tuple[SortedOutputs, SortedOutputs],
    ) -> Floats:
        from symbed.engine.reference.dual_bounds import dual_bounds

        return dual_bounds(first, second)

    def sketch(self, outputs: SortedOutputs, plan: SketchPlan) -> tuple[Singles, Floats]:
        from symbed.engine.reference.sketches import sketch

        return sketch(outputs, plan)

    def scan(self, scan: Scan) -> Singles:
        from symbed.engine.reference import sketches

        return sketches.scan(scan)

    def fit(self, task: FitTask, results: FitResults) -> None:
        from symbed.engine.reference.fitting import fit

        fit(task, results)

    def sample(self, request: SampleRequest, n_wanted: int) -> int:
        from symbed.engine.reference.grammar_sampler import sample

        return sample(request, n_wanted)

    def read_words(self, reader: ReaderTables, tokens: Counts, starts: Integers) -> ReadWords:
        from symbed.engine.reference.grammar_sampler import read_words

        return read_words(reader, tokens, starts)

    def tree_edit(self, a: Trees, b: Trees, costs: EditCosts | None) -> Floats:
        from symbed.engine.reference.tree_edit import tree_edit

        return tree_edit(a, b, costs)

    def catalog(self, binding: Binding) -> ReferenceCatalog:
        return ReferenceCatalog()

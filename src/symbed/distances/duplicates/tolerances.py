"""Tolerances: expressions go in; how far apart two spellings of each could come out is measured.

Nothing here is guessed: every expression is observed once more in another spelling, with leaves
moved by a few units in the last place and parameters in another order (``respelling``). Where equal
spellings get equal draws, that shows the rounding, of a sum of like terms 1e-16 of its size, of
``sin(exp(x))`` for large x all of it. Where they do not, it shows the noise of the draws.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from symbed._types import Floats
from symbed.behavior.atlas import Atlas
from symbed.behavior.blocks import Block
from symbed.behavior.family import Family
from symbed.behavior.observation import Observer
from symbed.distances import kernels
from symbed.distances.duplicates.respelling import STEP, respelled
from symbed.distances.measure import Measure
from symbed.distances.pairs import paired
from symbed.distances.row_pieces import programs
from symbed.engine.packed_programs import PackedPrograms
from symbed.engine.program import Program
from symbed.errors import DataError
from symbed.sampling.probe import Probe

ROUNDING = 4.0  # tolerance over measured rounding; spellings of the paper's groups need 0.3
MOST = 1e-9  # of the outputs: where rounding is larger, equal and different cannot be told apart


@dataclass(frozen=True, eq=False)
class Tolerances:
    """What measures the tolerance of expressions; two are equal within the sum of theirs.

    Attributes
    ----------
    probe : how they were observed.
    observer : the same, with its roles.
    measure : how distances are measured, here over the points where both spellings are defined.
    unit : what counts as large: the size of the inputs.
    """

    probe: Probe
    observer: Observer
    measure: Measure
    unit: float

    @classmethod
    def of(cls, atlas: Atlas, measure: Measure) -> Tolerances:
        """The tolerances of an atlas whose expressions can be observed again."""
        if atlas.probe is None:
            raise DataError(
                "these behaviors came as samples, and nothing tells what another spelling would "
                "show; give within=..."
            )
        inputs = np.abs(atlas.points)
        unit = float(inputs[np.isfinite(inputs)].mean())
        if measure.undefined == "strict":
            measure = replace(measure, mismatch=0.0)
        return cls(atlas.probe, Observer(atlas.probe), measure, unit)

    def ceilings(self, sizes: Floats) -> Floats:
        """Tolerances are never larger than these, by the mean |outputs| of expressions."""
        if not self.probe.row.aligned:
            return np.full(len(sizes), np.inf)
        if self.measure.row.relative:
            return np.full(len(sizes), MOST)
        return MOST * np.maximum(sizes, self.unit)

    def measure_all(self, block: Block) -> Floats:
        """The tolerances of the rows of a block."""
        rows = np.arange(len(block))
        side = kernels.prepare(block.take(rows), self.measure)
        noise = self._noise(programs(block, rows), side)
        sizes = kernels.sizes(side, self.measure)
        if not self.probe.row.aligned:
            return np.where(np.isfinite(noise), noise, MOST * sizes)
        least = STEP if self.measure.row.relative else STEP * sizes
        return np.minimum(ROUNDING * np.maximum(noise, least), self.ceilings(sizes))

    def _noise(self, rows: Sequence[Program | Family], side: kernels.Side) -> Floats:
        """Distances to another spelling; infinite where there is none to be had."""
        found = np.full(len(side[0]), np.inf)
        packed = rows if isinstance(rows, PackedPrograms) else None
        known = np.flatnonzero([packed is not None or isinstance(row, Program) for row in rows])
        if len(known):
            packed = packed or PackedPrograms.of([row for row in rows if isinstance(row, Program)])
            again = kernels.prepare(self.observer.evaluate(respelled(packed)), self.measure)
            found[known] = paired(side, again, known, np.arange(len(known)), self.measure)
        return found

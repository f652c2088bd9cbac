"""The candidates of a selection: distinct behaviors, their distances, and which are duplicates."""

from __future__ import annotations

from concurrent.futures import Executor
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from symbed._types import Booleans, Floats, Integers
from symbed.behavior.atlas import Atlas
from symbed.behavior.distinct_rows import Block, DistinctRows, Stored, chunked, rows_at_once
from symbed.distances import kernels
from symbed.distances.duplicates.tolerances import Tolerances
from symbed.distances.matrix.assembly import MatrixTask, fill_array
from symbed.distances.matrix.tiles import Layout
from symbed.distances.measure import Measure

KEPT = 1 << 25  # outputs that are kept while candidates are chosen, 256 MB; of more, programs


@dataclass(frozen=True, eq=False)
class Candidates:
    """Some distinct behaviors of an atlas; a candidate is known by its place among the numbers.

    Attributes
    ----------
    atlas : Atlas
        Whose behaviors.
    numbers : (n,) array
        Which of the distinct ones, ascending.
    measure : Measure
        How distances are measured.
    pool : Executor
        Who computes them.
    """

    atlas: Atlas
    numbers: Integers
    measure: Measure
    pool: Executor

    def distances_from(self, candidate: int) -> Floats:
        """(n,) distances of one candidate to all."""
        outputs = self._layout.atlas[candidate]
        query = Layout(Atlas.from_behaviors([outputs]), ordered=False)
        task = MatrixTask(query, self._layout, self._plain, None)
        values = np.empty((1, len(self.numbers)))
        fill_array(task, values, self.pool, False)
        distances: Floats = values[0]
        if not self.measure.row.relative:
            return distances
        return kernels.relative(distances, self.sizes[candidate], self.sizes)

    @property
    def rows(self) -> DistinctRows:
        """Their behaviors."""
        return self._layout.atlas.rows

    def are_defined(self) -> Booleans:
        """(n,) whether each is defined at one of the points at least."""
        parts = [
            counts.any(axis=1)
            for block in self.rows.blocks
            for _, counts in block.tiles(self._at_once)
        ]
        return np.concatenate(parts) if parts else np.empty(0, np.bool_)

    @property
    def _plain(self) -> Measure:
        """The measure before outputs are set in relation to their size.

        Sizes take longer than distances, and are the same whoever asks: they are found once.
        """
        metric = "wasserstein" if self.measure.row.relative else self.measure.metric
        return replace(self.measure, metric=metric)

    @cached_property
    def _layout(self) -> Layout:
        everybody = len(self.numbers) == self.atlas.n_distinct
        rows = self.atlas.rows if everybody else self.atlas.rows.pick(self.numbers)
        if len(self.numbers) * len(self.atlas.points) * self.atlas.n_draws <= KEPT:
            rows = DistinctRows(_kept(rows.fixed), _kept(rows.varied))
        first = self.atlas.source_groups.members[self.atlas.source_groups.starts[self.numbers]]
        sources = [self.atlas.sources[source] for source in first.tolist()]
        own = replace(
            self.atlas, sources=sources, numbers=np.arange(len(self.numbers)), rows=rows,
            metadata={}, texts=None, skipped=(), store=None,
        )  # fmt: skip
        return Layout(own, ordered=False)

    @cached_property
    def sizes(self) -> Floats:
        """(n,) their distances from zero."""
        parts = [
            kernels.sizes(kernels.prepare(tile, self.measure), self.measure)
            for block in self.rows.blocks
            for tile in block.tiles(self._at_once)
        ]
        return np.concatenate(parts)

    @property
    def _at_once(self) -> int:
        return rows_at_once(len(self.atlas.points) * self.atlas.n_draws)


def _kept(block: Block) -> Block:
    """A block whose outputs are there: each is needed once for every choice."""
    if isinstance(block, Stored) or not len(block):
        return block
    outputs, counts = block.take(np.arange(len(block)))
    return Stored((outputs,), (counts,), block.rows)


@dataclass(frozen=True, eq=False)
class MeasuredTolerances:
    """The tolerances that ``duplicates`` would measure, for those who ask."""

    candidates: Candidates

    def ceilings(self) -> Floats:
        """(n,) numbers that the tolerances do not pass."""
        return self._ceilings

    def tolerances(self, candidates: Integers) -> Floats:
        """The tolerances of some candidates, measured now."""
        sizes = np.empty(len(candidates))
        n_outputs = len(self.candidates.atlas.points) * self.candidates.atlas.n_draws
        for part in self.candidates.rows.split(candidates):
            for some in chunked(np.arange(len(part.rows)), n_outputs):
                block = part.block.pick(part.rows[some])
                sizes[part.where[some]] = self._measured.measure_all(block)
        return sizes

    @cached_property
    def _measured(self) -> Tolerances:
        return Tolerances.of(self.candidates.atlas, self.candidates.measure)

    @cached_property
    def _ceilings(self) -> Floats:
        measure = self.candidates.measure
        n = len(self.candidates.numbers)
        return self._measured.ceilings(
            np.zeros(n) if measure.row.relative else self.candidates.sizes
        )

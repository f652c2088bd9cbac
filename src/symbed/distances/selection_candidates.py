"""The candidates of a selection: their distances, and how near two may be that count as one."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import Executor
from dataclasses import replace
from functools import cached_property
from typing import Protocol

import numpy as np

from symbed._types import Booleans, Floats, Integers
from symbed.behavior.atlas import Atlas
from symbed.behavior.distinct_rows import Block, DistinctRows, Stored, chunked, rows_at_once
from symbed.distances import kernels
from symbed.distances.duplicates.tolerances import Tolerances
from symbed.distances.matrix.distance_matrix import fill_array
from symbed.distances.matrix.tiles import Layout, MatrixTask
from symbed.distances.measure import Measure
from symbed.engine.structures.observations import SortedOutputs

KEPT = 1 << 25  # outputs that are kept while candidates are chosen, 256 MB; of more, programs


class Candidates(Protocol):
    """Whom to choose from, numbered from 0.

    Two are duplicates if their distance is at most the sum of their tolerances.
    """

    def distances_from(self, candidate: int) -> Floats:
        """(n,) distances of one candidate to all."""

    def tolerances(self, candidates: Integers) -> Floats:
        """The tolerances of some candidates."""

    @property
    def ceilings(self) -> Floats:
        """(n,) numbers that the tolerances do not pass; they need no measuring."""


class MatrixCandidates:
    """Some rows of a square matrix; two within ``apart`` are duplicates."""

    def __init__(self, distances: Floats, rows: Integers, apart: float) -> None:
        self._distances, self._rows = distances, rows
        self.ceilings = np.full(len(rows), apart / 2)

    def distances_from(self, candidate: int) -> Floats:
        """(n,) distances of one candidate to all."""
        return np.array(self._distances[self._rows[candidate], self._rows])

    def tolerances(self, candidates: Integers) -> Floats:
        """Half of the distance, for each."""
        return self.ceilings[candidates]


class BehaviorCandidates:
    """Some distinct behaviors of an atlas, known by their ``numbers``, ascending.

    Two no farther than ``apart`` are duplicates; None to measure it as ``duplicates`` does.
    """

    def __init__(
        self, atlas: Atlas, numbers: Integers, measure: Measure, apart: float | None, pool: Executor
    ) -> None:
        self.atlas, self.numbers, self.measure, self._pool = atlas, numbers, measure, pool
        # Of samples no other spelling can be observed.
        self._apart = 0.0 if apart is None and atlas.probe is None else apart
        self._n_outputs = len(atlas.points) * atlas.n_draws
        everybody = len(numbers) == atlas.n_distinct
        rows = atlas.rows if everybody else atlas.rows.pick(numbers)
        if len(numbers) * self._n_outputs <= KEPT:
            rows = DistinctRows(_kept(rows.fixed), _kept(rows.varied))
        first = atlas.source_groups.members[atlas.source_groups.starts[numbers]]
        self._own = replace(
            atlas, sources=[atlas.sources[source] for source in first.tolist()],
            numbers=np.arange(len(numbers)), rows=rows, metadata={}, texts=None, skipped=(),
            store=None,
        )  # fmt: skip
        self._layout = Layout(self._own, ordered=False)

    def distances_from(self, candidate: int) -> Floats:
        """(n,) distances of one candidate to all."""
        query = Layout(Atlas.from_behaviors([self._own[candidate]]), ordered=False)
        values = np.empty((1, len(self.numbers)))
        # Sizes take longer than distances, and are the same whoever asks: they are found once.
        task = MatrixTask(query, self._layout, self.measure.in_own_unit, None)
        fill_array(task, values, self._pool, False)
        distances: Floats = values[0]
        if not self.measure.row.relative:
            return distances
        return kernels.relative(distances, self._sizes[candidate], self._sizes)

    def tolerances(self, candidates: Integers) -> Floats:
        """The tolerances of some candidates, measured now."""
        if self._apart is not None:
            return self.ceilings[candidates]
        tolerances = np.empty(len(candidates))
        for part in self._own.rows.split(candidates):
            for some in chunked(np.arange(len(part.rows)), self._n_outputs):
                block = part.block.pick(part.rows[some])
                tolerances[part.where[some]] = self._measured.measure_all(block)
        return tolerances

    @cached_property
    def ceilings(self) -> Floats:
        """(n,) numbers that the tolerances do not pass."""
        if self._apart is not None:
            return np.full(len(self.numbers), self._apart / 2)
        relative = self.measure.row.relative  # then sizes have no part in them
        return self._measured.ceilings(np.zeros(len(self.numbers)) if relative else self._sizes)

    def are_defined(self) -> Booleans:
        """(n,) whether each is defined at one of the points at least."""
        return np.concatenate([counts.any(axis=1) for _, counts in self._tiles()])

    @cached_property
    def _sizes(self) -> Floats:
        """(n,) their distances from zero."""
        sides = (kernels.prepare(tile, self.measure) for tile in self._tiles())
        return np.concatenate([kernels.sizes(side, self.measure) for side in sides])

    @cached_property
    def _measured(self) -> Tolerances:
        return Tolerances.of(self.atlas, self.measure)

    def _tiles(self) -> Iterator[SortedOutputs]:
        for block in self._own.rows.blocks:
            yield from block.tiles(rows_at_once(self._n_outputs))


def _kept(block: Block) -> Block:
    """A block whose outputs are there: each is needed once for every choice."""
    if isinstance(block, Stored) or not len(block):
        return block
    outputs, counts = block.take(np.arange(len(block)))
    return Stored((outputs,), (counts,), block.rows)

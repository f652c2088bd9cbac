"""Partition: an atlas goes in; each distinct behavior's leader comes out.

From cheap to dear: where behaviors are defined, their means, what another spelling of them shows,
and at last distances; each is done only for what the one before left over.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from concurrent.futures import Executor
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from symbed._types import Floats, Integers
from symbed.behavior.atlas import Atlas
from symbed.distances.duplicates.grouping import Crowd, Following, group, joined
from symbed.distances.duplicates.interval_runs import in_runs, link, several
from symbed.distances.duplicates.leader_clustering import Throng
from symbed.distances.duplicates.tolerances import Tolerances
from symbed.distances.measure import Measure
from symbed.distances.row_pieces import piece, rows_at_once, spans
from symbed.distances.search.sketch_table import KEY_SLACK, LEAST, SIZE, Sketches
from symbed.distances.search.sketches import sketches_of
from symbed.distances.source_groups import distinct_numbers, sources_of
from symbed.parallel import run_blocks


class Partition:
    """The distinct behaviors of an atlas, each with a leader.

    Parameters
    ----------
    atlas : what is partitioned.
    measure : how distances are measured.
    within : the largest distance to a leader; None to measure tolerances.
    ranks : (n_sources,) whom to prefer as a leader: the smaller.
    executor : who evaluates.

    Attributes
    ----------
    numbers : (n_sources,) the distinct behavior of each source, the fixed ones first.
    leaders : (n_distinct,) the leader of each; its own number for a leader.
    distances : (n_distinct,) to the leader.
    tolerances : (n_distinct,) two are equal within the sum of theirs; NaN if never measured.
    is_empty : (n_distinct,) whether it is defined nowhere.
    """

    def __init__(
        self,
        atlas: Atlas,
        measure: Measure,
        within: float | None,
        ranks: Integers,
        executor: Executor,
    ) -> None:
        self.atlas, self._executor = atlas, executor
        self._n_outputs = len(atlas.points) * atlas.n_draws
        self.numbers = distinct_numbers(atlas)
        tables = sketches_of(atlas, measure, executor)
        crowd = _crowd(atlas, tables, measure, ranks)
        masks, self.is_empty = _mask_numbers(tables)
        self.is_empty &= crowd.bounded  # else they are as far from others as a mismatch says
        runs, crowd = self._runs(crowd, masks, within)
        self.tolerances = crowd.tolerances
        self.leaders, self.distances = np.arange(len(crowd)), np.zeros(len(crowd))
        self._lead(self._follow_empty(crowd))
        runs[self.is_empty] = -1 - np.flatnonzero(self.is_empty)  # they have a leader
        for following in self._follow(crowd, tables, runs):
            self._lead(following)

    def _lead(self, following: Following) -> None:
        self.leaders[following.members] = following.leaders
        self.distances[following.members] = following.distances

    def _runs(self, crowd: Crowd, masks: Integers, within: float | None) -> tuple[Integers, Crowd]:
        """The runs of behaviors that may be equal, and the crowd with its tolerances."""
        everybody = np.arange(len(crowd))
        if within is not None:
            crowd = replace(crowd, tolerances=np.full(len(crowd), within / 2))
            return _linked(crowd, masks, everybody), crowd
        tolerances = Tolerances.of(self.atlas, crowd.measure)
        crowd = replace(crowd, tolerances=tolerances.ceilings(crowd.keys[:, SIZE]))
        runs = _linked(crowd, masks, everybody)
        some = np.flatnonzero(several(runs))
        crowd = replace(crowd, tolerances=self._measured(crowd, tolerances, some))
        runs[some] = len(crowd) + _linked(crowd, runs, some)
        return runs, crowd

    def _measured(self, crowd: Crowd, tolerances: Tolerances, numbers: Integers) -> Floats:
        """Tolerances of some behaviors; NaN for the others."""
        found = [np.empty(0)]
        for block, rows in zip(crowd.blocks, crowd.rows(numbers), strict=True):
            work = ((piece(block, some),) for some in spans(rows, self._n_outputs))
            found += run_blocks(self._executor, tolerances.measure_all, work)
        everybody = np.full(len(crowd), np.nan)
        everybody[numbers] = np.concatenate(found)
        return everybody

    def _follow_empty(self, crowd: Crowd) -> Following:
        """What is defined nowhere has distance 0 by definition; nothing is computed."""
        members = np.flatnonzero(self.is_empty)
        if not len(members):
            return joined([])
        leader = members[np.argmin(crowd.ranks[members])]
        return Following(members, np.full(len(members), leader), np.zeros(len(members)))

    def _follow(
        self, crowd: Crowd, tables: tuple[Sketches, Sketches], runs: Integers
    ) -> Iterator[Following]:
        """Small runs many at once, on the executor; large ones leader by leader, here."""
        most = 2 * rows_at_once(self._n_outputs)
        some = np.flatnonzero(several(runs))
        small, large = _packed([some[run] for run in in_runs(runs[some])], most)
        parts = [np.sort(np.concatenate(batch)) for batch in small]
        work = ((crowd.part(numbers), runs[numbers]) for numbers in parts)
        for numbers, found in zip(parts, run_blocks(self._executor, group, work), strict=True):
            yield found.renumbered(numbers)
        throng = Throng(crowd, tables, self._n_outputs)
        for run in large:
            yield throng.group(run)


def _packed(runs: list[Integers], most: int) -> tuple[list[list[Integers]], list[Integers]]:
    """Runs packed into batches of about so many behaviors, and those that are larger themselves."""
    batches: list[list[Integers]] = [[]]
    size = 0
    for run in runs:
        if len(run) <= most:
            if size + len(run) > most:
                batches.append([])
                size = 0
            batches[-1].append(run)
            size += len(run)
    return [batch for batch in batches if batch], [run for run in runs if len(run) > most]


def _crowd(
    atlas: Atlas, tables: tuple[Sketches, Sketches], measure: Measure, ranks: Integers
) -> Crowd:
    """The distinct behaviors of an atlas; tolerances are not known yet."""
    keys = np.concatenate([table.keys[table.places] for table in tables])
    sources = sources_of(atlas)
    best = np.minimum.reduceat(ranks[sources.members], sources.starts[:-1])
    return Crowd((atlas.fixed, atlas.varied), keys, best, np.full(len(keys), np.nan), measure)


def _mask_numbers(tables: tuple[Sketches, Sketches]) -> tuple[Integers, NDArray[np.bool_]]:
    """For each distinct behavior a number that tells where it is defined, and whether nowhere."""
    masks = np.concatenate([table.masks for table in tables])
    different, numbers = np.unique(masks, axis=0, return_inverse=True)
    numbers = numbers.ravel()
    found, before = [], 0
    for table in tables:
        sorted_numbers = np.repeat(
            numbers[before : before + len(table.masks)], np.diff(table.starts)
        )
        found.append(sorted_numbers[table.places])
        before += len(table.masks)
    together = np.concatenate(found)
    nowhere: NDArray[np.bool_] = np.asarray(~different.any(axis=1))
    return together, nowhere[together]


def _linked(crowd: Crowd, runs: Integers, numbers: Integers) -> Integers:
    """Cut the runs of some behaviors on the line of each mean."""
    if not crowd.bounded:
        return np.zeros(len(numbers), np.int64)
    sizes = crowd.keys[numbers, SIZE]
    reaches = crowd.tolerances[numbers]
    if crowd.measure.row.relative:
        # A relative t allows a distance of t / (1 - t) times the size, at most 2 t for t < 1/2.
        known = (reaches <= 0.25) & (crowd.measure.p == 1)
        reaches = np.where(known, 2 * reaches * sizes, math.inf)
    reaches = np.minimum(reaches, np.finfo(np.float64).max / 2) + KEY_SLACK * sizes + LEAST
    found = runs[numbers]
    for key in range(crowd.keys.shape[1]):
        found = link(found, crowd.keys[numbers, key], reaches)
    return found

"""The partition of an atlas into duplicates: each distinct behavior's leader.

From cheap to dear: where behaviors are defined, their means, what another spelling of them shows,
and at last distances; each is done only for what the one before left over.

Whatever two expressions can be equal, each of their means is nearly equal. So on the line of such a
mean, with an interval around each that is as wide as its tolerance, they are in one *run* of
intervals that hang together; and runs on one line are cut into smaller ones on the next.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from concurrent.futures import Executor
from dataclasses import replace

import numpy as np

from symbed._types import Booleans, Floats, Integers
from symbed.behavior.atlas import Atlas
from symbed.behavior.distinct_rows import chunked, rows_at_once
from symbed.distances.duplicates.confirmation import SecondLook
from symbed.distances.duplicates.leader_clustering import (
    Candidates,
    Followers,
    LargeRun,
    Tables,
    lead_runs,
)  # fmt: skip
from symbed.distances.duplicates.tolerances import Tolerances
from symbed.distances.measure import Measure
from symbed.distances.search.sketch_table import KEY_SLACK, LEAST, SIZE
from symbed.distances.search.sketches import sketches_of
from symbed.parallel import run_blocks


class Partition:
    """The distinct behaviors of an atlas, each with a leader.

    ``within`` is the largest distance to a leader, None to measure tolerances; of the sources those
    with the smaller ``ranks`` are preferred. ``advance`` is told how many were sketched or led.

    Attributes
    ----------
    leaders, distances : (n_distinct,) arrays
        The leader of each, its own number for a leader; and how far that is.
    tolerances : (n_distinct,) array
        Two are equal within the sum of theirs; NaN if never measured.
    is_empty : (n_distinct,) array
        Whether it is defined nowhere.
    ranks : (n_distinct,) array
        The best rank of the sources that behave so.
    """

    def __init__(
        self,
        atlas: Atlas,
        measure: Measure,
        within: float | None,
        ranks: Integers,
        executor: Executor,
        advance: Callable[[int], None],
    ) -> None:
        self.atlas, self._executor, self._advance = atlas, executor, advance
        self._n_outputs = len(atlas.points) * atlas.n_draws
        tables = sketches_of(atlas, measure, executor, advance)
        keys = np.concatenate([table.keys[table.places] for table in tables])
        groups = atlas.source_groups
        self.ranks = np.minimum.reduceat(ranks[groups.members], groups.starts[:-1])
        look = SecondLook.of(atlas, measure, within)
        given = Candidates(atlas.rows, keys, self.ranks, np.full(len(keys), np.nan), measure, look)
        masks, self.is_empty = _mask_numbers(tables)
        self.is_empty &= given.bounded  # else they are as far from others as a mismatch says
        self._confirm_empty(given)
        runs, given = self._runs(given, masks, within)
        self.tolerances = given.tolerances
        self.leaders, self.distances = np.arange(len(keys)), np.zeros(len(keys))
        empty = np.flatnonzero(self.is_empty)
        if len(empty):  # their distance is 0 by definition; nothing is computed
            self.leaders[empty] = empty[np.argmin(self.ranks[empty])]
            runs[empty] = -1 - empty  # alone, since they have a leader
        for members, leaders, distances in self._follow(given, tables, runs):
            self.leaders[members], self.distances[members] = leaders, distances

    def lead(self, leader: int, member: int, distance: float) -> None:
        """Give one distinct behavior another leader; itself, if it is to be one."""
        self.leaders[member], self.distances[member] = leader, distance
        if member == leader:
            self.is_empty[member] = False  # of those that are defined nowhere there is one group

    def _confirm_empty(self, given: Candidates) -> None:
        """What is defined on a second look was not defined nowhere."""
        if given.second_look is None:
            return
        # Of 50,000 random expressions 62 were merged by mistake before there was a second look,
        # nearly all of them as defined nowhere.
        chunks = list(chunked(np.flatnonzero(self.is_empty), self._n_outputs))
        work = ((given.rows.pick(some),) for some in chunks)
        looks = run_blocks(self._executor, given.second_look.is_empty, work)
        for some, empty in zip(chunks, looks, strict=True):
            self.is_empty[some] = empty

    def _runs(
        self, given: Candidates, masks: Integers, within: float | None
    ) -> tuple[Integers, Candidates]:
        """The runs of behaviors that may be equal, and the candidates with their tolerances."""
        everybody = np.arange(len(masks))
        if within is not None:
            given = replace(given, tolerances=np.full(len(masks), within / 2))
            return _linked(given, masks, everybody), given
        # What another spelling shows is measured only where ceilings leave a choice.
        tolerances = Tolerances.of(self.atlas, given.measure)
        given = replace(given, tolerances=tolerances.ceilings(given.keys[:, SIZE]))
        runs = _linked(given, masks, everybody)
        some = np.flatnonzero(several(runs))
        given = replace(given, tolerances=self._measured(given, tolerances, some))
        # Beyond the numbers of the first cut, so that no new run is taken for an old one.
        runs[some] = len(masks) + _linked(given, runs, some)
        return runs, given

    def _measured(self, given: Candidates, tolerances: Tolerances, numbers: Integers) -> Floats:
        """Tolerances of some behaviors; NaN for the others."""
        every = np.full(len(given.keys), np.nan)
        for part in given.rows.split(numbers):
            work = ((part.block.pick(some),) for some in chunked(part.rows, self._n_outputs))
            measured = list(run_blocks(self._executor, tolerances.measure_all, work))
            every[part.rows + part.first] = np.concatenate(measured)
        return every

    def _follow(self, given: Candidates, tables: Tables, runs: Integers) -> Iterator[Followers]:
        """Small runs many at once, on the executor; large ones leader by leader, here."""
        most = 2 * rows_at_once(self._n_outputs)
        some = np.flatnonzero(several(runs))
        self._advance(len(runs) - len(some))  # who is alone in a run has no equal
        small, large = _packed([some[run] for run in in_runs(runs[some])], most)
        parts = [np.sort(np.concatenate(batch)) for batch in small]
        work = ((given.pick(numbers), runs[numbers]) for numbers in parts)
        batches = run_blocks(self._executor, lead_runs, work)
        for numbers, batch in zip(parts, batches, strict=True):
            for members, leaders, distances in batch:
                yield numbers[members], numbers[leaders], distances
            self._advance(len(numbers))
        for run in large:
            yield from LargeRun(given, tables, self._n_outputs, run)
            self._advance(len(run))


def _mask_numbers(tables: Tables) -> tuple[Integers, Booleans]:
    """For each distinct behavior a number that tells where it is defined, and whether nowhere."""
    masks = np.concatenate([table.masks for table in tables])
    different, numbers = np.unique(masks, axis=0, return_inverse=True)
    parts = np.split(numbers.ravel(), [len(tables[0].masks)])
    together = np.concatenate(
        [
            np.repeat(part, np.diff(table.starts))[table.places]
            for part, table in zip(parts, tables, strict=True)
        ]
    )
    nowhere: Booleans = np.asarray(~different.any(axis=1))
    return together, nowhere[together]


def _linked(given: Candidates, runs: Integers, numbers: Integers) -> Integers:
    """Cut the runs of some behaviors on the line of each mean."""
    if not given.bounded:
        return np.zeros(len(numbers), np.int64)
    sizes, reaches = given.keys[numbers, SIZE], given.tolerances[numbers]
    if given.measure.row.relative:
        # A relative t allows a distance of t / (1 - t) times the size, at most 2 t for t < 1/2.
        known = (reaches <= 0.25) & (given.measure.p == 1)
        reaches = np.where(known, 2 * reaches * sizes, math.inf)
    reaches = np.minimum(reaches, np.finfo(np.float64).max / 2) + KEY_SLACK * sizes + LEAST
    linked = runs[numbers]
    for key in given.keys[numbers].T:
        linked = link(linked, key, reaches)
    return linked


def link(runs: Integers, centers: Floats, reaches: Floats) -> Integers:
    """Cut runs, to which items belong so far, into those whose intervals hang together on a line.

    >>> link(np.zeros(4, int), np.array([0.0, 5.0, 1.0, 5.5]), np.full(4, 0.5)).tolist()
    [0, 1, 0, 1]
    """
    n = len(runs)
    with np.errstate(over="ignore"):
        ends = np.concatenate([centers - reaches, centers + reaches])
    closes = np.repeat([False, True], n)
    # A sweep along each run: where nothing is open any more, a piece is over. At one place
    # openings come first, so that intervals which touch hang together.
    order = np.lexsort((closes, ends, np.concatenate([runs, runs])))
    open_now = np.cumsum(np.where(closes[order], -1, 1))
    numbers = np.cumsum(open_now == 0)  # runs that are over
    linked = np.empty(n, np.int64)
    opening = order < n
    linked[order[opening]] = numbers[opening]
    return linked


def several(runs: Integers) -> Booleans:
    """(n,) whether an item shares its run with another.

    >>> several(np.array([0, 1, 0])).tolist()
    [True, False, True]
    """
    _, inverse, counts = np.unique(runs, return_inverse=True, return_counts=True)
    return counts[inverse] > 1


def in_runs(runs: Integers) -> Iterator[Integers]:
    """The items of each run, run by run.

    >>> [run.tolist() for run in in_runs(np.array([4, 7, 4]))]
    [[0, 2], [1]]
    """
    order = np.argsort(runs, kind="stable")
    cuts = np.flatnonzero(np.diff(runs[order])) + 1
    return (run for run in np.split(order, cuts) if len(run))


def _packed(runs: list[Integers], most: int) -> tuple[list[list[Integers]], list[Integers]]:
    """Runs packed into batches of about so many behaviors, and those that are larger themselves."""
    batches: list[list[Integers]] = []
    room = 0  # left in the last batch
    for run in runs:
        if len(run) <= most:
            if len(run) > room:
                batches.append([])
                room = most
            batches[-1].append(run)
            room -= len(run)
    return batches, [run for run in runs if len(run) > most]

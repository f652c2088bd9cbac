"""Leader clustering: the distinct behaviors of an atlas in groups, each around its leader.

In order of preference, whoever has no leader yet becomes one, and takes along everybody without a
leader that is within the tolerance of both. No chains: a member is near its leader. Hartigan's
leader algorithm [1]_, with the order of preference in place of the order of the data.

From cheap to dear: where behaviors are defined, their means, what another spelling of them shows,
and at last distances; each is done only for what the one before left over. Whatever two expressions
can be equal, each of their means is nearly equal. So on the line of such a mean, with an interval
around each that is as wide as its tolerance, they are in one *run* of intervals that hang together;
and runs on one line are cut into smaller ones on the next.

References
----------
.. [1] J. A. Hartigan, Clustering Algorithms, Wiley 1975, chapter 3.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from concurrent.futures import Executor
from dataclasses import dataclass, replace

import numpy as np

from symbed._types import Booleans, Floats, Integers
from symbed.behavior.atlas import Atlas
from symbed.behavior.distinct_rows import DistinctRows, chunked, rows_at_once
from symbed.distances.duplicates._confirmation import SecondLook
from symbed.distances.duplicates.tolerances import Tolerances
from symbed.distances.kernels import PreparedRows
from symbed.distances.measure import Measure
from symbed.distances.search.sketches import (
    KEY_SLACK,
    SIZE,
    SMALLEST,
    SketchTable,
    passes,
    sketches_of,
)
from symbed.parallel import run_blocks

Followers = tuple[Integers, Integers, Floats]  # members, their leaders, the distances between them
Tables = tuple[SketchTable, ...]  # one for each block of rows


class Partition:
    """The distinct behaviors of an atlas, each with a leader.

    ``within`` is the largest distance to a leader, None to measure tolerances; of the sources those
    with the smaller ``ranks`` are preferred. ``advance`` is told how many were sketched or led.
    """

    # All of them are (n_distinct,) arrays.
    leaders: Integers  # the leader of each, its own number for a leader
    distances: Floats  # how far that is
    tolerances: Floats  # two are equal within the sum of theirs; NaN if never measured
    is_empty: Booleans  # whether it is defined nowhere
    ranks: Integers  # the best rank of the sources that behave so

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
        candidates = LeaderCandidates(
            atlas.rows, keys, self.ranks, np.full(len(keys), np.nan), measure, look
        )
        masks, self.is_empty = _mask_numbers(tables)
        self.is_empty &= candidates.bounded  # else they are as far from others as a mismatch says
        self._confirm_empty(candidates)
        runs, candidates = self._runs(candidates, masks, within)
        self.tolerances = candidates.tolerances
        self.leaders, self.distances = np.arange(len(keys)), np.zeros(len(keys))
        empty = np.flatnonzero(self.is_empty)
        if len(empty):  # their distance is 0 by definition; nothing is computed
            self.leaders[empty] = empty[np.argmin(self.ranks[empty])]
            runs[empty] = -1 - empty  # alone, since they have a leader
        for members, leaders, distances in self._follow(candidates, tables, runs):
            self.leaders[members], self.distances[members] = leaders, distances

    def lead(self, leader: int, member: int, distance: float) -> None:
        """Give one distinct behavior another leader; itself, if it is to be one."""
        self.leaders[member], self.distances[member] = leader, distance
        if member == leader:
            self.is_empty[member] = False  # of those that are defined nowhere there is one group

    def _confirm_empty(self, candidates: LeaderCandidates) -> None:
        """What is defined on a second look was not defined nowhere."""
        if candidates.second_look is None:
            return
        # Of 50,000 random expressions 62 were merged by mistake before there was a second look,
        # nearly all of them as defined nowhere.
        chunks = list(chunked(np.flatnonzero(self.is_empty), self._n_outputs))
        work = ((candidates.rows.pick(some),) for some in chunks)
        looks = run_blocks(self._executor, candidates.second_look.is_empty, work)
        for some, empty in zip(chunks, looks, strict=True):
            self.is_empty[some] = empty

    def _runs(
        self, candidates: LeaderCandidates, masks: Integers, within: float | None
    ) -> tuple[Integers, LeaderCandidates]:
        """The runs of behaviors that may be equal, and the candidates with their tolerances."""
        everybody = np.arange(len(masks))
        if within is not None:
            candidates = replace(candidates, tolerances=np.full(len(masks), within / 2))
            return _linked(candidates, masks, everybody), candidates
        # What another spelling shows is measured only where ceilings leave a choice.
        tolerances = Tolerances.of(self.atlas, candidates.measure)
        candidates = replace(candidates, tolerances=tolerances.ceilings(candidates.keys[:, SIZE]))
        runs = _linked(candidates, masks, everybody)
        some = np.flatnonzero(several(runs))
        candidates = replace(candidates, tolerances=self._measured(candidates, tolerances, some))
        # Beyond the numbers of the first cut, so that no new run is taken for an old one.
        runs[some] = len(masks) + _linked(candidates, runs, some)
        return runs, candidates

    def _measured(
        self, candidates: LeaderCandidates, tolerances: Tolerances, numbers: Integers
    ) -> Floats:
        """Tolerances of some behaviors; NaN for the others."""
        every = np.full(len(candidates.keys), np.nan)
        chunks = list(chunked(numbers, self._n_outputs))
        work = ((candidates.rows.pick(some),) for some in chunks)
        measured = run_blocks(self._executor, tolerances.measure_all, work)
        for some, values in zip(chunks, measured, strict=True):
            every[some] = values
        return every

    def _follow(
        self, candidates: LeaderCandidates, tables: Tables, runs: Integers
    ) -> Iterator[Followers]:
        """Small runs many at once, on the executor; large ones leader by leader, here."""
        most = 2 * rows_at_once(self._n_outputs)
        some = np.flatnonzero(several(runs))
        self._advance(len(runs) - len(some))  # who is alone in a run has no equal
        small, large = _packed([some[run] for run in in_runs(runs[some])], most)
        parts = [np.sort(np.concatenate(batch)) for batch in small]
        work = ((candidates.pick(numbers), runs[numbers]) for numbers in parts)
        batches = run_blocks(self._executor, lead_runs, work)
        for numbers, batch in zip(parts, batches, strict=True):
            for members, leaders, distances in batch:
                yield numbers[members], numbers[leaders], distances
            self._advance(len(numbers))
        for run in large:
            yield from LargeRun(candidates, tables, self._n_outputs, run)
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


def _linked(candidates: LeaderCandidates, runs: Integers, numbers: Integers) -> Integers:
    """Cut the runs of some behaviors on the line of each mean."""
    if not candidates.bounded:
        return np.zeros(len(numbers), np.int64)
    sizes, reaches = candidates.keys[numbers, SIZE], candidates.tolerances[numbers]
    if candidates.measure.row.relative:
        # A relative t allows a distance of t / (1 - t) times the size, at most 2 t for t < 1/2.
        known = (reaches <= 0.25) & (candidates.measure.p == 1)
        reaches = np.where(known, 2 * reaches * sizes, math.inf)
    reaches = np.minimum(reaches, np.finfo(np.float64).max / 2) + KEY_SLACK * sizes + SMALLEST
    linked = runs[numbers]
    for key in candidates.keys[numbers].T:
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


@dataclass(frozen=True, eq=False)
class LeaderCandidates:
    """Distinct behaviors, and what grouping needs to know of them; can be sent away."""

    rows: DistinctRows
    keys: Floats  # (n, 3) their means; see ``Sketches``
    ranks: Integers  # (n,) whom to prefer as a leader: the smaller
    tolerances: Floats  # (n,) two are equal if their distance is at most the sum
    measure: Measure
    second_look: SecondLook | None  # who confirms that what looks equal is equal

    @property
    def bounded(self) -> bool:
        """Whether means bound distances; not if a mismatch of undefined points is finite."""
        return self.measure.undefined == "cemetery" or self.measure.mismatch == math.inf

    def pick(self, numbers: Integers) -> LeaderCandidates:
        """Some of them, ascending."""
        return replace(
            self, rows=self.rows.pick(numbers), keys=self.keys[numbers], ranks=self.ranks[numbers],
            tolerances=self.tolerances[numbers],
        )  # fmt: skip

    def near(self, leaders: Integers, members: Integers) -> Integers:
        """Which of some pairs the keys leave within their tolerance."""
        if not self.bounded:
            return np.arange(len(members))
        keys, others = self.keys[leaders], self.keys[members]
        reaches = self.tolerances[leaders] + self.tolerances[members]
        with np.errstate(over="ignore"):
            if self.measure.row.relative:
                # 2d / (a + b + d) <= t means d <= t (a + b) / (2 - t). Keys know the sizes of
                # p = 1 only.
                sizes = keys[:, SIZE] + others[:, SIZE]
                known = (reaches < 1) & (self.measure.p == 1)
                reaches = np.where(known, reaches * sizes, math.inf)
            gaps = np.abs(keys - others).max(axis=1, initial=0.0)
            slack = KEY_SLACK * keys[:, SIZE] + KEY_SLACK * others[:, SIZE] + SMALLEST
            return np.flatnonzero(gaps <= reaches + slack)

    def equal(self, leaders: Integers, members: Integers, distances: Floats) -> Integers:
        """Which of some pairs are within their tolerance, and on a second look, too."""
        near = np.flatnonzero(distances <= self.tolerances[leaders] + self.tolerances[members])
        if self.second_look is None:
            return near
        return near[self.second_look.confirms(self.rows, leaders[near], members[near])]


def lead_runs(candidates: LeaderCandidates, runs: Integers) -> list[Followers]:
    """Find the leaders in runs that are small enough to hold.

    In each round, the first of every run that has no leader becomes one. Who is in different runs
    is not compared.
    """
    outputs = PreparedRows(candidates.rows, candidates.measure)
    waiting = np.lexsort((candidates.ranks, runs))
    rounds = []
    while len(waiting):
        first = np.concatenate([[True], np.diff(runs[waiting]) > 0])
        begins = np.flatnonzero(first)
        leaders = np.repeat(waiting[first], np.diff(np.append(begins, len(waiting))))[~first]
        members = waiting[~first]
        near = candidates.near(leaders, members)
        distances = outputs.distances(leaders[near], outputs, members[near])
        equal = candidates.equal(leaders[near], members[near], distances)
        some = near[equal]
        rounds.append((members[some], leaders[some], distances[equal]))
        waiting = np.delete(members, some)
    return rounds


class LargeRun:
    """Finds the leaders in a run that is too large to hold, one by one.

    Each looks only at those of about its size, first at their means, then at their sketches, and
    computes distances to what is left.
    """

    def __init__(
        self, candidates: LeaderCandidates, tables: Tables, n_outputs: int, run: Integers
    ) -> None:
        self.candidates, self.tables, self.n_outputs = candidates, tables, n_outputs
        self.run = run[np.argsort(candidates.keys[run, SIZE], kind="stable")]
        self.sizes = candidates.keys[self.run, SIZE]

    def __iter__(self) -> Iterator[Followers]:
        run, candidates = self.run, self.candidates
        free = np.ones(len(run), np.bool_)
        # A member may have a larger tolerance than its leader: the window is wide enough for any.
        widest = float(candidates.tolerances[run].max())
        for place in np.argsort(candidates.ranks[run]).tolist():
            if free[place]:
                free[place] = False
                reach = widest + float(candidates.tolerances[run[place]])
                members = self._window(place, reach)
                members = members[free[members]]
                for followers in self._follow(int(run[place]), run[members]):
                    free[members[np.isin(run[members], followers[0])]] = False
                    yield followers

    def _window(self, place: int, reach: float) -> Integers:
        """The places in the run, which is ordered by size, that are in reach of one of them."""
        # By a relative measure reaches grow with the sizes, and no window of one width holds them.
        if not self.candidates.bounded or self.candidates.measure.row.relative:
            return np.arange(len(self.sizes))
        size = float(self.sizes[place])
        reach += KEY_SLACK * reach + 2 * KEY_SLACK * size + SMALLEST
        low = np.searchsorted(self.sizes, size - reach, side="left")
        high = np.searchsorted(self.sizes, size + reach, side="right")
        return np.arange(int(low), int(high))

    def _follow(self, leader: int, members: Integers) -> Iterator[Followers]:
        """Those of some behaviors that are equal to a leader."""
        candidates = self.candidates
        members = members[candidates.near(np.full(len(members), leader), members)]
        if len(members):
            members = self._near_in_sketches(leader, members)
        if not len(members):
            return
        alone = PreparedRows(candidates.rows.pick(np.array([leader])), candidates.measure)
        for some in chunked(np.sort(members), self.n_outputs):
            others = PreparedRows(candidates.rows.pick(some), candidates.measure)
            zeros = np.zeros(len(some), np.int64)
            distances = alone.distances(zeros, others, np.arange(len(some)))
            leaders = np.full(len(some), leader)
            equal = candidates.equal(leaders, some, distances)
            yield some[equal], leaders[equal], distances[equal]

    def _near_in_sketches(self, leader: int, members: Integers) -> Integers:
        """Those of some behaviors that the sketches leave within the tolerance of a leader."""
        candidates, measure = self.candidates, self.candidates.measure
        limit = float(candidates.tolerances[leader] + candidates.tolerances[members].max())
        # For p = 2 a norm is at most that of p = 1 times the root of the number of outputs.
        widening = self.n_outputs**0.5 if measure.p == 2 else 1.0
        most = passes(limit, float(candidates.keys[leader, SIZE]) * widening, measure)
        (own,) = candidates.rows.split(np.array([leader]))
        table = self.tables[own.which]
        sketch = table.values[table.places[own.rows[0]]]
        near = []
        for part in candidates.rows.split(members):
            table = self.tables[part.which]
            bounds = table.bounds(table.places[part.rows], sketch, measure.p)
            near.append(part.rows[bounds <= most] + part.first)
        return np.concatenate(near)

"""Leader clustering: groups of behaviors that are equal within their tolerances.

In order of preference, whoever has no leader yet becomes one, and takes along everybody without a
leader that is within the tolerance of both. No chains: a member is near its leader. Hartigan's
leader algorithm [1]_, with the order of preference in place of the order of the data.

References
----------
.. [1] J. A. Hartigan, Clustering Algorithms, Wiley 1975, chapter 3.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from symbed._types import Floats, Integers
from symbed.behavior.distinct_rows import DistinctRows, chunked
from symbed.distances.duplicates.confirmation import SecondLook
from symbed.distances.kernels import PreparedRows
from symbed.distances.measure import Measure
from symbed.distances.search.sketch_table import KEY_SLACK, LEAST, SIZE, Sketches, passes

Followers = tuple[Integers, Integers, Floats]  # members, their leaders, the distances between them
Tables = tuple[Sketches, Sketches]  # one for each block of rows


@dataclass(frozen=True, eq=False)
class Candidates:
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

    def pick(self, numbers: Integers) -> Candidates:
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
            slack = KEY_SLACK * keys[:, SIZE] + KEY_SLACK * others[:, SIZE] + LEAST
            return np.flatnonzero(gaps <= reaches + slack)

    def equal(self, leaders: Integers, members: Integers, distances: Floats) -> Integers:
        """Which of some pairs are within their tolerance, and on a second look, too."""
        near = np.flatnonzero(distances <= self.tolerances[leaders] + self.tolerances[members])
        if self.second_look is None:
            return near
        return near[self.second_look.confirms(self.rows, leaders[near], members[near])]


def lead_runs(given: Candidates, runs: Integers) -> list[Followers]:
    """Find the leaders in runs that are small enough to hold.

    In each round, the first of every run that has no leader becomes one. Who is in different runs
    is not compared.
    """
    outputs = PreparedRows(given.rows, given.measure)
    waiting = np.lexsort((given.ranks, runs))
    rounds = []
    while len(waiting):
        first = np.concatenate([[True], np.diff(runs[waiting]) > 0])
        begins = np.flatnonzero(first)
        leaders = np.repeat(waiting[first], np.diff(np.append(begins, len(waiting))))[~first]
        members = waiting[~first]
        near = given.near(leaders, members)
        distances = outputs.distances(leaders[near], outputs, members[near])
        equal = given.equal(leaders[near], members[near], distances)
        some = near[equal]
        rounds.append((members[some], leaders[some], distances[equal]))
        waiting = np.delete(members, some)
    return rounds


class LargeRun:
    """Finds the leaders in a run that is too large to hold, one by one.

    Each looks only at those of about its size, first at their means, then at their sketches, and
    computes distances to what is left.
    """

    def __init__(self, given: Candidates, tables: Tables, n_outputs: int, run: Integers) -> None:
        self.given, self.tables, self.n_outputs = given, tables, n_outputs
        self.run = run[np.argsort(given.keys[run, SIZE], kind="stable")]
        self.sizes = given.keys[self.run, SIZE]

    def __iter__(self) -> Iterator[Followers]:
        run, given = self.run, self.given
        free = np.ones(len(run), np.bool_)
        # A member may have a larger tolerance than its leader: the window is wide enough for any.
        widest = float(given.tolerances[run].max())
        for place in np.argsort(given.ranks[run]).tolist():
            if free[place]:
                free[place] = False
                reach = widest + float(given.tolerances[run[place]])
                members = self._window(place, reach)
                members = members[free[members]]
                for followers in self._follow(int(run[place]), run[members]):
                    free[members[np.isin(run[members], followers[0])]] = False
                    yield followers

    def _window(self, place: int, reach: float) -> Integers:
        """The places in the run, which is ordered by size, that are in reach of one of them."""
        # By a relative measure reaches grow with the sizes, and no window of one width holds them.
        if not self.given.bounded or self.given.measure.row.relative:
            return np.arange(len(self.sizes))
        size = float(self.sizes[place])
        reach += KEY_SLACK * reach + 2 * KEY_SLACK * size + LEAST
        low = np.searchsorted(self.sizes, size - reach, side="left")
        high = np.searchsorted(self.sizes, size + reach, side="right")
        return np.arange(int(low), int(high))

    def _follow(self, leader: int, members: Integers) -> Iterator[Followers]:
        """Those of some behaviors that are equal to a leader."""
        given = self.given
        members = members[given.near(np.full(len(members), leader), members)]
        if len(members):
            members = self._near_in_sketches(leader, members)
        if not len(members):
            return
        alone = PreparedRows(given.rows.pick(np.array([leader])), given.measure)
        for some in chunked(np.sort(members), self.n_outputs):
            others = PreparedRows(given.rows.pick(some), given.measure)
            zeros = np.zeros(len(some), np.int64)
            distances = alone.distances(zeros, others, np.arange(len(some)))
            leaders = np.full(len(some), leader)
            equal = given.equal(leaders, some, distances)
            yield some[equal], leaders[equal], distances[equal]

    def _near_in_sketches(self, leader: int, members: Integers) -> Integers:
        """Those of some behaviors that the sketches leave within the tolerance of a leader."""
        given, measure = self.given, self.given.measure
        limit = float(given.tolerances[leader] + given.tolerances[members].max())
        # For p = 2 a norm is at most that of p = 1 times the root of the number of outputs.
        widening = self.n_outputs**0.5 if measure.p == 2 else 1.0
        most = passes(limit, float(given.keys[leader, SIZE]) * widening, measure)
        (own,) = given.rows.split(np.array([leader]))
        table = self.tables[own.which]
        sketch = table.values[table.places[own.rows[0]]]
        near = []
        for part in given.rows.split(members):
            table = self.tables[part.which]
            bounds = table.bounds(table.places[part.rows], sketch, measure.p)
            near.append(part.rows[bounds <= most] + part.first)
        return np.concatenate(near)

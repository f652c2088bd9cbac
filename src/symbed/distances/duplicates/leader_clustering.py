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
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from symbed._types import Floats, Integers, Singles
from symbed.behavior.distinct_rows import DistinctRows, chunked
from symbed.distances import kernels
from symbed.distances.duplicates.second_look import SecondLook
from symbed.distances.measure import Measure
from symbed.distances.pairs import paired
from symbed.distances.search.query import passes
from symbed.distances.search.sketch_table import KEY_SLACK, LEAST, SIZE, Sketches


class Assignment(NamedTuple):
    """Members, their leaders, and the distances between them."""

    members: Integers
    leaders: Integers
    distances: Floats

    def renumbered(self, numbers: Integers) -> Assignment:
        """The same, where the k-th behavior is called ``numbers[k]``."""
        return Assignment(numbers[self.members], numbers[self.leaders], self.distances)


def joined(parts: list[Assignment]) -> Assignment:
    """Several assignments as one."""
    none = Assignment(np.empty(0, np.int64), np.empty(0, np.int64), np.empty(0))
    return Assignment(*map(np.concatenate, zip(none, *parts, strict=True)))


@dataclass(frozen=True, eq=False)
class ToleranceSet:
    """Distinct behaviors, and what grouping needs to know of them.

    Attributes
    ----------
    rows : DistinctRows
        The behaviors.
    keys : (n, 3) array
        Their means; see ``Sketches``.
    ranks : (n,) array
        Whom to prefer as a leader: the smaller.
    tolerances : (n,) array
        Two are equal if their distance is at most the sum.
    measure : Measure
        How distances are measured.
    second_look : SecondLook or None
        Who confirms that what looks equal is equal.
    """

    rows: DistinctRows
    keys: Floats
    ranks: Integers
    tolerances: Floats
    measure: Measure
    second_look: SecondLook | None = None

    def __len__(self) -> int:
        return len(self.keys)

    @property
    def bounded(self) -> bool:
        """Whether means bound distances; not if a mismatch of undefined points is finite."""
        return self.measure.undefined == "cemetery" or self.measure.mismatch == math.inf

    def pick(self, numbers: Integers) -> ToleranceSet:
        """Some of them, ascending, as a set of its own that can be sent to another process."""
        return ToleranceSet(
            self.rows.pick(numbers), self.keys[numbers], self.ranks[numbers],
            self.tolerances[numbers], self.measure, self.second_look,
        )  # fmt: skip

    def reaches(self, leaders: Integers, members: Integers) -> Floats:
        """The largest plain distances that equal behaviors can have."""
        together = self.tolerances[leaders] + self.tolerances[members]
        if not self.measure.row.relative:
            return together
        # 2d / (a + b + d) <= t means d <= t (a + b) / (2 - t). Keys know the sizes of p = 1 only.
        with np.errstate(over="ignore"):
            sizes = self.keys[leaders, SIZE] + self.keys[members, SIZE]
            return np.where((together < 1) & (self.measure.p == 1), together * sizes, math.inf)

    def near(self, leaders: Integers, members: Integers) -> Integers:
        """Which of some pairs the keys leave within their tolerance."""
        if not self.bounded:
            return np.arange(len(members))
        keys, others = self.keys[leaders], self.keys[members]
        with np.errstate(over="ignore"):
            gaps = np.abs(keys - others).max(axis=1, initial=0.0)
            slack = KEY_SLACK * keys[:, SIZE] + KEY_SLACK * others[:, SIZE] + LEAST
            return np.flatnonzero(gaps <= self.reaches(leaders, members) + slack)

    def equal(self, leaders: Integers, members: Integers, distances: Floats) -> Integers:
        """Which of some pairs are within their tolerance, and on a second look, too."""
        near = np.flatnonzero(distances <= self.tolerances[leaders] + self.tolerances[members])
        if self.second_look is None:
            return near
        return near[self.second_look.confirms(self.rows, leaders[near], members[near])]


class _PreparedOutputs:
    """The outputs of a whole set, as its measure wants to see them."""

    def __init__(self, given: ToleranceSet) -> None:
        self.rows, self.measure = given.rows, given.measure
        self.sides = {
            which: kernels.prepare(block.take(np.arange(len(block))), given.measure)
            for which, block in enumerate(given.rows.blocks)
            if len(block)
        }

    def distances(
        self, numbers: Integers, others: _PreparedOutputs, other_numbers: Integers
    ) -> Floats:
        """Distances of pairs: some of these, and as many of others."""
        distances = np.empty(len(numbers))
        for a in self.rows.split(numbers):
            for b in others.rows.split(other_numbers[a.where]):
                sides = self.sides[a.which], others.sides[b.which]
                rows = a.rows[b.where], b.rows
                distances[a.where[b.where]] = paired(*sides, *rows, self.measure)
        return distances


def group_runs(given: ToleranceSet, runs: Integers) -> Assignment:
    """Find the leaders in a set that is small enough to hold.

    In each round, the first of every run that has no leader becomes one.

    Parameters
    ----------
    given : ToleranceSet
        The behaviors.
    runs : (n,) array
        The run of each; who is in different runs is not compared.
    """
    outputs = _PreparedOutputs(given)
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
        rounds.append(Assignment(members[some], leaders[some], distances[equal]))
        waiting = np.delete(members, some)
    return joined(rounds)


@dataclass(frozen=True, eq=False)
class LeaderClustering:
    """Groups runs that are too large to hold, leader by leader.

    Each leader looks only at those of about its size, first at their means, then at their sketches,
    and computes distances to what is left.

    Attributes
    ----------
    given : ToleranceSet
        The behaviors.
    tables : tuple of Sketches
        Their sketches, block by block.
    n_outputs : int
        Number of outputs of one behavior.
    """

    given: ToleranceSet
    tables: tuple[Sketches, Sketches]
    n_outputs: int

    def group(self, run: Integers) -> Assignment:
        """Find the leaders in a run."""
        given = self.given
        run = run[np.argsort(given.keys[run, SIZE], kind="stable")]
        sizes = given.keys[run, SIZE]
        free = np.ones(len(run), np.bool_)
        widest = float(given.tolerances[run].max())
        groups = []
        for place in np.argsort(given.ranks[run]).tolist():
            if free[place]:
                free[place] = False
                leader = int(run[place])
                window = self._window(sizes, place, widest + float(given.tolerances[leader]))
                members = window[free[window]]
                group = self._follow(leader, run[members])
                free[members[np.isin(run[members], group.members)]] = False
                groups.append(group)
        return joined(groups)

    def _window(self, sizes: Floats, place: int, reach: float) -> Integers:
        """The places in a run, which is ordered by size, that are in reach of one of them."""
        if not self.given.bounded or self.given.measure.row.relative:
            return np.arange(len(sizes))
        size = float(sizes[place])
        reach += KEY_SLACK * reach + 2 * KEY_SLACK * size + LEAST
        low = np.searchsorted(sizes, size - reach, side="left")
        high = np.searchsorted(sizes, size + reach, side="right")
        return np.arange(int(low), int(high))

    def _follow(self, leader: int, members: Integers) -> Assignment:
        """Those of some behaviors that are equal to a leader."""
        given = self.given
        members = members[given.near(np.full(len(members), leader), members)]
        members = self._near_in_sketches(leader, members)
        if not len(members):
            return joined([])
        alone = _PreparedOutputs(given.pick(np.array([leader])))
        parts = []
        for some in chunked(np.sort(members), self.n_outputs):
            others = _PreparedOutputs(given.pick(some))
            zeros = np.zeros(len(some), np.int64)
            distances = alone.distances(zeros, others, np.arange(len(some)))
            leaders = np.full(len(some), leader)
            equal = given.equal(leaders, some, distances)
            parts.append(Assignment(some[equal], leaders[equal], distances[equal]))
        return joined(parts)

    def _near_in_sketches(self, leader: int, members: Integers) -> Integers:
        """Those of some behaviors that the sketches leave within the tolerance of a leader."""
        if not len(members):
            return members
        given, measure = self.given, self.given.measure
        limit = float(given.tolerances[leader] + given.tolerances[members].max())
        # For p = 2 a norm is at most that of p = 1 times the root of the number of outputs.
        widening = self.n_outputs**0.5 if measure.p == 2 else 1.0
        most = passes(limit, float(given.keys[leader, SIZE]) * widening, measure)
        sketch = self._sketch(leader)
        near = [np.empty(0, np.int64)]
        for part in given.rows.split(members):
            table = self.tables[part.which]
            bounds = table.bounds(table.places[part.rows], sketch, measure.p)
            near.append(part.rows[bounds <= most] + part.first)
        return np.concatenate(near)

    def _sketch(self, number: int) -> Singles:
        (part,) = self.given.rows.split(np.array([number]))
        table = self.tables[part.which]
        sketch: Singles = table.values[table.places[part.rows[0]]]
        return sketch

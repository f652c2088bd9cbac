"""Crowding: a run too large to hold goes in; who follows whom comes out, leader by leader.

Each leader looks only at those of about its size, first at their means, then at their sketches, and
computes distances to what is left.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from symbed._types import Floats, Integers
from symbed.distances.duplicates.grouping import Crowd, Following, Outputs, joined
from symbed.distances.row_pieces import spans
from symbed.distances.search.query import passes
from symbed.distances.search.sketch_table import KEY_SLACK, LEAST, SIZE, Sketches


@dataclass(frozen=True, eq=False)
class Throng:
    """A crowd with its sketches.

    Attributes
    ----------
    crowd : the behaviors.
    tables : the sketches of the fixed and of the varied ones.
    n_outputs : of one behavior.
    """

    crowd: Crowd
    tables: tuple[Sketches, Sketches]
    n_outputs: int

    def group(self, run: Integers) -> Following:
        """Find the leaders in a run."""
        crowd = self.crowd
        run = run[np.argsort(crowd.keys[run, SIZE], kind="stable")]
        sizes = crowd.keys[run, SIZE]
        free = np.ones(len(run), np.bool_)
        widest = float(crowd.tolerances[run].max())
        found = []
        for place in np.argsort(crowd.ranks[run]).tolist():
            if free[place]:
                free[place] = False
                leader = int(run[place])
                window = self._window(sizes, place, widest + float(crowd.tolerances[leader]))
                members = window[free[window]]
                some = self._follow(leader, run[members])
                free[members[np.isin(run[members], some.members)]] = False
                found.append(some)
        return joined(found)

    def _window(self, sizes: Floats, place: int, reach: float) -> Integers:
        """The places in a run, which is ordered by size, that are in reach of one of them."""
        if not self.crowd.bounded or self.crowd.measure.row.relative:
            return np.arange(len(sizes))
        size = float(sizes[place])
        reach += KEY_SLACK * reach + 2 * KEY_SLACK * size + LEAST
        low = np.searchsorted(sizes, size - reach, side="left")
        high = np.searchsorted(sizes, size + reach, side="right")
        return np.arange(int(low), int(high))

    def _follow(self, leader: int, members: Integers) -> Following:
        """Those of some behaviors that are equal to a leader."""
        crowd = self.crowd
        members = members[crowd.near(np.full(len(members), leader), members)]
        members = self._near_in_sketches(leader, members)
        if not len(members):
            return joined([])
        alone = Outputs(crowd.part(np.array([leader])))
        found = []
        for some in spans(np.sort(members), self.n_outputs):
            zeros = np.zeros(len(some), np.int64)
            distances = alone.distances(zeros, Outputs(crowd.part(some)), np.arange(len(some)))
            joins = distances <= crowd.tolerances[leader] + crowd.tolerances[some]
            leaders = np.full(int(joins.sum()), leader)
            found.append(Following(some[joins], leaders, distances[joins]))
        return joined(found)

    def _near_in_sketches(self, leader: int, members: Integers) -> Integers:
        """Those of some behaviors that the sketches leave within the tolerance of a leader."""
        if not len(members):
            return members
        crowd, n_fixed = self.crowd, len(self.crowd.blocks[0])
        limit = float(crowd.tolerances[leader] + crowd.tolerances[members].max())
        # For p = 2 a norm is at most that of p = 1 times the root of the number of outputs.
        norm = (
            float(crowd.keys[leader, SIZE]) * (self.n_outputs if crowd.measure.p == 2 else 1) ** 0.5
        )
        most = passes(limit, norm, crowd.measure)
        sketch = self._sketch(leader)
        found = []
        for table, rows, before in zip(self.tables, crowd.rows(members), (0, n_fixed), strict=True):
            if len(rows):
                bounds = table.bounds(table.places[rows], sketch, crowd.measure.p)
                found.append(rows[bounds <= most] + before)
        return np.concatenate(found)

    def _sketch(self, number: int) -> NDArray[np.float32]:
        n_fixed = len(self.crowd.blocks[0])
        table = self.tables[int(number >= n_fixed)]
        found: NDArray[np.float32] = table.values[
            table.places[number - n_fixed * (number >= n_fixed)]
        ]
        return found

"""Grouping: behaviors with tolerances go in; who follows whom, and how far away, comes out.

In order of preference, whoever has no leader yet becomes one, and takes along everybody without a
leader that is within the tolerance of both. No chains: a member is near its leader.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from symbed._types import Booleans, Floats, Integers
from symbed.behavior.blocks import Block
from symbed.distances import kernels
from symbed.distances.measure import Measure
from symbed.distances.pairs import paired
from symbed.distances.row_pieces import piece
from symbed.distances.search.sketch_table import KEY_SLACK, LEAST, SIZE


class Following(NamedTuple):
    """Members, their leaders, and the distances between them."""

    members: Integers
    leaders: Integers
    distances: Floats

    def renumbered(self, numbers: Integers) -> Following:
        """The same, where the k-th behavior is called ``numbers[k]``."""
        return Following(numbers[self.members], numbers[self.leaders], self.distances)


@dataclass(frozen=True, eq=False)
class Crowd:
    """Distinct behaviors, the fixed ones first, and what grouping needs to know of them.

    Attributes
    ----------
    blocks : the fixed and the varied ones.
    keys : (n, 3) their means; see ``Sketches``.
    ranks : (n,) whom to prefer: the smaller.
    tolerances : (n,) two are equal if their distance is at most the sum.
    measure : how distances are measured.
    """

    blocks: tuple[Block, Block]
    keys: Floats
    ranks: Integers
    tolerances: Floats
    measure: Measure

    def __len__(self) -> int:
        return len(self.keys)

    @property
    def bounded(self) -> bool:
        """Whether means bound distances; not if a mismatch of undefined points is finite."""
        return self.measure.undefined == "cemetery" or self.measure.mismatch == math.inf

    def part(self, numbers: Integers) -> Crowd:
        """Some of them, as a crowd of its own; the fixed ones must be listed first."""
        rows = self.rows(numbers)
        fixed, varied = (piece(b, r) for b, r in zip(self.blocks, rows, strict=True))
        return Crowd(
            (fixed, varied), self.keys[numbers], self.ranks[numbers], self.tolerances[numbers],
            self.measure,
        )  # fmt: skip

    def rows(self, numbers: Integers) -> tuple[Integers, Integers]:
        """Which rows of the two blocks some of them are."""
        n_fixed = len(self.blocks[0])
        return numbers[numbers < n_fixed], numbers[numbers >= n_fixed] - n_fixed

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


class Outputs:
    """The outputs of all of a crowd.

    Attributes
    ----------
    sides : prepared outputs of the fixed and of the varied ones.
    """

    def __init__(self, crowd: Crowd) -> None:
        self.measure, self.n_fixed = crowd.measure, len(crowd.blocks[0])
        self.sides = [_all_of(block, crowd.measure) for block in crowd.blocks]

    def distances(self, left: Integers, others: Outputs, right: Integers) -> Floats:
        """Distances of pairs: some of these, and as many of others."""
        found = np.empty(len(left))
        for a in (0, 1):
            for b in (0, 1):
                here = (left >= self.n_fixed) == bool(a)
                here &= (right >= others.n_fixed) == bool(b)
                one, other = self.sides[a], others.sides[b]
                if one is not None and other is not None and here.any():
                    rows = left[here] - a * self.n_fixed, right[here] - b * others.n_fixed
                    found[here] = paired(one, other, *rows, self.measure)
        return found


def _all_of(block: Block, measure: Measure) -> kernels.Side | None:
    return kernels.prepare(block.take(np.arange(len(block))), measure) if len(block) else None


def group(crowd: Crowd, runs: Integers) -> Following:
    """Find the leaders of a small crowd; who is in different runs is not compared.

    In each round, the first of every run that has no leader becomes one.
    """
    outputs = Outputs(crowd)
    waiting = np.lexsort((crowd.ranks, runs))
    found = []
    while len(waiting):
        first = np.concatenate([[True], np.diff(runs[waiting]) > 0])
        begins = np.flatnonzero(first)
        leaders = np.repeat(waiting[first], np.diff(np.append(begins, len(waiting))))[~first]
        members = waiting[~first]
        near = crowd.near(leaders, members)
        distances = outputs.distances(leaders[near], outputs, members[near])
        joins = _equal(crowd, leaders[near], members[near], distances)
        some = near[joins]
        found.append(Following(members[some], leaders[some], distances[joins]))
        waiting = np.delete(members, some)
    return joined(found)


def _equal(
    crowd: Crowd, leaders: Integers, members: Integers, distances: Floats
) -> NDArray[np.bool_]:
    equal: Booleans = distances <= crowd.tolerances[leaders] + crowd.tolerances[members]
    return equal


def joined(parts: list[Following]) -> Following:
    """Several as one."""
    none = Following(np.empty(0, np.int64), np.empty(0, np.int64), np.empty(0))
    return Following(*map(np.concatenate, zip(none, *parts, strict=True)))

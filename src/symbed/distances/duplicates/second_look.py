"""A second look: candidates are compared at points and draws that had no part in finding them.

At the points of a probe, formulas that differ can agree: a wave that has a zero at each of them, a
peak between two. So before two expressions are merged they are observed again elsewhere, far from
the points of the first look, where whatever is hidden from it must be. Only candidates pay for it.

A needle can be too narrow for any number of points. But who writes one has to write down where it
is, ``exp(-1e9*(x - 3.1)^2)``: so formulas are looked at beside the numbers in them, too.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from symbed._types import Booleans, Floats, Integers
from symbed.behavior.atlas import Atlas
from symbed.behavior.distinct_rows import Block, DistinctRows, Stored
from symbed.distances import kernels
from symbed.distances.duplicates.named_places import has_numbers, named_points
from symbed.distances.duplicates.tolerances import Tolerances
from symbed.distances.measure import Measure
from symbed.distances.pairs import paired
from symbed.engine.structures.observations import SortedOutputs
from symbed.limits import OUTPUTS
from symbed.sampling.designs import named
from symbed.sampling.probe import Probe
from symbed.sampling.ranges import Law

FRESH_POINTS = 512  # many for each gap of the usual 64 points: what hides there can be narrow
FAR_POINTS = 256  # of them are as far from the points of the first look as can be
LEAST_DRAWS = 8  # fresh draws are few: what hides hides between points
POOL = 4096  # random places to choose far points from
FRESH_STREAM = 7  # of random numbers; what designs draw from has other numbers
ROOM = 2.0  # a given threshold may be passed by the error of two samples


@dataclass(frozen=True, eq=False)
class SecondLook:
    """Tells whether expressions that looked equal under one probe are equal under another.

    Attributes
    ----------
    tolerances : Tolerances
        What rounding does at the fresh points and draws.
    measure : Measure
        How distances are measured.
    within : float or None
        The threshold that was given, if any.
    given_points : bool
        Whether the points are a user's own, beside which there is nothing.
    """

    tolerances: Tolerances
    measure: Measure
    within: float | None
    given_points: bool = False

    @classmethod
    def of(cls, atlas: Atlas, measure: Measure, within: float | None) -> SecondLook | None:
        """The second look at an atlas; None at samples, which cannot be observed again."""
        if atlas.probe is None:
            return None
        probe = atlas.probe
        tolerances = Tolerances.under(fresh_probe(probe), measure)
        return cls(tolerances, measure, within, probe.data is not None)

    def confirms(self, rows: DistinctRows, leaders: Integers, members: Integers) -> Booleans:
        """Which pairs of some rows are equal here, too."""
        confirmed = self._are_near(rows, leaders, members, self.tolerances)
        for pairs, probe in self._named_places(rows, leaders, members, np.flatnonzero(confirmed)):
            tolerances = Tolerances.under(probe, self.measure)
            confirmed[pairs] = self._are_near(rows, leaders[pairs], members[pairs], tolerances)
        return confirmed

    def _are_near(
        self, rows: DistinctRows, leaders: Integers, members: Integers, tolerances: Tolerances
    ) -> Booleans:
        """Which pairs of some rows are equal at the points of a probe."""
        if not len(leaders):
            return np.empty(0, np.bool_)
        numbers, places = np.unique(np.concatenate([leaders, members]), return_inverse=True)
        picked = rows.pick(numbers)
        sides: dict[int, SortedOutputs] = {}
        rounding = np.empty(len(numbers))
        for part in picked.split(np.arange(len(numbers))):
            seen = _observed(part.block, tolerances)
            rounding[part.where] = tolerances.measure_all(seen)
            sides[part.which] = kernels.prepare(seen.take(np.arange(len(seen))), self.measure)
        a, b = places[: len(leaders)], places[len(leaders) :]
        allowed = rounding[a] + rounding[b]
        if self.within is not None:
            allowed = np.maximum(allowed, ROOM * self.within)
        return self._distances(picked, sides, a, b) <= allowed

    def _named_places(
        self, rows: DistinctRows, leaders: Integers, members: Integers, pairs: Integers
    ) -> Iterator[tuple[Integers, Probe]]:
        """Pairs whose formulas have numbers beside variables, and a probe at such places."""
        probe = self.tolerances.probe
        if self.given_points or not len(pairs):
            return
        numbers = np.unique(np.concatenate([leaders[pairs], members[pairs]]))
        with_numbers = numbers[has_numbers(rows.pick(numbers))]
        pairs = pairs[np.isin(leaders[pairs], with_numbers) | np.isin(members[pairs], with_numbers)]
        waiting: list[int] = []
        points: list[Floats] = []
        for pair in pairs.tolist():
            found = named_points(rows, [int(leaders[pair]), int(members[pair])], probe)
            if len(found):
                waiting.append(pair)
                points.append(found)
            if waiting and sum(map(len, points)) > FRESH_POINTS:
                yield np.array(waiting), _at(probe, np.concatenate(points))
                waiting, points = [], []
        if waiting:
            yield np.array(waiting), _at(probe, np.concatenate(points))

    def is_empty(self, rows: DistinctRows, numbers: Integers) -> Booleans:
        """Which of some rows are defined nowhere here, either."""
        empty = np.empty(len(numbers), np.bool_)
        picked = rows.pick(numbers)
        for part in picked.split(np.arange(len(numbers))):
            _, counts = _observed(part.block, self.tolerances).take(np.arange(len(part.rows)))
            empty[part.where] = ~counts.any(axis=1)
        return empty

    def _distances(
        self, rows: DistinctRows, sides: dict[int, SortedOutputs], a: Integers, b: Integers
    ) -> Floats:
        distances = np.empty(len(a))
        for left in rows.split(a):
            for right in rows.split(b[left.where]):
                pair = sides[left.which], sides[right.which]
                chosen = left.rows[right.where], right.rows
                distances[left.where[right.where]] = paired(*pair, *chosen, self.measure)
        return distances


def _observed(block: Block, tolerances: Tolerances) -> Stored:
    values, defined = tolerances.observer.evaluate(block.rows)
    return Stored((values,), (defined,), block.rows)


@lru_cache(maxsize=8)
def fresh_probe(probe: Probe) -> Probe:
    """A probe of the same space with other points and draws; given points stay as they are."""
    if probe.data is not None:
        return probe.redrawn()
    n_points = max(probe.n_points, FRESH_POINTS)
    n_draws = min(probe.n_draws, max(LEAST_DRAWS, probe.n_draws * probe.n_points // n_points))
    n_points = min(n_points, OUTPUTS.maximum // n_draws)
    unit = _far_points(probe.unit_points, n_points, (probe.seed, FRESH_STREAM))
    laws = [Law.of(law) for law in probe.domain.values()]
    points = np.stack([law.at(unit[:, j]) for j, law in enumerate(laws)], axis=1)
    return _at(probe.with_(n_draws=n_draws, seed=probe.seed + 1), points)


def _at(probe: Probe, points: Floats) -> Probe:
    """The probe at other points."""
    return Probe.at(
        points, probe.variables, parameters=probe.parameters, n_draws=probe.n_draws,
        design=probe.design, limit=probe.limit, seed=probe.seed,
    )  # fmt: skip


def _far_points(seen: Floats, count: int, key: tuple[int, int]) -> Floats:
    """Random points in the unit cube, the first of them far from those that were seen.

    Farthest first, among random places: what is narrow can only hide in the gaps. Not in their very
    middles, where a wave may have a zero again. Many points are close to everything anyway.
    """
    places = named("random").points(max(POOL, count), seen.shape[1], key)
    if len(seen) > FRESH_POINTS:
        return places[:count]
    gaps = np.full(len(places), np.inf)
    for point in seen:
        np.minimum(gaps, np.abs(places - point).max(axis=1), out=gaps)
    chosen = np.arange(count)
    for number in range(min(FAR_POINTS, count)):
        chosen[number] = np.argmax(gaps)
        np.minimum(gaps, np.abs(places - places[chosen[number]]).max(axis=1), out=gaps)
    # In random order: alignment looks at some of them, evenly spread by number.
    return places[np.unique(chosen)]

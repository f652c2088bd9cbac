"""Confirmation: what looked equal is looked at again before it is merged.

At the points of a probe, formulas that differ can agree: a wave that has a zero at each of them, a
peak between two. So before two expressions are merged they are observed again, with other draws,
far from the points of the first look, where whatever is hidden from it must be. Only candidates pay
for it. A needle can be too narrow for any number of points. But who writes one has to write down
where it is, ``exp(-1e9*(x - 3.1)^2)``: so formulas are looked at beside the numbers in them, too.

Who wants more than that gets a verdict on every pair.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice, pairwise, product
from typing import Any

import numpy as np

from symbed._types import Booleans, Floats, Integers
from symbed.behavior.atlas import Atlas
from symbed.behavior.behavior import Behavior
from symbed.behavior.distinct_rows import DistinctRows, take_programs
from symbed.behavior.observation import Observer, Source
from symbed.distances.duplicates.tolerances import Tolerances
from symbed.distances.kernels import PreparedRows
from symbed.distances.measure import Measure
from symbed.engine.packed_programs import PackedPrograms
from symbed.engine.program import NUMBER, VARIABLE, Program
from symbed.errors import DataError, MissingExtra, SymbedError
from symbed.language.expression import Expression
from symbed.limits import OUTPUTS
from symbed.sampling.designs import named
from symbed.sampling.probe import Probe
from symbed.sampling.ranges import Law

FRESH_POINTS = 512  # many for each gap of the usual 64 points: what hides there can be narrow
FAR_POINTS = 256  # of them are as far from the points of the first look as can be
MIN_DRAWS = 8  # fresh draws are few: what hides hides between points
POOL = 4096  # random places to choose far points from
FRESH_STREAM = 7  # of random numbers; what designs draw from has other numbers
ROOM = 2.0  # a given threshold may be passed by the error of two samples
MAX_VALUES = 4  # numbers beside one variable that are looked at
MAX_PLACES = 64  # of one pair
# How far beside a number to look, of the range: the number itself may be a removable singularity.
BESIDE = (1e-4, -3e-7)


@dataclass(frozen=True, eq=False)
class SecondLook:
    """Tells whether expressions that looked equal under one probe are equal under another."""

    tolerances: Tolerances  # at the fresh points and draws
    measure: Measure
    within: float | None  # the threshold that was given, if any
    given_points: bool  # whether the points are a user's own, beside which there is nothing

    @classmethod
    def of(cls, atlas: Atlas, measure: Measure, within: float | None) -> SecondLook | None:
        """The second look at an atlas; None at samples, which cannot be observed again."""
        if atlas.probe is None:
            return None
        tolerances = Tolerances.under(fresh_probe(atlas.probe), measure)
        return cls(tolerances, measure, within, atlas.probe.data is not None)

    def confirms(self, rows: DistinctRows, leaders: Integers, members: Integers) -> Booleans:
        """Which pairs of some rows are equal here, too."""
        confirmed = self._are_near(rows, leaders, members, self.tolerances)
        for pairs, probe in self._named_places(rows, leaders, members, np.flatnonzero(confirmed)):
            tolerances = Tolerances.under(probe, self.measure)
            confirmed[pairs] = self._are_near(rows, leaders[pairs], members[pairs], tolerances)
        return confirmed

    def is_empty(self, rows: DistinctRows) -> Booleans:
        """Which of some rows are defined nowhere here, either."""
        seen = rows.observed(self.tolerances.observer)
        n_outputs = self.tolerances.probe.n_points * self.tolerances.probe.n_draws
        return np.concatenate([~counts.any(axis=1) for _, counts in seen.tiles(n_outputs)])

    def _are_near(
        self, rows: DistinctRows, leaders: Integers, members: Integers, tolerances: Tolerances
    ) -> Booleans:
        """Which pairs of some rows are equal at the points of a probe."""
        if not len(leaders):
            return np.empty(0, np.bool_)
        numbers, places = np.unique(np.concatenate([leaders, members]), return_inverse=True)
        seen = rows.pick(numbers).observed(tolerances.observer)
        rounding = tolerances.measure_all(seen)
        a, b = places[: len(leaders)], places[len(leaders) :]
        allowed = rounding[a] + rounding[b]
        if self.within is not None:
            allowed = np.maximum(allowed, ROOM * self.within)
        outputs = PreparedRows(seen, self.measure)
        return np.asarray(outputs.distances(a, outputs, b) <= allowed)

    def _named_places(
        self, rows: DistinctRows, leaders: Integers, members: Integers, pairs: Integers
    ) -> Iterator[tuple[Integers, Probe]]:
        """Pairs whose formulas have numbers beside variables, and a probe at such places."""
        probe = self.tolerances.probe
        if self.given_points or not len(pairs):
            return
        numbers = np.unique(np.concatenate([leaders[pairs], members[pairs]]))
        with_numbers = numbers[_has_numbers(rows.pick(numbers))]
        pairs = pairs[np.isin(leaders[pairs], with_numbers) | np.isin(members[pairs], with_numbers)]
        waiting: list[int] = []
        points: list[Floats] = []
        for pair in pairs.tolist():
            beside = _named_points(rows, np.array([leaders[pair], members[pair]]), probe)
            if len(beside):
                waiting.append(pair)
                points.append(beside)
            # Many pairs share a look: another probe costs as much as the outputs of a few pairs.
            if waiting and (pair == pairs[-1] or sum(map(len, points)) > FRESH_POINTS):
                yield np.array(waiting), _at(probe, np.concatenate(points))
                waiting, points = [], []


@lru_cache(maxsize=8)
def fresh_probe(probe: Probe) -> Probe:
    """A probe of the same space with other points and draws; given points stay as they are."""
    if probe.data is not None:
        return probe.redrawn()
    n_points = max(probe.n_points, FRESH_POINTS)
    # About as many outputs as the first look had: draws are traded for points.
    n_draws = min(probe.n_draws, max(MIN_DRAWS, probe.n_draws * probe.n_points // n_points))
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


def _named_points(rows: DistinctRows, numbers: Integers, probe: Probe) -> Floats:
    """Points beside the numbers that the formulas of some rows have next to their variables.

    The points of the probe tell the ranges; a variable without numbers takes values from them.
    """
    low, high = probe.points.min(axis=0), probe.points.max(axis=0)
    values: list[list[float]] = [[] for _ in probe.variables]
    for part in rows.split(numbers):
        for program in take_programs(part.block.rows, part.rows):
            for column, value in _beside_variables(program):
                # x + 3.1 is about -3.1: the sign stands in the operator.
                near = [v for v in (value, -value) if low[column] < v < high[column]]
                values[column] += [v for v in near if v not in values[column]][:1]
    if not any(values):
        return np.empty((0, len(values)))
    choices = [
        some[:MAX_VALUES] if some else probe.points[[1, -2], column].tolist()
        for column, some in enumerate(values)
    ]
    places = np.array(list(islice(product(*choices), MAX_PLACES)))
    return np.concatenate([places + share * (high - low) for share in BESIDE])


def _has_numbers(rows: DistinctRows) -> Booleans:
    """(n,) which rows are programs with numbers in them: most have none, and are not read."""
    has_some = []
    for block in rows.blocks:
        known = take_programs(block.rows, np.arange(len(block)))
        if isinstance(known, PackedPrograms) and len(known):
            counts = np.concatenate([[0], np.cumsum(known.words == NUMBER)])
            has_some.append(np.diff(counts[known.starts]) > 0)
        else:
            has_some.append(np.array([isinstance(row, Program) for row in known], np.bool_))
    return np.concatenate(has_some)


def _beside_variables(program: object) -> list[tuple[int, float]]:
    """Each number that stands next to a variable in a program, with the variable's column."""
    if not isinstance(program, Program):
        return []
    words = np.frombuffer(program.words, np.int32).tolist()
    items: list[int | float] = []  # a float is a number, an integer any other word
    place = 0
    while place < len(words):
        if words[place] == NUMBER:
            bits = np.array(words[place + 1 : place + 3], np.int32)
            items.append(float(bits.view(np.float64)[0]))
            place += 2
        else:
            items.append(words[place])
        place += 1
    beside = list(pairwise(items))
    pairs = beside + [(b, a) for a, b in beside]
    return [
        # The top bits of a word tell its kind: 1 is a variable, and the rest its column.
        (word ^ VARIABLE, value)
        for word, value in pairs
        if isinstance(word, int) and word >> 28 == 1 and isinstance(value, float)
    ]


class Judge:
    """Tells by a verdict whether two sources of an atlas are equal.

    Formulas without parameters are decided as functions on the domain of the probe, families are
    related over its ranges.
    """

    def __init__(self, atlas: Atlas) -> None:
        if atlas.probe is None:
            raise DataError("confirm='decide' needs formulas, and these behaviors came as samples")
        probe = atlas.probe
        self._observer = Observer(probe)
        if probe.data is None:
            self._domain = {name: _ends(law) for name, law in probe.domain.items()}
        else:  # the box around given points
            box = np.stack([probe.data.min(axis=0), probe.data.max(axis=0)], axis=1).tolist()
            self._domain = {name: (*ends,) for name, ends in zip(probe.variables, box, strict=True)}
        given = probe.parameters
        self._parameters: Any = None if given is None else _ends(given)
        if isinstance(given, Mapping):
            self._parameters = {name: _ends(law) for name, law in given.items()}

    def are_equal(self, e: Source | Behavior, f: Source | Behavior) -> bool:
        """Whether a verdict says so; what cannot be decided is not equal."""
        # Verdicts are a room further down, and load python-flint: only for whoever asks for proof.
        from symbed.verdicts import decide, relate

        one, other = self._expression(e), self._expression(f)
        bound = self._observer.roles.parameters
        try:
            if not bound(one) and not bound(other):
                return bool(decide(one, other, self._domain).verdict == "equal")
            related = relate(one, other, self._domain, self._parameters)
            return bool(related.relation == "same")
        # Without python-flint nothing is proven, and "not equal" would be no answer.
        except MissingExtra:
            raise
        except SymbedError:  # such as an operator of which no balls are known
            return False

    def _expression(self, source: Source | Behavior) -> Expression:
        read = source if isinstance(source, Behavior) else self._observer.read(source)
        if not isinstance(read, Expression):
            raise DataError(f"confirm='decide' needs formulas, and {read.label!r} is a callable")
        return read


def _ends(law: Any) -> tuple[float, float]:
    """Where a law begins and ends."""
    given = Law.of(law)
    low, high = (given.low, given.high) if given.source is None else given.at([0.0, 1.0]).tolist()
    return low, high

"""Proof: a member stays with its representative only where a verdict says that they are equal.

Formulas without parameters are decided as functions on the domain of the probe, families are
related over its ranges. What stays undecided is kept apart: nothing is merged without a verdict.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from symbed._types import Integers
from symbed.behavior.behavior import Behavior
from symbed.behavior.observation import Observer, Source
from symbed.distances.duplicates.partition import Partition, in_runs
from symbed.errors import DataError, MissingExtra, SymbedError
from symbed.language.expression import Expression
from symbed.sampling.ranges import Law

if TYPE_CHECKING:
    from symbed.behavior.atlas import Atlas
    from symbed.distances.measure import Measure
    from symbed.sampling.probe import Probe


class Judge:
    """Tells whether two sources of an atlas are equal by a verdict.

    Parameters
    ----------
    atlas : Atlas
        Its probe gives the domain and the ranges of parameters.
    """

    def __init__(self, atlas: Atlas) -> None:
        if atlas.probe is None:
            raise DataError("confirm='decide' needs formulas, and these behaviors came as samples")
        self._observer = Observer(atlas.probe)
        self._domain, self._parameters = _domain(atlas.probe), _parameters(atlas.probe)

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
        except MissingExtra:
            raise
        except SymbedError:  # such as an operator of which no balls are known
            return False

    def _expression(self, source: Source | Behavior) -> Expression:
        read = source if isinstance(source, Behavior) else self._observer.read(source)
        if not isinstance(read, Expression):
            raise DataError(f"confirm='decide' needs formulas, and {read.label!r} is a callable")
        return read


def prove(
    partition: Partition, ranks: Integers, measure: Measure, advance: Callable[[int], None]
) -> None:
    """Take out of a partition's groups whatever is not proven; leaders are chosen as before."""
    from symbed.distances.pair_distance import distance

    atlas, judge = partition.atlas, Judge(partition.atlas)
    groups = atlas.source_groups
    best = np.minimum.reduceat(ranks[groups.members], groups.starts[:-1])
    preferred = np.argsort(ranks)[best].tolist()  # source of each distinct behavior
    for group in list(in_runs(partition.leaders)):
        waiting = group[np.argsort(best[group])].tolist()
        is_new = False  # whether the leader was taken out of a larger group
        while waiting:
            leader, apart = waiting.pop(0), []
            if is_new:
                partition.lead(leader, leader, 0.0)
            for member in waiting:
                pair = preferred[leader], preferred[member]
                if not judge.are_equal(*(atlas.sources[source] for source in pair)):
                    apart.append(member)
                elif is_new:
                    near = distance(*(atlas[source] for source in pair), measure=measure)
                    partition.lead(leader, member, near)
                advance(1)
            waiting, is_new = apart, True


def _domain(probe: Probe) -> dict[str, Any]:
    """The range of each variable; of given points the box around them."""
    if probe.data is None:
        return {name: _ends(law) for name, law in probe.domain.items()}
    ends = zip(probe.data.min(axis=0).tolist(), probe.data.max(axis=0).tolist(), strict=True)
    return dict(zip(probe.variables, ends, strict=True))


def _parameters(probe: Probe) -> tuple[float, float] | Mapping[str, tuple[float, float]] | None:
    given = probe.parameters
    if isinstance(given, Mapping):
        return {name: _ends(law) for name, law in given.items()}
    return None if given is None else _ends(given)


def _ends(law: Any) -> tuple[float, float]:
    """Where a law begins and ends."""
    given = Law.of(law)
    low, high = (given.low, given.high) if given.source is None else given.at([0.0, 1.0]).tolist()
    return low, high

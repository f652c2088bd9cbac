"""Sources: an atlas goes in; which of its sources share a behavior comes out."""

from __future__ import annotations

from dataclasses import dataclass
from weakref import WeakKeyDictionary

import numpy as np

from symbed._types import Integers
from symbed.behavior.atlas import Atlas


@dataclass(frozen=True, eq=False)
class Sources:
    """Which sources share a distinct behavior; the fixed ones are numbered first.

    Attributes
    ----------
    members : (n_sources,) sources, ordered by their distinct behavior.
    starts : (n_distinct + 1,) where the sources of each begin.
    """

    members: Integers
    starts: Integers

    def counts(self, numbers: Integers) -> Integers:
        """The number of sources of some distinct behaviors."""
        return self.starts[numbers + 1] - self.starts[numbers]

    def first(self, numbers: Integers, k: int) -> Integers:
        """Among some distinct behaviors, those k that own the first sources."""
        if len(numbers) <= k:
            return numbers
        return numbers[np.argpartition(self.members[self.starts[numbers]], k - 1)[:k]]

    def expand(self, numbers: Integers) -> tuple[Integers, Integers]:
        """The sources of some distinct behaviors, and which of these each comes from."""
        counts = self.counts(numbers)
        owners = np.repeat(np.arange(len(numbers)), counts)
        inside = np.arange(len(owners)) - np.repeat(np.cumsum(counts) - counts, counts)
        return self.members[self.starts[numbers][owners] + inside], owners


_sources: WeakKeyDictionary[Atlas, Sources] = WeakKeyDictionary()


def sources_of(atlas: Atlas) -> Sources:
    """The sources of an atlas by distinct behavior; made once and kept."""
    found = _sources.get(atlas)
    if found is None:
        numbers = distinct_numbers(atlas)
        counts = np.bincount(numbers, minlength=atlas.n_distinct)
        starts = np.concatenate([[0], np.cumsum(counts)])
        found = _sources[atlas] = Sources(np.argsort(numbers, kind="stable"), starts)
    return found


def distinct_numbers(atlas: Atlas) -> Integers:
    """(n_sources,) the number of each source's behavior among the distinct ones, fixed first."""
    return np.where(atlas.places >= 0, atlas.places, len(atlas.fixed) - 1 - atlas.places)

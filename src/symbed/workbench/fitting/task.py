"""The work of one call to an engine: programs, data, bounds and starts; and the arrays it fills."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from symbed._types import Floats, Integers


@dataclass(frozen=True)
class Task:
    """Programs, and the targets that each of them is fitted to.

    Fit number ``k * n_targets + t`` is that of program k to target t.

    Attributes
    ----------
    words, starts : code of all programs, and (n_programs + 1,) where each begins.
    variables : (n_variables, n_points) inputs.
    target : (n_points,) or (n_targets, n_points) the wanted outputs, times ``scale``; NaN leaves a
        point out.
    scale : a power of two that brings the target nearer to 1, so that squares stay in range; one
        for all targets, or (n_targets,).
    floor : sums of squared errors of the scaled target up to this are rounding: a perfect fit; one
        for all targets, or (n_targets,).
    bounds : (n_ranges, 2) low and high of the parameters of each range.
    initial : (n_ranges, n_starts, n_slots) where descents may start; a program takes for each of
        its slots the column of the slot's range.
    n_descents : how many of the starts, the best ones, are gone down from.
    max_iterations : steps tried in one descent.
    places : (n_fits + 1,) where the values of each fit begin.
    own : (n_targets, n_own, n_slots) starts of each target, which come before the others.
    middles : (n_targets,) sizes of the targets: descents go over the circle first, where outputs
        pass through poles (see ``chords`` of ``fitting_twin``); None goes down plainly.
    """

    words: NDArray[np.int32]
    starts: Integers
    variables: Floats
    target: Floats
    scale: float | Floats
    floor: float | Floats
    bounds: Floats
    initial: Floats
    n_descents: int
    max_iterations: int
    places: Integers
    own: Floats | None = None
    middles: Floats | None = None

    @property
    def targets(self) -> Floats:
        """The targets as (n_targets, n_points)."""
        return np.atleast_2d(self.target)

    @property
    def scales(self) -> Floats:
        """The scale of each target."""
        return np.broadcast_to(np.asarray(self.scale, np.float64), len(self.targets))

    @property
    def floors(self) -> Floats:
        """The floor of each target."""
        return np.broadcast_to(np.asarray(self.floor, np.float64), len(self.targets))

    @property
    def own_starts(self) -> Floats:
        """Each target's own starts, (n_targets, n_own, n_slots)."""
        if self.own is None:
            return np.empty((len(self.targets), 0, self.initial.shape[2]))
        return self.own

    def arrays(self) -> tuple[NDArray[Any], ...]:
        """The arrays that the engines read, in the order of the native structure."""
        return (
            self.words, self.starts, self.variables, self.targets, self.scales, self.floors,
            self.bounds, self.initial, self.own_starts, self.places,
        )  # fmt: skip


@dataclass(frozen=True)
class Results:
    """What an engine fills.

    Attributes
    ----------
    values : fitted parameters of all fits by slot, cut by ``Task.places``.
    errors : (n_fits, 2) root mean squared and mean absolute error, inf where undefined.
    counts : (n_fits, 2) evaluations of the program, and whether the best descent came to rest.
    """

    values: Floats
    errors: Floats
    counts: NDArray[np.int32]

    @classmethod
    def empty(cls, places: Integers) -> Results:
        """Arrays for fits whose values begin at these places."""
        n = len(places) - 1
        return cls(np.empty(places[-1]), np.empty((n, 2)), np.empty((n, 2), np.int32))


def cuts(lengths: Sequence[int]) -> Integers:
    """Where pieces of these lengths begin when they are put behind each other, and the end."""
    return np.concatenate([[0], np.cumsum(np.asarray(lengths, np.int64))]).astype(np.int64)

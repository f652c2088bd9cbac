"""Programs with the targets that they are fitted to, and the fits."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from symbed._types import Floats, Integers


@dataclass(frozen=True, eq=False)
class FitTask:
    """Programs, and the targets that each of them is fitted to.

    Fit number ``k * n_targets + t`` is that of program k to target t.

    Attributes
    ----------
    words, starts : NDArray[np.int32], Integers
        Code of all programs, and (n_programs + 1,) where each begins.
    variables : Floats
        (n_variables, n_points) inputs.
    target : Floats
        (n_points,) or (n_targets, n_points) the wanted outputs, times ``scale``; NaN leaves a point
        out.
    scale : float or Floats
        A power of two that brings the target nearer to 1, so that squares stay in range; one for
        all targets, or (n_targets,).
    floor : float or Floats
        Sums of squared errors of the scaled target up to this are rounding: a perfect fit; one for
        all targets, or (n_targets,).
    bounds : Floats
        (n_ranges, 2) low and high of the parameters of each range.
    initial : Floats
        (n_ranges, n_starts, n_slots) where descents may start; a program takes for each of its
        slots the column of the slot's range.
    n_descents : int
        How many of the starts, the best ones, are gone down from.
    max_iterations : int
        Steps tried in one descent.
    places : Integers
        (n_fits + 1,) where the values of each fit begin.
    own : Floats, optional
        (n_targets, n_own, n_slots) starts of each target, which come before the others.
    middles : Floats, optional
        (n_targets,) sizes of the targets: descents go over the circle first, where outputs pass
        through poles (see ``symbed.engine.reference.fitting``); None goes down plainly.
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


@dataclass(frozen=True, eq=False)
class FitResults:
    """What an engine fills.

    Attributes
    ----------
    values : Floats
        Fitted parameters of all fits by slot, cut by ``FitTask.places``.
    errors : Floats
        (n_fits, 2) root mean squared and mean absolute error, inf where undefined.
    counts : NDArray[np.int32]
        (n_fits, 2) evaluations of the program, and whether the best descent came to rest.
    """

    values: Floats
    errors: Floats
    counts: NDArray[np.int32]

    @classmethod
    def empty(cls, places: Integers) -> FitResults:
        """Arrays for fits whose values begin at these places."""
        n = len(places) - 1
        return cls(np.empty(places[-1]), np.empty((n, 2)), np.empty((n, 2), np.int32))

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
    """Programs, and the data that each of them is fitted to.

    Attributes
    ----------
    words, starts : code of all programs, and (n_programs + 1,) where each begins.
    variables : (n_variables, n_points) inputs.
    target : (n_points,) the wanted outputs, times ``scale``.
    scale : a power of two that brings the target nearer to 1, so that squares stay in range.
    floor : sums of squared errors of the scaled target up to this are rounding: a perfect fit.
    bounds : (n_ranges, 2) low and high of the parameters of each range.
    initial : (n_ranges, n_starts, n_slots) where descents may start; a program takes for each of
        its slots the column of the slot's range.
    n_descents : how many of the starts, the best ones, are gone down from.
    max_iterations : steps tried in one descent.
    places : (n_programs + 1,) where the values of each program begin.
    """

    words: NDArray[np.int32]
    starts: Integers
    variables: Floats
    target: Floats
    scale: float
    floor: float
    bounds: Floats
    initial: Floats
    n_descents: int
    max_iterations: int
    places: Integers

    def arrays(self) -> tuple[NDArray[Any], ...]:
        """The arrays that the engines read, in the order of the native structure."""
        return (
            self.words, self.starts, self.variables, self.target, self.bounds, self.initial,
            self.places,
        )  # fmt: skip


@dataclass(frozen=True)
class Results:
    """What an engine fills.

    Attributes
    ----------
    values : fitted parameters of all programs by slot, cut by ``Task.places``.
    errors : (n_programs, 2) root mean squared and mean absolute error, inf where undefined.
    counts : (n_programs, 2) evaluations of the program, and whether the best descent came to rest.
    """

    values: Floats
    errors: Floats
    counts: NDArray[np.int32]

    @classmethod
    def empty(cls, places: Integers) -> Results:
        """Arrays for programs whose values begin at these places."""
        n = len(places) - 1
        return cls(np.empty(places[-1]), np.empty((n, 2)), np.empty((n, 2), np.int32))


def cuts(lengths: Sequence[int]) -> Integers:
    """Where pieces of these lengths begin when they are put behind each other, and the end."""
    return np.concatenate([[0], np.cumsum(np.asarray(lengths, np.int64))]).astype(np.int64)

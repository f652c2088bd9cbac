"""The parameter values of a probe, in the layout that the engine reads.

Values are sample-major (draws x points), one table per column, and the tables of range r start at
r * n_columns. What was made once is kept and grows on demand; the numbers do not depend on that.
"""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Sequence

import numpy as np

from symbed._types import Floats
from symbed.sampling.designs import Design, Key
from symbed.sampling.ranges import Law

EFFECT_BITS = 26  # effects are rounded to so many bits, so that the last ones do not decide
KEPT_ORDERED = 1 << 18  # values, 2 MiB: more are ordered again by each observer
KEPT_VALUES = 1 << 24  # a law's columns are kept up to 128 MiB; beyond, they are made each time


class ParameterDraws:
    """The draws of one probe.

    Parameters
    ----------
    design : Design
        How the draws fill the unit cube.
    laws : sequence of Law
        What unit numbers become; a law's place is its range id.
    key : tuple of int
        Which random numbers.
    n_points : int
        Number of points.
    part : (int, int, int)
        Start, step and full: every step-th of ``full`` draws, from ``start`` on.
    """

    def __init__(
        self,
        design: Design,
        laws: Sequence[Law],
        key: Key,
        n_points: int,
        part: tuple[int, int, int],
    ) -> None:
        self.design, self.laws, self.key, self.part = design, tuple(laws), key, part
        self.n_points = n_points
        self._kept: dict[int, Floats] = {}
        self._ordered: dict[int, Floats] = {}
        self._lock = threading.Lock()  # threads that observe share a probe

    def values(self, n_columns: int, program_key: int | str | bytes | None = None) -> Floats:
        """(laws * n_columns, draws, points), or (..., draws, 1) where one set serves all points."""
        if self.design.fresh or not self.laws:
            units = self._units(range(n_columns), (*self.key, _word(program_key)))
            tables = [law.at(units) for law in self.laws] or [units[:0]]
        else:
            tables = [self._grown(number, n_columns) for number in range(len(self.laws))]
        return tables[0] if len(tables) == 1 else np.concatenate(tables)

    def ordered(self, n_columns: int) -> Floats:
        """The values, the draws at each point in the order of the first column's."""
        kept = self._ordered.get(n_columns)
        if kept is not None:
            return kept
        columns = self.values(n_columns)
        # One order for all columns at a point: each draw stays one vector of parameters. Ties in
        # the first column may fall either way, since outputs are sorted after that.
        ordered = np.take_along_axis(columns, np.argsort(columns[:1], axis=1), axis=1)
        ordered.setflags(write=False)
        if ordered.size <= KEPT_ORDERED:
            self._ordered[n_columns] = ordered
        return ordered

    def _grown(self, number: int, n_columns: int) -> Floats:
        """The columns of one law; those that are not there yet are made and kept."""
        with self._lock:
            kept = self._kept.get(number)
            have = 0 if kept is None else len(kept)
            if kept is None or have < n_columns:
                # Only what is missing: a column depends on its number alone, never on how many
                # there are.
                new = self.laws[number].at(self._units(range(have, n_columns), self.key))
                kept = new if kept is None else np.concatenate([kept, new])
                kept.setflags(write=False)
                if kept.size <= KEPT_VALUES:
                    self._kept[number] = kept
            return kept[:n_columns]

    def _units(self, columns: range, key: Key) -> Floats:
        # All draws are made and some are taken: a half has the very numbers of the whole.
        start, step, full = self.part
        return self.design.draws(full, columns, range(self.n_points), key)[:, start::step]


def _word(program_key: int | str | bytes | None) -> int:
    """Any key as an integer for the counters."""
    if isinstance(program_key, int) or program_key is None:
        return program_key or 0
    content = program_key.encode() if isinstance(program_key, str) else program_key
    return int.from_bytes(hashlib.sha256(content).digest()[:8], "little")


def order_by_effect(effects: Floats) -> list[int]:
    """The column of draws for each slot, so that equivalent spellings draw alike.

    Any assignment of columns to parameters is a valid sample of an expression's distribution.
    Giving the first column to the parameter with the largest effect makes equivalent spellings draw
    the same values, so that their distance is zero to rounding instead of sampling noise.

    Parameters
    ----------
    effects : ndarray
        Change of the output at each sentinel point when a slot moves and the others rest,
        (n_slots, n_sentinels); whatever is not finite counts as none.

    Examples
    --------
    >>> order_by_effect(np.array([[0.1, 0.1], [2.0, 1.0], [1.0, 2.0]]))
    [2, 0, 1]
    """
    effects = np.where(np.isfinite(effects), effects, 0.0)
    with np.errstate(over="ignore"):
        total = np.zeros(len(effects))
        # One by one, in the order of the native engine; np.sum may add in another and round
        # otherwise.
        for column in effects.T:
            total = total + column
    keys = rounded(np.column_stack([total, effects]))
    # lexsort decides by its last key first, and ties keep the order of the slots.
    ranked = np.lexsort([-column for column in keys.T[::-1]])
    columns = np.empty(len(effects), np.int64)
    columns[ranked] = np.arange(len(effects))
    return columns.tolist()


def rounded(numbers: Floats) -> Floats:
    """Numbers rounded to nearest at ``EFFECT_BITS`` bits of mantissa."""
    mantissa, exponent = np.frexp(numbers)
    with np.errstate(invalid="ignore"):
        # A sum that overflowed stays infinite.
        kept = np.rint(mantissa * 2.0**EFFECT_BITS)
    return np.asarray(np.ldexp(kept, exponent - EFFECT_BITS))

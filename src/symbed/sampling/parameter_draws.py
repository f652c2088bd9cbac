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
        self._lock = threading.Lock()

    def values(
        self,
        n_columns: int,
        law_ids: Sequence[int] | None = None,
        program_key: int | str | bytes | None = None,
        rows: range | None = None,
    ) -> Floats:
        """(laws * n_columns, draws, points), or (..., draws, 1) where one set serves all points."""
        ids = range(len(self.laws)) if law_ids is None else law_ids
        if self.design.fresh or rows is not None:
            key = (*self.key, _word(program_key)) if self.design.fresh else self.key
            units = self._units(range(n_columns), rows or range(self.n_points), key)
            tables = [self.laws[law_id].at(units) for law_id in ids]
        else:
            tables = [self._grown(law_id, n_columns) for law_id in ids]
        if not tables:
            return self._units(range(0), rows or range(self.n_points), self.key)
        return tables[0] if len(tables) == 1 else np.concatenate(tables)

    def _grown(self, law_id: int, n_columns: int) -> Floats:
        with self._lock:
            kept = self._kept.get(law_id)
            have = 0 if kept is None else len(kept)
            if have < n_columns:
                kept = self._extended(law_id, kept, n_columns)
                if kept.size <= KEPT_VALUES:
                    self._kept[law_id] = kept
            assert kept is not None
            return kept[:n_columns]

    def _extended(self, law_id: int, kept: Floats | None, n_columns: int) -> Floats:
        have = 0 if kept is None else len(kept)
        units = self._units(range(have, n_columns), range(self.n_points), self.key)
        new = self.laws[law_id].at(units)
        grown = new if kept is None else np.concatenate([kept, new])
        grown.setflags(write=False)
        return grown

    def _units(self, columns: range, rows: range, key: Key) -> Floats:
        start, step, full = self.part
        return self.design.draws(full, columns, rows, key)[:, start::step]


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
        for column in effects.T:
            total = total + column
    keys = rounded(np.column_stack([total, effects]))
    ranked = np.lexsort([-column for column in keys.T[::-1]])
    columns = np.empty(len(effects), np.int64)
    columns[ranked] = np.arange(len(effects))
    return columns.tolist()


def rounded(numbers: Floats) -> Floats:
    """Numbers rounded to nearest at ``EFFECT_BITS`` bits of mantissa."""
    mantissa, exponent = np.frexp(numbers)
    with np.errstate(invalid="ignore"):
        kept = np.rint(mantissa * 2.0**EFFECT_BITS)
    return np.asarray(np.ldexp(kept, exponent - EFFECT_BITS))

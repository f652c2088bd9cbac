"""Designs: how points and parameter draws fill the unit cube, and the draws of one probe.

A design is one row of ``DESIGNS``. Columns are made one by one from counters, so a new parameter
never changes the columns before it, and any block of points can be made alone.
"""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Callable, Sequence
from functools import partial
from typing import Literal, NamedTuple

import numpy as np

from symbed._types import Floats, Integers
from symbed.errors import RangeError
from symbed.sampling.counter_rng import hashes, permutation, uniforms
from symbed.sampling.discrepancy import (
    DIMENSIONS,
    Key,
    affordable_sweeps,
    beside_the_middles,
    lower_discrepancy,
    ranks,
    reorder,
    tent,
)
from symbed.sampling.ranges import Law

Points = Callable[[int, int, Key], Floats]
Column = Callable[[int, int, range, Key], Floats]
Scatter = Literal["even", "strata", "free"]

FEW_POINTS = 32  # a lattice of more is a better start for swaps than random orders
LEAST_SWEEPS = 2  # where fewer are affordable, a lattice is as good
ORDER, PLACE, SWAPS = 1, 2, 3  # what a random number is for, so that no two uses share one

EFFECT_BITS = 26  # effects are rounded to so many bits, so that the last ones do not decide
KEPT_ORDERED = 1 << 18  # values, 2 MiB: more are ordered again by each observer
KEPT_VALUES = 1 << 24  # a law's columns are kept up to 128 MiB; beyond, they are made each time


class Design(NamedTuple):
    """How points and draws fill the unit cube.

    Attributes
    ----------
    name : str
        What ``Probe(design=...)`` takes.
    points : callable
        From (n, d, key) to the (n, d) points.
    column : callable
        From (m, column, rows, key) to one parameter's draws at these points, (m, len(rows)).
    per_point : bool
        Whether every point has draws of its own; otherwise one set serves them all.
    aligned : bool
        Whether parameters take the columns in order of their effect.
    fresh : bool
        Whether every expression has draws of its own.
    scatter : {"even", "strata", "free"}
        How points are spread, for their standard error: evenly, in strata, or freely.
    """

    name: str
    points: Points
    column: Column
    per_point: bool = False
    aligned: bool = True
    fresh: bool = False
    scatter: Scatter = "even"

    def draws(self, m: int, columns: range, rows: range, key: Key) -> Floats:
        """Unit draws of some columns at some points: (columns, m, rows), or (columns, m, 1)."""
        rows = rows if self.per_point else range(1)
        made = [self.column(m, column, rows, key) for column in columns]
        return np.stack(made) if made else np.empty((0, m, len(rows)))


def named(name: str) -> Design:
    """The design of this name."""
    if name not in DESIGNS:
        raise RangeError(f"unknown design {name!r}; choose one of {', '.join(DESIGNS)}")
    return DESIGNS[name]


def _lattice_points(n: int, d: int, key: Key) -> Floats:
    """Evenly spaced values in an order that starts as a lattice, or the shifted tent lattice.

    In one dimension they are mirrored pairs. In several, up to some hundred points, a reordered
    lattice is better than a folded one: what repeated runs lack to ranking expressions alike
    (``symbed reproduce consistency``) falls by 20 to 60 % at 64 and 128 points in 4, 6 and 8
    variables. At 256 points the gain is 40 % in 4 variables, and 5 % in 8 after 50 ms of search.
    """
    if d == 1:
        return _mirrored_pairs(n, key)[:, None]
    sweeps = affordable_sweeps(n, d)
    if sweeps < LEAST_SWEEPS:
        return _tent_points(n, d, key)
    lattice = n > FEW_POINTS
    orders = [(_cells if lattice else _random_cells)(n, j, key) for j in range(d)]
    return beside_the_middles(reorder(np.stack(orders, axis=1), sweeps), (*key, PLACE))


def _mirrored_pairs(n: int, key: Key) -> Floats:
    """One point in each of n cells, those of two neighboring cells mirrored at their common edge.

    The midpoints of cells are as accurate on smooth functions and see nothing of a wave that has
    its zeros there, whatever the seed. A random place in every cell sees it and has 3.4 times the
    error; in mirrored pairs slopes cancel, and the error is that of the midpoints. Three cells that
    are left have places that add up to the middle, too. No point comes nearer than an eighth of a
    step (1/8n) to an edge of the cube, and a single one is its middle.
    """
    if n == 1:
        return np.array([0.5])
    # An odd n leaves three cells, not one, which could cancel its slope at its middle only.
    n_pairs = n // 2 - n % 2
    first = uniforms(n_pairs, *key, PLACE)
    # Only pairs that touch an edge of the cube; with an odd n the last one does not, three cells
    # follow.
    for end in {0, n_pairs - 1 + n % 2} & set(range(n_pairs)):
        first[end] = 0.125 + 0.75 * first[end]
    pairs = np.stack([first, 1.0 - first], axis=1).ravel()
    turn = uniforms(n % 2, *key, PLACE, start=n_pairs)
    # These add up to 3/2 for every turn, and the last keeps half a cell from the edge.
    three = np.concatenate([0.5 + 0.5 * turn, 1.0 - turn, 0.5 * turn])
    return np.asarray((np.arange(n) + np.concatenate([pairs, three])) / n)


def _tent_points(n: int, d: int, key: Key) -> Floats:
    """The shifted tent lattice, at least a quarter step (1/4n) from the edges of the cube.

    A point on an edge meets the pole of 1/log(x) there. The shifts of two dimensions must differ in
    their place inside a cell, or else x0 equals x1 at many points and 1/(x0 - x1) is infinite.
    """
    cells = np.stack([_cells(n, j, key) for j in range(d)], axis=1)
    places = np.array([uniforms(1, *key, j, PLACE)[0] for j in range(d)])
    return tent((cells + _off_the_edges(places, n)) / n)


def _off_the_edges(places: Floats, n: int) -> Floats:
    """Places inside a cell that the tent keeps a quarter step from 0 and 1.

    The ends of a cell can fold onto 0; with an odd n the middle of the middle cell folds onto 1.
    """
    # The tent doubles distances: an eighth of a cell becomes a quarter step.
    if n % 2 == 0:
        return 0.125 + 0.75 * places
    return np.where(places < 0.5, 0.125 + 0.5 * places, 0.375 + 0.5 * places)


def _cells(n: int, dimension: int, key: Key) -> Integers:
    """The cell of each point in one dimension; beyond the lattice's dimensions, a random order."""
    if dimension >= DIMENSIONS:
        return _random_cells(n, dimension, key)
    # Whole cells are turned, too: a shift inside one step is biased, up to 5 times the error at d =
    # 4.
    turn = int(hashes(1, *key, dimension, ORDER)[0] % np.uint64(n))
    return (ranks(n, dimension) + turn) % n


def _random_cells(n: int, dimension: int, key: Key) -> Integers:
    return permutation(n, *key, dimension, ORDER)


def _lattice_column(m: int, column: int, rows: range, key: Key) -> Floats:
    """The tent lattice with an independent random shift at every point.

    Independent, because quasi-random shifts resonate with the lattice. The shift does not depend on
    m, so the draws at m are among those at 2m.
    """
    shifts = uniforms(len(rows), *key, column, PLACE, start=rows.start)
    if column < DIMENSIONS:
        return tent((ranks(m, column)[:, None] / m + shifts) % 1.0)
    return tent((_orders(m, column, rows, key) + shifts) / m)


def _orders(m: int, column: int, rows: range, key: Key) -> Integers:
    """A random order of 0 .. m-1 for every point, as columns."""
    # Numbered by point and draw, so that a block of points has the numbers it has in the whole.
    marks = hashes(m * len(rows), *key, column, ORDER, start=m * rows.start)
    return np.argsort(marks.reshape(len(rows), m), axis=1, kind="stable").T


def _points_of(column: Column, n: int, d: int, key: Key) -> Floats:
    """Points whose coordinates are the draws of ``d`` columns at one point."""
    return np.stack([column(n, j, range(1), key)[:, 0] for j in range(d)], axis=1)


def _latin_column(m: int, column: int, rows: range, key: Key) -> Floats:
    """One value in each of m equal cells, anywhere inside it, in random order."""
    places = uniforms(m * len(rows), *key, column, PLACE, start=m * rows.start)
    return (_orders(m, column, rows, key) + places.reshape(len(rows), m).T) / m


def _optimized_points(n: int, d: int, key: Key) -> Floats:
    return lower_discrepancy(_points_of(_latin_column, n, d, key), (*key, SWAPS))


def _random_column(m: int, column: int, rows: range, key: Key) -> Floats:
    flat = uniforms(m * len(rows), *key, column, PLACE, start=m * rows.start)
    return flat.reshape(len(rows), m).T


# Their errors over the paper's: lattice 0.067, shared 0.141, lhs 0.91, random 5.2 (python -m
# benchmarks.accuracy; docs/design.md has the table).
_LATTICE = _lattice_points, _lattice_column
_LATIN = partial(_points_of, _latin_column), _latin_column
_RANDOM = partial(_points_of, _random_column), _random_column
_PAPER = _optimized_points, _latin_column
DESIGNS: dict[str, Design] = {
    design.name: design
    for design in (
        Design("lattice", *_LATTICE, per_point=True),
        Design("shared", *_LATTICE),
        Design("lhs", *_LATIN, scatter="free"),
        Design("random", *_RANDOM, scatter="free"),
        Design("paper", *_PAPER, aligned=False, fresh=True, scatter="strata"),
    )
}


class ParameterDraws:
    """The parameter values of one probe, in the layout that the engine reads.

    Values are sample-major (draws x points), one table per column, and the tables of range r start
    at r * n_columns. What was made once is kept and grows on demand; the numbers do not depend on
    that.

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

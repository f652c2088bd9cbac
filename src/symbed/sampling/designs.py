"""Designs: how points and parameter draws fill the unit cube.

A design is one row of ``DESIGNS``. Columns are made one by one from counters, so a new parameter
never changes the columns before it, and any block of points can be made alone.

The default ones are rank-1 lattices: point i has the coordinates {i z_j / N}, j = 0 .. 7. Folding a
randomly shifted lattice by the tent 1 - |2u - 1| makes its error fall like N**-2 on smooth
functions, whether they are periodic or not.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import lru_cache
from typing import Literal, NamedTuple

import numpy as np

from symbed._types import Floats, Integers
from symbed.errors import RangeError
from symbed.sampling.counter_rng import hashes, permutation, uniforms
from symbed.sampling.discrepancy import (
    affordable_sweeps,
    beside_the_middles,
    lower_discrepancy,
    reorder,
)

Key = tuple[int, ...]  # seed and stream: where in the space of random numbers a table lives
Points = Callable[[int, int, Key], Floats]
Column = Callable[[int, int, range, Key], Floats]
Scatter = Literal["even", "strata", "free"]

FEW_POINTS = 32  # a lattice of more is a better start for swaps than random orders
LEAST_SWEEPS = 2  # where fewer are affordable, a lattice is as good
ORDER, PLACE, SWAPS = 1, 2, 3  # what a random number is for, so that no two uses share one

DIMENSIONS = 8
MODULUS = 1 << 20
# One generator for every power of two up to 2**20: reduced modulo N it generates N points, which
# are among those of 2N. From tools/lattice_generator.py.
NESTED = (1, 1032343, 380059, 645485, 881803, 639257, 342205, 631921)

CANDIDATES = 32  # of these the best generator is within 1.3 of the best of all, at a few ms
MANY_POINTS = 4096  # beyond, so few evenly spread candidates lie too near to multiples of n/64
BESIDE = (-2, 0, 2)  # the candidates around each slope of the nested generator


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


def _latin_points(n: int, d: int, key: Key) -> Floats:
    return np.stack([_latin_column(n, j, range(1), key)[:, 0] for j in range(d)], axis=1)


def _latin_column(m: int, column: int, rows: range, key: Key) -> Floats:
    """One value in each of m equal cells, anywhere inside it, in random order."""
    places = uniforms(m * len(rows), *key, column, PLACE, start=m * rows.start)
    return (_orders(m, column, rows, key) + places.reshape(len(rows), m).T) / m


def _optimized_points(n: int, d: int, key: Key) -> Floats:
    return lower_discrepancy(_latin_points(n, d, key), (*key, SWAPS))


def _random_points(n: int, d: int, key: Key) -> Floats:
    return np.stack([_random_column(n, j, range(1), key)[:, 0] for j in range(d)], axis=1)


def _random_column(m: int, column: int, rows: range, key: Key) -> Floats:
    flat = uniforms(m * len(rows), *key, column, PLACE, start=m * rows.start)
    return flat.reshape(len(rows), m).T


def tent(u: Floats) -> Floats:
    """The unit interval folded in two: 0 and 1 go to 0, the middle to 1."""
    return 1.0 - np.abs(2.0 * u - 1.0)


def ranks(n: int, dimension: int) -> Integers:
    """Which of the n cells each point has in one dimension: a permutation of 0 .. n-1."""
    return np.arange(n, dtype=np.int64) * generator(n)[dimension] % n


@lru_cache(maxsize=256)
def generator(n: int) -> tuple[int, ...]:
    """The generator of n points: the nested one for powers of two, else searched for."""
    if n & (n - 1) == 0 and n <= MODULUS:
        return tuple(z % n if n > 1 else 1 for z in NESTED)
    return _search(n)


def _search(n: int) -> tuple[int, ...]:
    """Component by component, the candidate with the least worst-case error.

    The lattice of any n, made this way, has 0.5 to 0.9 times the error of the first n points of the
    next power of two in radical-inverse order.
    """
    candidates = _coprimes(n, CANDIDATES) if n <= MANY_POINTS else _near_nested(n)
    # The first component is 1: multiplying all by a unit renumbers the points only.
    components, product = [1], _kernel(1, n)
    while len(components) < DIMENSIONS:
        errors = np.array([np.dot(_kernel(z, n), product) / n - 1.0 for z in candidates])
        # Mirrored lattices tie exactly; the first within rounding wins, on every machine.
        best = candidates[int(np.argmax(errors <= errors.min() * (1.0 + 1e-9)))]
        components.append(best)
        product = product * _kernel(best, n)
    return tuple(components)


def _coprimes(n: int, count: int) -> list[int]:
    """Numbers up to n/2 without a common factor with n, evenly spread."""
    # Up to n/2, since B2(u) = B2(1 - u): z and n - z have the same error.
    wanted = (1 + (k * (n // 2)) // count for k in range(count))
    spread = {_next_coprime(z, n) for z in wanted}
    return sorted(spread)


def _near_nested(n: int) -> list[int]:
    """Numbers without a common factor with n, whose slopes z/n are nearly the nested generator's.

    With n = 262,033 the worst-case error in six dimensions is 1.03 times that of 2**18 points; of
    candidates near multiples of n/16 the best has 200 times.
    """
    slopes = (round(n * z / MODULUS) % n + beside for z in NESTED[1:] for beside in BESIDE)
    return sorted({_next_coprime(max(1, z), n) for z in slopes})


def _next_coprime(z: int, n: int) -> int:
    while math.gcd(z, n) != 1:
        z += 1
    return z


def _kernel(z: int, n: int) -> Floats:
    """1 + B2 at the points of one dimension, B2 the second Bernoulli polynomial."""
    # The mean over the points of the product of these, minus 1, is the squared worst-case error of
    # a randomly shifted lattice (functions with square-integrable mixed first derivatives).
    u = (np.arange(n, dtype=np.int64) * z % n) / n
    return np.asarray(1.0 + (u * u - u + 1.0 / 6.0))


# Their errors over the paper's: lattice 0.067, shared 0.141, lhs 0.91, random 5.2 (python -m
# benchmarks.accuracy; docs/design.md has the table).
DESIGNS: dict[str, Design] = {
    design.name: design
    for design in (
        Design("lattice", _lattice_points, _lattice_column, per_point=True),
        Design("shared", _lattice_points, _lattice_column),
        Design("lhs", _latin_points, _latin_column, scatter="free"),
        Design("random", _random_points, _random_column, scatter="free"),
        Design(
            "paper", _optimized_points, _latin_column, aligned=False, fresh=True, scatter="strata"
        ),
    )
}

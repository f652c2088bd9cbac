"""Standard errors of a mean over the points of a design, and how wide an interval they make.

Points of a lattice are no independent sample: sd/sqrt(n) would blame the sampling for the shape of
the function. What a plane through the neighbors of a point misses by is what counts.
"""

from __future__ import annotations

import math
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from symbed._types import Floats, Integers

WIDTH = 2.0  # standard errors on each side of an interval, if many residuals tell of them
WIDEST = 6.0  # ... and if one residual outweighs all others
ROUGH = 0.5  # planes that leave so much of the standard deviation explain nothing
# Student's t for 95 %, expanded in one over its degrees of freedom (Cornish and Fisher).
STUDENT = (1.96, 2.372, 2.823, 2.556)

MANY_POINTS, WATCHED_POINTS = 1024, 512  # beyond many, the residuals at some stand for all
MIN_WATCHED, SEARCHES = 64, 1 << 25  # of which each looks through all points
BLOCK = 1 << 18  # coordinates that are looked through at once: 2 MB

LARGEST = 1e70  # numbers are cut off there, so that no power of them overflows
DEPENDENT = 1e-10  # share of a column that is rounding, if so little is left beside the others
ROUNDS = 2  # of Gram and Schmidt, which are as good as reflections (Giraud et al., 2005)


def as_costs(distances: Floats, factor: float, order: int) -> Floats:
    """Distances times a factor, to a power; huge ones are cut off, infinite ones stay."""
    with np.errstate(over="ignore"):
        scaled = distances * factor
    if not np.abs(scaled).max(initial=0.0) <= LARGEST:  # NaN is not, either
        cut = np.clip(scaled, -LARGEST, LARGEST)
        scaled = np.where(np.isinf(distances), distances, cut)
    return np.asarray(scaled if order == 1 else scaled**order)


def mean(costs: Floats) -> float:
    """Their mean, with the bits of ``np.mean``, which takes four times as long for a few."""
    return float(np.add.reduce(costs)) / len(costs)


class Scatter(NamedTuple):
    """How much a mean would have changed, had the sample been another."""

    error: float  # its standard error; infinite where nothing can be said
    size: float = math.inf  # residuals that tell of it: (sum r^2)^2 / sum r^4 outweigh the others

    @property
    def half_width(self) -> float:
        """Half the width of an interval that holds the true mean in 95 of 100 cases.

        >>> Scatter(1.0).half_width, Scatter(1.0, size=3.0).half_width > 4
        (2.0, True)
        """
        freedom = max(self.size - 1.0, 0.1)
        student = sum(part / freedom**power for power, part in enumerate(STUDENT))
        return self.error * min(max(student, WIDTH), WIDEST) if self.error else 0.0

    def beside(self, error: float) -> Scatter:
        """With an independent error beside it."""
        return Scatter(math.hypot(self.error, error), self.size)


def point_scatter(costs: Floats, positions: Floats, scatter: str = "even") -> Scatter:
    """Scatter of the mean cost from the choice of points.

    A plane through its 2d + 2 nearest neighbors predicts each cost; what it misses by counts as
    noise. That holds what the draws of a point add by chance, and what the points left out between
    them. ``scatter`` says how the points, ``positions`` in the unit cube, were spread: "even", on a
    lattice; "strata", anywhere in each of n cells of each variable, which adds slope times width of
    a cell; or "free", anywhere.
    """
    n, d = positions.shape
    if n == 1:
        return Scatter(math.inf)
    if scatter == "free":
        return _scatter(costs - costs.mean(), n, lost=1)
    watched, near, weights = _planes(np.ascontiguousarray(positions).tobytes(), n, d)
    planes = (weights * costs[near][:, None, :]).sum(axis=2)  # einsum's order is the machine's
    residuals = costs[watched] - planes[:, 0]
    single = _scatter(residuals, n)
    if scatter == "strata":
        # A place anywhere in a cell of width 1/n has the variance 1/(12 n^2).
        slopes = float(np.mean(np.sum(planes[:, 1:] ** 2, axis=1))) / (12.0 * n * n)
        return single.beside(math.sqrt(slopes / n))
    return _mirrored(costs, single) if d == 1 else single


def line_scatter(costs: Floats, places: Floats) -> Scatter:
    """Scatter of the mean cost from evenly spread places on a line, (n,), however many.

    As ``point_scatter``, but a line between the two neighbors predicts each cost: there is nothing
    to search and to solve, so that a thousand places take some microseconds.
    """
    if len(costs) < 3:
        return Scatter(math.inf if len(costs) < 2 else float(np.ptp(costs)))
    order = np.argsort(places, kind="stable")
    t, c = places[order], costs[order]
    shares = (t[1:-1] - t[:-2]) / (t[2:] - t[:-2])
    residuals = c[1:-1] - c[:-2] - shares * (c[2:] - c[:-2])
    return _mirrored(c, _scatter(residuals, len(c)))


def _mirrored(costs: Floats, single: Scatter) -> Scatter:
    """For points in mirrored pairs: what is rough can be alike at both points of each pair.

    cos(2 pi n x) is, and then half of the points tell nothing. Smooth costs are left alone: the
    pairs' means would count their shape as noise.
    """
    n = len(costs)
    if n < 4 or single.error * math.sqrt(n) <= ROUGH * float(costs.std()):
        return single
    means = costs[: n // 2 * 2].reshape(-1, 2).mean(axis=1)
    pairs = _scatter(means - means.mean(), len(means), lost=1)
    return pairs if pairs.error > single.error else single


def _scatter(residuals: Floats, n: int, lost: int = 0) -> Scatter:
    """Of the mean of n costs, from residuals of all or some; ``lost`` of them are not free."""
    largest = float(np.abs(residuals).max(initial=0.0))
    if largest == 0.0:
        return Scatter(0.0)
    squares = (residuals / largest) ** 2  # scaled, so that fourth powers do not underflow
    total = float(squares.sum())
    error = largest * math.sqrt(total / (len(residuals) - lost) / n)
    return Scatter(error, total * total / float((squares * squares).sum()))


@lru_cache(maxsize=4)
def _planes(positions: bytes, n: int, d: int) -> tuple[Integers, Integers, Floats]:
    """Which points are watched, their neighbors, and the weights of a plane through these.

    The weights (watched, d + 1, neighbors) give the plane's value at the watched point, then its
    slopes.
    """
    # Bytes, since arrays have no hash; all comparisons with one probe share the planes.
    points = np.frombuffer(positions).reshape(n, d)
    some = n if n <= MANY_POINTS else min(WATCHED_POINTS, max(MIN_WATCHED, SEARCHES // n))
    watched = np.arange(some) * n // some
    near = _nearest(points, watched)
    offsets = points[near] - points[watched][:, None, :]
    design = np.concatenate([np.ones((*near.shape, 1)), offsets], axis=2)
    return watched, near, pseudo_inverse(design)


def _nearest(points: Floats, watched: Integers) -> Integers:
    """The 2d + 2 nearest other points of each watched one (fewer if there are not so many)."""
    n, d = points.shape
    count = min(2 * d + 2, n - 1)
    near = np.empty((len(watched), count), np.int64)
    step = max(1, BLOCK // (n * d))
    for first in range(0, len(watched), step):
        some = watched[first : first + step]
        distances = ((points - points[some][:, None]) ** 2).sum(axis=2)
        distances[np.arange(len(some)), some] = np.inf
        limits = np.partition(distances, count - 1, axis=1)[:, count - 1 : count]
        limits = np.where(limits > 0, limits, 1.0)
        rows, columns = np.nonzero(distances <= limits * (1 + 1e-9))
        # Points of a lattice tie; rounded, they do so on every machine, and the first win.
        rounded = np.round(distances[rows, columns] / limits[rows, 0], 9)
        order = np.lexsort((rounded, rows))
        starts = np.searchsorted(rows, np.arange(len(some)))
        near[first : first + step] = columns[order[starts[:, None] + np.arange(count)]]
    return near


def pseudo_inverse(matrices: Floats) -> Floats:
    """(n, columns, rows) Moore-Penrose inverses of (n, rows, columns) matrices.

    The numbers are finite, and their squares do not overflow. LAPACK adds in the order that suits
    the processor, so the last bits of what it solves depend on it; here every sum has one order.

    >>> pseudo_inverse(np.array([[[4.0, 0.0], [0.0, 0.0], [0.0, 2.0]]]))
    array([[[0.25, 0.  , 0.  ],
            [0.  , 0.  , 0.5 ]]])
    """
    q, r = _orthogonalized(matrices)
    diagonal = np.diagonal(r, axis1=1, axis2=2)
    if diagonal.all():
        return _solved_upwards(r, q.transpose(0, 2, 1))
    # Of dependent columns the inverse with the smallest numbers: A = Q T' Z', so A+ = Z T'^-1 Q'.
    z, t = _orthogonalized(r.transpose(0, 2, 1))
    return _products(z, _solved_downwards(t, q.transpose(0, 2, 1)))


def _orthogonalized(matrices: Floats) -> tuple[Floats, Floats]:
    """Q with orthonormal columns and R upper triangular, whose product are the matrices.

    A column that depends on those before it has zeros in Q, and a row of zeros in R.
    """
    n, _, columns = matrices.shape
    q, r = np.array(matrices), np.zeros((n, columns, columns))
    for j in range(columns):
        before, column = q[:, :, :j], q[:, :, j]  # views: the column is changed in place
        whole = _sizes(column)
        for _ in range(ROUNDS):
            shares = (before * column[:, :, None]).sum(axis=1)
            column -= (before * shares[:, None, :]).sum(axis=2)
            r[:, :j, j] += shares
        left = _sizes(column)
        left = np.where(left > DEPENDENT * whole, left, 0.0)
        column[...] = np.where(left[:, None] > 0, column / np.where(left, left, 1.0)[:, None], 0.0)
        r[:, j, j] = left
    return q, r


def _solved_upwards(r: Floats, right: Floats) -> Floats:
    """X of R X = B, from the last row to the first."""
    solved = np.array(right)
    for i in reversed(range(r.shape[1])):
        known = (r[:, i, i + 1 :, None] * solved[:, i + 1 :]).sum(axis=1)
        solved[:, i] = (solved[:, i] - known) / r[:, i, i, None]
    return solved


def _solved_downwards(t: Floats, right: Floats) -> Floats:
    """X of T' X = B, from the first row to the last; 0 in the rows of dependent columns."""
    solved = np.array(right)
    for i in range(t.shape[1]):
        known = (t[:, :i, i, None] * solved[:, :i]).sum(axis=1)
        pivot = t[:, i, i, None]
        solved[:, i] = np.where(
            pivot > 0, (solved[:, i] - known) / np.where(pivot, pivot, 1.0), 0.0
        )
    return solved


def _products(a: Floats, b: Floats) -> Floats:
    """Products of matrices, term by term in one order."""
    total = np.zeros((len(a), a.shape[1], b.shape[2]))
    for k in range(a.shape[2]):
        total += a[:, :, k, None] * b[:, k, None, :]
    return total


def _sizes(columns: Floats) -> Floats:
    return np.asarray(np.sqrt((columns * columns).sum(axis=1)))

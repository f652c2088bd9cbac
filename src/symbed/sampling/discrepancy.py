"""Points of low discrepancy: rank-1 lattices, and columns reordered to fill the cube evenly.

In a lattice point i has the coordinates {i z_j / N}, j = 0 .. 7. Folding a randomly shifted one by
the tent 1 - |2u - 1| makes its error fall like N**-2 on smooth functions, whether they are periodic
or not.

Two optimizations swap values inside columns, which keeps the values of each column.

``lower_discrepancy`` is that of the published sampling (SciPy's ``random-cd``): swap two values of
one column at random, keep the swap when the centered L2 discrepancy falls, stop after 100 vain
swaps in a row or 10,000 in all. A Latin hypercube stays one.

``reorder`` makes all projections of evenly spaced values even. Each of d variables takes n evenly
spaced values, so only the order of every column is to be found. Swaps lower the mean over all pairs
of points x, y of the product over the variables of 1 + w k(x_j, y_j), with
k(s, t) = B1(s) B1(t) + B2(|s - t|)/2 and the Bernoulli polynomials B1 and B2. Minus 1 it is the
squared worst-case error of the mean over the points, for functions with square-integrable mixed
first derivatives; with the weight w, which was measured, projections to one, two and three
variables count most. Swaps in one column are moves in a quadratic assignment problem: with A the
product of the other columns' factors and B = w k of this one, one matrix product A B tells what
every swap of two points would change. A and B are rounded to integers. So the sums are exact, in
any order of their terms, and every machine finds the same points.
"""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np

from symbed._types import Floats, Integers
from symbed.sampling.counter_rng import permutation, uniforms

Key = tuple[int, ...]  # seed and stream: where in the space of random numbers a table lives

VAIN_SWAPS = 100
ALL_SWAPS = 10_000
AT_ONCE = 8  # swaps judged together
GAIN = 1e-12  # smaller gains are rounding, and would differ between machines


def lower_discrepancy(points: Floats, key: Key) -> Floats:
    """A copy of the points (n, d) with values swapped inside columns."""
    n, d = points.shape
    if n < 2 or d < 2:  # reordering the only column changes nothing
        return points.copy()
    centered, swaps = points - 0.5, _swaps(n, d, key)
    tried = vain = 0
    while tried < ALL_SWAPS and vain < VAIN_SWAPS:
        # Never beyond the swap at which judging them one by one would stop: the result must be the
        # same.
        batch = swaps[tried : tried + min(AT_ONCE, VAIN_SWAPS - vain)]
        good = np.flatnonzero(_gains(centered, batch) > GAIN)
        if len(good):  # what follows the first good swap is tried again on the new design
            column, first, second = batch[good[0]]
            centered[[first, second], column] = centered[[second, first], column]
        tried += int(good[0]) + 1 if len(good) else len(batch)
        vain = 0 if len(good) else vain + len(batch)
    return centered + 0.5


def centered_discrepancy(points: Floats) -> float:
    """The squared centered L2 discrepancy (Hickernell 1998) of points in the unit cube."""
    z = points - 0.5
    n, d = z.shape
    pairs = sum(float(_with_all(z, z[i : i + 1]).sum()) for i in range(n))
    return float((13 / 12) ** d - 2.0 / n * _alone(z).sum() + pairs / n**2)


def _swaps(n: int, d: int, key: Key) -> Integers:
    """Random (column, first row, second row)."""
    # Both rows can be the same one; such a swap gains 0 and counts as vain.
    u = uniforms(3 * ALL_SWAPS, *key).reshape(ALL_SWAPS, 3)
    return (u * (d, n, n)).astype(np.int64)


def _gains(z: Floats, swaps: Integers) -> Floats:
    """By how much each swap lowers the squared discrepancy: only two rows of its sum change."""
    n, every = len(z), np.arange(len(swaps))[:, None]
    column, pair = swaps[:, :1], swaps[:, 1:]
    rows = z[pair]  # (swaps, 2, d)
    swapped = rows.copy()
    swapped[every, [[0, 1]], column] = rows[every, [[1, 0]], column]
    change = _with_all(z, rows) - _with_all(z, swapped)
    # The two rows' common term is symmetric, and their own terms are counted once.
    change[every, 0, pair] = change[every, 1, pair] = 0.0
    own = (_own(rows) - _own(swapped)).sum(axis=1)
    alone = (_alone(rows) - _alone(swapped)).sum(axis=1)
    return np.asarray((2.0 * change.sum(axis=(1, 2)) + own) / n**2 - 2.0 * alone / n)


def _with_all(z: Floats, rows: Floats) -> Floats:
    """prod_k (1 + |a_k|/2 + |b_k|/2 - |a_k - b_k|/2) for rows a and all points b: (..., n)."""
    a = rows[..., None, :]
    return _products(1.0 + 0.5 * (np.abs(a) + np.abs(z) - np.abs(a - z)))


def _own(rows: Floats) -> Floats:
    return _products(1.0 + np.abs(rows))


def _alone(z: Floats) -> Floats:
    """prod_k (1 + |a_k|/2 - a_k^2/2) for each point a."""
    return _products(1.0 + 0.5 * np.abs(z) - 0.5 * z * z)


def _products(factors: Floats) -> Floats:
    return np.asarray(np.multiply.reduce(factors, axis=-1))


# The weight was chosen on three sets of `symbed reproduce consistency`, and held on two others
# (reproduction/tools/held_out_sets.py).
WEIGHT, WEIGHED = 3.0, 8  # of k, for so many variables or fewer; more share the weight of these
ROUNDS = 2  # of swaps in a column before the next one's turn
SWEEPS, WORK = 4, 1 << 19  # through all columns, fewer where n * n * d of each add up to more work
FINE, COARSE = 2.0**16, 2.0**12  # steps of A and B in 1; sums of their products stay below 2**53


def affordable_sweeps(n: int, d: int) -> int:
    """How often the columns can be gone through in some 30 ms, at most 4 times.

    >>> affordable_sweeps(64, 4), affordable_sweeps(256, 4), affordable_sweeps(256, 8)
    (4, 2, 1)
    """
    return min(SWEEPS, WORK // (n * n * d))


def beside_the_middles(cells: Integers, key: Key) -> Floats:
    """The points (n, d) of cells, at least 3/8 of a step (1/n) from the edges of the cube.

    Values lie beside the middles of their cells, to the right and to the left in turns, so that
    their mean is that of the middles. By how much differs from column to column, or else x0 equals
    x1 at some points and 1/(x0 - x1) is infinite.
    """
    n, d = cells.shape
    within = np.array([uniforms(1, *key, j)[0] for j in range(d)])
    levels = (permutation(d, *key, d) + 0.25 + 0.5 * within) / d  # no two columns share one
    sides = np.where(cells % 2 == 0, 1.0, -1.0)
    return np.asarray((cells + 0.5 + 0.25 * (levels - 0.5) * sides) / n)


def reorder(cells: Integers, sweeps: int) -> Integers:
    """The cells (n, d), an order of 0 .. n-1 in every column, with many of them swapped."""
    orders, kernel = np.array(cells.T, order="C"), _kernel(*cells.shape)
    products = np.multiply.reduce([1.0 + _seen(kernel, column) for column in orders])
    for _ in range(sweeps):
        if not sum(_improve(column, products, kernel) for column in orders):
            break
    return orders.T


def criterion(cells: Integers) -> float:
    """What the swaps lower: the mean of prod_j (1 + w k) over all pairs of points, minus 1."""
    n, d = cells.shape
    factors = [1.0 + _seen(_kernel(n, d), column) for column in cells.T]
    return float(np.multiply.reduce(factors).mean() - 1.0)


def _kernel(n: int, d: int) -> Floats:
    """The weighted kernel between the middles of cells, (n, n), in steps of 1/COARSE."""
    x = (np.arange(n) + 0.5) / n
    gaps = np.abs(x[:, None] - x)
    k = (x[:, None] - 0.5) * (x - 0.5) + 0.5 * (gaps * gaps - gaps + 1.0 / 6.0)
    weight = WEIGHT * min(1.0, WEIGHED / d)
    return np.asarray(np.rint(COARSE * weight * k) / COARSE)


def _seen(kernel: Floats, column: Integers) -> Floats:
    """The kernel between the points of a column."""
    return kernel[column[:, None], column]


def _improve(column: Integers, products: Floats, kernel: Floats) -> int:
    """Swap cells of one column, and change the products over all columns; how many swaps."""
    seen, count = _seen(kernel, column), 0
    # Never a division by 0: k >= -1/6 and w <= 3, so the factors are 1/2 or more.
    products /= 1.0 + seen
    # Only matrix products must be exact; element-wise steps round alike on every machine.
    others = np.rint(FINE * products)
    for _ in range(ROUNDS):
        first, second = _good_swaps(others, COARSE * seen)
        if not len(first):
            break
        column[first], column[second] = column[second], column[first]
        seen, count = _seen(kernel, column), count + len(first)
    products *= 1.0 + seen
    return count


def _good_swaps(a: Floats, b: Floats) -> tuple[Integers, Integers]:
    """Swaps of different points that together lower sum(a * b), the best ones first.

    Candidates are the pairs of points that are each other's best partners. Two swaps (i, j) and
    (k, l) together change the sum by what each does, and by an interaction.
    """
    changes, points = swap_changes(a, b), np.arange(len(a))
    # Partners that choose each other make disjoint pairs, so no point is in two swaps.
    partner = np.argmin(changes, axis=1)
    change = changes[points, partner]
    first = np.flatnonzero((partner[partner] == points) & (points < partner) & (change < 0.0))
    first = first[np.argsort(change[first], kind="stable")]
    second, total = partner[first], change[first]
    interactions = 2.0 * _crossed(a, first, second) * _crossed(b, first, second)
    taken = []
    for k in range(len(first)):
        if total[k] < 0.0:
            taken.append(k)
            # The swaps that follow are worth something else now; those before are decided.
            total += interactions[k]
    return first[taken], second[taken]


def swap_changes(a: Floats, b: Floats) -> Floats:
    """(n, n): by how much swapping rows i, j and columns i, j of b changes sum(a * b).

    Both are symmetric. The sum over c of 2 (a_ic - a_jc) (b_jc - b_ic) follows from the product of
    the matrices; the terms at c = i and c = j are counted there, and should not be.
    """
    product, of_a, of_b = a @ b, a.diagonal(), b.diagonal()
    half = 2.0 * (product - (of_a[:, None] - a) * (b - of_b[:, None]))
    half += of_a[:, None] * of_b
    half -= (2.0 * product.diagonal() + of_a * of_b)[:, None]
    return np.asarray(half + half.T)


def _crossed(a: Floats, i: Integers, j: Integers) -> Floats:
    """a_ik - a_il - a_jk + a_jl between the swaps (i, j) and (k, l)."""
    rows = a[i] - a[j]
    return np.asarray(rows[:, i] - rows[:, j])


DIMENSIONS = 8
MODULUS = 1 << 20
# One generator for every power of two up to 2**20: reduced modulo N it generates N points, which
# are among those of 2N. From tools/lattice_generator.py.
NESTED = (1, 1032343, 380059, 645485, 881803, 639257, 342205, 631921)

CANDIDATES = 32  # of these the best generator is within 1.3 of the best of all, at a few ms
MANY_POINTS = 4096  # beyond, so few evenly spread candidates lie too near to multiples of n/64
BESIDE = (-2, 0, 2)  # the candidates around each slope of the nested generator


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
    components, product = [1], _lattice_kernel(1, n)
    while len(components) < DIMENSIONS:
        errors = np.array([np.dot(_lattice_kernel(z, n), product) / n - 1.0 for z in candidates])
        # Mirrored lattices tie exactly; the first within rounding wins, on every machine.
        best = candidates[int(np.argmax(errors <= errors.min() * (1.0 + 1e-9)))]
        components.append(best)
        product = product * _lattice_kernel(best, n)
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


def _lattice_kernel(z: int, n: int) -> Floats:
    """1 + B2 at the points of one dimension, B2 the second Bernoulli polynomial."""
    # The mean over the points of the product of these, minus 1, is the squared worst-case error of
    # a randomly shifted lattice (functions with square-integrable mixed first derivatives).
    u = (np.arange(n, dtype=np.int64) * z % n) / n
    return np.asarray(1.0 + (u * u - u + 1.0 / 6.0))

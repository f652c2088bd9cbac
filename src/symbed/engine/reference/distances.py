"""BED between blocks of behaviors in NumPy, with the same bits as by the native core.

The order of summation is part of the definition, so it is spelled out here: element t is added to
lane t % 32 in order of t, then the lanes are folded in halves. A power sum that overflows or, for
p = 2, comes near underflow is computed again from scaled numbers; the factors are powers of two.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple, TypeVar

import numpy as np

from symbed._types import Counts, Floats, Integers, Singles
from symbed.engine.structures.observations import Pairs, SortedOutputs, Wasserstein
from symbed.errors import ShapeError

Rows = TypeVar("Rows", Floats, Singles)

LANES = 32
AT_ONCE = 1 << 20  # numbers in one block of differences
MERGED_AT_ONCE = 1 << 22  # numbers in one block of merged outputs: 32 MB


# Shrinking comes before the subtraction, which may overflow; growing comes after it, since large
# outputs can differ by little.
class Scale(NamedTuple):
    """Factors before and after subtracting."""

    before: float
    after: float


PLAIN = Scale(1.0, 1.0)
SHRINK = 2.0**-64
# (2^1024 * 2^-600)^2 = 2^848 leaves room for any sum.
SHRUNK = {1: Scale(SHRINK, 1.0), 2: Scale(2.0**-600, 1.0)}  # after an overflow, for each p
# Sums below TINY_SQUARE have differences below 2^-450, which grow to 2^150 at most.
GROWN = Scale(1.0, 2.0**600)
TINY_SQUARE = 2.0**-900  # squares below it may have lost digits


def cross(a: SortedOutputs, b: SortedOutputs, distance: Wasserstein) -> Floats:
    """BED between two blocks of behaviors; see ``Backend.cross``."""
    _check(a, b, distance.p)
    (a_values, a_defined), (b_values, b_defined) = a, b
    a_draws, b_draws = a_values.shape[1], b_values.shape[1]
    # Fully defined rows of one length (or one draw) meet quantile by quantile; others merge.
    can_pair = a_draws == b_draws or 1 in (a_draws, b_draws)
    a_full = (a_defined == a_draws).all(axis=1) & can_pair
    b_full = (b_defined == b_draws).all(axis=1)
    out = np.empty((len(a_values), len(b_values)))
    with np.errstate(all="ignore"):
        for i in range(len(out)):
            fast = b_full & a_full[i]
            rows = np.flatnonzero(fast)
            out[i, rows] = _paired_distances(a_values[i], b_values, rows, distance.p)
            for j in np.flatnonzero(~fast):
                sides = a_values[i], a_defined[i], b_values[j], b_defined[j]
                out[i, j] = _general_distance(*sides, *distance)
    return out


def paired(a: SortedOutputs, b: SortedOutputs, pairs: Pairs, distance: Wasserstein) -> Floats:
    """BED of pairs of rows of two blocks, bit by bit what ``cross`` has there."""
    out = np.empty(len(pairs.a))
    for row in np.unique(pairs.a):
        here = pairs.a == row
        rows = pairs.b[here]
        one, others = (a[0][[row]], a[1][[row]]), (b[0][rows], b[1][rows])
        out[here] = cross(one, others, distance)[0]
    return out


def profile(a: SortedOutputs, b: SortedOutputs, distance: Wasserstein) -> Floats:
    """The p-Wasserstein distance of two behaviors at each point; see ``Backend.profile``."""
    _check(a, b, distance.p)
    u, u_defined, v, v_defined = a[0][0], a[1][0], b[0][0], b[1][0]

    def costs(scale: Scale, at: Integers) -> Floats:
        return _costs(u[:, at], u_defined[at], v[:, at], v_defined[at], *distance, scale)

    with np.errstate(all="ignore"):
        return _distances(costs, u.shape[1], 1, distance.p)


def _paired_distances(u: Floats, values: Floats, rows: Integers, p: int) -> Floats:
    """Distances of one behavior to some others, all fully defined: flat sums of powers."""
    n_draws = max(len(u), values.shape[1])
    length = n_draws * u.shape[1]

    def sums(scale: Scale, at: Integers) -> Floats:
        totals = np.empty(len(at))
        step = max(1, AT_ONCE // length)
        for start in range(0, len(at), step):
            block = at[start : start + step]
            powers = _power(u, values[rows[block]], p, scale)
            totals[start : start + step] = sum_lanes(powers.reshape(len(block), length))
        return totals

    return _distances(sums, len(rows), length, p)


def _general_distance(
    u: Floats,
    u_defined: Counts,
    v: Floats,
    v_defined: Counts,
    p: int,
    mismatch: float,
) -> float:
    def total(scale: Scale, _: Integers) -> Floats:
        return sum_lanes(_costs(u, u_defined, v, v_defined, p, mismatch, scale)[None])

    return float(_distances(total, 1, u.shape[1], p)[0])


def _distances(
    sums: Callable[[Scale, Integers], Floats], count: int, divisor: int, p: int
) -> Floats:
    """Roots of means of powers, those that overflowed or underflowed computed again."""
    plain = sums(PLAIN, np.arange(count))
    # Few sums need it, and only these are paid for twice; powers of two change no digit of theirs.
    means = _root(plain / divisor, p, PLAIN)
    again = [(plain == np.inf, SHRUNK[p])]
    if p == 2:
        again.append((plain < TINY_SQUARE, GROWN))
    for needed, scale in again:
        at = np.flatnonzero(needed)
        if len(at):
            means[at] = _root(sums(scale, at) / divisor, p, scale)
    return means


def _root(means: Floats, p: int, scale: Scale) -> Floats:
    distances = means if p == 1 else np.sqrt(means)
    return distances * (1.0 / (scale.before * scale.after))


def _power(u: Floats, v: Floats, p: int, scale: Scale) -> Floats:
    differences = (u * scale.before - v * scale.before) * scale.after
    return np.abs(differences) if p == 1 else differences * differences


def sum_lanes(rows: Rows, n_lanes: int = LANES) -> Rows:
    """Sums of the rows of (count, length), in the one order of summation, in their precision."""
    count, length = rows.shape
    lanes: Rows = np.zeros((count, n_lanes), rows.dtype)
    for start in range(0, length, n_lanes):
        part = rows[:, start : start + n_lanes]
        lanes[:, : part.shape[1]] += part
    while n_lanes > 1:
        n_lanes //= 2
        lanes = lanes[:, :n_lanes] + lanes[:, n_lanes:]
    return lanes[:, 0]


def _costs(
    u: Floats,
    u_defined: Counts,
    v: Floats,
    v_defined: Counts,
    p: int,
    mismatch: float,
    scale: Scale,
) -> Floats:
    """The p-th power of the distance at each point."""
    costs = np.zeros(u.shape[1])
    one_sided = (u_defined == 0) != (v_defined == 0)
    costs[one_sided] = _power(np.array([mismatch]), np.array([0.0]), p, scale)
    both = np.flatnonzero((u_defined > 0) & (v_defined > 0))
    costs[both] = _merge(u[:, both], u_defined[both], v[:, both], v_defined[both], p, scale)
    return costs


def _merge(
    u: Floats, u_defined: Counts, v: Floats, v_defined: Counts, p: int, scale: Scale
) -> Floats:
    """Costs where both sides have outputs: quantile steps are merged, compared as integers."""
    # Each side's quantile function is a staircase; over the common multiple its edges are integers.
    n_steps = np.lcm(u_defined.astype(np.int64), v_defined)
    u_step, v_step = n_steps // u_defined, n_steps // v_defined
    sums, reached = np.zeros(u.shape[1]), np.zeros(u.shape[1], np.int64)
    at = np.arange(u.shape[1])  # the points that are not done
    while len(at):
        done, i, j = reached[at], reached[at] // u_step[at], reached[at] // v_step[at]
        following = np.minimum((i + 1) * u_step[at], (j + 1) * v_step[at])
        sums[at] += _power(u[i, at], v[j, at], p, scale) * (following - done)
        reached[at] = following
        at = at[following < n_steps[at]]
    return sums / n_steps


def _check(a: SortedOutputs, b: SortedOutputs, p: int) -> None:
    if p not in (1, 2):
        raise ShapeError("the order p must be 1 or 2")
    check_counts(a, b)


def check_counts(*sides: SortedOutputs) -> None:
    """Raise if numbers of defined outputs cannot be."""
    for values, defined in sides:
        if len(defined) and not ((defined >= 0) & (defined <= values.shape[1])).all():
            raise ShapeError("a count of defined outputs is not between 0 and the number of draws")


def cemetery(a: SortedOutputs, b: SortedOutputs, penalty: float) -> Floats:
    """Distances with undefined mass on a cemetery, finite whatever is undefined.

    Undefined mass sits on an extra point, joined to zero by an edge of length ``penalty``. On that
    tree the Wasserstein-1 distance of two distributions of mass one is, at each point,

        penalty * |u's undefined share - v's|
        + the integral below zero of |difference of the sub-CDFs|
        + the integral above zero of |difference of the sub-survival functions|.

    It is a metric, always finite, and equals the plain distance where all outputs are defined.
    """
    check_counts(a, b)
    out = np.empty((len(a[0]), len(b[0])))
    n_points = a[0].shape[2]
    step = max(1, MERGED_AT_ONCE // ((a[0].shape[1] + b[0].shape[1] + 1) * n_points))
    for i in range(len(out)):
        for j in range(0, len(b[0]), step):
            block = slice(j, j + step)
            costs = _cemetery_costs(a[0][i], a[1][i], b[0][block], b[1][block], penalty)

            def sums(scale: Scale, at: Integers, costs: Floats = costs) -> Floats:
                return sum_lanes(costs[at] * scale.before)

            with np.errstate(over="ignore"):
                out[i, block] = _distances(sums, len(costs), n_points, 1)
    return out


def cemetery_profile(a: SortedOutputs, b: SortedOutputs, penalty: float) -> Floats:
    """(n_points,) distances of the first behaviors at each point; see ``cemetery``."""
    check_counts(a, b)
    return _cemetery_costs(a[0][0], a[1][0], b[0][:1], b[1][:1], penalty).reshape(-1)


def _cemetery_costs(
    u: Floats, u_counts: Counts, v: Floats, v_counts: Counts, penalty: float
) -> Floats:
    """(k, n_points) distances of one behavior to (k, m, n_points) others.

    The outputs of both and a zero are merged; between neighbors the sub-CDFs are constant.
    """
    k, v_draws, n_points = v.shape
    u_draws = len(u)
    places = np.concatenate(
        [np.broadcast_to(u, (k, u_draws, n_points)), v, np.zeros((k, 1, n_points))], axis=1
    )
    # Shares as whole numbers over a common denominator, so that equal ones cancel exactly.
    weights = np.concatenate([[v_draws] * u_draws, [-u_draws] * v_draws, [0]]).astype(np.float64)
    order = np.argsort(places, axis=1, kind="stable")  # NaN last
    places = np.take_along_axis(places, order, axis=1)
    steps = np.where(np.isnan(places), 0.0, weights[order])
    cdf_gap = np.cumsum(steps, axis=1)[:, :-1]
    mass_gap = u_counts * float(v_draws) - v_counts * float(u_draws)
    integrand = np.where(places[:, :-1] < 0, np.abs(cdf_gap), np.abs(mass_gap[:, None] - cdf_gap))
    whole = float(u_draws * v_draws)
    with np.errstate(invalid="ignore", over="ignore"):
        costs = _scaled_costs(places, integrand, mass_gap, penalty, 1.0) / whole
        if not np.isfinite(costs).all():
            scaled = _scaled_costs(places, integrand, mass_gap, penalty, SHRINK) / whole / SHRINK
            costs = np.where(np.isfinite(costs), costs, scaled)
    return costs


def _scaled_costs(
    places: Floats, integrand: Floats, mass_gap: Floats, penalty: float, scale: float
) -> Floats:
    """(k, n_points) costs times the scale, which is 1 unless sums of large outputs overflow."""
    widths = np.diff(places * scale, axis=1)
    # A width that overflowed, times no mass, would be NaN.
    areas = np.where(np.isnan(widths) | (integrand == 0), 0.0, widths * integrand)
    area = np.cumsum(areas, axis=1)[:, -1]  # added one after the other, as the core does
    costs: Floats = area + penalty * scale * np.abs(mass_gap)
    return costs

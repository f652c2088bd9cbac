"""Distances between families as distributions over whole functions, not point by point.

BED compares the outputs at each point and forgets which parameters made them, so it cannot tell
``C*x`` from ``C*abs(x)`` on a symmetric range. Here a parameter vector keeps its identity: it makes
one *trajectory*, the function's values at all points, and a family is a distribution of these.

*trajectory* is the Wasserstein distance between the two empirical distributions of trajectories,
exact by optimal assignment, in the unit of the outputs. The distance of two trajectories is their
p-mean difference, so BED on the same draws is a lower bound [1]_. Its price is a noise floor: two
samples of m trajectories of one family with k parameters differ by about ``m**(-1/k)``.

*energy* is the energy distance [2]_, the root of ``2 E|U - V| - E|U - U'| - E|V - V'|`` with the
root mean square as norm (the mean absolute difference would be a sum over the points and see no
more than BED does). Its unbiased estimate has no floor, so it is the better test of equality, and
the other one the better distance.

References
----------
.. [1] C. Villani, Optimal Transport: Old and New, Springer 2009, chapter 6.
.. [2] G. Szekely, M. Rizzo, Energy statistics, J. Stat. Plan. Inference 143 (2013), 1249-1272.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from symbed._types import Floats, Integers
from symbed.behavior.behavior import Behavior
from symbed.distances.measure import Measure
from symbed.errors import DataError, MissingExtra, RangeError

# Assignment of m trajectories takes m**3 steps and m**2 costs: 0.5 s and 32 MB at this number.
MAX_TRAJECTORIES = 2048
ROUNDING = 1e-13  # share of the subtracted means below which what is left of them is rounding


class Transport(NamedTuple):
    """The cheapest way to carry one set of trajectories to another."""

    distance: float  # infinite where every way passes a point that one of two is undefined at
    profile: Floats  # (n_points,) the p-mean difference of the matched trajectories there


def profile(a: Behavior, b: Behavior, measure: Measure) -> Floats:
    """What each point contributes to the distance, so that the p-mean over them is the distance.

    The energy distance has no parts: there every point has the whole distance.
    """
    u, v = (_trajectories(side, measure.metric) for side in (a, b))
    if measure.metric == "trajectory":
        return transport(u, v, measure.p, measure.mismatch).profile
    return np.full(a.n_points, energy(u, v, measure.mismatch))


def _trajectories(side: Behavior, metric: str) -> Floats:
    if side.origin is None:
        raise DataError(
            f"{side.label!r} does not say how it was observed, so its single members are unknown; "
            "observe it again"
        )
    if side.origin.per_point and len(side.outputs) > 1:
        raise RangeError(
            f"metric={metric!r} follows each parameter vector over all points, and {side.label!r} "
            "was observed with draws of its own at each point; observe it with design='shared'"
        )
    return side.origin.trajectories()


def transport(u: Floats, v: Floats, p: int, mismatch: float = math.inf) -> Transport:
    """The p-Wasserstein distance of two sets of trajectories.

    Parameters
    ----------
    u, v : ndarray of shape (m, n_points)
        One trajectory in each row, NaN where it is undefined. The numbers of rows may differ.
    p : int
        Order, 1 or 2.
    mismatch : float
        Difference at a point where exactly one of two trajectories is defined.

    Examples
    --------
    >>> transport(np.array([[0.0, 0.0], [1.0, 1.0]]), np.array([[1.0, 1.0], [0.0, 2.0]]), p=1)
    Transport(distance=0.5, profile=array([0., 1.]))
    """
    rows, columns = _matched(u, v, p, mismatch)
    u, v = u[rows], v[columns]
    scale = _scale(u, v)
    differences = _powers(u / scale, v / scale, p, mismatch / scale)
    with np.errstate(invalid="ignore"):
        profile = scale * differences.mean(axis=0) ** (1 / p)
        distance = scale * float(differences.mean()) ** (1 / p)
    return Transport(distance, profile)


def energy(u: Floats, v: Floats, mismatch: float = math.inf) -> float:
    """The energy distance of two sets of trajectories, given as for ``transport``.

    The root of its unbiased estimate, 0 where that is negative.
    """
    scale = _scale(u, v)
    u, v, mismatch = u / scale, v / scale, mismatch / scale
    between = np.sqrt(_costs(u, v, 2, mismatch))
    within = _mean_of_pairs(u, mismatch) + _mean_of_pairs(v, mismatch)
    if not math.isfinite(within) or not np.isfinite(between).all():
        return math.inf
    # Draws in common make u_j and v_j no independent pair: they are left out, as u_j and u_j are.
    if len(u) == len(v) > 1:
        total = (between.sum() - np.trace(between)) / (len(u) * (len(u) - 1))
    else:
        total = between.mean()
    squared = 2.0 * float(total) - within
    # Its square is linear in the outputs, so that their scale comes back under the root.
    return math.sqrt(scale * squared) if squared > ROUNDING * within else 0.0


def _mean_of_pairs(u: Floats, mismatch: float) -> float:
    """The mean norm of the difference of two different rows."""
    if len(u) == 1:
        return 0.0
    return float(np.sqrt(_costs(u, u, 2, mismatch)).sum()) / (len(u) * (len(u) - 1))


def _matched(u: Floats, v: Floats, p: int, mismatch: float) -> tuple[Integers, Integers]:
    """Rows of u and of v that belong together in the cheapest way, each equally often."""
    # All of a side go to the only one of the other: there is nothing to assign, and no SciPy.
    if len(u) == 1 or len(v) == 1:
        count = max(len(u), len(v))
        return np.arange(count) % len(u), np.arange(count) % len(v)
    # Repeated up to a common number, all have equal mass, and assignment is optimal transport.
    count = math.lcm(len(u), len(v))
    if count > MAX_TRAJECTORIES:
        raise RangeError(
            f"{len(u)} and {len(v)} trajectories would be matched as {count}, and the limit is "
            f"{MAX_TRAJECTORIES}; give both sides the same number of draws, at most that many"
        )
    scale = _scale(u, v)
    costs = _costs(u / scale, v / scale, p, mismatch / scale)
    rows, columns = np.arange(count) % len(u), np.arange(count) % len(v)
    whole = costs[np.ix_(rows, columns)] if count > len(u) or count > len(v) else costs
    left, right = _assignment(whole)
    return rows[left], columns[right]


def _assignment(costs: Floats) -> tuple[Integers, Integers]:
    try:
        from scipy.optimize import linear_sum_assignment
    except ImportError:
        raise MissingExtra(
            "metric='trajectory' needs SciPy; install it: pip install 'symbed[cluster]'"
        ) from None
    finite = np.isfinite(costs)
    if not finite.any():
        return np.arange(len(costs)), np.arange(len(costs))
    # A forbidden pair costs more than any way without one, so that it is taken only where it must.
    forbidden = (float(costs[finite].max()) + 1.0) * len(costs)
    left, right = linear_sum_assignment(np.where(finite, costs, forbidden))
    return left, right


def _costs(u: Floats, v: Floats, p: int, mismatch: float) -> Floats:
    """(len(u), len(v)) means over the points of differences to the power p."""
    costs = np.empty((len(u), len(v)))
    # Row by row: all at once would be len(u) * len(v) * n_points numbers.
    for number, row in enumerate(u):
        costs[number] = _powers(row[None], v, p, mismatch).mean(axis=1)
    return costs


def _powers(u: Floats, v: Floats, p: int, mismatch: float) -> Floats:
    """Differences to the power p; 0 where both are undefined."""
    defined_u, defined_v = np.isfinite(u), np.isfinite(v)
    plain = np.abs(np.where(defined_u, u, 0.0) - np.where(defined_v, v, 0.0))
    plain = np.where(defined_u & defined_v, plain, 0.0)
    differences = np.where(defined_u ^ defined_v, mismatch, plain)
    return differences if p == 1 else differences**p


def _scale(u: Floats, v: Floats) -> float:
    """A power of two by which no square overflows, and no bit is lost."""
    sizes = np.abs(np.concatenate([u[np.isfinite(u)], v[np.isfinite(v)]]))
    largest = float(sizes.max(initial=0.0))
    return 2.0 ** math.frexp(largest)[1] if largest > 0 else 1.0

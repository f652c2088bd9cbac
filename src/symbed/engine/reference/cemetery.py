"""Distances with undefined mass on a cemetery, in NumPy: finite whatever is undefined.

Undefined mass sits on an extra point, joined to zero by an edge of length ``penalty``. On that tree
the Wasserstein-1 distance of two distributions of mass one is, at each point,

    penalty * |u's undefined share - v's|
    + the integral below zero of |difference of the sub-CDFs|
    + the integral above zero of |difference of the sub-survival functions|.

It is a metric, always finite, and equals the plain distance where all outputs are defined.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from symbed._types import Counts, Floats
from symbed.engine.reference.distances import sum_lanes
from symbed.engine.structures.observations import SortedOutputs

SCALE = 2.0**-64  # applied where sums overflow, and taken back
AT_ONCE = 1 << 22  # numbers in one block of merged outputs: 32 MB


def cemetery(a: SortedOutputs, b: SortedOutputs, penalty: float) -> Floats:
    """(k_a, k_b) means of the point-wise distances; see ``Backend.cemetery``."""
    out = np.empty((len(a[0]), len(b[0])))
    for i, some in _parts(a, b):
        costs = _costs(a[0][i], a[1][i], b[0][some], b[1][some], penalty)
        out[i, some] = _mean(costs)
    return out


def cemetery_costs(a: SortedOutputs, b: SortedOutputs, penalty: float) -> Floats:
    """(k_a, k_b, n_points) distances at each point."""
    costs = np.empty((len(a[0]), len(b[0]), a[0].shape[2]))
    for i, some in _parts(a, b):
        costs[i, some] = _costs(a[0][i], a[1][i], b[0][some], b[1][some], penalty)
    return costs


def _mean(costs: Floats) -> Floats:
    """(k,) means; what is finite does not become infinite on the way."""
    with np.errstate(over="ignore"):
        plain: Floats = sum_lanes(costs) / costs.shape[1]
        if np.isfinite(plain).all():
            return plain
        scaled = sum_lanes(costs * SCALE) / costs.shape[1] / SCALE
        return np.asarray(np.where(np.isfinite(plain), plain, scaled))


def _parts(a: SortedOutputs, b: SortedOutputs) -> Iterator[tuple[int, slice]]:
    """Each behavior of one side with as many of the other as are worked on at once."""
    merged = a[0].shape[1] + b[0].shape[1] + 1
    step = max(1, AT_ONCE // (merged * a[0].shape[2]))
    for i in range(len(a[0])):
        for j in range(0, len(b[0]), step):
            yield i, slice(j, j + step)


def _costs(u: Floats, u_counts: Counts, v: Floats, v_counts: Counts, penalty: float) -> Floats:
    """One behavior against (k, m, n_points) others.

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
            scaled = _scaled_costs(places, integrand, mass_gap, penalty, SCALE) / whole / SCALE
            costs = np.where(np.isfinite(costs), costs, scaled)
    return costs


def _scaled_costs(
    places: Floats, integrand: Floats, mass_gap: Floats, penalty: float, scale: float
) -> Floats:
    """(k, n_points) costs times the scale, which is 1 unless sums of large outputs overflow."""
    widths = np.diff(places * scale, axis=1)
    areas = np.where(np.isnan(widths) | (integrand == 0), 0.0, widths * integrand)
    area = np.cumsum(areas, axis=1)[:, -1]  # added one after the other, as the core does
    costs: Floats = area + penalty * scale * np.abs(mass_gap)
    return costs

"""The cemetery: outputs with undefined shares go in, finite point-wise distances come out.

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

from symbed.behavior.behavior import Counts, Floats

Outputs = tuple[Floats, Counts]

AT_ONCE = 1 << 22  # numbers in one block of merged outputs


def cemetery_distances(a: Outputs, b: Outputs, penalty: float, out: Floats) -> None:
    """Fill ``out`` (k_a, k_b) with the means of the point-wise distances."""
    for i, some in _parts(a, b):
        out[i, some] = _costs(a[0][i], a[1][i], b[0][some], b[1][some], penalty).mean(axis=1)


def cemetery_costs(a: Outputs, b: Outputs, penalty: float) -> Floats:
    """(k_a, k_b, n_points) distances between sorted outputs (k, m, n_points) with their counts."""
    found = np.empty((len(a[0]), len(b[0]), a[0].shape[2]))
    for i, some in _parts(a, b):
        found[i, some] = _costs(a[0][i], a[1][i], b[0][some], b[1][some], penalty)
    return found


def _parts(a: Outputs, b: Outputs) -> Iterator[tuple[int, slice]]:
    """Each behavior of one side with as many of the other as are worked on at once."""
    merged = a[0].shape[1] + b[0].shape[1] + 1
    step = max(1, AT_ONCE // (merged * a[0].shape[2]))
    for i in range(len(a[0])):
        for j in range(0, len(b[0]), step):
            yield i, slice(j, j + step)


def _costs(u: Floats, u_counts: Counts, v: Floats, v_counts: Counts, penalty: float) -> Floats:
    """One behavior against (k, m, n_points) others.

    The outputs of both and a zero are merged; between neighbours the sub-CDFs are constant.
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
    with np.errstate(invalid="ignore", over="ignore"):
        widths = np.diff(places, axis=1)
        areas = np.where(np.isnan(widths), 0.0, widths * integrand)
    found: Floats = (areas.sum(axis=1) + penalty * np.abs(mass_gap)) / (u_draws * v_draws)
    return found

"""Lower bounds of distances that have no noise floor: what one set of draws says of another.

Two samples of one distribution differ, so distances of samples are too large. Here a first set of
draws chooses how to tell two families apart, and a second, independent one is told apart that way:
on average the result is no larger than the true distance, and 0 for families that are equal in law.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from symbed._types import Booleans, Counts, Floats
from symbed.behavior.behavior import Behavior
from symbed.distances import kernels
from symbed.distances.intervals.standard_errors import as_costs
from symbed.distances.measure import Measure
from symbed.engine.backend import active_backend
from symbed.engine.structures.observations import SortedOutputs

Sides = tuple[Behavior, Behavior]
ROUNDING = 1e-12  # share of the outputs below which a gap of their means is no gap
QUANTILE_BIAS = 0.5  # share of what draws add to squares
SHRINK = 2.0**-64  # for outputs whose differences overflow


class Bound(NamedTuple):
    """Point-wise numbers whose mean bounds a distance from below.

    Attributes
    ----------
    costs : (n_points,) array
        Their mean, to the power 1/order, is on average no larger than the distance.
    order : int
        1, or 2 for squares.
    """

    costs: Floats
    order: int


def cross_fitted(first: Sides, second: Sides, measure: Measure, factor: float = 1.0) -> list[Bound]:
    """Bounds of the distance of two families under a measure, best for different pairs.

    The dual bound of the Wasserstein-1 distance (see ``Backend.dual_bounds``), and the gap of mean
    outputs, which has less scatter and is as good where one side lies above the other.

    Parameters
    ----------
    first, second : pair of Behavior
        Both families under a set of draws, and under another one.
    measure : Measure
        How they are measured, in the outputs' own unit (``Measure.in_own_unit``).
    factor : float
        By which distances are multiplied, so that squares do not overflow.
    """
    ones, others = (_prepared(sides, measure) for sides in (first, second))
    dual = as_costs(_dual(ones, others), factor, 1)
    gaps = [as_costs(_gaps(*sides), factor, 1) for sides in (ones, others)]
    if measure.undefined == "cemetery":
        assert measure.penalty is not None
        shares = [factor * measure.penalty * _undefined_gap(*sides) for sides in (first, second)]
        dual = dual + np.stack([np.sign(shares[0]) * shares[1], np.sign(shares[1]) * shares[0]])
    if measure.p == 1:
        signed = np.sign(gaps[0]) * gaps[1] + np.sign(gaps[1]) * gaps[0]
        return [Bound(dual.mean(axis=0), 1), Bound(0.5 * signed, 1)]
    # For p = 2, by Cauchy and Schwarz: W2 >= W1, weighted by what the other draws say.
    weights = np.stack([kernels.profile(*sides, measure) for sides in (ones, others)])
    weights = np.where(np.isfinite(weights), weights, 0.0)
    sizes = np.array([kernels.power_mean(row, 2) or 1.0 for row in weights])
    weighted = dual * (weights / sizes[:, None])
    quantiles = _quantile_products(ones, others, factor)
    return [Bound(weighted.mean(axis=0), 1), Bound(gaps[0] * gaps[1], 2), Bound(quantiles, 2)]


def _quantile_products(
    first: tuple[SortedOutputs, SortedOutputs],
    second: tuple[SortedOutputs, SortedOutputs],
    factor: float,
) -> Floats:
    """Products of the differences of quantiles under two sets of draws, less what may be bias.

    Their mean would be W2 squared, did the quantiles of samples have no bias of their own. It is
    some share of what the draws add to the squares, at most 0.28 of it for families that are equal
    in law (``sign(a)*b`` and ``b`` among the worst); ``QUANTILE_BIAS`` of it is taken off. 0 where
    outputs are undefined or cannot be paired.
    """
    sides = (*first, *second)
    drawn = {outputs.shape[1] for outputs, _ in sides} - {1}
    n_points = first[0][0].shape[2]
    if len(drawn) > 1:
        return np.zeros(n_points)
    known = np.all([counts[0] == outputs.shape[1] for outputs, counts in sides], axis=0)
    with np.errstate(over="ignore", invalid="ignore"):
        one, other = ((e - f)[0] for (e, _), (f, _) in (first, second))
    one, other = (as_costs(np.where(known, gap, 0.0), factor, 1) for gap in (one, other))
    products, squares = (one * other).mean(axis=0), 0.5 * (one**2 + other**2).mean(axis=0)
    return np.asarray(products - QUANTILE_BIAS * (squares - products))


def _prepared(sides: Sides, measure: Measure) -> tuple[SortedOutputs, SortedOutputs]:
    e, f = (kernels.prepare((side.outputs[None], side.counts[None]), measure) for side in sides)
    if measure.undefined == "cemetery":  # what is undefined lies behind zero
        return _at_zero(e), _at_zero(f)
    return e, f


def _at_zero(side: SortedOutputs) -> SortedOutputs:
    outputs, counts = side
    if (counts == outputs.shape[1]).all():
        return side
    moved = np.sort(np.where(np.isnan(outputs), 0.0, outputs), axis=1)
    return moved, np.full_like(counts, outputs.shape[1])


def _dual(
    first: tuple[SortedOutputs, SortedOutputs], second: tuple[SortedOutputs, SortedOutputs]
) -> Floats:
    """(2, n_points) dual bounds, 0 where a side is undefined."""
    bounds = active_backend().dual_bounds(first, second)
    if np.isinf(bounds).any():
        bounds = active_backend().dual_bounds(_shrunk(first), _shrunk(second)) / SHRINK
    return np.where(np.isfinite(bounds), bounds, 0.0)


def _shrunk(sides: tuple[SortedOutputs, SortedOutputs]) -> tuple[SortedOutputs, SortedOutputs]:
    (e, e_counts), (f, f_counts) = sides
    return (SHRINK * e, e_counts), (SHRINK * f, f_counts)


def _gaps(a: SortedOutputs, b: SortedOutputs) -> Floats:
    """Differences of the mean outputs at every point, 0 where a side is undefined."""
    (u, u_size, u_known), (v, v_size, v_known) = _means(*a), _means(*b)
    gaps = u - v
    sure = np.maximum(np.abs(gaps) - ROUNDING * (u_size + v_size), 0.0)
    return np.where(u_known & v_known, np.copysign(sure, gaps), 0.0)


def _means(outputs: Floats, counts: Counts) -> tuple[Floats, Floats, Booleans]:
    """Mean, mean magnitude, and whether there are outputs, at every point."""
    known = outputs[0]
    if counts.min() < len(known):
        known = np.where(np.isnan(known), 0.0, known)
    shares = known / np.maximum(counts[0], 1)  # first: the sum could overflow
    return shares.sum(axis=0), np.abs(shares).sum(axis=0), counts[0] > 0


def _undefined_gap(a: Behavior, b: Behavior) -> Floats:
    """Differences of the undefined shares at every point."""
    return np.asarray(b.counts / len(b.outputs) - a.counts / len(a.outputs))

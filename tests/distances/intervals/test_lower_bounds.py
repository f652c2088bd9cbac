"""Lower bounds without a noise floor: on average no larger than the distance, 0 for equal laws."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

import symbed
from symbed.distances.intervals._resampling import cross_fitted
from symbed.engine.backend import active_backend
from symbed.engine.reference.numpy_backend import ReferenceBackend
from symbed.errors import ShapeError

Floats = NDArray[np.float64]
Side = tuple[Floats, NDArray[np.int32]]
SYMMETRIC = symbed.Probe({"x": (-1, 1)}, parameters=(-1, 1))


def side(rng: np.random.Generator, m: int, n: int, undefined: float, ties: bool) -> Side:
    outputs = rng.standard_normal((1, m, n))
    outputs = np.round(outputs) if ties else outputs
    outputs[rng.random(outputs.shape) < undefined] = np.nan
    return np.sort(outputs, axis=1), (~np.isnan(outputs)).sum(axis=1).astype(np.int32)


@pytest.mark.parametrize("undefined", [0.0, 0.3, 0.9])
@pytest.mark.parametrize("ties", [True, False])
def test_both_engines_give_the_same_bits(undefined: float, ties: bool) -> None:
    rng = np.random.default_rng(0)
    for _ in range(40):
        n = int(rng.integers(1, 9))
        sides = [side(rng, int(rng.integers(1, 9)), n, undefined, ties) for _ in range(4)]
        first, second = (sides[0], sides[1]), (sides[2], sides[3])
        native = active_backend().dual_bounds(first, second)
        assert native.tobytes() == ReferenceBackend().dual_bounds(first, second).tobytes()


def test_the_bound_of_a_sample_on_itself_is_its_distance() -> None:
    rng = np.random.default_rng(1)
    pair = side(rng, 12, 7, 0.0, False), side(rng, 5, 7, 0.0, False)
    from symbed.engine.structures.observations import Wasserstein

    profile = active_backend().profile(*pair, Wasserstein())
    np.testing.assert_allclose(active_backend().dual_bounds(pair, pair), [profile] * 2)


def test_behaviors_at_different_points_are_refused() -> None:
    rng = np.random.default_rng(2)
    one, other = side(rng, 4, 3, 0.0, False), side(rng, 4, 2, 0.0, False)
    for engine in (active_backend(), ReferenceBackend()):
        with pytest.raises(ShapeError, match="same points"):
            engine.dual_bounds((one, one), (one, other))


@pytest.mark.parametrize("measure", [symbed.Measure(), symbed.Measure(p=2)])
def test_families_that_are_equal_in_law_are_bounded_by_zero_on_average(
    measure: symbed.Measure,
) -> None:
    means = []
    for seed in range(12):
        probe = SYMMETRIC.with_(seed=seed)
        sets = [
            (symbed.observe("a*exp(b)", again), symbed.observe("a*exp(-b)", again))
            for again in (probe, probe.redrawn())
        ]
        means.append([float(np.mean(bound.costs)) for bound in cross_fitted(sets, measure)])
    noise = symbed.distance(*sets[0])
    assert noise > 0.05
    assert np.mean(means, axis=0).max() < 0.1 * noise

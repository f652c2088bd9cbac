"""The cemetery: the native core and NumPy give the same bits, in a block or one by one."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

import numpy as np
import pytest

import symbed
from symbed.distances import kernels
from symbed.engine.structures.observations import SortedOutputs
from symbed.errors import ShapeError
from tests.engine.engines import native, needs_core, twin


def outputs(seed: int, count: int, n_draws: int, n_points: int) -> SortedOutputs:
    """Some defined everywhere, some in part, one nowhere; negative, positive, zero, tied, huge."""
    rng = np.random.default_rng(seed)
    values = rng.normal(size=(count, n_draws, n_points)) * 10.0 ** rng.integers(
        -2, 3, (count, 1, 1)
    )
    values[1] = np.round(values[1])
    values[2] = -np.abs(values[2])
    values[3] *= 1e303
    counts = np.full((count, n_points), n_draws, np.int32)
    counts[1::2] = rng.integers(0, n_draws + 1, counts[1::2].shape)
    counts[4] = 0
    missing = np.arange(n_draws)[:, None] >= counts[:, None, :]
    return np.sort(np.where(missing, np.nan, values), axis=1), counts


def pairs(a: SortedOutputs, b: SortedOutputs) -> Iterator[tuple[SortedOutputs, SortedOutputs]]:
    """Each behavior of one block with each of the other."""
    for i, j in product(range(len(a[0])), range(len(b[0]))):
        yield (a[0][[i]], a[1][[i]]), (b[0][[j]], b[1][[j]])


@needs_core
@pytest.mark.parametrize(("draws", "n_points"), [((8, 8), 20), ((1, 8), 33), ((5, 3), 1)])
def test_the_core_has_the_bits_of_numpy(draws: tuple[int, int], n_points: int) -> None:
    a, b = outputs(1, 9, draws[0], n_points), outputs(2, 8, draws[1], n_points)
    want, found = twin.cemetery(a, b, 2.5), native.cemetery(a, b, 2.5)
    assert found.tobytes() == want.tobytes()


@needs_core
@pytest.mark.parametrize(("draws", "n_points"), [((8, 8), 20), ((1, 8), 33), ((5, 3), 1)])
def test_costs_at_points_have_the_bits_of_numpy(draws: tuple[int, int], n_points: int) -> None:
    a, b = outputs(1, 9, draws[0], n_points), outputs(2, 8, draws[1], n_points)
    for pair in pairs(a, b):
        want, found = twin.cemetery_profile(*pair, 2.5), native.cemetery_profile(*pair, 2.5)
        assert found.tobytes() == want.tobytes()


@needs_core
def test_costs_of_no_behavior_are_refused() -> None:
    a = outputs(5, 6, 4, 5)
    with pytest.raises(ShapeError):
        native.cemetery_profile((a[0][:0], a[1][:0]), a, 1.0)


def test_a_block_holds_the_means_of_the_costs_of_its_pairs() -> None:
    a, b = outputs(3, 9, 6, 12), outputs(4, 7, 6, 12)
    found = kernels.cemetery_distances(a, b, 3.0)
    means = [twin.cemetery_profile(*pair, 3.0).mean() for pair in pairs(a, b)]
    np.testing.assert_allclose(found.ravel(), means, rtol=1e-12)


@needs_core
def test_impossible_counts_are_refused() -> None:
    a = outputs(5, 6, 4, 5)
    wrong = a[0], a[1] + 3
    with pytest.raises(ShapeError, match="count of defined outputs"):
        native.cemetery(wrong, a, 1.0)


@pytest.mark.parametrize("scale", ["1e306", "5e307"])
def test_large_outputs_do_not_overflow_on_the_way(scale: str) -> None:
    probe = symbed.Probe({"x": (-1, 1)}, parameters=(0.5, 1))
    near, far = symbed.observe("C", probe), symbed.observe(f"{scale}*C*sqrt(x)", probe)
    plain = symbed.observe("C*sqrt(x)", probe)
    found = symbed.distance(far, near, undefined="cemetery", penalty=1.0)
    small = symbed.observe("0*C", probe)
    expected = symbed.distance(plain, small, undefined="cemetery", penalty=1e-300)
    assert found == pytest.approx(expected * float(scale), rel=1e-9)
    ends = [symbed.observe(f"{sign}{scale}*C", probe) for sign in ("", "-")]
    assert np.isfinite(symbed.distance(*ends, undefined="cemetery", penalty=1e307))

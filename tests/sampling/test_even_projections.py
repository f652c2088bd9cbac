"""Even orders: what a swap changes, what the swaps lower, and where the values lie."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from numpy.typing import NDArray

from symbed.sampling.counter_rng import permutation, uniforms
from symbed.sampling.designs import named
from symbed.sampling.discrepancy import (
    COARSE,
    FINE,
    SWEEPS,
    WEIGHED,
    WEIGHT,
    affordable_sweeps,
    beside_the_middles,
    criterion,
    reorder,
    swap_changes,
)

KEY = (0, 1)


def random_cells(n: int, d: int, seed: int = 0) -> NDArray[np.int64]:
    return np.stack([permutation(n, seed, j) for j in range(d)], axis=1)


def integers(n: int, seed: int) -> NDArray[np.float64]:
    """A symmetric matrix of small integers."""
    table = np.rint(20 * uniforms(n * n, seed)).reshape(n, n)
    return table + table.T


def test_the_change_of_every_swap_is_what_swapping_changes() -> None:
    a, b = integers(7, 0), integers(7, 1)
    changes = swap_changes(a, b)
    for i, j in itertools.combinations(range(7), 2):
        order = np.arange(7)
        order[[i, j]] = j, i
        assert changes[i, j] == changes[j, i] == (a * b[np.ix_(order, order)]).sum() - (a * b).sum()


def test_the_criterion_is_the_mean_product_of_the_kernel() -> None:
    cells = random_cells(6, 2)
    x = (cells + 0.5) / 6
    total = 0.0
    for p, q in itertools.product(x, x):
        gaps = np.abs(p - q)
        kernel = (p - 0.5) * (q - 0.5) + (gaps**2 - gaps + 1 / 6) / 2
        total += float(np.prod(1 + WEIGHT * kernel))
    assert criterion(cells) == pytest.approx(total / 36 - 1, abs=4 / COARSE)


@pytest.mark.parametrize(("n", "d"), [(8, 2), (16, 3), (64, 4), (40, 12)])
def test_every_sweep_lowers_the_criterion_until_there_is_no_good_swap(n: int, d: int) -> None:
    found = [criterion(reorder(random_cells(n, d), sweeps)) for sweeps in (0, 1, 2, 4)]
    assert sorted(found, reverse=True) == found
    assert found[0] > 1.2 * found[-1]
    settled = reorder(random_cells(n, d), 100)
    np.testing.assert_array_equal(reorder(settled, 1), settled)


@pytest.mark.parametrize(("n", "d"), [(1, 2), (2, 2), (3, 5), (33, 3), (64, 8)])
def test_a_column_stays_an_order_of_all_cells(n: int, d: int) -> None:
    start = random_cells(n, d)
    kept = start.copy()
    found = reorder(start, SWEEPS)
    np.testing.assert_array_equal(np.sort(found, axis=0), np.tile(np.arange(n)[:, None], d))
    np.testing.assert_array_equal(start, kept)  # a copy was reordered


def test_sums_are_exact_for_every_size() -> None:
    """Integers below 2**53 are added without rounding, so no machine finds other swaps."""
    for d in range(2, 65):
        n = max(n for n in range(1, 1025) if affordable_sweeps(n, d) >= 1)
        factor = 1 + WEIGHT * min(1, WEIGHED / d) / 3  # in a corner of the square, k is 1/3
        largest = FINE * factor ** (d - 1) * COARSE * (factor - 1)
        assert 16 * n * largest < 2**53


def test_values_lie_near_the_middles_and_have_their_mean() -> None:
    for n in (8, 64):
        cells = random_cells(n, 4)
        off = beside_the_middles(cells, KEY) * n - cells - 0.5
        assert np.abs(off).max() <= 1 / 8
        np.testing.assert_allclose(off.mean(axis=0), 0, atol=1e-12)
        assert np.ptp(np.abs(off), axis=0).max() < 1e-12


@pytest.mark.parametrize("d", [2, 5, 64])
def test_columns_keep_apart_where_they_share_a_cell(d: int) -> None:
    n = 16
    same = np.tile(np.arange(n)[:, None], d)
    for seed in range(20):
        points = np.sort(beside_the_middles(same, (seed,)), axis=1)
        assert np.diff(points, axis=1).min() > 0.99 * 0.125 / (n * d)


@pytest.mark.parametrize("d", [2, 4, 8])
def test_pairs_of_columns_are_more_even_than_optimized_latin_hypercubes(d: int) -> None:
    def error(name: str) -> float:
        """Root mean square error of the mean of x_i x_j, centered, over seeds and pairs."""
        tables = [named(name).points(64, d, (seed,)) - 0.5 for seed in range(4)]
        moments = [(table.T @ table / 64)[~np.eye(d, dtype=bool)] for table in tables]
        return float(np.sqrt(np.mean(np.square(moments))))

    assert error("lattice") < error("paper") / 1.5

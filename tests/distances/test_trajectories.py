"""Families as distributions over whole functions: transport and energy against exact values."""

from __future__ import annotations

import itertools
import math

import numpy as np
import ot
import pytest
from hypothesis import given
from hypothesis import strategies as st

from symbed.distances.trajectories import energy, transport
from symbed.errors import RangeError

RNG = np.random.default_rng(5)


def all_permutations(u: np.ndarray, v: np.ndarray, p: int) -> float:
    """The definition: the cheapest of all ways to match the rows."""
    return min(
        np.mean([np.mean(np.abs(u[i] - v[j]) ** p) for i, j in enumerate(way)])
        for way in itertools.permutations(range(len(v)))
    ) ** (1 / p)


@pytest.mark.parametrize("p", [1, 2])
def test_transport_is_the_cheapest_of_all_permutations(p: int) -> None:
    u, v = RNG.normal(size=(6, 5)), RNG.normal(1.0, size=(6, 5))
    assert transport(u, v, p).distance == pytest.approx(all_permutations(u, v, p), rel=1e-13)


@pytest.mark.parametrize(("m", "k"), [(4, 6), (6, 4), (1, 5), (5, 1), (3, 9)])
def test_sides_of_different_size_are_matched_as_optimal_transport_does(m: int, k: int) -> None:
    u, v = RNG.normal(size=(m, 7)), RNG.normal(0.5, size=(k, 7))
    costs = np.abs(u[:, None] - v).mean(axis=2)
    exact = ot.emd2(np.full(m, 1 / m), np.full(k, 1 / k), costs)
    assert transport(u, v, 1).distance == pytest.approx(exact, rel=1e-12)


@given(st.integers(2, 12), st.integers(1, 9), st.sampled_from([1, 2]), st.integers(0, 1000))
def test_point_by_point_no_distance_is_larger(m: int, n: int, p: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    u, v = rng.normal(size=(m, n)), rng.standard_cauchy(size=(m, n))
    pointwise = np.mean(np.abs(np.sort(u, axis=0) - np.sort(v, axis=0)) ** p) ** (1 / p)
    assert transport(u, v, p).distance >= pointwise * (1 - 1e-12)


@pytest.mark.parametrize("p", [1, 2])
def test_the_profile_has_the_distance_as_its_mean(p: int) -> None:
    result = transport(RNG.normal(size=(8, 5)), RNG.normal(size=(8, 5)), p)
    assert np.mean(result.profile**p) ** (1 / p) == pytest.approx(result.distance)


@pytest.mark.parametrize("size", [1e-300, 1e-150, 1e150, 1e300])
def test_sizes_at_the_ends_of_the_numbers_change_nothing(size: float) -> None:
    u, v = RNG.normal(size=(5, 4)), RNG.normal(size=(5, 4))
    for p in (1, 2):
        scaled = transport(size * u, size * v, p).distance
        assert scaled == pytest.approx(size * transport(u, v, p).distance, rel=1e-12)
    assert energy(size * u, size * v) == pytest.approx(math.sqrt(size) * energy(u, v), rel=1e-9)


def test_energy_is_the_textbook_sum() -> None:
    u, v = RNG.normal(size=(5, 3)), RNG.normal(2.0, size=(7, 3))

    def norm(a: np.ndarray, b: np.ndarray) -> float:
        return math.sqrt(np.mean((a - b) ** 2))

    between = np.mean([norm(a, b) for a in u for b in v])
    within = [np.mean([norm(a, b) for a, b in itertools.permutations(w, 2)]) for w in (u, v)]
    assert energy(u, v) == pytest.approx(math.sqrt(2 * between - sum(within)), rel=1e-12)


def test_equal_sets_are_at_zero() -> None:
    u = RNG.normal(size=(9, 4))
    assert transport(u, u[::-1], 1).distance == 0.0
    assert energy(u, u) == 0.0


def test_where_one_is_undefined_the_mismatch_counts() -> None:
    u = np.array([[0.0, math.nan], [1.0, 1.0]])
    v = np.array([[0.0, 5.0], [1.0, 1.0]])
    assert transport(u, v, 1).distance == math.inf
    assert transport(u, v, 1, mismatch=2.0).distance == 0.5
    assert energy(u, v) == math.inf


def test_points_where_both_are_undefined_count_nothing() -> None:
    u = np.array([[0.0, math.nan], [1.0, math.nan]])
    assert transport(u, u + 2.0, 1).distance == 1.0


def test_undefined_trajectories_are_matched_with_each_other_where_that_can_be() -> None:
    u = np.array([[math.nan], [3.0]])
    v = np.array([[4.0], [math.nan]])
    assert transport(u, v, 1).distance == 0.5


def test_too_many_trajectories_are_refused_with_a_remedy() -> None:
    with pytest.raises(RangeError, match="same number of draws"):
        transport(np.zeros((97, 1)), np.zeros((101, 1)), 1)

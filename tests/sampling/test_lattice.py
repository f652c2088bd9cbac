"""The lattice: even in every direction, nested, and the same as what the tool computes."""

from __future__ import annotations

import importlib.util
import math
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from symbed.sampling.discrepancy import DIMENSIONS, MODULUS, NESTED, generator, ranks, tent

TOOL = Path(__file__).parents[2] / "tools" / "lattice_generator.py"


@pytest.fixture(scope="module")
def tool() -> ModuleType:
    spec = importlib.util.spec_from_file_location("lattice_generator", TOOL)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_generator_of_1024_points_is_the_published_one() -> None:
    assert generator(1024) == (1, 151, 155, 365, 139, 281, 189, 113)


def test_the_tool_finds_the_embedded_levels_again(tool: ModuleType) -> None:
    found = generator(1024)
    for level in range(10, 13):
        found = tool.lift(found, level)
        assert found == generator(1 << (level + 1))


def test_the_generator_reaches_the_limit_on_points() -> None:
    assert MODULUS == 1 << 20
    assert all(z % 2 == 1 and z < MODULUS for z in NESTED)


@given(st.integers(1, 3000), st.integers(0, DIMENSIONS - 1))
def test_every_cell_of_every_dimension_holds_one_point(n: int, dimension: int) -> None:
    assert sorted(ranks(n, dimension)) == list(range(n))


@pytest.mark.parametrize("n", [1, 2, 16, 256, 1024])
def test_the_points_of_n_are_among_those_of_2n(n: int) -> None:
    fine = np.stack([ranks(2 * n, j) for j in range(DIMENSIONS)], axis=1).tolist()
    coarse = np.stack([2 * ranks(n, j) for j in range(DIMENSIONS)], axis=1).tolist()
    assert set(map(tuple, coarse)) <= set(map(tuple, fine))


@pytest.mark.parametrize("n", [16, 48, 64, 100, 256, 1000])
def test_pairs_of_dimensions_are_far_more_even_than_chance(n: int, tool: ModuleType) -> None:
    chance = ((7 / 6) ** 2 - 1) / n  # mean squared error of n random points
    for other in range(1, DIMENSIONS):
        pair = (generator(n)[0], generator(n)[other])
        assert tool.worst_case_error(pair, n) < chance / 3


@pytest.mark.parametrize("n", [24, 100, 500])
def test_any_number_of_points_is_about_as_good_as_a_power_of_two(n: int, tool: ModuleType) -> None:
    below = 1 << (n.bit_length() - 1)
    error = math.sqrt(tool.worst_case_error(generator(n)[:4], n))
    assert error < math.sqrt(tool.worst_case_error(generator(below)[:4], below))


@pytest.mark.parametrize("n", [5000, 30_001, 100_000])
def test_many_points_that_are_no_power_of_two_are_as_even_in_six_dimensions(
    n: int, tool: ModuleType
) -> None:
    below = 1 << (n.bit_length() - 1)
    error = tool.worst_case_error(generator(n)[:6], n)
    assert error < 1.2 * tool.worst_case_error(generator(below)[:6], below)


@pytest.mark.parametrize("n", [5000, 100_000])
def test_every_pair_of_columns_of_many_points_fills_all_boxes(n: int) -> None:
    columns = [16 * ranks(n, dimension) // n for dimension in range(DIMENSIONS)]
    for one in range(DIMENSIONS):
        for other in range(one):
            assert len(np.unique(16 * columns[one] + columns[other])) == 256


def test_the_tent_folds_the_interval_in_two() -> None:
    u = np.array([0.0, 0.25, 0.5, 0.75, 1.0])
    assert tent(u).tolist() == [0.0, 0.5, 1.0, 0.5, 0.0]

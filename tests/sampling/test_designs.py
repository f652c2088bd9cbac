"""Designs: what each promises about its points and draws in the unit cube."""

from __future__ import annotations

import hashlib

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import qmc

from symbed.errors import RangeError
from symbed.sampling.designs import DESIGNS, named
from symbed.sampling.discrepancy import centered_discrepancy, lower_discrepancy

KEY = (0, 1)
GOLDEN = {
    "lattice": "edec93f99209b95e",
    "shared": "1a07550e5eb5b42e",
    "lhs": "e7f84ea7ea14e22c",
    "random": "9f34e905df20cfcc",
    "paper": "ff4bcb38f90941ea",
}
SIZES = st.tuples(st.integers(1, 40), st.integers(1, 12))


def test_the_numbers_never_change() -> None:
    for name, design in DESIGNS.items():
        many = [500] if design.points is DESIGNS["lattice"].points else []  # made in another way
        tables = [design.points(n, 3, KEY).round(12).tobytes() for n in (16, 64, *many)]
        digest = hashlib.sha256(b"".join(tables))
        digest.update(design.draws(8, range(10), range(4), KEY).round(12).tobytes())
        assert (name, digest.hexdigest()[:16]) == (name, GOLDEN[name])


@pytest.mark.parametrize("name", DESIGNS)
@settings(deadline=None, max_examples=15)
@given(size=SIZES, seed=st.integers(0, 100))
def test_any_size_fills_the_open_unit_cube(name: str, size: tuple[int, int], seed: int) -> None:
    n, d = size
    points = named(name).points(n, d, (seed,))
    draws = named(name).draws(n, range(d), range(3), (seed,))
    assert points.shape == (n, d)
    assert draws.shape == (d, n, 3 if named(name).per_point else 1)
    for table in (points, draws):
        assert table.min() > 0
        assert table.max() <= 1


@pytest.mark.parametrize("name", DESIGNS)
def test_a_new_column_changes_no_earlier_one(name: str) -> None:
    draws = named(name).draws
    few, many = draws(16, range(3), range(5), KEY), draws(16, range(12), range(5), KEY)
    np.testing.assert_array_equal(many[:3], few)
    np.testing.assert_array_equal(draws(16, range(7, 12), range(5), KEY), many[7:])


def test_some_points_can_be_drawn_alone() -> None:
    draws = named("lattice").draws
    whole = draws(16, range(10), range(20), KEY)
    np.testing.assert_array_equal(draws(16, range(10), range(5, 9), KEY), whole[:, :, 5:9])


def test_the_draws_at_m_are_among_those_at_2m() -> None:
    few = named("lattice").draws(16, range(8), range(6), KEY)
    many = named("lattice").draws(32, range(8), range(6), KEY)
    np.testing.assert_allclose(np.sort(few, axis=1), np.sort(many[:, ::2], axis=1), atol=1e-15)


def test_halves_of_lattice_draws_are_even_themselves() -> None:
    draws = named("lattice").draws(32, range(8), range(50), KEY)
    for half in (draws[:, ::2], draws[:, 1::2]):
        assert np.abs(half.mean(axis=1) - 0.5).max() < 1 / 16


@pytest.mark.parametrize("name", ["lattice", "shared"])
@pytest.mark.parametrize("n", [7, 16, 64, 100, 301, 512])
def test_lattice_points_keep_a_quarter_step_from_the_edges(name: str, n: int) -> None:
    for seed in range(40):
        points = named(name).points(n, 10, (seed,))
        assert min(points.min(), (1 - points).min()) > 0.2499 / n


@pytest.mark.parametrize("n", [64, 512])
def test_lattice_points_reach_near_the_edges_all_the_same(n: int) -> None:
    points = np.stack([named("lattice").points(n, 4, (seed,)) for seed in range(50)])
    assert points.min() < 0.5 / n
    assert points.max() > 1 - 0.5 / n


@pytest.mark.parametrize("n", [1, 2, 3, 5, 64, 65])
def test_one_variable_has_a_point_in_each_cell_and_slopes_cancel(n: int) -> None:
    for seed in range(20):
        points = named("lattice").points(n, 1, (seed,))[:, 0]
        np.testing.assert_array_equal(np.floor(points * n), np.arange(n))
        assert points.mean() == pytest.approx(0.5, abs=1e-15)
        assert min(points.min(), (1 - points).min()) > 0.1249 / n


def test_the_points_of_one_variable_depend_on_the_seed() -> None:
    wave = [np.sin(64 * np.pi * named("lattice").points(64, 1, (s,))).std() for s in range(20)]
    assert min(wave) > 0.5  # at the midpoints of 64 cells it has its zeros


def test_mirrored_pairs_are_as_accurate_as_midpoints_on_smooth_functions() -> None:
    middles = (np.arange(64) + 0.5) / 64
    for function in (np.exp, np.sin, np.square):
        truth = function(((np.arange(1 << 16)) + 0.5) / (1 << 16)).mean()
        errors = [
            function(named("lattice").points(64, 1, (seed,))[:, 0]).mean() - truth
            for seed in range(50)
        ]
        assert np.sqrt(np.mean(np.square(errors))) < 1.2 * abs(function(middles).mean() - truth)


def test_no_two_variables_coincide_at_a_point() -> None:
    for seed in range(100):
        points = named("lattice").points(64, 4, (seed,))
        gaps = np.abs(points[:, :, None] - points[:, None, :])[:, ~np.eye(4, dtype=bool)]
        assert gaps.min() > 0.02 / 64


def test_each_point_of_the_lattice_design_has_draws_of_its_own() -> None:
    draws = named("lattice").draws(32, range(3), range(64), KEY)
    sets = {tuple(draws[column, :, point]) for column in range(3) for point in range(64)}
    assert len(sets) == 3 * 64


def test_shifts_of_points_are_independent() -> None:
    shifts = named("lattice").draws(1, range(9), range(4096), KEY)[:, 0, :]
    assert np.abs(np.corrcoef(shifts)[~np.eye(9, dtype=bool)]).max() < 5 / 64
    neighbors = np.asarray(np.corrcoef(shifts[:, 1:].ravel(), shifts[:, :-1].ravel()))[0, 1]
    assert abs(neighbors) < 5 / np.sqrt(shifts.size)


@pytest.mark.parametrize("name", ["lhs", "paper"])
def test_a_latin_hypercube_has_one_value_in_each_cell(name: str) -> None:
    points = named(name).points(37, 5, KEY)
    draws = named(name).draws(37, range(5), range(1), KEY)[:, :, 0].T
    for table in (points, draws):
        cells = np.sort(np.floor(table * 37).astype(int), axis=0)
        np.testing.assert_array_equal(cells, np.tile(np.arange(37)[:, None], 5))


@pytest.mark.parametrize("columns", [range(8), range(8, 20)])
def test_lattice_draws_are_even_in_every_column(columns: range) -> None:
    draws = named("lattice").draws(32, columns, range(20), KEY)
    # Folded, two points share each of 16 cells of twice the width.
    counts = np.apply_along_axis(np.bincount, 1, (draws * 16).astype(int), minlength=16)
    assert (counts == 2).all()


@pytest.mark.parametrize("n", [64, 512])
def test_the_lattice_integrates_smooth_functions_far_better_than_chance(n: int) -> None:
    def error(name: str) -> float:
        tables = (named(name).points(n, 3, (seed,)) for seed in range(50))
        exact = (np.e - 1) ** 3
        found = np.array([np.exp(table.sum(axis=1)).mean() - exact for table in tables])
        return float(np.sqrt(np.mean(found**2)))

    assert error("lattice") < error("lhs") / 5 < error("random") / 5


def test_the_discrepancy_is_scipys() -> None:
    points = named("lhs").points(30, 4, KEY)
    assert centered_discrepancy(points) == pytest.approx(qmc.discrepancy(points), rel=1e-9)


@pytest.mark.no_cover
def test_optimized_points_are_as_even_as_those_of_the_reference() -> None:
    ours = [centered_discrepancy(named("paper").points(64, 3, (seed,))) for seed in range(4)]
    plain = [centered_discrepancy(named("lhs").points(64, 3, (seed,))) for seed in range(4)]
    made = [qmc.LatinHypercube(3, optimization="random-cd", rng=seed) for seed in range(4)]
    reference = [qmc.discrepancy(sampler.random(64)) for sampler in made]
    assert np.mean(ours) < np.mean(plain) / 2
    assert np.mean(ours) == pytest.approx(np.mean(reference), rel=0.15)


def test_optimization_only_reorders_columns() -> None:
    plain = named("lhs").points(20, 3, KEY)
    better = lower_discrepancy(plain, KEY)
    assert not np.array_equal(plain, better)
    np.testing.assert_allclose(np.sort(plain, axis=0), np.sort(better, axis=0), atol=1e-15)


def test_one_column_or_one_point_cannot_be_improved() -> None:
    for shape in ((1, 3), (9, 1)):
        plain = named("lhs").points(*shape, KEY)
        np.testing.assert_array_equal(lower_discrepancy(plain, KEY), plain)


def test_thousands_of_parameters_have_columns() -> None:
    draws = named("lattice").draws(4, range(3000), range(2), KEY)
    assert draws.shape == (3000, 4, 2)
    assert len(np.unique(draws[:, 0, 0])) == 3000


def test_an_unknown_design_is_named_with_the_choices() -> None:
    with pytest.raises(RangeError, match="unknown design 'sobol'; choose one of lattice, shared"):
        named("sobol")


def test_only_the_published_design_draws_afresh_for_each_expression() -> None:
    assert [name for name, row in DESIGNS.items() if row.fresh] == ["paper"]
    assert [name for name, row in DESIGNS.items() if row.per_point] == ["lattice"]
    assert not DESIGNS["paper"].aligned
    assert DESIGNS["lattice"].aligned

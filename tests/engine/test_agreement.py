"""Native = NumPy = loops = SciPy: the engines give the same bits, and the right numbers."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.stats import wasserstein_distance

from tests import naive
from tests.engine.engines import has_core, native, twin
from tests.engine.random_programs import random_case

pytestmark = pytest.mark.skipif(not has_core, reason="no native core in this build")

ISAS = native.supported_isas() if has_core else ()
DRAWS = (1, 2, 3, 7, 8, 16, 31, 32, 33, 64, 100)
POINTS = (1, 2, 5, 8, 64, 65, 127)


@pytest.fixture(autouse=True)
def _restore_isa() -> Iterator[None]:
    before = native.isa()
    yield
    native.select_isa(before)


@pytest.mark.parametrize("n_points", POINTS)
@pytest.mark.parametrize("n_draws", DRAWS)
def test_every_instruction_set_observes_the_bits_of_the_twin(n_draws: int, n_points: int) -> None:
    observed = random_case(1000 * n_draws + n_points, n_draws, n_points)
    expected, expected_counts = observed.run(twin)
    for isa in ISAS:
        native.select_isa(isa)
        values, counts = observed.run(native)
        assert counts.tolist() == expected_counts.tolist(), isa
        assert values.tobytes() == expected.tobytes(), isa


@pytest.mark.parametrize(("n_draws", "n_points"), [(40, 1500), (3, 2100), (2500, 3)])
def test_blocks_of_points_and_draws_do_not_show(n_draws: int, n_points: int) -> None:
    observed = random_case(n_draws, n_draws, n_points, n_programs=3)
    expected, expected_counts = observed.run(twin)
    values, counts = observed.run(native)
    assert counts.tolist() == expected_counts.tolist()
    assert values.tobytes() == expected.tobytes()


def test_a_program_gives_the_same_bits_alone_and_in_company() -> None:
    together = random_case(5, 32, 64, n_programs=12)
    values, counts = together.run(native)
    for k in range(12):
        alone = random_case(5, 32, 64, n_programs=12)
        alone.starts = together.starts[k : k + 2] - together.starts[k]
        alone.words = together.words[together.starts[k] : together.starts[k + 1]]
        alone.bases = together.bases[k : k + 1]
        found, found_counts = alone.run(native)
        assert found[0].tobytes() == values[k].tobytes()
        assert found_counts[0].tolist() == counts[k].tolist()


@pytest.mark.no_cover
@pytest.mark.parametrize("engine", [native, twin], ids=["native", "twin"])
@pytest.mark.parametrize(("n_draws", "n_programs"), [(1, 300), (32, 20), (33, 5), (600, 4)])
def test_a_sweep_is_observing_and_measuring(engine, n_draws: int, n_programs: int) -> None:
    swept = random_case(n_programs, n_draws, 64, n_programs)
    values, counts = swept.run(engine)
    for p, mismatch in itertools.product((1, 2), (2.5, np.inf)):
        expected = np.empty((n_programs, 2))
        targets = values[-2:], counts[-2:]
        engine.cross(values, counts, *targets, p, mismatch, expected)
        assert swept.sweep(engine, targets, p, mismatch).tobytes() == expected.tobytes()


def test_a_sweep_that_stops_at_gaps_gives_the_distances_of_one_that_does_not() -> None:
    swept = random_case(7, 32, 80, n_programs=200)
    values, counts = swept.run(native)
    everywhere, gaps = (counts > 0).all(axis=1), (counts == 0).any(axis=1)
    assert everywhere.sum() > 20
    assert gaps.sum() > 20
    whole = np.flatnonzero(everywhere)[:2].tolist()
    for rows in (whole, [*whole, int(np.flatnonzero(gaps)[0])]):  # the latter must not stop
        targets = values[rows], counts[rows]
        for isa in ISAS:
            native.select_isa(isa)
            expected = np.empty((200, len(rows)))
            native.cross(values, counts, *targets, 1, np.inf, expected)
            assert np.isinf(expected[gaps][:, :2]).all()
            assert swept.sweep(native, targets, 1, np.inf).tobytes() == expected.tobytes()


@pytest.mark.parametrize("p", [1, 2])
@pytest.mark.parametrize("draws", [(1, 1), (32, 32), (1, 32), (32, 1), (7, 7), (8, 32), (5, 3)])
@pytest.mark.parametrize("n_points", [1, 5, 64, 65])
@pytest.mark.parametrize("mismatch", [np.inf, 2.5])
def test_every_instruction_set_measures_the_bits_of_the_twin(
    p: int, draws: tuple[int, int], n_points: int, mismatch: float
) -> None:
    rng = np.random.default_rng(n_points)
    a = _behaviors(rng, 8, draws[0], n_points)
    b = _behaviors(rng, 9, draws[1], n_points)
    expected, expected_profile = np.empty((8, 9)), np.empty(n_points)
    twin.cross(*a, *b, p, mismatch, expected)
    twin.profile(a[0][0], a[1][0], b[0][0], b[1][0], p, mismatch, expected_profile)
    for isa in ISAS:
        native.select_isa(isa)
        found, profile = np.empty((8, 9)), np.empty(n_points)
        native.cross(*a, *b, p, mismatch, found)
        native.profile(a[0][0], a[1][0], b[0][0], b[1][0], p, mismatch, profile)
        assert found.tobytes() == expected.tobytes(), isa
        assert profile.tobytes() == expected_profile.tobytes(), isa


@pytest.mark.parametrize("p", [1, 2])
def test_a_block_of_any_size_holds_the_distances_of_its_pairs(p: int) -> None:
    rng = np.random.default_rng(3)
    a, b = _behaviors(rng, 11, 16, 30), _behaviors(rng, 10, 16, 30)
    whole = np.empty((11, 10))
    native.cross(*a, *b, p, 1.0, whole)
    for i in range(11):
        for j in range(10):
            one = np.empty((1, 1))
            sides = a[0][i : i + 1], a[1][i : i + 1], b[0][j : j + 1], b[1][j : j + 1]
            native.cross(*sides, p, 1.0, one)
            assert one[0, 0] == whole[i, j]


@pytest.mark.parametrize("engine", [native, twin], ids=["native", "twin"])
@pytest.mark.parametrize("p", [1, 2])
@pytest.mark.parametrize("draws", [(6, 6), (1, 6), (4, 6)])
def test_cross_is_the_definition_in_loops(engine, p: int, draws: tuple[int, int]) -> None:
    rng = np.random.default_rng(11)
    (a, a_defined), (b, b_defined) = (_behaviors(rng, 6, m, 9, False) for m in draws)
    found = np.empty((6, 6))
    engine.cross(a, a_defined, b, b_defined, p, 3.0, found)
    expected = [[naive.bed(u.T.tolist(), v.T.tolist(), p, mismatch=3.0) for v in b] for u in a]
    np.testing.assert_allclose(found, expected, rtol=1e-13)


def test_fast_path_and_general_path_agree() -> None:
    rng = np.random.default_rng(12)
    values = np.sort(rng.normal(size=(2, 32, 64)), axis=1)
    counts = np.full((2, 64), 32, np.int32)
    fast, profile = np.empty((1, 1)), np.empty(64)
    for p in (1, 2):
        native.cross(values[:1], counts[:1], values[1:], counts[1:], p, 1.0, fast)
        native.profile(values[0], counts[0], values[1], counts[1], p, 1.0, profile)
        assert fast[0, 0] == pytest.approx(np.mean(profile**p) ** (1 / p), rel=1e-13)


@pytest.mark.parametrize("engine", [native, twin], ids=["native", "twin"])
def test_profile_is_scipys_wasserstein_distance(engine) -> None:
    _compare_with_scipy(engine, 2000)


@pytest.mark.slow
@pytest.mark.parametrize("engine", [native, twin], ids=["native", "twin"])
def test_profile_is_scipys_wasserstein_distance_on_100_000_rows(engine) -> None:
    _compare_with_scipy(engine, 100_000)


@pytest.mark.parametrize("engine", [native, twin], ids=["native", "twin"])
def test_profile_is_the_area_between_the_distribution_functions_on_100_000_rows(engine) -> None:
    u, n_u, v, n_v = _rows(100_000, seed=1)
    found = np.empty(100_000)
    engine.profile(u, n_u, v, n_v, 1, np.inf, found)
    np.testing.assert_allclose(found, _area_between(u, n_u, v, n_v), rtol=1e-12)


def _behaviors(
    rng: np.random.Generator, count: int, n_draws: int, n_points: int, extreme: bool = True
) -> tuple[NDArray[np.float64], NDArray[np.int32]]:
    """Sorted behaviors: full ones, partial ones, empty points, and some of extreme size."""
    values = rng.uniform(-1, 1, size=(count, n_draws, n_points))
    scales = [1.0, 1.7e308, 1e-200, 1e3] if extreme else [1.0, 0.01, 100.0]
    values *= rng.choice(scales, (count, 1, 1))
    defined = np.full((count, n_points), n_draws, np.int32)
    defined[2::3] = rng.integers(0, n_draws + 1, (len(defined[2::3]), n_points))
    missing = np.arange(n_draws)[:, None] >= defined[:, None, :]
    return np.sort(np.where(missing, np.nan, values), axis=1), defined


def _rows(
    count: int, seed: int, most: int = 12
) -> tuple[NDArray[np.float64], NDArray[np.int32], NDArray[np.float64], NDArray[np.int32]]:
    rng = np.random.default_rng(seed)
    sides: list[NDArray[np.float64] | NDArray[np.int32]] = []
    for _ in range(2):
        counts = rng.integers(1, most + 1, count, dtype=np.int32)
        values = rng.standard_cauchy((most, count)) * 10.0 ** rng.integers(-3, 4, count)
        values[np.arange(most)[:, None] >= counts] = np.nan
        sides += [np.sort(values, axis=0), counts]
    return tuple(sides)  # type: ignore[return-value]


def _compare_with_scipy(engine, count: int) -> None:
    u, n_u, v, n_v = _rows(count, seed=2)
    found = np.empty(count)
    engine.profile(u, n_u, v, n_v, 1, np.inf, found)
    columns, other = np.ascontiguousarray(u.T), np.ascontiguousarray(v.T)
    expected = [
        wasserstein_distance(columns[i, : n_u[i]], other[i, : n_v[i]]) for i in range(count)
    ]
    np.testing.assert_allclose(found, expected, rtol=1e-12)


def _area_between(
    u: NDArray[np.float64], n_u: NDArray[np.int32], v: NDArray[np.float64], n_v: NDArray[np.int32]
) -> NDArray[np.float64]:
    """The integral of |F - G|, all rows at once: another formula than the quantiles' one."""
    both = np.concatenate([u, v])
    steps = np.concatenate([np.broadcast_to(n_v, u.shape), np.broadcast_to(-n_u, v.shape)])
    order = np.argsort(both, axis=0)
    both, steps = np.take_along_axis(both, order, 0), np.take_along_axis(steps, order, 0)
    gaps = np.abs(np.cumsum(steps, axis=0))[:-1] * np.diff(both, axis=0)
    return np.nansum(gaps, axis=0) / (n_u * n_v)


def test_every_instruction_set_transforms_the_bits_of_the_twin() -> None:
    rng = np.random.default_rng(7)
    for low, high in ((-3, 4), (-320, 308)):  # blocks of ordinary numbers only, and any
        values = rng.standard_normal((3, 50, 67)) * 10.0 ** rng.integers(low, high, (3, 50, 67))
        values[0, 0, :8] = (0.0, -0.0, 5e-324, -5e-324, 1.7e308, -1.7e308, np.nan, 2.0**28)
        expected = twin.arcsinh(values)
        np.testing.assert_allclose(expected, np.arcsinh(values), rtol=4e-16)
        for isa in ISAS:
            native.select_isa(isa)
            assert native.arcsinh(values).tobytes() == expected.tobytes(), isa
            assert native.arcsinh(values[:, ::3]).tobytes() == expected[:, ::3].tobytes(), isa

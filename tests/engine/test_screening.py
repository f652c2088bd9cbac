"""Panels and screening: many rows at once give the bits of one pair, and approximations keep their word."""

from __future__ import annotations

import functools
from collections.abc import Iterator

import numpy as np
import pytest
from numpy.typing import NDArray

from symbed.engine.reference._bounds import OF_ITSELF, OF_SIZES
from tests.engine.engines import has_core, native, twin

ENGINES = [twin, native] if has_core else [twin]
ISAS = native.supported_isas() if has_core else ()
SHAPES = [(24, 24, 32, 32, 64), (61, 47, 5, 5, 13), (30, 97, 1, 32, 64), (70, 25, 33, 1, 7)]

Side = tuple[NDArray[np.float64], NDArray[np.int32]]


@pytest.fixture(autouse=True)
def _restore_isa() -> Iterator[None]:
    before = native.isa() if ISAS else ""
    yield
    if ISAS:
        native.select_isa(before)


def behaviors(seed: int, count: int, n_draws: int, n_points: int, *, partial: bool = True) -> Side:
    rng = np.random.default_rng(seed)
    values = rng.normal(size=(count, n_draws, n_points)) * 10.0 ** rng.integers(
        -3, 4, (count, 1, 1)
    )
    defined = np.full((count, n_points), n_draws, np.int32)
    if partial:
        values[3] *= 1e300
        values[4] *= 1e-200
        defined[5::7] = rng.integers(0, n_draws + 1, defined[5::7].shape)
    missing = np.arange(n_draws)[:, None] >= defined[:, None, :]
    return np.sort(np.where(missing, np.nan, values), axis=1), defined


@pytest.mark.skipif(not ISAS, reason="no native core in this build")
@pytest.mark.parametrize("p", [1, 2])
@pytest.mark.parametrize("shape", SHAPES)
def test_many_rows_have_the_bits_of_the_twin_on_every_instruction_set(p: int, shape) -> None:
    n_a, n_b, a_draws, b_draws, n_points = shape
    a, b = behaviors(1, n_a, a_draws, n_points), behaviors(2, n_b, b_draws, n_points)
    expected, screened = np.empty((n_a, n_b)), np.empty((n_a, n_b))
    twin.cross(*a, *b, p, 2.0, expected)
    twin.screen(*a, *b, p, 2.0, 1.0, screened)
    for isa in ISAS:
        native.select_isa(isa)
        found = np.empty((n_a, n_b))
        native.cross(*a, *b, p, 2.0, found)
        assert found.tobytes() == expected.tobytes(), isa
        native.screen(*a, *b, p, 2.0, 1.0, found)
        assert found.tobytes() == screened.tobytes(), isa


@pytest.mark.skipif(not ISAS, reason="no native core in this build")
@pytest.mark.parametrize("p", [1, 2])
@pytest.mark.parametrize("verb", ["cross", "screen"])
def test_a_block_with_itself_is_the_block_with_its_copy(p: int, verb: str) -> None:
    a = behaviors(3, 90, 8, 16)
    copy = a[0].copy(), a[1].copy()
    more = (p, 2.0, 0.5) if verb == "screen" else (p, 2.0)
    for isa in ISAS:
        native.select_isa(isa)
        itself, other = np.empty((90, 90)), np.empty((90, 90))
        getattr(native, verb)(*a, *a, *more, itself)
        getattr(native, verb)(*a, *copy, *more, other)
        assert itself.tobytes() == other.tobytes(), isa
        np.testing.assert_array_equal(itself, itself.T)
        np.testing.assert_array_equal(np.diag(itself), 0.0)


@pytest.mark.skipif(not ISAS, reason="no native core in this build")
def test_rows_of_more_than_one_chunk_have_the_bits_of_the_twin() -> None:
    a, b = (behaviors(seed, 25, 64, 100, partial=False) for seed in (4, 5))
    expected, found = np.empty((25, 25)), np.empty((25, 25))
    twin.screen(*a, *b, 1, np.inf, 0.0, expected)
    for isa in ISAS:
        native.select_isa(isa)
        native.screen(*a, *b, 1, np.inf, 0.0, found)
        assert found.tobytes() == expected.tobytes(), isa


@pytest.mark.parametrize("engine", ENGINES, ids=lambda engine: engine.name)
@pytest.mark.parametrize("p", [1, 2])
@pytest.mark.parametrize("within", [0.0, 0.3, 1e3, np.inf])
def test_small_distances_are_exact_and_large_ones_within_the_bound(
    engine, p: int, within: float
) -> None:
    a, b, exact = _pairs_with_near_ones(engine, p)
    found = np.empty_like(exact)
    engine.screen(*a, *b, p, np.inf, within, found)
    small = exact <= within
    np.testing.assert_array_equal(found[small], exact[small])
    assert (found[~small] > within).all()
    finite = np.isfinite(exact)
    with np.errstate(all="ignore"):
        sizes = [np.nanmean(np.abs(side[0]) ** p, axis=(1, 2)) ** (1 / p) for side in (a, b)]
        bound = OF_ITSELF[p] * exact * 1.001 + OF_SIZES[p] * np.add.outer(*sizes) + 1e-22
    assert (np.abs(found[finite] - exact[finite]) <= bound[finite]).all()
    np.testing.assert_array_equal(found[~finite], exact[~finite])


@functools.cache  # the twin's exact distances take a second
def _pairs_with_near_ones(engine, p: int) -> tuple[Side, Side, NDArray[np.float64]]:
    """Two sides, half of the second close to the first, and their exact distances."""
    a, b = behaviors(6, 40, 16, 32), behaviors(7, 40, 16, 32)
    b[0][:20] = np.sort(a[0][:20] + 1e-7, axis=1)
    b[1][:20] = a[1][:20]
    exact = np.empty((40, 40))
    engine.cross(*a, *b, p, np.inf, exact)
    return a, b, exact


def test_most_large_distances_are_approximated_at_all() -> None:
    a, b = (behaviors(seed, 30, 16, 32, partial=False) for seed in (8, 9))
    exact, found = np.empty((30, 30)), np.empty((30, 30))
    twin.cross(*a, *b, 1, np.inf, exact)
    twin.screen(*a, *b, 1, np.inf, 0.0, found)
    assert (found != exact).mean() > 0.9


@pytest.mark.skipif(not ISAS, reason="no native core in this build")
def test_the_yardstick_of_benchmarks_counts_its_additions() -> None:
    assert native.add_singles(10) == 10 * native.add_singles(1) > 0

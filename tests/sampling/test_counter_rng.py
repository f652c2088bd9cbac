"""Counters: the numbers depend on where they are used, and on nothing else."""

from __future__ import annotations

import hashlib

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from symbed.sampling.counter_rng import hashes, permutation, uniforms

INTEGERS = st.integers(-(2**200), 2**200)


def test_the_numbers_never_change() -> None:
    digest = hashlib.sha256(uniforms(1000, 42, 1, 2, 3).tobytes()).hexdigest()
    assert digest.startswith("fa7f30d831d80d2f")


def test_the_first_hashes_never_change() -> None:
    first, second = (int(h) for h in hashes(2, 0))
    assert (first, second) == (899492025199979184, 14897109913828529667)


@given(INTEGERS, st.lists(INTEGERS, max_size=3), st.integers(0, 1000))
def test_a_number_does_not_depend_on_its_neighbors(seed: int, keys: list[int], place: int) -> None:
    alone = uniforms(1, seed, *keys, start=place)
    assert alone[0] == uniforms(place + 1, seed, *keys)[place]


@given(INTEGERS)
def test_numbers_lie_strictly_between_zero_and_one(seed: int) -> None:
    u = uniforms(64, seed)
    assert u.min() > 0.0
    assert u.max() < 1.0


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ((1, 23), (12, 3)),
        ((0,), (0, 0)),
        ((-1,), (2**64 - 1,)),
        ((2**64,), (0, 1)),
        ((5, 0), (0, 5)),
    ],
)
def test_different_keys_give_different_numbers(
    one: tuple[int, ...], other: tuple[int, ...]
) -> None:
    assert not np.any(uniforms(100, *one) == uniforms(100, *other))


def test_numbers_are_uniform_and_uncorrelated() -> None:
    tables = np.stack([uniforms(4096, 0, key) for key in range(16)])
    counts = np.histogram(tables, bins=64, range=(0, 1))[0]
    expected = tables.size / 64
    assert ((counts - expected) ** 2 / expected).sum() < 63 + 5 * np.sqrt(2 * 63)
    off_diagonal = np.corrcoef(tables)[~np.eye(16, dtype=bool)]
    assert np.abs(off_diagonal).max() < 5 / np.sqrt(4096)
    assert abs(np.asarray(np.corrcoef(tables[:, 1:].ravel(), tables[:, :-1].ravel()))[0, 1]) < 0.02


@given(st.integers(1, 200), INTEGERS)
def test_a_permutation_holds_every_number_once(n: int, seed: int) -> None:
    assert sorted(permutation(n, seed)) == list(range(n))


def test_the_global_random_state_is_left_alone() -> None:
    before = np.random.get_state()[1].tolist()  # type: ignore[index]  # noqa: NPY002
    uniforms(10, 0)
    permutation(10, 0)
    assert np.random.get_state()[1].tolist() == before  # type: ignore[index]  # noqa: NPY002

"""Pseudo-inverses: NumPy's, with bits that do not depend on the machine."""

from __future__ import annotations

import hashlib

import numpy as np
import pytest

from symbed.distances.intervals._standard_errors import point_scatter, pseudo_inverse


@pytest.mark.parametrize(("rows", "columns"), [(4, 2), (6, 3), (18, 9), (5, 5), (2, 5), (1, 3)])
def test_independent_columns_give_numpys_inverse(rows: int, columns: int) -> None:
    matrices = np.random.default_rng(rows).standard_normal((200, rows, columns))
    expected = np.linalg.pinv(matrices)
    scale = np.abs(expected).max(axis=(1, 2), keepdims=True)
    error = np.abs(pseudo_inverse(matrices) - expected) / scale
    condition = np.linalg.cond(matrices)[:, None, None]
    assert (error <= 1e-14 * condition).all()


@pytest.mark.parametrize("rank", [0, 1, 2, 3])
def test_dependent_columns_give_the_inverse_with_the_smallest_numbers(rank: int) -> None:
    rng = np.random.default_rng(rank)
    matrices = rng.integers(-3, 4, (100, 7, rank)) @ rng.integers(-3, 4, (100, rank, 4)) * 1.0
    expected = np.linalg.pinv(matrices, rcond=1e-10)
    np.testing.assert_allclose(pseudo_inverse(matrices), expected, atol=1e-12)


def test_small_columns_beside_large_ones_are_no_rounding() -> None:
    matrices = np.array([[[1.0, 0.0], [1.0, 1e-20], [1.0, 3e-20]]])
    scaled = pseudo_inverse(matrices * [1.0, 1e20])
    np.testing.assert_allclose(pseudo_inverse(matrices)[0, 1], scaled[0, 1] * 1e20, rtol=1e-12)


def test_the_bits_are_the_same_on_every_machine() -> None:
    numbers = np.arange(64 * 8 * 3) * 0.6180339887498949 % 1.0
    inverses = pseudo_inverse(numbers.reshape(64, 8, 3))
    errors = [point_scatter(numbers[:64], numbers[64 : 64 * (d + 1)].reshape(64, d)).error
              for d in (1, 2, 3)]  # fmt: skip
    told = hashlib.sha256(inverses.tobytes() + np.array(errors).tobytes()).hexdigest()
    assert told[:16] == "ecbcf101bd21d70f"

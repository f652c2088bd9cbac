"""Lifts the generator of a lattice modulo N to 2N, 4N and so on.

Prints the constants of ``symbed.sampling.discrepancy``. At each doubling every component is kept or
raised by N, so that the lattice of N points stays inside the lattice of 2N; among the choices the
one with the least worst-case error wins (functions with square-integrable mixed first derivatives,
a random shift: the mean over the points of prod_j (1 + B2(u_j)), minus 1; every projection counts
alike). The first component is always 1: multiplying all by a unit renumbers the points only.

Run: python tools/lattice_generator.py [LEVELS]
"""

from __future__ import annotations

import itertools
import sys
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

BASE: tuple[int, ...] = (1, 151, 155, 365, 139, 281, 189, 113)  # good for every N = 16 .. 1024
BASE_LEVEL = 10  # 2**10 = 1024
LEVELS = 20


def main(levels: int = LEVELS) -> None:
    """Print the lifted generator, level by level."""
    generator = BASE
    for level in range(BASE_LEVEL, levels):
        generator = lift(generator, level)
        print(level + 1, generator, f"{worst_case_error(generator, 1 << (level + 1)):.3e}")


def lift(generator: Sequence[int], level: int) -> tuple[int, ...]:
    """The best generator modulo 2**(level + 1) that agrees with this one modulo 2**level."""
    size = 1 << level
    first = _kernel(1, 2 * size)
    columns = [(_kernel(z, 2 * size), _kernel(z + size, 2 * size)) for z in generator[1:]]
    choices = list(itertools.product((0, 1), repeat=len(columns)))
    errors = [
        _error(first, [pair[bit] for pair, bit in zip(columns, bits, strict=True)])
        for bits in choices
    ]
    best = choices[int(np.argmin(errors))]
    return (1, *(z + size * bit for z, bit in zip(generator[1:], best, strict=True)))


def worst_case_error(generator: Sequence[int], size: int) -> float:
    """Mean of prod_j (1 + B2({i z_j / N})) over the N points, minus 1."""
    columns = [_kernel(z, size) for z in generator]
    return _error(columns[0], columns[1:])


def _kernel(z: int, size: int) -> NDArray[np.float64]:
    u = (np.arange(size, dtype=np.int64) * z % size) / size
    return 1.0 + (u * u - u + 1.0 / 6.0)


def _error(first: NDArray[np.float64], others: list[NDArray[np.float64]]) -> float:
    product = first.copy()
    for column in others:
        product *= column
    return float(product.mean() - 1.0)


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))

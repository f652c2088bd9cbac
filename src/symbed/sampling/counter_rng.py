"""Counter-based random numbers: a hash of a seed, some keys and an index.

Every random number of symbed is a hash of where it is used. There is no stream to be consumed, so
the numbers are the same in any order, on any number of workers and with every version of NumPy, and
a longer column begins with the shorter one.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from symbed._types import Floats, Integers, Words

GOLDEN = 0x9E3779B97F4A7C15  # 2**64 / golden ratio: the step of splitmix64
MASK = (1 << 64) - 1
# 52 bits and a half step fill a double's 53 bits: exact, and never rounded up to 1.
STEP = 2.0**-52


def uniforms(n: int, seed: int, *keys: int, start: int = 0) -> Floats:
    """``n`` uniform numbers strictly between 0 and 1, numbered from ``start`` on.

    The ends are left out, because quantile functions are often infinite there.

    >>> uniforms(3, 0, 7).round(4)
    array([0.2197, 0.8166, 0.3266])
    >>> bool(uniforms(3, 0, 7)[2] == uniforms(1, 0, 7, start=2)[0])
    True
    """
    top = (hashes(n, seed, *keys, start=start) >> np.uint64(12)).astype(np.float64)
    return (top + 0.5) * STEP


def permutation(n: int, seed: int, *keys: int) -> Integers:
    """A random order of 0 .. n-1."""
    # Each step of splitmix64 is a bijection, so the hashes of one table never tie.
    return np.argsort(hashes(n, seed, *keys), kind="stable")


def hashes(n: int, seed: int, *keys: int, start: int = 0) -> Words:
    """``n`` hashed 64-bit numbers: splitmix64 started from the seed and the keys."""
    # From 1 on, since splitmix64 steps before it hashes. Products wrap around modulo 2**64 on
    # purpose.
    numbers = np.arange(start + 1, start + n + 1, dtype=np.uint64)
    z = numbers * np.uint64(GOLDEN) + np.uint64(_state(seed, keys))
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return z ^ (z >> np.uint64(31))


def _state(seed: int, keys: Iterable[int]) -> int:
    """One 64-bit word from integers of any size and sign; their order and number matter."""
    state = GOLDEN
    for key in (seed, *keys):
        state = mix(state + 1)  # separates (1, 23) from (123,)
        for word in _words(key):
            state = mix(state ^ mix(word + GOLDEN))
    return state


def _words(key: int) -> list[int]:
    """The 64-bit words of an integer, the last one holding its sign."""
    words = []
    # An arithmetic shift keeps the sign: -1 stays one word and differs from 2**64 - 1, which is
    # two.
    while not -(1 << 63) <= key < 1 << 63:
        words.append(key & MASK)
        key >>= 64
    return [*words, key & MASK]


def mix(z: int) -> int:
    """The finaliser of splitmix64 on one Python integer."""
    z &= MASK
    z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & MASK
    z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & MASK
    return z ^ (z >> 31)

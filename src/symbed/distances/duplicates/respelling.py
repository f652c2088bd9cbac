"""Respelling: programs go in; the same expressions, written in another way, come out.

Two spellings of one expression do not round alike, and may give its parameters in another order.
What that does to its outputs is the noise in which equal expressions cannot be told apart. So each
variable, parameter and number is moved by a few units in its last place, every occurrence on its
own: rounding anywhere in an expression has the effect of such moves of its leaves. And parameters
are numbered from the last to the first.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from symbed.engine.packed_programs import PackedPrograms
from symbed.engine.program import NUMBER, SLOT_MASK
from symbed.language.operators import BY_NAME, CODES

STEP = 2.0**-50  # four units in the last place of a number just above 1
MULTIPLY, POWER = CODES[BY_NAME["*"]], CODES[BY_NAME["^"]]


def respelled(programs: PackedPrograms) -> PackedPrograms:
    """The same programs, spelled differently: ``x`` becomes ``x*(1 + 2^-50)``, and the like."""
    heads = _numbers(programs.words)
    payload = np.zeros(len(programs.words) + 3, np.bool_)
    payload[heads + 1] = payload[heads + 2] = True
    payload = payload[: len(programs.words)]
    kinds = np.where(payload, -1, programs.words >> 28)
    leaves = (kinds == 1) | (kinds == 2)
    words = np.where(kinds == 2, _renumbered(programs), programs.words)
    factors = _factors(programs)
    _move_numbers(words, heads, factors)
    return _with_factors(programs, words, leaves, factors)


def _numbers(words: NDArray[np.int32]) -> NDArray[np.int64]:
    """Where numbers begin; the two words behind are bits, which may look like anything."""
    heads = np.flatnonzero(words == NUMBER)
    if (np.diff(heads) > 2).all():
        return heads
    kept: list[int] = []
    for head in heads.tolist():
        if not kept or head > kept[-1] + 2:
            kept.append(head)
    return np.array(kept, np.int64)


def _renumbered(programs: PackedPrograms) -> NDArray[np.int32]:
    """The words with the slots of each program in reverse."""
    lasts = np.repeat(programs.n_parameters - 1, np.diff(programs.starts))
    slots = programs.words & SLOT_MASK
    return (programs.words & ~SLOT_MASK) | np.maximum(lasts - slots, 0).astype(np.int32)


def _move_numbers(
    words: NDArray[np.int32], heads: NDArray[np.int64], factors: NDArray[np.float64]
) -> None:
    """Move numbers in place, but not exponents: a power of a negative number needs a whole one."""
    after = np.append(words, np.int32(0))[heads + 3]
    heads = heads[after != POWER]
    pairs = np.stack([words[heads + 1], words[heads + 2]], axis=1)
    moved = pairs.copy().view(np.float64).ravel() * factors[heads]
    words[heads + 1], words[heads + 2] = moved.view(np.int32).reshape(-1, 2).T


def _with_factors(
    programs: PackedPrograms,
    words: NDArray[np.int32],
    leaves: NDArray[np.bool_],
    factors: NDArray[np.float64],
) -> PackedPrograms:
    """Each leaf followed by a factor and a multiplication."""
    shifts = np.concatenate([[0], np.cumsum(4 * leaves)])
    found = np.empty(len(words) + int(shifts[-1]), np.int32)
    found[np.arange(len(words)) + shifts[:-1]] = words
    at = np.flatnonzero(leaves)
    behind = at + shifts[at] + 1
    found[behind] = NUMBER
    found[behind + 1], found[behind + 2] = factors[at].view(np.int32).reshape(-1, 2).T
    found[behind + 3] = MULTIPLY
    starts = programs.starts + shifts[programs.starts]
    return PackedPrograms(found, starts, programs.n_parameters)


def _factors(programs: PackedPrograms) -> NDArray[np.float64]:
    """For each word a factor near 1, by its place in its program.

    Not all of one size, lest two of them cancel.
    """
    starts = np.repeat(programs.starts[:-1], np.diff(programs.starts))
    places = (np.arange(len(programs.words)) - starts).astype(np.uint64)
    mixed = (places + np.uint64(1)) * np.uint64(0x9E3779B97F4A7C15)
    signs = np.where(mixed >> np.uint64(63), 1.0, -1.0)
    sizes = 0.75 + 0.25 * (mixed >> np.uint64(61) & np.uint64(3)).astype(np.float64)
    return 1.0 + signs * sizes * STEP

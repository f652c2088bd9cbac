"""The tolerance of an expression: how far apart two spellings of it may lie, measured.

Nothing here is guessed: every expression is observed once more in another spelling, with leaves
moved by a few units in the last place and parameters in another order (``respelled``). Where equal
spellings get equal draws, that shows the rounding, of a sum of like terms 1e-16 of its size, of
``sin(exp(x))`` for large x all of it. Where they do not, it shows the noise of the draws.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from symbed._types import Booleans, Counts, Floats, Integers
from symbed.behavior.atlas import Atlas
from symbed.behavior.distinct_rows import Block, DistinctRows
from symbed.behavior.observation import Family, Observer
from symbed.distances import kernels
from symbed.distances.measure import Measure
from symbed.engine.packed_programs import ChainedPrograms, PackedPrograms
from symbed.engine.program import NUMBER, SLOT_MASK, Program
from symbed.engine.structures.observations import SortedOutputs
from symbed.errors import DataError
from symbed.language.operators import BY_NAME, CODES
from symbed.sampling.probe import Probe

# Nothing hinges on the 4: of 100,000 random expressions, 1 to 16 make 73,549 to 73,546 groups.
ROUNDING = 4.0  # tolerance over measured rounding; spellings of the paper's groups need 0.3
STEP = 2.0**-50  # what leaves are moved by: four units in the last place of a number just above 1
MULTIPLY, POWER = CODES[BY_NAME["*"]], CODES[BY_NAME["^"]]
# Of the outputs: where rounding is larger, equal and different cannot be told apart.
MAX_TOLERANCE = 1e-9


@dataclass(frozen=True, eq=False)
class Tolerances:
    """What measures the tolerance of expressions; two are equal within the sum of theirs."""

    probe: Probe  # how they were observed
    observer: Observer  # observes other spellings
    measure: Measure  # here over the points where both spellings are defined
    unit: float  # what counts as large: the size of the inputs

    @classmethod
    def of(cls, atlas: Atlas, measure: Measure) -> Tolerances:
        """The tolerances of an atlas whose expressions can be observed again."""
        if atlas.probe is None:
            raise DataError(
                "these behaviors came as samples, and nothing tells what another spelling would "
                "show; give within=..."
            )
        return cls.under(atlas.probe, measure)

    @classmethod
    def under(cls, probe: Probe, measure: Measure) -> Tolerances:
        """The tolerances of what is observed with a probe."""
        inputs = np.abs(probe.points)
        unit = float(inputs[np.isfinite(inputs)].mean())
        if measure.undefined == "strict":
            measure = replace(measure, mismatch=0.0)
        return cls(probe, Observer(probe), measure, unit)

    def ceilings(self, sizes: Floats) -> Floats:
        """Tolerances are never larger than these, by the mean |outputs| of expressions."""
        if not self.probe.row.aligned:
            return np.full(len(sizes), np.inf)
        if self.measure.row.relative:
            return np.full(len(sizes), MAX_TOLERANCE)
        return MAX_TOLERANCE * np.maximum(sizes, self.unit)

    def measure_all(self, rows: DistinctRows) -> Floats:
        """The tolerances of some distinct rows."""
        return np.concatenate([self._measured(block) for block in rows.blocks if len(block)])

    def _measured(self, block: Block) -> Floats:
        side = kernels.prepare(block.take(np.arange(len(block))), self.measure)
        noise = self._noise(block.rows, side)
        sizes = kernels.sizes(side, self.measure)
        if not self.probe.row.aligned:
            # Equal spellings have draws of their own here, and the noise of these is no rounding.
            return np.where(np.isfinite(noise), noise, MAX_TOLERANCE * sizes)
        least = STEP if self.measure.row.relative else STEP * sizes
        return np.minimum(ROUNDING * np.maximum(noise, least), self.ceilings(sizes))

    def _noise(self, rows: Sequence[Program | Family], side: SortedOutputs) -> Floats:
        """Distances to another spelling; infinite where there is none to be had."""
        noise = np.full(len(side[0]), np.inf)
        if isinstance(rows, (PackedPrograms, ChainedPrograms)):
            packed, known = PackedPrograms.of(rows), np.arange(len(rows))
        else:
            known = np.flatnonzero([isinstance(row, Program) for row in rows])
            packed = PackedPrograms.of([row for row in rows if isinstance(row, Program)])
        if len(known):
            other = kernels.prepare(self.observer.evaluate(respelled(packed)), self.measure)
            noise[known] = kernels.paired(side, other, known, np.arange(len(known)), self.measure)
        return noise


def respelled(programs: PackedPrograms) -> PackedPrograms:
    """The same programs, spelled differently: ``x`` becomes ``x*(1 + 2^-50)``, and the like.

    Two spellings of one expression do not round alike, and may give its parameters in another
    order. What that does to its outputs is the noise in which equal expressions cannot be told
    apart. So each variable, parameter and number is moved by a few units in its last place, every
    occurrence on its own: rounding anywhere in an expression has the effect of such moves of its
    leaves. And parameters are numbered from the last to the first.
    """
    heads = _numbers(programs.words)
    # The two words behind a number's head are its bits, whatever kind they look like.
    payload = np.zeros(len(programs.words) + 3, np.bool_)
    payload[heads + 1] = payload[heads + 2] = True
    payload = payload[: len(programs.words)]
    kinds = np.where(payload, -1, programs.words >> 28)
    # Variables and parameters.
    leaves = (kinds == 1) | (kinds == 2)
    words = np.where(kinds == 2, _renumbered(programs), programs.words)
    factors = _factors(programs)
    _move_numbers(words, heads, factors)
    return _with_factors(programs, words, leaves, factors)


def _numbers(words: Counts) -> Integers:
    """Where numbers begin; the two words behind are bits, which may look like anything."""
    heads = np.flatnonzero(words == NUMBER)
    if (np.diff(heads) > 2).all():
        return heads
    kept: list[int] = []
    for head in heads.tolist():
        if not kept or head > kept[-1] + 2:
            kept.append(head)
    return np.array(kept, np.int64)


def _renumbered(programs: PackedPrograms) -> Counts:
    """The words with the slots of each program in reverse."""
    lasts = np.repeat(programs.n_parameters - 1, np.diff(programs.starts))
    slots = programs.words & SLOT_MASK
    return (programs.words & ~SLOT_MASK) | np.maximum(lasts - slots, 0).astype(np.int32)


def _move_numbers(words: Counts, heads: Integers, factors: Floats) -> None:
    """Move numbers in place, but not exponents: a power of a negative number needs a whole one."""
    after = np.append(words, np.int32(0))[heads + 3]
    heads = heads[after != POWER]
    pairs = np.stack([words[heads + 1], words[heads + 2]], axis=1)
    moved = pairs.copy().view(np.float64).ravel() * factors[heads]
    words[heads + 1], words[heads + 2] = moved.view(np.int32).reshape(-1, 2).T


def _with_factors(
    programs: PackedPrograms, words: Counts, leaves: Booleans, factors: Floats
) -> PackedPrograms:
    """Each leaf followed by a factor and a multiplication."""
    # Four words for each: NUMBER, the two halves of the factor, the multiplication.
    shifts = np.concatenate([[0], np.cumsum(4 * leaves)])
    spread = np.empty(len(words) + int(shifts[-1]), np.int32)
    spread[np.arange(len(words)) + shifts[:-1]] = words
    at = np.flatnonzero(leaves)
    behind = at + shifts[at] + 1
    spread[behind] = NUMBER
    spread[behind + 1], spread[behind + 2] = factors[at].view(np.int32).reshape(-1, 2).T
    spread[behind + 3] = MULTIPLY
    starts = programs.starts + shifts[programs.starts]
    return PackedPrograms(spread, starts, programs.n_parameters)


def _factors(programs: PackedPrograms) -> Floats:
    """For each word a factor near 1, by its place in its program.

    Not all of one size, lest two of them cancel.
    """
    starts = np.repeat(programs.starts[:-1], np.diff(programs.starts))
    places = (np.arange(len(programs.words)) - starts).astype(np.uint64)
    # Fibonacci hashing, by 2^64 over the golden ratio: high bits of products look random.
    mixed = (places + np.uint64(1)) * np.uint64(0x9E3779B97F4A7C15)
    signs = np.where(mixed >> np.uint64(63), 1.0, -1.0)
    sizes = 0.75 + 0.25 * (mixed >> np.uint64(61) & np.uint64(3)).astype(np.float64)
    return 1.0 + signs * sizes * STEP

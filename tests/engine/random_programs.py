"""Random programs for both engines, and calls that are the same for each."""

from __future__ import annotations

import random
import struct
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from symbed.engine.program import NUMBER, PARAMETER, SLOT_BITS, VARIABLE
from symbed.engine.structures.observations import Observation, Wasserstein
from symbed.language.operators import TABLE

N_VARIABLES = 3
NUMBERS = (0.0, -0.0, 1.0, -1.5, 0.5, 3.7, 710.0, -745.0, 1e-300, 1e300, -1.7e308)


def number(value: float) -> list[int]:
    return [NUMBER, *struct.unpack("=ii", struct.pack("=d", value))]


def operator(name: str) -> int:
    return next(code for code, row in enumerate(TABLE) if row.name == name)


def random_program(chance: random.Random, n_slots: int, n_ranges: int = 1) -> list[int]:
    """Postfix code of about 20 words; slot s is drawn from range s % n_ranges."""
    words: list[int] = []
    depth, wanted = 0, chance.randrange(1, 25)
    while len(words) < wanted or depth != 1:
        grow = len(words) < wanted
        if grow and (depth == 0 or chance.random() < 0.45):
            words += _leaf(chance, n_slots, n_ranges)
            depth += 1
        else:
            codes = [c for c, row in enumerate(TABLE) if (2 - grow) <= row.arity <= min(2, depth)]
            code = chance.choice([c for c in codes if TABLE[c].arity])
            words.append(code)
            depth += 1 - TABLE[code].arity
    return words


def _leaf(chance: random.Random, n_slots: int, n_ranges: int) -> list[int]:
    what = chance.random()
    if what < 0.4 and n_slots:
        slot = chance.randrange(n_slots)
        return [PARAMETER | (slot % n_ranges) << SLOT_BITS | slot]
    if what < 0.8:
        return [VARIABLE | chance.randrange(N_VARIABLES)]
    return number(chance.choice(NUMBERS))


@dataclass
class Case:
    """Programs with everything that they are observed on."""

    words: NDArray[np.int32]
    starts: NDArray[np.int64]
    variables: NDArray[np.float64]
    columns: NDArray[np.float64]
    bases: NDArray[np.int64]
    n_columns: int
    moves: NDArray[np.float64] | None
    sentinels: NDArray[np.int64]
    limit: float
    n_draws: int

    def run(self, engine: Any) -> tuple[NDArray[np.float64], NDArray[np.int32]]:
        n_programs, n_points = len(self.starts) - 1, self.variables.shape[1]
        out = np.full((n_programs, self.n_draws, n_points), 77.0)
        defined = np.full((n_programs, n_points), -77, np.int32)
        engine.observe(self.observation(), out, defined)
        return out, defined

    def observation(self) -> Observation:
        return Observation(
            self.words, self.starts, self.variables, self.columns, self.bases, self.n_columns,
            self.n_draws, self.limit, self.moves, self.sentinels,
        )  # fmt: skip

    def sweep(
        self,
        engine: Any,
        targets: tuple[NDArray[np.float64], NDArray[np.int32]],
        p: int,
        mismatch: float = 2.5,
    ) -> NDArray[np.float64]:
        distances: NDArray[np.float64] = engine.sweep(
            self.observation(), targets, Wasserstein(p, mismatch)
        )
        return distances


def case(
    programs: list[list[int]],
    variables: NDArray[np.float64],
    columns: NDArray[np.float64] | None = None,
    n_draws: int = 1,
    moves: list[list[float]] | None = None,
    limit: float = np.inf,
    n_columns: int | None = None,
) -> Case:
    columns = np.empty((0, 1, 1)) if columns is None else columns
    return Case(
        np.array([word for program in programs for word in program], np.int64).astype(np.int32),
        np.cumsum([0, *map(len, programs)], dtype=np.int64),
        np.atleast_2d(variables).astype(np.float64),
        columns,
        np.zeros(len(programs), np.int64),
        len(columns) if n_columns is None else n_columns,
        None if moves is None else np.array(moves),
        np.arange(min(8, np.atleast_2d(variables).shape[1]), dtype=np.int64),
        limit,
        n_draws,
    )


def random_case(seed: int, n_draws: int, n_points: int, n_programs: int = 4) -> Case:
    """Programs with undefined outputs, huge and tiny inputs, both kinds of draws, any alignment."""
    chance, numbers = random.Random(seed), np.random.default_rng(seed)
    n_slots = chance.choice([0, 1, 3]) if n_draws == 1 else chance.choice([1, 2, 3, 5])
    variables = numbers.uniform(-3, 5, (N_VARIABLES, n_points))
    if chance.random() < 0.2:
        variables *= 10.0 ** numbers.integers(-300, 300, variables.shape)
    n_ranges = chance.choice([1, 2])
    shape = (n_slots * n_ranges, n_draws, chance.choice([1, n_points]))
    moves = [[1.0, 0.0, 3.0], [0.5, -1.0, 2.0]][:n_ranges] if chance.random() < 0.6 else None
    return case(
        [random_program(chance, n_slots, n_ranges) for _ in range(n_programs)],
        variables,
        numbers.uniform(-2, 5, shape),
        n_draws,
        moves if n_slots else None,
        chance.choice([np.inf, np.inf, 10.0]),
        n_slots,
    )

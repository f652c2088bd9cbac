"""The core alone: texts go in; seconds to evaluate, sort and compare their programs come out.

Reading, compiling and gathering the programs is done before the clock starts, and the memory for
the outputs is used again and again, as a search that keeps no behavior would do it.
"""

from __future__ import annotations

import math
import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from symbed import Probe, observe
from symbed.behavior.observation import Observer
from symbed.engine.backends import backend
from symbed.engine.program import Program
from symbed.language.expression import Expression

BLOCK = 64  # programs in one call; their outputs, a megabyte, stay in the second cache


def core_seconds(programs: Sequence[Program], target: str, probe: Probe) -> float:
    """Seconds on one core for these programs, each evaluated, sorted and compared with a target."""
    goal = observe(target, probe)
    blocks = list(_blocks(programs))
    buffers = {m: _Buffers.make(BLOCK, m, probe.n_points) for m in (1, probe.n_draws)}
    columns = probe.columns(max(program.n_parameters for program in programs))
    variables = np.ascontiguousarray(probe.points.T)
    seconds = 0.0
    for block in blocks:
        m = probe.n_draws if block.n_columns else 1
        work = buffers[m].first(len(block.starts) - 1)
        given = columns if block.n_columns else np.empty((0, 1, 1))
        began = time.perf_counter()
        backend().observe(
            block.words, block.starts, variables, given, np.zeros(len(work.defined), np.int64),
            len(given), probe.moves, probe.sentinels, probe.limit, work.values, work.defined,
        )  # fmt: skip
        backend().cross(
            goal.outputs[None], goal.counts[None], work.values, work.defined, 1, math.inf,
            work.distances,
        )  # fmt: skip
        seconds += time.perf_counter() - began
    return seconds


def compiled(texts: Iterable[str], probe: Probe) -> dict[str, Program]:
    """The program of each distinct text."""
    observer = Observer(probe)
    read = ((text, observer.read(text)) for text in dict.fromkeys(texts))
    return {text: observer.roles.compile(e) for text, e in read if isinstance(e, Expression)}


@dataclass(frozen=True)
class _Block:
    words: NDArray[np.int32]
    starts: NDArray[np.int64]
    n_columns: int


@dataclass(frozen=True)
class _Buffers:
    values: NDArray[np.float64]
    defined: NDArray[np.int32]
    distances: NDArray[np.float64]

    @classmethod
    def make(cls, k: int, m: int, n: int) -> _Buffers:
        return cls(np.empty((k, m, n)), np.empty((k, n), np.int32), np.empty((1, k)))

    def first(self, k: int) -> _Buffers:
        return _Buffers(self.values[:k], self.defined[:k], self.distances[:, :k].copy())


def _blocks(programs: Sequence[Program]) -> Iterator[_Block]:
    """Blocks of programs with parameters, then of programs without: a call takes one kind."""
    for has_parameters in (True, False):
        kind = [p for p in programs if bool(p.n_parameters) is has_parameters]
        for start in range(0, len(kind), BLOCK):
            some = kind[start : start + BLOCK]
            lengths = [0, *(len(p.words) // 4 for p in some)]
            words = np.frombuffer(b"".join(p.words for p in some), np.int32)
            starts = np.cumsum(lengths, dtype=np.int64)
            yield _Block(words, starts, max(p.n_parameters for p in some))

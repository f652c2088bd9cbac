"""Compare the speed of symbed with the reference implementation, both starting from texts.

Two questions:

1. the paper's matrix: all distances between 200 random expressions, 64 points x 32 draws, against
   SRToolkit (behavior matrices once, then ``bed`` for each pair: its fastest way) and against a
   loop of ``scipy.stats.wasserstein_distance`` over the points;
2. one target against 100,000 random expressions, on one core.

The sides take turns, so that a busy moment of the machine hits them alike, and medians over the
turns are printed. The slow sides are timed on random parts and scaled up, as the table says, unless
``--full`` is given; they are spared the reading of text and get ready token lists. Each turn of
symbed gets other expressions, so nothing that it remembers from the turn before helps it.

Run with ``python -m benchmarks.vs_reference``; needs ``pip install 'symbed[benchmark]'``.
"""

from __future__ import annotations

import argparse
import itertools
import math
import random
import statistics
import sys
import time
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

import symbed
from benchmarks.common import Goal, Report, Row, finish
from benchmarks.core_speed import compiled, core_seconds
from benchmarks.grammar_sampler import Tokens, sample, text
from benchmarks.reference import Reference
from symbed.engine._native import NativeBackend, find_core

N_VARIABLES = 2
RANGE = (1.0, 5.0)
TARGET: Tokens = ["C", "*", "X_0", "*", "X_1", "+", "C"]
Matrix = NDArray[np.float64]
T = TypeVar("T")


def main() -> int:
    arguments = _arguments()
    if arguments.isa:
        NativeBackend(find_core()).select_isa(arguments.isa)
    domain = {f"X_{index}": RANGE for index in range(N_VARIABLES)}
    probe = symbed.Probe(domain, parameters=RANGE, n_points=64, n_draws=32)
    symbed.pairwise(symbed.survey(["X_0 + C", "X_1"], probe))  # opens the core, draws the design
    reference = Reference(probe.points, RANGE, n_draws=32)
    reports = [
        compare_matrices(arguments, probe, reference),
        compare_searches(arguments, probe, reference),
    ]
    return finish(reports, arguments.json)


def compare_matrices(
    arguments: argparse.Namespace, probe: symbed.Probe, reference: Reference
) -> Report:
    """The paper's 200 x 200 matrix."""
    pairs = list(itertools.combinations(range(arguments.size), 2))
    part = len(pairs) if arguments.full else arguments.pairs
    checks, times = _Checks(), _Times()
    for turn in range(arguments.turns):
        expressions = _distinct(arguments.size, seed=turn)
        timed = random.Random(turn).sample(pairs, part)
        evaluation, matrices = _timed(reference.behaviors, expressions)
        toolkit, theirs = _timed(_loop, reference.bed, matrices, timed)
        scipy, looped = _timed(_loop, _scipy_bed, matrices, timed)
        texts = [text(tokens) for tokens in expressions]
        one, _ = _timed(_matrix, texts, probe, 1)
        every, matrix = _timed(_matrix, texts, probe, None)
        scale = len(pairs) / part
        times.add(SRToolkit=evaluation + scale * toolkit, SciPy=evaluation + scale * scipy)
        times.add(one=one, all=every)
        checks.add(expressions, timed, theirs, looped, matrix)

    note, count = f"{part:,} of {len(pairs):,} pairs timed in each turn", len(pairs)
    report = Report(f"1. All distances between {arguments.size} expressions, text in, matrix out")
    report.facts = [f"medians of {arguments.turns} turns", *checks.told()]
    report.rows = [
        Row("SRToolkit 1.6.0", times["SRToolkit"], count, note),
        Row("loop of SciPy's wasserstein_distance", times["SciPy"], count, note),
        Row("symbed, all cores", times["all"], count),
        Row("symbed, one core", times["one"], count),
    ]
    report.goals = [
        Goal("times faster than SRToolkit", times["SRToolkit"] / times["all"], 1000),
        Goal("times faster than the SciPy loop", times["SciPy"] / times["all"], 1000),
    ]
    return report


def compare_searches(
    arguments: argparse.Namespace, probe: symbed.Probe, reference: Reference
) -> Report:
    """One target against many random expressions, on one core."""
    target, times = reference.behavior(TARGET), _Times()
    part = arguments.many if arguments.full else arguments.expressions
    for turn in range(arguments.searches):
        many = list(sample(arguments.many, N_VARIABLES, seed=1000 + turn))
        timed = random.Random(turn).sample(many, part)
        toolkit, _ = _timed(lambda some: [reference.bed(target, t) for t in some], timed)
        texts = [text(tokens) for tokens in many]
        ours, _ = _timed(_search, texts, probe)
        programs = compiled(texts, probe)
        once = sorted(set(programs.values()))
        times.add(SRToolkit=toolkit / part * len(many), symbed=ours)
        times.add(drawn=core_seconds([programs[t] for t in texts], text(TARGET), probe))
        times.add(once=core_seconds(once, text(TARGET), probe))

    count = arguments.many
    report = Report(f"2. One target against {count:,} expressions, on one core")
    report.facts = [
        f"medians of {arguments.searches} turns; {len(programs):,} distinct texts, "
        f"{len(once):,} distinct up to commutativity",
        "core: evaluate, sort, distance, for each expression as drawn, or for the distinct ones",
    ]
    report.rows = [
        Row("SRToolkit 1.6.0", times["SRToolkit"], count, f"{part:,} timed in each turn"),
        Row("symbed, text in, distances out", times["symbed"], count),
        Row("symbed's core, as drawn", times["drawn"], count),
        Row("symbed's core, distinct ones", times["once"], len(once)),
    ]
    report.goals = [
        Goal("times faster than SRToolkit", times["SRToolkit"] / times["symbed"], 500),
        Goal("us per expression in the core", 1e6 * times["drawn"] / count, 2, at_least=False),
    ]
    return report


class _Times:
    """Seconds of each side over the turns; an item is the median."""

    def __init__(self) -> None:
        self._found: dict[str, list[float]] = {}

    def add(self, **seconds: float) -> None:
        for name, spent in seconds.items():
            self._found.setdefault(name, []).append(spent)

    def __getitem__(self, name: str) -> float:
        return statistics.median(self._found[name])


def _timed(work: Callable[..., T], *arguments: Any) -> tuple[float, T]:
    began = time.perf_counter()
    result = work(*arguments)
    return time.perf_counter() - began, result


def _loop(
    bed: Callable[[Matrix, Matrix], float],
    matrices: Sequence[Matrix],
    pairs: Sequence[tuple[int, int]],
) -> list[float]:
    return [bed(matrices[i], matrices[j]) for i, j in pairs]


def _matrix(texts: Sequence[str], probe: symbed.Probe, workers: int | None) -> Matrix:
    return symbed.pairwise(symbed.survey(texts, probe, workers=workers), workers=workers).values


def _search(texts: Sequence[str], probe: symbed.Probe) -> Matrix:
    target = symbed.survey([text(TARGET)], probe, workers=1)
    many = symbed.survey(texts, probe, workers=1, keep="programs")
    return symbed.pairwise(target, many, workers=1).values


def _scipy_bed(a: Matrix, b: Matrix) -> float:
    """BED of two (n_points, n_draws) matrices, as anybody would write it with SciPy."""
    from scipy.stats import wasserstein_distance

    total = 0.0
    for u, v in zip(a, b, strict=True):
        u, v = u[np.isfinite(u)], v[np.isfinite(v)]
        if len(u) and len(v):
            total += wasserstein_distance(u, v)
        elif len(u) or len(v):
            return math.inf
    return total / len(a)


class _Checks:
    """Do the sides compute the same thing? Gathers pairs of distances that should be equal."""

    def __init__(self) -> None:
        self.loops: list[tuple[float, float]] = []
        self.fixed: list[tuple[float, float]] = []

    def add(
        self,
        expressions: Sequence[Tokens],
        timed: Sequence[tuple[int, int]],
        toolkit: Sequence[float],
        scipy: Sequence[float],
        ours: Matrix,
    ) -> None:
        self.loops += zip(toolkit, scipy, strict=True)
        free = ["C" not in tokens for tokens in expressions]
        for (i, j), theirs in zip(timed, toolkit, strict=True):
            if free[i] and free[j]:  # without parameters both take one mean at the same points
                self.fixed.append((theirs, float(ours[i, j])))

    def told(self) -> list[str]:
        return [
            f"check: SRToolkit and the SciPy loop {_agreement(self.loops)}",
            f"check: SRToolkit and symbed, no parameters, {_agreement(self.fixed)}",
        ]


def _agreement(pairs: Sequence[tuple[float, float]]) -> str:
    """How many agree; chaotic ones, such as cos(exp(exp(x))), move with the last bit of exp."""
    finite = [(a, b) for a, b in pairs if math.isfinite(a) and math.isfinite(b)]
    close = sum(abs(a - b) <= 1e-12 * max(a, b) for a, b in finite)
    lone = sum(math.isfinite(a) != math.isfinite(b) for a, b in pairs)
    counts = f"{close:,} of {len(finite):,} pairs"
    return f"agree to 1e-12 on {counts}; {lone} more are finite on one side only"


def _distinct(n_expressions: int, seed: int) -> list[Tokens]:
    """The first so many different texts of the grammar."""
    stream: Any = sample(100 * n_expressions, N_VARIABLES, seed)
    return list({text(tokens): tokens for tokens in stream}.values())[:n_expressions]


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0] if __doc__ else None)
    add = parser.add_argument
    add("--size", type=int, default=200, help="expressions of the matrix")
    add("--pairs", type=int, default=200, help="pairs that the slow sides are timed on, each turn")
    add("--many", type=int, default=100_000, help="expressions of the search")
    add("--expressions", type=int, default=1000, help="of these the reference is timed on")
    add("--turns", type=int, default=9, help="turns of the matrix, each with other expressions")
    add("--searches", type=int, default=3, help="turns of the search")
    add(
        "--isa",
        choices=NativeBackend(find_core()).supported_isas(),
        help="symbed's instruction set, if not the best",
    )
    add("--full", action="store_true", help="time the slow sides in full (minutes)")
    add("--quick", action="store_true", help="fewer turns and a smaller search, for a first look")
    add("--json", action="store_true", help="print one JSON document")
    arguments = parser.parse_args()
    if arguments.quick:
        arguments.turns, arguments.searches, arguments.many = 3, 1, 20_000
    return arguments


if __name__ == "__main__":
    sys.exit(main())

"""Distance matrices of behaviors: times beside SciPy's cdist, and beside what the machine adds.

Run with ``python -m benchmarks.matrix``. SciPy's ``cdist(..., "cityblock")`` on the same flattened
float64 behaviors is the yardstick; it is timed on a block of the matrix and scaled up, since its
time for a pair does not depend on the others. Everything but the last report runs on one thread,
and time is processor time, so that other work on the machine counts as little as it can.

The single-precision kernel is held against additions alone: the core adds independent chains of
vectors that stay in registers. An element is counted as two additions, the difference and the sum
of |u - v|; what the kernel does for it is a maximum and a sum. Threads are compared by the clock on
the wall, so that report means something only on a machine with two idle cores.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import time
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.distance import cdist

import symbed
from benchmarks.common import Goal, Report, Row, argument_parser, finish, median_time
from symbed.engine._native import NativeBackend, find_core
from symbed.engine.structures.observations import Wasserstein

Side = tuple[NDArray[np.float64], NDArray[np.int32]]

N_POINTS, N_DRAWS = 64, 32
LENGTH = N_POINTS * N_DRAWS
native = NativeBackend(find_core())
BLOCK = 200  # rows and columns that cdist is timed on
ROUNDS = 7


def main() -> int:
    arguments = _arguments()
    n_rows = 2_000 if arguments.quick else 10_000
    kernel_rows = 1_024 if arguments.quick else 4_096
    reports = [_ceiling(kernel_rows), *_whole(n_rows)]
    return finish(reports, arguments.json)


def _whole(n_rows: int) -> list[Report]:
    """All distances in float64: against cdist on one core, and on two threads."""
    atlas = _atlas(n_rows)
    flat = np.concatenate(
        [values.reshape(len(values), -1) for values, _ in atlas.rows.varied.tiles(BLOCK)]
    )
    a, b = flat[:BLOCK], flat[-BLOCK:]
    theirs = min(_processor_time(lambda: cdist(a, b, "cityblock")) for _ in range(ROUNDS))
    scaled = theirs * (n_rows / BLOCK) ** 2
    left, right = _halves(atlas, n_rows)
    out = np.empty((n_rows, n_rows))
    report = Report(
        f"{n_rows:,} x {n_rows:,} distances at {N_POINTS} x {N_DRAWS}, float64, one core"
    )
    report.facts = [
        f"instruction set: {native.isa()}; the whole matrix is {out.nbytes / 1e9:.2g} GB"
    ]
    report.rows = [Row("SciPy cdist cityblock", scaled, n_rows**2, f"timed on {BLOCK} x {BLOCK}")]
    cross = _processor_time(lambda: symbed.pairwise(left, right, workers=1, progress=False))
    report.rows.append(Row("pairwise(a, b), all pairs", cross, n_rows**2 // 4, "a quarter of it"))
    matrix = _processor_time(lambda: symbed.pairwise(atlas, workers=1, progress=False, out=out))
    report.rows.append(Row("pairwise(atlas), each pair once", matrix, n_rows**2))
    report.goals = [
        Goal("cdist / pairwise(a, b), for each pair", scaled / (4 * cross), 4),
        Goal("cdist / pairwise(atlas)", scaled / matrix, 4),
        Goal(
            "largest difference to cdist, relative", _difference(out, a, b), 1e-12, at_least=False
        ),
    ]
    return [report, _threads(atlas, out)]


def _threads(atlas: symbed.Atlas, out: NDArray[np.float64]) -> Report:
    """The same on two threads, in turn with one, by the clock on the wall."""
    times: dict[int, list[float]] = {1: [], 2: []}
    for _ in range(3):
        for workers in times:
            run = lambda workers=workers: symbed.pairwise(  # noqa: E731
                atlas, workers=workers, progress=False, out=out
            )
            times[workers].append(median_time(run, 1)[0])
    report = Report("Threads, by the clock on the wall")
    report.rows = [Row(f"threads: {n}", statistics.median(seen)) for n, seen in times.items()]
    ratios = [one / two for one, two in zip(times[1], times[2], strict=True)]
    report.goals = [Goal("one thread / two threads", statistics.median(ratios), 1.8)]
    return report


def _ceiling(n_rows: int) -> Report:
    """The kernels in turn with plain additions: shares of what the machine adds, in the median."""
    a, b = _sides(n_rows)
    n_elements = n_rows**2 * LENGTH
    exact, screened, ceilings, shares = [], [], [], []
    for _ in range(ROUNDS):
        before = _additions()
        screened.append(_processor_time(lambda: native.screen(a, b, Wasserstein(), 0.0)))
        ceilings.append((before + _additions()) / 2)
        shares.append(2 * n_elements / screened[-1] / ceilings[-1])
        exact.append(_processor_time(lambda: native.cross(a, b, Wasserstein())))
    report = Report(
        f"Kernels on {n_rows:,} x {n_rows:,} behaviors at {N_POINTS} x {N_DRAWS}, one core"
    )
    report.facts = [
        f"instruction set: {native.isa()}",
        f"additions of singles alone: {statistics.median(ceilings) / 1e9:.1f} G/s",
        f"float64: {n_elements / statistics.median(exact) / 1e9:.1f} Gelements/s",
        f"float32: {n_elements / statistics.median(screened) / 1e9:.1f} Gelements/s, "
        "two additions each",
    ]
    report.rows = [
        Row("cross, float64", statistics.median(exact), n_rows**2),
        Row("screen, float32", statistics.median(screened), n_rows**2),
    ]
    report.goals = [Goal("float32 additions / ceiling", statistics.median(shares), 0.6)]
    return report


def _additions() -> float:
    """Additions of singles in a second, when nothing else is done."""
    n_added = native.add_singles(1)
    rounds = 1_000_000
    seconds = min(_processor_time(lambda: native.add_singles(rounds)) for _ in range(3))
    return rounds * n_added / seconds


def _processor_time(function: Callable[[], object]) -> float:
    began = time.process_time()
    function()
    return time.process_time() - began


def _difference(out: NDArray[np.float64], a: NDArray[np.float64], b: NDArray[np.float64]) -> float:
    want = cdist(a, b, "cityblock") / LENGTH
    return float(np.max(np.abs(out[:BLOCK, -BLOCK:] - want) / want))


def _atlas(n_rows: int) -> symbed.Atlas:
    """Distinct expressions with parameters, observed at 64 x 32."""
    probe = symbed.Probe({"x": (1, 5)}, parameters=(1, 5), n_points=N_POINTS, n_draws=N_DRAWS)
    return symbed.survey((f"a*x^{k / 7919 + 0.5:.6f} + b" for k in range(n_rows)), probe)


def _halves(atlas: symbed.Atlas, n_rows: int) -> tuple[symbed.Atlas, symbed.Atlas]:
    behaviors = list(atlas)
    make = symbed.Atlas.from_behaviors
    return make(behaviors[: n_rows // 2]), make(behaviors[n_rows // 2 :])


def _sides(n_rows: int) -> tuple[Side, Side]:
    rng = np.random.default_rng(0)
    counts = np.full((n_rows, N_POINTS), N_DRAWS, np.int32)
    sides = [np.sort(rng.normal(size=(n_rows, N_DRAWS, N_POINTS)), axis=1) for _ in range(2)]
    return (sides[0], counts), (sides[1], counts)


def _arguments() -> argparse.Namespace:
    parser = argument_parser(__doc__, "2,000 expressions instead of 10,000")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())

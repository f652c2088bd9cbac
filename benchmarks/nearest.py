"""Compare exact neighbor search with brute force on a million distinct random expressions.

Brute force evaluates every expression again and compares it with the query, on one core, with the
memory for outputs used again and again. Everything is CPU time. The neighbors that both sides find
are compared one by one: indices and distances must be the same to the last bit.
"""

from __future__ import annotations

import argparse
import resource
import sys
import time
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

import symbed
from benchmarks.common import Goal, Report, Row, argument_parser, finish
from symbed.behavior.distinct_rows import Recomputed
from symbed.distances import kernels
from symbed.distances.measure import Measure
from symbed.distances.search.sketches import sketches_of
from symbed.engine.structures.observations import SortedOutputs
from symbed.parallel import open_executor
from symbed.workbench import paper_grammar, sample

N_VARIABLES = 3
TILE = 64  # rows evaluated at once by brute force; a megabyte, which stays in the second cache

# With parameters and without; undefined at some points, in some draws, everywhere; huge and tiny.
QUERIES = [
    "C*X_0 + C", "C*X_0*X_1 + C*X_2", "C*tanh(X_0)", "sin(C*X_0)*X_2", "ln(X_0 + C)*X_1",
    "C*exp(-X_0)", "X_0^C", "X_0", "X_0*X_1/X_2", "X_0*X_0 - X_1", "3.7", "-C*X_1",
    "sqrt(X_0 - C)", "ln(C - X_1) + X_0", "sqrt(X_1 - 2) + C", "ln(-X_0)",
    "exp(X_0*X_1*X_2)", "1e300*C", "1e-30*X_0", "1/(X_0 - X_1)",
]  # fmt: skip


def main() -> int:
    """Run the benchmark."""
    arguments = _arguments()
    probe = symbed.Probe({f"X_{k}": (1, 5) for k in range(N_VARIABLES)}, parameters=(1, 5))
    atlas = _distinct(arguments.expressions, probe)
    report = Report(f"the nearest {arguments.k} among {len(atlas):,} distinct expressions")
    _build(report, atlas)
    queries = [symbed.observe(text, probe) for text in QUERIES]
    symbed.nearest(queries[0], atlas, arguments.k)  # the first call sorts the sources
    rows = [_search(query, atlas, arguments.k) for query in queries]
    brute = _Brute(queries)
    brute.run(atlas)
    sides = zip(rows, brute.distances.T, strict=True)
    same = sum(_agree(neighbors, distances, arguments.k) for (_, neighbors), distances in sides)
    for text, (seconds, neighbors) in zip(QUERIES, rows, strict=True):
        note = f"nearest at {neighbors.distances[0]:.3g}, last at {neighbors.distances[-1]:.3g}"
        report.rows.append(Row(text, seconds, note=note))
    slowest = max(seconds for seconds, _ in rows)
    median = float(np.median([seconds for seconds, _ in rows]))
    report.rows += [
        Row("median of the searches", median),
        Row("brute force, one query", brute.seconds, len(atlas), "in full, on one core"),
    ]
    report.goals += [
        Goal("CPU of the slowest search, in ms", 1e3 * slowest, 100, at_least=False),
        Goal("brute force / slowest search", brute.seconds / slowest, 50),
        Goal("brute force / median search", brute.seconds / median, 50),
        Goal("queries with identical results", same, len(QUERIES)),
    ]
    return finish([report], arguments.json)


def _distinct(count: int, probe: symbed.Probe) -> symbed.Atlas:
    """An atlas of so many expressions, no two of them equal up to commutativity."""
    words = sample(paper_grammar(N_VARIABLES), count + count // 8, seed=0, unique=True)
    texts = list(words.texts())
    numbers = symbed.survey(texts, probe, keep="programs").numbers
    firsts = np.sort(np.unique(numbers, return_index=True)[1])[:count]
    return symbed.survey([texts[first] for first in firsts], probe, keep="programs")


def _build(report: Report, atlas: symbed.Atlas) -> None:
    began = time.process_time()
    with open_executor(None, None) as threads:
        tables = sketches_of(atlas, Measure(), threads)
    seconds = time.process_time() - began
    size = sum(table.nbytes for table in tables)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    report.rows.append(Row("making the sketches, once", seconds, len(atlas)))
    report.facts += [
        f"{len(atlas.rows.fixed):,} without parameters, {len(atlas.rows.varied):,} with; "
        "programs are kept, outputs are not",
        f"sketches take {size / 1e6:,.0f} MB, {size / len(atlas):.0f} bytes each; "
        f"outputs would take {len(atlas.rows.varied) * 64 * 32 * 8 / 1e9:,.1f} GB; "
        f"peak of the process {peak / 1e6:.2f} GB",
    ]


def _search(query: symbed.Behavior, atlas: symbed.Atlas, k: int) -> tuple[float, symbed.Neighbors]:
    times = []
    for _ in range(3):
        began = time.process_time()
        neighbors = symbed.nearest(query, atlas, k)
        times.append(time.process_time() - began)
    return float(np.median(times)), neighbors


@dataclass
class _Brute:
    """All distances of all queries, and the time that those of the first one took."""

    queries: list[symbed.Behavior]
    seconds: float = 0.0

    def run(self, atlas: symbed.Atlas) -> None:
        all_distances = np.empty((atlas.n_distinct, len(self.queries)))
        before = 0
        for block, m in ((atlas.rows.fixed, 1), (atlas.rows.varied, atlas.n_draws)):
            assert isinstance(block, Recomputed)
            buffers = np.empty((TILE, m, 64)), np.empty((TILE, 64), np.int32)
            for first in range(0, len(block), TILE):
                rows = block.rows[first : first + TILE]
                side = buffers[0][: len(rows)], buffers[1][: len(rows)]
                here = slice(before + first, before + first + len(rows))
                all_distances[here] = self._tile(block, rows, side)
            before += len(block)
        self.distances = all_distances[atlas.numbers]

    def _tile(self, block: Recomputed, rows: object, side: SortedOutputs) -> NDArray[np.float64]:
        began = time.process_time()
        block.observer.evaluate(rows, side)  # type: ignore[arg-type]
        self._distances(self.queries[0], side)
        self.seconds += time.process_time() - began
        return np.stack([self._distances(query, side) for query in self.queries], axis=1)

    def _distances(self, query: symbed.Behavior, side: SortedOutputs) -> NDArray[np.float64]:
        one = query.outputs[None], query.counts[None]
        row: NDArray[np.float64] = kernels.cross(one, side, Measure())[0]
        return row


def _agree(neighbors: symbed.Neighbors, distances: NDArray[np.float64], k: int) -> bool:
    order = np.lexsort((np.arange(len(distances)), distances))[:k]
    same_places = np.array_equal(order, neighbors.indices)
    return same_places and np.array_equal(distances[order], neighbors.distances)


def _arguments() -> argparse.Namespace:
    parser = argument_parser(__doc__, "50,000 expressions")
    parser.add_argument("--expressions", type=int, default=1_000_000)
    parser.add_argument("-k", type=int, default=250)
    arguments = parser.parse_args()
    if arguments.quick:
        arguments.expressions = 50_000
    return arguments


if __name__ == "__main__":
    sys.exit(main())

"""The cost of the paper's experiments: a sample of the reference is timed and extrapolated.

    python -m benchmarks.reproduction_cost [--quick] [-o results]

Parts of each experiment are timed with SRToolkit 1.6.0 (BED, one start of SciPy's L-BFGS-B on
10,000 rows, the tree edit distance of the package zss) and multiplied by how often the experiment
needs them: in the consistency experiment as often as the paper, which varied the strategy for two
variables only. Beside it stands what ``symbed reproduce all --scale paper -o results`` took, from
the files ``cost.json`` in the results. All seconds are CPU seconds of one core. Left out, because
they are small: drawing expressions, edit and Jaro distance, clustering itself, figures.

Needs ``pip install 'symbed[benchmark]'``.
"""

from __future__ import annotations

import argparse
import itertools
import json
import sys
import time
import warnings
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from benchmarks.common import machine
from benchmarks.grammar_sampler import Tokens
from benchmarks.reference import Reference
from symbed.sampling.probe import Probe
from symbed.workbench import dataset, paper_grammar, sample
from symbed_reproduction.core.outcomes import Table

Matrix = NDArray[np.float64]
T = TypeVar("T")

DAY = 86400.0
DATASETS = ("I.6.2a", "I.12.1", "I.43.43", "II.35.18", "III.9.52", "I.9.18")  # 1 to 9 variables
N_ROWS = 10_000  # of the published data
SIZES = (4, 8, 16, 32, 64, 128)
RANGE, FITTED = (1.0, 5.0), (-5.0, 5.0)
N_CANDIDATES, N_REPEATS = 10_000_000, 10
N_PAIRS = 200 * 199 // 2  # of the consistency experiment, in each of its runs
N_RUNS, N_GROUPS = 100, 5
CLUSTERED = 10 * (160 * 159 // 2)


class Part(NamedTuple):
    """One part of an experiment: what is done, how often, and the reference's seconds for one."""

    experiment: str
    work: str
    times: int
    seconds: float
    timed: int


def main() -> int:
    arguments = _arguments()
    n = 10 if arguments.quick else 100
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")  # overflows of random expressions
        parts = [*smoothness(n), *clustering(n), *consistency(max(2, n // 20))]
    tables = make_parts(parts), make_totals(parts, Path(arguments.output))
    print(machine())
    for table in tables:
        print(f"\n{table.title}\n\n{table.markdown()}")
        _write(table, Path(arguments.output))
    return 0


def smoothness(n: int) -> Iterator[Part]:
    """Fits, BED and tree edit distances of the candidates of some data sets."""
    fits, beds, trees = _Clock(), _Clock(), _Clock()
    for name in DATASETS:
        truth = dataset(name)
        X, y = truth.sample(N_ROWS)
        reference = Reference(X[:64], FITTED, n_draws=32)
        words = _distinct(n, len(truth.laws))
        fits.time(reference.fitter(X, y), words)
        formula = truth.formula.tokens("infix")
        behavior = reference.behavior(formula)
        beds.time(lambda tokens: reference.bed(behavior, tokens), words)  # noqa: B023
        trees.time(lambda tokens: reference.tree_edit(formula, tokens), words)  # noqa: B023
    yield fits.part("smoothness", "fits on 10,000 rows, one start", N_CANDIDATES)
    yield beds.part("smoothness", "BED, 64 x 32", N_CANDIDATES * N_REPEATS)
    yield trees.part("smoothness", "tree edit distances", N_CANDIDATES)


def clustering(n: int) -> Iterator[Part]:
    """BED and tree edit distances within ten data sets of 160 expressions."""
    reference = Reference(_points(64, 2), RANGE, n_draws=32)
    words = _distinct(n, 2)
    pairs = list(itertools.combinations(words, 2))[:n]
    matrices = reference.behaviors(words)
    beds, trees = _Clock(), _Clock()
    beds.time(lambda pair: reference.bed(*pair), list(itertools.combinations(matrices, 2))[:n])
    trees.time(lambda pair: reference.tree_edit(*pair), pairs)
    yield beds.part("clustering", "BED, 64 x 32", CLUSTERED)
    yield trees.part("clustering", "tree edit distances", CLUSTERED)


def consistency(n: int) -> Iterator[Part]:
    """BED at all 36 sizes: five groups of expressions with new points for each run, and for two
    variables also with one set of points for all runs and a new one for each pair.
    """
    words = _distinct(2 * n, 2)
    shared, own = _Clock(), _Clock()
    for n_points, n_draws in itertools.product(SIZES, SIZES):
        reference = Reference(_points(n_points, 2), RANGE, n_draws)
        matrices = reference.behaviors(words)
        shared.time(lambda pair: reference.bed(*pair), _halves(matrices))  # noqa: B023
        own.time(
            lambda pair: reference.bed_at_new_points(pair[0], pair[1], RANGE),  # noqa: B023
            _halves(words),
        )
    n_matrices = len(SIZES) ** 2 * N_RUNS
    count = (N_GROUPS + 1) * n_matrices * N_PAIRS
    yield shared.part("consistency", "BED, points for all pairs", count)
    yield own.part("consistency", "BED, new points for each pair", n_matrices * N_PAIRS)


def make_parts(parts: Sequence[Part]) -> Table:
    """One line for each part."""
    rows = [
        (p.experiment, p.work, p.times, p.timed, 1e3 * p.seconds, p.times * p.seconds / DAY)
        for p in parts
    ]
    headings = ("experiment", "work", "how often", "timed", "ms each", "days of one core")
    title = "The reference, timed on a sample"
    return Table("reference_cost", title, headings, tuple(rows), decimals=2)


def make_totals(parts: Sequence[Part], results: Path) -> Table:
    """One line for each experiment: the reference's days beside our hours."""
    rows = []
    for name in dict.fromkeys(part.experiment for part in parts):
        days = sum(p.times * p.seconds for p in parts if p.experiment == name) / DAY
        ours = _our_seconds(results / name / "cost.json")
        ratio = None if ours is None else days * DAY / ours
        rows.append((name, days, None if ours is None else ours / 3600, ratio))
    headings = ("experiment", "reference, days of one core", "symbed, hours of one core", "ratio")
    digits = {headings[1]: 2, headings[2]: 3, headings[3]: 0}
    return Table("cost", "The cost of the paper's experiments", headings, tuple(rows), digits)


class _Clock:
    """Adds up the CPU seconds of calls."""

    def __init__(self) -> None:
        self.seconds, self.calls = 0.0, 0

    def time(self, work: Callable[[T], object], things: Sequence[T]) -> None:
        """Call once for each thing."""
        began = time.process_time()
        for thing in things:
            work(thing)
        self.seconds += time.process_time() - began
        self.calls += len(things)

    def part(self, experiment: str, work: str, count: int) -> Part:
        """The mean cost of a call, as a part of an experiment."""
        return Part(experiment, work, count, self.seconds / self.calls, self.calls)


def _distinct(n: int, n_variables: int) -> list[Tokens]:
    """Random words of the paper's grammar, none twice, as later candidates are: often repeated
    words are short, and would make the reference look faster than it is on the whole.
    """
    drawn = sample(paper_grammar(n_variables), 200 * n, seed=7, max_length=40)
    words = list({tuple(word): word for word in drawn.tokens()}.values())
    chosen = np.random.default_rng(0).choice(len(words), n, replace=False)
    return [words[k] for k in sorted(chosen.tolist())]


def _halves(things: Sequence[T]) -> list[tuple[T, T]]:
    return list(zip(things[::2], things[1::2], strict=True))


def _points(n_points: int, n_variables: int) -> Matrix:
    domain = {f"X_{k}": RANGE for k in range(n_variables)}
    return Probe(domain, n_points=n_points, design="lhs").points


def _our_seconds(path: Path) -> float | None:
    """CPU seconds of a run at the paper's scale; None if there is none."""
    if not path.exists():
        return None
    document = json.loads(path.read_text("utf-8"))
    return float(document["cpu_seconds"]) if document["scale"] == "paper" else None


def _write(table: Table, folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"{table.name}.csv").write_text(table.csv(), "utf-8")
    (folder / f"{table.name}.md").write_text(table.markdown() + "\n", "utf-8")


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0] if __doc__ else None)
    parser.add_argument("--quick", action="store_true", help="a tenth of the sample")
    parser.add_argument(
        "-o", "--output", default="results", metavar="FOLDER",
        help="the results of symbed reproduce; tables are written there (default: results)",
    )  # fmt: skip
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())

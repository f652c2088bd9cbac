"""Measure how accurate each sampling design is at equal cost, on pairs of known distance.

Every design observes every pair under many seeds, at one cost. Printed are

- the error: root mean square over the seeds, as a ratio to that of the published sampling, by the
  median and the geometric mean over the pairs; and relative to the true distance;
- the coverage: how often the interval of ``compare`` holds the true distance, and its half-width;
- equal pairs: their distance, which should be 0, as a share of the spread of the outputs.

Run with ``python -m benchmarks.accuracy``; ``--pairs`` adds a line for each pair, ``--truth``
computes the true distances anew.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

import symbed
from benchmarks.accuracy_pairs import PAIRS, Ends, Pair
from benchmarks.common import Goal, Report, argument_parser, finish

Floats = NDArray[np.float64]

DESIGNS = ("lattice", "shared", "lhs", "random", "paper")
LEAST_RATIO = 1e-3  # exact results would make every geometric mean 0
ROUNDING = 1e-9


@dataclass(frozen=True)
class Outcome:
    """What one design told about one pair under every seed."""

    pair: Pair
    truth: float
    distances: Floats
    lows: Floats
    highs: Floats
    spread: float

    @property
    def error(self) -> float:
        """Root mean square error."""
        return float(np.sqrt(np.mean((self.distances - self.truth) ** 2)))

    @property
    def coverage(self) -> float:
        """Share of the seeds whose interval holds the true distance."""
        slack = ROUNDING * max(self.truth, self.spread) + self.pair.truth_error
        held = (self.lows <= self.truth + slack) & (self.highs >= self.truth - slack)
        return float(np.mean(held))

    @property
    def half_width(self) -> float:
        """Half the width of the interval."""
        return float(np.mean(self.highs - self.lows)) / 2


def main() -> int:
    arguments = _arguments()
    if arguments.truth:
        for pair in PAIRS:
            print(pair.e, "|", pair.f, *(f"{number:.10g}" for number in true_distances(pair)))
        return 0
    size = (arguments.points, arguments.draws, arguments.seeds, arguments.p)
    outcomes = {design: [observe(pair, design, *size) for pair in PAIRS] for design in DESIGNS}
    return finish([report(outcomes, *size, arguments.pairs)], arguments.json)


def observe(pair: Pair, design: str, n_points: int, n_draws: int, seeds: int, p: int) -> Outcome:
    """Compare a pair under every seed."""
    triples, spreads = [], []
    for seed in range(seeds):
        probe = _probe(pair, design, n_points, n_draws, seed)
        e, f = symbed.observe(pair.e, probe), symbed.observe(pair.f, probe)
        told = symbed.compare(e, f, p=p)
        triples.append((told.distance, *told.interval))
        spreads.append(float(np.mean(e.values.std(axis=1))))
    distances, lows, highs = np.array(triples).T
    truth = pair.truth if p == 1 else pair.truth_squared
    return Outcome(pair, truth, distances, lows, highs, float(np.mean(spreads)))


def true_distances(pair: Pair, runs: int = 8) -> tuple[float, float, float]:
    """The distance for p = 1 and p = 2 from more than 10**7 samples, and the former's error."""
    drawn = symbed.observe(pair.e, _probe(pair, "lattice", 1, 2, 0)).outputs.shape[0] > 1
    drawn |= symbed.observe(pair.f, _probe(pair, "lattice", 1, 2, 0)).outputs.shape[0] > 1
    n_points, n_draws = (1024, 4096) if drawn else (1 << 20, 1)
    truths = []
    for seed in range(runs if drawn else 2):
        probe = symbed.Probe(
            pair.domain, pair.parameters, n_points=n_points, n_draws=n_draws, seed=10_000 + seed
        )
        e, f = symbed.observe(pair.e, probe), symbed.observe(pair.f, probe)
        truths.append([symbed.distance(e, f, p=p) for p in (1, 2)])
    values = np.array(truths)
    error = float(values[:, 0].std(ddof=1)) / np.sqrt(len(values))
    return float(values[:, 0].mean()), float(values[:, 1].mean()), float(error)


def report(
    outcomes: dict[str, list[Outcome]],
    n_points: int,
    n_draws: int,
    seeds: int,
    p: int,
    each: bool = False,
) -> Report:
    """The figures of each design, and whether the default design is as good as it must be."""
    title = f"{len(PAIRS)} pairs, {seeds} seeds, {n_points} points x {n_draws} draws, p = {p}"
    made = Report(f"Accuracy: {title}; error is a ratio to the published sampling's")
    made.facts = [
        _line(design, of_design, outcomes["paper"]) for design, of_design in outcomes.items()
    ]
    if each:
        for design, of_design in outcomes.items():
            made.facts += [f"{design}:", *(_pair_line(outcome) for outcome in of_design)]
    ratios = _ratios(outcomes["lattice"], outcomes["paper"])
    coverage = float(np.mean([outcome.coverage for outcome in outcomes["lattice"]]))
    made.goals = [
        Goal("error of the default design, median", float(np.median(ratios)), 0.08, at_least=False),
        Goal("coverage of its interval, mean", coverage, 0.97),
    ]
    return made


def _line(design: str, own: list[Outcome], published: list[Outcome]) -> str:
    ratios = _ratios(own, published)
    relative = [outcome.error / outcome.truth for outcome in _different(own)]
    widths = [outcome.half_width / outcome.truth for outcome in _different(own)]
    covered = [outcome.coverage for outcome in own]
    equal = [np.mean(o.distances) / o.spread for o in own if o.pair.kind == "equal"]
    return (
        f"{design:<8} error median {np.median(ratios):6.3f}, geometric mean {_gmean(ratios):6.3f}; "
        f"relative {100 * np.median(relative):6.3f} %, 90th percentile "
        f"{100 * np.quantile(relative, 0.9):6.2f} %; coverage mean {np.mean(covered):.3f}, "
        f"10th percentile {np.quantile(covered, 0.1):.2f}; half-width median "
        f"{100 * np.median(widths):.2f} %; equal pairs, median {np.median(equal):.1e}"
    )


def _pair_line(outcome: Outcome) -> str:
    pair, unit = outcome.pair, outcome.truth or outcome.spread
    return (
        f"  {pair.kind:<7} {pair.e + ' | ' + pair.f:<58} {outcome.truth:10.5g}  "
        f"error {100 * outcome.error / unit:8.3f} %  half-width "
        f"{100 * outcome.half_width / unit:8.3f} %  coverage {outcome.coverage:.2f}"
    )


def _ratios(outcome: list[Outcome], published: list[Outcome]) -> list[float]:
    both = zip(_different(outcome), _different(published), strict=True)
    return [max(LEAST_RATIO, one.error / other.error) for one, other in both]


def _different(outcomes: Iterable[Outcome]) -> Iterator[Outcome]:
    return (outcome for outcome in outcomes if outcome.pair.kind != "equal")


def _gmean(values: list[float]) -> float:
    return float(np.exp(np.mean(np.log(values))))


@lru_cache(maxsize=4096)
def _shared_probe(
    domain: tuple[tuple[str, Ends], ...],
    parameters: Ends | None,
    n_points: int,
    n_draws: int,
    design: str,
    seed: int,
) -> symbed.Probe:
    return symbed.Probe(
        dict(domain), parameters, n_points=n_points, n_draws=n_draws, design=design, seed=seed
    )


def _probe(pair: Pair, design: str, n_points: int, n_draws: int, seed: int) -> symbed.Probe:
    """The pairs of one domain share their probes, whose points can be dear to make."""
    domain = tuple(pair.domain.items())
    return _shared_probe(domain, pair.parameters, n_points, n_draws, design, seed)


def _arguments() -> argparse.Namespace:
    parser = argument_parser(__doc__)
    parser.add_argument("--seeds", type=int, default=16)
    parser.add_argument("--points", type=int, default=64)
    parser.add_argument("--draws", type=int, default=32)
    parser.add_argument("--p", type=int, choices=(1, 2), default=1)
    parser.add_argument("--pairs", action="store_true", help="print a line for each pair")
    parser.add_argument("--truth", action="store_true", help="compute the true distances anew")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())

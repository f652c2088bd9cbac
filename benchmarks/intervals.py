"""Measure how often the interval of ``compare`` holds the truth, on pairs chosen to break it.

Each pair of formulas has a true distance by brute force. Under every seed the comparison *holds* if
its interval has the truth inside, and is *told* if it holds or says that it is unresolved. Printed
are both by group, how often unresolved was said, the half-width of the smooth group beside that of
midpoints and doubled biases (``BEFORE``), and the worst pairs by name.

Run with ``python -m benchmarks.intervals``; ``--seeds 1`` is the quick run, ``--pairs FILE`` takes
other pairs, ``--markdown`` prints the table of the documentation. Thresholds were found on the
default pairs; those of ``interval_sets/report.json`` were written later, and nothing is tuned on
them. ``benchmarks.interval_truths`` made their distances.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

import symbed
from benchmarks.common import Goal, Report, argument_parser, finish
from symbed._types import Floats
from symbed.workbench.evaluation import evaluate

PAIRS = Path(__file__).with_name("interval_pairs.json")
EASY = ("smooth", "mixed", "six variables")  # groups in which unresolved is a false alarm
# Median half-width of the smooth group over the truth, before all this (commit f1d97f4).
BEFORE = {"interval_pairs.json": 0.000504, "report.json": 0.001416}
ROUNDING = 1e-9
TRUTH_ERRORS = 3.0  # standard errors of a truth that was sampled
N_WORST = 12


@dataclass(frozen=True)
class Outcome:
    """What one pair was told under every seed."""

    pair: dict[str, Any]
    told: tuple[symbed.Comparison, ...]

    @property
    def held(self) -> np.ndarray[Any, np.dtype[np.bool_]]:
        """Whether each interval has the truth inside."""
        truth = self.pair["truth"]
        slack = ROUNDING * max(1.0, truth) + TRUTH_ERRORS * self.pair["truth_error"]
        lows, highs = np.array([each.interval for each in self.told]).T
        return np.asarray((lows <= truth + slack) & (highs >= truth - slack))

    @property
    def unresolved(self) -> np.ndarray[Any, np.dtype[np.bool_]]:
        """Whether each says that it is unresolved."""
        return np.array([not each.resolved for each in self.told])

    @property
    def half_width(self) -> float:
        """Half the width of the interval over the truth, mean over the seeds."""
        widths = [each.interval[1] - each.interval[0] for each in self.told]
        return float(np.mean(widths) / 2 / max(self.pair["truth"], ROUNDING))


def main() -> int:
    arguments = _arguments()
    pairs = json.loads(Path(arguments.pairs).read_text(encoding="utf-8"))
    outcomes = [_outcome(pair, arguments) for pair in pairs]
    if arguments.markdown:
        print("\n".join(markdown(outcomes)))
        return 0
    before = BEFORE.get(Path(arguments.pairs).name)
    return finish([report(outcomes, arguments.seeds, before)], arguments.json)


def _outcome(pair: dict[str, Any], arguments: argparse.Namespace) -> Outcome:
    told = []
    for seed in range(arguments.seeds):
        probe = symbed.Probe(
            {name: tuple(ends) for name, ends in pair["domain"].items()},
            tuple(pair["parameters"]) if pair["parameters"] else None,
            n_points=arguments.points,
            n_draws=arguments.draws,
            design=pair.get("design", arguments.design),
            seed=seed,
        )
        e, f = (symbed.observe(_source(pair, side, probe), probe) for side in "ef")
        told.append(symbed.compare(e, f, rtol=arguments.rtol, **pair.get("measure", {})))
    return Outcome(pair, tuple(told))


def _source(pair: dict[str, Any], side: str, probe: symbed.Probe) -> str | symbed.Family:
    """A side's formula, or a callable that computes it."""
    if not pair.get("callable"):
        return str(pair[side])
    expression = symbed.parse(pair[side])
    names = list(probe.variables)
    parameters = tuple(name for name in expression.names if name not in names)

    def outputs(points: Floats, vector: Floats) -> Floats:
        return evaluate(expression, points, names, vector.tolist())

    return symbed.Family(outputs, parameters, label=pair[side])


def report(outcomes: list[Outcome], seeds: int, before: float | None) -> Report:
    """The table by group, the worst pairs, and the goals."""
    made = Report(f"Intervals: {len(outcomes)} pairs made to break them, {seeds} seeds")
    made.facts = [
        f"{name:<36} {n:3d} pairs   held {held:6.1%}   held or told {told:6.1%}   "
        f"unresolved {unresolved:6.1%}"
        for name, n, held, told, unresolved in _rows(outcomes)
    ]
    made.facts += ["worst pairs:", *(_line(outcome) for outcome in _worst(outcomes))]
    *groups, whole = _rows(outcomes)
    easy = [outcome for outcome in outcomes if outcome.pair["group"] in EASY]
    smooth = [outcome.half_width for outcome in outcomes if outcome.pair["group"] == "smooth"]
    made.goals = [
        Goal("truth inside or unresolved", whole[3], 0.95),
        Goal("the same in the worst group", min(row[3] for row in groups), 0.90),
    ]
    if easy:
        alarms = float(np.mean([outcome.unresolved for outcome in easy]))
        made.goals.append(Goal("unresolved said of easy pairs", alarms, 0.05, at_least=False))
    if smooth and before is not None:
        ratio = float(np.median(smooth)) / before
        made.goals.append(Goal("smooth half-width, of that before", ratio, 1.5, at_least=False))
    return made


def markdown(outcomes: list[Outcome]) -> Iterable[str]:
    """The table of the documentation, and the worst pairs."""
    yield "| group | pairs | interval holds the truth | or says unresolved | unresolved |"
    yield "|---|---|---|---|---|"
    for name, n, held, told, unresolved in _rows(outcomes):
        yield f"| {name} | {n} | {held:.1%} | {told:.1%} | {unresolved:.1%} |"
    yield ""
    yield "| worst pairs | truth | held | or told |"
    yield "|---|---|---|---|"
    for outcome in _worst(outcomes):
        pair, n = outcome.pair, len(outcome.told)
        told = int((outcome.held | outcome.unresolved).sum())
        names, held = f"`{pair['e']}` and `{pair['f']}`", int(outcome.held.sum())
        yield f"| {names} | {pair['truth']:.4g} | {held} of {n} | {told} of {n} |"


def _rows(outcomes: list[Outcome]) -> list[tuple[str, int, float, float, float]]:
    groups = list(dict.fromkeys(outcome.pair["group"] for outcome in outcomes))
    rows = []
    for name in [*groups, "all"]:
        some = [outcome for outcome in outcomes if name in (outcome.pair["group"], "all")]
        held = np.concatenate([outcome.held for outcome in some])
        flags = np.concatenate([outcome.unresolved for outcome in some])
        shares = [float(np.mean(part)) for part in (held, held | flags, flags)]
        rows.append((name, len(some), shares[0], shares[1], shares[2]))
    return rows


def _worst(outcomes: list[Outcome]) -> list[Outcome]:
    """Pairs that were not told under every seed first, then those that were not held."""
    missed = [outcome for outcome in outcomes if not outcome.held.all()]
    order = sorted(missed, key=lambda o: ((o.held | o.unresolved).sum(), o.held.sum()))
    return order[:N_WORST]


def _line(outcome: Outcome) -> str:
    pair, first = outcome.pair, outcome.told[int(np.argmin(outcome.held))]
    low, high = first.interval
    held = f"held {int(outcome.held.sum())} of {len(outcome.told)}"
    return (
        f"  {pair['e']} | {pair['f']}: truth {pair['truth']:.4g}, {held}, such as "
        f"{first.distance:.4g} in [{low:.4g}, {high:.4g}] "
        f"{'unresolved: ' + first.reason if first.reason else ''}"
    )


def _arguments() -> argparse.Namespace:
    parser = argument_parser(__doc__)
    parser.add_argument("--pairs", default=str(PAIRS), metavar="FILE")
    parser.add_argument("--seeds", type=int, default=6)
    parser.add_argument("--points", type=int, default=64)
    parser.add_argument("--draws", type=int, default=32)
    parser.add_argument("--design", default="lattice")
    parser.add_argument("--rtol", type=float, help="go on until so close, or give up")
    parser.add_argument("--markdown", action="store_true", help="print the documentation's table")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())

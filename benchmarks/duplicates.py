"""Measure time and memory for finding the duplicates among a million random expressions."""

from __future__ import annotations

import argparse
import resource
import sys
import time

import numpy as np

import symbed
from benchmarks.aliases import aliases
from benchmarks.common import Goal, Report, Row, argument_parser, finish
from symbed.workbench import equivalent_groups, paper_grammar, sample

N_VARIABLES = 3


def main() -> int:
    """Run the benchmark."""
    arguments = _arguments()
    reports = [_labeled(), _aliased(arguments.seeds)]
    for unique in (False, True):
        reports.append(_random(arguments.expressions, unique))
    return finish(reports, arguments.json)


def _labeled() -> Report:
    """The paper's sixteen groups, a hundred spellings of each, with five seeds."""
    report = Report("the paper's 16 groups of equivalents, 100 each, five seeds")
    probe = symbed.Probe({"X_0": (1, 5), "X_1": (1, 5)}, parameters=(1, 5))
    precisions, recalls = [], []
    truth = np.repeat(np.arange(16), 100)
    equal = truth[:, None] == truth
    for seed in range(5):
        groups = equivalent_groups(100, seed=seed)
        texts = [str(member) for group in groups for member in group.members]
        merged = symbed.duplicates(symbed.survey(texts, probe, keep="programs"))
        together = merged.groups[:, None] == merged.groups
        right = (equal & together).sum() - len(truth)
        precisions.append(right / (together.sum() - len(truth)))
        recalls.append(right / (equal.sum() - len(truth)))
    report.goals += [
        Goal("pairwise precision, the lowest", min(precisions), 1.0),
        Goal("pairwise recall, the lowest", min(recalls), 1.0),
    ]
    return report


def _aliased(n_seeds: int) -> Report:
    """Pairs made to agree at the points of the default design, in one to three variables."""
    report = Report(f"pairs that agree at the points only, one to three variables, {n_seeds} seeds")
    n_pairs = 0
    merged = []
    for seed in range(n_seeds):
        for names in ("x", "xy", "xyz"):
            probe = symbed.Probe(dict.fromkeys(names, (1, 5)), parameters=(1, 5), seed=seed)
            for alias in aliases(probe):
                n_pairs += 1
                if len(symbed.duplicates([alias.base, alias.other], probe=probe)) == 1:
                    merged.append(f"{alias.kind}, {len(names)} variables, seed {seed}")
    report.facts += merged
    report.goals += [Goal("pairs", n_pairs, 51), Goal("merged", len(merged), 0, at_least=False)]
    return report


def _random(count: int, unique: bool) -> Report:
    """Random expressions of the paper's grammar, as they come or without repeated texts."""
    kind = "no text twice" if unique else "as they come"
    report = Report(f"{count:,} random expressions of the paper's grammar, {kind}")
    texts = list(sample(paper_grammar(N_VARIABLES), count, seed=0, unique=unique).texts())
    probe = symbed.Probe({f"X_{k}": (1, 5) for k in range(N_VARIABLES)}, parameters=(1, 5))
    began, cpu = time.perf_counter(), time.process_time()
    atlas = symbed.survey(texts, probe, keep="programs")
    read = time.perf_counter() - began
    groups = symbed.duplicates(atlas)
    seconds, spent = time.perf_counter() - began, time.process_time() - cpu
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6
    nowhere = 0 if groups.undefined is None else len(groups[groups.undefined])
    several = sum(1 for _ in groups.repeated)
    report.facts.append(
        f"{atlas.n_distinct:,} distinct up to commutativity, {len(groups):,} groups, "
        f"{several:,} of them with several members; {nowhere:,} expressions are defined nowhere"
    )
    report.rows += [
        Row("reading and compiling", read, count),
        Row("finding duplicates", seconds - read, count),
        Row("text in, groups out", seconds, count, f"{spent:.1f} s of CPU"),
    ]
    report.goals += [
        Goal("minutes", seconds / 60, 3, at_least=False),
        Goal("peak memory in GB", peak, 4, at_least=False),
    ]
    return report


def _arguments() -> argparse.Namespace:
    parser = argument_parser(__doc__, "50,000 expressions")
    parser.add_argument("--expressions", type=int, default=1_000_000)
    parser.add_argument("--seeds", type=int, default=4, help="of the probes of aliased pairs")
    arguments = parser.parse_args()
    if arguments.quick:
        arguments.expressions = 50_000
    return arguments


if __name__ == "__main__":
    sys.exit(main())

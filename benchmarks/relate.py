"""Verdicts on families: how many are right, proven and explained, and how long they take.

Run with ``python -m benchmarks.relate [cases.json] [--seeds N]``: a case file has rows with the
kinds ``family...`` (e, f, domain, parameters, label) and ``redundancy`` (e, label), as
``benchmarks/verdict_cases.json``; the built-in tables serve without one. Times are of the CPU. The
shipped forms have a benchmark of their own, ``benchmarks.forms``.
"""

from __future__ import annotations

import itertools
import json
import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.common import Goal, Report, argument_parser, finish
from benchmarks.family_pairs import ONE, REDUNDANT, family_pairs
from symbed.verdicts.families.effective_parameters import effective
from symbed.verdicts.families.relation import relate

CONTAINED = {
    "same": (True, True), "e_in_f": (True, False), "f_in_e": (False, True),
    "neither": (False, False),
}  # fmt: skip


def read_cases(path: str | None) -> list[dict[str, Any]]:
    """The rows of a case file, or the built-in ones."""
    if path is None:
        redundant = [
            {"kind": "redundancy", "e": e, "domain": ONE, "parameters": (0.5, 2.0), "label": rank}
            for e, rank in REDUNDANT
        ]
        return [*family_pairs(), *redundant]
    rows: list[dict[str, Any]] = json.loads(Path(path).read_text(encoding="utf-8"))
    return rows


def arguments_of(case: dict[str, Any]) -> tuple[dict[str, tuple[float, float]], Any]:
    """Domain and parameter ranges of a case."""
    domain = {name: (float(low), float(high)) for name, (low, high) in case["domain"].items()}
    given = case.get("parameters")
    if isinstance(given, dict):
        return domain, {name: (float(a), float(b)) for name, (a, b) in given.items()}
    return domain, None if given is None else (float(given[0]), float(given[1]))


def families_table(cases: Sequence[dict[str, Any]], seed: int) -> Report:
    """Containments found and refuted, substitutions, times."""
    counts: Counter[Any] = Counter()
    times = []
    report = Report(f"relate on {len(cases)} labeled pairs, seed {seed}, one core")
    relate("C*x", "C*x + 1", ONE)  # imports are no part of a relation
    for case in cases:
        domain, parameters = arguments_of(case)
        began = time.process_time()
        relation = relate(case["e"], case["f"], domain, parameters, seed=seed)
        times.append(1e3 * (time.process_time() - began))
        truth = CONTAINED[case["label"].lower()]
        halves = relation.e_in_f, relation.f_in_e
        for half, is_contained in zip(halves, truth, strict=True):
            counts[is_contained, half.contained] += 1
            counts["map"] += half.contained is True and half.substitution is not None
            if half.contained is not None and half.contained is not is_contained:
                report.facts.append(f"WRONG: {case['e']} | {case['f']} | {relation.relation}")
            elif is_contained and half.contained is None:
                report.facts.append(f"not found: {case['e']} | {case['f']}")
    right, wrong = (sum(counts[t, c] for c in (True, False, None)) for t in (True, False))
    reached = max(counts[True, True], 1)
    report.goals += [
        Goal("falsely contained", counts[False, True], 0, at_least=False),
        Goal("falsely refuted", counts[True, False], 0, at_least=False),
        Goal(f"containments found, share of {right}", counts[True, True] / max(right, 1), 0.97),
        Goal(f"others refuted, share of {wrong}", counts[False, False] / max(wrong, 1), 0.65),
        Goal("substitutions, share of those found", counts["map"] / reached, 0.85),
        Goal("median of both directions, ms", float(np.median(times)), 30, at_least=False),
        Goal("95 %, ms", float(np.quantile(times, 0.95)), 300, at_least=False),
        Goal("longest, ms", max(times), 5000, at_least=False),
    ]
    return report


def effective_table(cases: Sequence[dict[str, Any]]) -> Report:
    """Effective parameters of the cases, and of random products."""
    right, times = 0, []
    rows = [(case["e"], case["label"], *arguments_of(case)) for case in cases]
    rows += [(text, rank, ONE, None) for text, rank in random_products(100)]
    report = Report(f"effective parameters of {len(rows)} families")
    for text, rank, domain, parameters in rows:
        began = time.process_time()
        answer = effective(text, domain, parameters)
        times.append(1e3 * (time.process_time() - began))
        right += answer.rank == rank
        if answer.rank != rank:
            report.facts.append(f"WRONG: {text} has {rank}, got {answer.rank}")
    report.goals += [
        Goal("right, share", right / len(rows), 1.0),
        Goal("longest, ms", max(times), 50, at_least=False),
    ]
    report.facts.append(f"median {np.median(times):.1f} ms")
    return report


def random_products(n: int, seed: int = 0) -> list[tuple[str, int]]:
    """Families in which known groups of parameters act only as products, and their ranks."""
    generator = np.random.default_rng(seed)
    basis = ("x", "x^2", "exp(-x)", "sin(x)", "ln(x)", "1/x")
    wrapped = ("{}", "{}^2", "exp({})", "1/{}")
    families = []
    for _ in range(n):
        names = (f"p{k}" for k in itertools.count())
        terms = generator.permutation(len(basis))[: generator.integers(1, 4)]
        parts = []
        for term in terms:
            factors = [
                wrapped[generator.integers(len(wrapped))].format(next(names))
                for _ in range(generator.integers(1, 4))
            ]
            parts.append("*".join([*factors, basis[term]]))
        families.append((" + ".join(parts), len(terms)))
    return families


def main() -> int:
    """Print the tables."""
    parser = argument_parser(__doc__)
    parser.add_argument("cases", nargs="?", help="a JSON file of labeled cases")
    parser.add_argument("--seeds", type=int, default=1, help="how many seeds of members")
    options = parser.parse_args()
    cases = read_cases(options.cases)
    families = [case for case in cases if case["kind"].startswith("family")]
    reports = [families_table(families, seed) for seed in range(options.seeds)]
    reports.append(effective_table([case for case in cases if case["kind"] == "redundancy"]))
    return finish(reports, options.json)


if __name__ == "__main__":
    raise SystemExit(main())

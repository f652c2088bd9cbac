"""Verdicts on labeled pairs of formulas, beside SymPy and Math-Verify.

``python -m benchmarks.decide`` judges the pairs of ``benchmarks.function_pairs``; ``--cases FILE``
those of a JSON file with the keys e, f, domain and label (``benchmarks/held_out_cases.json``);
``benchmarks.random_pairs`` random ones.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import statistics
import time
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from benchmarks import high_precision
from benchmarks.common import Goal, Report, argument_parser, finish
from benchmarks.function_pairs import PAIRS, Pair
from symbed.language.parser import parse
from symbed.verdicts import Verdict, decide

LIMIT = 10.0  # seconds that the other tools have for a pair
LABELS = {"equal_ae": "almost"}


def main() -> int:
    """Run the benchmark."""
    arguments = _arguments()
    pairs = list(read_cases(arguments.cases)) if arguments.cases else PAIRS
    ours, failed = _ours(pairs)
    reports = [ours]
    if not arguments.alone:
        reports.append(_others(pairs, failed, arguments.every))
    return finish(reports, arguments.json)


def read_cases(path: Path) -> Iterator[Pair]:
    """The pairs of functions in a case file."""
    for case in json.loads(path.read_text()):
        if case.get("kind", "function").startswith("function"):
            domain = {name: (ends[0], ends[1]) for name, ends in case["domain"].items()}
            yield Pair(case["e"], case["f"], domain, LABELS.get(case["label"], case["label"]))


def _ours(pairs: list[Pair]) -> tuple[Report, list[bool]]:
    decide("x", "sin(x)", {"x": (0, 1)})  # imports are no part of a decision
    verdicts, times = [], []
    for pair in pairs:
        began = time.process_time()
        verdicts.append(decide(pair.e, pair.f, pair.domain))
        times.append(time.process_time() - began)
    judged = list(zip(pairs, verdicts, times, strict=True))
    right = [
        v.verdict == ("different" if p.label == "different" else "equal") for p, v, _ in judged
    ]
    undecided = sum(v.verdict == "undecided" for v in verdicts)
    null = [bool(v.exceptions) for p, v, _ in judged if p.label == "almost"]
    single = [(v, t) for p, v, t in judged if p.label != "different" and len(p.domain) == 1]
    bounded = [t for v, t in single if v.grade == "bounded"]
    missed = [p for p, v, _ in judged if p.label == "different" and v.verdict == "equal"]
    report = Report(f"decide on {len(pairs)} labeled pairs, one core")
    report.facts += [f"WRONG: {p.e} | {p.f}" for p, ok in zip(pairs, right, strict=True) if not ok]
    confirmed = [_confirms(p, v) for p, v, _ in judged if v.verdict == "different"]
    ordered = sorted(times)
    report.goals += [
        Goal("pairs that differ on a region called equal", len(missed), 0, at_least=False),
        Goal("decided rightly, share", sum(right) / len(pairs), 0.97),
        Goal("undecided, share", undecided / len(pairs), 0.03, at_least=False),
        Goal("exceptions on null sets found, share", sum(null) / max(1, len(null)), 0.8),
        Goal("witnesses that mpmath contradicts", confirmed.count(False), 0, at_least=False),
        Goal("median, ms", 1e3 * statistics.median(times), 10, at_least=False),
        Goal("95 %, ms", 1e3 * ordered[int(0.95 * len(ordered))], 300, at_least=False),
        Goal("longest, ms", 1e3 * ordered[-1], 5000, at_least=False),
        Goal("bounded, share of equal pairs of one variable", len(bounded) / len(single), 0.85),
        Goal("bounded, median ms", 1e3 * statistics.median(bounded), 50, at_least=False),
    ]
    return report, [not each for each in right]


def _confirms(pair: Pair, verdict: Verdict) -> bool | None:
    """Whether mpmath sees the difference at the witness; None where its digits do not tell."""
    assert verdict.witness is not None
    try:
        e, f = (
            high_precision.evaluate(parse(text, tuple(pair.domain)), verdict.witness, 400)
            for text in (pair.e, pair.f)
        )
    except high_precision.Unclear:
        return None
    if verdict.reason != "values":
        return (e is None) != (f is None)
    return e is not None and f is not None and bool(e != f)


# The others, each pair in a process that is stopped when its time is over.


def _sympified(text: str) -> Any:
    """A formula of ours as SymPy's object, with its own functions for ours."""
    import sympy

    known = {
        "e": sympy.E, "abs": sympy.Abs, "min": sympy.Min, "max": sympy.Max, "mod": sympy.Mod,
        "ceil": sympy.ceiling, "log10": lambda a: sympy.log(a, 10),
        "log2": lambda a: sympy.log(a, 2), "log1p": lambda a: sympy.log(1 + a),
        "expm1": lambda a: sympy.exp(a) - 1, "hypot": lambda a, b: sympy.sqrt(a**2 + b**2),
        "relu": lambda a: sympy.Max(a, 0), "sigmoid": lambda a: 1 / (1 + sympy.exp(-a)),
        "softplus": lambda a: sympy.log(1 + sympy.exp(a)), "gauss": lambda a: sympy.exp(-(a**2)),
        "logit": lambda a: sympy.log(a / (1 - a)), "heaviside": lambda a: (1 + sympy.sign(a)) / 2,
    }  # fmt: skip
    return sympy.sympify(text.replace("^", "**"), locals=known)


def _sympy_equals(e: str, f: str) -> bool | None:
    answer: bool | None = _sympified(e).equals(_sympified(f))
    return answer


def _sympy_simplify(e: str, f: str) -> bool | None:
    import sympy

    return True if sympy.simplify(_sympified(e) - _sympified(f)) == 0 else None


def _math_verify(e: str, f: str) -> bool | None:
    from math_verify import verify

    return bool(verify(_sympified(f), _sympified(e)))


TOOLS: dict[str, Callable[[str, str], bool | None]] = {
    "SymPy equals": _sympy_equals,
    "SymPy simplify": _sympy_simplify,
    "Math-Verify": _math_verify,
}
FOREIGN = ("pdiv", "plog", "pinv", "cond", "round")  # what SymPy has nothing for


def _others(pairs: list[Pair], failed: list[bool], every: int) -> Report:
    """The other tools; ``failed`` tells for which pairs our answer is wrong or none."""
    report = Report(f"other tools on the same pairs, {LIMIT:g} s each (they know no domain)")
    judged = [
        (pair, ours)
        for pair, ours in zip(pairs, failed, strict=True)
        if not any(word in pair.e + pair.f for word in FOREIGN)
    ][::every]
    spoken = [pair for pair, _ in judged]
    n_failed = sum(ours for _, ours in judged)
    report.facts.append(f"{len(spoken)} pairs; ours fails on {n_failed}")
    for tool in TOOLS.values():
        tool("x", "x")  # imported here once, so that a process pays for its pair only
    for name, tool in TOOLS.items():
        tally: Counter[str] = Counter()
        times = []
        for pair in spoken:
            began = time.perf_counter()
            answer = _limited(tool, pair.e, pair.f)
            times.append(time.perf_counter() - began)
            truth = pair.label != "different"
            if isinstance(answer, str):
                tally[answer] += 1
            else:
                tally["none" if answer is None else "right" if answer == truth else "wrong"] += 1
        shown = ", ".join(
            f"{tally[key]} {key}" for key in ("right", "wrong", "none", "timeout", "error")
        )
        report.facts.append(f"{name:<16}{shown}; median {1e3 * statistics.median(times):.0f} ms")
        if name == "SymPy equals":
            without = len(spoken) - tally["right"]
            report.goals.append(
                Goal("failures of equals for each of ours", without / max(1, n_failed), 3)
            )
    return report


def _limited(tool: Callable[[str, str], bool | None], e: str, f: str) -> bool | str | None:
    context = multiprocessing.get_context("fork")
    here, there = context.Pipe(duplex=False)
    process = context.Process(target=_ask, args=(tool, e, f, there))
    process.start()
    there.close()
    try:
        if not here.poll(LIMIT):
            return "timeout"
        answer: bool | str | None = here.recv()
        return answer
    except EOFError:
        return "error"
    finally:
        process.kill()
        process.join()


def _ask(tool: Callable[[str, str], bool | None], e: str, f: str, pipe: Any) -> None:
    try:
        pipe.send(tool(e, f))
    except Exception:
        pipe.send("error")


def _arguments() -> argparse.Namespace:
    parser = argument_parser(__doc__)
    parser.add_argument("--cases", type=Path, help="a JSON file of labeled pairs")
    parser.add_argument("--alone", action="store_true", help="without the other tools")
    parser.add_argument("--every", type=int, default=1, help="each K-th pair for the other tools")
    return parser.parse_args()


if __name__ == "__main__":
    raise SystemExit(main())

"""Verdicts on labelled pairs of formulas, beside SymPy and Math-Verify, and on random pairs.

``python -m benchmarks.decide`` judges the pairs of ``benchmarks.function_pairs``; ``--cases FILE``
those of a JSON file with the keys e, f, domain and label. ``--random N`` judges N random pairs of
the paper's grammar instead, and has mpmath contradict.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import random
import statistics
import time
from collections import Counter
from collections.abc import Callable, Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any

import mpmath

from benchmarks import high_precision
from benchmarks.common import Goal, Report, finish
from benchmarks.function_pairs import PAIRS, Pair
from symbed.language.expression import ANONYMOUS, Expression
from symbed.language.parser import parse
from symbed.verdicts import Verdict, decide, decide_pairs
from symbed.workbench import paper_grammar, sample

LIMIT = 10.0  # seconds that the other tools have for a pair
LABELS = {"equal_ae": "almost"}
RANDOM_DOMAIN = {"X_0": (0.5, 4.0), "X_1": (-3.0, 3.0)}
CHUNK = 2_000  # random pairs between two looks at the clock
SPOT_CHECKS = 3  # points at which mpmath looks for a contradiction of "equal"


def main() -> int:
    """Run the benchmark."""
    arguments = _arguments()
    if arguments.random:
        return finish([_random(arguments.random, arguments.workers)], arguments.json)
    pairs = list(_cases(arguments.cases)) if arguments.cases else PAIRS
    reports = [_ours(pairs)]
    if not arguments.alone:
        reports.append(_others(pairs))
    return finish(reports, arguments.json)


def _cases(path: Path) -> Iterator[Pair]:
    for case in json.loads(path.read_text()):
        if case.get("kind", "function").startswith("function"):
            domain = {name: (ends[0], ends[1]) for name, ends in case["domain"].items()}
            yield Pair(case["e"], case["f"], domain, LABELS.get(case["label"], case["label"]))


def _ours(pairs: list[Pair]) -> Report:
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
    report = Report(f"decide on {len(pairs)} labelled pairs, one core")
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
    return report


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


def _sympy_equals(e: str, f: str) -> bool | None:
    import sympy

    answer: bool | None = sympy.sympify(e).equals(sympy.sympify(f))
    return answer


def _sympy_simplify(e: str, f: str) -> bool | None:
    import sympy

    return True if sympy.simplify(sympy.sympify(e) - sympy.sympify(f)) == 0 else None


def _math_verify(e: str, f: str) -> bool | None:
    import sympy
    from math_verify import verify

    return bool(verify(sympy.sympify(f), sympy.sympify(e)))


TOOLS: dict[str, Callable[[str, str], bool | None]] = {
    "SymPy equals": _sympy_equals,
    "SymPy simplify": _sympy_simplify,
    "Math-Verify": _math_verify,
}
WORDS = {"abs(": "Abs(", "min(": "Min(", "max(": "Max(", "^": "**"}


def _others(pairs: list[Pair]) -> Report:
    report = Report(f"other tools on the same pairs, {LIMIT:g} s each (they know no domain)")
    spoken = [p for p in pairs if not any(w in p.e + p.f for w in ("pdiv", "plog", "pinv", "cond"))]
    for tool in TOOLS.values():
        tool("x", "x")  # imported here once, so that a process pays for its pair only
    for name, tool in TOOLS.items():
        tally: Counter[str] = Counter()
        times = []
        for pair in spoken:
            began = time.perf_counter()
            answer = _limited(tool, _sympy_text(pair.e), _sympy_text(pair.f))
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
    return report


def _sympy_text(text: str) -> str:
    for ours, theirs in WORDS.items():
        text = text.replace(ours, theirs)
    return text


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


# Random pairs


def _random(count: int, workers: int | None) -> Report:
    """Pairs of random formulas, every other one of one form, with a constant moved or none."""
    began = time.perf_counter()
    tally: Counter[str] = Counter()
    contradictions = []
    drawn = sample(paper_grammar(2), 2 * count, seed=1, max_length=40)
    dice = random.Random(1)
    slowest = 0.0
    for start in range(0, count, CHUNK):
        es, fs = [], []
        for number in range(start, min(count, start + CHUNK)):
            e = _numbered(drawn[2 * number], dice)
            f = _numbered(drawn[2 * number + 1], dice) if number % 2 else _respelled(e, dice)
            es.append(e)
            fs.append(f)
        since = time.perf_counter()
        verdicts = decide_pairs(es, fs, RANDOM_DOMAIN, bound=False, workers=workers, progress=False)
        slowest = max(slowest, (time.perf_counter() - since) / len(es))
        for e, f, verdict in zip(es, fs, verdicts, strict=True):
            tally[verdict.verdict] += 1
            if _contradicts(e, f, verdict, dice):
                contradictions.append(f"{e} | {f} | {verdict}")
    report = Report(f"{count} random pairs in {time.perf_counter() - began:.0f} s: {dict(tally)}")
    report.facts += contradictions[:10]
    report.goals.append(Goal("contradictions with mpmath", len(contradictions), 0, at_least=False))
    report.goals.append(Goal("slowest chunk, s for a pair", slowest, 5, at_least=False))
    return report


def _numbered(expression: Expression, dice: random.Random) -> Expression:
    """The expression with a short number in the place of each parameter."""
    items = (dice.randint(1, 40) / 10 if item == ANONYMOUS else item for item in expression.postfix)
    return Expression(tuple(items), tuple(RANDOM_DOMAIN))


def _respelled(expression: Expression, dice: random.Random) -> Expression:
    """The same expression in its canonical order, with one number moved in half of the cases."""
    items = list(expression.canonical().postfix)
    numbers = [place for place, item in enumerate(items) if isinstance(item, float)]
    if numbers and dice.random() < 0.5:
        place = dice.choice(numbers)
        items[place] = float(items[place]) + 1e-9  # type: ignore[arg-type]
    return Expression(tuple(items), tuple(RANDOM_DOMAIN))


def _contradicts(e: Expression, f: Expression, verdict: Verdict, dice: random.Random) -> bool:
    if verdict.verdict == "undecided":
        return False
    if verdict.verdict == "different":
        assert verdict.witness is not None
        return _differ(e, f, verdict.witness, verdict.reason == "values") is False
    for _ in range(SPOT_CHECKS):
        point = {n: Fraction(dice.uniform(*ends)) for n, ends in RANDOM_DOMAIN.items()}
        if _differ(e, f, point, True):
            return True
    return False


def _differ(
    e: Expression, f: Expression, point: dict[str, Fraction], by_value: bool
) -> bool | None:
    """Whether mpmath sees a difference; None where it does not tell."""
    try:
        left, right = (high_precision.evaluate(each, point, 120) for each in (e, f))
    except (high_precision.Unclear, OverflowError, MemoryError):
        return None
    if left is None or right is None:
        return (left is None) != (right is None)
    if not by_value:
        return False
    with mpmath.workdps(120):
        scale = max(abs(left), abs(right), mpmath.mpf(10) ** -50)
        if abs(left - right) > mpmath.mpf(10) ** -40 * scale:
            return True
        return None if left != right else False


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cases", type=Path, help="a JSON file of labelled pairs")
    parser.add_argument("--alone", action="store_true", help="without the other tools")
    parser.add_argument("--random", type=int, default=0, metavar="N", help="judge N random pairs")
    parser.add_argument("--workers", type=int, help="processes for random pairs")
    parser.add_argument("--json", action="store_true", help="one JSON document")
    return parser.parse_args()


if __name__ == "__main__":
    raise SystemExit(main())

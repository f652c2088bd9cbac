"""Random pairs of the paper's grammar through ``decide``, with mpmath looking for a contradiction.

``python -m benchmarks.random_pairs`` judges 2,000 pairs, ``--pairs 100000`` as many as the goal
asks for. ``--keep FILE`` appends each finished chunk to a file and skips those that it has, so that
a long run can be stopped and taken up again; ``--start`` begins at a later pair.
"""

from __future__ import annotations

import json
import multiprocessing
import random
import sys
import time
from collections import Counter
from dataclasses import asdict, dataclass, field
from fractions import Fraction
from pathlib import Path

import mpmath

from benchmarks import high_precision
from benchmarks.common import Goal, Report, argument_parser, finish
from symbed.errors import SymbedError
from symbed.language.expression import ANONYMOUS, Expression
from symbed.verdicts import Verdict, decide
from symbed.workbench import paper_grammar, sample

DOMAIN = {"X_0": (0.5, 4.0), "X_1": (-3.0, 3.0)}
CHUNK = 500
LONGEST = 40  # items of a formula
SPOT_CHECKS = 3  # points at which mpmath looks for a contradiction of "equal"
DIGITS = 120
SECONDS = 5.0  # that a pair may take, by the goal; ``decide`` stops itself well before


@dataclass
class Chunk:
    """What came of some pairs: how often each verdict, and what must not be."""

    number: int
    counts: dict[str, int] = field(default_factory=dict)
    contradictions: list[str] = field(default_factory=list)
    crashes: list[str] = field(default_factory=list)
    slowest: float = 0.0
    seconds: float = 0.0


def judge_chunk(number: int) -> Chunk:
    """Judge the pairs of one chunk; the same pairs for the same number."""
    chunk = Chunk(number)
    dice = random.Random(number)
    drawn = sample(paper_grammar(2), 2 * CHUNK, seed=number, max_length=LONGEST)
    tally: Counter[str] = Counter()
    began = time.process_time()
    for k in range(CHUNK):
        e = _numbered(drawn[2 * k], dice)
        f = _numbered(drawn[2 * k + 1], dice) if k % 2 else _respelled(e, dice)
        since = time.process_time()
        try:
            verdict = decide(e, f, DOMAIN)
        except (SymbedError, ArithmeticError, ValueError, RecursionError, MemoryError) as error:
            chunk.crashes.append(f"{e} | {f} | {error!r}")
            continue
        chunk.slowest = max(chunk.slowest, time.process_time() - since)
        tally[verdict.verdict] += 1
        if _contradicts(e, f, verdict, dice):
            chunk.contradictions.append(f"{e} | {f} | {verdict}")
    chunk.counts, chunk.seconds = dict(tally), time.process_time() - began
    return chunk


def _numbered(expression: Expression, dice: random.Random) -> Expression:
    """The expression with a short number in the place of each parameter."""
    items = (dice.randint(1, 40) / 10 if item == ANONYMOUS else item for item in expression.postfix)
    return Expression(tuple(items), tuple(DOMAIN))


def _respelled(expression: Expression, dice: random.Random) -> Expression:
    """The same expression in its canonical order, with one number moved in half of the cases."""
    items = list(expression.canonical().postfix)
    numbers = [(place, item) for place, item in enumerate(items) if isinstance(item, float)]
    if numbers and dice.random() < 0.5:
        place, number = dice.choice(numbers)
        items[place] = number + 1e-9
    return Expression(tuple(items), tuple(DOMAIN))


def _contradicts(e: Expression, f: Expression, verdict: Verdict, dice: random.Random) -> bool:
    if verdict.verdict == "undecided":
        return False
    if verdict.verdict == "different":
        assert verdict.witness is not None
        return _differ(e, f, verdict.witness, verdict.reason == "values") is False
    for _ in range(SPOT_CHECKS):
        point = {n: Fraction(dice.uniform(*ends)) for n, ends in DOMAIN.items()}
        if _differ(e, f, point, True):
            return True
    return False


def _differ(
    e: Expression, f: Expression, point: dict[str, Fraction], by_value: bool
) -> bool | None:
    """Whether mpmath sees a difference; None where it does not tell."""
    try:
        left, right = (high_precision.evaluate(each, point, DIGITS) for each in (e, f))
    except (high_precision.Unclear, OverflowError, MemoryError):
        return None
    if left is None or right is None:
        return (left is None) != (right is None)
    if not by_value:
        return False
    with mpmath.workdps(DIGITS):
        scale = max(abs(left), abs(right), mpmath.mpf(10) ** -50)
        if abs(left - right) > mpmath.mpf(10) ** -40 * scale:
            return True
        return None if left != right else False


def _finished(keep: Path | None) -> dict[int, Chunk]:
    if keep is None or not keep.exists():
        return {}
    chunks = (Chunk(**json.loads(line)) for line in keep.read_text().splitlines())
    return {chunk.number: chunk for chunk in chunks}


def run(start: int, pairs: int, workers: int, keep: Path | None) -> Report:
    """Judge the chunks that are not finished yet, and report on all."""
    numbers = range(start // CHUNK, -(-(start + pairs) // CHUNK))
    chunks = {n: chunk for n, chunk in _finished(keep).items() if n in numbers}
    todo = [number for number in numbers if number not in chunks]
    with multiprocessing.get_context("fork").Pool(workers) as pool:
        for chunk in pool.imap_unordered(judge_chunk, todo):
            chunks[chunk.number] = chunk
            print(
                f"\r{len(chunks) * CHUNK} of {len(numbers) * CHUNK} pairs", end="", file=sys.stderr
            )
            if keep is not None:
                with keep.open("a") as file:
                    file.write(json.dumps(asdict(chunk)) + "\n")
    print(file=sys.stderr)
    return _report(list(chunks.values()))


def _report(chunks: list[Chunk]) -> Report:
    tally: Counter[str] = Counter()
    for chunk in chunks:
        tally.update(chunk.counts)
    contradictions = [text for chunk in chunks for text in chunk.contradictions]
    crashes = [text for chunk in chunks for text in chunk.crashes]
    n, seconds = len(chunks) * CHUNK, sum(chunk.seconds for chunk in chunks)
    report = Report(f"{n} random pairs, {seconds:.0f} s of one core: {dict(tally)}")
    report.facts += contradictions[:10] + crashes[:10]
    report.goals += [
        Goal("pairs that were judged", n - len(crashes), n),
        Goal("contradictions with mpmath", len(contradictions), 0, at_least=False),
        Goal("slowest pair, s", max(chunk.slowest for chunk in chunks), SECONDS, at_least=False),
    ]
    return report


def main() -> int:
    """Run the benchmark."""
    parser = argument_parser(__doc__)
    parser.add_argument("--pairs", type=int, default=2_000, help="how many pairs")
    parser.add_argument("--start", type=int, default=0, help="the first pair")
    parser.add_argument("--workers", type=int, default=1, help="processes")
    parser.add_argument("--keep", type=Path, help="file of finished chunks, to resume from")
    options = parser.parse_args()
    report = run(options.start, options.pairs, options.workers, options.keep)
    return finish([report], options.json)


if __name__ == "__main__":
    raise SystemExit(main())

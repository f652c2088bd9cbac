"""Compare the speed of sampling from the paper's grammar with SRToolkit and NLTK.

SRToolkit draws random words, as symbed does. NLTK has no random generator: ``nltk.parse.generate``
lists the words of a grammar one after the other, which is less work than drawing them. Both return
token lists, so symbed is asked for token lists too; its own flat arrays, texts, trees and distinct
expressions are timed beside them. The sides take turns, and medians over the turns are printed.

Run with ``python -m benchmarks.grammar``; needs ``pip install 'symbed[benchmark]'``.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import time
from collections.abc import Callable
from itertools import count

import numpy as np

from benchmarks.common import Goal, Report, Row, argument_parser, finish
from symbed.workbench import Grammar, paper_grammar, sample

DEPTH = 10  # of NLTK's derivations; the grammar is left-recursive, so it needs one
SEEDS = count()  # every turn draws other words


def main() -> int:
    arguments = _arguments()
    scale = 10 if arguments.quick else 1
    n, n_other = arguments.n // scale, arguments.n_other // scale
    grammar = paper_grammar(2)
    sample(grammar, 1)  # opens the core
    sides: dict[str, tuple[Callable[[], object], int]] = {
        "symbed, flat arrays": (lambda: sample(grammar, n, seed=next(SEEDS)), n),
        "symbed, token lists": (lambda: list(sample(grammar, n, seed=next(SEEDS)).tokens()), n),
        "symbed, texts": (lambda: list(sample(grammar, n, seed=next(SEEDS)).texts()), n),
        "symbed, trees": (lambda: list(sample(grammar, n, seed=next(SEEDS))), n),
        "symbed, distinct expressions": (
            lambda: sample(grammar, n, seed=next(SEEDS), unique=True), n,
        ),
        "SRToolkit, token lists": (srtoolkit(grammar, n_other), n_other),
        "NLTK, token lists": (nltk(grammar, n_other), n_other),
    }  # fmt: skip
    times = in_turns({name: call for name, (call, _) in sides.items()}, arguments.repeats)
    report = Report(f"{n:,} expressions of the paper's grammar, 2 variables")
    report.rows = [Row(name, times[name], units) for name, (_, units) in sides.items()]
    each = {row.name: row.seconds / row.units for row in report.rows}
    ours, flat = each["symbed, token lists"], each["symbed, flat arrays"]
    report.facts = [_frequencies(grammar, n)]
    report.goals = [
        Goal("SRToolkit / symbed, token lists", each["SRToolkit, token lists"] / ours, 100),
        Goal("NLTK's list / symbed, token lists", each["NLTK, token lists"] / ours, 10),
        Goal("NLTK's list / symbed, flat arrays", each["NLTK, token lists"] / flat, 100),
        Goal("symbed: expressions per minute", 60 / flat, 1e6),
    ]
    return finish([report], arguments.json)


def in_turns(sides: dict[str, Callable[[], object]], repeats: int) -> dict[str, float]:
    """The median time of each side."""
    times: dict[str, list[float]] = {name: [] for name in sides}
    for _ in range(repeats):
        for name, call in sides.items():
            began = time.perf_counter()
            call()
            times[name].append(time.perf_counter() - began)
    return {name: statistics.median(seconds) for name, seconds in times.items()}


def srtoolkit(grammar: Grammar, n: int) -> Callable[[], object]:
    """Random words by SRToolkit, of any length and not distinct, as here."""
    from SRToolkit.utils import expression_generator
    from SRToolkit.utils.grammar import Grammar as Theirs

    theirs = Theirs.from_grammar_string(nltk_text(grammar), start=grammar.start)
    return lambda: expression_generator.generate_n_expressions(
        theirs, n, unique=False, max_expression_length=0, verbose=False
    )


def nltk(grammar: Grammar, n: int) -> Callable[[], object]:
    """The first words that NLTK lists."""
    from nltk import PCFG
    from nltk.parse.generate import generate

    theirs = PCFG.fromstring(nltk_text(grammar))
    return lambda: list(generate(theirs, depth=DEPTH, n=n))


def nltk_text(grammar: Grammar) -> str:
    """A grammar in NLTK's notation, where terminals are quoted."""
    lines = []
    for rule in grammar.rules:
        right = (s if s in grammar.nonterminals else f"'{s}'" for s in rule.right)
        lines.append(f"{rule.left} -> {' '.join(right)} [{rule.probability!r}]")
    return "\n".join(lines)


def _frequencies(grammar: Grammar, n: int) -> str:
    """Pearson's chi-square of the rules' frequencies, per nonterminal."""
    counts = sample(grammar, n, seed=next(SEEDS)).rule_counts
    shown = []
    for left, rules in grammar.by_left.items():
        observed = counts[[grammar.rules.index(rule) for rule in rules]]
        expected = np.array([rule.probability for rule in rules]) * observed.sum()
        statistic = float(((observed - expected) ** 2 / expected).sum())
        shown.append(f"{left} {statistic:.2f} ({len(rules) - 1})")
    return f"chi-square of rule frequencies (degrees of freedom): {', '.join(shown)}"


def _arguments() -> argparse.Namespace:
    parser = argument_parser(__doc__, "a tenth of everything")
    parser.add_argument("--n", type=int, default=1_000_000, help="expressions of symbed per turn")
    parser.add_argument("--n-other", type=int, default=5_000, help="expressions of the others")
    parser.add_argument("--repeats", type=int, default=3, help="turns")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())

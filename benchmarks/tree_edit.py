"""Tree edit distances of the paper's random expressions: times beside zss, and agreement.

Run with ``python -m benchmarks.tree_edit``. Both sides get trees that are made already, and all
distances of the two are compared. zss is given its label distance, because by default it takes
whatever string distance it finds installed.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import rapidfuzz.distance
import zss
from numpy.typing import NDArray

from benchmarks.common import Goal, Report, Row, argument_parser, finish, median_time
from benchmarks.grammar_sampler import sample
from symbed.language.expression import Expression, fold
from symbed.language.parser import parse
from symbed.workbench.syntactic_measures import pairwise

Floats = NDArray[np.float64]
REPEATS = 7


def main() -> int:
    arguments = _arguments()
    n_rows, n_columns = (20, 50) if arguments.quick else (100, 100)
    rows, columns = _expressions(n_rows, n_columns)
    reports = [
        _compared("unit", lambda a, b: int(a != b), rows, columns, goal=500),
        _compared("string", rapidfuzz.distance.Levenshtein.distance, rows, columns[:20]),
        _words(rows, columns),
    ]
    return finish(reports, arguments.json)


def _compared(
    relabel: Any,
    label_distance: Callable[[str, str], int],
    rows: list[Expression],
    columns: list[Expression],
    goal: float = 0.0,
) -> Report:
    """One kind of costs by zss and by symbed."""
    units = len(rows) * len(columns)
    theirs, wanted = _zss(rows, columns, label_distance)
    report = Report(f"Tree edit distance, {relabel} costs, {units:,} pairs")
    report.facts = [f"nodes of a tree: {np.mean([e.size for e in rows + columns]):.1f} on average"]
    report.rows = [Row("zss, trees made before", theirs, units)]
    for workers in (1, 2):
        ours = partial(pairwise, rows, columns, measure="tree", relabel=relabel, workers=workers)
        seconds, distances = median_time(ours, REPEATS)
        report.rows.append(Row(f"symbed, threads: {workers}", seconds, units))
        if workers == 1:
            report.goals.append(Goal("zss / symbed on one thread", theirs / seconds, goal))
    equal = float((distances.values == wanted).mean())
    report.goals.append(Goal("share of equal distances", equal, 1.0))
    return report


def _zss(
    rows: list[Expression], columns: list[Expression], label_distance: Callable[[str, str], int]
) -> tuple[float, Floats]:
    left, right = [_node(e) for e in rows], [_node(e) for e in columns]

    distance = partial(zss.simple_distance, label_dist=label_distance)
    seconds, distances = median_time(partial(_pair_by_pair, distance, left, right), 1)
    return seconds, np.array(distances)


def _node(expression: Expression) -> Any:
    tokens = iter(expression.tokens("postfix"))
    return fold(
        expression.postfix,
        lambda _: zss.Node(next(tokens)),
        lambda _, below: zss.Node(next(tokens), below),
    )


def _words(rows: list[Expression], columns: list[Expression]) -> Report:
    """The measures of words, against RapidFuzz on lists of tokens, pair by pair."""
    units = len(rows) * len(columns)
    report = Report(f"Edit and Jaro distance of postfix tokens, {units:,} pairs")
    lists = [[e.tokens("postfix") for e in side] for side in (rows, columns)]
    for measure, scorer in (("edit", "Levenshtein"), ("jaro", "Jaro")):
        distance = getattr(rapidfuzz.distance, scorer).distance
        theirs, wanted = median_time(partial(_pair_by_pair, distance, *lists), 1)
        ours = partial(pairwise, rows, columns, measure=measure, workers=1)
        seconds, distances = median_time(ours, REPEATS)
        report.rows.append(Row(f"RapidFuzz, {measure}, lists pair by pair", theirs, units))
        report.rows.append(Row(f"symbed, {measure}, from expressions", seconds, units))
        equal = float((distances.values == np.array(wanted)).mean())
        report.goals.append(Goal(f"share of equal {measure} distances", equal, 1.0))
    return report


def _pair_by_pair(
    distance: Callable[[Any, Any], float], rows: list[Any], columns: list[Any]
) -> list[list[float]]:
    return [[distance(a, b) for b in columns] for a in rows]


def _expressions(n_rows: int, n_columns: int) -> tuple[list[Expression], list[Expression]]:
    """Distinct expressions, so that no side profits from finding one twice."""
    wanted = n_rows + n_columns
    different: dict[Expression, None] = {}
    for tokens in sample(20 * wanted, 3, seed=0):
        different[parse(tokens)] = None
        if len(different) == wanted:
            break
    distinct = list(different)
    return distinct[:n_rows], distinct[n_rows:]


def _arguments() -> argparse.Namespace:
    parser = argument_parser(__doc__, "1,000 pairs instead of 10,000")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())

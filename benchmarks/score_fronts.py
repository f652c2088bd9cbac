"""Fronts of gplearn and pyoperon, labeled by hand: how many relations are right, and their order.

Run with ``python -m benchmarks.score_fronts [--every K]``. ``tool_fronts/`` has the fronts of both
tools on twelve problems without noise and with 1 % (``tools/other_tools/make_tool_fronts.py`` makes
them), and ``labels.csv`` says by mathematics what each of their short formulas is to the true form.
"""

from __future__ import annotations

import argparse
import csv
import time
from pathlib import Path

from benchmarks.front_problems import PROBLEMS
from symbed.scoring import Score, ScoredFormula, score

FOLDER = Path(__file__).parent / "tool_fronts"
GOAL = 0.95
RANKS = {"same": 0, "contains": 1, "special case": 2, "other": 2}  # a smaller one comes first


def answer(row: ScoredFormula) -> str:
    """What the score says, in the words of the labels."""
    if row.relation == "same" or (row.is_right and row.excess == 0):
        return "same"
    return {"e_in_f": "contains", "f_in_e": "special case"}.get(row.relation, "other")


def is_in_order(judged: Score, labels: dict[int, str]) -> bool:
    """Whether no right form stands below a wrong one."""
    ranks = [RANKS[labels[row.line]] for row in judged.ranked]
    wrong = [place for place, rank in enumerate(ranks) if rank == RANKS["other"]]
    right = [place for place, rank in enumerate(ranks) if rank == 0]
    return not right or not wrong or max(right) < min(wrong)


def main() -> None:
    """Print goals and values."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--every", type=int, default=1, help="each K-th front")
    arguments = parser.parse_args()
    with open(FOLDER / "labels.csv", newline="") as file:
        rows = list(csv.DictReader(file))
    fronts = list(dict.fromkeys((row["tool"], row["problem"], row["noise"]) for row in rows))
    problems = {problem.name: problem for problem in PROBLEMS}
    agreed = total = in_order = 0
    chosen, began = fronts[:: arguments.every], time.process_time()
    for tool, name, noise in chosen:
        own = [r for r in rows if (r["tool"], r["problem"], r["noise"]) == (tool, name, noise)]
        labels = {place: row["label"] for place, row in enumerate(own, 1)}
        problem = problems[name]
        judged = score(
            [row["formula"] for row in own], problem.truth, problem.domain, dialect=tool,
            values=problem.values or None,
        )  # fmt: skip
        total += len(own)
        for row in judged.rows:
            agreed += answer(row) == labels[row.line]
            if answer(row) != labels[row.line]:
                print(f"{tool} {name} {noise}: {row.text}  is {labels[row.line]}, "
                      f"we say {row.relation} ({row.verdict})")  # fmt: skip
        for one in judged.unread:
            print(f"{tool} {name} {noise}: {one.label} was not read: {one.error}")
        ordered = is_in_order(judged, labels)
        in_order += ordered
        if not ordered:
            print(f"{tool} {name} {noise}: a right form below a wrong one")
    print(f"{time.process_time() - began:.0f} s of CPU")
    print(f"relation right: {agreed} of {total} = {agreed / total:.1%} (goal: {GOAL:.0%})")
    print(f"fronts with no right form below a wrong one: {in_order} of {len(chosen)} (goal: all)")


if __name__ == "__main__":
    main()

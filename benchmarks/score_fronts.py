"""Fronts of gplearn and pyoperon, labeled by hand: how many relations are right, and their order.

Run with ``python -m benchmarks.score_fronts [--fresh] [--every K]``. ``tool_fronts/`` has fronts of
both tools on twelve problems without noise and with 1 %, made by
``tools/other_tools/make_tool_fronts.py``; ``labels.csv`` says by mathematics what each of their
short formulas is to the true form. ``fresh_fronts/`` has ten other problems, also with 5 %, and
formulas of up to 60 nodes. Their labels come from fits that use nothing of symbed
(``benchmarks.front_labels``), and from ``hand_labels.csv`` where these fall short, with the reason.
"""

from __future__ import annotations

import argparse
import csv
import time
from pathlib import Path

from benchmarks.front_problems import FRESH_PROBLEMS, PROBLEMS
from symbed.scoring import Score, ScoredFormula, score

FOLDER = Path(__file__).parent / "tool_fronts"
FRESH_FOLDER = Path(__file__).parent / "fresh_fronts"
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


def read_rows(path: Path) -> list[dict[str, str]]:
    """The rows of a table."""
    with open(path, newline="") as file:
        return list(csv.DictReader(file))


def fresh_rows() -> list[dict[str, str]]:
    """The formulas of the fresh fronts with their labels; those by hand win."""
    rows = read_rows(FRESH_FOLDER / "fitted_labels.csv")
    key = ("tool", "problem", "noise", "line")
    by_hand = {
        tuple(row[name] for name in key): row["label"]
        for row in read_rows(FRESH_FOLDER / "hand_labels.csv")
    }
    return [
        {**row, "label": by_hand.get(tuple(row[name] for name in key), row["label"])}
        for row in rows
    ]


def main() -> None:
    """Print goals and values."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--every", type=int, default=1, help="each K-th front")
    parser.add_argument("--fresh", action="store_true", help="the fronts with longer formulas")
    arguments = parser.parse_args()
    rows = fresh_rows() if arguments.fresh else read_rows(FOLDER / "labels.csv")
    fronts = list(dict.fromkeys((row["tool"], row["problem"], row["noise"]) for row in rows))
    problems = {problem.name: problem for problem in (*PROBLEMS, *FRESH_PROBLEMS)}
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

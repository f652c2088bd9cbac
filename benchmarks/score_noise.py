"""Made formulas with spare parameters: with noise too, is the truth told from what is wider?

Run with ``python -m benchmarks.score_noise [--half develop|report]``. ``score_noise_cases.csv`` was
written before the rule. Its labels come from how each formula was made: a term, factor or constant
is spare if leaving it out (or putting a constant at what the truth has there) moves the outputs by
less than rounding or noise, both told in the column ``why``; parts that only cancel each other are
not. The rule was made with the first half and is reported on the second.
"""

from __future__ import annotations

import argparse
import csv
from collections import Counter
from pathlib import Path
from typing import Any

from symbed.scoring import score

CASES = Path(__file__).with_name("score_noise_cases.csv")

OPEN = {"no": "undecided"}


def answer(case: dict[str, str]) -> Any:
    """The scored formula of a case."""
    values = {name: float(number) for name, number in _pairs(case["values"])}
    domain: dict[str, Any] = {}
    for name, ends in _pairs(case["domain"]):
        low, high = ends.split(":")
        domain[name] = float(low), float(high)
    judged = score(case["found"], case["truth"], domain, values=values, noise=float(case["noise"]))
    (row,) = judged.rows
    return row


def is_right(case: dict[str, str]) -> bool:
    """Whether a case gets its label; another form may be left open, if it is told as such."""
    return answer(case).true_form in (case["label"], OPEN.get(case["label"]))


def _pairs(text: str) -> list[tuple[str, str]]:
    return [(name, value) for name, _, value in (word.partition("=") for word in text.split(","))]


def main() -> None:
    """Print what is wrong, and how many are right."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--half", choices=("develop", "report"))
    half = parser.parse_args().half
    with open(CASES, newline="") as file:
        cases = [case for case in csv.DictReader(file) if half in (None, case["half"])]
    right: Counter[tuple[str, str]] = Counter()
    for case in cases:
        row = answer(case)
        # What is another form may be left open: that was searched, and is told as such.
        is_right = row.true_form in (case["label"], OPEN.get(case["label"]))
        right[case["half"], case["noise"]] += is_right
        if not is_right:
            print(f"noise {case['noise']}: {case['found']} is {case['label']!r} of {case['truth']} "
                  f"({case['why']}), we say {row.true_form!r}: {row.verdict}")  # fmt: skip
    for key in dict.fromkeys((case["half"], case["noise"]) for case in cases):
        total = sum((case["half"], case["noise"]) == key for case in cases)
        print(f"{key[0]}, noise {key[1]}: {right[key]} of {total}")
    print(f"in all {sum(right.values())} of {len(cases)}")


if __name__ == "__main__":
    main()

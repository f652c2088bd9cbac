"""Measure two checkouts of symbed against each other: has a change made anything slower?

Run with ``python -m benchmarks.between_commits OLD NEW``, two folders with the core built in place
(``make native``). Each task runs in a fresh process, old and new in turns; what counts is the least
CPU time of the turns, which other work on the machine disturbs little.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
from pathlib import Path

from benchmarks.common import Goal, Report, Row, finish

LEAST_RATIO = 0.97  # old time over new: below it the change made the task slower

PREPARATION = """
import random
import symbed
random.seed(1)
probe = symbed.Probe({"x": (1, 5), "y": (1, 3)}, parameters=(1, 5), n_points=64, n_draws=32, seed=0)
def formula(kind):
    a, b = random.randint(1, 400) / 100, random.randint(1, 900) / 7
    return [f"C*x^{a} + {b:.6f}*y", f"sin({b:.6f}*x) + C*y", f"C*exp(-x/{a}) + C*{b:.6f}",
            f"x*y/{b:.6f} + {a}"][kind % 4]
texts = [formula(kind) for kind in range(SIZE)]
"""
# What is timed, the number of formulas prepared, and what is prepared besides.
FIRST_TWO = "symbed.compare(symbed.observe('C*x + C*y', probe), symbed.observe('C*sin(x)', probe))"
OBSERVED = "seen = [symbed.observe(text, probe) for text in texts]"
ATLAS = "atlas = symbed.survey(texts, probe, workers=1, keep='behaviors')"
TASKS: dict[str, tuple[str, int, str | None]] = {
    "import": ("import symbed", 0, None),
    "first bed": (
        "symbed.bed('C*x + C', 'C*sin(x)', domain={'x': (1, 5)}, parameters=(1, 5))", 0, "",
    ),
    "first compare": (FIRST_TWO, 0, ""),
    "1,000 observed": (OBSERVED, 1000, FIRST_TWO),
    "200 compares": (
        "for a, b in zip(seen, seen[1:]): symbed.compare(a, b)", 201, f"{FIRST_TWO}; {OBSERVED}",
    ),
    "2,000 distances": (
        "for a, b in zip(seen, seen[1:]): symbed.distance(a, b)", 2001, f"{FIRST_TWO}; {OBSERVED}",
    ),
    "survey of 50,000": ("symbed.survey(texts, probe, workers=1, keep='behaviors')", 50_000, ""),
    "pairwise of 1,000": ("symbed.pairwise(atlas, workers=1)", 1000, ATLAS),
    "first nearest": ("symbed.nearest('C*x^2', atlas, k=10)", 20_000, ATLAS),
    "200 further nearest": (
        "for k in range(200): symbed.nearest(f'C*x^2 + {k}.3', atlas, k=10)",
        20_000, f"{ATLAS}; symbed.nearest('C*x', atlas, k=10)",
    ),
    "duplicates of 50,000": ("symbed.duplicates(atlas)", 50_000, ATLAS),
}  # fmt: skip
COMMAND = "import sys; from symbed.cli import main; sys.exit(main())"
FORMULAS = ["C*x + C", "C*sin(x)", "--domain", "x=1:5", "--parameters", "1:5"]


def main() -> int:
    arguments = _arguments()
    names = arguments.tasks or [*TASKS, "symbed distance"]
    report = Report(f"{arguments.old} and {arguments.new}, least of {arguments.turns} turns")
    for name in names:
        times: dict[Path, list[float]] = {arguments.old: [], arguments.new: []}
        for turn in range(arguments.turns + 1):
            for checkout, seconds in times.items():
                taken = _measure(checkout, name)
                if turn:  # the first turn fills the disk cache and writes the byte code
                    seconds.append(taken)
        old, new = (min(seconds) for seconds in times.values())
        report.rows.append(Row(name, new, note=f"before {old:.4f} s"))
        report.goals.append(Goal(f"{name}: old / new", old / new, LEAST_RATIO))
    return finish([report], arguments.json)


def _measure(checkout: Path, name: str) -> float:
    """CPU seconds of one task in a fresh process of one checkout."""
    environment = os.environ | {"PYTHONPATH": str(checkout / "src"), "OPENBLAS_NUM_THREADS": "1"}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)  # compiling the sources is not what is asked
    if name == "symbed distance":
        began = os.times()
        command = [sys.executable, "-c", COMMAND, "distance", *FORMULAS]
        subprocess.run(command, check=True, capture_output=True, env=environment)
        ended = os.times()
        return (
            ended.children_user
            - began.children_user
            + (ended.children_system - began.children_system)
        )
    timed, size, prepared = TASKS[name]
    script = ["import time"]
    if prepared is not None:
        script += [PREPARATION.replace("SIZE", str(size)), prepared]
    script += ["began = time.process_time()", timed, "print(time.process_time() - began)"]
    command = [sys.executable, "-c", "\n".join(script)]
    run = subprocess.run(command, check=True, capture_output=True, text=True, env=environment)
    return float(run.stdout)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("old", type=Path, help="a checkout with its core built in place")
    parser.add_argument("new", type=Path, help="another one")
    known = ", ".join([*TASKS, "symbed distance"])
    parser.add_argument("--tasks", nargs="+", metavar="TASK", help=f"some of: {known}")
    parser.add_argument("--turns", type=int, default=9)
    parser.add_argument("--json", action="store_true", help="print one JSON document")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())

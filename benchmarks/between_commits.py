"""Measure two checkouts of symbed against each other: has a change made anything slower?

Run with ``python -m benchmarks.between_commits OLD NEW``, two folders with the core built in place
(``make native``). Each task runs in a fresh process, old and new in turns; what counts is the least
CPU time of the turns, which other work on the machine disturbs little. Then the benchmarks of each
checkout take turns, and what they print is compared row by row: the least wall time of the turns.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from pathlib import Path

from benchmarks.common import Goal, Report, Row, argument_parser, finish

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
    "128 points in 8 variables": (
        "symbed.Probe({f'x{i}': (0, 1) for i in range(8)}, parameters=(1, 5), n_points=128).points",
        0, "",
    ),
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
# Whole benchmarks, with their arguments. Rows of these names are not ours, so nothing is asked.
BENCHMARKS = ("startup", "vs_reference --quick", "matrix --quick", "nearest --quick")
OTHERS = ("SRToolkit", "SciPy", "loop of SciPy", "import numpy")
COMMAND = "import sys; from symbed.cli import main; sys.exit(main())"
FORMULAS = ["C*x + C", "C*sin(x)", "--domain", "x=1:5", "--parameters", "1:5"]


def main() -> int:
    arguments = _arguments()
    checkouts = arguments.old, arguments.new
    report = Report(f"{arguments.old} and {arguments.new}, least of {arguments.turns} turns")
    for name in arguments.tasks:
        times: dict[Path, list[float]] = {checkout: [] for checkout in checkouts}
        for turn in range(arguments.turns + 1):
            for checkout, seconds in times.items():
                taken = _measure(checkout, name)
                if turn:  # the first turn fills the disk cache and writes the byte code
                    seconds.append(taken)
        _add(report, name, *(min(seconds) for seconds in times.values()))
    for name in arguments.benchmarks:
        turns = [{checkout: _rows(checkout, name) for checkout in checkouts}
                 for _ in range(arguments.benchmark_turns)]  # fmt: skip
        for row in turns[0][arguments.new]:
            measured = [[turn[checkout].get(row) for turn in turns] for checkout in checkouts]
            times_of = [[seconds for seconds in side if seconds is not None] for side in measured]
            if not row[1].startswith(OTHERS) and all(times_of):
                _add(report, f"{name}: {row[1]}", *map(min, times_of))
    return finish([report], arguments.json)


def _add(report: Report, name: str, old: float, new: float) -> None:
    report.rows.append(Row(name, new, note=f"before {old:.4f} s"))
    report.goals.append(Goal(f"{name}: old / new", old / new, LEAST_RATIO))


def _environment(checkout: Path, *folders: str) -> dict[str, str]:
    places = os.pathsep.join(str(checkout / folder) for folder in folders)
    environment = os.environ | {"PYTHONPATH": places, "OPENBLAS_NUM_THREADS": "1"}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)  # compiling the sources is not what is asked
    return environment


def _rows(checkout: Path, name: str) -> dict[tuple[str, str], float]:
    """Seconds of each row of a benchmark as a checkout has it, by the report's number and name."""
    benchmark, *options = name.split()
    command = [sys.executable, "-m", f"benchmarks.{benchmark}", *options, "--json"]
    run = subprocess.run(
        command, capture_output=True, text=True, check=False, cwd=checkout,
        env=_environment(checkout, "src", "."),
    )  # fmt: skip
    if not run.stdout.strip().startswith("{"):  # goals that are missed end with 1, and are no error
        raise SystemExit(f"{checkout}: {' '.join(command)} failed:\n{run.stderr}")
    reports = json.loads(run.stdout)["reports"]
    return {
        (str(number), row["name"]): row["seconds"]
        for number, report in enumerate(reports)
        for row in report["rows"]
    }


def _measure(checkout: Path, name: str) -> float:
    """CPU seconds of one task in a fresh process of one checkout."""
    environment = _environment(checkout, "src")
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
    parser = argument_parser(__doc__)
    parser.add_argument("old", type=Path, help="a checkout with its core built in place")
    parser.add_argument("new", type=Path, help="another one")
    tasks = [*TASKS, "symbed distance"]
    add = parser.add_argument
    add("--tasks", nargs="*", metavar="TASK", default=tasks, help=f"some of: {', '.join(tasks)}")
    add("--turns", type=int, default=9, help="of each task")
    add("--benchmarks", nargs="*", metavar="BENCHMARK", default=BENCHMARKS,
        help=f"with their arguments, such as: {', '.join(BENCHMARKS)}")  # fmt: skip
    add("--benchmark-turns", type=int, default=2)
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())

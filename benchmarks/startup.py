"""Measure what an import and a first answer cost in a fresh interpreter.

Run with ``python -m benchmarks.startup``. The sides take turns, so that a busy moment of the
machine hits them alike.
"""

from __future__ import annotations

import argparse
import statistics
import subprocess
import sys
import time
from collections.abc import Callable

from benchmarks.common import Goal, Report, Row, argument_parser, finish

IMPORT = "import time; t = time.perf_counter(); import {}; print(time.perf_counter() - t)"
COMMAND = "import sys; from symbed.cli import main; sys.exit(main())"
FORMULAS = ["C*x + C", "C*sin(x)", "--domain", "x=1:5", "--parameters", "1:5"]


def main() -> int:
    arguments = _arguments()
    sides: dict[str, Callable[[], float]] = {
        "import numpy": lambda: _import_time("numpy"),
        "import symbed": lambda: _import_time("symbed"),
        "symbed distance, whole process": _command_time,
    }
    times = _in_turns(sides, arguments.repeats)
    report = Report(f"Start-up, medians of {arguments.repeats} fresh processes")
    report.rows = [Row(name, statistics.median(seconds)) for name, seconds in times.items()]
    numpy, symbed, command = (row.seconds for row in report.rows)
    report.goals = [
        Goal("import symbed / import numpy", symbed / numpy, 1.5, at_least=False),
        Goal("first result of `symbed distance`, seconds", command, 0.5, at_least=False),
    ]
    return finish([report], arguments.json)


def _in_turns(sides: dict[str, Callable[[], float]], repeats: int) -> dict[str, list[float]]:
    times: dict[str, list[float]] = {name: [] for name in sides}
    for turn in range(repeats + 1):
        for name, measure in sides.items():
            seconds = measure()
            if turn:  # the first turn fills the disk cache and writes the byte code
                times[name].append(seconds)
    return times


def _import_time(module: str) -> float:
    """Seconds that the import takes inside a fresh interpreter."""
    command = [sys.executable, "-c", IMPORT.format(module)]
    return float(subprocess.run(command, check=True, capture_output=True, text=True).stdout)


def _command_time() -> float:
    """Seconds from starting the process to its end, interpreter included."""
    began = time.perf_counter()
    command = [sys.executable, "-c", COMMAND, "distance", *FORMULAS]
    subprocess.run(command, check=True, capture_output=True)
    return time.perf_counter() - began


def _arguments() -> argparse.Namespace:
    parser = argument_parser(__doc__)
    parser.add_argument("--repeats", type=int, default=15)
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())

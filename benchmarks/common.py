"""What the benchmarks share: timing callables by medians, and printing rows as a table or JSON."""

from __future__ import annotations

import argparse
import json
import os
import platform
import statistics
import sys
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TypeVar

T = TypeVar("T")


@dataclass(frozen=True)
class Row:
    """One line of a report: what was measured, the seconds, and what they are compared with.

    Parameters
    ----------
    name : str
        What was measured.
    seconds : float
        Its median time.
    units : int
        How many things that time was spent on.
    note : str
        How it was measured, if not in full.
    """

    name: str
    seconds: float
    units: int = 1
    note: str = ""

    def shown(self) -> str:
        """The row as text."""
        each = f"{1e6 * self.seconds / self.units:12.2f} us each" if self.units > 1 else ""
        return f"  {self.name:<38}{self.seconds:12.4f} s{each:>21}  {self.note}".rstrip()


@dataclass(frozen=True)
class Goal:
    """A figure with a bound that it must meet."""

    name: str
    value: float
    bound: float
    at_least: bool = True

    @property
    def met(self) -> bool:
        """Whether the value is on the right side of the bound."""
        return self.value >= self.bound if self.at_least else self.value <= self.bound

    def shown(self) -> str:
        """The goal as text."""
        side = "at least" if self.at_least else "at most"
        verdict = "met" if self.met else "MISSED"
        return f"  {self.name:<50}{self.value:12.4g}   goal {side} {self.bound:g}: {verdict}"


@dataclass
class Report:
    """The rows and goals of one question, in the order they were measured."""

    title: str
    rows: list[Row] = field(default_factory=list)
    goals: list[Goal] = field(default_factory=list)
    facts: list[str] = field(default_factory=list)

    def show(self) -> None:
        """Print it."""
        print(f"\n{self.title}")
        for fact in self.facts:
            print(f"  {fact}")
        lines = [row.shown() for row in self.rows] + [goal.shown() for goal in self.goals]
        print("\n".join(lines))


def argument_parser(document: str | None, quick: str = "") -> argparse.ArgumentParser:
    """The parser of a benchmark: ``--json``, and ``--quick`` where it says what that leaves."""
    parser = argparse.ArgumentParser(description=(document or "").split("\n")[0])
    if quick:
        parser.add_argument("--quick", action="store_true", help=quick)
    parser.add_argument("--json", action="store_true", help="print one JSON document")
    return parser


def finish(reports: list[Report], as_json: bool) -> int:
    """Print reports as text or as one JSON document; the exit code tells whether goals were met."""
    if as_json:
        document = {"machine": machine(), "reports": [asdict(report) for report in reports]}
        json.dump(document, sys.stdout, indent=2)
        print()
    else:
        print(machine())
        for report in reports:
            report.show()
    return 0 if all(goal.met for report in reports for goal in report.goals) else 1


def median_time(function: Callable[[], T], repeats: int) -> tuple[float, T]:
    """The median wall time of some calls, and the result of the last one."""
    times = []
    for _ in range(repeats):
        began = time.perf_counter()
        result = function()
        times.append(time.perf_counter() - began)
    return statistics.median(times), result


def machine() -> str:
    """One line that says what the figures were measured on."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    return (
        f"{_processor()}, {cores} cores, {platform.system()} {platform.machine()}, "
        f"Python {platform.python_version()}, NumPy {_numpy_version()}"
    )


def _processor() -> str:
    info = Path("/proc/cpuinfo")
    if info.exists():
        for line in info.read_text().splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or "unknown processor"


def _numpy_version() -> str:
    import numpy

    return numpy.__version__

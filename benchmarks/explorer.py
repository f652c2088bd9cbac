"""Measure how long the explorer's page waits for an answer about a pair of formulas.

Run with ``python -m benchmarks.explorer``. A server of its own runs in another process, and the
clock runs from sending a question to having read its answer, as in a browser on this machine.
"""

from __future__ import annotations

import argparse
import http.client
import json
import statistics
import subprocess
import sys
import time
from typing import Any

from benchmarks.common import Goal, Report, Row, argument_parser, finish

COMMAND = "import sys; from symbed.cli import main; sys.exit(main())"
PAIRS = [
    ("a*exp(-b*x)", "a/(1 + b*x)"),
    ("C*x + C", "C*sin(x)"),
    ("a*x*y + b", "a*sin(x)/(y + b)"),
    ("x^2 + 1", "cosh(x)"),
    ("a*tanh(b*x + c) + d*sin(e0*x)*exp(-f*x^2)", "a*atan(b*x)/(1 + c*x^2) + d*sqrt(abs(x + f))"),
]
SIZES = [(64, 32), (256, 256)]


def main() -> int:
    """Measure, print, and tell by the exit code whether the goal was met."""
    arguments = _arguments()
    repeats = 5 if arguments.quick else arguments.repeats
    command = [sys.executable, "-c", COMMAND, "explore", "--no-browser", "--port", "0", "--json"]
    server = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    try:
        assert server.stdout is not None
        page = Page(json.loads(server.stdout.readline()))
        reports = [_measure(page, n_points, n_draws, repeats) for n_points, n_draws in SIZES]
    finally:
        server.terminate()
        server.wait(10)
    return finish(reports, arguments.json)


class Page:
    """Asks as the page does, on one connection."""

    def __init__(self, told: dict[str, Any]) -> None:
        origin, _, token = told["url"].partition("/?token=")
        self._connection = http.client.HTTPConnection("127.0.0.1", told["port"], timeout=60)
        self._headers = {
            "Content-Type": "application/json",
            "Origin": origin,
            "X-Symbed-Token": token,
        }

    def ask(self, document: dict[str, Any]) -> dict[str, Any]:
        """The answer to one question."""
        self._connection.request("POST", "/api/compare", json.dumps(document), self._headers)
        answer: dict[str, Any] = json.loads(self._connection.getresponse().read())
        assert answer["result"] is not None, answer
        return answer


def _measure(page: Page, n_points: int, n_draws: int, repeats: int) -> Report:
    report = Report(f"{n_points} points x {n_draws} draws, {repeats} questions for each pair")
    waits: list[float] = []
    for e, f in PAIRS:
        question = {"formulas": [e, f], "points": n_points, "draws": n_draws}
        page.ask(question)
        seconds, inside = [], []
        for seed in range(repeats):  # another sample each time: nothing can be kept from the last
            began = time.perf_counter()
            answer = page.ask(question | {"seed": seed + 1})
            seconds.append(time.perf_counter() - began)
            inside.append(answer["milliseconds"])
        note = f"of which computed {statistics.median(inside):.1f} ms"
        report.rows.append(Row(f"{e}  |  {f}"[:36], statistics.median(seconds), note=note))
        waits += seconds
    waits.sort()
    report.facts.append(f"slowest of 20: {1e3 * waits[int(0.95 * len(waits))]:.1f} ms")
    median = 1e3 * statistics.median(waits)
    if (n_points, n_draws) == SIZES[0]:  # what the page asks for unless told otherwise
        report.goals.append(Goal("median wait, milliseconds", median, 100.0, at_least=False))
    else:
        report.facts.append(f"median wait: {median:.1f} ms")
    return report


def _arguments() -> argparse.Namespace:
    parser = argument_parser(__doc__, "a few repeats only")
    parser.add_argument("--repeats", type=int, default=40)
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())

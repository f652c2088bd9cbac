"""What ``compare`` costs beside an earlier checkout, for each way to draw and two sizes.

Run with ``python -m benchmarks.compare_cost OLD NEW``, two folders with the core built in place
(``make native``). An interval that looks twice may cost up to two times one that does not. Each
design and size runs in a fresh process, old and new in turns; what counts is the least CPU time of
the turns. Every behavior is in two pairs, as in a list whose neighbors are compared.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
from pathlib import Path

from benchmarks.common import Goal, Report, Row, finish

MOST = 2.0  # times the cost of before
SIZES = ((64, 32), (256, 256))
DESIGNS = ("lattice", "shared", "paper")
N_FORMULAS = 41

TIMED = """
import random, time
import symbed
random.seed(1)
domain, size = {{"x": (1, 5), "y": (1, 3)}}, {{"n_points": {n_points}, "n_draws": {n_draws}}}
probe = symbed.Probe(domain, (1, 5), design="{design}", **size)
def formula(kind):
    a, b = random.randint(1, 400) / 100, random.randint(1, 900) / 7
    return [f"C*x^{{a}} + {{b:.6f}}*y", f"sin({{b:.6f}}*x) + C*y", f"C*exp(-x/{{a}}) + C*{{b:.6f}}",
            f"x*y/{{b:.6f}} + {{a}}"][kind % 4]
seen = [symbed.observe(formula(kind), probe) for kind in range({n_formulas})]
symbed.compare(seen[0], seen[-1])
began = time.process_time()
for a, b in zip(seen, seen[1:]):
    symbed.compare(a, b)
print((time.process_time() - began) / (len(seen) - 1))
"""


def main() -> int:
    arguments = _arguments()
    checkouts = arguments.old, arguments.new
    report = Report(f"compare, {arguments.old} and {arguments.new}: least of {arguments.turns}")
    for n_points, n_draws in SIZES:
        for design in DESIGNS:
            script = TIMED.format(
                n_points=n_points, n_draws=n_draws, design=design, n_formulas=N_FORMULAS
            )
            turns = [[_seconds(folder, script) for folder in checkouts]
                     for _ in range(arguments.turns)]  # fmt: skip
            old, new = map(min, zip(*turns, strict=True))
            name = f"{design}, {n_points} x {n_draws}"
            report.rows.append(Row(name, new, note=f"before {old * 1e3:.3f} ms"))
            report.goals.append(Goal(f"{name}: new / old", new / old, MOST, at_least=False))
    return finish([report], arguments.json)


def _seconds(checkout: Path, script: str) -> float:
    """CPU seconds of one comparison in a fresh process of one checkout."""
    environment = os.environ | {"PYTHONPATH": str(checkout / "src"), "OPENBLAS_NUM_THREADS": "1"}
    command = [sys.executable, "-c", script]
    run = subprocess.run(command, check=True, capture_output=True, text=True, env=environment)
    return float(run.stdout)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("old", type=Path, help="a checkout with its core built in place")
    parser.add_argument("new", type=Path, help="another one")
    parser.add_argument("--turns", type=int, default=5, help="of each design and size")
    parser.add_argument("--json", action="store_true", help="print the rows as JSON")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())

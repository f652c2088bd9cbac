"""The trial of the front door: other tools' raw output given to every command.

Run with ``python -m benchmarks.front_door``. It makes an environment with gplearn, pyoperon, DEAP
and PySINDy (``--python PATH`` takes one that has them), runs them, and gives what they print to the
commands. Every distance is compared with the tool's own evaluation of its formulas; a formula that
is read with another meaning than the tool's, without an error, is a silent misreading.
"""

from __future__ import annotations

import csv
import io
import json
import re
import subprocess
import sys
import tempfile
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path

import numpy as np

from benchmarks.common import Goal, Report, argument_parser, finish
from symbed.cli import main as symbed

REQUIREMENTS = ("gplearn==0.4.2", "scikit-learn<1.6", "pyoperon", "deap", "pysindy", "sympy")
NAMES = {
    "gplearn": ("X0", "X1"), "operon": ("X1", "X2"), "deap": ("ARG0", "ARG1"),
    "pysindy": ("x0", "x1"),
}  # fmt: skip
TOLERANCE = 1e-9
TELLING = re.compile(r"\b(?:div|sqrt|log|inv|protectedDiv)\(|[0-9] +[a-z]")
RUNNER = Path(__file__).parents[1] / "tools" / "other_tools" / "tool_runs.py"


def main() -> int:
    parser = argument_parser(__doc__, "shorter runs of the tools")
    parser.add_argument("--python", help="an interpreter that has the tools")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        python = arguments.python or _environment(folder / "venv")
        words = [python, str(RUNNER), str(folder), *["--quick"] * arguments.quick]
        subprocess.run(words, check=True, stdout=sys.stderr)
        reports = [_trial(name, folder) for name in NAMES]
    return finish(reports, arguments.json)


def _environment(path: Path) -> str:
    """A fresh environment with the tools."""
    subprocess.run([sys.executable, "-m", "venv", str(path)], check=True)
    python = str(path / "bin" / "python")
    subprocess.run([python, "-m", "pip", "install", "--quiet", *REQUIREMENTS], check=True)
    return python


def _trial(tool: str, folder: Path) -> Report:
    report = Report(f"{tool}, as it prints")
    formulas = folder / f"{tool}.txt"
    data = folder / f"{tool}.csv"
    points = np.loadtxt(folder / "points.csv", delimiter=",")
    with data.open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(NAMES[tool])
        writer.writerows([list(map(repr, row)) for row in points.tolist()])
    values = np.array(
        [[np.nan if v is None else v for v in row]
         for row in json.loads((folder / f"{tool}.values.json").read_text())]
    )  # fmt: skip
    code, out, err = _run("matrix", str(formulas), "--data", str(data), "--json")
    report.facts = [line for line in err.split("\n") if line][:3]
    told = f"read as {tool}" in err
    worst = _worst(np.array(json.loads(out)["distances"], float), values) if code == 0 else np.nan
    report.goals = [
        Goal("the file was read, and it was said as whose", float(code == 0 and told), 1),
        Goal("largest error of a distance", worst, TOLERANCE, at_least=False),
        Goal(
            "commands that misread it in silence", _silent(formulas, data, tool), 0, at_least=False
        ),
    ]
    return report


def _worst(distances: np.ndarray, values: np.ndarray) -> float:
    """The largest relative error of the distances, against mean gaps of the tool's own values."""
    usable = np.flatnonzero(np.isfinite(values).all(axis=1) & (np.abs(values) < 1e12).all(axis=1))
    values, distances = values[usable], distances[np.ix_(usable, usable)]
    gaps = np.abs(values[:, None, :] - values[None, :, :]).mean(axis=2)
    scale = 1.0 + np.abs(values).mean(axis=1)
    return float((np.abs(gaps - distances) / (scale[:, None] + scale[None, :])).max())


def _silent(formulas: Path, data: Path, tool: str) -> int:
    """How many commands went through without a word on whose formulas they read."""
    lines = formulas.read_text().split("\n")
    # What a tool means otherwise than we do comes first; on the rest there is nothing to tell.
    telling = [line for line in lines if TELLING.search(line)] or lines
    first, second = telling[0], telling[-1]
    where = ("--data", str(data))
    ranges = ("--domain", ",".join(f"{name}=-2:3" for name in NAMES[tool]))
    atlas = str(formulas.with_suffix(".atlas"))
    commands = [
        ("survey", str(formulas), "-o", atlas, *where),
        ("matrix", str(formulas), *where),
        ("duplicates", str(formulas), *where),
        ("nearest", str(formulas), first, "-k", "1", *where),
        ("cluster", str(formulas), "-n", "2", "--mismatch", "1", *where),
        ("convert", str(formulas)),
        ("distance", first, second, *where),
        ("show", first),
        ("decide", first, second, *ranges),
        ("relate", first, second, *ranges, "--seconds", "2"),
        ("effective", first, *ranges),
    ]
    silent = 0
    for words in commands:
        code, _, err = _run(*words)
        asked_for_nothing = tool == "operon"  # by which our own language means the same
        silent += code == 0 and f"read as {tool}" not in err and not asked_for_nothing
        if code == 0 and f"read as {tool}" not in err and not asked_for_nothing:
            print(f"silent: symbed {' '.join(words)[:120]}", file=sys.stderr)
    return silent


def _run(*words: str) -> tuple[int, str, str]:
    out, err = io.StringIO(), io.StringIO()
    with redirect_stdout(out), redirect_stderr(err):
        try:
            code = symbed(list(words))
        except SystemExit as stop:
            code = int(stop.code or 0)
    return code, out.getvalue(), err.getvalue()


if __name__ == "__main__":
    sys.exit(main())

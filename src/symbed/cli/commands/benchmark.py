"""``symbed benchmark run|report|remove|problems``: methods on problems whose truths are forms."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from symbed.cli.options import add_worker_options, open_workers, parse_words
from symbed.cli.output import print_document, shown_progress
from symbed.errors import RangeError

if TYPE_CHECKING:
    from symbed.scoring.benchmark.leaderboard import Leaderboard

ACTIONS = ("run", "report", "remove", "problems")
MEGABYTES = {"": 1.0, "m": 1.0, "mb": 1.0, "g": 1024.0, "gb": 1024.0}  # of the units of --memory
METHODS = "random-search, gplearn, pyoperon, proged, pysr, discover"


def configure_benchmark(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add(
        "action", choices=ACTIONS,
        help="run methods, report on a folder, remove a method's runs, or list problems",
    )  # fmt: skip
    add("folder", nargs="?", help="where the results of the benchmark are kept")
    group = parser.add_argument_group("what is run").add_argument
    group(
        "--problems", action="append", metavar="NAMES",
        help="collections (nguyen, feynman, feynman-bonus, srsd, hidden), so many of one "
        "(feynman:10), or single problems (I.29.4); repeat, or commas (default: hidden)",
    )  # fmt: skip
    group(
        "--method", action="append", metavar="NAME",
        help=f"{METHODS}, or your own class as file.py:Class or module:Class; repeat",
    )  # fmt: skip
    group(
        "--python", action="append", metavar="[NAME=]PATH",
        help="the Python that has a method's package (default: this one); repeat",
    )  # fmt: skip
    group(
        "--option", action="append", metavar="NAME.KEY=VALUE",
        help="an option of a method, such as gplearn.population_size=1000; repeat",
    )  # fmt: skip
    group("--noise", default="0", metavar="0,0.01", help="noise levels (default: 0)")
    group("--seeds", type=int, default=3, metavar="N", help="number of seeds (default: 3)")
    group("--rows", type=int, default=200, metavar="N", help="rows of data (default: 200)")
    group = parser.add_argument_group("limits of one run").add_argument
    group("--seconds", type=float, default=10.0, metavar="S", help="for a method (default: 10)")
    group(
        "--grace", type=float, default=20.0, metavar="S",
        help="how much longer until it is killed, start-up included (default: 20)",
    )  # fmt: skip
    group("--memory", default="2GB", metavar="2GB", help="of all its processes (default: 2GB)")
    group = parser.add_argument_group("judging and reporting").add_argument
    group(
        "--judged", type=int, default=8, metavar="N",
        help="formulas of a run that are judged, its answer first (default: 8)",
    )  # fmt: skip
    group("--again", action="store_true", help="report: judge every run anew")
    group("-o", "--output", metavar="FOLDER", help="of the report (default: FOLDER/report)")
    group("--title", default="Leaderboard of forms", help="heading of the report")
    group("--csv", action="store_true", help="print the runs as a table")
    add_worker_options(parser)


def run_benchmark(arguments: argparse.Namespace) -> None:
    """Run methods on problems, report on what ran, or list the problems."""
    if arguments.action == "problems":
        _print_problems(arguments)
        return
    if not arguments.folder:
        raise RangeError(f"a folder is needed: symbed benchmark {arguments.action} FOLDER")
    if arguments.action == "remove":
        _remove_runs(arguments)
        return
    leaderboard_of = _run_methods if arguments.action == "run" else _report
    with open_workers(arguments) as workers:
        leaderboard = leaderboard_of(arguments, workers)
    rows = [run.to_row() for run in leaderboard.runs]
    if not print_document(arguments, leaderboard.to_dict(), rows):
        _print_leaderboard(leaderboard)


def _run_methods(arguments: argparse.Namespace, workers: dict[str, Any]) -> Leaderboard:
    from symbed.scoring.benchmark.benchmark_run import run_benchmark
    from symbed.scoring.benchmark.methods import Limits

    if not arguments.method:
        raise RangeError(
            f"a method is needed: add --method with one of {METHODS}, or file.py:Class"
        )
    if arguments.again:
        raise RangeError("--again goes with report: runs that have ended are never run twice")
    return run_benchmark(
        arguments.folder, parse_words(arguments.problems) or ["hidden"], arguments.method,
        noises=_noises(arguments.noise), seeds=arguments.seeds, n_rows=arguments.rows,
        limits=Limits(arguments.seconds, arguments.grace, _megabytes(arguments.memory)),
        pythons=_pythons(arguments.python), options=_options(arguments.option),
        n_judged=arguments.judged, progress=shown_progress(arguments), **workers,
    )  # fmt: skip


def _report(arguments: argparse.Namespace, workers: dict[str, Any]) -> Leaderboard:
    from symbed.scoring.benchmark.benchmark_run import read_leaderboard
    from symbed.scoring.benchmark.report import write_report

    leaderboard = read_leaderboard(
        arguments.folder, n_judged=arguments.judged, again=arguments.again,
        progress=shown_progress(arguments), **workers,
    )  # fmt: skip
    if not leaderboard.runs:
        raise RangeError(f"no run of {arguments.folder} has ended yet")
    folder = Path(arguments.output or Path(arguments.folder) / "report")
    written = write_report(leaderboard, folder, title=arguments.title)
    print(f"report written to {written['leaderboard.html']}", file=sys.stderr)
    return leaderboard


def _remove_runs(arguments: argparse.Namespace) -> None:
    from symbed.scoring.benchmark.benchmark_run import remove_runs

    if not arguments.method:
        raise RangeError("whose runs? add --method with the name that the report has")
    for method, count in remove_runs(arguments.folder, arguments.method).items():
        print(f"{count} runs of {method} removed")


def _print_leaderboard(leaderboard: Leaderboard) -> None:
    from symbed.scoring.benchmark.report import shown_figure

    rows = {one.method: one for one in leaderboard.summaries("all")}
    width = max(len("method"), *map(len, rows))
    print(f"{'method':<{width}}  {'form recovery':<22}  {'R2 > 0.999':<22}  "
          f"{'median error':<12}  {'seconds':<7}  failed")  # fmt: skip
    for method in leaderboard.methods:
        one = rows[method]
        print(
            f"{method:<{width}}  {shown_figure(one, 'recovery'):<22}  "
            f"{shown_figure(one, 'accuracy'):<22}  {shown_figure(one, 'error'):<12}  "
            f"{shown_figure(one, 'seconds'):<7}  {one.failed} of {one.n_runs}"
        )
    for method in leaderboard.methods:
        if method.endswith(")") and any(method.startswith(f"{one} (") for one in rows):
            print(
                f"{method} has the name of another, and was run otherwise; remove its runs with "
                f"symbed benchmark remove FOLDER --method '{method}'"
            )
    unfinished = "" if leaderboard.is_finished else f" of {leaderboard.n_tasks}: unfinished"
    print(f"{len(leaderboard.runs)} runs{unfinished}")


def _print_problems(arguments: argparse.Namespace) -> None:
    from symbed.scoring.benchmark.tasks import read_problems
    from symbed.workbench.benchmark_datasets import COLLECTIONS

    if arguments.folder:
        raise RangeError("symbed benchmark problems needs no folder; choose with --problems")
    problems = read_problems(parse_words(arguments.problems) or list(COLLECTIONS))
    rows = [
        {
            "name": one.name, "collection": one.collection, "n_variables": len(one.laws),
            "form": str(one.form if one.form.parameters else one.formula), "title": one.title,
        }
        for one in problems
    ]  # fmt: skip
    if not print_document(arguments, {"problems": rows}, rows):
        for row in rows:
            print(f"{row['name']:<24} {row['collection']:<14} {row['form']}")


def _noises(text: str) -> list[float]:
    try:
        return [float(word) for word in text.split(",")]
    except ValueError:
        raise RangeError(
            f"--noise needs numbers with commas, such as 0,0.01, got {text!r}"
        ) from None


def _megabytes(text: str) -> float:
    digits = text.strip().lower().rstrip("bgm")
    unit = text.strip().lower()[len(digits) :]
    try:
        return float(digits) * MEGABYTES[unit]
    except (ValueError, KeyError):
        raise RangeError(f"--memory needs a size, such as 500MB or 2GB, got {text!r}") from None


def _pythons(texts: list[str] | None) -> dict[str, str]:
    """The Python of each method; under no name that of all others."""
    pairs = (text.partition("=") if "=" in text else ("", "", text) for text in texts or [])
    return {name: path for name, _, path in pairs}


def _options(texts: list[str] | None) -> dict[str, dict[str, Any]]:
    options: dict[str, dict[str, Any]] = {}
    for text in texts or []:
        owner, equals, value = text.partition("=")
        method, dot, key = owner.rpartition(".")
        if not equals or not dot or not key.isidentifier():
            raise RangeError(f"--option needs NAME.KEY=VALUE, got {text!r}")
        settings = options.setdefault(method, {})
        try:
            settings[key] = json.loads(value)
        except ValueError:  # no JSON: a plain word
            settings[key] = value
    return options

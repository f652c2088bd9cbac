"""``run_benchmark``: methods on problems, run and judged, in a folder that can be resumed.

A judgment is a function of the formulas and the truth alone, and holds nothing that was timed, so
that judging again gives the same bytes.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import Executor
from pathlib import Path
from typing import Any

from symbed.errors import DataError, RangeError
from symbed.formula_files.formulas import Listing
from symbed.parallel import open_executor, run_blocks
from symbed.progress import Progress, Shown
from symbed.scoring.benchmark.leaderboard import Leaderboard, RunResult
from symbed.scoring.benchmark.methods import (
    Ending,
    Limits,
    Method,
    check_method,
    read_methods,
    stop_methods,
)
from symbed.scoring.benchmark.tasks import (
    ResultFolder,
    Task,
    digest,
    make_tasks,
    method_labels,
    read_problems,
    run_task,
)
from symbed.scoring.run_score import score
from symbed.scoring.scores import ScoredFormula
from symbed.workbench.benchmark_datasets import Dataset

MIN_ROWS = 10
VERSION = 4  # of judgments; raised when they would change
FRONT = 8  # formulas of a run that are judged, the method's answer first
# One relation takes some 20 ms. A search that is stopped by the clock would not be repeatable, so
# the clock is far beyond what searches take.
SECONDS = 60.0

Rows = tuple[dict[str, Any], ...]


def run_benchmark(
    folder: str | Path,
    problems: Iterable[str | Dataset],
    methods: Iterable[str | Method],
    *,
    noises: Sequence[float] = (0.0,),
    seeds: int | Sequence[int] = 3,
    n_rows: int = 200,
    limits: Limits | None = None,
    pythons: Mapping[str, str] | None = None,
    options: Mapping[str, Mapping[str, Any]] | None = None,
    n_judged: int = FRONT,
    workers: int | None = None,
    executor: Executor | None = None,
    progress: Shown = None,
) -> Leaderboard:
    """Run methods on problems and judge what they find.

    Each run is a process of its own with limits of time and memory. Its result is a file of the
    folder, named by content: killed at any time and called again, it goes on where it was, and with
    more problems, methods or seeds only what is new is run.

    Parameters
    ----------
    folder : str or Path
        Where results are kept; made if it is not there.
    problems : iterable of str or Dataset
        Collections (``nguyen``), so many of one (``feynman:10``), or single problems (``I.29.4``).
    methods : iterable of str or Method
        Those that ship by name, such as ``gplearn``; your own as ``file.py:Class``.
    noises : sequence of float
        Noise levels: standard deviation of the noise over that of the outputs.
    seeds : int or sequence of int
        How many seeds, or which.
    n_rows : int
        Rows of each data set.
    limits : Limits, optional
        What one run may use.
    pythons : mapping of str to str, optional
        By a method's name, the Python that runs it; under ``""`` that of all others.
    options : mapping of str to mapping, optional
        By a method's name, what its adapter is made with.
    n_judged : int
        How many formulas of each run are judged; the first is the method's answer.
    workers : int, optional
        How many runs at once; all cores by default.
    executor : Executor, optional
        Who runs, instead of threads that wait for processes; as in ``survey``.
    progress : bool or callable, optional
        As in ``survey``, in runs.
    """
    chosen = read_methods(methods, pythons, options)
    tasks = make_tasks(
        read_problems(problems), chosen, _checked_noises(noises), _checked_seeds(seeds),
        _checked_count("n_rows", n_rows, MIN_ROWS), _checked_limits(limits or Limits()),
    )  # fmt: skip
    _checked_count("n_judged", n_judged, 1)
    # A tool that is missing is told now, not after hours of runs.
    for method in chosen:
        check_method(method)
    results = ResultFolder(folder)
    with results.opened():
        results.write_settings(tasks)
        _complete(results, tasks, n_judged, workers, executor, progress)
    return read_leaderboard(folder, n_judged=n_judged, workers=workers, executor=executor)


def read_leaderboard(
    folder: str | Path,
    *,
    n_judged: int = FRONT,
    again: bool = False,
    workers: int | None = None,
    executor: Executor | None = None,
    progress: Shown = None,
) -> Leaderboard:
    """The results of a benchmark's folder, as far as it got.

    Parameters
    ----------
    folder : str or Path
        Of ``run_benchmark``.
    n_judged : int
        How many formulas of each run count.
    again : bool
        Judge every run anew; the judgments come out the same.
    workers, executor, progress
        As in ``run_benchmark``, for runs that must be judged.
    """
    results = ResultFolder(folder)
    tasks = results.tasks()
    if not tasks:
        raise DataError(f"{folder} has no benchmark; make one with `symbed benchmark run {folder}`")
    _checked_count("n_judged", n_judged, 1)
    if again:
        results.remove_scores()
    ended = [task for task in tasks if results.run(task) is not None]
    _complete(results, ended, n_judged, workers, executor, progress)
    labels = method_labels(tasks)
    rows = []
    for task in ended:
        ending = results.run(task)
        assert ending is not None
        judgment = results.score(score_key(task, ending, n_judged))
        assert judgment is not None
        rows.append(RunResult.of(task, ending, judgment, labels[task.key]))
    order = sorted(
        rows, key=lambda run: (run.collection, run.problem, run.method, run.noise, run.seed)
    )
    return Leaderboard(tuple(order), len(tasks))


def remove_runs(folder: str | Path, methods: Iterable[str]) -> dict[str, int]:
    """Remove the runs of some methods from a benchmark's folder; gives how many of each.

    Parameters
    ----------
    folder : str or Path
        Of ``run_benchmark``.
    methods : iterable of str
        As the leaderboard calls them, such as ``gplearn (adapter 3049ee)``.

    Raises
    ------
    RangeError
        A method that the folder does not have.
    """
    results = ResultFolder(folder)
    tasks = results.tasks()
    labels = method_labels(tasks)
    counts = dict.fromkeys(methods, 0)
    unknown = next((name for name in counts if name not in labels.values()), None)
    if unknown is not None:
        known = ", ".join(sorted(set(labels.values()))) or "none"
        raise RangeError(f"{folder} has no method {unknown!r}; it has {known}")
    gone = [task for task in tasks if labels[task.key] in counts]
    for task in gone:
        counts[labels[task.key]] += results.run(task) is not None
    with results.opened():
        results.remove(gone)
    return counts


def _complete(
    results: ResultFolder,
    tasks: Sequence[Task],
    n_judged: int,
    workers: int | None,
    executor: Executor | None,
    progress: Shown,
) -> None:
    """Run and judge what has not been."""
    waiting: list[tuple[Task, Ending | None]] = []
    for task in tasks:
        ending = results.run(task)
        if ending is None or results.score(score_key(task, ending, n_judged)) is None:
            waiting.append((task, ending))
    blocks = [(task, ending, n_judged) for task, ending in waiting]
    with (
        open_executor(workers, executor) as pool,
        Progress("runs", len(tasks), progress) as bar,
    ):
        bar.advance(len(tasks) - len(waiting))
        try:
            for (task, before), (ending, judgment) in zip(
                waiting, run_blocks(pool, _run_and_score, blocks), strict=True
            ):
                if before is None:
                    results.write_run(task, ending)
                results.write_score(score_key(task, ending, n_judged), judgment)
                bar.advance()
        except BaseException:
            # Leaving the pool waits for its threads, and these for methods that may run for long.
            stop_methods()
            raise


def _run_and_score(
    task: Task, ending: Ending | None, n_judged: int
) -> tuple[Ending, dict[str, Any]]:
    ended = run_task(task) if ending is None else ending
    return ended, score_run(task, ended, n_judged)


def score_key(task: Task, ending: Ending, n_judged: int) -> str:
    """What names a judgment: the formulas, the truth, and who judges."""
    return digest(
        {
            "task": task.key,
            "formulas": list(ending.formulas),
            "status": ending.status,
            "dialect": ending.dialect,
            "n_judged": n_judged,
            "version": VERSION,
        }
    )


def score_run(task: Task, ending: Ending, n_judged: int = FRONT) -> dict[str, Any]:
    """The judgment of a run, as plain values; the first of its formulas is the method's answer."""
    rows = ending.formulas[:n_judged] if ending.status == "done" else ()
    return {
        "problem": task.problem,
        "method": task.method.name,
        "noise": task.noise,
        "seed": task.seed,
        "status": ending.status,
        "formulas": _judged(task, rows, ending.dialect) if rows else [],
    }


def _judged(task: Task, rows: Rows, dialect: str) -> list[dict[str, Any]]:
    """The judged formulas; one that breaks the judgment is judged alone, and the others without it.

    A benchmark runs for hours, and no formula of a stranger's may end it: what cannot be judged is
    recorded with the reason.
    """
    problem = task.truth
    is_form = bool(problem.form.parameters)
    texts = tuple(row["formula"] for row in rows)
    columns = {name: tuple(row.get(name) for row in rows) for name in ("loss", "complexity")}
    listing = Listing(texts, tuple(range(1, len(rows) + 1)), columns)
    try:
        judged = score(
            listing.read(dialect, "keep", problem.variables, errors="skip"),
            problem.form if is_form else problem.formula, _domain(problem),
            values=problem.values if is_form else None,
            noise=task.noise, seconds=SECONDS, progress=False,
        )  # fmt: skip
    except Exception as error:
        if len(rows) == 1:
            words = str(error).split("\n")[0]
            return [_unjudged(texts[0], f"{type(error).__name__}: {words}")]
        return [row for one in rows for row in _judged(task, (one,), dialect)]
    # In the method's order, those that could not be read included.
    known = {row.line: _row(row) for row in judged.rows}
    unread = {one.line: str(one.error).split("\n")[0] for one in judged.unread}
    return [
        known.get(line) or _unjudged(text, unread.get(line, "it was not judged"))
        for line, text in enumerate(texts, 1)
    ]


def _domain(problem: Dataset) -> dict[str, Any]:
    """The domain that a truth is judged on: the laws of its inputs.

    Two formulas without parameters are compared by proofs, which know ranges only.
    """
    if problem.form.parameters:
        return problem.domain
    ends = (law.ppf([0.0, 1.0]).tolist() for law in problem.laws)
    return {name: tuple(pair) for name, pair in zip(problem.variables, ends, strict=True)}


def _row(row: ScoredFormula) -> dict[str, Any]:
    return {
        "formula": row.text,
        "expression": str(row.expression),
        "read": True,
        "right": row.is_right,
        "true_form": row.true_form,
        "verdict": row.verdict,
        "relation": row.relation,
        "grade": row.grade,
        "form_distance": 0.0 if row.is_right else row.form.mean,
        # JSON has no infinity.
        "error": row.errors.domain if math.isfinite(row.errors.domain) else "inf",
        "size": row.size,
        "effective": row.n_effective,
        "excess": row.excess,
    }


def _unjudged(text: str, reason: str) -> dict[str, Any]:
    return {
        "formula": text, "expression": text, "read": False, "right": False,
        "true_form": "undecided", "verdict": reason, "relation": "undecided", "grade": "",
        "form_distance": 1.0, "error": "inf", "size": 0, "effective": 0, "excess": 0,
    }  # fmt: skip


def _checked_noises(noises: Sequence[float]) -> tuple[float, ...]:
    found = tuple(float(one) for one in noises)
    wrong = [one for one in found if not 0 <= one < 10]
    if wrong or not found:
        raise RangeError(
            f"noise is a share of the outputs' spread, such as 0.01, got {wrong or 'none'}"
        )
    return tuple(dict.fromkeys(found))


def _checked_seeds(seeds: int | Sequence[int]) -> tuple[int, ...]:
    found = tuple(range(seeds)) if isinstance(seeds, int) else tuple(seeds)
    if not found or any(not isinstance(one, int) or one < 0 for one in found):
        raise RangeError(f"seeds must be a positive number of them, or a list, got {seeds!r}")
    return tuple(dict.fromkeys(found))


def _checked_count(name: str, value: int, least: int) -> int:
    if not isinstance(value, int) or value < least:
        raise RangeError(f"{name} must be a whole number of at least {least}, got {value!r}")
    return value


def _checked_limits(limits: Limits) -> Limits:
    for name in ("seconds", "grace", "megabytes"):
        if not 0 < getattr(limits, name) < float("inf"):
            raise RangeError(f"{name} must be a positive number, got {getattr(limits, name)!r}")
    # As floats, so that 10 and 10.0 are the same task.
    return Limits(float(limits.seconds), float(limits.grace), float(limits.megabytes))

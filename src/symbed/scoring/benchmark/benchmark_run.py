"""``run_benchmark``: methods on problems, run and judged, in a folder that can be resumed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import Executor
from pathlib import Path
from typing import Any

from symbed.errors import DataError, RangeError
from symbed.parallel import open_executor, run_blocks
from symbed.progress import Progress, Shown
from symbed.scoring.benchmark.leaderboard import Leaderboard, RunResult
from symbed.scoring.benchmark.method_process import Ending, Limits, check_method, stop_methods
from symbed.scoring.benchmark.methods import Method, read_methods
from symbed.scoring.benchmark.result_folder import ResultFolder
from symbed.scoring.benchmark.run_scoring import FRONT, score_key, score_run
from symbed.scoring.benchmark.tasks import (
    Task,
    make_tasks,
    method_labels,
    read_problems,
    run_task,
)
from symbed.workbench.data.benchmark_datasets import Dataset

FEWEST_ROWS = 10


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
        _checked_count("n_rows", n_rows, FEWEST_ROWS), _checked_limits(limits or Limits()),
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

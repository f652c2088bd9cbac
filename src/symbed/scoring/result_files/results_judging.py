"""``judge_results``: result files of benchmarks and tools, each row judged in worker processes.

Rows of one problem go to one process, which knows the relations that it found before. A row has a
budget; a process that does not answer in time is stopped, and its row says so. Such a process is
``python -m symbed.scoring.result_files.results_judging``; it answers lines of JSON.
"""

from __future__ import annotations

import json
import os
import queue
import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import lru_cache
from typing import Any

from symbed.errors import RangeError, SymbedError
from symbed.parallel import count_threads
from symbed.progress import Progress
from symbed.scoring._true_form import read_truth
from symbed.scoring.result_files._problem_lookup import (
    Problem,
    find_problem,
    parse_names,
    read_found,
)
from symbed.scoring.result_files.judged_results import JudgedResults, JudgedRow
from symbed.scoring.result_files.result_file_reader import read_results
from symbed.scoring.result_files.result_rows import ResultFile, ResultRow
from symbed.scoring.run_score import DEFAULT_SECONDS, FormulaJudge
from symbed.verdicts.worker_process import (
    WorkerProcess,
    WorkerTimeout,
    decoded_expression,
    encoded_expression,
    limit_memory,
    serve,
)
from symbed.workbench.benchmark_datasets import IntegerUniform, LogUniform, Uniform, read_law

RELATIONS_PER_ROW = 6  # readings of a formula, with and without its spare terms
START_SECONDS = 30.0  # for a process to start on a busy machine
MAX_ROWS = 24  # of one problem that go to one process in one piece

WORKER = "symbed.scoring.result_files.results_judging"  # the module that a process runs
LAWS = {Uniform: "uniform", LogUniform: "log-uniform", IntegerUniform: "integer"}

Path = str | os.PathLike[str]
Request = dict[str, Any]
Piece = list[tuple[int, Request]]


def judge_results(
    paths: Path | Iterable[Path | ResultFile],
    *,
    truth: str | None = None,
    domain: Mapping[str, Any] | None = None,
    noise: float | None = None,
    columns: Mapping[str, str] | None = None,
    seconds: float = DEFAULT_SECONDS,
    workers: int | None = None,
    progress: bool | Callable[[int], None] | None = None,
    finished: Callable[[JudgedRow], None] | None = None,
) -> JudgedResults:
    """Judge the rows of result files.

    Parameters
    ----------
    paths : path or iterable of path or ResultFile
        Tables and JSON files in the formats of SRBench, LLM-SRBench, LLM-SR, SRToolkit, E2E and AI
        Feynman, folders of such files or of PySR, plain tables and lists of formulas. Of several,
        those without results are named in ``left_out``.
    truth : str, optional
        The truth of all rows; by default each row's own, or that of the problem that ships.
    domain : mapping from str to range, optional
        The ranges of all rows; by default those of the problems that ship.
    noise : float, optional
        The noise of the data, by the spread of the outputs; by default what the rows say.
    columns : mapping of str to str, optional
        Which column of a table has which role, where its name does not tell: ``formula``,
        ``truth``, ``problem``, ``noise``, ``verdict``.
    seconds : float
        How long one relation may be searched for. A row has six times that and a little more.
    workers : int, optional
        Number of processes; all cores by default.
    progress : bool or callable, optional
        Whether a bar is shown, or what is called with the number of rows done.
    finished : callable, optional
        Called with each row, in the order of the files, as soon as it and those before it are done.

    Returns
    -------
    JudgedResults
        After Ctrl+C, with the rows that were finished; ``is_complete`` tells.
    """
    began = time.monotonic()
    if not seconds > 0:
        raise RangeError(f"seconds must be a positive number, got {seconds!r}")
    if noise is not None and not 0 <= noise < 1:
        raise RangeError(f"noise must be a share between 0 and 1, got {noise!r}")
    given = [paths] if isinstance(paths, str | os.PathLike) else list(paths)
    files = [one for one in given if isinstance(one, ResultFile)]
    unread = [one for one in given if not isinstance(one, ResultFile)]
    left_out: dict[str, str] = {}
    if unread or not files:
        more, left_out = read_results(unread, columns)
        files += more
    results = [row for file in files for row in file.rows]
    table = _Table(results, finished)
    pieces = list(_pieces(table, truth, domain, noise, seconds))
    n_requests = sum(len(piece) for piece in pieces)
    with Progress("rows", n_requests, progress) as bar:
        try:
            for place, judged, problem in _answers(pieces, seconds, count_threads(workers)):
                table.settle(place, judged, problem)
                bar.advance()
        except KeyboardInterrupt:
            pass  # what is finished is kept, and the result says that it is not complete
    formats = {file.path: file.format for file in files}
    seconds = time.monotonic() - began
    return JudgedResults(table.rows(), len(results), formats, seconds, left_out)


class _Table:
    """The rows that are judged so far, handed out in order."""

    def __init__(
        self, results: list[ResultRow], finished: Callable[[JudgedRow], None] | None
    ) -> None:
        self.results, self._finished = results, finished
        self.sources = [""] * len(results)
        self.same: dict[int, list[int]] = {}  # rows that ask the same as an earlier one
        self._done: dict[int, JudgedRow] = {}
        self._told = 0

    def settle(self, place: int, judged: Mapping[str, Any] | None, problem: str) -> None:
        """Note the answer of a row, and of those that are the same."""
        for same in (place, *self.same.get(place, ())):
            own = self.results[same]
            mine = None if judged is None else {**judged, "line": own.line}
            self._done[same] = JudgedRow(own, mine, problem, self.sources[same])
        while self._finished and self._told in self._done:
            self._finished(self._done[self._told])
            self._told += 1

    def rows(self) -> tuple[JudgedRow, ...]:
        """The rows that are done, in order."""
        return tuple(self._done[place] for place in sorted(self._done))


def _pieces(
    table: _Table,
    truth: str | None,
    domain: Mapping[str, Any] | None,
    noise: float | None,
    seconds: float,
) -> Iterator[Piece]:
    """Requests by problem; rows that cannot even be read are settled at once."""
    problems: dict[tuple[str, str | None, frozenset[str]], Problem | SymbedError] = {}
    grouped: dict[str, Piece] = {}
    asked: dict[str, int] = {}
    for place, row in enumerate(table.results):
        # Without a truth of its own, a problem is named in the variables of the row's formula.
        names = frozenset() if truth or row.truth else parse_names(str(row.formula))
        key = row.problem, row.truth, names
        if key not in problems:
            try:
                problems[key] = find_problem(row, truth, domain)
            except SymbedError as error:
                problems[key] = error
        problem = problems[key]
        try:
            if isinstance(problem, SymbedError):
                raise problem
            table.sources[place] = problem.source
            request = _request(row, problem, noise, seconds)
        except SymbedError as error:
            table.settle(place, None, _one_line(error))
            continue
        kind = request["noise"], request["noise_is_of_size"]
        same = repr((request["problem"], kind, request["found"]))
        if same in asked:
            table.same.setdefault(asked[same], []).append(place)
            continue
        asked[same] = place
        grouped.setdefault(repr(request["problem"]), []).append((place, request))
    for piece in grouped.values():
        for start in range(0, len(piece), MAX_ROWS):
            yield piece[start : start + MAX_ROWS]


def _request(row: ResultRow, problem: Problem, noise: float | None, seconds: float) -> Request:
    found = read_found(row, problem.variables)
    return {
        "task": "judge",
        "problem": {
            "truth": encoded_expression(problem.truth),
            "domain": {name: _encoded_range(law) for name, law in problem.domain.items()},
            "values": problem.values,
        },
        "noise": row.noise if noise is None else noise,
        # SRBench's target_noise is a share of the outputs' root mean square, not of their spread;
        # what the caller says is one of the spread, also where the numbers are equal.
        "noise_is_of_size": noise is None and "target_noise" in row.columns,
        "found": encoded_expression(found),
        "text": str(row.formula),
        "line": row.line,
        "seconds": seconds,
    }


def _answers(
    pieces: list[Piece], seconds: float, n_workers: int
) -> Iterator[tuple[int, Mapping[str, Any] | None, str]]:
    """The answers of worker processes as they come: place, judgment, or what went wrong."""
    waiting: queue.SimpleQueue[Piece] = queue.SimpleQueue()
    for piece in pieces:
        waiting.put(piece)
    answers: queue.SimpleQueue[tuple[int, Any, str]] = queue.SimpleQueue()
    stop = threading.Event()
    processes = [WorkerProcess(module=WORKER) for _ in range(min(n_workers, len(pieces)))]
    threads = [
        threading.Thread(target=_work, args=(process, waiting, answers, stop, seconds), daemon=True)
        for process in processes
    ]
    for thread in threads:
        thread.start()
    try:
        for _ in range(sum(len(piece) for piece in pieces)):
            yield answers.get()
    finally:
        stop.set()
        for process in processes:
            process.close()


def _work(
    process: WorkerProcess,
    waiting: queue.SimpleQueue[Piece],
    answers: queue.SimpleQueue[tuple[int, Any, str]],
    stop: threading.Event,
    seconds: float,
) -> None:
    """One thread: pieces of work to one process, until there are no more."""
    budget = RELATIONS_PER_ROW * seconds + 2.0
    is_started = False
    while not stop.is_set():
        try:
            piece = waiting.get_nowait()
        except queue.Empty:
            return
        for place, request in piece:
            if stop.is_set():
                return
            try:
                if not is_started:
                    # Asked first, so that no row pays for the start of its process.
                    process.ask({"task": "ready"}, START_SECONDS)
                    is_started = True
                answers.put((place, process.ask(request, budget), ""))
            except WorkerTimeout:
                is_started = False
                answers.put((place, None, f"no answer within {budget:g} s"))
            except (SymbedError, OSError, ValueError) as error:
                is_started = False
                answers.put((place, None, _one_line(error)))


def _one_line(error: Exception) -> str:
    return str(error).split("\n")[0]


def _encoded_range(given: Any) -> Any:
    """The range of a variable as plain values."""
    if type(given) not in LAWS:
        low, high = given
        return [float(low), float(high)]
    signs = f":{given.signs}" if hasattr(given, "signs") else ""
    return f"{LAWS[type(given)]}:{given.low!r}:{given.high!r}{signs}"


def answer_request(request: dict[str, Any]) -> Any:
    """What one request asks for, as plain values."""
    if request["task"] == "ready":
        return True
    if request["task"] == "limit":
        return limit_memory(request["megabytes"])
    try:
        judge = _judge(json.dumps(request["problem"]), request["seconds"])
        # All rows of a problem share the judge, and each has its own noise.
        judge.noise = request["noise"]
        if judge.noise and request.get("noise_is_of_size"):
            judge.noise *= judge.truth.size_by_spread
        found = decoded_expression(request["found"])
        return judge.judge(found, request["text"], request["line"]).to_dict()
    except (SymbedError, MemoryError):
        raise
    except Exception as error:  # one row that trips over a defect must not end the others
        raise SymbedError(f"a defect of symbed: {type(error).__name__}: {error}") from error


@lru_cache(maxsize=32)
def _judge(problem: str, seconds: float) -> FormulaJudge:
    # Asked for by its text, since dictionaries have no hash.
    given = json.loads(problem)
    domain = {
        name: read_law(law) if isinstance(law, str) else tuple(law)
        for name, law in given["domain"].items()
    }
    truth = read_truth(decoded_expression(given["truth"]), domain, values=given["values"])
    return FormulaJudge(truth, seconds)


if __name__ == "__main__":
    sys.exit(serve(answer_request))

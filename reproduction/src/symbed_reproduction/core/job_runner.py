"""Runs the units of an experiment that are missing, in processes, and writes its outcome.

Each unit is kept as soon as it is finished, so a run that was killed goes on from there. Tables do
not depend on the number of workers, nor on how often the run was interrupted. Processes end with
the one that started them, also when that one is killed, and at once when it is interrupted.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import BrokenExecutor, Executor, Future, ProcessPoolExecutor, as_completed
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any, TypeVar

from symbed.errors import RangeError, WorkerError
from symbed.parallel import count_threads, open_executor, run_blocks
from symbed.progress import Progress, Shown
from symbed_reproduction.core.experiments import Finished, Scale, Unit, compute, find
from symbed_reproduction.core.journal import Journal, hold
from symbed_reproduction.core.outcomes import Outcome, write_outcome


def reproduce(
    name: str,
    out: str | Path,
    *,
    scale: Scale = "small",
    expressions: str | Path | None = None,
    workers: int | None = None,
    executor: Executor | None = None,
    progress: Shown = None,
) -> Outcome:
    """Run one experiment of the paper and write its tables.

    Parameters
    ----------
    name : str
        A row of ``EXPERIMENTS``.
    out : str or Path
        Folder of the results; the experiment gets a folder of its own in it. Units that are
        finished there are not computed again.
    scale : {"small", "paper"}
        ``"small"`` takes a minute or two, ``"paper"`` is the paper's own size.
    expressions : str or Path, optional
        Folder with ``expressions_N.txt``, one expression of N variables per line, for the
        experiment ``consistency``: the sets that the published heatmaps are of.
    workers : int, optional
        Number of processes, all cores by default; 1 works in this process.
    executor : Executor, optional
        Anything with the interface of ``concurrent.futures`` instead, or a Dask client.
    progress : bool or callable
        See ``symbed.progress.Progress``; a callable is given the number of finished units.
    """
    experiment = find(name)
    units = experiment.plan(scale, expressions)
    if len({unit.name for unit in units}) < len(units):
        raise RangeError(f"two units of the experiment {name!r} have one name")
    folder = Path(out) / name
    with hold(folder):
        by_unit: dict[str, Finished] = {}
        with Progress(name, len(units), progress) as bar:
            journal = Journal(folder / "units" / scale)
            for unit, finished in _finish(units, journal, workers, executor):
                by_unit[unit.name] = finished
                bar.advance()
        # They came in the order in which they were finished, which must not show in the outcome.
        by_unit = {unit.name: by_unit[unit.name] for unit in units}
        began = time.perf_counter()
        outcome = experiment.conclude(scale, {name: by_unit[name].arrays for name in by_unit})
        seconds = time.perf_counter() - began
        costs = {name: by_unit[name].cost for name in by_unit}
        command = experiment.command(scale, expressions is not None)
        write_outcome(folder, experiment, scale, outcome, costs, seconds, command)
    return outcome


def _finish(
    units: Sequence[Unit], journal: Journal, workers: int | None, executor: Executor | None
) -> Iterator[tuple[Unit, Finished]]:
    """Each unit with what it gave: first those that the journal has, then the missing ones."""
    missing = []
    for unit in units:
        finished = journal.get(unit)
        if finished is None:
            missing.append(unit)
        else:
            yield unit, finished
    if executor is not None:
        with open_executor(workers, executor) as elsewhere:
            yield from _finish_elsewhere(missing, journal, elsewhere)
    elif count_threads(workers) > 1 and len(missing) > 1:
        n_workers = min(count_threads(workers), len(missing))
        blocks = [(unit, journal) for unit in missing]
        yield from run_anywhere(n_workers, _compute_and_keep, blocks)
    else:
        for unit in missing:
            yield _compute_and_keep(unit, journal)


def _finish_elsewhere(
    missing: Sequence[Unit], journal: Journal, executor: Executor
) -> Iterator[tuple[Unit, Finished]]:
    """By an executor whose workers may not see our disk: what they find is kept here."""
    computed = run_blocks(executor, compute, [(unit,) for unit in missing])
    for unit, finished in zip(missing, computed, strict=True):
        journal.put(unit, finished)
        yield unit, finished


def _compute_and_keep(unit: Unit, journal: Journal) -> tuple[Unit, Finished]:
    finished = compute(unit)
    journal.put(unit, finished)
    return unit, finished


Result = TypeVar("Result")


def run_anywhere(
    n_workers: int, function: Callable[..., Result], blocks: Iterable[tuple[Any, ...]]
) -> Iterator[Result]:
    """``function(*block)`` for each block, by so many processes; whatever is finished comes first.

    The function is one of a module, so that another process can find it.
    """
    context = multiprocessing.get_context("spawn")  # a fork could copy a lock that is held
    told, teller = context.Pipe(duplex=False)
    pool = _Pool(n_workers, context, initializer=_listen, initargs=(told,))
    try:
        futures = [pool.submit(function, *block) for block in blocks]
        for future in as_completed(futures):
            yield future.result()
    except BrokenExecutor as error:
        raise WorkerError(
            "a process was lost, perhaps for lack of memory; finished units are kept, call again "
            "to go on, with fewer workers if memory is short"
        ) from error
    except BaseException:
        teller.close()  # no waiting for units that are under way
        raise
    finally:
        pool.shutdown(cancel_futures=True)
        teller.close()
        told.close()


class _Pool(ProcessPoolExecutor):
    """Processes that are deaf to Ctrl-C: the one that started them decides when they end."""

    def submit(self, function: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        if not hasattr(signal, "pthread_sigmask"):  # not a POSIX system
            return super().submit(function, *args, **kwargs)
        # Processes are started in here, and inherit which signals are blocked.
        before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
        try:
            return super().submit(function, *args, **kwargs)
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _listen(told: Connection) -> None:
    """End this process when the other end of the pipe is closed, be it by a kill."""

    def listen() -> None:
        try:
            told.recv_bytes()
        finally:
            os._exit(1)

    threading.Thread(target=listen, daemon=True).start()

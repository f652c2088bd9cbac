"""Running: an experiment goes in; its missing units are computed, and its outcome comes out.

Each unit is kept as soon as it is finished, so a run that was killed goes on from there. Tables do
not depend on the number of workers, nor on how often the run was interrupted.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from concurrent.futures import Executor
from pathlib import Path

from symbed.errors import RangeError
from symbed.parallel import count_threads, open_executor, run_blocks
from symbed.progress import Progress, Shown
from symbed_reproduction.core.journal import Journal, hold
from symbed_reproduction.core.outcomes import Outcome
from symbed_reproduction.core.processes import run_anywhere
from symbed_reproduction.core.registry import find
from symbed_reproduction.core.reports import write_outcome
from symbed_reproduction.core.units import Finished, Scale, Unit, compute


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
    name : a row of ``EXPERIMENTS``.
    out : folder of the results; the experiment gets a folder of its own in it. Units that are
        finished there are not computed again.
    scale : ``"small"`` takes a minute or two, ``"paper"`` is the paper's own size.
    expressions : folder with ``expressions_N.txt``, one expression of N variables per line, for the
        experiment ``consistency``: the sets that the published heatmaps are of.
    workers : number of processes, all cores by default; 1 works in this process.
    executor : anything with the interface of ``concurrent.futures`` instead, or a Dask client.
    progress : see ``symbed.progress.Progress``; a callable is given the number of finished units.
    """
    experiment = find(name)
    units = experiment.plan(scale, expressions)
    if len({unit.name for unit in units}) < len(units):
        raise RangeError(f"two units of the experiment {name!r} have one name")
    folder = Path(out) / name
    with hold(folder):
        found: dict[str, Finished] = {}
        with Progress(name, len(units), progress) as bar:
            journal = Journal(folder / "units" / scale)
            for unit, finished in _finish(units, journal, workers, executor):
                found[unit.name] = finished
                bar.advance()
        # They came in the order in which they were finished, which must not show in the outcome.
        found = {unit.name: found[unit.name] for unit in units}
        began = time.perf_counter()
        outcome = experiment.conclude(scale, {name: found[name].arrays for name in found})
        seconds = time.perf_counter() - began
        costs = {name: found[name].cost for name in found}
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
    found = run_blocks(executor, compute, [(unit,) for unit in missing])
    for unit, finished in zip(missing, found, strict=True):
        journal.put(unit, finished)
        yield unit, finished


def _compute_and_keep(unit: Unit, journal: Journal) -> tuple[Unit, Finished]:
    finished = compute(unit)
    journal.put(unit, finished)
    return unit, finished

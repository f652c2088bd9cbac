"""Fitting many expressions at once: each distinct program once, on several threads.

A program's result depends on the program and the data alone, so it does not matter how programs are
cut into blocks, nor which thread does a block.
"""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from symbed._types import Integers
from symbed.engine.backend import active_backend
from symbed.engine.catalog import ProgramReader
from symbed.engine.packed_programs import PackedPrograms
from symbed.engine.program import Program
from symbed.engine.structures.fits import FitResults, FitTask
from symbed.errors import DataError, SymbedError
from symbed.limits import FITTED
from symbed.workbench.fitting.binding import FitRoles, Source
from symbed.workbench.fitting.bounds import Bounds
from symbed.workbench.fitting.data import FitData
from symbed.workbench.fitting.results import Fits, Unfitted

Errors = Literal["raise", "skip"]
Numbered = tuple[int, Source]  # a source and the line it came from

BLOCK = 32  # programs fitted in one call: some milliseconds


class Fitter:
    """Fits programs to one data set.

    Parameters
    ----------
    data : FitData
        What to fit to.
    bounds : Bounds
        The ranges of parameters.
    starts : (n_ranges, n_starts, n_slots) ndarray
        Where descents may start; slots for every program.
    n_descents : int
        How many of the starts, the best ones, are gone down from.
    max_iterations : int
        Steps tried in one descent.
    """

    def __init__(
        self,
        data: FitData,
        bounds: Bounds,
        starts: NDArray[np.float64],
        n_descents: int,
        max_iterations: int,
    ) -> None:
        self._data, self._starts = data, starts
        self._n_descents, self._max_iterations = n_descents, max_iterations
        self._bounds, self._target, self._floor = bounds.table(), data.target, data.floor

    def fit(self, programs: Sequence[Program]) -> FitResults:
        """Fit each of the programs."""
        counts = [program.n_parameters for program in programs]
        packed = PackedPrograms.of(programs)
        task = FitTask(
            packed.words, packed.starts,
            self._data.inputs, self._target, self._data.scale, self._floor,
            self._bounds, self._starts[:, :, : max(counts)], self._n_descents,
            self._max_iterations, cuts(counts),
        )  # fmt: skip
        results = FitResults.empty(task.places)
        active_backend().fit(task, results)
        return results


def require_rows(program: Program, data: FitData, source: object) -> None:
    """An error if there are fewer rows than parameters: any values would do for some of them."""
    if program.n_parameters > data.n_points:
        raise DataError(
            f"{str(source)!r} has {program.n_parameters} free parameters, but the data have only "
            f"{data.n_points} rows; a fit needs at least as many rows as parameters"
        )


class Batch:
    """Gathers sources; distinct programs go to the pool in blocks."""

    def __init__(
        self,
        fitter: Fitter,
        data: FitData,
        roles: FitRoles,
        pool: ThreadPoolExecutor,
        errors: Errors,
    ) -> None:
        self._fitter, self._data, self._roles = fitter, data, roles
        self._pool, self._errors = pool, errors
        self._reader = ProgramReader(roles)
        self._sources: list[Source] = []
        self._rows: list[int] = []
        self._skipped: list[Unfitted] = []
        self._known: dict[bytes, int] = {}
        self._counts: list[int] = []
        self._waiting: list[Program] = []
        self._running: list[Future[FitResults]] = []

    def add(self, chunk: Sequence[Numbered]) -> None:
        """Read some sources, and begin to fit what is new among them."""
        texts = [source if isinstance(source, str) else "" for _, source in chunk]
        for (line, source), program in zip(chunk, self._reader.programs(texts), strict=True):
            try:
                self._rows.append(self._row(source, program))
            except SymbedError as error:
                if self._errors == "raise":
                    error.line = line
                    error.add_note(f"in line {line}: {str(source)[:80]}")
                    raise
                self._rows.append(-1)
                self._skipped.append(Unfitted(line, str(source), str(error).split("\n")[0]))
            self._sources.append(source)

    def finish(self) -> Fits:
        """Wait for what is being fitted."""
        self._submit()
        parts = [future.result() for future in self._running]
        found = FitResults(
            np.concatenate([np.empty(0), *(part.values for part in parts)]),
            np.concatenate([np.empty((0, 2)), *(part.errors for part in parts)]),
            np.concatenate([np.empty((0, 2), np.int32), *(part.counts for part in parts)]),
        )
        rows, places = np.array(self._rows, np.int64), cuts(self._counts)
        return Fits(self._sources, rows, found, places, self._data, self._roles, self._skipped)

    def _row(self, source: Source, program: Program | None) -> int:
        """The row of a source's program among the results; a new one is queued."""
        if program is None or program.n_parameters > FITTED.maximum:
            program = self._roles.compile(self._roles.read(source))
        row = self._known.get(program.words)
        if row is None:
            require_rows(program, self._data, source)
            row = self._known[program.words] = len(self._counts)
            self._counts.append(program.n_parameters)
            self._waiting.append(program)
            if len(self._waiting) == BLOCK:
                self._submit()
        return row

    def _submit(self) -> None:
        if self._waiting:
            self._running.append(self._pool.submit(self._fitter.fit, self._waiting))
            self._waiting = []


def cuts(lengths: Sequence[int]) -> Integers:
    """Where pieces of these lengths begin when they are put behind each other, and the end."""
    return np.concatenate([[0], np.cumsum(np.asarray(lengths, np.int64))]).astype(np.int64)

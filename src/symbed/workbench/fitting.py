"""Fitting the free parameters of expressions to data by least squares.

Levenberg and Marquardt's method from several starts, with exact derivatives, on the engine in use.
The numbers do not depend on the engine, on the number of workers, nor on what else is in a batch.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence, Sized
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from itertools import chain
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from symbed._types import Floats, Integers, Seed
from symbed.engine.backend import active_backend
from symbed.engine.catalog import ProgramReader
from symbed.engine.packed_programs import PackedPrograms
from symbed.engine.program import Program
from symbed.engine.structures.requests import FitResults, FitTask
from symbed.errors import DataError, RangeError, SymbedError
from symbed.language.expression import Expression
from symbed.language.parser import parse
from symbed.limits import FITTED
from symbed.parallel import count_threads
from symbed.progress import Progress, Shown
from symbed.sampling.validation import checked_count, checked_seed, checked_whole
from symbed.workbench.evaluation import Source
from symbed.workbench.fit_problem import Bound, Bounds, FitData, FitRoles
from symbed.workbench.fit_results import Fit, Fits, Unfitted

Errors = Literal["raise", "skip"]
Numbered = tuple[int, Source]  # a source and the line it came from

BLOCK = 32  # programs fitted in one call: some milliseconds
CHUNK = 1024  # sources read at once
SCREENED = 16  # random places measured for each descent: better than twice the descents, cheaper


def fit(
    expression: Source,
    X: Any,
    y: Any,
    *,
    variables: Sequence[str] | None = None,
    bounds: Bound | Mapping[str, Bound] | None = None,
    n_starts: int = 8,
    starts: ArrayLike | None = None,
    seed: Seed = 0,
    max_iterations: int = 100,
) -> Fit:
    """Fit the free parameters of one expression to data.

    Parameters
    ----------
    expression : str, sequence of str or Expression
        Text, a token list or an Expression. A named parameter is one parameter wherever it occurs,
        an anonymous ``C`` is a new one each time.
    X : (n, d) array_like, mapping, data frame or path
        The inputs: an array, a mapping from names to columns, a data frame or a data file.
    y : (n,) array_like or str
        The target, or the name of its column in X.
    variables : sequence of str, optional
        Names of the columns of a bare array; by default ``X_0``, ``X_1`` ..., and for one column
        the variable of the expression. Every other name is a parameter.
    bounds : (float, float) or mapping from str to (float, float), optional
        Low and high for all parameters, or a mapping from some of them; ends may be infinite.
    n_starts : int
        From how many places to go down; more find better minima of curved expressions. They are the
        best of 16 times as many random places. An affine expression needs but one.
    starts : array_like, optional
        Where to go down from instead: (p,) or (k, p) values in order of appearance.
    seed : int or numpy Generator
        Seed of the random places.
    max_iterations : int
        Steps tried from one start.

    Returns
    -------
    Fit
        Never worse than its starts. A start with an output that is not finite has an infinite
        error, and a step to such outputs is not taken; if no start has finite outputs, the errors
        are inf and the values those of the first start.

    Examples
    --------
    >>> line = fit("C*x + C", [1.0, 2.0, 3.0, 4.0], [1.0, 3.0, 5.0, 7.0])
    >>> {name: round(value, 6) for name, value in line.values.items()}
    {'C[0]': 2.0, 'C[1]': -1.0}
    >>> line.r2
    1.0
    """
    data = FitData.of(X, y, variables, _used_variables([(1, expression)]))
    limits = Bounds(bounds)
    roles = FitRoles(data.variables, limits)
    read = roles.read(expression)
    program = roles.compile(read)
    parameters = roles.parameters(read)
    if unknown := [name for name in limits.names if name not in parameters]:
        known = ", ".join(dict.fromkeys(parameters)) or "no parameters"
        raise RangeError(f"bounds name {unknown[0]!r}, but {str(read)!r} has {known}")
    _require_rows(program, data, read)
    n_starts = checked_count("n_starts", n_starts)
    if starts is None:
        initial = limits.starts(SCREENED * n_starts, program.n_parameters, checked_seed(seed))
    else:
        initial = _starts_by_slot(starts, roles.slots(read), limits, read)
        n_starts = initial.shape[1]
    fitter = Fitter(data, limits, initial, n_starts, _iterations(max_iterations))
    results, places = fitter.fit([program]), cuts([program.n_parameters])
    return Fits([read], np.zeros(1, np.int64), results, places, data, roles, [])[0]


def fit_many(
    expressions: Iterable[Source],
    X: Any,
    y: Any,
    *,
    variables: Sequence[str] | None = None,
    bounds: Bound | Mapping[str, Bound] | None = None,
    n_starts: int = 8,
    seed: Seed = 0,
    max_iterations: int = 100,
    workers: int | None = None,
    errors: Errors = "raise",
    progress: Shown = None,
) -> Fits:
    """Fit the free parameters of many expressions to one data set.

    Parameters
    ----------
    expressions : iterable of expressions
        Any iterable; an open file works. Blank lines and lines that start with ``#`` are passed
        over. What is equal up to commutativity is fitted once.
    X, y, variables, bounds, n_starts, seed, max_iterations : as in ``fit``
        The data and the options. One bare column is the variable of the expressions, looked for
        among the first thousand.
    workers : int, optional
        Number of threads; all cores by default. The numbers do not depend on it.
    errors : {"raise", "skip"}
        ``"raise"`` stops at the first expression that cannot be fitted; the exception carries its
        ``line`` number. ``"skip"`` goes on, gives it infinite errors and lists it in
        ``Fits.skipped``.
    progress : bool or callable, optional
        None shows a bar in terminals and notebooks, True always, False never; a callable is called
        with the number of expressions read so far.

    Examples
    --------
    >>> fits = fit_many(["C*x", "C*x + C", "C + x*C", "sin(x)"], [1.0, 2.0, 3.0], [2.0, 4.0, 6.5])
    >>> fits
    Fits(4 expressions, 3 distinct, best rmse 0.1179)
    >>> fits.rmse.round(3).tolist()
    [0.173, 0.118, 0.118, 4.136]
    """
    if errors not in ("raise", "skip"):
        raise RangeError(f"errors must be 'raise' or 'skip', got {errors!r}")
    chunks = _chunks(expressions)
    first = next(chunks, None)
    if first is None:
        raise DataError("there is nothing to fit: no expression was given")
    data = FitData.of(X, y, variables, _used_variables(first))
    limits = Bounds(bounds)
    roles = FitRoles(data.variables, limits)
    n_starts = checked_count("n_starts", n_starts)
    # One table for all programs, as wide as any may be: its first columns are what ``fit`` makes
    # for fewer slots, so an expression starts alike alone and in company.
    starts = limits.starts(SCREENED * n_starts, FITTED.maximum, checked_seed(seed))
    fitter = Fitter(data, limits, starts, n_starts, _iterations(max_iterations))
    pool = ThreadPoolExecutor(count_threads(workers))
    total = len(expressions) if isinstance(expressions, Sized) else None
    try:
        batch = Batch(fitter, roles, pool, errors)
        with Progress("fitted", total, progress) as bar:
            for chunk in chain([first], chunks):
                batch.add(chunk)
                bar.advance(len(chunk))
            return batch.finish()
    finally:
        # After an error or Ctrl+C nobody wants what is still queued.
        pool.shutdown(cancel_futures=True)


@dataclass(frozen=True)
class Fitter:
    """Fits programs to one data set."""

    data: FitData
    bounds: Bounds
    starts: Floats  # (n_ranges, n_starts, n_slots): where descents may start
    n_descents: int  # from so many of the starts, the best ones
    max_iterations: int  # steps tried in one descent

    def fit(self, programs: Sequence[Program]) -> FitResults:
        """Fit each of the programs."""
        counts = [program.n_parameters for program in programs]
        packed, data = PackedPrograms.of(programs), self.data
        task = FitTask(
            packed.words, packed.starts, data.inputs, data.target, data.scale, data.floor,
            self.bounds.table(), self.starts[:, :, : max(counts)], self.n_descents,
            self.max_iterations, cuts(counts),
        )  # fmt: skip
        results = FitResults.empty(task.places)
        active_backend().fit(task, results)
        return results


class Batch:
    """Gathers sources; distinct programs go to the pool in blocks.

    A program's result depends on the program and the data alone, so it does not matter how programs
    are cut into blocks, nor which thread does a block.
    """

    def __init__(
        self, fitter: Fitter, roles: FitRoles, pool: ThreadPoolExecutor, errors: Errors
    ) -> None:
        self._fitter, self._roles, self._pool, self._errors = fitter, roles, pool, errors
        self._reader = ProgramReader(roles)
        self._sources: list[Source] = []
        self._rows: list[int] = []
        self._skipped: list[Unfitted] = []
        self._known: dict[bytes, int] = {}  # the row of each distinct program
        self._counts: list[int] = []  # parameters of each row's program
        self._waiting: list[Program] = []  # fewer than a block
        self._running: list[Future[FitResults]] = []

    def add(self, chunk: Sequence[Numbered]) -> None:
        """Read some sources, and begin to fit what is new among them."""
        # Plain text is read by the core, a chunk at once. A blank line has no program there, so
        # token lists and Expressions go to the parser, as does text that the core does not know.
        texts = [source if isinstance(source, str) else "" for _, source in chunk]
        for (line, source), program in zip(chunk, self._reader.programs(texts), strict=True):
            try:
                self._rows.append(self._row(source, program))
            except SymbedError as error:
                if self._errors == "raise":
                    error.line = line
                    error.add_note(f"in line {line}: {str(source)[:80]}")
                    raise
                # -1 takes the row of infinities that ``Fits`` puts behind the results.
                self._rows.append(-1)
                self._skipped.append(Unfitted(line, str(source), str(error).split("\n")[0]))
            self._sources.append(source)

    def finish(self) -> Fits:
        """Wait for what is being fitted."""
        if self._waiting:
            self._submit()
        # The empty one keeps the shapes where every source was skipped.
        blocks = [FitResults.empty(cuts([])), *(future.result() for future in self._running)]
        results = FitResults(
            np.concatenate([block.values for block in blocks]),
            np.concatenate([block.errors for block in blocks]),
            np.concatenate([block.counts for block in blocks]),
        )
        rows = np.array(self._rows, np.int64)
        data, places = self._fitter.data, cuts(self._counts)
        return Fits(self._sources, rows, results, places, data, self._roles, self._skipped)

    def _row(self, source: Source, program: Program | None) -> int:
        """The row of a source's program among the results; a new one is queued."""
        # With too many parameters it is compiled again, which raises the error of the limit.
        if program is None or program.n_parameters > FITTED.maximum:
            program = self._roles.compile(self._roles.read(source))
        # Words are equal for what is equal up to commutativity and names of parameters.
        row = self._known.get(program.words)
        if row is None:
            _require_rows(program, self._fitter.data, source)
            row = self._known[program.words] = len(self._counts)
            self._counts.append(program.n_parameters)
            self._waiting.append(program)
            if len(self._waiting) == BLOCK:
                self._submit()
        return row

    def _submit(self) -> None:
        """Begin to fit the programs that wait, which nobody keeps after that."""
        self._running.append(self._pool.submit(self._fitter.fit, self._waiting))
        self._waiting = []


def _require_rows(program: Program, data: FitData, source: object) -> None:
    """An error if there are fewer rows than parameters: any values would do for some of them."""
    if program.n_parameters > data.n_points:
        raise DataError(
            f"{str(source)!r} has {program.n_parameters} free parameters, but the data have only "
            f"{data.n_points} rows; a fit needs at least as many rows as parameters"
        )


def _chunks(sources: Iterable[Source]) -> Iterator[list[Numbered]]:
    """Numbered sources by the thousand, without blank lines and remarks."""
    chunk: list[Numbered] = []
    for line, source in enumerate(sources, start=1):
        if isinstance(source, str):
            source = source.strip()
            if not source or source.startswith("#"):
                continue
        chunk.append((line, source))
        if len(chunk) == CHUNK:
            yield chunk
            chunk = []
    if chunk:
        yield chunk


def _used_variables(sources: Sequence[Numbered]) -> Iterator[str]:
    """The names that sources take for variables by convention; what cannot be read has none."""
    for _, source in sources:
        try:
            yield from (source if isinstance(source, Expression) else parse(source)).variables
        except SymbedError:
            continue


def _starts_by_slot(
    starts: ArrayLike, slots: Sequence[int], bounds: Bounds, source: Expression
) -> Floats:
    """Starts in order of appearance as the engines want them."""
    by_name = np.atleast_2d(np.array(starts, np.float64))
    if by_name.ndim != 2 or by_name.shape[1] != len(slots) or not len(by_name):
        raise RangeError(
            f"starts must have a value for each of the {len(slots)} parameters of "
            f"{str(source)!r}, got shape {np.shape(starts)}"
        )
    if not np.isfinite(by_name).all():
        raise RangeError(f"starts must be finite, got {starts!r}")
    by_slot = np.empty_like(by_name)
    # The compiler reorders operands, so slots are not in the order of the text.
    by_slot[:, list(slots)] = by_name
    # A start outside of a bound begins at it.
    return np.stack([np.clip(by_slot, low, high) for low, high in bounds.ranges])


def _iterations(max_iterations: int) -> int:
    n = checked_whole("max_iterations", max_iterations)
    if n < 0:
        raise RangeError(f"max_iterations must not be negative, got {n}")
    return n


def cuts(lengths: Sequence[int]) -> Integers:
    """Where pieces of these lengths begin when they are put behind each other, and the end."""
    return np.concatenate([[0], np.cumsum(np.asarray(lengths, np.int64))]).astype(np.int64)

"""Fitting the free parameters of expressions to data by least squares.

Levenberg and Marquardt's method from several starts, with exact derivatives, on the engine in use.
The numbers do not depend on the engine, on the number of workers, nor on what else is in a batch.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from symbed._types import Floats, Seed
from symbed.errors import DataError, RangeError, SymbedError
from symbed.language.expression import Expression
from symbed.language.parser import parse
from symbed.limits import FITTED
from symbed.parallel import count_threads
from symbed.sampling.validation import checked_count, checked_seed, checked_whole
from symbed.workbench.fitting.batch import Batch, Errors, Fitter, Numbered, cuts, require_rows
from symbed.workbench.fitting.binding import FitRoles, Source
from symbed.workbench.fitting.bounds import Bound, Bounds
from symbed.workbench.fitting.data import FitData
from symbed.workbench.fitting.results import Fit, Fits

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
    >>> found = fit("C*x + C", [1.0, 2.0, 3.0, 4.0], [1.0, 3.0, 5.0, 7.0])
    >>> {name: round(value, 6) for name, value in found.values.items()}
    {'C[0]': 2.0, 'C[1]': -1.0}
    >>> found.r2
    1.0
    """
    data = FitData.of(X, y, variables, _used_variables([(1, expression)]))
    limits = Bounds(bounds)
    roles = FitRoles(data.variables, limits)
    read = roles.read(expression)
    program = roles.compile(read)
    _require_known(limits, roles.parameters(read), read)
    require_rows(program, data, read)
    n_starts = checked_count("n_starts", n_starts)
    if starts is None:
        initial = limits.starts(SCREENED * n_starts, program.n_parameters, checked_seed(seed))
    else:
        initial = _given_starts(starts, roles.slots(read), limits, read)
        n_starts = initial.shape[1]
    fitter = Fitter(data, limits, initial, n_starts, _turns(max_iterations))
    found, places = fitter.fit([program]), cuts([program.n_parameters])
    return Fits([read], np.zeros(1, np.int64), found, places, data, roles, [])[0]


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
    progress: Callable[[int], None] | None = None,
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
    progress : callable, optional
        Called with the number of expressions read so far, every thousand.

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
    starts = limits.starts(SCREENED * n_starts, FITTED.maximum, checked_seed(seed))
    fitter = Fitter(data, limits, starts, n_starts, _turns(max_iterations))
    pool = ThreadPoolExecutor(count_threads(workers))
    try:
        batch = Batch(fitter, data, roles, pool, errors)
        for chunk in chain([first], chunks):
            batch.add(chunk)
            if progress:
                progress(chunk[-1][0])
        return batch.finish()
    finally:
        pool.shutdown(cancel_futures=True)


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


def _require_known(bounds: Bounds, parameters: Sequence[str], source: Expression) -> None:
    unknown = [name for name in bounds.names if name not in parameters]
    if unknown:
        known = ", ".join(dict.fromkeys(parameters)) or "no parameters"
        raise RangeError(f"bounds name {unknown[0]!r}, but {str(source)!r} has {known}")


def _given_starts(
    starts: ArrayLike, slots: Sequence[int], bounds: Bounds, source: Expression
) -> Floats:
    """Starts in order of appearance as the engines want them, by slot."""
    given = np.atleast_2d(np.array(starts, np.float64))
    if given.ndim != 2 or given.shape[1] != len(slots) or not len(given):
        raise RangeError(
            f"starts must have a value for each of the {len(slots)} parameters of "
            f"{str(source)!r}, got shape {np.shape(starts)}"
        )
    if not np.isfinite(given).all():
        raise RangeError(f"starts must be finite, got {starts!r}")
    by_slot = np.empty_like(given)
    by_slot[:, list(slots)] = given
    # A start outside of a bound begins at it.
    return np.stack([np.clip(by_slot, low, high) for low, high in bounds.ranges])


def _turns(max_iterations: int) -> int:
    turns = checked_whole("max_iterations", max_iterations)
    if turns < 0:
        raise RangeError(f"max_iterations must not be negative, got {turns}")
    return turns

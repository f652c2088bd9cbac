"""Checks of what users give: names, counts, points, domains and parameter ranges."""

from __future__ import annotations

import math
import operator
import sys
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from symbed._types import Floats, Seed
from symbed.errors import DataError, MissingRange, RangeError
from symbed.language.expression import ANONYMOUS
from symbed.language.operators import BY_NAME, is_reserved
from symbed.limits import NAME, VARIABLES
from symbed.sampling.ranges import Law, Range

SEED_BOUND = 1 << 53  # seeds from a Generator lie below: JSON and every language have them exactly


def checked_names(variables: str | Sequence[str]) -> tuple[str, ...]:
    """The names of a probe's variables, each once and none of them taken."""
    names = (variables,) if isinstance(variables, str) else tuple(variables)
    if not names:
        raise MissingRange("no variables; name at least one, like ['x']")
    VARIABLES.check(len(names))
    for place, name in enumerate(names):
        checked_name(name, "variable")
        if name in names[:place]:
            raise RangeError(f"variable {name!r} is named twice")
    return names


def checked_name(name: object, role: str) -> str:
    """A name that the language leaves free for variables and parameters."""
    if not isinstance(name, str) or not name.isidentifier():
        raise RangeError(f"{role} {name!r} is no name; use letters, digits and _, like x_1")
    NAME.check(len(name))
    if name == ANONYMOUS:
        raise RangeError(f"{role} {name!r} is taken: it stands for a fresh parameter each time")
    if is_reserved(name):
        kind = "constant" if BY_NAME[name].arity == 0 else "function"
        raise RangeError(f"{role} {name!r} is taken by the {kind} of that name; rename it")
    return name


def checked_points(points: ArrayLike | Mapping[str, ArrayLike], names: Sequence[str]) -> Floats:
    """Points of a data set as a read-only (n, d) table of finite numbers."""
    table = _table(_by_name(points, names))
    if table.ndim == 1 and len(names) == 1:
        table = table[:, None]
    if table.ndim != 2 or table.shape[1] != len(names):
        shape = f"{table.shape[1]} columns" if table.ndim == 2 else f"shape {table.shape}"
        count = "1 variable was" if len(names) == 1 else f"{len(names)} variables were"
        raise DataError(f"points have {shape}, but {count} named ({', '.join(names)})")
    if not len(table):
        raise DataError("points have no rows; give at least one")
    undefined = np.argwhere(~np.isfinite(table))
    if len(undefined):
        row, column = undefined[0]
        value = table[row, column]
        raise DataError(f"points hold {value} in row {row}, column {names[column]!r}; drop it")
    # A copy (see _table) that nobody changes: the points are part of the probe's fingerprint.
    table.setflags(write=False)
    return table


def column_names(points: object) -> tuple[str, ...] | None:
    """The names of the columns of a pandas or polars table or of a mapping; None of an array."""
    columns = points.keys() if isinstance(points, Mapping) else getattr(points, "columns", None)
    if columns is None or isinstance(points, np.ndarray):
        return None
    names = tuple(columns)
    return names if names and all(isinstance(name, str) for name in names) else None


def _by_name(points: Any, names: Sequence[str]) -> Any:
    """The columns with these names where the table has names, whatever their order."""
    columns = column_names(points)
    if columns is None:
        return points
    for name in names:
        # Tables of pandas may have a name twice, and points[name] is then a table.
        if columns.count(name) != 1:
            problem = "is no column" if name not in columns else "is the name of two columns"
            raise DataError(f"{name!r} {problem} of the points, which have {', '.join(columns)}")
    return np.column_stack([_table(points[name]) for name in names])


def _table(points: ArrayLike) -> Floats:
    if _is_masked(points):
        raise DataError(
            "points are a masked array, and what its mask hides would be used; "
            "give points.compressed() or the rows that are complete"
        )
    try:
        given = np.asarray(points)
        # The cast below would also read texts, count truth values and drop imaginary parts.
        if given.dtype.kind not in "iufO":
            raise TypeError(f"values of type {given.dtype}")
        return np.array(given, dtype=np.float64, order="C")
    except (TypeError, ValueError, OverflowError) as error:
        raise DataError(f"points must be a table of real numbers ({error})") from error


def _is_masked(points: object) -> bool:
    # Slow to import, and who has not imported it has no masked array; nor has anybody while another
    # thread is in the midst of importing it.
    masked_array = getattr(sys.modules.get("numpy.ma"), "MaskedArray", None)
    return masked_array is not None and isinstance(points, masked_array)


def checked_count(name: str, value: object) -> int:
    """A whole number of at least 1."""
    count = checked_whole(name, value)
    if count < 1:
        raise RangeError(f"{name} must be at least 1, got {count}")
    return count


def checked_whole(name: str, value: Any) -> int:
    """A whole number; NumPy's integers are welcome, truth values are not."""
    try:
        if not isinstance(value, bool):
            return operator.index(value)
    except TypeError:
        pass
    raise RangeError(f"{name} must be a whole number, got {value!r}")


def checked_seed(seed: Seed) -> int:
    """A seed as the whole number that a value carries.

    A Generator of NumPy gives its next number, once: whatever is made of the seed stays the same,
    and the next seed from that Generator is another one.
    """
    # Integers first: NumPy imports np.random only when somebody names it.
    if not isinstance(seed, (int, np.integer)) and isinstance(seed, np.random.Generator):
        return int(seed.integers(SEED_BOUND))
    try:
        return checked_whole("seed", seed)
    except RangeError as error:
        raise RangeError(f"{error}; a NumPy Generator would do, too") from None


def checked_limit(limit: Any) -> float:
    """The magnitude beyond which outputs count as undefined."""
    try:
        number = float(limit)
    except (TypeError, ValueError):
        number = math.nan
    # Asked this way round, NaN is refused, too.
    if not number > 0:
        raise RangeError(f"limit must be a positive number or inf, got {limit!r}")
    return number


def checked_domain(
    domain: Mapping[str, Range | None], data: Floats | None
) -> Mapping[str, Law | None]:
    """The law of each variable; None where the points are given."""
    if not isinstance(domain, Mapping):
        raise RangeError(f"domain must map names to ranges, like {{'x': (1, 5)}}, got {domain!r}")
    if not domain:
        raise MissingRange("the domain is empty; give domain={'x': (low, high)}")
    names = checked_names(tuple(domain))
    if data is not None:
        return MappingProxyType(dict.fromkeys(names))
    laws = {name: Law.of(domain[name], f"domain of {name!r}") for name in names}
    return MappingProxyType(laws)


def checked_parameters(
    parameters: Range | Mapping[str, Range] | None, domain: Mapping[str, Any]
) -> Law | Mapping[str, Law] | None:
    """One law for all parameters, or one for each name."""
    if parameters is None:
        return None
    if not isinstance(parameters, Mapping):
        return Law.of(parameters, "range of parameters")
    for name in parameters:
        if name != ANONYMOUS:
            checked_name(name, "parameter")
        if name in domain:
            raise RangeError(f"{name!r} is a variable of the domain and cannot be a parameter too")
    laws = {n: Law.of(r, f"range of parameter {n!r}") for n, r in parameters.items()}
    return MappingProxyType(laws)


def missing_range(names: Sequence[str], label: str, remedy: str, option: str) -> MissingRange:
    """The error for parameters without a range, in the words of Python and of the command line."""
    shown = ", ".join(dict.fromkeys(names))
    plural = "s" if len(names) > 1 else ""
    who = f"{label!r} has free parameter{plural} {shown}" if label else f"no range for {shown}"
    error = MissingRange(f"{who}; {remedy}")
    error.in_command = f"{who}; add --parameters {option}"
    return error

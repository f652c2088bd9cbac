"""What is fitted: the data, which names are parameters, and the ranges that these have."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import count
from numbers import Real
from types import MappingProxyType
from typing import Any, ClassVar

import numpy as np

from symbed._types import Floats
from symbed.engine.program import Binding, Program, parameter_slots
from symbed.engine.reference.distances import sum_lanes
from symbed.engine.reference.elementary.functions import FUNCTIONS
from symbed.errors import DataError, RangeError, ShapeError
from symbed.language.expression import ANONYMOUS, Expression
from symbed.language.parser import parse
from symbed.limits import FITTED
from symbed.sampling.counter_rng import uniforms
from symbed.sampling.probe import Probe
from symbed.sampling.validation import checked_names
from symbed.workbench.data_files import Data, read_data
from symbed.workbench.evaluation import Source

Bound = tuple[float, float]

ROUNDING = 2.0**-50  # errors of this share of the target are no errors
FREE: Bound = (-math.inf, math.inf)
MAX_RANGES = 256  # as many as a program's words can tell apart
LN10 = 2.302585092994046
START_KEY = 0xF17  # keeps the numbers of starts apart from other uses of a seed


@dataclass(frozen=True)
class FitData:
    """A data set that expressions are fitted to, in the layout that the engines read."""

    variables: tuple[str, ...]
    inputs: Floats  # (n_variables, n_points)
    y: Floats  # (n_points,), the target
    scale: float  # a power of two that brings the target nearer to 1

    @classmethod
    def of(
        cls, X: Any, y: Any, variables: Sequence[str] | None, used: Iterable[str] = ()
    ) -> FitData:
        """The data of a call, as ``fit`` takes them.

        ``used`` are names that the expressions take for variables; one bare column gets the only
        one of them.
        """
        named = isinstance(y, str)
        if variables is None and not named and np.ndim(X) < 3:
            variables = _only_name(X, used)
        names = checked_names(variables) if variables is not None else None
        data = read_data(X, y if named else None, names=names)
        if names is not None:
            data = _chosen(data, names)
        target = data.y if data.y is not None else _target(y, len(data.X))
        largest = float(np.abs(target).max())
        # Half of the way to 1: then neither squares of errors nor of slopes leave the range.
        scale = 2.0 ** -(math.frexp(largest)[1] // 2)
        return cls(checked_names(data.names), np.ascontiguousarray(data.X.T), target, scale)

    @property
    def n_points(self) -> int:
        """Number of rows."""
        return len(self.y)

    @cached_property
    def target(self) -> Floats:
        """The target as the engines want it."""
        return self.y * self.scale

    @cached_property
    def floor(self) -> float:
        """The sum of squared errors of the scaled target that is not told from zero."""
        return len(self.y) * _mean(self.target * self.target) * ROUNDING**2

    def r2(self, rmse: Floats) -> Floats:
        """The share of the target's variance that predictions with these errors explain.

        A constant target has none: R^2 is 1 for a perfect fit, -inf for any other.
        """
        centered = self.target - _mean(self.target)
        deviation = math.sqrt(_mean(centered * centered))
        noise = ROUNDING * math.sqrt(_mean(self.target * self.target))
        with np.errstate(over="ignore"):
            errors = rmse * self.scale
            # Less spread than rounding makes is no variance: the target counts as constant.
            if deviation > noise:
                return 1.0 - (errors / deviation) ** 2
        return np.where(errors <= noise, 1.0, -np.inf)


def _mean(numbers: Floats) -> float:
    # Sums in one order, so that all machines agree on what is a perfect fit.
    return float(sum_lanes(numbers[None])[0]) / len(numbers)


def _only_name(X: Any, used: Iterable[str]) -> Sequence[str] | None:
    """The one variable that expressions use, for one bare column."""
    # These bring names of their own.
    if hasattr(X, "columns") or hasattr(X, "keys") or isinstance(X, str):
        return None
    shape = np.shape(X)
    if len(shape) != 1 and shape[1:] != (1,):
        return None
    names = list(dict.fromkeys(used))
    return names if len(names) == 1 else None


def _chosen(data: Data, names: Sequence[str]) -> Data:
    """The named columns of a table that has names of its own."""
    missing = [name for name in names if name not in data.names]
    if missing:
        raise DataError(f"there is no column {missing[0]!r}; X has {', '.join(data.names)}")
    return data._replace(X=data.X[:, [data.names.index(n) for n in names]], names=tuple(names))


def _target(y: Any, n_rows: int) -> Floats:
    try:
        target = np.array(y, np.float64)
    except (TypeError, ValueError) as error:
        raise DataError(f"y must be numbers ({error})") from error
    if target.ndim == 2 and target.shape[1] == 1:
        target = target[:, 0]
    if target.shape != (n_rows,):
        raise DataError(
            f"y must have one number for each of the {n_rows} rows of X, got shape {target.shape}"
        )
    undefined = np.flatnonzero(~np.isfinite(target))
    if len(undefined):
        row = undefined[0]
        raise DataError(f"y holds {target[row]} in row {row + 1}; leave such rows out")
    return target


class Bounds:
    """The range of each parameter, one for all or by name.

    ``ranges`` are the distinct ones, and a parameter's word holds its place there; ``names`` has
    the place for each name that was given its own, all others have the first.
    """

    def __init__(self, bounds: Bound | Mapping[str, Bound] | None) -> None:
        # Place 0 is that of every name without a range: FREE stands first, used or not.
        self.ranges: list[Bound] = [FREE]
        self.names: dict[str, int] = {}
        if isinstance(bounds, Mapping):
            for name, bound in bounds.items():
                self.names[name] = self._place(_checked(bound, f"bounds of {name!r}"))
        elif bounds is not None:
            self.ranges = [_checked(bounds, "bounds")]

    def range_of(self, name: str) -> int:
        """The place of a parameter's range."""
        return self.names.get(name, 0)

    def table(self) -> Floats:
        """The ranges as (n_ranges, 2)."""
        return np.array(self.ranges, np.float64)

    def starts(self, n_starts: int, n_slots: int, seed: int) -> Floats:
        """Where descents start, for parameters of each range: (n_ranges, n_starts, n_slots).

        The first start is 1, or the middle of a range without it. The others spread over a range
        with two ends evenly; otherwise their distance to the end, or to zero, is between 0.01 and
        100, each order of magnitude alike, since the size of a good value is not known.

        >>> Bounds((0, 5)).starts(3, 2, seed=0).round(2).tolist()
        [[[1.0, 1.0], [0.56, 0.21], [3.0, 3.13]]]
        """
        units = _units(n_starts, n_slots, seed)
        starts = np.stack([_spread(units, *bound) for bound in self.ranges])
        starts[:, 0] = [[_middle(*bound)] for bound in self.ranges]
        return starts

    def _place(self, bound: Bound) -> int:
        if bound not in self.ranges:
            self.ranges.append(bound)
        if len(self.ranges) > MAX_RANGES:
            raise RangeError(f"bounds have more than {MAX_RANGES - 1} different ranges")
        return self.ranges.index(bound)


@lru_cache(maxsize=64)  # a thousand starts take longer than many of the fits that use them
def _units(n_starts: int, n_slots: int, seed: int) -> Floats:
    # A row for each start: more starts or more slots leave the others as they are.
    units = np.stack([uniforms(n_slots, seed, START_KEY, start) for start in range(n_starts)])
    # The cache hands the same array to everybody.
    units.setflags(write=False)
    return units


def _checked(bound: object, owner: str) -> Bound:
    ends = bound.tolist() if isinstance(bound, np.ndarray) else bound
    if (
        not isinstance(ends, tuple | list)
        or len(ends) != 2
        or not all(isinstance(end, Real) and not isinstance(end, bool) for end in ends)
    ):
        raise RangeError(f"{owner} need (low, high), got {bound!r}")
    low, high = (float(end) for end in ends)
    if not (low <= high and low < math.inf and high > -math.inf):
        raise RangeError(f"{owner} need low <= high, got {bound!r}")
    return low, high


def _spread(units: Floats, low: float, high: float) -> Floats:
    """Numbers between 0 and 1 as values of a range."""
    if math.isfinite(low) and math.isfinite(high):
        # Not low + (high - low) * units: the width overflows where both ends are huge.
        return np.clip(low * (1.0 - units) + high * units, low, high)
    # One number gives both: its sign, and by its size the power of ten from -2 to 2.
    signed = 2.0 * units - 1.0
    # The engine's exp: starts have the same bits on every machine.
    sizes = FUNCTIONS["exp"](LN10 * (4.0 * np.abs(signed) - 2.0))
    if math.isfinite(low):
        return low + sizes
    return high - sizes if math.isfinite(high) else np.copysign(sizes, signed)


def _middle(low: float, high: float) -> float:
    if low <= 1.0 <= high:
        return 1.0
    if math.isfinite(low) and math.isfinite(high):
        # Halved before they are added: the sum of two huge ends overflows.
        return min(max(0.5 * low + 0.5 * high, low), high)
    return low + 1.0 if math.isfinite(low) else high - 1.0


class FitRoles(Binding):
    """The columns of the data are variables; every other name is a parameter to be fitted."""

    words: ClassVar[Mapping[str, str]] = {
        "place": "the table",
        "remedy": "bounds={{{name!r}: (low, high)}} if it is a parameter; variables=[...] "
        "names the columns of an array",
        "option": "--bounds {name}=low:high",
    }

    def __init__(self, variables: Sequence[str], bounds: Bounds) -> None:
        named = dict.fromkeys(bounds.names, (0.0, 1.0))  # who has a range is asked, not which
        for name in named:
            if name in variables:
                raise RangeError(f"{name!r} is a column of the data and cannot have bounds")
        # Only the roles of names are asked of this probe; nothing is ever observed at its point.
        points = np.zeros((1, len(variables)))
        super().__init__(Probe.at(points, list(variables), parameters=named or None))
        self._bounds = bounds

    @property
    def variables(self) -> tuple[str, ...]:
        """The names of the columns."""
        return self.probe.variables

    def read(self, source: Source) -> Expression:
        """The source as an Expression."""
        if isinstance(source, Expression):
            return source
        if isinstance(source, str | list | tuple):
            return parse(source, self.variables)
        raise ShapeError(
            f"an expression is text, a token list or an Expression, got {type(source).__name__}"
        )

    def compile(self, expression: Expression) -> Program:
        """Compile an expression for the data."""
        program = super().compile(expression)
        FITTED.check(program.n_parameters)
        return program

    def slots(self, expression: Expression) -> tuple[int, ...]:
        """The slot of each parameter, in order of appearance."""
        return parameter_slots(expression, self._rows, self._bounds.range_of)

    def by_name(self, expression: Expression, by_slot: Floats) -> Mapping[str, float]:
        """Fitted values by the names of parameters, from those by slot."""
        names = value_names(self.parameters(expression))
        values = by_slot[list(self.slots(expression))].tolist()
        return MappingProxyType(dict(zip(names, values, strict=True)))

    def _learn(self, expression: Expression) -> None:
        self._require_variables(expression)
        for name in dict.fromkeys(self.parameters(expression)):
            self.ranges.setdefault(name, self._bounds.range_of(name))


def value_names(parameters: Sequence[str]) -> tuple[str, ...]:
    """Names for parameters in order of appearance, the anonymous ones numbered.

    >>> value_names(["C", "a", "C"])
    ('C[0]', 'a', 'C[1]')
    """
    numbers = count()
    return tuple(f"{name}[{next(numbers)}]" if name == ANONYMOUS else name for name in parameters)

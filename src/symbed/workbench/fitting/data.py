"""Inputs and target of a fit, checked and in the layout that the engines read."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from symbed._types import Floats
from symbed.engine.reference.distances import sum_lanes
from symbed.errors import DataError
from symbed.sampling.validation import checked_names
from symbed.workbench.data.data_files import Data, read_data

ROUNDING = 2.0**-50  # errors of this share of the target are no errors


@dataclass(frozen=True)
class FitData:
    """A data set that expressions are fitted to.

    Attributes
    ----------
    variables : tuple of str
        Names of the inputs.
    inputs : (n_variables, n_points) ndarray
        One row for each variable.
    y : (n_points,) ndarray
        The target.
    scale : float
        A power of two that brings the target nearer to 1.
    """

    variables: tuple[str, ...]
    inputs: Floats
    y: Floats
    scale: float

    @classmethod
    def of(
        cls, X: Any, y: Any, variables: Sequence[str] | None, used: Iterable[str] = ()
    ) -> FitData:
        """The data of a call.

        Parameters
        ----------
        X : array_like, data frame, mapping or path
            What ``read_data`` reads: an array, a data frame, a mapping, a file.
        y : array_like or str
            The target, or the name of its column in X.
        variables : sequence of str or None
            Names of the columns of a bare array, the target left out.
        used : iterable of str
            Names that the expressions take for variables; one bare column gets the only one.
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

    @property
    def target(self) -> Floats:
        """The target as the engines want it."""
        return self.y * self.scale

    @property
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
            if deviation > noise:
                return 1.0 - (errors / deviation) ** 2
        return np.where(errors <= noise, 1.0, -np.inf)


def _mean(numbers: Floats) -> float:
    return float(sum_lanes(numbers[None])[0]) / len(numbers)


def _only_name(X: Any, used: Iterable[str]) -> Sequence[str] | None:
    """The one variable that expressions use, for one bare column."""
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
        raise DataError(f"y must have one number for each of the {n_rows} rows of X, "
                        f"got shape {target.shape}")  # fmt: skip
    undefined = np.flatnonzero(~np.isfinite(target))
    if len(undefined):
        row = undefined[0]
        raise DataError(f"y holds {target[row]} in row {row + 1}; leave such rows out")
    return target

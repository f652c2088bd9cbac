"""What a fit gives: values by name, errors, and the formula with its numbers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from symbed._export import data_frame
from symbed._types import Floats, Integers
from symbed.engine.structures.requests import FitResults
from symbed.errors import RangeError
from symbed.language.expression import Expression, Item
from symbed.workbench.data_files import read_data
from symbed.workbench.evaluation import Source, evaluate
from symbed.workbench.fit_problem import FitData, FitRoles, value_names
from symbed.workbench.parametrization import name_parameters

# Singular values below this share of the largest are directions that the data do not see.
UNSEEN_SHARE = 1e-10


@dataclass(frozen=True, repr=False)
class Fit:
    """One fitted expression.

    Attributes
    ----------
    source : Expression
        The expression with its parameters free.
    values : mapping from str to float
        The fitted parameters by name, in order of appearance. Each anonymous ``C`` is a parameter
        of its own; they are called ``C[0]``, ``C[1]`` ...
    variables : tuple of str
        Names of the columns of the data.
    rmse, mae : float
        Root mean squared and mean absolute error; inf if no start has outputs at all rows.
    r2 : float
        Share of the target's variance that is explained; -inf where the errors are infinite.
    n_points : int
        Rows that were fitted to.
    n_evaluations : int
        How often the expression was evaluated on the rows.
    converged : bool
        Whether the descent that found the values came to rest by itself.
    points : (n_points, n_variables) ndarray or None
        The rows' inputs.
    target : (n_points,) ndarray or None
        What was fitted to there.
    """

    source: Expression
    values: Mapping[str, float]
    variables: tuple[str, ...]
    rmse: float
    mae: float
    r2: float
    n_points: int
    n_evaluations: int
    converged: bool
    points: Floats | None = field(default=None, compare=False)
    target: Floats | None = field(default=None, compare=False)

    @cached_property
    def redundant(self) -> tuple[tuple[str, ...], ...]:
        """Groups of parameters that act only together, as ``a`` and ``b`` in ``a*b*x``.

        Their values are not determined by any data; ``effective`` says through what combination
        they act. Looked for when it is asked.
        """
        from symbed.behavior.redundant_parameters import redundant_parameters

        if self.points is None:
            return ()
        values = list(self.values.values())
        return redundant_parameters(self.source, self.points, self.variables, values)

    @property
    def expression(self) -> Expression:
        """The expression with the fitted numbers in the place of its parameters."""
        return substitute(self.source, self.values)

    def predict(self, X: Any) -> Floats:
        """The outputs at other inputs, in any form that ``fit`` takes; NaN where undefined."""
        data = read_data(X, names=self.variables)
        columns = data.X[:, [data.names.index(name) for name in self.variables]]
        return evaluate(self.source, columns, self.variables, list(self.values.values()))

    def standard_errors(self, X: Any, y: Any) -> ParameterErrors:
        """Standard errors and correlations of the parameters, from the data of the fit.

        Examples
        --------
        >>> from symbed.workbench import fit
        >>> x, y = [1.0, 2.0, 3.0, 4.0], [1.1, 2.9, 5.1, 6.9]
        >>> errors = fit("a*x + b", x, y).standard_errors(x, y)
        >>> {name: round(error, 4) for name, error in errors.stderr.items()}
        {'a': 0.0566, 'b': 0.1549}
        """
        data = FitData.of(X, y, self.variables)
        return _standard_errors(self, data.inputs.T, data.y)

    def to_frame(self) -> Any:
        """A pandas table with one row."""
        return data_frame([self.to_dict()])

    def to_dict(self) -> dict[str, Any]:
        """The fit as plain values, ready for JSON but for infinities."""
        return {
            "expression": str(self.source),
            "fitted": str(self.expression),
            "values": dict(self.values),
            "rmse": self.rmse,
            "mae": self.mae,
            "r2": self.r2,
            "converged": self.converged,
            "redundant": [list(names) for names in self.redundant],
            "n_points": self.n_points,
            "n_evaluations": self.n_evaluations,
            "variables": list(self.variables),
        }

    def _repr_html_(self) -> str:
        from symbed._notebook import fit_html

        return fit_html(self)

    def _repr_latex_(self) -> str:
        return self.expression._repr_latex_()

    def __repr__(self) -> str:
        values = ", ".join(f"{name}={value:.6g}" for name, value in self.values.items())
        shown = f"{str(self.source)!r}, {values}" if values else repr(str(self.source))
        return f"Fit({shown}, rmse={self.rmse:.4g}, r2={self.r2:.6g})"


@dataclass(frozen=True)
class Unfitted:
    """A source that could not be fitted: the line it came from (from 1), its text, and why."""

    line: int
    source: str
    error: str


class Fits:
    """Many expressions fitted to one data set, column by column.

    Arrays have one entry for each expression in the order given; one that was skipped has infinite
    errors. ``fits[k]`` is the k-th as a ``Fit``.

    Attributes
    ----------
    sources : list
        The expressions as they were given.
    rmse, mae, r2, n_evaluations, converged : ndarray
        One entry for each expression, as in ``Fit``.
    n_distinct : int
        Number of different programs; what is equal up to commutativity is fitted once.
    skipped : list of Unfitted
        The sources that could not be fitted.
    """

    def __init__(
        self,
        sources: list[Source],
        rows: Integers,
        results: FitResults,
        places: Integers,
        data: FitData,
        roles: FitRoles,
        skipped: list[Unfitted],
    ) -> None:
        self.sources, self.skipped = tuple(sources), tuple(skipped)
        self.n_distinct = len(results.errors)
        self._rows, self._values, self._places = rows, results.values, places
        self._n_points, self._roles, self._data = data.n_points, roles, data
        # A row of -1 takes the extra one behind the others.
        errors = np.concatenate([results.errors, [[np.inf, np.inf]]])[rows]
        counts = np.concatenate([results.counts, [[0, 0]]])[rows]
        self.rmse, self.mae = errors[:, 0], errors[:, 1]
        self.r2 = data.r2(self.rmse)
        self.n_evaluations, self.converged = counts[:, 0], counts[:, 1].astype(bool)
        for array in (self.rmse, self.mae, self.r2, self.n_evaluations, self.converged):
            array.setflags(write=False)

    def best(self, k: int = 10) -> list[Fit]:
        """The k expressions with the smallest errors, best first; equal ones in their order."""
        order = np.argsort(self.rmse, kind="stable")[:k]
        return [self[place] for place in order.tolist() if self._rows[place] >= 0]

    def __len__(self) -> int:
        return len(self.sources)

    def __iter__(self) -> Iterator[Fit]:
        return (self[k] for k in range(len(self)) if self._rows[k] >= 0)

    def __getitem__(self, k: int) -> Fit:
        if not -len(self) <= k < len(self):
            raise IndexError(f"there are {len(self)} fits, got index {k}")
        if self._rows[k] < 0:
            raise RangeError(f"expression {k} was skipped; see .skipped")
        source, row = self._roles.read(self.sources[k]), self._rows[k]
        by_slot = self._values[self._places[row] : self._places[row + 1]]
        return Fit(
            source, self._roles.by_name(source, by_slot), self._roles.variables,
            float(self.rmse[k]), float(self.mae[k]), float(self.r2[k]), self._n_points,
            int(self.n_evaluations[k]), bool(self.converged[k]), self._data.inputs.T,
            self._data.y,
        )  # fmt: skip

    def to_dict(self) -> dict[str, Any]:
        """The fits as plain values, ready for JSON but for infinities; skipped ones apart."""
        return {
            "fits": [fit.to_dict() for fit in self],
            "skipped": [asdict(source) for source in self.skipped],
            "n_distinct": self.n_distinct,
        }

    def to_frame(self) -> Any:
        """A pandas table with one row for each expression that was fitted."""
        return data_frame([fit.to_dict() for fit in self])

    def __repr__(self) -> str:
        finite = self.rmse[np.isfinite(self.rmse)]
        best = f"best rmse {finite.min():.4g}" if len(finite) else "none defined"
        skipped = f", {len(self.skipped)} skipped" if self.skipped else ""
        return f"Fits({len(self)} expressions, {self.n_distinct} distinct, {best}{skipped})"


def substitute(source: Expression, values: Mapping[str, float]) -> Expression:
    """An expression with numbers in the place of its parameters.

    >>> from symbed import parse
    >>> substitute(parse("C*x + C"), {"C[0]": 2.0, "C[1]": 0.5})
    Expression('2*x + 0.5')
    """
    named = [item for item in source.postfix if isinstance(item, str)]
    # Names of variables are in the list too: they keep their name, so ``values`` has none for them.
    labels = iter(value_names(named))

    def replaced(item: Item) -> Item:
        return values.get(next(labels), item) if isinstance(item, str) else item

    return Expression(tuple(map(replaced, source.postfix)), source.declared)


@dataclass(frozen=True, eq=False)
class ParameterErrors:
    """How well the data determine the fitted parameters.

    Attributes
    ----------
    stderr : mapping of str to float
        Standard error of each parameter; inf for those that the data do not determine.
    correlations : (p, p) array
        Between the parameters, in order of appearance; NaN where an error is infinite.
    """

    stderr: Mapping[str, float]
    correlations: Floats

    def to_dict(self) -> dict[str, Any]:
        """Both as plain values, ready for JSON but for infinities."""
        return {"stderr": dict(self.stderr), "correlations": self.correlations.tolist()}

    def to_frame(self) -> Any:
        """A pandas table with a row for each parameter: its error, and its correlations."""
        names = list(self.stderr)
        table = np.column_stack([list(self.stderr.values()), self.correlations])
        return data_frame(table, names, ["stderr", *names])


def _standard_errors(fit: Fit, inputs: Floats, y: Floats) -> ParameterErrors:
    """Standard errors at a minimum, from the (n, d) inputs and the target that it was made with.

    By the linearized model: the covariance is ``s^2 (J'J)^-1`` with the exact derivatives J of the
    outputs by the parameters and the residual variance ``s^2 = SSE / (n - p)`` (Seber and Wild,
    Nonlinear Regression, 1989, section 2.1.2): what SciPy's ``curve_fit`` reports as ``pcov``.
    """
    names, values = list(fit.values), list(fit.values.values())
    if not names:
        return ParameterErrors({}, np.empty((0, 0)))
    slopes = _slopes(fit.source, inputs, fit.variables, values)
    degrees = len(y) - len(names)
    # Singular vectors instead of (J'J)^-1: they show which directions are undetermined, and the
    # condition number is not squared. Rows of ``right`` are directions in parameter space.
    # All directions only where rows are few: the left vectors would fill n x n numbers.
    _, singular, right = np.linalg.svd(
        np.where(np.isfinite(slopes), slopes, 0.0), full_matrices=len(slopes) < len(names)
    )
    # With fewer rows than parameters the last directions have no singular value: nothing sees them.
    singular = np.pad(singular, (0, len(names) - len(singular)))
    seen = singular > UNSEEN_SHARE * max(singular.max(initial=0.0), np.finfo(float).tiny)
    # As many parameters as rows leave no residual to estimate the variance from.
    if degrees < 1 or not np.isfinite(fit.rmse) or not np.isfinite(slopes).all():
        seen = np.zeros_like(seen)
    variance = len(y) * fit.rmse**2 / degrees if degrees > 0 else np.inf
    inverse = np.divide(1.0, singular, out=np.zeros_like(singular), where=seen)
    # An infinite variance times the zeros of unseen directions would be NaN.
    covariance = (right.T * inverse**2) @ right * (variance if seen.any() else 0.0)
    # A parameter is not determined where a direction that nobody sees has a part of it.
    unseen = (np.abs(right[~seen]) > np.sqrt(UNSEEN_SHARE)).any(axis=0)
    errors = np.where(unseen, np.inf, np.sqrt(np.diag(covariance)))
    scale = np.where(np.isfinite(errors) & (errors > 0), errors, np.nan)
    correlations = np.clip(covariance / np.outer(scale, scale), -1.0, 1.0)
    return ParameterErrors(dict(zip(names, errors.tolist(), strict=True)), correlations)


def _slopes(
    source: Expression, inputs: Floats, variables: tuple[str, ...], values: list[float]
) -> Floats:
    """(n, p) derivatives of the outputs by the parameters, in order of appearance."""
    # Each anonymous C needs a name before one can derive by it.
    model = name_parameters(source.with_variables(variables))[0]
    by_name = dict(zip(dict.fromkeys(model.parameters), values, strict=True))
    columns = []
    for name in by_name:
        slope = model.derivative(name)
        # A derivative may have lost parameters, and ``evaluate`` wants the values of those left, in
        # the order in which they appear in it.
        used = [by_name[other] for other in dict.fromkeys(slope.names) if other in by_name]
        columns.append(evaluate(slope, inputs, variables, used))
    return np.column_stack(columns)

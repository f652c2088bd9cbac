"""Standard errors and correlations of fitted parameters, by the linearized model at the minimum.

The covariance is ``s^2 (J'J)^-1`` with the exact derivatives J of the outputs by the parameters and
the residual variance ``s^2 = SSE / (n - p)`` (Seber and Wild, Nonlinear Regression, 1989, section
2.1.2): what SciPy's ``curve_fit`` reports as ``pcov``.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from symbed._types import Floats
from symbed.language.expression import ANONYMOUS, Expression
from symbed.workbench.evaluation import evaluate

if TYPE_CHECKING:
    from symbed.workbench.fitting.results import Fit

DIRECTIONS = 1e-10  # of the largest singular value: smaller ones are directions the data do not see


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


def standard_errors(fit: Fit, inputs: Floats, y: Floats) -> ParameterErrors:
    """Standard errors of the parameters of a fit, from the data that it was made with.

    Parameters
    ----------
    fit : Fit
        Its values are those of a minimum.
    inputs : (n, d) array
        The columns of ``fit.variables``.
    y : (n,) array
        The target.
    """
    names, values = list(fit.values), np.array(list(fit.values.values()))
    if not names:
        return ParameterErrors({}, np.empty((0, 0)))
    model, labels = _named(fit.source, fit.variables)
    by_label = dict(zip(labels, values.tolist(), strict=True))
    slopes = np.column_stack(
        [_slope(model.derivative(label), inputs, fit.variables, by_label) for label in labels]
    )
    degrees = len(y) - len(names)
    _, singular, right = np.linalg.svd(np.where(np.isfinite(slopes), slopes, 0.0))
    singular = np.pad(singular, (0, len(names) - len(singular)))
    seen = singular > DIRECTIONS * max(singular.max(initial=0.0), np.finfo(float).tiny)
    if degrees < 1 or not np.isfinite(fit.rmse) or not np.isfinite(slopes).all():
        seen = np.zeros_like(seen)
    variance = len(y) * fit.rmse**2 / degrees if degrees > 0 else np.inf
    inverse = np.divide(1.0, singular, out=np.zeros_like(singular), where=seen)
    covariance = (right.T * inverse**2) @ right * (variance if seen.any() else 0.0)
    unseen = (np.abs(right[~seen]) > np.sqrt(DIRECTIONS)).any(axis=0)
    errors = np.where(unseen, np.inf, np.sqrt(np.diag(covariance)))
    by_name = dict(zip(names, errors.tolist(), strict=True))
    return ParameterErrors(by_name, _scaled(covariance, errors))


def _scaled(covariance: Floats, errors: Floats) -> Floats:
    usable = np.isfinite(errors) & (errors > 0)
    scale = np.where(usable, errors, np.nan)
    correlations: Floats = np.clip(covariance / np.outer(scale, scale), -1.0, 1.0)
    return correlations


def _slope(
    slope: Expression, inputs: Floats, variables: tuple[str, ...], values: Mapping[str, float]
) -> Floats:
    """(n,) a derivative at the inputs."""
    used = [values[name] for name in dict.fromkeys(slope.names) if name in values]
    return evaluate(slope, inputs, variables, used)


def _named(source: Expression, variables: tuple[str, ...]) -> tuple[Expression, list[str]]:
    """The formula with a name for each anonymous parameter, and its parameters in order."""
    taken, number, postfix = set(source.names), 0, []
    for item in source.postfix:
        if item == ANONYMOUS and item not in variables:
            while f"p_{number}" in taken:
                number += 1
            item = f"p_{number}"
            taken.add(item)
        postfix.append(item)
    model = Expression(tuple(postfix), variables)
    return model, [name for name in dict.fromkeys(model.names) if name not in variables]

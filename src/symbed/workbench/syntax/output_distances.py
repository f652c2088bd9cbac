"""RMSE and 1 - R^2 between outputs, for expressions without free parameters.

Undefined outputs count as they do in BED: nothing where both sides are undefined, infinite where
exactly one is.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from symbed._types import Floats
from symbed.behavior.atlas import Atlas
from symbed.behavior.survey.surveying import survey
from symbed.distances.matrix.distance_matrix import pairwise
from symbed.engine.binding import Binding
from symbed.errors import RangeError
from symbed.language.expression import Expression
from symbed.sampling.probe import Probe


def error_distances(
    rows: Sequence[Expression],
    columns: Sequence[Expression],
    probe: Probe,
    workers: int | None = None,
) -> Floats:
    """The root mean squared error between the outputs of rows and columns."""
    atlas = _observed(rows, probe, workers)
    other = atlas if columns is rows else _observed(columns, probe, workers)
    return pairwise(atlas, other, p=2, workers=workers).values


def unexplained_distances(
    rows: Sequence[Expression],
    columns: Sequence[Expression],
    probe: Probe,
    workers: int | None = None,
) -> Floats:
    """1 - R^2: the share of the variance of a row's outputs that a column leaves unexplained.

    A row without variance gives 0 for equal outputs and infinity for others.
    """
    atlas = _observed(rows, probe, workers)
    other = atlas if columns is rows else _observed(columns, probe, workers)
    errors = pairwise(atlas, other, p=2, workers=workers).values
    spreads = np.array([_spread(atlas[row].values[:, 0]) for row in range(len(atlas))])
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        shares = (errors / spreads[:, None]) ** 2
    return np.where(errors == 0, 0.0, shares)


def _observed(expressions: Sequence[Expression], probe: Probe, workers: int | None) -> Atlas:
    roles = Binding(probe)
    for expression in expressions:
        if free := roles.parameters(expression):
            shown = ", ".join(dict.fromkeys(free))
            raise RangeError(
                f"{str(expression)!r} has free parameters {shown}, so its outputs are not fixed; "
                "compare it by symbed.pairwise, or fit it first"
            )
    return survey(expressions, probe, workers=workers)


def _spread(outputs: Floats) -> float:
    """Root of the summed squared deviations over the number of all points, defined or not."""
    defined = outputs[~np.isnan(outputs)]
    if not len(defined):
        return 0.0
    with np.errstate(over="ignore"):
        return float(np.sqrt(np.sum((defined - defined.mean()) ** 2) / len(outputs)))

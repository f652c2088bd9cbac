"""Evaluating expressions at given inputs: one with its values, or many against data."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from symbed._types import Floats
from symbed.engine.packed_programs import outputs_at
from symbed.engine.program import compile_expression
from symbed.errors import DataError, RangeError
from symbed.language.expression import Expression
from symbed.sampling.probe import Probe
from symbed.sampling.validation import checked_names, checked_points

if TYPE_CHECKING:
    from symbed.behavior.atlas import Atlas
    from symbed.workbench.data_files import Data

Source = str | Sequence[str] | Expression  # text, a token list, or read already


def evaluate(
    expression: Expression,
    points: ArrayLike,
    variables: Sequence[str] | None = None,
    values: Sequence[float] = (),
) -> Floats:
    """The outputs of an expression at given inputs, by the engine in use.

    Parameters
    ----------
    expression : Expression
        What to evaluate.
    points : (n, d) array_like
        The inputs; (n,) will do for one variable.
    variables : sequence of str, optional
        The names of the columns; by default the expression's, in order of appearance.
    values : sequence of float
        Values of the free parameters, in order of appearance; an anonymous ``C`` counts each time.

    Returns
    -------
    (n,) ndarray
        The outputs; NaN where the expression is undefined.

    Examples
    --------
    >>> from symbed import parse
    >>> evaluate(parse("C*x + C"), [0.0, 1.0, 2.0], values=[2, 1])
    array([1., 3., 5.])
    """
    names = checked_names(expression.variables if variables is None else variables)
    inputs = np.ascontiguousarray(checked_points(points, names).T)
    rows = {name: row for row, name in enumerate(names)}
    # Without reordering slots follow the text, and that is the order of ``values``.
    program = compile_expression(expression, rows, lambda _: 0, reorder=False)
    if len(values) != program.n_parameters:
        n = program.n_parameters
        raise RangeError(f"{str(expression)!r} has {n} free parameters, got {len(values)} values")
    (outputs,) = outputs_at(program, inputs, np.array(values, dtype=np.float64).reshape(1, -1))
    return np.asarray(outputs)


def errors_on(data: Data, target: str, atlas: Atlas, most_rows: int = 1_024) -> Floats:
    """The root mean squared error of each formula of an atlas on a table; infinite if undefined.

    A family with parameters is as far from the data as its outputs are, over all its draws.

    Parameters
    ----------
    data : Data
        With a column for the target and for each variable of the atlas.
    target : str
        The column that the formulas are to give.
    atlas : Atlas
        The formulas.
    most_rows : int
        Of more rows, so many are taken, evenly chosen.
    """
    # Late: verdicts evaluate one formula at a time, and need neither surveys nor matrices.
    from symbed.behavior.behavior import Behavior
    from symbed.behavior.surveying import survey
    from symbed.distances.matrix.distance_matrix import pairwise

    if atlas.probe is None:
        raise DataError("this atlas has no probe, so it cannot be set beside data")
    missing = [name for name in (target, *atlas.probe.variables) if name not in data.names]
    if missing:
        columns = ", ".join(data.names)
        raise DataError(f"the data have no column {missing[0]!r}; their columns are {columns}")
    n_rows = len(data.X)
    rows = np.unique(np.linspace(0, n_rows - 1, min(n_rows, most_rows)).astype(np.int64))
    places = [data.names.index(name) for name in atlas.probe.variables]
    probe = Probe.at(
        data.X[rows][:, places], atlas.probe.variables, parameters=atlas.probe.parameters,
        n_draws=atlas.n_draws, seed=atlas.probe.seed,
    )  # fmt: skip
    observed = survey(atlas.labels, probe, keep="programs", progress=False)
    wanted = data.X[rows, data.names.index(target)]
    # The data as a family of one draw. For p = 2 its distance is the root mean squared error.
    truth = Behavior.from_samples(wanted[:, None], probe.points, target)
    return np.asarray(pairwise([truth], observed, p=2, progress=False).values[0])

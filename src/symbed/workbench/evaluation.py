"""Evaluating an expression at given inputs and parameter values."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from symbed._types import Floats
from symbed.engine.backend import active_backend
from symbed.engine.program import compile_expression
from symbed.engine.structures.observations import Observation
from symbed.errors import RangeError
from symbed.language.expression import Expression
from symbed.sampling.validation import checked_names, checked_points


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
    program = compile_expression(expression, rows, lambda _: 0, reorder=False)
    if len(values) != program.n_parameters:
        wanted, given = program.n_parameters, len(values)
        raise RangeError(f"{str(expression)!r} has {wanted} free parameters, got {given} values")
    columns = np.array(values, dtype=np.float64).reshape(-1, 1, 1)
    words = np.frombuffer(program.words, np.int32)
    starts = np.array([0, len(words)], np.int64)
    out: Floats = np.empty((1, 1, inputs.shape[1]))
    defined = np.empty((1, inputs.shape[1]), np.int32)
    bases = np.zeros(1, np.int64)
    observation = Observation(words, starts, inputs, columns, bases, len(values), n_draws=1)
    active_backend().observe(observation, out, defined)
    return out.reshape(-1)

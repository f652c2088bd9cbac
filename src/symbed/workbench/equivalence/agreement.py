"""The witness: two expressions of the same names go in; whether their values agree comes out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from symbed.language.expression import Expression
from symbed.sampling.counter_rng import uniforms
from symbed.workbench.equivalence.value_bounds import Bounds
from symbed.workbench.evaluation import evaluate

N_POINTS = 16
TOLERANCE = 1e-9  # relative to outputs, or to 1 where they are smaller
NOBODY = "_"  # the variable of expressions that have none
STREAM = 0x7769746E  # separates these random numbers from others


class Witness:
    """Compares expressions with one of them, at random points and one random parameter vector.

    Parameters
    ----------
    expression : what the others are compared with; its parameters have names.
    variables : names of the variables.
    ranges : of the variables and the parameters.
    """

    def __init__(
        self, expression: Expression, variables: Sequence[str], ranges: Mapping[str, Bounds]
    ) -> None:
        self._variables = tuple(variables) or (NOBODY,)
        self._values = {
            name: low + (high - low) * uniforms(N_POINTS, 0, STREAM, number)
            for number, (name, (low, high)) in enumerate({NOBODY: (0.0, 1.0), **ranges}.items())
        }
        self._points = np.stack([self._values[name] for name in self._variables], axis=1)
        self._expected = self._outputs(expression)

    def agrees(self, expression: Expression) -> bool:
        """Whether the outputs are the same, undefined ones included."""
        found, expected = self._outputs(expression), self._expected
        if not np.array_equal(np.isfinite(found), np.isfinite(expected)):
            return False
        defined = np.isfinite(expected)
        scale = np.maximum(1.0, np.abs(expected[defined]))
        return bool(np.all(np.abs(found[defined] - expected[defined]) <= TOLERANCE * scale))

    def _outputs(self, expression: Expression) -> np.ndarray:
        expression = expression.with_variables(self._variables)
        values = [float(self._values[name][0]) for name in expression.parameters]
        return evaluate(expression, self._points, self._variables, values)

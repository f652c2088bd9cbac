"""A numerical test that a rewritten expression still has the values of the original.

Laws are exact and arithmetic is not: ``sqrt(cos(pi/2))`` is a small number, not 0. Whoever rewrites
by laws alone hands out such expressions; this test catches them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from symbed._types import Floats
from symbed.language.expression import Expression
from symbed.sampling.counter_rng import uniforms
from symbed.workbench.equivalence.value_bounds import Interval
from symbed.workbench.evaluation import evaluate

N_POINTS = 16
TOLERANCE = 1e-9  # relative to outputs, or to 1 where they are smaller
NO_VARIABLE = "_"  # the column of points for expressions without variables
STREAM = 0x7769746E  # separates these random numbers from others of the same seed


class NumericalAgreement:
    """Compares expressions with one of them, at random points and one random parameter vector.

    Parameters
    ----------
    expression : Expression
        What the others are compared with; its parameters have names.
    variables : sequence of str
        Names of the variables.
    ranges : mapping from str to (float, float)
        The ranges of the variables and of the parameters.
    """

    def __init__(
        self, expression: Expression, variables: Sequence[str], ranges: Mapping[str, Interval]
    ) -> None:
        self._variables = tuple(variables) or (NO_VARIABLE,)
        all_ranges = {NO_VARIABLE: (0.0, 1.0), **ranges}
        self._values = {
            name: low + (high - low) * uniforms(N_POINTS, 0, STREAM, number)
            for number, (name, (low, high)) in enumerate(all_ranges.items())
        }
        self._points = np.stack([self._values[name] for name in self._variables], axis=1)
        self._expected = self._outputs(expression)

    def holds_for(self, expression: Expression) -> bool:
        """Whether the outputs are the same, undefined ones included."""
        outputs, expected = self._outputs(expression), self._expected
        defined = np.isfinite(expected)
        if not np.array_equal(np.isfinite(outputs), defined):
            return False
        scale = np.maximum(1.0, np.abs(expected[defined]))
        return bool(np.all(np.abs(outputs[defined] - expected[defined]) <= TOLERANCE * scale))

    def _outputs(self, expression: Expression) -> Floats:
        expression = expression.with_variables(self._variables)
        values = [float(self._values[name][0]) for name in expression.parameters]
        return evaluate(expression, self._points, self._variables, values)

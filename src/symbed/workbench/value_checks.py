"""What makes sure that a rewritten expression keeps its values: interval bounds, and a comparison.

Interval arithmetic proves that a law may be applied: that a logarithm's argument is positive or a
divisor never zero on the whole domain. What cannot be proven is ``UNKNOWN``, which also stands for
a tree that may be undefined; so finite bounds say that the tree is defined everywhere.

Laws are exact and arithmetic is not: ``sqrt(cos(pi/2))`` is a small number, not 0. Whoever rewrites
by laws alone hands out such expressions; comparing numbers catches them.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence

import numpy as np

from symbed._types import Floats
from symbed.engine.program import CONSTANTS
from symbed.language.expression import Expression, Item, Postfix, fold
from symbed.language.operators import Operator
from symbed.sampling.counter_rng import uniforms
from symbed.workbench.evaluation import evaluate

Interval = tuple[float, float]
UNKNOWN: Interval = (-math.inf, math.inf)

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
        # One parameter vector for all points: of a parameter's numbers the first is used.
        values = [float(self._values[name][0]) for name in expression.parameters]
        return evaluate(expression, self._points, self._variables, values)


def bounds(postfix: Postfix, ranges: Mapping[str, Interval]) -> Interval:
    """An interval that holds every value of a tree while its names stay in their ranges.

    >>> from symbed.language.parser import parse
    >>> bounds(parse("x*ln(y)").postfix, {"x": (-1.0, 2.0), "y": (1.0, math.e)})
    (-1.0, 2.0)
    >>> bounds(parse("1/x").postfix, {"x": (-1.0, 2.0)})
    (-inf, inf)
    """

    def leaf(item: Item) -> Interval:
        if isinstance(item, Operator):
            return CONSTANTS[item.name], CONSTANTS[item.name]
        return ranges.get(item, UNKNOWN) if isinstance(item, str) else (item, item)

    return fold(postfix, leaf, _bound)


def is_finite(interval: Interval) -> bool:
    """Whether both ends are."""
    return -math.inf < interval[0] and interval[1] < math.inf


def magnitude(interval: Interval) -> Interval:
    """Interval of the absolute value."""
    low, high = interval
    least = 0.0 if low <= 0 <= high else min(abs(low), abs(high))
    return least, max(abs(low), abs(high))


def _bound(operator: Operator, below: list[Interval]) -> Interval:
    rule = RULES.get(operator.name)
    # An operand that may be undefined makes the tree so.
    if rule is None or not all(map(is_finite, below)):
        return UNKNOWN
    try:
        interval = rule(*below)
    # Python's own ** and exp raise where a product is inf.
    except OverflowError:
        return UNKNOWN
    return interval if is_finite(interval) else UNKNOWN


# No rule rounds its ends outward: what rounding does to them is far below the MARGIN of the laws.
def _product(a: Interval, b: Interval) -> Interval:
    corners = [x * y for x in a for y in b]
    return min(corners), max(corners)


def _inverse(a: Interval) -> Interval:
    return UNKNOWN if a[0] <= 0 <= a[1] else (1 / a[1], 1 / a[0])


def _quotient(a: Interval, b: Interval) -> Interval:
    inverse = _inverse(b)
    return _product(a, inverse) if is_finite(inverse) else UNKNOWN


def _power(a: Interval, b: Interval) -> Interval:
    if a[0] <= 0:
        return UNKNOWN
    # Of a positive base a power is monotone in base and exponent, so its extremes are at corners.
    corners = [x**y for x in a for y in b]
    return min(corners), max(corners)


def _even(exponent: int) -> Callable[[Interval], Interval]:
    def rule(a: Interval) -> Interval:
        low, high = magnitude(a)
        return low**exponent, high**exponent

    return rule


def _rising(
    function: Callable[[float], float], least: float = -math.inf
) -> Callable[[Interval], Interval]:
    """The rule of a function that grows, and is defined above ``least`` only."""
    return lambda a: (function(a[0]), function(a[1])) if a[0] > least else UNKNOWN


def _wave(function: Callable[[float], float]) -> Callable[[Interval], Interval]:
    """The rule of sine or cosine: exact for a constant, else all of [-1, 1]."""
    return lambda a: (function(a[0]), function(a[0])) if a[0] == a[1] else (-1.0, 1.0)


RULES: dict[str, Callable[..., Interval]] = {
    "+": lambda a, b: (a[0] + b[0], a[1] + b[1]),
    "-": lambda a, b: (a[0] - b[1], a[1] - b[0]),
    "*": _product,
    "/": _quotient,
    "^": _power,
    "neg": lambda a: (-a[1], -a[0]),
    "^-1": _inverse,
    "^2": _even(2),
    "^3": _rising(lambda x: x**3),
    "^4": _even(4),
    "^5": _rising(lambda x: x**5),
    "sin": _wave(math.sin),
    "cos": _wave(math.cos),
    "sqrt": _rising(math.sqrt, least=0.0),
    "exp": _rising(math.exp),
    "ln": _rising(math.log, least=0.0),
    "abs": magnitude,
}

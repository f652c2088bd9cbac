"""For the tests of the language: random trees, and a plain evaluator with Python's own functions."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Mapping

from hypothesis import strategies as st

from symbed.language.expression import Expression, Item, apply, fold
from symbed.language.operators import TABLE, Operator

NAMES = (
    "x",
    "y",
    "X_0",
    "x1",
    "C",
    "C_1",
    "a",
    "theta",
    "\u03b1",
    "\u03c3_max",
    "speed",
    "_",
    "xe5",
)
numbers = st.one_of(
    st.integers(-6, 6).map(float),
    st.floats(allow_nan=False),
    st.sampled_from([math.inf, -math.inf, -0.0, 1e-5, 1e22, 5e-324, -1e-300, 0.1, 1e15, 1e16]),
)
leaves = st.one_of(
    st.sampled_from(NAMES), numbers, st.sampled_from([row for row in TABLE if not row.arity])
).map(lambda item: (item,))


def _nodes(trees: st.SearchStrategy[tuple[Item, ...]]) -> st.SearchStrategy[tuple[Item, ...]]:
    return st.one_of(
        *(
            st.tuples(*[trees] * row.arity).map(lambda below, row=row: apply(row, below))
            for row in TABLE
            if row.arity
        )
    )


expressions = st.recursive(leaves, _nodes, max_leaves=25).map(Expression)


def evaluate(expression: Expression, values: Mapping[str, float]) -> float:
    """The value of an expression, by Python's arithmetic; raises where that is undefined."""

    def leaf(item: Item) -> float:
        if isinstance(item, Operator):
            return getattr(math, item.name)
        return values[item] if isinstance(item, str) else item

    return fold(expression.postfix, leaf, lambda row, below: FUNCTIONS[row.name](*below))


def _extreme(choose: Callable[..., float], a: float, b: float) -> float:
    """Python's min and max know neither the sign of zero nor undefined operands."""
    undefined = a != a or b != b
    return math.nan if undefined else choose(a, b, key=lambda v: (v, math.copysign(1.0, v)))


def _polygamma(order: float, a: float) -> float:
    if order < 0 or order > 20 or order != int(order):
        return math.nan
    import mpmath

    return float(mpmath.polygamma(int(order), a))


FUNCTIONS: dict[str, Callable[..., float]] = {
    # What Python's own module has by the same name, so that a new row is tested at once.
    **{row.name: getattr(math, row.name) for row in TABLE if row.arity and hasattr(math, row.name)},
    "+": lambda a, b: a + b,
    "-": lambda a, b: a - b,
    "*": lambda a, b: a * b,
    "/": lambda a, b: a / b,
    "^": math.pow,
    "neg": lambda a: -a,
    "^2": lambda a: a * a,
    "^3": lambda a: a * a * a,
    "^4": lambda a: a**4,
    "^5": lambda a: a**5,
    "^-1": lambda a: 1 / a,
    "sech": lambda a: 1 / math.cosh(a),
    "ln": math.log,
    "abs": abs,
    "sign": lambda a: float((a > 0) - (a < 0)),
    "min": lambda a, b: _extreme(min, a, b),
    "max": lambda a, b: _extreme(max, a, b),
    "pdiv": lambda a, b: 1.0 if abs(b) <= 0.001 else a / b,
    "plog": lambda a: 0.0 if abs(a) <= 0.001 else math.log(abs(a)),
    "pinv": lambda a: 0.0 if abs(a) <= 0.001 else 1 / a,
    "cond": lambda a, b: math.nan if a != a else (b if a > 0 else 0.0),
    "floor": lambda a: a if math.isinf(a) or a != a else float(math.floor(a)),
    "ceil": lambda a: a if math.isinf(a) or a != a else float(math.ceil(a)),
    "round": lambda a: a if math.isinf(a) or a != a else float(round(a)),
    "sec": lambda a: 1 / math.cos(a),
    "csc": lambda a: 1 / math.sin(a),
    "cot": lambda a: math.cos(a) / math.sin(a),
    "coth": lambda a: 1 / math.tanh(a),
    "csch": lambda a: 1 / math.sinh(a),
    "logit": lambda a: math.log(a / (1 - a)),
    "sigmoid": lambda a: 1 / (1 + math.exp(-a)) if a > -700 else math.exp(a),
    "softplus": lambda a: math.log1p(math.exp(a)) if a < 700 else a,
    "relu": lambda a: _extreme(max, a, 0.0),
    "gauss": lambda a: math.exp(-a * a),
    "sinc": lambda a: math.sin(math.pi * a) / (math.pi * a) if a else 1.0,
    "polygamma": _polygamma,
    "mod": lambda a, b: a % b,
    "//": lambda a, b: a // b,
    "heaviside": lambda a: math.nan if a != a else ((a > 0) - (a < 0) + 1) / 2,
    **{
        sign: lambda a, b, compare=compare: (
            math.nan if a != a or b != b else float(compare(a, b))
        )
        for sign, compare in (
            (">", operator.gt), (">=", operator.ge), ("<", operator.lt), ("<=", operator.le),
            ("==", operator.eq), ("!=", operator.ne),
        )
    },
    "unless": lambda a, b: math.nan if a != a else (0.0 if a > 0 else b),
}  # fmt: skip
# Operands at which every operator is defined, if not the usual ones.
DEFINED_AT = {"acosh": (1.83,), "polygamma": (1.0, 0.41)}

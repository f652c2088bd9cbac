"""Formulas evaluated by mpmath, which shares no code with the library: an oracle for witnesses."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any

import mpmath

from symbed.language.expression import Expression, Item, fold
from symbed.language.operators import Operator

LARGEST_EXPONENT = 10**12  # of a power or an exponential; beyond it mpmath runs out of memory


class Undefined(Exception):
    """The formula has no real value there."""


class Unclear(Exception):
    """The digits do not tell whether an operand is at the edge of a domain, or are too many."""


def evaluate(expression: Expression, point: Mapping[str, Fraction], digits: int) -> Any | None:
    """The value of a formula at an exact point to many digits; None where it is undefined.

    A literal is its shortest decimal, as in the library's verdicts.

    Raises
    ------
    Unclear
        The digits do not tell.
    """
    with mpmath.workdps(digits):
        tiny = mpmath.mpf(10) ** (-digits // 2)

        def leaf(item: Item) -> Any:
            if isinstance(item, Operator):
                return mpmath.pi + 0 if item.name == "pi" else mpmath.e + 0
            exact = point[item] if isinstance(item, str) else _decimal(item)
            if exact is None:
                return None
            return mpmath.mpf(exact.numerator) / exact.denominator

        def node(row: Operator, below: list[Any]) -> Any:
            lazy = _lazy(row.name, below, tiny)
            if lazy is not NOT_LAZY:
                return lazy
            if any(value is None for value in below):
                return None
            try:
                value = FUNCTIONS[row.name](_Edge(tiny), *below)
            except Undefined:
                return None
            if not mpmath.isfinite(value):
                raise Unclear
            return value

        return fold(expression.postfix, leaf, node)


def _decimal(number: float) -> Fraction | None:
    return Fraction(repr(number)) if number - number == 0 else None


class _Edge:
    """Signs of numbers; too close to zero, exactly zero is told from neither side."""

    def __init__(self, tiny: Any) -> None:
        self.tiny = tiny

    def sign(self, value: Any) -> int:
        if value == 0:
            return 0
        if abs(value) < self.tiny:
            raise Unclear
        return 1 if value > 0 else -1


NOT_LAZY = object()


def _lazy(name: str, below: list[Any], tiny: Any) -> Any:
    """Operators that look at one operand first."""
    edge = _Edge(tiny)
    if name == "cond" and below[0] is not None:
        return below[1] if edge.sign(below[0]) > 0 else mpmath.mpf(0)
    if name == "unless" and below[0] is not None:
        return mpmath.mpf(0) if edge.sign(below[0]) > 0 else below[1]
    return NOT_LAZY


def _is_near_zero(edge: _Edge, value: Any) -> bool:
    return edge.sign(abs(value) - mpmath.mpf(1) / 1000) <= 0


def _divide(edge: _Edge, a: Any, b: Any) -> Any:
    if edge.sign(b) == 0:
        raise Undefined
    return a / b


def _power(edge: _Edge, a: Any, b: Any) -> Any:
    whole = mpmath.isint(b)
    if abs(b) * (1 + abs(mpmath.log(abs(a)) if a != 0 else 0)) > LARGEST_EXPONENT:
        raise Unclear
    side = edge.sign(a)
    if b == 0:
        return mpmath.mpf(1)
    if side == 0:
        if edge.sign(b) < 0:
            raise Undefined
        return mpmath.mpf(0)
    if side < 0 and not whole:
        raise Undefined
    return mpmath.power(a, int(b)) if whole else mpmath.power(a, b)


def _root(edge: _Edge, a: Any) -> Any:
    if edge.sign(a) < 0:
        raise Undefined
    return mpmath.sqrt(a)


def _logarithm(edge: _Edge, a: Any) -> Any:
    if edge.sign(a) <= 0:
        raise Undefined
    return mpmath.log(a)


def _exponential(edge: _Edge, a: Any) -> Any:
    if abs(a) > LARGEST_EXPONENT:
        raise Unclear
    return mpmath.exp(a)


def _arc(name: str) -> Callable[[_Edge, Any], Any]:
    def arc(edge: _Edge, a: Any) -> Any:
        if edge.sign(abs(a) - 1) > 0:
            raise Undefined
        return getattr(mpmath, name)(a)

    return arc


def _plain(function: Callable[..., Any]) -> Callable[..., Any]:
    def plain(edge: _Edge, *operands: Any) -> Any:
        return function(*operands)

    return plain


def _tangent(edge: _Edge, a: Any) -> Any:
    edge.sign(mpmath.cos(a))  # a pole is no rational multiple of pi to finitely many digits
    return mpmath.tan(a)


def _hyperbolic(name: str) -> Callable[[_Edge, Any], Any]:
    def hyperbolic(edge: _Edge, a: Any) -> Any:
        if abs(a) > LARGEST_EXPONENT:
            raise Unclear
        return getattr(mpmath, name)(a)

    return hyperbolic


def _floor(edge: _Edge, a: Any) -> Any:
    nearest = mpmath.nint(a)
    return nearest if edge.sign(a - nearest) == 0 else mpmath.floor(a)


def _within(holds: Callable[..., bool], function: Callable[..., Any]) -> Callable[..., Any]:
    def within(edge: _Edge, *operands: Any) -> Any:
        if not holds(edge, *operands):
            raise Undefined
        return function(*operands)

    return within


def _between_poles(edge: _Edge, a: Any) -> bool:
    return bool(a > 0.5 or edge.sign(a - mpmath.nint(a)) != 0)


FUNCTIONS: dict[str, Callable[..., Any]] = {
    "+": _plain(lambda a, b: a + b),
    "-": _plain(lambda a, b: a - b),
    "*": _plain(lambda a, b: a * b),
    "/": _divide,
    "^": _power,
    "neg": _plain(lambda a: -a),
    "^2": _plain(lambda a: a**2),
    "^3": _plain(lambda a: a**3),
    "^4": _plain(lambda a: a**4),
    "^5": _plain(lambda a: a**5),
    "^-1": lambda edge, a: _divide(edge, mpmath.mpf(1), a),
    "sin": _plain(mpmath.sin),
    "cos": _plain(mpmath.cos),
    "tan": _tangent,
    "asin": _arc("asin"),
    "acos": _arc("acos"),
    "atan": _plain(mpmath.atan),
    "sinh": _hyperbolic("sinh"),
    "cosh": _hyperbolic("cosh"),
    "tanh": _hyperbolic("tanh"),
    "sech": _hyperbolic("sech"),
    "sqrt": _root,
    "cbrt": _plain(lambda a: mpmath.sign(a) * mpmath.cbrt(abs(a))),
    "exp": _exponential,
    "ln": _logarithm,
    "log10": lambda edge, a: _logarithm(edge, a) / mpmath.log(10),
    "asinh": _plain(mpmath.asinh),
    "acosh": _within(lambda edge, a: edge.sign(a - 1) >= 0, mpmath.acosh),
    "atanh": _within(lambda edge, a: edge.sign(1 - abs(a)) > 0, mpmath.atanh),
    "sec": lambda edge, a: _divide(edge, mpmath.mpf(1), mpmath.cos(a)),
    "csc": lambda edge, a: _divide(edge, mpmath.mpf(1), mpmath.sin(a)),
    "cot": lambda edge, a: _divide(edge, mpmath.cos(a), mpmath.sin(a)),
    "coth": lambda edge, a: _divide(edge, mpmath.cosh(a), mpmath.sinh(a)),
    "csch": lambda edge, a: _divide(edge, mpmath.mpf(1), mpmath.sinh(a)),
    "expm1": _plain(mpmath.expm1),
    "log1p": _within(lambda edge, a: edge.sign(1 + a) > 0, mpmath.log1p),
    "logit": _within(
        lambda edge, a: edge.sign(a) > 0 and edge.sign(1 - a) > 0, lambda a: mpmath.log(a / (1 - a))
    ),
    "sigmoid": _plain(lambda a: 1 / (1 + mpmath.exp(-a))),
    "softplus": _plain(lambda a: mpmath.log1p(mpmath.exp(a))),
    "relu": _plain(lambda a: max(a, mpmath.mpf(0))),
    "gauss": _plain(lambda a: mpmath.exp(-a * a)),
    "sinc": _plain(lambda a: mpmath.sincpi(a)),
    "erf": _plain(mpmath.erf),
    "erfc": _plain(mpmath.erfc),
    "gamma": _within(_between_poles, mpmath.gamma),
    "lgamma": _within(_between_poles, lambda a: mpmath.log(abs(mpmath.gamma(a)))),
    "polygamma": _within(
        lambda edge, n, a: mpmath.isint(n) and n >= 0 and _between_poles(edge, a),
        lambda n, a: mpmath.polygamma(int(n), a),
    ),
    "ceil": lambda edge, a: -_floor(edge, -a),
    "round": _plain(mpmath.nint),
    "mod": lambda edge, a, b: a - b * _floor(edge, _divide(edge, a, b)),
    "//": lambda edge, a, b: _floor(edge, _divide(edge, a, b)),
    "atan2": _plain(mpmath.atan2),
    "hypot": _plain(mpmath.hypot),
    "heaviside": lambda edge, a: mpmath.mpf(1 + edge.sign(a)) / 2,
    ">": lambda edge, a, b: mpmath.mpf(edge.sign(a - b) > 0),
    ">=": lambda edge, a, b: mpmath.mpf(edge.sign(a - b) >= 0),
    "<": lambda edge, a, b: mpmath.mpf(edge.sign(a - b) < 0),
    "<=": lambda edge, a, b: mpmath.mpf(edge.sign(a - b) <= 0),
    "==": lambda edge, a, b: mpmath.mpf(edge.sign(a - b) == 0),
    "!=": lambda edge, a, b: mpmath.mpf(edge.sign(a - b) != 0),
    "log2": lambda edge, a: _logarithm(edge, a) / mpmath.log(2),
    "abs": _plain(abs),
    "sign": lambda edge, a: mpmath.mpf(edge.sign(a)),
    "min": _plain(min),
    "max": _plain(max),
    "pdiv": lambda edge, a, b: mpmath.mpf(1) if _is_near_zero(edge, b) else _divide(edge, a, b),
    "plog": lambda edge, a: mpmath.mpf(0) if _is_near_zero(edge, a) else _logarithm(edge, abs(a)),
    "pinv": lambda edge, a: mpmath.mpf(0) if _is_near_zero(edge, a) else 1 / a,
    "cond": _plain(lambda a, b: b),
    "floor": _floor,
}

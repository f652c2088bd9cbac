"""Enclosures of formulas over ranges that may be infinite: what values no parameters can give.

Intervals of floats, rounded outward, with infinite ends; balls cannot say "positive" of an
exponential over all real numbers. ``None`` stands for "defined for none of the values".
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping

from symbed.language.expression import Item, Postfix, fold
from symbed.language.operators import Operator

Interval = tuple[float, float]

WHOLE: Interval = (-math.inf, math.inf)
LAZY = frozenset({"cond", "unless"})  # they look at an operand only where it is chosen
STEPS = 4  # units in the last place by which results are widened: what libm may be off


def enclosure(postfix: Postfix, ranges: Mapping[str, Interval]) -> Interval | None:
    """An interval that holds every value of a formula over ranges of its names.

    >>> from symbed.language.parser import parse
    >>> enclosure(parse("1 + exp(a)").postfix, {"a": (-math.inf, math.inf)})[0] > 0.99
    True
    """

    def leaf(item: Item) -> Interval | None:
        if isinstance(item, str):
            return ranges.get(item, WHOLE)
        if isinstance(item, Operator):
            return _widened(math.pi, math.pi) if item.name == "pi" else _widened(math.e, math.e)
        # A literal means the decimal that it shows, which its float only comes close to.
        return _widened(item, item) if item != int(item) else (item, item)

    def node(row: Operator, below: list[Interval | None]) -> Interval | None:
        operands = [part for part in below if part is not None]
        if len(operands) < len(below):
            # `cond` may not look at the operand that is undefined.
            return WHOLE if row.name in ("cond", "pdiv") else None
        rule = RULES.get(row.name)
        return rule(*operands) if rule else WHOLE

    try:
        return fold(postfix, leaf, node)
    # Of what Python's floats cannot do nothing is claimed.
    except (OverflowError, ValueError):
        return WHOLE


def defined_ranges(postfix: Postfix, ranges: Mapping[str, Interval]) -> dict[str, Interval]:
    """Ranges without the values for which the formula is undefined everywhere.

    Only a parameter that stands alone under a logarithm or a square root is looked at.
    """
    narrowed = dict(ranges)
    # An operand that is not chosen may be undefined: cond(a, ln(b)) is 0 for negative a.
    if any(isinstance(item, Operator) and item.name in LAZY for item in postfix):
        return narrowed
    for place, item in enumerate(postfix):
        if isinstance(item, Operator) and item.name in ("ln", "sqrt", "log10", "log2"):
            # In postfix order a name just before the operator is all of its operand.
            name = postfix[place - 1]
            if isinstance(name, str) and name in narrowed:
                low, high = narrowed[name]
                narrowed[name] = max(low, 0.0), high
    return narrowed


def _widened(low: float, high: float) -> Interval:
    for _ in range(STEPS):
        low, high = math.nextafter(low, -math.inf), math.nextafter(high, math.inf)
    return low, high


def _add(a: Interval, b: Interval) -> Interval:
    return _widened(a[0] + b[0], a[1] + b[1])


def _negate(a: Interval) -> Interval:
    return -a[1], -a[0]


def _multiply(a: Interval, b: Interval) -> Interval:
    products = [_product(x, y) for x in a for y in b]
    low, high = min(products), max(products)
    wide = _widened(low, high)
    # Zero is exact: a product of numbers that are not negative is not negative.
    return (max(wide[0], 0.0) if low >= 0.0 else wide[0]), (
        min(wide[1], 0.0) if high <= 0.0 else wide[1]
    )


def _product(x: float, y: float) -> float:
    # 0*inf is NaN for floats; here an infinite end is only approached, so that the product is 0.
    if x == 0.0 or y == 0.0:
        return 0.0
    product = x * y
    # Floats round to zero what is below the smallest of them, but it has a sign.
    return product if product else math.copysign(math.ulp(0.0), product)


def _invert(a: Interval) -> Interval | None:
    low, high = a
    if low == 0.0 == high:
        return None
    # Two half lines, which one interval cannot say.
    if low < 0.0 < high:
        return WHOLE
    # By the side on which the interval lies: a zero's own sign says nothing.
    infinite = math.copysign(math.inf, 1.0 if high > 0.0 else -1.0)
    result = _widened(*sorted(infinite if end == 0.0 else 1.0 / end for end in a))
    return (max(result[0], 0.0), result[1]) if low >= 0.0 else (result[0], min(result[1], 0.0))


def _divide(a: Interval, b: Interval) -> Interval | None:
    inverse = _invert(b)
    return None if inverse is None else _multiply(a, inverse)


def _whole_power(a: Interval, n: int) -> Interval | None:
    if n < 0:
        power = _whole_power(a, -n)
        return None if power is None else _invert(power)
    if n == 0:
        return 1.0, 1.0
    ends = [_powered(end, n) for end in a]
    if n % 2:
        return _widened(*ends)
    # An even power is smallest at zero, which is no end of the interval.
    low = 0.0 if a[0] <= 0.0 <= a[1] else min(ends)
    return max(0.0, _widened(low, low)[0]), _widened(max(ends), max(ends))[1]


def _powered(end: float, n: int) -> float:
    try:
        return float(end**n)
    except OverflowError:
        return math.copysign(math.inf, end) if n % 2 else math.inf


def _power(a: Interval, b: Interval) -> Interval | None:
    if b[0] == b[1] and b[0] == int(b[0]):
        return _whole_power(a, int(b[0]))
    if a[0] < 0.0 and not (b[1] - b[0] < 0.5 and math.floor(b[1]) < b[0]):
        # Whole exponents within the interval have real powers of negative numbers.
        return WHOLE
    if a[1] < 0.0:
        return None
    # Without the negative bases, which have no powers here. The logarithm is None where zero alone
    # is left.
    logarithm = _logarithm((max(a[0], 0.0), a[1]))
    return (0.0, math.inf) if logarithm is None else _exponential(_multiply(logarithm, b))


def _or_infinity(function: Callable[[float], float], end: float) -> float:
    # Python raises an error instead of infinity. As a lower end infinity is widened to the largest
    # floats, which such a value is above.
    try:
        return function(end)
    except OverflowError:
        return math.copysign(math.inf, end)


def _exponential(a: Interval) -> Interval:
    low, high = _widened(*(_or_infinity(math.exp, end) for end in a))
    return max(low, 0.0), high


def _logarithm(a: Interval) -> Interval | None:
    if a[1] <= 0.0:
        return None
    ends = [
        -math.inf if end <= 0.0 else math.inf if end == math.inf else math.log(end) for end in a
    ]
    return _widened(*ends)


def _square_root(a: Interval) -> Interval | None:
    if a[1] < 0.0:
        return None
    # Over the part of the interval that has a root.
    low, high = _widened(*(math.sqrt(max(end, 0.0)) for end in a))
    return max(low, 0.0), high


def _cube_root(a: Interval) -> Interval:
    # Not by the power 1/3, whose rounding is 57 units in the last place at 1e300.
    return _widened(*map(math.cbrt, a))


def _rising(function: Callable[[float], float]) -> Callable[[Interval], Interval]:
    return lambda a: _widened(function(a[0]), function(a[1]))


def _wave(a: Interval) -> Interval:
    return -1.0, 1.0  # parameters are all reals unless restricted: a whole period is usual


def _arc(function: Callable[[float], float]) -> Callable[[Interval], Interval | None]:
    def arc(a: Interval) -> Interval | None:
        if a[0] > 1.0 or a[1] < -1.0:
            return None
        ends = sorted(function(min(max(end, -1.0), 1.0)) for end in a)
        return _widened(ends[0], ends[1])

    return arc


def _absolute(a: Interval) -> Interval:
    low = 0.0 if a[0] <= 0.0 <= a[1] else min(abs(a[0]), abs(a[1]))
    return low, max(abs(a[0]), abs(a[1]))


def _cosh(a: Interval) -> Interval:
    low, high = _absolute(a)
    ends = _widened(*(_or_infinity(math.cosh, end) for end in (low, high)))
    return max(ends[0], 1.0), ends[1]


def _sign(a: Interval) -> Interval:
    return float((a[0] > 0) - (a[0] < 0)), float((a[1] > 0) - (a[1] < 0))


def _floor(a: Interval) -> Interval:
    low, high = (end if math.isinf(end) else float(math.floor(end)) for end in a)
    return low, high


RULES: dict[str, Callable[..., Interval | None]] = {
    "+": _add,
    "-": lambda a, b: _add(a, _negate(b)),
    "*": _multiply,
    "/": _divide,
    "^": _power,
    "neg": _negate,
    "^2": lambda a: _whole_power(a, 2),
    "^3": lambda a: _whole_power(a, 3),
    "^4": lambda a: _whole_power(a, 4),
    "^5": lambda a: _whole_power(a, 5),
    "^-1": _invert,
    "sin": _wave,
    "cos": _wave,
    "asin": _arc(math.asin),
    "acos": _arc(math.acos),
    "atan": _rising(math.atan),
    "sinh": _rising(lambda end: _or_infinity(math.sinh, end)),
    "cosh": _cosh,
    "tanh": _rising(math.tanh),
    "sech": lambda a: _invert(_cosh(a)),
    "sqrt": _square_root,
    "cbrt": _cube_root,
    "exp": _exponential,
    "ln": _logarithm,
    "abs": _absolute,
    "sign": _sign,
    "min": lambda a, b: (min(a[0], b[0]), min(a[1], b[1])),
    "max": lambda a, b: (max(a[0], b[0]), max(a[1], b[1])),
    "floor": _floor,
}

"""Every operator as a function of NumPy arrays, with the same bits as the native core.

The twin of ``native/elementary/elementary.h``: every function is built from operations that IEEE
754 rounds correctly, in the order of the native code, so neither the machine nor NumPy's version
matters. ``FUNCTIONS`` has one row for each operator of ``language.operators.TABLE`` with operands;
their operands may have any shapes that broadcast.

>>> FUNCTIONS["^"]([[2.0], [-3.0]], [0.0, 2.0, 3.0]).tolist()
[[1.0, 4.0, 8.0], [1.0, 9.0, -27.0]]
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from symbed._types import Booleans, Floats
from symbed.engine.reference.elementary import _exponential as exponential
from symbed.engine.reference.elementary import _special as special
from symbed.engine.reference.elementary import _trigonometric as trigonometric
from symbed.engine.reference.elementary import hyperbolic
from symbed.engine.reference.elementary._arithmetic import (
    bits,
    magnitude,
    nearest_whole,
    real,
    select,
    signed_as,
)
from symbed.language.operators import TABLE

Function = Callable[..., Floats]

BLOCK = 4096  # elements at a time, so that the steps between stay in the cache
NEAR_ZERO = 0.001  # gplearn's protected functions have a fixed value up to here


def sign_of(x: Floats) -> Floats:
    """1, 0 or -1."""
    zero_or_undefined = select(x == 0.0, 0.0, x)
    return select(x > 0.0, 1.0, select(x < 0.0, -1.0, zero_or_undefined))


def min_of(x: Floats, y: Floats) -> Floats:
    """The smaller one; of 0 and -0 it is -0, so that operands may change places."""
    # Equal numbers have equal bits, but for the sign of zeros, which is chosen so.
    same = select(x == y, real(bits(x) | bits(y)), np.nan)
    return select(x < y, x, select(y < x, y, same))


def max_of(x: Floats, y: Floats) -> Floats:
    """The larger one; of 0 and -0 it is 0."""
    same = select(x == y, real(bits(x) & bits(y)), np.nan)
    return select(x > y, x, select(y > x, y, same))


def pdiv_of(x: Floats, y: Floats) -> Floats:
    """Gplearn's division: 1 where the divisor is near zero, undefined where an operand is."""
    value = select(magnitude(y) <= NEAR_ZERO, 1.0, x / y)
    return select((magnitude(x) < np.inf) & (magnitude(y) < np.inf), value, np.nan)


def plog_of(x: Floats) -> Floats:
    """Gplearn's logarithm of the magnitude: 0 near zero."""
    size = magnitude(x)
    return select(size <= NEAR_ZERO, 0.0, exponential.ln_of(size))


def pinv_of(x: Floats) -> Floats:
    """Gplearn's inverse: 0 near zero."""
    value = select(magnitude(x) <= NEAR_ZERO, 0.0, 1.0 / x)
    return select(magnitude(x) < np.inf, value, np.nan)


def floor_of(x: Floats) -> Floats:
    """The largest integer that is not above; what was rounded up goes down by one."""
    nearest = nearest_whole(x)
    return select(nearest > x, nearest - 1.0, nearest)


def mod_of(a: Floats, b: Floats) -> Floats:
    """The remainder with the sign of ``b``, as Python, NumPy and Julia have it."""
    rest = np.fmod(a, b)  # a double, and exact: the long division of the core has the same bits
    turned = select((rest < 0.0) != (b < 0.0), rest + b, rest)
    return select(rest == 0.0, signed_as(np.zeros_like(b), b), turned)


def floordiv_of(a: Floats, b: Floats) -> Floats:
    """The floor of the quotient before it is rounded."""
    rest = np.fmod(a, b)
    whole = (a - rest) / b
    other_side = (rest < 0.0) != (b < 0.0)
    return nearest_whole(select((rest != 0.0) & other_side, whole - 1.0, whole))


def _chosen(yes: Booleans, no: Booleans, value: Floats | float) -> Floats:
    """A value where the one holds, 0 where the other does, NaN where an operand is undefined."""
    return select(no, 0.0, select(yes, value, np.nan))


# Operators whose whole kernel is an expression, by the identifiers of their rows.
EXPRESSIONS: dict[str, Function] = {
    "add": lambda x, y: x + y,
    "sub": lambda x, y: x - y,
    "mul": lambda x, y: x * y,
    "div": lambda x, y: x / y,
    "neg": lambda x: -x,
    "square": lambda x: x * x,
    "cube": lambda x: x * x * x,
    "pow4": lambda x: (x * x) * (x * x),
    "pow5": lambda x: ((x * x) * (x * x)) * x,
    "inv": lambda x: 1.0 / x,
    "sqrt": np.sqrt,
    "abs": magnitude,
    "ceil": lambda x: -floor_of(-x),
    "round": nearest_whole,
    "relu": lambda x: max_of(x, np.zeros_like(x)),
    "heaviside": lambda x: select(x > 0.0, 1.0, select(x < 0.0, 0.0, select(x == 0.0, 0.5, x))),
    "cond": lambda x, y: _chosen(x > 0.0, x <= 0.0, y),  # PySR's switch
    "unless": lambda x, y: _chosen(x <= 0.0, x > 0.0, y),
    "greater": lambda x, y: _chosen(x > y, x <= y, 1.0),
    "greater_equal": lambda x, y: _chosen(x >= y, x < y, 1.0),
    "less": lambda x, y: _chosen(x < y, x >= y, 1.0),
    "less_equal": lambda x, y: _chosen(x <= y, x > y, 1.0),
    "equal": lambda x, y: _chosen(x == y, (x < y) | (x > y), 1.0),
    "not_equal": lambda x, y: _chosen((x < y) | (x > y), x == y, 1.0),
}
# By their names: <identifier>_of is the kernel of the operator with that identifier.
KERNELS: dict[str, Function] = EXPRESSIONS | {
    name.removesuffix("_of"): kernel
    for module in (
        vars(exponential),
        vars(trigonometric),
        vars(hyperbolic),
        vars(special),
        globals(),
    )
    for name, kernel in module.items()
    if name.endswith("_of")
}


def _elementwise(kernel: Function) -> Function:
    """Let a kernel for flat arrays take operands of any shapes that broadcast."""

    def function(*operands: npt.ArrayLike) -> Floats:
        arrays = np.broadcast_arrays(*(np.asarray(x, dtype=np.float64) for x in operands))
        flat = [np.ascontiguousarray(array).reshape(-1) for array in arrays]
        out = np.empty_like(flat[0])
        with np.errstate(all="ignore"):
            for start in range(0, out.size, BLOCK):
                block = slice(start, start + BLOCK)
                out[block] = kernel(*(array[block] for array in flat))
        return out.reshape(arrays[0].shape)

    return function


FUNCTIONS = {row.name: _elementwise(KERNELS[row.identifier]) for row in TABLE if row.arity}

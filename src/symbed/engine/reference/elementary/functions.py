"""Every operator as a function of NumPy arrays, with the same bits as the native core.

The twin of ``native/elementary/elementary.h``: every function is built from operations that IEEE
754 rounds correctly, in the order of the native code, so neither the machine nor NumPy's version
matters.
``FUNCTIONS`` has one row for each operator of ``language.operators.TABLE`` with operands; their
operands may have any shapes that broadcast.

>>> FUNCTIONS["^"]([[2.0], [-3.0]], [0.0, 2.0, 3.0]).tolist()
[[1.0, 4.0, 8.0], [1.0, 9.0, -27.0]]
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from symbed._types import Floats
from symbed.engine.reference.elementary import (
    exponential,
    hyperbolic,
    plane,
    powers,
    remainders,
    special,
    trigonometric,
)
from symbed.engine.reference.elementary.bit_operations import (
    bits,
    magnitude,
    real,
    select,
)
from symbed.language.operator_row import Operator
from symbed.language.operators import TABLE

Function = Callable[..., Floats]

BLOCK = 4096  # elements at a time, so that the steps between stay in the cache


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

    function.__name__ = kernel.__name__.removesuffix("_of")
    function.__doc__ = kernel.__doc__
    return function


def _add_of(x: Floats, y: Floats) -> Floats:
    return x + y


def _sub_of(x: Floats, y: Floats) -> Floats:
    return x - y


def _mul_of(x: Floats, y: Floats) -> Floats:
    return x * y


def _div_of(x: Floats, y: Floats) -> Floats:
    return x / y


def _neg_of(x: Floats) -> Floats:
    return -x


def _square_of(x: Floats) -> Floats:
    return x * x


def _cube_of(x: Floats) -> Floats:
    return x * x * x


def _pow4_of(x: Floats) -> Floats:
    return (x * x) * (x * x)


def _pow5_of(x: Floats) -> Floats:
    return ((x * x) * (x * x)) * x


def _inv_of(x: Floats) -> Floats:
    return 1.0 / x


def _sqrt_of(x: Floats) -> Floats:
    return np.sqrt(x)


def _abs_of(x: Floats) -> Floats:
    return magnitude(x)


def _sign_of(x: Floats) -> Floats:
    zero_or_undefined = select(x == 0.0, 0.0, x)
    return select(x > 0.0, 1.0, select(x < 0.0, -1.0, zero_or_undefined))


def _min_of(x: Floats, y: Floats) -> Floats:
    same = select(x == y, real(bits(x) | bits(y)), np.nan)
    return select(x < y, x, select(y < x, y, same))


def _max_of(x: Floats, y: Floats) -> Floats:
    same = select(x == y, real(bits(x) & bits(y)), np.nan)
    return select(x > y, x, select(y > x, y, same))


def _pdiv_of(x: Floats, y: Floats) -> Floats:
    value = select(magnitude(y) <= _NEAR_ZERO, 1.0, x / y)
    return select((magnitude(x) < np.inf) & (magnitude(y) < np.inf), value, np.nan)


def _plog_of(x: Floats) -> Floats:
    size = magnitude(x)
    return select(size <= _NEAR_ZERO, 0.0, exponential.ln_of(size))


def _pinv_of(x: Floats) -> Floats:
    value = select(magnitude(x) <= _NEAR_ZERO, 0.0, 1.0 / x)
    return select(magnitude(x) < np.inf, value, np.nan)


def _cond_of(x: Floats, y: Floats) -> Floats:
    return select(x <= 0.0, 0.0, select(x > 0.0, y, np.nan))


def _unless_of(x: Floats, y: Floats) -> Floats:
    return select(x > 0.0, 0.0, select(x <= 0.0, y, np.nan))


def _relu_of(x: Floats) -> Floats:
    return _max_of(x, np.zeros_like(x))


def _heaviside_of(x: Floats) -> Floats:
    return select(x > 0.0, 1.0, select(x < 0.0, 0.0, select(x == 0.0, 0.5, x)))


def _greater_of(x: Floats, y: Floats) -> Floats:
    return select(x > y, 1.0, select(x <= y, 0.0, np.nan))


def _greater_equal_of(x: Floats, y: Floats) -> Floats:
    return select(x >= y, 1.0, select(x < y, 0.0, np.nan))


def _less_of(x: Floats, y: Floats) -> Floats:
    return _greater_of(y, x)


def _less_equal_of(x: Floats, y: Floats) -> Floats:
    return _greater_equal_of(y, x)


def _equal_of(x: Floats, y: Floats) -> Floats:
    return select(x == y, 1.0, select((x < y) | (x > y), 0.0, np.nan))


def _not_equal_of(x: Floats, y: Floats) -> Floats:
    return 1.0 - _equal_of(x, y)


_NEAR_ZERO = 0.001  # gplearn's protected functions have a fixed value up to here
_MODULES = (
    *(
        vars(m)
        for m in (exponential, trigonometric, powers, hyperbolic, plane, remainders, special)
    ),
    globals(),
)


def _kernel(row: Operator) -> Function:
    """The kernel of an operator: the function of its name with ``_of``, here or in its module."""
    name = f"{row.identifier}_of"
    kernel: Function = next(m[key] for m in _MODULES for key in (name, f"_{name}") if key in m)
    return kernel


FUNCTIONS = {row.name: _elementwise(_kernel(row)) for row in TABLE if row.arity}

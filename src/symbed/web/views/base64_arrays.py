"""Arrays of numbers on their way to the page: base64 of their little-endian bytes."""

from __future__ import annotations

import base64
from typing import Any

import numpy as np
from numpy.typing import NDArray


def encode(numbers: NDArray[Any]) -> str:
    """An array as text: floats of 4 bytes; whole numbers of 4 bytes, or of one, stay what they are.

    >>> encode(np.array([1.0]))
    'AACAPw=='
    """
    if numbers.dtype not in (np.uint8, np.int32):
        with np.errstate(over="ignore"):
            numbers = numbers.astype("<f4")
    little_endian = numbers.astype(numbers.dtype.newbyteorder("<"), copy=False)
    return base64.b64encode(little_endian.tobytes()).decode("ascii")

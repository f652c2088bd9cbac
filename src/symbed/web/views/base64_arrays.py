"""Arrays of numbers on their way to the page: base64 of their little-endian bytes."""

from __future__ import annotations

import base64
from typing import Any

from numpy.typing import NDArray


def encode(numbers: NDArray[Any]) -> str:
    """An array as text, each number in as many bytes as it has.

    What is only a place on the screen is given with 4 bytes; an output of 1e60 or 1e-60 is not.

    >>> import numpy as np
    >>> encode(np.array([1.0], np.float32)), encode(np.array([1.0]))
    ('AACAPw==', 'AAAAAAAA8D8=')
    """
    little_endian = numbers.astype(numbers.dtype.newbyteorder("<"), copy=False)
    return base64.b64encode(little_endian.tobytes()).decode("ascii")

"""The types of arrays and seeds that the library passes around, defined once."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Singles = NDArray[np.float32]
Integers = NDArray[np.int64]
Counts = NDArray[np.int32]
Words = NDArray[np.uint64]
Booleans = NDArray[np.bool_]
Seed: TypeAlias = "int | np.random.Generator"  # a text: numpy.random is loaded late

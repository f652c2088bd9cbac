"""Family: any parametrized function of the inputs, given as a Python callable."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from symbed._types import Floats
from symbed.errors import DataError, ShapeError


@dataclass(frozen=True)
class Family:
    """A family of functions that symbed knows only by calling it.

    Parameters
    ----------
    function : callable
        Called as ``function(points, vector)`` with the (n_points, n_variables) inputs and one
        parameter vector; returns the n_points outputs. A model with hyper-parameters fits here.
    parameters : tuple of str
        Names of the parameters, in the order of the vector.
    label : str
        What results call it.

    Examples
    --------
    >>> line = Family(lambda x, c: c[0] * x[:, 0] + c[1], parameters=("a", "b"), label="line")
    >>> line.outputs(np.array([[1.0], [2.0]]), np.array([3.0, 1.0]))
    array([4., 7.])
    """

    function: Callable[[Floats, Floats], Any]
    parameters: tuple[str, ...] = ()
    label: str = "family"

    def __post_init__(self) -> None:
        if not callable(self.function):
            raise ShapeError(f"a Family needs a callable, got {type(self.function).__name__}")
        if isinstance(self.parameters, str):
            raise ShapeError(
                f"parameters of a Family are a sequence of names, got {self.parameters!r}; "
                f"write ({self.parameters!r},)"
            )
        object.__setattr__(self, "parameters", tuple(self.parameters))

    def outputs(self, points: Floats, vector: Floats) -> Floats:
        """The outputs at all points for one parameter vector."""
        outputs = np.asarray(self.function(points, vector), dtype=np.float64)
        if outputs.shape != (len(points),):
            raise DataError(
                f"{self.label!r} must return one output for each of the {len(points)} points, "
                f"got shape {outputs.shape}"
            )
        return outputs

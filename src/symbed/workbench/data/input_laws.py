"""The laws that benchmark data sets draw their inputs from.

Each has ``.ppf`` and so can stand in the domain of a ``Probe``. A law with ``signs="+-"`` draws a
magnitude and then either sign, as the SRSD data sets do.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from symbed._types import Floats
from symbed.engine.reference.elementary.functions import FUNCTIONS
from symbed.errors import RangeError

Signs = Literal["+", "-", "+-"]


@dataclass(frozen=True)
class Uniform:
    """Every number between two ends alike."""

    low: float
    high: float

    def __post_init__(self) -> None:
        _require(self.low < self.high, "uniform", "low < high", self.low, self.high)

    def ppf(self, levels: ArrayLike) -> Floats:
        """The quantiles at some levels.

        >>> Uniform(1, 5).ppf([0.0, 0.25, 1.0])
        array([1., 2., 5.])
        """
        return self.low + (self.high - self.low) * np.asarray(levels, dtype=np.float64)


@dataclass(frozen=True)
class LogUniform:
    """Every order of magnitude between two positive ends alike, with one sign or both."""

    low: float
    high: float
    signs: Signs = "+"

    def __post_init__(self) -> None:
        _require(0 < self.low < self.high, "log-uniform", "0 < low < high", self.low, self.high)
        _require_signs(self.signs)

    def ppf(self, levels: ArrayLike) -> Floats:
        """The quantiles at some levels.

        >>> LogUniform(1, 4, "+-").ppf([0.0, 0.25, 0.75, 1.0])
        array([-4., -2.,  2.,  4.])
        """
        sign, share = _split(levels, self.signs)
        # Rounding may carry the ends a bit outside.
        return sign * np.clip(self.low * _power(self.high / self.low, share), self.low, self.high)


@dataclass(frozen=True)
class IntegerUniform:
    """Every whole number from one to another alike, both included, with one sign or both."""

    low: int
    high: int
    signs: Signs = "+"

    def __post_init__(self) -> None:
        _require(self.low < self.high, "integer", "low < high", self.low, self.high)
        _require_signs(self.signs)
        if self.signs != "+" and self.low < 0:
            raise RangeError(f"an integer law with signs needs low >= 0, got {self.low}")

    def ppf(self, levels: ArrayLike) -> Floats:
        """The quantiles at some levels.

        >>> IntegerUniform(1, 2, "+-").ppf([0.1, 0.3, 0.6, 0.9])
        array([-2., -1.,  1.,  2.])
        """
        sign, share = _split(levels, self.signs)
        count = self.high - self.low + 1
        # Level 1 is a step beyond the last.
        steps: Floats = np.minimum(np.floor(share * count), count - 1)
        return sign * (self.low + steps)


DataLaw = Uniform | LogUniform | IntegerUniform


def read_law(text: str) -> DataLaw:
    """A law from its text in the tables.

    >>> read_law("log-uniform:0.1:10:+-")
    LogUniform(low=0.1, high=10.0, signs='+-')
    """
    kind, low, high, *signs = text.split(":")
    if kind == "uniform" and not signs:
        return Uniform(float(low), float(high))
    if kind == "log-uniform":
        return LogUniform(float(low), float(high), *signs)  # type: ignore[arg-type]
    if kind == "integer":
        return IntegerUniform(int(low), int(high), *signs)  # type: ignore[arg-type]
    raise RangeError(f"a law is uniform:, log-uniform: or integer:low:high[:signs], got {text!r}")


def _split(levels: ArrayLike, signs: Signs) -> tuple[Floats, Floats]:
    """Sign and level of the magnitude; the lower half of the levels is negative for both signs."""
    u = np.asarray(levels, dtype=np.float64)
    if signs == "+":
        return np.ones_like(u), u
    if signs == "-":
        # Quantiles rise with the level, so the largest magnitude comes first.
        return -np.ones_like(u), 1.0 - u
    return np.where(u < 0.5, -1.0, 1.0), np.abs(2.0 * u - 1.0)


def _power(base: float, exponents: Floats) -> Floats:
    # The engine's own power: the same bits on every machine, where a library's differ.
    return FUNCTIONS["^"](np.full_like(exponents, base), exponents)


def _require(holds: bool, kind: str, needed: str, low: float, high: float) -> None:
    if not holds:
        raise RangeError(f"a {kind} law needs {needed}, got ({low}, {high})")


def _require_signs(signs: str) -> None:
    if signs not in ("+", "-", "+-"):
        raise RangeError(f"signs must be '+', '-' or '+-', got {signs!r}")

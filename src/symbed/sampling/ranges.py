"""Ranges of variables and parameters as laws, from unit numbers to values.

``(low, high)`` is the uniform law; anything with a quantile function ``.ppf``, such as a frozen law
of ``scipy.stats``, is taken as it is.
"""

from __future__ import annotations

import hashlib
import math
from dataclasses import dataclass, field
from numbers import Real
from typing import Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import ArrayLike

from symbed._types import Floats
from symbed.errors import RangeError


@runtime_checkable
class Quantiles(Protocol):
    """Anything with a quantile function, for example ``scipy.stats.norm(0, 1)``."""

    def ppf(self, q: Any) -> Any:
        """The value below which a share ``q`` of the outcomes lies."""


EDGE = 2.0**-53  # quantile functions, often infinite at 0 and 1, are asked no closer than this
FINGERPRINT_LEVELS = (np.arange(64) + 0.5) / 64


@dataclass(frozen=True, eq=False, repr=False)
class Law:
    """How one variable or parameter is distributed.

    Make one with ``Law.of``. Two laws are equal when their fingerprints are: uniform laws by their
    ends, laws of ``scipy.stats`` by name and arguments, others by 64 of their quantiles.

    Attributes
    ----------
    low, high : float
        The ends of a uniform law; NaN otherwise.
    source : Quantiles, optional
        The object with ``.ppf``, or None for a uniform law.
    fingerprint : str
        Text that tells equal laws from others.
    """

    low: float
    high: float
    source: Quantiles | None = None
    fingerprint: str = field(default="", compare=False)

    @classmethod
    def of(cls, given: object, owner: str = "range") -> Law:
        """The law that a user means.

        Parameters
        ----------
        given : object
            ``(low, high)``, an object with ``.ppf``, or a ``Law``.
        owner : str
            Whose range it is, for error messages: ``"domain of 'x'"``.

        >>> Law.of((1, 5)).at(0.25)
        array(2.)
        """
        if isinstance(given, Law):
            return given
        # A class has .ppf as well; only an object with its arguments is a law.
        if isinstance(given, Quantiles) and not isinstance(given, type):
            return _quantile_law(given, owner)
        return _uniform_law(given, owner)

    def at(self, levels: ArrayLike) -> Floats:
        """The values at levels between 0 and 1, in the shape of ``levels``."""
        u = np.asarray(levels, dtype=np.float64)
        if self.source is None:
            return np.asarray(self.low + (self.high - self.low) * u)
        values = np.array(self.source.ppf(np.clip(u, EDGE, 1.0 - EDGE)), dtype=np.float64)
        if not np.isfinite(values).all():
            raise RangeError(f"the law {self!r} has quantiles that are not finite")
        return values.reshape(u.shape)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Law) and self.fingerprint == other.fingerprint

    def __hash__(self) -> int:
        return hash(self.fingerprint)

    def __repr__(self) -> str:
        if self.source is None:
            return f"({self.low:g}, {self.high:g})"
        return _described(self.source) or type(self.source).__name__


Range = tuple[float, float] | Quantiles | Law


def _uniform_law(given: object, owner: str) -> Law:
    low, high = _ends(given, owner)
    if not (math.isfinite(low) and math.isfinite(high)):
        raise RangeError(f"{owner} needs finite ends, got {_shown(given)}")
    if not low < high:
        raise RangeError(f"{owner} needs low < high, got {_shown(given)}")
    if not math.isfinite(high - low):
        raise RangeError(f"{owner} is too wide for 64-bit numbers, got {_shown(given)}")
    return Law(low, high, fingerprint=f"uniform {low.hex()} {high.hex()}")


def _ends(given: object, owner: str) -> tuple[float, float]:
    ends = given.tolist() if isinstance(given, np.ndarray) else given
    if not isinstance(ends, tuple | list) or len(ends) != 2 or not all(map(_is_real, ends)):
        raise RangeError(f"{owner} needs (low, high) or a law with .ppf, got {_shown(given)}")
    return _float(ends[0]), _float(ends[1])


def _is_real(number: object) -> bool:
    return isinstance(number, Real) and not isinstance(number, bool | np.bool_)


def _float(number: Any) -> float:
    try:
        return float(number)
    except OverflowError:  # an int beyond the largest float
        return math.inf if number > 0 else -math.inf


def _shown(given: object) -> str:
    """The value as the user wrote it, cut when long."""
    text = repr(tuple(map(_plain, given)) if isinstance(given, tuple) else given)
    return text if len(text) <= 80 else text[:77] + "..."


def _quantile_law(source: Quantiles, owner: str) -> Law:
    try:
        # A copy, since a stranger's .ppf may write into what it is given.
        quantiles = np.array(source.ppf(FINGERPRINT_LEVELS.copy()), dtype=np.float64)
    except Exception as error:
        raise RangeError(f"{owner}: the law's .ppf failed on an array ({error})") from error
    if quantiles.shape != FINGERPRINT_LEVELS.shape:
        raise RangeError(f"{owner}: the law's .ppf must return one number per level")
    name = _described(source)
    shown = name or repr(source)
    if not np.isfinite(quantiles).all():
        raise RangeError(f"{owner} needs a law with finite quantiles, got {shown}")
    # Equal neighbors are fine: discrete laws have them.
    if (np.diff(quantiles) < 0).any():
        raise RangeError(f"{owner} needs a law whose .ppf rises, got {shown}")
    named = name or hashlib.sha256(quantiles.tobytes()).hexdigest()
    return Law(math.nan, math.nan, source, f"law {named}")


def _described(source: object) -> str:
    """Name and arguments of a frozen law of scipy.stats; empty for other objects."""
    name = getattr(getattr(source, "dist", None), "name", None)
    arguments = getattr(source, "args", None)
    words = getattr(source, "kwds", None)
    if not isinstance(name, str) or not isinstance(arguments, tuple) or not isinstance(words, dict):
        return ""
    shown = [repr(_plain(a)) for a in arguments]
    shown += [f"{key}={_plain(words[key])!r}" for key in sorted(words)]
    return f"{name}({', '.join(shown)})"


def _plain(argument: Any) -> Any:
    """Numbers without their NumPy types, whose repr differs between versions."""
    return argument.item() if isinstance(argument, np.number) else argument

"""Units of work: functions of plain arguments that give named arrays.

A unit is a function of its arguments alone, so it can be computed anywhere, again, and in any
order. What an experiment has computed is the sum of its finished units.
"""

from __future__ import annotations

import hashlib
import re
import sys
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from symbed import __version__
from symbed.errors import RangeError, ShapeError

Scale = Literal["small", "paper"]
Arrays = Mapping[str, NDArray[Any]]
NAME = re.compile(r"\w[\w.-]*", re.ASCII)


@dataclass(frozen=True)
class Unit:
    """One piece of an experiment.

    Parameters
    ----------
    name : str
        Unique within the experiment; letters, digits, ``.``, ``_`` and ``-``, since it becomes the
        name of a file.
    function : callable
        A function of a module, so that another process can find it. It gives arrays of numbers or
        texts, never of objects, and works with one thread.
    arguments : tuple
        Plain values (numbers, texts, tuples of them).
    """

    name: str
    function: Callable[..., Arrays]
    arguments: tuple[Any, ...] = ()

    def __post_init__(self) -> None:
        if not NAME.fullmatch(self.name):
            raise RangeError(
                f"a unit's name has letters, digits, '.', '_' and '-' only, got {self.name!r}"
            )

    @property
    def key(self) -> str:
        """A digest of what decides the arrays."""
        home = f"{self.function.__module__}.{self.function.__qualname__}"
        said = repr((__version__, home, self.arguments))
        return hashlib.blake2b(said.encode(), digest_size=16).hexdigest()


class Cost(NamedTuple):
    """What a unit cost: seconds on the clock and of CPU, its process's peak memory, its start."""

    seconds: float
    cpu_seconds: float
    peak_bytes: int
    began: float = 0.0  # seconds since 1970


class Finished(NamedTuple):
    """The arrays of a unit, and what they cost."""

    arrays: Arrays
    cost: Cost


def compute(unit: Unit) -> Finished:
    """Compute a unit here and now."""
    now, began, cpu_began = time.time(), time.perf_counter(), time.process_time()
    arrays = {name: np.asarray(array) for name, array in unit.function(*unit.arguments).items()}
    seconds, cpu_seconds = time.perf_counter() - began, time.process_time() - cpu_began
    for name, array in arrays.items():
        if array.dtype.hasobject:  # would need pickle to be kept
            raise ShapeError(f"array {name!r} of unit {unit.name!r} holds objects, not numbers")
    return Finished(arrays, Cost(seconds, cpu_seconds, peak_bytes(), now))


def peak_bytes() -> int:
    """The most memory that this process has used so far; 0 where the system does not tell."""
    try:
        import resource
    except ImportError:  # only POSIX systems have it
        return 0
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else 1024 * peak

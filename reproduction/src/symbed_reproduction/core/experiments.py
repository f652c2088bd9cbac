"""Experiments and their units of work: functions of plain arguments that give named arrays.

A unit is a function of its arguments alone, so it can be computed anywhere, again, and in any
order. What an experiment has computed is the sum of its finished units. There is one row for each
experiment; its code is imported when it is asked for.
"""

from __future__ import annotations

import hashlib
import importlib
import re
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from symbed import __version__
from symbed.errors import RangeError, ShapeError

if TYPE_CHECKING:
    from symbed_reproduction.core.outcomes import Outcome

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


SCALES: tuple[Scale, ...] = ("small", "paper")


@dataclass(frozen=True)
class Experiment:
    """One experiment: its name, which is that of its folder too, and its question.

    The folder's module ``experiment`` has three functions. ``plan(scale)`` lists the units of work;
    ``conclude(scale, results)`` makes the outcome from the arrays of all units, by name;
    ``draw(outcome)`` gives its figures by name, one after the other. One that
    ``takes_expressions`` has ``plan(scale, folder)`` too.
    """

    name: str
    question: str
    takes_expressions: bool = False

    def plan(self, scale: Scale, expressions: str | Path | None = None) -> list[Unit]:
        """The units of work, long ones first; with ``expressions``, of the sets in that folder."""
        if scale not in SCALES:
            raise RangeError(f"scale must be one of {', '.join(SCALES)}, got {scale!r}")
        if expressions is not None and not self.takes_expressions:
            able = [row.name for row in EXPERIMENTS.values() if row.takes_expressions]
            raise RangeError(
                f"experiment {self.name!r} takes no expressions; give them to {', '.join(able)}"
            )
        given = () if expressions is None else (expressions,)
        units: list[Unit] = self._code.plan(scale, *given)
        return units

    def command(self, scale: Scale, with_expressions: bool = False) -> str:
        """What to type to run it."""
        given = " --expressions FOLDER" * with_expressions
        return f"symbed reproduce {self.name} --scale {scale}{given} -o results"

    def conclude(self, scale: Scale, results: Mapping[str, Arrays]) -> Outcome:
        """The outcome, from the arrays of all units."""
        outcome: Outcome = self._code.conclude(scale, results)
        return outcome

    def draw(self, outcome: Outcome) -> Iterator[tuple[str, Any]]:
        """The figures of an outcome: names, and the axes of each."""
        figures: Iterator[tuple[str, Any]] = self._code.draw(outcome)
        return figures

    @property
    def _code(self) -> ModuleType:
        return importlib.import_module(f"symbed_reproduction.{self.name}.experiment")


EXPERIMENTS = {
    row.name: row
    for row in (
        Experiment("taylor", "Does the measure depend on the domain as behavior does?"),
        Experiment("figures", "What do behaviors and their distance look like?"),
        Experiment("limits", "What are the measure's weaknesses worth in numbers?"),
        Experiment("clustering", "Do equivalent expressions end up together?"),
        Experiment("consistency", "Do repeated runs rank expressions alike?", True),
        Experiment("smoothness", "Are expressions near the truth also good ones?"),
    )
}


def find(name: str) -> Experiment:
    """The experiment of this name."""
    if name not in EXPERIMENTS:
        raise RangeError(f"experiment must be one of {', '.join(EXPERIMENTS)}, got {name!r}")
    return EXPERIMENTS[name]

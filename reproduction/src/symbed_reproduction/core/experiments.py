"""The table of experiments: one row each; a row's code is imported when it is asked for."""

from __future__ import annotations

import importlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

from symbed.errors import RangeError
from symbed_reproduction.core.outcomes import Outcome
from symbed_reproduction.core.units import Arrays, Scale, Unit

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

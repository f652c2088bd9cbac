"""Dice: a stream of random integers goes in; chances and choices come out."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from symbed.workbench.grammar.tables import SCALE


@dataclass(frozen=True)
class Dice:
    """Decisions from random integers below 2^53."""

    numbers: Iterator[int]

    def chance(self, probability: float) -> bool:
        """True with this probability."""
        return next(self.numbers) < probability * SCALE

    def index(self, n: int) -> int:
        """One of 0 .. n-1, each equally likely."""
        return next(self.numbers) * n // SCALE

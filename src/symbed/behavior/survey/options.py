"""Options: how sources are surveyed; checked once, when they are given."""

from __future__ import annotations

from collections.abc import Iterable, Sized
from concurrent.futures import Executor
from dataclasses import dataclass

from symbed.behavior.survey.collector import Errors, Keep
from symbed.errors import RangeError
from symbed.progress import Progress, Shown


@dataclass(frozen=True)
class Options:
    """How sources are surveyed; see ``survey``."""

    workers: int | None = None
    executor: Executor | None = None
    progress: Shown = None
    errors: Errors = "raise"
    keep: Keep = "behaviors"

    def counter(self, sources: Iterable[object]) -> Progress:
        """What counts the sources that are done."""
        total = len(sources) if isinstance(sources, Sized) else None
        return Progress("survey", total, self.progress)

    def __post_init__(self) -> None:
        if self.errors not in ("raise", "skip"):
            raise RangeError(f"errors must be 'raise' or 'skip', got {self.errors!r}")
        if self.keep not in ("behaviors", "programs"):
            raise RangeError(f"keep must be 'behaviors' or 'programs', got {self.keep!r}")

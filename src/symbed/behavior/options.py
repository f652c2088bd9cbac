"""Options: how sources are surveyed; checked once, when they are given."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Executor
from dataclasses import dataclass

from symbed.behavior.collecting import Errors, Keep
from symbed.errors import RangeError


@dataclass(frozen=True)
class Options:
    """How sources are surveyed; see ``survey``."""

    workers: int | None = None
    executor: Executor | None = None
    progress: Callable[[int], None] | None = None
    errors: Errors = "raise"
    keep: Keep = "behaviors"

    def __post_init__(self) -> None:
        if self.errors not in ("raise", "skip"):
            raise RangeError(f"errors must be 'raise' or 'skip', got {self.errors!r}")
        if self.keep not in ("behaviors", "programs"):
            raise RangeError(f"keep must be 'behaviors' or 'programs', got {self.keep!r}")

"""Progress of long work, as a bar on stderr or by a callback.

A bar is shown in terminals and notebooks only, after a moment, so that scripts, pipes and short
work stay silent.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from types import TracebackType

Shown = bool | Callable[[int], None] | None

PATIENCE = 0.5  # seconds before a bar appears
PAUSE = 0.1  # seconds between two drawings
WIDTH = 30  # characters of the bar


class Progress:
    """Counts the steps of one long work; use it in a ``with`` statement.

    Parameters
    ----------
    label : str
        What is being done.
    total : int or None
        Number of steps, or None where nobody knows.
    shown : bool or callable, optional
        None shows a bar where somebody looks, True always, False never; a callable is called with
        the number of steps done so far.

    Examples
    --------
    >>> with Progress("tiles", 3, print) as progress:
    ...     progress.advance()
    ...     progress.advance(2)
    1
    3
    """

    def __init__(self, label: str, total: int | None, shown: Shown = None) -> None:
        self._label, self._total, self._done = label, total, 0
        self._callback = shown if callable(shown) else None
        self._visible = shown is True or (shown is None and someone_looks())
        self._began = self._drawn = time.monotonic()
        self._width = 0

    def advance(self, steps: int = 1) -> None:
        """Count some steps."""
        self._done += steps
        if self._callback:
            self._callback(self._done)
        elif self._visible:
            self._draw()

    def __enter__(self) -> Progress:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._width:
            self._write("")

    def _draw(self) -> None:
        now = time.monotonic()
        if now - self._began >= PATIENCE and now - self._drawn >= PAUSE:
            self._drawn = now
            self._write(f"{self._label} {self._picture()} {_clock(now - self._began)}")

    def _picture(self) -> str:
        if not self._total:
            return f"{self._done:,}"
        share = min(1.0, self._done / self._total)
        filled = round(WIDTH * share)
        return f"[{'#' * filled}{'.' * (WIDTH - filled)}] {100 * share:3.0f}%"

    def _write(self, line: str) -> None:
        """Put a line in place of the last one."""
        sys.stderr.write("\r" + line.ljust(self._width) + ("" if line else "\r"))
        sys.stderr.flush()
        self._width = len(line)


def someone_looks() -> bool:
    """Whether stderr is a terminal, or the output of a notebook cell."""
    return "ipykernel" in sys.modules or bool(getattr(sys.stderr, "isatty", bool)())


def _clock(seconds: float) -> str:
    minutes, rest = divmod(int(seconds), 60)
    return f"{minutes}:{rest:02d}"

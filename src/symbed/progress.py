"""Progress of long work: a bar in a notebook's cell, a line on stderr, or a callback.

A bar is shown in terminals and notebooks only, after a moment, so that scripts, pipes and short
work stay silent; when the work is done, it is gone. In a notebook it is an element that the
browser draws, with the same line as text for whoever shows no HTML.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from importlib import import_module
from types import TracebackType
from typing import Any

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
        self._place: _Line | _Cell | None = None

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
        if self._place is not None:
            self._place.clear()

    def _draw(self) -> None:
        now = time.monotonic()
        if now - self._began >= PATIENCE and now - self._drawn >= PAUSE:
            self._drawn = now
            if self._place is None:
                self._place = _Cell() if in_notebook() else _Line()
            share = min(1.0, self._done / self._total) if self._total else None
            self._place.show(self._label, self._done, share, _clock(now - self._began))


def someone_looks() -> bool:
    """Whether stderr is a terminal, or the output of a notebook cell."""
    # stderr may be None, or anything with a write; ``bool()`` is False.
    return in_notebook() or bool(getattr(sys.stderr, "isatty", bool)())


def in_notebook() -> bool:
    """Whether a notebook runs this, which Python's own kernel does."""
    # Another thread may be in the midst of importing it, and then nothing is in it yet.
    get_shell = getattr(sys.modules.get("IPython"), "get_ipython", None)
    return get_shell is not None and getattr(get_shell(), "kernel", None) is not None


class _Line:
    """A line on stderr, each in place of the last one."""

    def __init__(self) -> None:
        self._width = 0

    def show(self, label: str, done: int, share: float | None, clock: str) -> None:
        self._write(_words(label, done, share, clock))

    def clear(self) -> None:
        self._write("")

    def _write(self, line: str) -> None:
        # As wide as the line before, of which nothing must stay behind.
        sys.stderr.write("\r" + line.ljust(self._width) + ("" if line else "\r"))
        sys.stderr.flush()
        self._width = len(line)


class _Cell:
    """An output of a notebook's cell, which is written again and again."""

    def __init__(self) -> None:
        self._handle: Any = None

    def show(self, label: str, done: int, share: float | None, clock: str) -> None:
        from html import escape  # late: a notebook's business, and slow to load

        told = f"{done:,}" if share is None else f"{100 * share:.0f}%"
        value = "" if share is None else f' value="{share:.4f}"'
        self._put({
            "text/plain": _words(label, done, share, clock),
            "text/html": f"<div>{escape(label)} <progress{value}></progress> {told} {clock}</div>",
        })  # fmt: skip

    def clear(self) -> None:
        self._put({"text/plain": "", "text/html": ""})

    def _put(self, bundle: dict[str, str]) -> None:
        if self._handle is None:
            display = import_module("IPython.display").display
            self._handle = display(bundle, raw=True, display_id=True)
        else:
            self._handle.update(bundle, raw=True)


def _words(label: str, done: int, share: float | None, clock: str) -> str:
    if share is None:
        return f"{label} {done:,} {clock}"
    filled = round(WIDTH * share)
    bar = f"[{'#' * filled}{'.' * (WIDTH - filled)}] {100 * share:3.0f}%"
    return f"{label} {bar} {clock}"


def _clock(seconds: float) -> str:
    minutes, rest = divmod(int(seconds), 60)
    return f"{minutes}:{rest:02d}"

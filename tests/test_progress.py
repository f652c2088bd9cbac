from __future__ import annotations

import io
import sys

import pytest

from symbed import progress
from symbed.progress import Progress


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    now = [0.0]
    monkeypatch.setattr(progress.time, "monotonic", lambda: now[0])
    return now


def work(clock: list[float], steps: int = 4, shown: progress.Shown = None) -> None:
    with Progress("tiles", steps, shown) as bar:
        for _ in range(steps):
            clock[0] += 1.0
            bar.advance()


def test_a_terminal_shows_a_bar_and_is_left_clean(monkeypatch, clock) -> None:
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    work(clock)
    shown = terminal.getvalue()
    assert "tiles [###############...............]  50% 0:02" in shown
    assert "100%" in shown
    assert shown.endswith(" \r")


def test_pipes_and_files_see_nothing(monkeypatch, clock) -> None:
    pipe = io.StringIO()
    monkeypatch.setattr(sys, "stderr", pipe)
    work(clock)
    assert pipe.getvalue() == ""
    work(clock, shown=True)
    assert "100%" in pipe.getvalue()


def test_a_notebook_counts_as_a_place_where_somebody_looks(monkeypatch, clock) -> None:
    cell = io.StringIO()
    monkeypatch.setattr(sys, "stderr", cell)
    monkeypatch.setitem(sys.modules, "ipykernel", sys)
    work(clock)
    assert "100%" in cell.getvalue()


def test_silence_can_be_asked_for(monkeypatch, clock) -> None:
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    work(clock, shown=False)
    assert terminal.getvalue() == ""


def test_short_work_shows_nothing_and_long_work_not_every_step(monkeypatch, clock) -> None:
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    with Progress("tiles", 1000) as bar:
        for _ in range(400):
            clock[0] += 0.001
            bar.advance()
    assert terminal.getvalue() == ""
    with Progress("tiles", 10_000) as bar:
        for _ in range(10_000):
            clock[0] += 0.001
            bar.advance()
    assert 50 < terminal.getvalue().count("\r") < 110


def test_work_of_unknown_length_is_counted(monkeypatch, clock) -> None:
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    with Progress("lines", None) as bar:
        clock[0] += 61.0
        bar.advance(12_345)
    assert "lines 12,345 1:01" in terminal.getvalue()

from __future__ import annotations

import io
import sys
from types import SimpleNamespace

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


class Cell:
    """A notebook's kernel, as far as a bar knows it: what its outputs showed."""

    kernel = True

    def __init__(self) -> None:
        self.shown: list[dict[str, str]] = []

    def display(self, bundle, *, raw, display_id) -> Cell:
        assert raw
        assert display_id
        return self.update(bundle, raw=True)

    def update(self, bundle, *, raw) -> Cell:
        self.shown.append(bundle)
        return self


@pytest.fixture
def cell(monkeypatch: pytest.MonkeyPatch) -> Cell:
    one = Cell()
    shell = SimpleNamespace(get_ipython=lambda: one)
    monkeypatch.setitem(sys.modules, "IPython", shell)
    monkeypatch.setitem(sys.modules, "IPython.display", SimpleNamespace(display=one.display))
    return one


def test_a_notebook_shows_a_bar_of_its_own_and_is_left_clean(monkeypatch, clock, cell) -> None:
    errors = io.StringIO()
    monkeypatch.setattr(sys, "stderr", errors)
    work(clock)
    assert errors.getvalue() == ""
    assert '<progress value="0.5000"></progress> 50% 0:02' in cell.shown[1]["text/html"]
    assert cell.shown[1]["text/plain"].startswith("tiles [###")
    assert cell.shown[-1] == {"text/plain": "", "text/html": ""}
    work(clock, shown=False)
    assert len(cell.shown) == 5


def test_in_a_notebook_work_of_unknown_length_has_a_bar_without_an_end(clock, cell) -> None:
    with Progress("<lines>", None) as bar:
        clock[0] += 61.0
        bar.advance(12_345)
    assert cell.shown[0]["text/html"] == (
        "<div>&lt;lines&gt; <progress></progress> 12,345 1:01</div>"
    )


def test_ipython_in_a_terminal_is_no_notebook(monkeypatch, clock) -> None:
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    shell = SimpleNamespace(get_ipython=lambda: SimpleNamespace())
    monkeypatch.setitem(sys.modules, "IPython", shell)
    work(clock)
    assert "100%" in terminal.getvalue()


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

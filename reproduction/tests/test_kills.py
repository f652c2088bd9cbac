"""Runs are killed again and again, at any moment: what they leave is as if they never had been."""

from __future__ import annotations

import os
import random
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from symbed_reproduction import EXPERIMENTS

KILLS = 5  # of each experiment with each number of workers: 60 for all, and up to 12 below
pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> _Runs:
    """For each experiment a run that nobody disturbed, and how long it took; made when asked for."""
    return _Runs(tmp_path_factory)


@pytest.mark.parametrize("workers", [1, 2])
@pytest.mark.parametrize("name", EXPERIMENTS)
def test_a_killed_run_ends_in_the_same_bytes(
    name: str, workers: int, undisturbed: _Runs, tmp_path: Path
) -> None:
    expected, seconds = undisturbed[name]
    dice = random.Random(f"{name} {workers}")
    moments = [0.02, *(dice.uniform(0.0, seconds) for _ in range(KILLS - 1))]
    n_killed = 0
    for moment in moments:
        n_killed += _run_and_kill(name, workers, tmp_path, moment)
    # A run that was quick to finish was not killed: do so in its start-up, which always can be.
    for _ in range(KILLS - n_killed):
        n_killed += _run_and_kill(name, workers, tmp_path, 0.05)
    assert n_killed == KILLS
    run = _start(name, workers, tmp_path)
    _, said = run.communicate()
    assert run.returncode == 0, said
    assert files(tmp_path / name) == files(expected / name)


def test_a_run_is_killed_while_it_writes(tmp_path: Path, undisturbed: _Runs) -> None:
    """Kill as soon as one more file appears, so that something is always under way."""
    name = "taylor"
    expected, _ = undisturbed[name]
    for target in range(1, 13):
        run = _start(name, 1, tmp_path)
        while (
            run.poll() is None
            and sum(1 for path in tmp_path.rglob("*.*") if path.is_file()) < target
        ):
            time.sleep(0.001)
        _kill(run)
    run = _start(name, 1, tmp_path)
    run.communicate()
    assert run.returncode == 0
    assert files(tmp_path / name) == files(expected / name)


class _Runs(dict):  # type: ignore[type-arg]
    def __init__(self, factory: pytest.TempPathFactory) -> None:
        self._factory = factory

    def __missing__(self, name: str) -> tuple[Path, float]:
        folder = self._factory.mktemp(name)
        began = time.monotonic()
        run = _start(name, 1, folder)
        _, said = run.communicate()
        assert run.returncode == 0, said
        self[name] = folder, time.monotonic() - began
        return self[name]  # type: ignore[no-any-return]


def files(folder: Path) -> dict[str, bytes]:
    """All that a run leaves, but for what it keeps for itself and the time that it took."""
    found = {}
    for path in sorted(folder.rglob("*")):
        place = path.relative_to(folder)
        if path.is_file() and place.parts[0] not in ("units", "cost.json", ".lock"):
            found[str(place)] = path.read_bytes()
    assert any(place.endswith(".csv") for place in found)
    assert any(place.endswith(".png") for place in found)
    assert "report.md" in found
    return found


def _start(name: str, workers: int, out: Path) -> subprocess.Popen[str]:
    words = ["reproduce", name, "--scale", "small", "-o", str(out), "--workers", str(workers)]
    return subprocess.Popen(
        [sys.executable, "-m", "symbed", *words, "--json"],
        stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, start_new_session=True,
        env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)},
    )  # fmt: skip


def _run_and_kill(name: str, workers: int, out: Path, moment: float) -> bool:
    """Whether the run was still going after so many seconds, and was killed."""
    run = _start(name, workers, out)
    try:
        _, said = run.communicate(timeout=moment)
    except subprocess.TimeoutExpired:
        _kill(run)
        return True
    assert run.returncode == 0, said
    shutil.rmtree(out / name)  # finished before its time: the next one starts anew
    return False


def _kill(run: subprocess.Popen[str]) -> None:
    """Kill the process, or its whole group; orphaned workers must end by themselves."""
    if run.poll() is None:
        kill = os.killpg if run.pid % 2 else os.kill
        kill(run.pid, signal.SIGKILL)
    run.communicate()

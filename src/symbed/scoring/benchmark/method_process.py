"""Runs a method in a process of its own, with limits of time and memory, and says how it ended."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np

from symbed._types import Floats
from symbed.errors import DataError, MissingExtra
from symbed.scoring.benchmark import worker
from symbed.scoring.benchmark.methods import Method

Status = Literal["done", "nothing", "crashed", "timed out", "out of memory"]
STATUSES: tuple[Status, ...] = ("done", "nothing", "crashed", "timed out", "out of memory")

WORKER = Path(worker.__file__)
LOOK = 0.05  # seconds between looks at a process
MESSAGE = 300  # characters of a method's last words that are kept
CHECK_SECONDS = 120.0  # for importing an adapter; some packages compile themselves at first
MEGABYTE = 1 << 20
MARK = "SYMBED_RUN"  # names the run in the environment of all that it starts

_running: set[subprocess.Popen[bytes]] = set()


@dataclass(frozen=True)
class Limits:
    """What one run may use.

    Attributes
    ----------
    seconds : float
        What the method is told to take.
    grace : float
        How much longer it may take, start-up included, before it is killed.
    megabytes : float
        Memory of all its processes together.
    """

    seconds: float = 10.0
    grace: float = 20.0
    megabytes: float = 2048.0


@dataclass(frozen=True)
class Ending:
    """How a run of a method ended.

    Attributes
    ----------
    status : str
        One of ``STATUSES``.
    formulas : tuple of dict
        What it found, best first; each has ``formula``, and perhaps ``loss`` and ``complexity``.
    dialect, version : str
        Whose formulas they are, and of which version.
    message : str
        The method's last words, where it failed.
    seconds, megabytes : float
        What it used.
    """

    status: Status
    formulas: tuple[dict[str, Any], ...] = ()
    dialect: str = "infix"
    version: str = ""
    message: str = ""
    seconds: float = 0.0
    megabytes: float = 0.0


def check_method(method: Method) -> None:
    """Raise an error if a method's adapter cannot be had in its Python."""
    with tempfile.TemporaryDirectory(prefix="symbed-") as folder:
        job = Path(folder) / "job.json"
        job.write_text(json.dumps(_description(method)))
        try:
            ended = subprocess.run(
                [method.executable, str(WORKER), str(job)], capture_output=True, text=True,
                timeout=CHECK_SECONDS, env=_environment(method.executable), check=False,
            )  # fmt: skip
        except OSError as error:
            raise DataError(
                f"method {method.name}: {method.executable} is no Python ({error.strerror})"
            ) from None
        except subprocess.TimeoutExpired:
            raise DataError(
                f"method {method.name}: its adapter takes over {CHECK_SECONDS:g} s to import"
            ) from None
    if ended.returncode:
        said = _last_line(ended.stderr) or f"exit code {ended.returncode}"
        raise MissingExtra(f"method {method.name} cannot be used in {method.executable}: {said}")


def run_method(
    method: Method, X: Floats, y: Floats, variables: tuple[str, ...], seed: int, limits: Limits
) -> Ending:
    """Run a method on data and wait for it.

    Parameters
    ----------
    method : Method
        Which.
    X : (n, n_variables) ndarray
        The inputs.
    y : (n,) ndarray
        The outputs.
    variables : tuple of str
        The names of the columns of X.
    seed : int
        For the method's own randomness.
    limits : Limits
        What it may use.
    """
    with tempfile.TemporaryDirectory(prefix="symbed-") as name:
        folder = Path(name)
        np.save(folder / "X.npy", X)
        np.save(folder / "y.npy", y)
        job = _description(method) | {
            "options": dict(method.options),
            "X": str(folder / "X.npy"),
            "y": str(folder / "y.npy"),
            "variables": list(variables),
            "seconds": limits.seconds,
            "seed": seed,
            "result": str(folder / "result.json"),
        }
        (folder / "job.json").write_text(json.dumps(job))
        with (folder / "stderr").open("wb") as errors:
            # In a session of its own, by which all that it starts is measured and killed together.
            process = subprocess.Popen(
                [method.executable, str(WORKER), str(folder / "job.json")],
                stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=errors,
                env=_environment(method.executable) | {MARK: name}, cwd=folder,
                start_new_session=True,
            )  # fmt: skip
            try:
                stopped, seconds, megabytes = _watch(process, limits)
            finally:
                # A child in a session of its own escapes the group's signal, but keeps the mark.
                _kill_marked(name)
        used: dict[str, Any] = {"seconds": seconds, "megabytes": megabytes}
        words = _last_line((folder / "stderr").read_text(errors="replace"))
        return _ending(process.returncode, stopped, folder / "result.json", words, used)


def _ending(
    code: int, stopped: Status | None, result: Path, words: str, used: dict[str, Any]
) -> Ending:
    if stopped is not None:
        return Ending(stopped, **used)
    if code == worker.MEMORY or (code != 0 and "MemoryError" in words):
        return Ending("out of memory", message=words, **used)
    if code != 0:
        ended = f"killed by signal {-code}" if code < 0 else f"exit code {code}"
        return Ending("crashed", message=words or ended, **used)
    try:
        found = json.loads(result.read_text())
    except (OSError, ValueError):  # the method ended the process itself, in good order
        return Ending("crashed", message="it ended without an answer", **used)
    formulas = tuple(found["formulas"])
    return Ending(
        "done" if formulas else "nothing", formulas, found["dialect"], found["version"], **used
    )


def stop_methods() -> None:
    """End all methods that run in this process's threads: nobody waits for them any more."""
    for process in list(_running):
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)


def _watch(process: subprocess.Popen[bytes], limits: Limits) -> tuple[Status | None, float, float]:
    """Wait for a process; the reason why it was stopped, seconds, and its largest memory."""
    began, largest = time.perf_counter(), 0.0
    stopped: Status | None = None
    _running.add(process)
    try:
        while process.poll() is None:
            largest = max(largest, _megabytes(process.pid))
            if largest > limits.megabytes:
                stopped = "out of memory"
            elif time.perf_counter() - began > limits.seconds + limits.grace:
                stopped = "timed out"
            if stopped:
                break
            time.sleep(LOOK)
    finally:
        _kill_group(process)
        _running.discard(process)
    return stopped, time.perf_counter() - began, largest


def _kill_group(process: subprocess.Popen[bytes]) -> None:
    """End a process and all that it started; the leader may be gone while others still run."""
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def _kill_marked(run: str) -> None:
    """End what a run has started in sessions of its own, and left behind; where there is /proc."""
    entry = f"{MARK}={run}".encode()
    for folder in Path("/proc").glob("[0-9]*"):
        # Of other users and of what has ended there is nothing to read.
        with suppress(OSError, ValueError):
            if entry in (folder / "environ").read_bytes().split(b"\0"):
                os.kill(int(folder.name), signal.SIGKILL)


def _megabytes(group: int) -> float:
    """The resident memory of all processes of a session; 0 where there is no /proc."""
    page = os.sysconf("SC_PAGE_SIZE")
    return sum(pages for pages in _resident_pages(group)) * page / MEGABYTE


def _resident_pages(session: int) -> Iterator[int]:
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            # After the name in parentheses: state, parent, group, session, ...
            fields = (folder / "stat").read_text().rpartition(")")[2].split()
            if int(fields[3]) == session:
                # Resident pages: field 24 of proc(5), and these begin with field 3.
                yield int(fields[21])
        except (OSError, IndexError, ValueError):
            continue  # it has ended meanwhile


def _environment(python: str) -> dict[str, str]:
    """The environment of a method: one thread for each library, and no settings of our Python's."""
    kept = dict(os.environ)
    for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
        kept[name] = "1"
    if python != sys.executable:
        for name in ("PYTHONPATH", "PYTHONHOME"):
            kept.pop(name, None)
    return kept


def _description(method: Method) -> dict[str, Any]:
    return {"adapter": method.place, "class": method.class_name}


def _last_line(text: str) -> str:
    """The last words of a process, without what no terminal should get."""
    plain = "".join(one if one.isprintable() or one == "\n" else " " for one in text)
    lines = [line.strip() for line in plain.replace("\ufffd", "").splitlines() if line.strip()]
    return lines[-1][:MESSAGE] if lines else ""

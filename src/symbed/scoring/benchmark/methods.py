"""The methods of a benchmark: which class is asked, in which Python, and how its process ends.

A method is a class with ``fit(X, y)`` and ``formulas()``. Those that ship are files of
``adapters/``; a user's own is named by its file or module: ``my_method.py:MyMethod``. Each runs in
a process of its own, with limits of time and memory.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from importlib import util
from pathlib import Path
from typing import Any, Literal

import numpy as np

from symbed._types import Floats
from symbed.errors import DataError, MissingExtra, RangeError
from symbed.scoring.benchmark import worker

Status = Literal["done", "nothing", "crashed", "timed out", "out of memory"]
STATUSES: tuple[Status, ...] = ("done", "nothing", "crashed", "timed out", "out of memory")

WORKER = Path(worker.__file__)
LOOK_SECONDS = 0.05  # between looks at a process
MAX_MESSAGE = 300  # characters of a method's last words that are kept
CHECK_SECONDS = 120.0  # for importing an adapter; some packages compile themselves at first
MEGABYTE = 1 << 20
MARK = "SYMBED_RUN"  # names the run in the environment of all that it starts
ADAPTERS = Path(__file__).parent / "adapters"

# Name: file of ``adapters/`` and class.
SHIPPED = {
    "random-search": ("random_search.py", "RandomSearch"),
    "gplearn": ("gplearn_adapter.py", "Gplearn"),
    "pyoperon": ("pyoperon_adapter.py", "Pyoperon"),
    "proged": ("proged_adapter.py", "Proged"),
    "pysr": ("pysr_adapter.py", "Pysr"),
    "discover": ("discover_adapter.py", "Discover"),
}

_running: set[subprocess.Popen[bytes]] = set()


@dataclass(frozen=True)
class Method:
    """A method of a benchmark.

    Attributes
    ----------
    name : str
        What results call it.
    place : str
        The file or the module of its adapter.
    class_name : str
        The adapter's class.
    python : str
        The Python that runs it; empty for ours.
    options : tuple of (str, value)
        What the class is made with.
    source : str
        A digest of the adapter's text: a changed adapter is another method.
    """

    name: str
    place: str
    class_name: str
    python: str = ""
    options: tuple[tuple[str, Any], ...] = ()
    source: str = ""

    def to_dict(self) -> dict[str, Any]:
        """All fields as plain values for JSON."""
        return {**vars(self), "options": dict(self.options)}

    @property
    def identity(self) -> dict[str, Any]:
        """What decides its results: not where the adapter lies, if its text is known."""
        known = self.to_dict()
        if self.source:
            del known["place"]
        return known

    @property
    def executable(self) -> str:
        """The Python that runs it."""
        return self.python or sys.executable

    @property
    def job(self) -> dict[str, str]:
        """What ``worker.py`` must know to find its adapter."""
        return {"adapter": self.place, "class": self.class_name}


def read_method(
    text: str, *, python: str | None = None, options: Mapping[str, Any] | None = None
) -> Method:
    """The method of a name or a place.

    Parameters
    ----------
    text : str
        One of those that ship, such as ``gplearn``; or ``file.py:Class``, or ``module:Class``; with
        ``name=`` in front, results call it so.
    python : str, optional
        The Python that runs it; ours by default.
    options : mapping of str to value, optional
        What the class is made with: plain values, as JSON has them.

    Examples
    --------
    >>> read_method("random-search").class_name
    'RandomSearch'
    """
    given, _, rest = text.partition("=") if re.match(r"[\w.+-]+=", text) else ("", "", text)
    name, place, class_name = _located(rest)
    try:
        # As a folder gives them back: a tuple that is a list on disk would be another task.
        chosen = json.loads(json.dumps(dict(options or {})))
    except (TypeError, ValueError):
        raise RangeError(f"the options of {text!r} must be plain values, got {options!r}") from None
    return Method(
        given or name, place, class_name, python or "",
        tuple(sorted(chosen.items())), source_digest(place),
    )  # fmt: skip


def read_methods(
    given: Iterable[str | Method],
    pythons: Mapping[str, str] | None = None,
    options: Mapping[str, Mapping[str, Any]] | None = None,
) -> tuple[Method, ...]:
    """Several methods, each name once, as ``run_benchmark`` takes them."""
    methods = [one if isinstance(one, Method) else read_method(one) for one in given]
    pythons, options = pythons or {}, options or {}
    if not methods:
        raise RangeError(f"a benchmark needs a method, such as {', '.join(SHIPPED)}")
    names = [one.name for one in methods]
    for name in {*pythons, *options} - {*names, ""}:
        raise RangeError(
            f"there is no method {name!r} in this benchmark; it has {', '.join(names)}"
        )
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice:
        raise RangeError(f"two methods are called {twice!r}; name one of them, as in mine={twice}")
    return tuple(
        replace(
            one,
            python=pythons.get(one.name, pythons.get("", one.python)),
            options=tuple(sorted({**dict(one.options), **options.get(one.name, {})}.items())),
        )
        for one in methods
    )


def _located(text: str) -> tuple[str, str, str]:
    """The name, the place and the class of a method."""
    if text in SHIPPED:
        shipped, class_name = SHIPPED[text]
        return text, str(ADAPTERS / shipped), class_name
    place, colon, class_name = text.rpartition(":")
    if not colon or not class_name.isidentifier():
        raise RangeError(
            f"there is no method {text!r}; known are {', '.join(SHIPPED)}, and your own is "
            "file.py:Class or module:Class"
        )
    if not place.endswith(".py"):
        return class_name, place, class_name
    file = Path(place)
    if not file.is_file():
        raise DataError(f"there is no file {place!r} with the method {class_name}")
    return class_name, str(file.resolve()), class_name


def source_digest(place: str) -> str:
    """The digest of an adapter's text; empty where nobody knows it."""
    if not place.endswith(".py"):
        try:
            found = util.find_spec(place)
        except (ImportError, ValueError):
            found = None
        if found is None or not found.origin or not found.origin.endswith(".py"):
            return ""  # a module of another Python's: known by its name only
        place = found.origin
    try:
        text = Path(place).read_bytes()
    except OSError:  # a folder from elsewhere names a file that is not here
        return ""
    return hashlib.blake2b(text, digest_size=8).hexdigest()


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
        job.write_text(json.dumps(method.job))
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
    """Run a method on data, whose inputs are called ``variables``, and wait for it."""
    with tempfile.TemporaryDirectory(prefix="symbed-") as name:
        folder = Path(name)
        np.save(folder / "X.npy", X)
        np.save(folder / "y.npy", y)
        job = method.job | {
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
        _kill_group(process)


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
            time.sleep(LOOK_SECONDS)
    finally:
        _kill_group(process)
        process.wait()
        _running.discard(process)
    return stopped, time.perf_counter() - began, largest


def _kill_group(process: subprocess.Popen[bytes]) -> None:
    """End a process and all that it started; the leader may be gone while others still run."""
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)


def _kill_marked(run: str) -> None:
    """End what a run has started in sessions of its own, and left behind; where there is /proc."""
    entry = f"{MARK}={run}".encode()
    for folder in Path("/proc").glob("[0-9]*"):
        # Of other users and of what has ended there is nothing to read.
        with suppress(OSError, ValueError):
            if entry in (folder / "environ").read_bytes().split(b"\0"):
                os.kill(int(folder.name), signal.SIGKILL)


def _megabytes(session: int) -> float:
    """The resident memory of all processes of a session; 0 where there is no /proc."""
    pages = 0
    for folder in Path("/proc").glob("[0-9]*"):
        with suppress(OSError, IndexError, ValueError):  # it has ended meanwhile
            # After the name in parentheses: state, parent, group, session, ...
            fields = (folder / "stat").read_text().rpartition(")")[2].split()
            if int(fields[3]) == session:
                # Resident pages: field 24 of proc(5), and these begin with field 3.
                pages += int(fields[21])
    return pages * os.sysconf("SC_PAGE_SIZE") / MEGABYTE


def _environment(python: str) -> dict[str, str]:
    """The environment of a method: one thread for each library, and no settings of our Python's."""
    kept = dict(os.environ)
    for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
        kept[name] = "1"
    if python != sys.executable:
        for name in ("PYTHONPATH", "PYTHONHOME"):
            kept.pop(name, None)
    return kept


def _last_line(text: str) -> str:
    """The last words of a process, without what no terminal should get."""
    plain = "".join(one if one.isprintable() or one == "\n" else " " for one in text)
    lines = [line.strip() for line in plain.replace("\ufffd", "").splitlines() if line.strip()]
    return lines[-1][:MAX_MESSAGE] if lines else ""

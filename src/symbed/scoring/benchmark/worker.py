"""Runs one method on one data set, in a process of its own: ``python worker.py JOB.json``.

This file is run by whichever Python has the method's package, so it imports nothing of symbed's and
no third package but NumPy. The job names a file with the adapter's class; what that class found is
written beside the job. Ends with `CRASHED` and a last line on stderr where the method fails.
"""

from __future__ import annotations

import ctypes
import inspect
import json
import math
import os
import sys
import threading
import time
from contextlib import suppress
from importlib import import_module, util
from itertools import islice
from pathlib import Path
from typing import Any

CRASHED = 70  # exit code: the method raised an error
UNUSABLE = 71  # exit code: there is no such adapter, or it cannot be imported
PARENT_GONE = 72  # exit code: whoever started this is no more
MEMORY = 73  # exit code: the method was refused memory
KILL_WITH_PARENT = 1  # PR_SET_PDEATHSIG of Linux
SIGKILL = 9
WATCH_SECONDS = 0.5  # between looks whether the parent is alive
# A method that handed out a million formulas made a file of 40 MB.
MAX_FORMULAS = 1000  # that are kept, the first ones; a method may hand out a population, or no end
MAX_LENGTH = 1 << 18  # characters of a formula; no parser of ours reads a longer one
SHOWN = 100  # characters of one that is longer


def main(path: str) -> int:
    """Do the job of a file.

    Parameters
    ----------
    path : str
        The job as JSON: ``adapter`` (a file or a module), ``class``, ``options``, ``X`` and ``y``
        (``.npy`` files), ``variables``, ``seconds``, ``seed``, and ``result``, the file to write;
        a job without ``X`` only looks whether the adapter can be had.
    """
    _end_with_parent()
    job = json.loads(Path(path).read_text())
    try:
        adapter = load_adapter(job["adapter"], job["class"])
        check = getattr(adapter, "check", None)
        if callable(check):
            check()
    except Exception as error:
        return _complain(error, UNUSABLE)
    if "X" not in job:
        return 0
    try:
        found = run(adapter, job)
    except MemoryError as error:
        return _complain(error, MEMORY)
    except Exception as error:
        return _complain(error, CRASHED)
    Path(job["result"]).write_text(json.dumps(found))
    return 0


def load_adapter(place: str, name: str) -> Any:
    """The adapter's class, from a file (with its folder on the path) or an installed module."""
    if place.endswith(".py"):
        file = Path(place).resolve()
        sys.path.insert(0, str(file.parent))
        spec = util.spec_from_file_location(f"symbed_method_{file.stem}", file)
        if spec is None or spec.loader is None:
            raise ImportError(f"{place} is no Python file")
        module = util.module_from_spec(spec)
        # As an import does: dataclasses look up the module of their class there.
        sys.modules[spec.name] = module
        spec.loader.exec_module(module)
    else:
        module = import_module(place)
    if not hasattr(module, name):
        raise AttributeError(f"{place} has no class {name}")
    adapter = getattr(module, name)
    missing = [verb for verb in ("fit", "formulas") if not callable(getattr(adapter, verb, None))]
    if missing:
        raise TypeError(f"{name} has no method {missing[0]}; an adapter has fit and formulas")
    return adapter


def run(adapter: Any, job: dict[str, Any]) -> dict[str, Any]:
    """Fit, and ask for the formulas."""
    import numpy as np

    X, y = np.load(job["X"]), np.load(job["y"])
    method = adapter(**job["options"])
    settings = {name: job[name] for name in ("variables", "seconds", "seed")}
    method.fit(X, y, **_accepted(method.fit, settings))
    return {
        "formulas": [_row(one) for one in islice(_listed(method.formulas()), MAX_FORMULAS)],
        "dialect": _text(getattr(method, "dialect", "infix")),
        "version": _text(getattr(method, "version", "")),
    }


def _accepted(function: Any, settings: dict[str, Any]) -> dict[str, Any]:
    """Those keywords that a function takes; an adapter need not care for all."""
    parameters = inspect.signature(function).parameters
    if any(one.kind is inspect.Parameter.VAR_KEYWORD for one in parameters.values()):
        return settings
    return {name: value for name, value in settings.items() if name in parameters}


def _listed(formulas: Any) -> Any:
    """What ``formulas`` gave; one text is one formula, and not its letters."""
    if isinstance(formulas, (str, dict)):
        return [formulas]
    try:
        return iter(formulas)
    except TypeError:
        raise TypeError(f"formulas() must give a list, got {type(formulas).__name__}") from None


def _row(formula: Any) -> dict[str, Any]:
    """A formula as a row; a text, or a mapping with ``formula`` and perhaps more."""
    if not isinstance(formula, dict):
        return {"formula": _text(formula)}
    if "formula" not in formula:
        raise KeyError(
            f"a row of formulas() needs 'formula', it has {', '.join(map(str, formula))}"
        )
    row: dict[str, Any] = {"formula": _text(formula["formula"])}
    for name in ("loss", "complexity"):
        value = float(formula[name]) if formula.get(name) is not None else math.nan
        if math.isfinite(value):
            row[name] = value
    return row


def _text(value: Any) -> str:
    """A text that every file can hold: lone surrogates are replaced, and what is too long is cut.

    What is cut cannot be read as another formula: it ends with words.
    """
    # One lone surrogate would end the whole benchmark where results are written.
    text = str(value).encode("utf-8", "replace").decode()
    if len(text) <= MAX_LENGTH:
        return text
    return f"{text[:SHOWN]}... (a formula of {len(text):,} characters)"


def _end_with_parent() -> None:
    """Nobody wants the result once the parent was killed, and a method may run for hours."""
    parent = os.getppid()
    # Not on Linux, the watch below does it, unless the method keeps the interpreter busy.
    with suppress(AttributeError, OSError, TypeError):
        ctypes.CDLL(None).prctl(KILL_WITH_PARENT, SIGKILL)

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(WATCH_SECONDS)
        # sys.exit would end this thread only.
        os._exit(PARENT_GONE)

    threading.Thread(target=watch, daemon=True).start()


def _complain(error: BaseException, code: int) -> int:
    text = str(error).strip().split("\n")[0]
    print(f"{type(error).__name__}: {text}" if text else type(error).__name__, file=sys.stderr)
    return code


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))

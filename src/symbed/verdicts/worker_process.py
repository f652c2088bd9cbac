"""Processes that decide on request, and those who ask them: asked, timed, stopped.

Requests and answers are lines of JSON on the standard input and output of ``python -m
symbed.verdicts.worker_process``; expressions, domains and relations travel as plain values. It is a
process of its own so that it can be stopped at once, and so that its memory can be limited; it ends
with its input.
"""

from __future__ import annotations

import atexit
import json
import os
import select
import subprocess
import sys
import threading
from collections.abc import Callable, Mapping
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any

import symbed
from symbed import errors
from symbed.errors import SymbedError, WorkerError
from symbed.language.expression import Expression, Item
from symbed.language.operators import Operator, row_named
from symbed.verdicts.domains import Box

if TYPE_CHECKING:
    from symbed.verdicts.families.relation import Relation

INFINITE = "inf"


def encoded_expression(expression: Expression) -> dict[str, Any]:
    """An expression as plain values; floats in hexadecimal, so that none is rounded."""
    items = []
    for item in expression.postfix:
        if isinstance(item, Operator):
            items.append(["operator", item.name])
        elif isinstance(item, str):
            items.append(["name", item])
        else:
            items.append(["number", item.hex()])
    return {"postfix": items, "declared": expression.declared}


def decoded_expression(encoded: Mapping[str, Any]) -> Expression:
    """The expression of plain values."""
    items: list[Item] = []
    for kind, text in encoded["postfix"]:
        if kind == "operator":
            items.append(row_named(text))
        else:
            items.append(text if kind == "name" else float.fromhex(text))
    declared = encoded["declared"]
    return Expression(tuple(items), None if declared is None else tuple(declared))


def encoded_ranges(ranges: Any) -> Any:
    """A range, or ranges by name, as plain values; None for what is none of these."""
    if isinstance(ranges, Mapping):
        encoded = {name: encoded_ranges(each) for name, each in ranges.items()}
        return None if None in encoded.values() else encoded
    if isinstance(ranges, list | tuple) and all(isinstance(end, int | float) for end in ranges):
        return [float(end).hex() for end in ranges]
    return None


def decoded_ranges(encoded: Any) -> Any:
    """The range or the ranges of plain values."""
    if isinstance(encoded, Mapping):
        return {name: decoded_ranges(each) for name, each in encoded.items()}
    return None if encoded is None else tuple(map(float.fromhex, encoded))


def encoded_relation(relation: Relation) -> dict[str, Any]:
    """A relation as plain values, of which nothing is rounded."""
    fields = dict(relation.__dict__)
    for name in ("e", "f"):
        fields[name] = encoded_expression(fields[name])
    for name in ("e_in_f", "f_in_e"):
        half = dict(fields[name].__dict__)
        if half["substitution"] is not None:
            formulas = half["substitution"].items()
            half["substitution"] = {key: encoded_expression(part) for key, part in formulas}
        fields[name] = half
    return fields


def decoded_relation(encoded: Mapping[str, Any]) -> Relation:
    """The relation of plain values."""
    from symbed.verdicts.families.containment import Containment
    from symbed.verdicts.families.relation import Relation

    fields = dict(encoded)
    for name in ("e", "f"):
        fields[name] = decoded_expression(fields[name])
    for name in ("e_in_f", "f_in_e"):
        half = dict(fields[name])
        if half["substitution"] is not None:
            formulas = half["substitution"].items()
            half["substitution"] = {key: decoded_expression(part) for key, part in formulas}
        fields[name] = Containment(**half)
    return Relation(**fields)


def encoded_domain(box: Box) -> dict[str, list[str]]:
    """A domain as fractions in text."""
    return {
        side.name: [
            f"-{INFINITE}" if side.low is None else str(side.low),
            INFINITE if side.high is None else str(side.high),
        ]
        for side in box.sides
    }


def decoded_domain(encoded: Mapping[str, Any]) -> dict[str, tuple[Any, Any]]:
    """The domain of fractions in text."""
    return {name: (_end(low), _end(high)) for name, (low, high) in encoded.items()}


def _end(text: str) -> Any:
    return float(text) if text.endswith(INFINITE) else Fraction(text)


class WorkerTimeout(Exception):
    """The worker did not answer in time, and was stopped."""


class WorkerProcess:
    """One process that decides on request; started when it is first asked.

    One thread asks at a time; any thread may close it meanwhile.

    Parameters
    ----------
    megabytes : int or None
        Memory that it may use beyond what it has at its start, where the system can limit it.
    module : str
        The module that runs in it, which answers lines of JSON.
    """

    def __init__(
        self, megabytes: int | None = None, module: str = "symbed.verdicts.worker_process"
    ) -> None:
        self._megabytes, self._module = megabytes, module
        self._process: subprocess.Popen[str] | None = None
        self._is_closed = False
        # Reentrant: a request that starts the process asks for its limit of memory first.
        self._asking = threading.RLock()  # held while pipes are in use
        self._starting = threading.Lock()  # held while it is started, or told to end

    def ask(self, request: dict[str, Any], seconds: float) -> Any:
        """The answer to a request.

        Raises
        ------
        WorkerTimeout
            No answer in time; the process is stopped, and the next request starts one.
        WorkerError
            The process was lost, or closed.
        SymbedError
            What the request raised there.
        """
        with self._asking:
            return self._answer(request, seconds)

    def stop(self) -> None:
        """End the process now; the next request starts one."""
        self._kill()
        with self._asking:  # whoever asks sees its end, and leaves the pipes
            process, self._process = self._process, None
            if process is not None:
                process.kill()
                process.communicate()

    def close(self) -> None:
        """End the process now, and start none any more."""
        self._is_closed = True
        self.stop()

    def _kill(self) -> None:
        with self._starting:
            process = self._process  # whoever asks may forget it meanwhile
            if process is not None:
                process.kill()

    def _answer(self, request: dict[str, Any], seconds: float) -> Any:
        process = self._running()
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            process.stdin.write(json.dumps(request) + "\n")
            process.stdin.flush()
            ready, _, _ = select.select([process.stdout], [], [], seconds)
            # None for no answer in time, empty for a process that is gone.
            line = process.stdout.readline() if ready else None
        except BrokenPipeError:
            line = ""
        except BaseException:
            self.stop()  # interrupted: an answer that comes later must not be taken for another
            raise
        if line is None:
            self.stop()
            raise WorkerTimeout
        if not line.endswith("\n"):  # none, or the beginning of one
            self.stop()
            raise WorkerError("the process that decides was lost, perhaps for lack of memory")
        answer = json.loads(line)
        if "error" in answer:
            raise _rebuilt(answer["error"], answer["message"], answer.get("in_command"))
        return answer["answer"]

    def _running(self) -> subprocess.Popen[str]:
        process = self._process
        if process is None or process.poll() is not None:
            self.stop()
            process = self._started()
            if self._megabytes is not None:
                self.ask({"task": "limit", "megabytes": self._megabytes}, START_SECONDS)
        return process

    def _started(self) -> subprocess.Popen[str]:
        # The worker must run this very library, also from a source tree that is not installed.
        home = str(Path(symbed.__file__).parents[1])
        before = os.environ.get("PYTHONPATH")
        path = home if before is None else os.pathsep.join([home, before])
        with self._starting:
            if self._is_closed:
                raise WorkerError("the process that decides was closed")
            self._process = subprocess.Popen(
                [sys.executable, "-m", self._module],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                text=True,
                # Ctrl-C is for the one who asks; a thread pool of BLAS would eat the memory.
                start_new_session=True,
                env={**os.environ, "PYTHONPATH": path, "OPENBLAS_NUM_THREADS": "1"},
            )
            return self._process


START_SECONDS = 60.0  # for a process to start on a busy machine


class WorkerPool:
    """Workers that are kept for the next one who needs one."""

    def __init__(self, megabytes: int | None = None) -> None:
        self._megabytes = megabytes
        self._idle: list[WorkerProcess] = []
        self._lock = threading.Lock()
        atexit.register(self.stop)

    def ask(self, request: dict[str, Any], seconds: float) -> Any:
        """The answer of a worker that is free; see ``WorkerProcess.ask``."""
        with self._lock:
            worker = self._idle.pop() if self._idle else WorkerProcess(self._megabytes)
        try:
            return worker.ask(request, seconds)
        # Also after a failure: a worker that was stopped starts anew when it is asked.
        finally:
            with self._lock:
                self._idle.append(worker)

    def stop(self) -> None:
        """End all workers that are free."""
        with self._lock:
            workers, self._idle = self._idle, []
        for worker in workers:
            worker.stop()


def _rebuilt(name: str, message: str, in_command: str | None) -> SymbedError:
    """The error that a worker met; a parser's is pointed already."""
    if name == "MemoryError":
        return WorkerError(message)
    kind = getattr(errors, name, SymbedError)
    error: SymbedError = kind(message)
    error.in_command = in_command
    return error


# The process itself


def serve(answer_one: Callable[[dict[str, Any]], Any]) -> int:
    """Answer the requests on standard input, each by ``answer_one``, until there are no more."""
    for line in sys.stdin:
        try:
            answer = {"answer": answer_one(json.loads(line))}
        except SymbedError as error:
            answer = {
                "error": type(error).__name__,
                "message": str(error),
                "in_command": error.in_command,
            }
        except MemoryError:
            answer = {"error": "MemoryError", "message": "more memory was needed than allowed"}
        sys.stdout.write(json.dumps(answer) + "\n")
        sys.stdout.flush()
    return 0


def answer_request(request: dict[str, Any]) -> Any:
    """What one request asks for, as plain values."""
    task = request["task"]
    if task == "ready":
        import symbed.verdicts.grade_answers  # noqa: F401  loaded before the clock of a request runs

        return True
    if task == "limit":
        return limit_memory(request["megabytes"])
    if task == "decide":
        from symbed.verdicts.functions.decision import decide

        e, f = decoded_expression(request["e"]), decoded_expression(request["f"])
        domain = decoded_domain(request["domain"])
        verdict = decide(e, f, domain, seconds=request["seconds"], bound=request["bound"])
        return verdict.to_dict()
    if task == "relate":
        from symbed.verdicts.families.relation import relate

        e, f = decoded_expression(request["e"]), decoded_expression(request["f"])
        domain, parameters = (decoded_ranges(request[name]) for name in ("domain", "parameters"))
        return encoded_relation(relate(e, f, domain, parameters, **request["options"]))
    from symbed.verdicts.grade_answers import grade_here

    return grade_here(**request["arguments"]).to_dict()


def limit_memory(megabytes: int) -> bool:
    """Allow so much memory beyond what the process has now; whether the system can do that."""
    try:
        import resource  # not on every system
    except ImportError:
        return False
    try:
        # RLIMIT_AS counts address space, of which Python and its libraries have much at the start:
        # the first number of statm, in pages.
        with open("/proc/self/statm") as pages:
            used = int(pages.read().split()[0]) * os.sysconf("SC_PAGE_SIZE")
        most = used + megabytes * (1 << 20)
        resource.setrlimit(resource.RLIMIT_AS, (most, most))
    except (OSError, ValueError):
        return False
    return True


if __name__ == "__main__":
    sys.exit(serve(answer_request))

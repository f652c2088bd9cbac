"""A process that decides on request: ``python -m symbed.verdicts.grading.worker``.

Requests and answers are lines of JSON on its standard input and output. It is a process of its own
so that it can be stopped at once, and so that its memory can be limited; it ends with its input.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable
from typing import Any

from symbed.errors import SymbedError

MEGABYTE = 1 << 20


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
        import symbed.verdicts.grading.grade_answers  # noqa: F401  loaded before the clock of a request runs

        return True
    if task == "limit":
        return limit_memory(request["megabytes"])
    if task == "decide":
        from symbed.verdicts.functions.decision import decide
        from symbed.verdicts.grading.worker_process import (
            decoded_domain,
            decoded_expression,
        )

        e, f = decoded_expression(request["e"]), decoded_expression(request["f"])
        domain = decoded_domain(request["domain"])
        verdict = decide(e, f, domain, seconds=request["seconds"], bound=request["bound"])
        return verdict.to_dict()
    if task == "relate":
        from symbed.verdicts.families.relation import relate
        from symbed.verdicts.grading.worker_process import (
            decoded_expression,
            decoded_ranges,
            encoded_relation,
        )

        e, f = decoded_expression(request["e"]), decoded_expression(request["f"])
        domain, parameters = (decoded_ranges(request[name]) for name in ("domain", "parameters"))
        return encoded_relation(relate(e, f, domain, parameters, **request["options"]))
    from symbed.verdicts.grading.grade_answers import grade_here

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
        most = used + megabytes * MEGABYTE
        resource.setrlimit(resource.RLIMIT_AS, (most, most))
    except (OSError, ValueError):
        return False
    return True


if __name__ == "__main__":
    sys.exit(serve(answer_request))

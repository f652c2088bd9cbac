"""A process that judges found formulas on request: ``python -m symbed.scoring.judging_worker``.

Requests and answers are lines of JSON. It remembers the problems that it was asked about, so that a
relation of two forms is found once; it is a process of its own so that it can be stopped.
"""

from __future__ import annotations

import json
import sys
from functools import lru_cache
from typing import Any

from symbed.errors import SymbedError
from symbed.scoring.formula_judgment import FormulaJudge
from symbed.scoring.true_form import read_truth
from symbed.verdicts.grading.worker import limit_memory, serve
from symbed.verdicts.grading.worker_process import decoded_expression
from symbed.workbench.data.input_laws import IntegerUniform, LogUniform, Uniform, read_law

MODULE = "symbed.scoring.judging_worker"
_KINDS = {Uniform: "uniform", LogUniform: "log-uniform", IntegerUniform: "integer"}


def encoded_range(given: Any) -> Any:
    """The range of a variable as plain values."""
    if type(given) not in _KINDS:
        low, high = given
        return [float(low), float(high)]
    signs = f":{given.signs}" if hasattr(given, "signs") else ""
    return f"{_KINDS[type(given)]}:{given.low!r}:{given.high!r}{signs}"


def answer_request(request: dict[str, Any]) -> Any:
    """What one request asks for, as plain values."""
    if request["task"] == "ready":
        return True
    if request["task"] == "limit":
        return limit_memory(request["megabytes"])
    try:
        judge = _judge(json.dumps(request["problem"]), request["seconds"])
        # All rows of a problem share the judge, and each has its own noise.
        judge.noise = request["noise"]
        if judge.noise and request.get("noise_is_of_size"):
            judge.noise *= judge.truth.size_by_spread
        found = decoded_expression(request["found"])
        return judge.judge(found, request["text"], request["line"]).to_dict()
    except (SymbedError, MemoryError):
        raise
    except Exception as error:  # one row that trips over a defect must not end the others
        raise SymbedError(f"a defect of symbed: {type(error).__name__}: {error}") from error


@lru_cache(maxsize=32)
def _judge(problem: str, seconds: float) -> FormulaJudge:
    # Asked for by its text, since dictionaries have no hash.
    given = json.loads(problem)
    domain = {
        name: read_law(law) if isinstance(law, str) else tuple(law)
        for name, law in given["domain"].items()
    }
    truth = read_truth(decoded_expression(given["truth"]), domain, values=given["values"])
    return FormulaJudge(truth, seconds)


if __name__ == "__main__":
    sys.exit(serve(answer_request))

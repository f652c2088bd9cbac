"""A benchmark of forms: methods on problems whose truths are forms, and a leaderboard of them.

``run_benchmark`` runs and judges, ``read_leaderboard`` reads what was judged, ``write_report``
writes it as a page and tables.
"""

from __future__ import annotations

from symbed._lazy import find_lazily

# Where each public name lives.
_HOMES = {
    "Leaderboard": "leaderboard",
    "Limits": "methods",
    "Method": "methods",
    "RunResult": "leaderboard",
    "Summary": "leaderboard",
    "read_leaderboard": "benchmark_run",
    "read_method": "methods",
    "read_problems": "tasks",
    "remove_runs": "benchmark_run",
    "run_benchmark": "benchmark_run",
    "write_report": "report",
}

__all__ = list(_HOMES)


__getattr__, __dir__ = find_lazily(__name__, _HOMES)

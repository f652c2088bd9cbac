"""Scores: did a run find the law? Form, function and size of found formulas against a true form.

``score`` judges the formulas of one run; ``judge_results`` the result files of benchmarks.
"""

from __future__ import annotations

from symbed._lazy import find_lazily

# Where each public name lives.
_HOMES = {
    "JudgedResults": "result_files.judged_results",
    "JudgedRow": "result_files.judged_results",
    "Score": "scores",
    "ScoredFormula": "scores",
    "SpareTerm": "spare_terms",
    "judge_results": "result_files.results_judging",
    "score": "run_score",
}

__all__ = list(_HOMES)


__getattr__, __dir__ = find_lazily(__name__, _HOMES)

"""Scores: did a run find the law? Form, function and size of found formulas against a true form.

``score`` judges the formulas of one run; ``judge_results`` the result files of benchmarks.
"""

from __future__ import annotations

from symbed._lazy import find_lazily

# Where each public name lives.
_HOMES = {
    "Score": "run_score",
    "ScoredFormula": "scored_formula",
    "SpareTerm": "spare_terms",
    "score": "run_score",
}

__all__ = list(_HOMES)


__getattr__, __dir__ = find_lazily(__name__, _HOMES)

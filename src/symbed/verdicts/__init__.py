"""Verdicts: whether two formulas are the same, with evidence and an honest grade.

``decide`` judges two formulas without free parameters, ``decide_pairs`` many pairs on all cores,
and ``grade`` an answer that somebody wrote; ``relate`` and ``effective`` judge families, and
``form_distance`` measures how far apart they are. All of them rest on exact rationals and balls.
"""

from __future__ import annotations

from symbed._lazy import find_lazily

# Where each public name lives.
_HOMES = {
    "Containment": "relation",
    "Effective": "effective_parameters",
    "FormComparison": "form_distances",
    "FormDistances": "form_distances",
    "GradedAnswer": "grading",
    "PairVerdicts": "pair_decisions",
    "Relation": "relation",
    "Verdict": "verdict",
    "compare_forms": "form_distances",
    "decide": "decision",
    "decide_pairs": "pair_decisions",
    "effective": "effective_parameters",
    "form_distance": "form_distances",
    "form_distances": "form_distances",
    "grade": "grading",
    "relate": "relation",
    "relate_many": "relation_lists",
}

__all__ = list(_HOMES)


__getattr__, __dir__ = find_lazily(__name__, _HOMES)

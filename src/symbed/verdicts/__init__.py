"""Verdicts: whether two formulas are the same, with evidence and an honest grade.

``decide`` judges two formulas without free parameters, ``decide_pairs`` many pairs on all cores,
and ``grade`` an answer that somebody wrote; ``relate`` and ``effective`` judge families, and
``form_distance`` measures how far apart they are. All of them rest on exact rationals and balls.
"""

from __future__ import annotations

from symbed._lazy import find_lazily

# Where each public name lives.
_HOMES = {
    "Containment": "families.containment",
    "Effective": "families.effective_parameters",
    "FormComparison": "families.form_comparison",
    "FormDistances": "families.form_comparison",
    "GradedAnswer": "grade_answers",
    "PairVerdicts": "pair_lists",
    "Relation": "families.relation",
    "Verdict": "functions.verdict",
    "compare_forms": "families.form_comparison",
    "decide": "functions.decision",
    "decide_pairs": "pair_lists",
    "effective": "families.effective_parameters",
    "form_distance": "families.form_comparison",
    "form_distances": "families.form_comparison",
    "grade": "grade_answers",
    "relate": "families.relation",
    "relate_many": "pair_lists",
}

__all__ = list(_HOMES)


__getattr__, __dir__ = find_lazily(__name__, _HOMES)

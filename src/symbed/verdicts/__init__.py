"""Verdicts: whether two formulas are the same, with evidence and an honest grade.

``decide`` judges two formulas without free parameters, ``decide_pairs`` many pairs on all cores,
and ``grade`` an answer that somebody wrote. All of them rest on exact rationals and balls.
"""

from __future__ import annotations

from symbed._lazy import find_lazily

# Where each public name lives.
_HOMES = {
    "GradedAnswer": "grading",
    "PairVerdicts": "pair_decisions",
    "Verdict": "verdict",
    "decide": "decision",
    "decide_pairs": "pair_decisions",
    "grade": "grading",
}

__all__ = list(_HOMES)


__getattr__, __dir__ = find_lazily(__name__, _HOMES)

"""Verdicts: whether two formulas are the same function, with evidence and an honest grade.

``decision.decide`` judges two formulas without free parameters; ``pair_decisions.decide_pairs``
does so for many pairs on all cores, and ``grading.grade`` for graders of answers. All of them rest
on exact rationals and balls (``balls``), evaluated by ``ball_programs``.
"""

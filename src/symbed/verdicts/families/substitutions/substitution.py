"""Formulas for the parameters of a larger family in those of a smaller one.

By the formulas alone, where both families have one skeleton or coefficients that can be equated; or
from members that were reached, of which each parameter is recognized as a short formula.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping, Sequence

import numpy as np

from symbed._types import Floats
from symbed.language.expression import Expression, Postfix
from symbed.language.operators import BY_NAME
from symbed.verdicts.arithmetic.flint_access import working_precision
from symbed.verdicts.arithmetic.values import Value, as_ball
from symbed.verdicts.budgets import Budget
from symbed.verdicts.families.substitutions.coefficient_matching import matched_coefficients
from symbed.verdicts.families.substitutions.recognition import MOST_EFFORT, recognized_formulas
from symbed.verdicts.families.substitutions.substitution_check import (
    CHECK_BITS,
    Substitution,
    SubstitutionCheck,
)
from symbed.verdicts.families.substitutions.unification import unified_parameters

QUICK_EFFORT = 1  # what is looked for often: no long products and sums

ABS = BY_NAME["abs"]

Repin = Callable[[int, float], "Mapping[int, Sequence[Value]] | None"]


def structural_substitution(check: SubstitutionCheck) -> Substitution | None:
    """The substitution that the two formulas show, if it holds everywhere."""
    inner, outer = check.inner, check.outer
    postfixes = inner.expression.postfix, outer.expression.postfix
    for solve in (unified_parameters, matched_coefficients):
        formulas = solve(*postfixes, outer.variables, outer.parameters)
        if formulas is None:
            continue
        ordered = [
            [Expression(part, inner.parameters) for part in _with_magnitudes(formulas[name])]
            for name in outer.parameters
        ]
        substitution = check.best(ordered)
        if substitution is not None and substitution.holds_where == "everywhere":
            return substitution
    return None


def _with_magnitudes(formula: Postfix) -> list[Postfix]:
    """A formula, and the same of magnitudes if a root or a logarithm may want them."""
    if not any(getattr(item, "name", "") in ("sqrt", "ln", "^") for item in formula):
        return [formula]
    pairs = ((item, ABS) if isinstance(item, str) else (item,) for item in formula)
    return [formula, tuple(itertools.chain(*pairs))]


def recognized_substitution(
    check: SubstitutionCheck, given: Floats, numbers: Floats, effort: int = MOST_EFFORT
) -> tuple[Substitution | None, list[bool]]:
    """Formulas for all parameters that pass the check, and which parameters have some at all.

    Parameters
    ----------
    check : SubstitutionCheck
        What formulas must pass.
    given : ndarray of shape (n_members, n_inner)
        The parameters of members of the smaller family.
    numbers : ndarray of shape (n_members, n_outer)
        Their parameters in the larger one.
    effort : int
        How long formulas may be.
    """
    best: Substitution | None = None
    candidates: list[list[Expression]] = []
    tried: list[list[Expression]] = []
    for level in range(effort + 1):
        candidates = [
            recognized_formulas(check.inner.parameters, given, column, level)
            for column in numbers.T
        ]
        if not all(candidates) or candidates == tried:
            continue
        tried = candidates
        again = check.best(candidates)
        best = again or best
        if again is not None and again.holds_where == "everywhere":
            break
    return best, [bool(formulas) for formulas in candidates]


def find_substitution(
    check: SubstitutionCheck,
    values: Floats,
    reached: Mapping[int, Sequence[Value]],
    repin: Repin,
    budget: Budget,
) -> Substitution | None:
    """Recognize the map from the inner family's parameters to the outer one's.

    Parameters
    ----------
    check : SubstitutionCheck
        What formulas must pass.
    values : ndarray of shape (n_members, n_parameters)
        Members of the inner family.
    reached : mapping from int to sequence of Value
        For some of the members, the outer parameters that they have.
    repin : callable
        Gives the outer parameters of these members anew with one held at a number, where the
        solution is not unique.
    budget : Budget
        What it may cost.
    """
    n_parameters = check.outer.n_parameters
    if not n_parameters:
        return Substitution({}, "everywhere")
    given = values[list(reached)]
    partial, explained = recognized_substitution(check, given, _numbers(reached))
    if partial is not None and partial.holds_where == "everywhere":
        return partial
    # A parameter that nothing explains may be free: hold it at a number and look again.
    for number in (0.0, 1.0, -1.0):
        for place in range(n_parameters):
            if explained[place]:
                continue
            if budget.is_spent:
                return partial
            again = repin(place, number)
            if again is None:
                continue
            best, _ = recognized_substitution(check, given, _numbers(again), QUICK_EFFORT)
            if best is not None:
                return best
    return partial


def _numbers(reached: Mapping[int, Sequence[Value]]) -> Floats:
    with working_precision(CHECK_BITS):
        rows = [[float(as_ball(value).mid()) for value in values] for values in reached.values()]
    return np.array(rows)

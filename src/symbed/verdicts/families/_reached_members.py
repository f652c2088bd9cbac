"""Which members of one family are members of another: by fits, then to sixty digits.

Fits say which ones may be. Of these some are polished to sixty digits, and formulas are recognized
that take the parameters of one family to those of the other.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from functools import cached_property

import numpy as np

from symbed._types import Floats
from symbed.language.expression import Expression
from symbed.verdicts._budgets import Budget
from symbed.verdicts.algebra.formula_recognition import MAX_EFFORT, recognized_formulas
from symbed.verdicts.arithmetic.values import Value, as_ball, is_defined, working_precision
from symbed.verdicts.families._polishing import Polished, polish
from symbed.verdicts.families._substitution import CHECK_BITS, Substitution, SubstitutionCheck
from symbed.verdicts.families.drawn_members import Members, shown_parameters
from symbed.verdicts.families.form import Form, Grid, Target
from symbed.verdicts.families.nearest_members import PILOTS, MemberSearch

N_POLISHED = 6  # members that are polished to sixty digits; the others must agree as floats
NEARBY = 1e-3  # a fit that ends nearer than this may still be polished to a member
MAX_MISSED = 0.4  # share of members that a checked substitution may stand for
MAX_FAILED = 4  # polishes that fail one after the other; more would tell nothing new
STEEP = 1e30  # largest output by the median one, from which on every member is polished
POLISH_WORK = 20  # of a polish, in descents of a fit
HIDDEN_BITS = 128  # a slope that is not zero shows it with few digits
QUICK_EFFORT = 1  # of formulas that are looked for often: no long products and sums


class ReachedMembers:
    """Members of the inner family that were found in the outer one.

    Attributes
    ----------
    search : MemberSearch
        The fits.
    polished : dict from int to Polished
        The ends of the polishes that were made, by the place of the member.
    """

    def __init__(
        self,
        inner: Form,
        outer: Form,
        grid: Grid,
        members: Members,
        check: SubstitutionCheck,
        budget: Budget,
    ) -> None:
        self.inner, self.outer, self.grid, self.members = inner, outer, grid, members
        self.check, self.budget = check, budget
        self.search = MemberSearch(outer, grid.points, members, budget)
        self.polished: dict[int, Polished] = {}
        self._targets: dict[int, Target] = {}

    def target(self, k: int) -> Target:
        """A member as an exact target, kept."""
        if k not in self._targets:
            member = self.members.values[k], self.members.outputs[k]
            self._targets[k] = Target.of_member(self.inner, self.grid, *member)
        return self._targets[k]

    @property
    def first(self) -> list[int]:
        """The members that are compared to sixty digits: the first, and those at the edges."""
        n = len(self.members)
        # From the end: the last members are those with a wide parameter.
        order = [*range(min(PILOTS, n)), *range(n - 1, PILOTS - 1, -1)]
        # Formulas are recognized from these, which takes more samples than coefficients.
        return order[: max(N_POLISHED, self.inner.n_parameters + 4)]

    @property
    def missed(self) -> list[int]:
        """The members that no fit reached."""
        return [int(k) for k in self.search.missed(self.search.everyone)]

    @property
    def unreached(self) -> list[int]:
        """The members that were polished in vain, then those that no fit reached."""
        unpolished = [k for k in self.missed if k not in self.polished]
        return [k for k, end in self.polished.items() if not end.is_member] + unpolished

    def polish(self) -> None:
        """Polish some members, those first that are at the edges; and all that nearly fit."""
        n = len(self.members)
        # Floats see only the largest outputs of a member that spans many orders of magnitude.
        steep = np.flatnonzero(self.search.spans > STEEP)
        missed = self.missed
        far = {k for k in missed if self.search.distances[k] > NEARBY}
        if len(far) > MAX_MISSED * n:
            # Many that are far off decide; the others only tell whether they are limits.
            chosen = [k for k in missed if k not in far][:PILOTS]
        else:
            order = dict.fromkeys([*self.first, *map(int, steep), *missed])
            chosen = [k for k in order if k not in far]
        failed = 0
        for k in chosen:
            end = self.polished[k] = self._polished(k)
            failed += not end.is_member
            # Too many for a substitution to stand for, or none that was reached so far.
            if failed > MAX_MISSED * n or failed == len(self.polished) == MAX_FAILED:
                break

    def _polished(self, k: int) -> Polished:
        target = self.target(k)
        end = self._newton(self.search.values[k], target)
        if end.is_member or self.search.distances[k] > NEARBY or self.budget.is_spent:
            return end
        # Near, but no member: the fit may have let a parameter run off.
        for values in itertools.chain(self.search.related(k), self.search.alternatives(k)):
            other = self._newton(values, target)
            if other.is_member:
                return other
            if self.budget.is_spent:
                break
        return end

    def _newton(self, start: Floats, target: Target, fixed: tuple[int, ...] = ()) -> Polished:
        self.budget.count(POLISH_WORK)
        return polish(self.outer, start, target, fixed)

    @cached_property
    def hidden_parameter(self) -> str | None:
        """A parameter that moves no digit of any member that was compared; None if all do.

        Members of ``a*x/(exp(b*x) - c)`` with ``b*x`` below -1e5 are, to sixty digits, those of
        ``a*x``: that they are found there says nothing about the family.
        """
        if not self.inner.n_parameters:
            return None
        few = Members(self.members.values[self.first], self.members.outputs[self.first])
        shown = shown_parameters(self.inner, self.grid.points, few).any(axis=0)
        hidden = np.flatnonzero(~shown)
        if not len(hidden):
            return None
        program, slopes = self.inner.slope_balls, self.inner.slope_balls.roots[1:]
        with working_precision(HIDDEN_BITS):
            for k, place in itertools.product(self.first, self.grid.fresh):
                trace = program.trace(self.target(k).parameters | self.grid.exact[place])
                for parameter in hidden:
                    slope = trace[slopes[parameter]]
                    # Below the digits of floats, and not zero: it does something after all.
                    if is_defined(slope) and not as_ball(slope).contains(0):
                        return self.inner.parameters[parameter]
        return None

    def recognized(self, effort: int = QUICK_EFFORT) -> Substitution | None:
        """Formulas that the fits suggest and that hold everywhere.

        Exact members of the outer family come from them at once, where polishing takes long.
        """
        reached = self.search.reached
        best, _ = self._recognized(
            self.members.values[reached], self.search.values[reached], effort
        )
        holds = best is not None and best.holds_where == "everywhere"
        return best if holds and self.hidden_parameter is None else None

    def substitution(self) -> Substitution | None:
        """Formulas that the polished members suggest; where they hold is said with them."""
        reached = {k: end.values for k, end in self.polished.items() if end.values is not None}
        if not reached:
            return None
        n_parameters = self.outer.n_parameters
        if not n_parameters:
            return Substitution({}, "everywhere")
        own = self.members.values[list(reached)]
        partial, explained = self._recognized(own, _numbers(reached))
        if partial is not None and partial.holds_where == "everywhere":
            return partial
        # A parameter that nothing explains may be free: hold it at a number and look again.
        for number in (0.0, 1.0, -1.0):
            for place in range(n_parameters):
                if explained[place]:
                    continue
                if self.budget.is_spent:
                    return partial
                again = self._repinned(list(reached), place, number)
                if again is None:
                    continue
                best, _ = self._recognized(own, _numbers(again), QUICK_EFFORT)
                if best is not None:
                    return best
        return partial

    def _recognized(
        self, own: Floats, numbers: Floats, effort: int = MAX_EFFORT
    ) -> tuple[Substitution | None, list[bool]]:
        """Formulas for all outer parameters that pass the check, and which have some at all.

        From inner parameters, (n_members, n_inner), and those in the outer family that they have,
        (n_members, n_outer); ``effort`` is how long formulas may be.
        """
        best: Substitution | None = None
        candidates: list[list[Expression]] = []
        tried: list[list[Expression]] = []
        for level in range(effort + 1):
            candidates = [
                recognized_formulas(self.inner.parameters, own, column, level)
                for column in numbers.T
            ]
            # More effort that brings nothing new needs no second check.
            if not all(candidates) or candidates == tried:
                continue
            tried = candidates
            again = self.check.best(candidates)
            best = again or best
            if again is not None and again.holds_where == "everywhere":
                break
        return best, [bool(formulas) for formulas in candidates]

    def _repinned(
        self, which: list[int], place: int, number: float
    ) -> dict[int, tuple[Value, ...]] | None:
        """Outer parameters of some members anew, with one held at a number; None if one has none.

        Where the solution is not unique, this makes it so.
        """
        starts = self.search.pinned(np.array(which), place, number)
        if starts is None:
            return None
        again: dict[int, tuple[Value, ...]] = {}
        for k, start in zip(which, starts, strict=True):
            end = self._newton(start, self.target(k), (place,))
            if end.values is None:
                return None
            again[k] = end.values
        return again


def _numbers(reached: Mapping[int, Sequence[Value]]) -> Floats:
    with working_precision(CHECK_BITS):
        rows = [[float(as_ball(value).mid()) for value in values] for values in reached.values()]
    return np.array(rows)

"""The search for a containment: members are sought in the other family, or a proof of the contrary.

Members of one family are fitted by the other, polished to sixty digits and checked at fresh points;
where that fails, a proof that it cannot succeed is tried. Not found is never "not contained".
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from symbed._types import Floats
from symbed.errors import DataError
from symbed.language.expression import Expression
from symbed.verdicts.arithmetic.values import Value, as_ball, is_defined, working_precision
from symbed.verdicts.budgets import Budget
from symbed.verdicts.families.containment import Containment
from symbed.verdicts.families.form import Domain, Form, Grid
from symbed.verdicts.families.members.drawn_members import (
    Members,
    draw_members,
    far_members,
    shown_parameters,
)
from symbed.verdicts.families.members.exact_target import Target, without_cancellation
from symbed.verdicts.families.members.nearest_members import (
    FLOOR,
    PILOTS,
    MemberSearch,
)
from symbed.verdicts.families.members.polishing import (
    SLACK,
    Polished,
    polish,
    settled_distances,
)
from symbed.verdicts.families.members.polishing import TOLERANCE as NEWTON_TOLERANCE
from symbed.verdicts.families.recognition import MOST_EFFORT
from symbed.verdicts.families.refutation import Refutation, Refuter
from symbed.verdicts.families.substitution import (
    QUICK_EFFORT,
    Repin,
    Substitution,
    SubstitutionCheck,
    find_substitution,
    recognized_substitution,
    structural_substitution,
)

N_POLISHED = 6  # members that are polished to sixty digits; the others must agree as floats
NEARBY = 1e-3  # a fit that ends nearer than this may still be polished to a member
MOST_MISSED = 0.4  # share of members that a checked substitution may stand for
MOST_FAILED = 4  # polishes that fail one after the other; more would tell nothing new
STEEP = 1e30  # largest output by the median one, from which on every member is polished
POLISH_WORK = 20  # of a polish, in descents of a fit
FAR_BITS = 16_384  # far away thousands of digits cancel, as in cosh(x) + sinh(x) for x = -5000
HIDDEN_BITS = 128  # a slope that is not zero shows it with few digits
N_REFUTED = 6  # members against which a proof is tried
TOLERANCE = NEWTON_TOLERANCE * SLACK  # of relative residuals at points that no fit sees


class ContainmentSearch:
    """Whether the inner family is contained in the outer one."""

    def __init__(
        self,
        inner: Form,
        outer: Form,
        grid: Grid,
        domain: Domain,
        n_members: int,
        seed: int,
        budget: Budget,
    ) -> None:
        self.inner, self.outer, self.grid, self.domain = inner, outer, grid, domain
        self.budget = budget
        self.members = draw_members(inner, grid.points, n_members, seed)
        if not len(self.members):
            raise DataError(
                f"{str(inner.source)!r} is undefined almost everywhere on this domain for the "
                "members that were tried; give another domain or other parameter ranges"
            )
        self.members = without_cancellation(inner, grid, self.members)
        self.search = MemberSearch(outer, grid.points, self.members, budget)
        self.refuter = Refuter(outer, grid)
        self.check = SubstitutionCheck(inner, outer, domain, grid, budget)
        self.targets: dict[int, Target] = {}
        self.searched = False  # whether fits were made
        self.formulas: Mapping[str, Expression] | None = None  # that hold everywhere
        self.refuted: Refutation | None = None
        self.witness = -1  # the member that was refuted or not reached

    def judge(self, wants_substitution: bool) -> Containment:
        """Search, polish, refute; what was found must hold for members far away, too."""
        found = self._judged(wants_substitution)
        if not found.contained or not self.inner.n_parameters:
            return found
        return self._objection_from_afar() or found

    def _objection_from_afar(self) -> Containment | None:
        """Refuted or open, where a member far from the usual ones is not in the outer family."""
        far = far_members(self.inner, self.grid, self.members)
        formulas = None if self.formulas is None else list(self.formulas.values())
        if formulas is not None and len(far):
            doubtful = ~self.check.is_near(formulas, far)
            far = Members(far.values[doubtful], far.outputs[doubtful])
        lost: list[int] = []
        for k, (values, outputs) in enumerate(zip(far.values, far.outputs, strict=True)):
            target = Target.of_member(self.inner, self.grid, values, outputs)
            if formulas is not None and self.check.residual(formulas, target) <= TOLERANCE:
                continue
            refuted = self.refuter.by_member(target, outputs)
            if refuted is not None:
                return self._apart_from_afar(far, [k], refuted)
            if formulas is not None and not (
                self.check.residual(formulas, target.again(), (FAR_BITS,)) <= TOLERANCE
            ):
                lost.append(k)
        return self._apart_from_afar(far, lost, None) if lost else None

    def _apart_from_afar(
        self, far: Members, lost: list[int], refuted: Refutation | None
    ) -> Containment | None:
        """What is said of far members for which formulas do not hold; None if fits reach them."""
        members = Members(far.values[lost], far.outputs[lost])
        search = MemberSearch(self.outer, self.grid.points, members, self.budget)
        search.quick(search.everyone)
        search.rescue(search.everyone)
        missed = []
        for k in range(len(members)):
            target = Target.of_member(self.inner, self.grid, members.values[k], members.outputs[k])
            if refuted or not polish(self.outer, search.values[k], target).is_member:
                missed.append(k)
        if not missed:
            return None
        n = len(self.members)
        distances = np.concatenate([np.zeros(n), np.maximum(search.distances[missed], FLOOR)])
        named = self._by_name(members.values[missed[0]])
        shown = ", ".join(f"{name} = {value}" for name, value in named.items())
        return Containment(
            False if refuted else None, "refuted" if refuted else "searched", member=named,
            distance=float(distances.mean()), uncertainty=_error(distances),
            n_members=len(distances), n_starts=search.starts.shape[1],
            reason=refuted.reason if refuted
            else f"{n} of {n} random members reached, but not the one with {shown}",
        )  # fmt: skip

    def _judged(self, wants_substitution: bool) -> Containment:
        substitution = structural_substitution(self.check)
        by_formulas = self._by_formulas(substitution, wants_substitution)
        if by_formulas is None:
            self._search()
            if self.refuted is None and self._missed_share <= MOST_MISSED:
                by_formulas = self._by_formulas(self._recognized(), wants_substitution)
        if by_formulas is not None:
            return by_formulas
        polished = {} if self.refuted else self._polish()
        failed = [k for k, end in polished.items() if not end.is_member]
        if failed and not self.refuted:
            self._refute(failed)
        if self.refuted is None:
            missed = [*failed, *map(int, self.search.missed(self._unpolished(polished)))]
            contained = (
                self._beyond_fits(polished, missed, wants_substitution)
                if missed
                else self._by_members(polished, wants_substitution)
            )
            if contained is not None:
                return contained
        return self._unestablished(polished)

    def _by_members(self, polished: Mapping[int, Polished], is_told: bool) -> Containment:
        """Contained, where every member was reached; unless all of them are too much alike."""
        hidden = self._hidden_parameter()
        if hidden is not None:
            return self._too_alike(hidden)
        return self._matched(polished, self._substitution(polished, is_told))

    def _beyond_fits(
        self, polished: Mapping[int, Polished], missed: list[int], is_told: bool
    ) -> Containment | None:
        """Contained, where formulas for the parameters hold for the few members that fits missed.

        Fits lose their way where outputs span hundreds of orders of magnitude; formulas do not.
        """
        reached = {k: end for k, end in polished.items() if end.is_member}
        if len(missed) > MOST_MISSED * len(self.members) or len(reached) < N_POLISHED // 2:
            return None
        found = self._substitution(reached, True)
        if found is None or found.holds_where != "everywhere" or self._hidden_parameter():
            found = self._recognized(MOST_EFFORT)
        return self._by_formulas(found, is_told)

    def _unestablished(self, polished: Mapping[int, Polished]) -> Containment:
        """Refuted, or not found."""
        distances = settled_distances(
            self.outer, self.search.values, self.search.distances, self._target
        ).copy()
        for k, end in polished.items():
            if end.is_member:
                distances[k] = 0.0
        missed = self._missed(polished)
        witness = self.witness if self.witness >= 0 else int(missed[0])
        ends = [end for end in polished.values() if not end.is_member]
        limit = bool(ends) and all(end.limit for end in ends)
        limit = limit and bool((self.search.distances <= NEARBY).all())
        return Containment(
            contained=False if self.refuted else None,
            grade="refuted" if self.refuted else "searched",
            member=self._named(witness),
            limit=limit,
            distance=float(distances.mean()),
            uncertainty=_error(distances),
            n_members=len(self.members),
            n_starts=self.search.starts.shape[1],
            reason=self.refuted.reason if self.refuted else self._not_found(missed, limit),
        )

    def _recognized(self, effort: int = QUICK_EFFORT) -> Substitution | None:
        """Formulas that the fits suggest and that hold everywhere.

        Exact members of the outer family come from them at once, where polishing takes long.
        """
        reached = self.search.reached
        found, _ = recognized_substitution(
            self.check, self.members.values[reached], self.search.values[reached], effort
        )
        holds = found is not None and found.holds_where == "everywhere"
        return found if holds and self._hidden_parameter() is None else None

    def _by_formulas(self, found: Substitution | None, is_told: bool) -> Containment | None:
        """Contained, where formulas name the member that each member is, to sixty digits."""
        if found is None:
            return None
        formulas = list(found.formulas.values())
        residual = 0.0
        # Those that no fit reached, too: where outputs span many orders of magnitude, fits lose
        # their way, and formulas do not.
        missed = map(int, self.search.missed(self.search.everyone)) if self.searched else ()
        compared = list(dict.fromkeys([*self._first_members, *missed]))
        for k in compared:
            residual = max(residual, self.check.residual(formulas, self._target(k)))
            if not residual <= TOLERANCE:
                return None
        n = len(self.members)
        self.formulas = found.formulas
        return Containment(
            True, "matched", found.formulas if is_told else None,
            found.holds_where if is_told else None,
            residual=residual, distance=0.0, n_members=n, n_starts=self.search.n_starts,
            reason=f"{n} of {n} random members reached, {len(compared)} of them to 60 digits",
        )  # fmt: skip

    @property
    def _missed_share(self) -> float:
        """The share of members that no fit reached."""
        return len(self.search.missed(self.search.everyone)) / len(self.members)

    @property
    def _first_members(self) -> list[int]:
        """The members that are compared to sixty digits: the first, and those at the edges."""
        n = len(self.members)
        order = [*range(min(PILOTS, n)), *range(n - 1, PILOTS - 1, -1)]
        return order[: max(N_POLISHED, self.inner.n_parameters + 4)]

    @property
    def _has_time(self) -> bool:
        return not self.budget.is_spent

    def _search(self) -> None:
        """Fits; a proof of the contrary is cheaper than the rescue of a fit, so it comes first."""
        self.searched = True
        for part in self.search.parts:
            self.search.quick(part)
            missed = self.search.missed(part)
            if self.refuted is None and len(missed) and not self._refute(missed) and self._has_time:
                self.search.rescue(part)
        if self.refuted is None and self._has_time:
            self.search.predict(self.search.everyone)

    def _refute(self, which: Any) -> bool:
        """Try to prove that a member is not in the outer family."""
        if self.witness != -2:
            self.witness = -2  # dimensions are compared once
            self.refuted = self.refuter.by_dimension(self.inner)
        for k in list(which)[:N_REFUTED]:
            if self.refuted is not None:
                break
            self.refuted = self.refuter.by_member(self._target(int(k)), self.members.outputs[k])
            if self.refuted is not None:
                self.witness = int(k)
        return self.refuted is not None

    def _target(self, k: int) -> Target:
        if k not in self.targets:
            member = self.members.values[k], self.members.outputs[k]
            self.targets[k] = Target.of_member(self.inner, self.grid, *member)
        return self.targets[k]

    def _polish(self) -> dict[int, Polished]:
        """Polish some members, those first that are at the edges; and all that nearly fit."""
        n = len(self.members)
        # Floats see only the largest outputs of a member that spans many orders of magnitude.
        steep = np.flatnonzero(self.search.spans > STEEP)
        chosen = list(dict.fromkeys([*self._first_members, *map(int, steep)]))
        missed = self.search.missed(self.search.everyone)
        far = set(map(int, missed[self.search.distances[missed] > NEARBY]))
        if len(far) > MOST_MISSED * n:
            # Many that are far off decide; the others only tell whether they are limits.
            chosen = [int(k) for k in missed if int(k) not in far][:PILOTS]
        else:
            chosen = [k for k in dict.fromkeys([*chosen, *map(int, missed)]) if k not in far]
        polished: dict[int, Polished] = {}
        for k in chosen:
            polished[k] = self._polished(k)
            failed = sum(not end.is_member for end in polished.values())
            if failed > MOST_MISSED * n or failed == len(polished) == MOST_FAILED:
                break
        return polished

    def _polished(self, k: int) -> Polished:
        target = self._target(k)
        end = self._newton(self.search.values[k], target)
        if end.is_member or self.search.distances[k] > NEARBY or not self._has_time:
            return end
        for values in itertools.chain(self.search.related(k), self.search.alternatives(k)):
            other = self._newton(values, target)
            if other.is_member:
                return other
            if not self._has_time:
                break
        return end

    def _newton(self, start: Floats, target: Target, fixed: tuple[int, ...] = ()) -> Polished:
        self.budget.count(POLISH_WORK)
        return polish(self.outer, start, target, fixed)

    def _unpolished(self, polished: Mapping[int, Polished]) -> Any:
        return np.array([k for k in range(len(self.members)) if k not in polished], np.int64)

    def _missed(self, polished: Mapping[int, Polished]) -> list[int]:
        unreached = [int(k) for k in self.search.missed(self._unpolished(polished))]
        return [k for k, end in polished.items() if not end.is_member] + unreached or [0]

    def _substitution(self, polished: Mapping[int, Polished], wanted: bool) -> Substitution | None:
        reached = {k: end.values for k, end in polished.items() if end.values is not None}
        if not wanted or not reached:
            return None
        return find_substitution(
            self.check, self.members.values, reached, self._repinned(list(reached)), self.budget
        )

    def _matched(self, polished: Mapping[int, Polished], found: Substitution | None) -> Containment:
        n = len(self.members)
        if found is not None and found.holds_where == "everywhere":
            self.formulas = found.formulas
        return Containment(
            contained=True,
            grade="matched",
            substitution=found.formulas if found else None,
            holds_where=found.holds_where if found else None,
            residual=max(end.residual for end in polished.values()),
            distance=0.0,  # contained: what the fits left is their rounding
            n_members=n,
            n_starts=self.search.starts.shape[1],
            reason=f"{self._count(polished)} of {n} random members reached, "
            f"{len(polished)} of them to 60 digits",
        )

    def _hidden_parameter(self) -> str | None:
        """A parameter that moves no digit of any member that was compared; None if all do.

        Members of ``a*x/(exp(b*x) - c)`` with ``b*x`` below -1e5 are, to sixty digits, those of
        ``a*x``: that they are found there says nothing about the family.
        """
        members, first = self.members, self._first_members
        if not self.inner.n_parameters:
            return None
        few = Members(members.values[first], members.outputs[first])
        shown = shown_parameters(self.inner, self.grid.points, few).any(axis=0)
        names, hidden = self.inner.parameters, np.flatnonzero(~shown)
        if not len(hidden):
            return None
        program, slopes = self.inner.slope_balls, self.inner.slope_balls.roots[1:]
        with working_precision(HIDDEN_BITS):
            for k, place in itertools.product(first, self.grid.fresh):
                trace = program.trace(self._target(k).given | self.grid.exact[place])
                for parameter in hidden:
                    slope = trace[slopes[parameter]]
                    # Below the digits of floats, and not zero: it does something after all.
                    if is_defined(slope) and not as_ball(slope).contains(0):
                        return names[parameter]
        return None

    def _too_alike(self, hidden: str) -> Containment:
        """Not established: to sixty digits, all members that were tried are of a smaller family."""
        n = len(self.members)
        return Containment(
            None, "searched", member=self._named(0), distance=0.0, n_members=n,
            n_starts=self.search.starts.shape[1],
            reason=f"{n} of {n} random members reached, but none of them shows what {hidden} does: "
            "other inputs or parameter ranges would",
        )  # fmt: skip

    def _count(self, polished: Mapping[int, Polished]) -> int:
        unpolished = self._unpolished(polished)
        return len(polished) + len(unpolished) - len(self.search.missed(unpolished))

    def _repinned(self, which: list[int]) -> Repin:
        """A function that reaches some members again, with one parameter held at a number."""

        def repin(place: int, value: float) -> dict[int, tuple[Value, ...]] | None:
            starts = self.search.pinned(np.array(which), place, value)
            if starts is None:
                return None
            again: dict[int, tuple[Value, ...]] = {}
            for k, start in zip(which, starts, strict=True):
                end = self._newton(start, self._target(k), (place,))
                if end.values is None:
                    return None
                again[k] = end.values
            return again

        return repin

    def _not_found(self, missed: list[int], limit: bool) -> str:
        n = len(self.members)
        if limit:
            return (
                f"{len(missed)} of {n} random members are approached only while parameters run off"
            )
        nearest = float(self.search.distances.max())
        return (
            f"{len(missed)} of {n} random members were not found from "
            f"{self.search.starts.shape[1]} starts; nearest {nearest:.2g}"
        )

    def _named(self, k: int) -> dict[str, str]:
        return self._by_name(self.members.values[max(k, 0)])

    def _by_name(self, values: Floats) -> dict[str, str]:
        """The parameters of a member of the inner family as text."""
        return {
            name: f"{value:.10g}" for name, value in zip(self.inner.parameters, values, strict=True)
        }


def _error(distances: Floats) -> float:
    """The standard error of a mean over members."""
    return float(distances.std() / math.sqrt(len(distances)))

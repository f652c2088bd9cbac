"""The search for a containment: members are sought in the other family, or a proof of the contrary.

Members of one family are fitted by the other, polished to sixty digits and checked at fresh points;
where that fails, a proof that it cannot succeed is tried. Not found is never "not contained".
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from symbed._types import Floats
from symbed.language.expression import Expression
from symbed.verdicts._budgets import Budget
from symbed.verdicts.algebra.formula_recognition import MAX_EFFORT
from symbed.verdicts.families._formula_matching import structural_substitution
from symbed.verdicts.families._polishing import SLACK, polish, settled_distances
from symbed.verdicts.families._polishing import TOLERANCE as NEWTON_TOLERANCE
from symbed.verdicts.families._reached_members import (
    MAX_MISSED,
    N_POLISHED,
    NEARBY,
    ReachedMembers,
)
from symbed.verdicts.families._refutation import Refuter
from symbed.verdicts.families._substitution import Substitution, SubstitutionCheck
from symbed.verdicts.families.drawn_members import (
    Members,
    draw_members,
    far_members,
    require_members,
    wide_members,
    without_cancellation,
)
from symbed.verdicts.families.form import Domain, Form, Grid, Target
from symbed.verdicts.families.nearest_members import FLOOR, WIDE_SPAN, MemberSearch

FAR_BITS = 16_384  # far away thousands of digits cancel, as in cosh(x) + sinh(x) for x = -5000
MANY_BITS = 2048  # of a proof against what sixty digits show: differences down to 1e-600
CLEARLY_APART = 1e-6  # a form distance that no rounding makes
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
        self.inner, self.outer, self.grid, self.budget = inner, outer, grid, budget
        members = draw_members(inner, grid.points, n_members, seed)
        require_members(inner, members)
        self.members = without_cancellation(inner, grid, members)
        self.check = SubstitutionCheck(inner, outer, domain, grid, budget)
        self.reached = ReachedMembers(inner, outer, grid, self.members, self.check, budget)
        self.search = self.reached.search
        self.refuter = Refuter(outer, grid)
        self.formulas: Mapping[str, Expression] | None = None  # that hold everywhere
        self.refuted: str | None = None
        self.compared_dimensions = False
        self.witness: int | None = None  # the member that was refuted

    def judge(self, wants_substitution: bool) -> Containment:
        """Search, polish, refute; what was found must hold for members far away, too."""
        judged = self._judged(wants_substitution)
        if not judged.contained or not self.inner.n_parameters:
            return judged
        return self._objection_by_digits() or self._objection_from_afar() or judged

    def _judged(self, wants_substitution: bool) -> Containment:
        # The cheapest first: formulas need no fits; polishing each member takes most of the time.
        contained = self._by_formulas(structural_substitution(self.check), wants_substitution, ())
        if contained is None:
            self._search()
            if self.refuted is None and len(self.reached.missed) <= MAX_MISSED * len(self.members):
                recognized = self.reached.recognized()
                contained = self._by_formulas(recognized, wants_substitution, self.reached.missed)
        if contained is not None:
            return contained
        if self.refuted is None:
            self.reached.polish()
            polished = self.reached.polished
            failed = [k for k, end in polished.items() if not end.is_member]
            if not (failed and self._refute(failed)):
                contained = (
                    self._beyond_fits(wants_substitution)
                    if self.reached.unreached
                    else self._by_members(wants_substitution)
                )
        return contained or self._unestablished()

    def _search(self) -> None:
        """Fits; a proof of the contrary is cheaper than the rescue of a fit, so it comes first."""
        search = self.search
        for part in search.parts:
            search.quick(part)
            missed = [int(k) for k in search.missed(part)]
            # The second part is fitted also after a proof: its distances are part of the answer.
            is_open = self.refuted is None and missed and not self._refute(missed)
            if is_open and not self.budget.is_spent:
                search.rescue(part)
        if self.refuted is None and not self.budget.is_spent:
            search.predict(search.everyone)

    def _refute(self, which: Sequence[int]) -> bool:
        """Try to prove that a member is not in the outer family."""
        if not self.compared_dimensions:
            # Needs no member, so once is enough.
            self.compared_dimensions = True
            self.refuted = self.refuter.by_dimension(self.inner)
        for k in which[:N_REFUTED]:
            if self.refuted is not None:
                break
            self.refuted = self.refuter.by_member(self.reached.target(k), self.members.outputs[k])
            self.witness = None if self.refuted is None else k
        return self.refuted is not None

    # Contained

    def _by_formulas(
        self, substitution: Substitution | None, wants_substitution: bool, missed: Sequence[int]
    ) -> Containment | None:
        """Contained, where formulas name the member that each member is, to sixty digits.

        ``missed`` are compared as well, those that no fit reached: where outputs span many orders
        of magnitude, fits lose their way, and formulas do not.
        """
        if substitution is None:
            return None
        formulas = list(substitution.formulas.values())
        residual = 0.0
        compared = list(dict.fromkeys([*self.reached.first, *missed]))
        for k in compared:
            residual = max(residual, self.check.residual(formulas, self.reached.target(k)))
            # So written, a residual that is not a number fails too.
            if not residual <= TOLERANCE:
                return None
        n = len(self.members)
        self.formulas = substitution.formulas
        return Containment(
            True, "matched", substitution.formulas if wants_substitution else None,
            substitution.holds_where if wants_substitution else None,
            residual=residual, distance=0.0, n_members=n, n_starts=self.search.n_starts,
            reason=f"{n} of {n} random members reached, {len(compared)} of them to 60 digits",
        )  # fmt: skip

    def _by_members(self, wants_substitution: bool) -> Containment:
        """Contained, where every member was reached; unless all of them are too much alike."""
        hidden, n = self.reached.hidden_parameter, len(self.members)
        if hidden is not None:
            # To sixty digits, all members that were tried are of a smaller family.
            return Containment(
                None, "searched", member=self._named(self.members.values[0]), distance=0.0,
                n_members=n, n_starts=self.search.starts.shape[1],
                reason=f"{n} of {n} random members reached, but none of them shows what {hidden} "
                "does: other inputs or parameter ranges would",
            )  # fmt: skip
        substitution = self.reached.substitution() if wants_substitution else None
        if substitution is not None and substitution.holds_where == "everywhere":
            self.formulas = substitution.formulas
        polished = self.reached.polished
        return Containment(
            True, "matched", substitution.formulas if substitution else None,
            substitution.holds_where if substitution else None,
            residual=max(end.residual for end in polished.values()),
            distance=0.0,  # contained: what the fits left is their rounding
            n_members=n, n_starts=self.search.starts.shape[1],
            reason=f"{n} of {n} random members reached, {len(polished)} of them to 60 digits",
        )  # fmt: skip

    def _beyond_fits(self, wants_substitution: bool) -> Containment | None:
        """Contained, where formulas for the parameters hold for the few members that fits missed.

        Fits lose their way where outputs span hundreds of orders of magnitude; formulas do not.
        """
        n_reached = sum(end.is_member for end in self.reached.polished.values())
        too_many = len(self.reached.unreached) > MAX_MISSED * len(self.members)
        if too_many or n_reached < N_POLISHED // 2:
            return None
        substitution = self.reached.substitution()
        if (
            substitution is None
            or substitution.holds_where != "everywhere"
            or self.reached.hidden_parameter
        ):
            substitution = self.reached.recognized(MAX_EFFORT)
        return self._by_formulas(substitution, wants_substitution, self.reached.missed)

    # Not contained, or open

    def _unestablished(self) -> Containment:
        """Refuted, or not found."""
        polished = self.reached.polished
        distances = settled_distances(
            self.outer, self.search.values, self.search.distances, self.reached.target
        ).copy()
        # A member to sixty digits is at zero, whatever the float says.
        distances[[k for k, end in polished.items() if end.is_member]] = 0.0
        unreached = self.reached.unreached or [0]
        witness = unreached[0] if self.witness is None else self.witness
        ends = [end for end in polished.values() if not end.is_member]
        limit = bool(ends) and all(end.limit for end in ends)
        # One member far off, and the family is no limit of the other's members.
        limit = limit and bool((self.search.distances <= NEARBY).all())
        n, n_starts = len(self.members), self.search.starts.shape[1]
        if self.refuted:
            reason = self.refuted
        elif limit:
            reason = (
                f"{len(unreached)} of {n} random members are approached only while parameters "
                "run off"
            )
        else:
            reason = (
                f"{len(unreached)} of {n} random members were not found from {n_starts} starts; "
                f"nearest {float(self.search.distances.max()):.2g}"
            )
        return self._not_contained(
            self.refuted, self.members.values[witness], distances, n_starts, reason, limit
        )

    def _not_contained(
        self,
        refuted: str | None,
        member: Floats,
        distances: Floats,
        n_starts: int,
        reason: str,
        limit: bool = False,
    ) -> Containment:
        return Containment(
            False if refuted else None, "refuted" if refuted else "searched",
            member=self._named(member), limit=limit, distance=float(distances.mean()),
            uncertainty=float(distances.std() / math.sqrt(len(distances))),
            n_members=len(distances), n_starts=n_starts, reason=reason,
        )  # fmt: skip

    def _named(self, values: Floats) -> dict[str, str]:
        """The parameters of a member of the inner family as text."""
        return {
            name: f"{value:.10g}" for name, value in zip(self.inner.parameters, values, strict=True)
        }

    # Digits beyond sixty, and members far away

    def _objection_by_digits(self) -> Containment | None:
        """Refuted or open, where the families differ by less than sixty digits show.

        ``C*x`` and ``C*x + 1e-80`` have no member in common.
        """
        target = self.reached.target(0)
        formulas = None if self.formulas is None else list(self.formulas.values())
        if formulas is not None and self.check.is_met(formulas, target, FAR_BITS):
            return None
        # Without formulas only a proof counts: fits end at sixty digits.
        self.refuted = self.refuter.by_member(target.again(), target.outputs, MANY_BITS)
        if self.refuted is None and self.formulas is None:
            return None
        reason = self.refuted or (
            "random members reached to 60 digits, but with more digits the formulas differ"
        )
        # Not zero, which is for containment.
        distances = np.full(len(self.members), FLOOR)
        n_starts = self.search.starts.shape[1]
        return self._not_contained(
            self.refuted, self.members.values[0], distances, n_starts, reason
        )

    def _objection_from_afar(self) -> Containment | None:
        """Refuted or open, where a member far from the usual ones is not in the outer family."""
        far, hiding = far_members(self.inner, self.grid, self.members)
        formulas = None if self.formulas is None else list(self.formulas.values())
        if formulas is not None:
            # Balls take twenty times as long: only where floats disagree they are asked.
            far, hiding = (self._doubtful(formulas, members) for members in (far, hiding))
            for k, (values, outputs) in enumerate(zip(hiding.values, hiding.outputs, strict=True)):
                target = Target.of_member(self.inner, self.grid, values, outputs)
                refuted = self.refuter.by_member(target, outputs)
                if refuted is not None:
                    return self._apart_from_afar(hiding, [k], refuted)
        lost: list[int] = []
        for k, (values, outputs) in enumerate(zip(far.values, far.outputs, strict=True)):
            target = Target.of_member(self.inner, self.grid, values, outputs)
            if formulas is not None and self.check.residual(formulas, target) <= TOLERANCE:
                continue
            refuted = self.refuter.by_member(target, outputs)
            if refuted is not None:
                return self._apart_from_afar(far, [k], refuted)
            # Without formulas only a proof counts: fits to far members lose their way in
            # families that do contain them.
            if formulas is not None and not (
                self.check.residual(formulas, target.again(), (FAR_BITS,)) <= TOLERANCE
            ):
                lost.append(k)
        if formulas is None:
            return self._objection_from_wide_members()
        return self._apart_from_afar(far, lost, None) if lost else None

    def _objection_from_wide_members(self) -> Containment | None:
        """Open, where fits that know the usual members do not reach one beside them.

        ``x^b*min(a, 5)`` has all of the usual members that ``a*x^b`` has, and no others.
        """
        wide = wide_members(self.inner, self.grid, self.members)
        if not len(wide) or not self.outer.n_parameters or self.budget.is_spent:
            return None
        n, usual = len(self.members), self.members
        both = Members(
            np.concatenate([usual.values, wide.values]),
            np.concatenate([usual.outputs, wide.outputs]),
        )
        search = MemberSearch(self.outer, self.grid.points, both, self.budget)
        # What the usual members are leads to what the others may be.
        search.values[:n], search.distances[:n] = self.search.values, self.search.distances
        which = np.arange(n, len(both))
        search.quick(which)
        search.rescue(which)
        search.predict(which)
        # Each differs in one parameter from a usual one, whose solution is near.
        missed, solved = search.missed(which), search.values[:n]
        search.run(missed, n, starts=np.broadcast_to(solved, (len(missed), *solved.shape)))
        search.refine(missed)
        # Nearer ones may be members that floats lose digits of, and among outputs of many orders
        # of magnitude fits lose their way.
        is_apart = (search.distances[which] > CLEARLY_APART) & (search.spans[which] < WIDE_SPAN)
        missed = which[is_apart]
        if not len(missed):
            return None
        member, distances = both.values[missed[0]], np.zeros(len(both))
        distances[which] = np.maximum(search.distances[which], FLOOR)
        shown = ", ".join(f"{name} = {value}" for name, value in self._named(member).items())
        reason = f"{n} of {n} random members reached, but not the one with {shown}"
        return self._not_contained(None, member, distances, search.starts.shape[1], reason)

    def _doubtful(self, formulas: Sequence[Expression], members: Members) -> Members:
        """The members for which formulas do not hold as floats tell."""
        if not len(members):
            return members
        doubtful = ~self.check.is_near(formulas, members)
        return Members(members.values[doubtful], members.outputs[doubtful])

    def _apart_from_afar(
        self, far: Members, lost: list[int], refuted: str | None
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
        n, member = len(self.members), members.values[missed[0]]
        # The usual members were reached; FLOOR keeps the mean above zero, which is for containment.
        distances = np.concatenate([np.zeros(n), np.maximum(search.distances[missed], FLOOR)])
        shown = ", ".join(f"{name} = {value}" for name, value in self._named(member).items())
        reached = f"{n} of {n} random members reached, but not the one with {shown}"
        reason = refuted or reached
        return self._not_contained(refuted, member, distances, search.starts.shape[1], reason)


Grade = Literal["matched", "refuted", "searched"]


@dataclass(frozen=True)
class Containment:
    """Whether one family is contained in another.

    Attributes
    ----------
    contained : bool or None
        True, False, or None where neither was established.
    grade : {"matched", "refuted", "searched"}
        ``matched``: random members were reached to sixty digits; not certain. ``refuted``: a proof
        that some member is not in the other family. ``searched``: a member was not found, which
        says something about the search only.
    substitution : mapping from str to Expression or None
        For each parameter of the larger family a formula in those of the smaller one; None where
        none was recognized.
    holds_where : str or None
        Where the substitution holds: ``"everywhere"``, or a condition on the parameters.
    member : mapping from str to str or None
        The parameters of a member that was not reached, as text.
    residual : float or None
        The largest relative residual among the members that were polished.
    limit : bool
        Whether members are limits of the other family without being in it.
    distance : float
        The directed form distance, in [0, 1].
    uncertainty : float
        Its standard error over members.
    n_members, n_starts : int
        Members tried, and starts of the fits for each.
    reason : str
        What the verdict rests on, in words.
    """

    contained: bool | None
    grade: Grade
    substitution: Mapping[str, Expression] | None = None
    holds_where: str | None = None
    member: Mapping[str, str] | None = None
    residual: float | None = None
    limit: bool = False
    distance: float = math.nan
    uncertainty: float = 0.0
    n_members: int = 0
    n_starts: int = 0
    reason: str = ""

    def to_dict(self) -> dict[str, Any]:
        """All fields as plain values for JSON."""
        formulas = self.substitution
        return {
            **self.__dict__,
            "substitution": formulas and {name: str(text) for name, text in formulas.items()},
            "member": self.member and dict(self.member),
        }

    def __str__(self) -> str:
        word = {True: "contained", False: "not contained", None: "not known to be contained"}
        text = f"{word[self.contained]} ({self.grade}): {self.reason}"
        if self.substitution:
            pairs = ", ".join(f"{name} = {formula}" for name, formula in self.substitution.items())
            where = self.holds_where
            text += f"; {pairs}" + (f" where {where}" if where not in (None, "everywhere") else "")
        if self.limit:
            text += "; its members are limits of the other"
        return text

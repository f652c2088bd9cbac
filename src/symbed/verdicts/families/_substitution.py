"""Formulas for the parameters of a larger family in those of a smaller one, found and checked.

They come from the formulas alone, where both families have one skeleton or coefficients that can be
equated; or from members that were reached, of which each parameter is recognized as a short
formula. Put into the larger family they are compared with the smaller one in balls, for members all
over its box of parameters. A formula holds on its branch, so the check also says where.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from symbed._types import Booleans
from symbed.language.expression import Expression, Item
from symbed.language.operators import Operator
from symbed.verdicts._budgets import Budget
from symbed.verdicts.arithmetic.ball_programs import BallProgram
from symbed.verdicts.arithmetic.values import (
    UNKNOWN,
    Value,
    arb,
    as_ball,
    exact_rational,
    is_defined,
    working_precision,
)
from symbed.verdicts.domains import Box
from symbed.verdicts.families._polishing import BITS, TOLERANCE
from symbed.verdicts.families.drawn_members import Members, draw_members
from symbed.verdicts.families.form import (
    Domain,
    Form,
    Grid,
    Target,
    exact_values,
    residual_of_member,
)
from symbed.verdicts.families.nearest_members import (
    REACHED,
    form_distances_of,
)
from symbed.verdicts.functions.decision import decide_within
from symbed.workbench.evaluation import evaluate

CHECK_BITS = 192
FINE_BITS = 1024  # where digits of both sides cancel, as in cosh(x) + sinh(x) for x = -80
LEVELS = (BITS, FINE_BITS)  # at which a member is compared to sixty digits
AGREES = 1e-40  # relative difference of two formulas that are taken for equal
N_CHECKED = 16  # members for which a substitution is checked, at some points each
N_CHECK_POINTS = 3
CHECK_SEED = 104729  # other members than those that the formulas were made from
MAX_COMBINATIONS = 128
MAX_CHECKED = 6  # combinations that are checked in balls
FEWEST = 0.2  # of the members: a formula that holds for fewer is none
BOX = 4.0  # half the width of the box for parameters without a range
DECIDE_WORK = 20_000  # operations, 20 ms: formulas with branches are compared all over a box

# An analytic function that agrees with another on an open set does so everywhere; abs, sqrt or ln
# may change their branch between the members that were tried.
ANALYTIC = frozenset(
    ["+", "-", "*", "/", "neg", "^2", "^3", "^4", "^5", "^-1", "exp", "sin", "cos", "pi", "e"]
)


@dataclass(frozen=True)
class Substitution:
    """Formulas for the parameters of the larger family in those of the smaller one.

    ``holds_where`` is ``"everywhere"``, or a condition on the parameters.
    """

    formulas: Mapping[str, Expression]
    holds_where: str


class SubstitutionCheck:
    """Whether formulas, put into the outer family, give the inner one."""

    def __init__(
        self,
        inner: Form,
        outer: Form,
        domain: Domain,
        grid: Grid,
        budget: Budget | None = None,
    ) -> None:
        self.inner, self.outer, self.domain, self.grid = inner, outer, domain, grid
        self.budget = Budget() if budget is None else budget
        places = np.linspace(0, len(grid.exact) - 1, N_CHECK_POINTS).astype(int)
        self.points = [grid.exact[place] for place in places]
        # The inner family's value by member, point and bits: it is the same for every substitution.
        self.known: dict[tuple[int, int, int], Value] = {}

    @cached_property
    def members(self) -> Members:
        """Members of the inner family, others than those that formulas were made from."""
        return draw_members(self.inner, self.grid.points, N_CHECKED, CHECK_SEED)

    @cached_property
    def exact(self) -> list[dict[str, Value]]:
        """The members' parameters as exact numbers, by name."""
        return [exact_values(self.inner.parameters, row) for row in self.members.values.tolist()]

    @cached_property
    def sizes(self) -> list[Value]:
        """The largest output of each member."""
        return [arb(float(np.nanmax(np.abs(row)))) for row in self.members.outputs]

    def best(self, candidates: list[list[Expression]]) -> Substitution | None:
        """The first combination of formulas that holds everywhere, or the one that does most."""
        best: tuple[float, tuple[Expression, ...], Booleans] | None = None
        if not len(self.members):
            return None
        for formulas in self._promising(candidates):
            holds = self.holds(formulas)
            share = float(holds.mean())
            if best is None or share > best[0]:
                best = share, formulas, holds
            if share == 1.0:
                break
        if best is None or best[0] < FEWEST:
            return None
        share, formulas, holds = best
        named = dict(zip(self.outer.parameters, formulas, strict=True))
        where = "everywhere" if share == 1.0 else self._condition(holds)
        if where is None:
            return None
        if where == "everywhere" and _has_branches(formulas) and not self._is_decided(formulas):
            return None
        return Substitution(named, where)

    def _promising(self, candidates: list[list[Expression]]) -> list[tuple[Expression, ...]]:
        """The combinations that hold for most members as floats tell, these first.

        Balls have the last word, but take twenty times as long.
        """
        # Candidates come plainest first: the cut loses the longest of the first parameter.
        combined = list(itertools.islice(itertools.product(*candidates), MAX_COMBINATIONS))
        if len(combined) == 1:
            return combined
        holds = self._holds_in_floats(combined, self.members)
        order = np.argsort(-holds.sum(axis=1), kind="stable")[:MAX_CHECKED]
        return [combined[place] for place in order]

    def is_near(self, formulas: Sequence[Expression], members: Members) -> Booleans:
        """For which of some members formulas hold as far as floats tell."""
        return np.asarray(self._holds_in_floats([tuple(formulas)], members)[0])

    def _holds_in_floats(
        self, combined: Sequence[tuple[Expression, ...]], members: Members
    ) -> Booleans:
        """For each set of formulas, and each member, whether floats agree, inside of the ranges."""
        columns = {
            formula: evaluate(formula, members.values, self.inner.parameters)
            for formula in dict.fromkeys(itertools.chain(*combined))
        }
        n = len(members)
        # Filled, not stacked: an outer family without parameters has no columns.
        values = np.empty((len(combined) * n, self.outer.n_parameters))
        for number, formulas in enumerate(combined):
            for place, formula in enumerate(formulas):
                values[number * n : (number + 1) * n, place] = columns[formula]
        # Rows are (set of formulas, member), in this order: one native call for all of them.
        outputs = self.outer.outputs(self.grid.points, values)
        distances = form_distances_of(np.tile(members.outputs, (len(combined), 1)), outputs)
        # A formula that gives an end of a range exactly may miss it by rounding.
        slack = REACHED * np.abs(values)
        inside = (values >= self.outer.lows - slack) & (values <= self.outer.highs + slack)
        return ((distances <= REACHED) & inside.all(axis=1)).reshape(len(combined), n)

    def holds(self, formulas: Sequence[Expression]) -> Booleans:
        """For which members the outer family with these formulas is the inner one."""
        program = BallProgram.of([self._substituted(formulas)])
        ranges = BallProgram.of(list(formulas)) if self.outer.is_bounded else None
        result = np.zeros(len(self.exact), bool)
        with working_precision(CHECK_BITS):
            for k, member in enumerate(self.exact):
                result[k] = (ranges is None or self._is_inside(ranges, member)) and all(
                    self._agree(k, j, program) for j in range(len(self.points))
                )
                if k == 3 and not result[:4].any():
                    break  # what fails for the first four sign patterns is no formula
        return result

    def residual(
        self, formulas: Sequence[Expression], target: Target, levels: Sequence[int] = LEVELS
    ) -> float:
        """How far a member of the inner family is from the one that formulas name, in balls.

        The largest relative residual at points of the grid that no fit sees, with rising numbers
        of bits until it vanishes; infinite where a formula is undefined or leaves its range.
        """
        program = BallProgram.of(list(formulas))
        residual = math.inf
        for bits in levels:
            with working_precision(bits):
                trace = program.trace(dict(target.parameters))
                values = [trace[root] for root in program.roots]
                if not all(map(is_defined, values)):
                    return math.inf
                residual = residual_of_member(self.outer, values, target)
            if residual <= TOLERANCE:
                break
            # What the target keeps was computed with fewer bits.
            target = target.again()
        return residual

    def is_met(self, formulas: Sequence[Expression], target: Target, bits: int) -> bool:
        """Whether formulas name a member that has the target's value at a point, to many digits."""
        program = BallProgram.of([self.inner.expression, self._substituted(formulas)])
        with working_precision(bits):
            trace = program.trace(target.parameters | self.grid.exact[self.grid.fresh[0]])
            e, f = (trace[root] for root in program.roots)
            # What is not told with so many bits is no objection.
            return not (is_defined(e) and is_defined(f)) or as_ball(e).overlaps(as_ball(f))

    def _is_inside(self, program: BallProgram, member: Mapping[str, Value]) -> bool:
        """Whether formulas give parameters inside of the outer family's ranges."""
        trace = program.trace(dict(member))
        for root, low, high in zip(program.roots, self.outer.lows, self.outer.highs, strict=True):
            value = trace[root]
            if not is_defined(value):
                return False
            ball, slack = as_ball(value), arb(AGREES)
            if math.isfinite(low) and ball < as_ball(exact_rational(low)) - slack:
                return False
            if math.isfinite(high) and ball > as_ball(exact_rational(high)) + slack:
                return False
        return True

    def _agree(self, k: int, j: int, program: BallProgram) -> bool:
        """Whether both sides are the same number for one member at one point."""
        values = self.exact[k] | self.points[j]
        for bits in CHECK_BITS, FINE_BITS:
            with working_precision(bits):
                if (k, j, bits) not in self.known:
                    own = self.inner.balls
                    self.known[k, j, bits] = own.trace(values)[own.roots[0]]
                wanted, value = self.known[k, j, bits], program.trace(values)[program.roots[0]]
                if not (is_defined(wanted) and is_defined(value)):
                    # Both undefined is agreement; what a ball cannot tell is no evidence.
                    return is_defined(wanted) == is_defined(value) or value is UNKNOWN
                e, f = as_ball(wanted), as_ball(value)
                # Relative to the value, or to the member's size where digits of the value cancel.
                apart, size = abs(e - f), max(abs(e), self.sizes[k])
                if apart < AGREES * size:
                    return True
                # Certainly apart. Otherwise the balls overlap, and more bits may tell.
                if not apart.contains(0):
                    return False
        return False

    def _substituted(self, formulas: Sequence[Expression]) -> Expression:
        named = {
            name: formula.postfix
            for name, formula in zip(self.outer.parameters, formulas, strict=True)
        }
        postfix: list[Item] = []
        for item in self.outer.expression.postfix:
            if isinstance(item, str) and item in named:
                postfix.extend(named[item])
            else:
                postfix.append(item)
        return Expression(tuple(postfix), self.outer.variables)

    def _is_decided(self, formulas: Sequence[Expression]) -> bool:
        """Whether ``decide`` finds no difference over the whole box of parameters."""
        box = dict(self.domain)
        for name, low, high in zip(
            self.inner.parameters, self.inner.lows, self.inner.highs, strict=True
        ):
            box[name] = (
                # A half-open range gets an end that leaves it at least BOX wide.
                low if math.isfinite(low) else min(-BOX, high - BOX),
                high if math.isfinite(high) else max(BOX, low + BOX),
            )
        names = tuple(box)
        e = self.inner.expression.with_variables(names)
        f = self._substituted(formulas).with_variables(names)
        verdict = decide_within((e, f), Box.of(box), self.budget.within(DECIDE_WORK))
        # Where the inner formula is undefined there is no member to compare with.
        return verdict.verdict != "different" or verdict.reason == "only_f_defined"

    def _condition(self, holds: Booleans) -> str | None:
        """The plainest condition on the parameters under which formulas hold, for most members."""
        best: tuple[int, str] | None = None
        # Plain conditions come first and win ties; one that a counterexample satisfies is out.
        for text, mask in self._conditions():
            if mask.any() and not (mask & ~holds).any() and (best is None or mask.sum() > best[0]):
                best = int(mask.sum()), text
        return best[1] if best else None

    def _conditions(self) -> Iterator[tuple[str, Booleans]]:
        names = self.inner.parameters
        single = []
        for place, name in enumerate(names):
            column = self.members.values[:, place]
            single += [(f"{name} > 0", column > 0), (f"{name} < 0", column < 0)]
            single += [(f"abs({name}) < 1", np.abs(column) < 1)]
        yield from single
        for (one, first), (two, second) in itertools.combinations(single, 2):
            yield f"{one} and {two}", first & second
        for i, j in itertools.combinations(range(len(names)), 2):
            product = self.members.values[:, i] * self.members.values[:, j]
            yield f"{names[i]}*{names[j]} > 0", product > 0
            yield f"{names[i]}*{names[j]} < 0", product < 0


def _has_branches(formulas: Sequence[Expression]) -> bool:
    """Whether some formula is not one analytic function: agreement somewhere says less then."""
    return any(
        isinstance(item, Operator) and item.name not in ANALYTIC
        for formula in formulas
        for item in formula.postfix
    )

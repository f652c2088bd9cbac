"""Formulas for the parameters of a larger family in those of a smaller one.

From members that were reached to many digits, each parameter is recognized as a short formula; the
formulas are put into the larger family and checked against the smaller one over its whole box of
parameters. A formula holds on its branch, so the check also says where.
"""

from __future__ import annotations

import itertools
import math
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from symbed._types import Booleans, Floats
from symbed.language.expression import Expression, Item
from symbed.language.operators import Operator
from symbed.verdicts.arithmetic.ball_programs import BallProgram
from symbed.verdicts.arithmetic.flint_access import arb, working_precision
from symbed.verdicts.arithmetic.values import UNKNOWN, Value, as_ball, exact_rational, is_defined
from symbed.verdicts.families.form import Domain, Form, Grid
from symbed.verdicts.families.members import draw_members
from symbed.verdicts.families.substitutions.coefficient_matching import matched_coefficients
from symbed.verdicts.families.substitutions.recognition import recognized_formulas
from symbed.verdicts.families.substitutions.unification import unified_parameters
from symbed.verdicts.functions.decision import decide

CHECK_BITS = 192
AGREES = 1e-40  # relative difference of two formulas that are taken for equal
N_CHECKED = 16  # members for which a substitution is checked, at some points each
N_CHECK_POINTS = 3
CHECK_SEED = 104729  # other members than those that the formulas were made from
MOST_COMBINATIONS = 128
FEWEST = 0.2  # of the members: a formula that holds for fewer is none
BOX = 4.0  # half the width of the box for parameters without a range
DECIDE_SECONDS = 0.15

ANALYTIC = frozenset(
    ["+", "-", "*", "/", "neg", "^2", "^3", "^4", "^5", "^-1", "exp", "sin", "cos", "pi", "e"]
)

Repin = Callable[[int, float], "Mapping[int, Sequence[Value]] | None"]


@dataclass(frozen=True)
class Substitution:
    """Formulas for parameters, and where they hold.

    Attributes
    ----------
    formulas : mapping from str to Expression
        One for each parameter of the larger family, in those of the smaller one.
    holds_where : str
        ``"everywhere"``, or a condition on the parameters.
    """

    formulas: Mapping[str, Expression]
    holds_where: str


def find_substitution(
    inner: Form,
    outer: Form,
    domain: Domain,
    grid: Grid,
    values: Floats,
    reached: Mapping[int, Sequence[Value]],
    repin: Repin,
    deadline: float,
) -> Substitution | None:
    """Recognize the map from the inner family's parameters to the outer one's.

    Parameters
    ----------
    inner, outer : Form
        The families.
    domain : mapping from str to range
        The range of each variable.
    grid : Grid
        Points of the domain.
    values : ndarray of shape (n_members, n_parameters)
        Members of the inner family.
    reached : mapping from int to sequence of Value
        For some of the members, the outer parameters that they have.
    repin : callable
        Gives the outer parameters of these members anew with one held at a number, where the
        solution is not unique.
    deadline : float
        When to stop, of ``time.monotonic``.
    """
    if not outer.n_parameters:
        return Substitution({}, "everywhere")
    check = _Check(inner, outer, domain, grid)
    structural = matched_coefficients(
        inner.expression.postfix, outer.expression.postfix, outer.variables, outer.parameters
    )
    if structural is not None:
        formulas = [[Expression(part, inner.parameters)] for part in structural.values()]
        best = check.best(formulas)
        if best is not None:
            return best
    given = values[list(reached)]
    best, explained = _recognized(inner, given, reached, check)
    if best is not None and best.holds_where == "everywhere":
        return best
    partial = best
    # A parameter that nothing explains may be free: hold it at a number and look again.
    for number in (0.0, 1.0, -1.0):
        for place in range(outer.n_parameters):
            if explained[place]:
                continue
            if time.monotonic() > deadline:
                return partial
            again = repin(place, number)
            if again is None:
                continue
            best, _ = _recognized(inner, given, again, check)
            if best is not None:
                return best
    return partial


def _recognized(
    inner: Form, given: Floats, reached: Mapping[int, Sequence[Value]], check: _Check
) -> tuple[Substitution | None, list[bool]]:
    """Formulas for all parameters that pass the check, and which parameters have some at all."""
    columns = list(zip(*reached.values(), strict=True))
    with working_precision(CHECK_BITS):
        numbers = [[float(as_ball(value).mid()) for value in column] for column in columns]
    best: Substitution | None = None
    candidates: list[list[Expression]] = []
    for effort in (0, 1):
        candidates = [
            recognized_formulas(inner.parameters, given, np.array(column), effort)
            for column in numbers
        ]
        if all(candidates):
            again = check.best(candidates)
            best = again or best
            if again is not None and again.holds_where == "everywhere":
                break
    return best, [bool(formulas) for formulas in candidates]


def unify(inner: Form, outer: Form, domain: Domain, grid: Grid) -> Substitution | None:
    """The substitution of two formulas with the same skeleton, if it holds everywhere."""
    formulas = unified_parameters(
        inner.expression.postfix, outer.expression.postfix, outer.variables, outer.parameters
    )
    if formulas is None:
        return None
    ordered = [[Expression(formulas[name], inner.parameters)] for name in outer.parameters]
    check = _Check(inner, outer, domain, grid)
    if not len(check.exact):
        return None
    found = check.best(ordered)
    return found if found is not None and found.holds_where == "everywhere" else None


class _Check:
    """Whether formulas, put into the outer family, give the inner one."""

    def __init__(self, inner: Form, outer: Form, domain: Domain, grid: Grid) -> None:
        self.inner, self.outer, self.domain = inner, outer, domain
        members = draw_members(inner, grid.points, N_CHECKED, CHECK_SEED)
        self.values = members.values
        self.exact = [
            dict(zip(inner.parameters, (exact_rational(float(v)) for v in row), strict=True))
            for row in members.values
        ]
        places = np.linspace(0, len(grid.exact) - 1, N_CHECK_POINTS).astype(int)
        self.points = [grid.exact[place] for place in places]
        self.sizes = [arb(float(np.nanmax(np.abs(row)))) for row in members.outputs]
        self.known: dict[tuple[int, int], Value] = {}

    def best(self, candidates: list[list[Expression]]) -> Substitution | None:
        """The first combination of formulas that holds everywhere, or the one that does most."""
        best: tuple[float, tuple[Expression, ...], Booleans] | None = None
        for formulas in itertools.islice(itertools.product(*candidates), MOST_COMBINATIONS):
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

    def holds(self, formulas: Sequence[Expression]) -> Booleans:
        """For which members the outer family with these formulas is the inner one."""
        program = BallProgram.of([self._substituted(formulas)])
        ranges = BallProgram.of(list(formulas)) if self.outer.is_bounded else None
        result = np.zeros(len(self.exact), bool)
        with working_precision(CHECK_BITS):
            for k, member in enumerate(self.exact):
                result[k] = (ranges is None or self._is_inside(ranges, member)) and all(
                    self._agree(k, j, program.trace(member | point)[program.roots[0]])
                    for j, point in enumerate(self.points)
                )
                if k == 3 and not result[:4].any():
                    break  # what fails for the first four sign patterns is no formula
        return result

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

    def _agree(self, k: int, j: int, value: Value) -> bool:
        if (k, j) not in self.known:
            program = self.inner.balls
            self.known[k, j] = program.trace(self.exact[k] | self.points[j])[program.roots[0]]
        wanted = self.known[k, j]
        if not (is_defined(wanted) and is_defined(value)):
            return is_defined(wanted) == is_defined(value) or value is UNKNOWN
        e, f = as_ball(wanted), as_ball(value)
        # Relative to the value, or to the member's size where digits of the value cancel.
        return bool(abs(e - f) < AGREES * abs(e)) or bool(abs(e - f) < AGREES * self.sizes[k])

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
                low if math.isfinite(low) else min(-BOX, high - BOX),
                high if math.isfinite(high) else max(BOX, low + BOX),
            )
        names = tuple(box)
        e = self.inner.expression.with_variables(names)
        f = self._substituted(formulas).with_variables(names)
        verdict = decide(e, f, box, seconds=DECIDE_SECONDS, bound=False)
        # Where the inner formula is undefined there is no member to compare with.
        return verdict.verdict != "different" or verdict.reason == "only_f_defined"

    def _condition(self, holds: Booleans) -> str | None:
        """The plainest condition on the parameters under which formulas hold, for most members."""
        best: tuple[int, str] | None = None
        for text, mask in self._conditions():
            if mask.any() and not (mask & ~holds).any() and (best is None or mask.sum() > best[0]):
                best = int(mask.sum()), text
        return best[1] if best else None

    def _conditions(self) -> Iterator[tuple[str, Booleans]]:
        names = self.inner.parameters
        single = []
        for place, name in enumerate(names):
            column = self.values[:, place]
            single += [(f"{name} > 0", column > 0), (f"{name} < 0", column < 0)]
            single += [(f"abs({name}) < 1", np.abs(column) < 1)]
        yield from single
        for (one, first), (two, second) in itertools.combinations(single, 2):
            yield f"{one} and {two}", first & second
        for i, j in itertools.combinations(range(len(names)), 2):
            product = self.values[:, i] * self.values[:, j]
            yield f"{names[i]}*{names[j]} > 0", product > 0
            yield f"{names[i]}*{names[j]} < 0", product < 0


def _has_branches(formulas: Sequence[Expression]) -> bool:
    """Whether some formula is not one analytic function: agreement somewhere says less then."""
    return any(
        isinstance(item, Operator) and item.name not in ANALYTIC
        for formula in formulas
        for item in formula.postfix
    )

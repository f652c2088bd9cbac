"""What must hold for a formula to be defined, and whether two formulas need the same."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from symbed.language.operators import Operator
from symbed.verdicts.algebra.angle_rules import AngleRules
from symbed.verdicts.algebra.part_fractions import Form, is_square, leading
from symbed.verdicts.arithmetic.ball_operations import LAZY_OPERATIONS
from symbed.verdicts.arithmetic.ball_programs import BallProgram
from symbed.verdicts.arithmetic.values import Value, as_ball, fmpq, is_defined, sign_of

# What an operand must be for an operator to be defined.
NEEDED = {
    "/": "not zero", "^-1": "not zero", "sqrt": "not negative", "ln": "positive",
    "log10": "positive", "log2": "positive", "asin": "within one", "acos": "within one",
    "tan": "no pole",
}  # fmt: skip


@dataclass(frozen=True, eq=False)
class Condition:
    """What must hold for a formula to be defined.

    Attributes
    ----------
    kind : str
        What the form must be.
    form : Form or None
        Of what; None where only the same step is the same condition.
    place : int
        The step that needs it.
    """

    kind: str
    form: Form | None
    place: int


class DefinednessConditions:
    """Conditions of the two formulas of a program.

    ``ranges`` enclose the steps' values on the whole domain; ``results`` are the fractions that the
    steps are, None where one is defined nowhere.
    """

    def __init__(
        self,
        program: BallProgram,
        algebra: AngleRules,
        ranges: Sequence[Value],
        results: list[Form | None],
    ) -> None:
        self.program, self.algebra, self.ranges, self.results = program, algebra, ranges, results

    @property
    def are_equivalent(self) -> bool:
        """Whether the two formulas of the program are defined at the same points."""
        e, f = map(self._conditions, self.program.roots)
        return self._imply(e, f) and self._imply(f, e)

    @property
    def are_almost_equivalent(self) -> bool:
        """Whether they are defined at the same points but for a set of measure zero.

        Such is the set of zeros of a polynomial that is not zero itself.
        """
        e, f = map(self._conditions, self.program.roots)
        if e is None or f is None:
            return False
        rest = [*self._others(e, f), *self._others(f, e)]
        return all(self._fails_on_null_set(condition) for condition in rest)

    def _others(self, given: list[Condition], needed: list[Condition]) -> list[Condition]:
        """The needed conditions that are not among the given ones."""
        return [one for one in needed if not any(self._same(one, other) for other in given)]

    def _fails_on_null_set(self, condition: Condition) -> bool:
        form = condition.form
        if condition.kind != "not zero" or form is None or not form.top:
            return False
        # A polynomial in the variables alone cannot be zero on a region without being zero. With
        # other parts it can: abs(x) - x is.
        indices = {index for monomial in form.top for index, _ in monomial}
        return all(self.algebra.parts[index].name in self.program.names for index in indices)

    def _conditions(self, root: int) -> list[Condition] | None:
        """What must hold for a formula to be defined; None where that is not known.

        Conditions that hold on the whole domain are left out.
        """
        conditions: list[Condition] = []
        below = self.program.strict_steps(root)
        for place in sorted(below):
            step = self.program.steps[place]
            # An infinite literal is no real number: the formula is defined nowhere.
            if isinstance(step.item, float) and step.item - step.item != 0:
                return None
            if not isinstance(step.item, Operator) or not step.operands:
                continue
            name = step.item.name
            if name in LAZY_OPERATIONS:
                # What the other operand needs, and where, is not looked into.
                conditions.append(Condition(f"step {place}", None, place))
                continue
            needed = self._needed(name, step.operands)
            if needed is None:
                continue
            kind, operand = needed
            # What a varying exponent needs is not looked into: only the same step needs the same.
            if kind == "same":
                conditions.append(Condition(kind, None, place))
                continue
            form = self.results[operand]
            if form is None:
                return None
            if kind == "no pole":
                form = self.algebra.sine_cosine(form)[1]
            elif self._holds(kind, operand) or (kind == "not negative" and is_square(form)):
                continue
            conditions.append(Condition(kind, form, place))
        return conditions

    def _needed(self, name: str, operands: tuple[int, ...]) -> tuple[str, int] | None:
        if name != "^":
            kind = NEEDED.get(name)
            return None if kind is None else (kind, operands[1 if name == "/" else 0])
        exponent = self.results[operands[1]]
        number = None if exponent is None else exponent.number
        if number is None:
            return "same", operands[0]
        if number.q == 1:
            return None if number >= 0 else ("not zero", operands[0])
        # Zero has positive powers only.
        return ("not negative" if number > 0 else "positive"), operands[0]

    def _holds(self, kind: str, place: int) -> bool:
        value = self.ranges[place]
        if not is_defined(value):
            return False
        side = sign_of(value)
        if kind == "not zero":
            return bool(side)
        if kind == "within one":
            return bool(abs(as_ball(value)) <= 1)
        if kind == "not negative" and side is None:
            return bool(as_ball(value).lower() >= 0)
        return side == 1 or (side == 0 and kind == "not negative")

    def _imply(self, given: list[Condition] | None, needed: list[Condition] | None) -> bool:
        """Whether every needed condition is among the given ones."""
        if given is None or needed is None:
            return False
        return all(any(self._same(one, other) for other in given) for one in needed)

    def _same(self, a: Condition, b: Condition) -> bool:
        if a.form is None or b.form is None:
            return a.place == b.place
        poles = {"not zero", "no pole"}
        if a.kind != b.kind and {a.kind, b.kind} != poles:
            return False
        # Of zero there is no leading coefficient to scale by.
        if not a.form.top or not b.form.top:
            return not a.form.top and not b.form.top
        # A pole is a zero of the cosine. The scale does not matter, nor the sign of a zero.
        scales = leading(a.form.top), leading(b.form.top)
        # Here the scale matters: |2*x| <= 1 is another condition than |x| <= 1.
        if a.kind == "within one":
            scales = fmpq(1), fmpq(1)
        elif a.kind not in poles:
            scales = abs(scales[0]), abs(scales[1])
        return self.algebra.equal(
            self.algebra.scaled(a.form, scales[1]), self.algebra.scaled(b.form, scales[0])
        )

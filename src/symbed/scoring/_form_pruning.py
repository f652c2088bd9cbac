"""Prunes found forms: which of their terms and constants do nothing, at the values that were found.

A found form may be the true one with terms and constants to spare. Each term of a sum is tried
without, and each constant where structure would have it: at 0, at a whole number or a simple
fraction, at a multiple of pi/12, at a number that the truth has, at the value of another constant,
with which it is then one.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import NamedTuple

import numpy as np

from symbed._types import Floats
from symbed.errors import SymbedError
from symbed.language.expression import ANONYMOUS, Expression, Postfix, apply, spans
from symbed.language.operators import BY_NAME, DIVIDE, MULTIPLY
from symbed.scoring.spare_terms import SpareTerm, Tolerance, shown_term, without_terms
from symbed.workbench.evaluation import evaluate
from symbed.workbench.parametrization import SIMPLE_DENOMINATOR, FormRule, parametrize

PI = BY_NAME["pi"]
MAX_STEPS = 32
LARGEST_SIMPLE = 1e6  # beyond it no fraction or angle is meant


@dataclass(frozen=True)
class FittedForm:
    """A form and the values that its constants were found with.

    Attributes
    ----------
    postfix : tuple of Item
        The form, with a name for each constant; a name that occurs twice is one constant.
    values : mapping of str to float
        The value of each constant that ever was in it, by name.
    declared : tuple of str
        The variables.
    """

    postfix: Postfix
    values: Mapping[str, float]
    declared: tuple[str, ...]

    @classmethod
    def of(cls, expression: Expression, rule: FormRule) -> FittedForm:
        """The form of a formula whose variables are declared."""
        form, values = parametrize(expression, rule)
        # So many that enough are left beside names which the form has.
        taken = set(form.names)
        names = [f"{ANONYMOUS}_{k}" for k in range(len(values) + len(taken))]
        names = [name for name in names if name not in taken]
        fresh = iter(names)
        postfix = tuple(next(fresh) if item == ANONYMOUS else item for item in form.postfix)
        return cls(postfix, dict(zip(names, values, strict=False)), form.declared or ())

    @property
    def constants(self) -> tuple[str, ...]:
        """The names of its constants."""
        names = (item for item in self.postfix if isinstance(item, str))
        return tuple(dict.fromkeys(name for name in names if name in self.values))

    @property
    def form(self) -> Expression:
        """The form; a constant that occurs once is anonymous."""
        # Anonymous, one that occurs twice would be two that are free of each other.
        once = {name for name in self.constants if self.postfix.count(name) == 1}
        items = tuple(ANONYMOUS if item in once else item for item in self.postfix)
        return Expression(items, self.declared)

    @property
    def expression(self) -> Expression:
        """The formula with its numbers."""
        return Expression(self._numbers(self.postfix), self.declared)

    def outputs(self, tolerance: Tolerance) -> Floats:
        """The formula where outputs are compared; undefined if its numbers leave their range."""
        try:
            return evaluate(self.expression, tolerance.inputs, tolerance.variables)
        except SymbedError:
            return np.full(len(tolerance.inputs), np.nan)

    def _numbers(self, items: Postfix) -> Postfix:
        return tuple(
            self.values.get(item, item) if isinstance(item, str) else item for item in items
        )

    def _with(self, items: Postfix) -> FittedForm:
        return FittedForm(Expression(items, self.declared).postfix, self.values, self.declared)

    def with_fixed_constants(self, numbers: tuple[float, ...] | None) -> Iterator[Simplification]:
        """Special cases with one constant less.

        Parameters
        ----------
        numbers : tuple of float or None
            Numbers of the truth, which constants may stand for; None only puts them at 0.
        """
        for name in self.constants:
            text = f"{self.values[name]:.10g}"
            for structure, instead in self._structures(name, numbers):
                items = [part for item in self.postfix
                         for part in (structure if item == name else (item,))]  # fmt: skip
                yield Simplification(self._with(tuple(items)), (name,), text, instead)

    def without_terms(self) -> Iterator[Simplification]:
        """The form without each term of its sums; a special case only if the term has a factor."""
        starts = spans(self.postfix)
        for place in range(len(self.postfix)):
            for items, term, is_negative in without_terms(self.postfix, place, starts):
                text = shown_term(self._numbers(term), is_negative)
                yield Simplification(self._with(items), term, text, "")

    def _structures(
        self, name: str, numbers: tuple[float, ...] | None
    ) -> Iterator[tuple[Postfix, str]]:
        """What a constant may stand for: 0, the nearest of each kind of number, another one."""
        value = self.values[name]
        yield (0.0,), "0"
        if numbers is None:
            return
        others = [other for other in self.constants if other != name]
        if others:  # a reader takes 0.49997 and 0.50007 for one number
            other = min(others, key=lambda one: abs(self.values[one] - value))
            yield (other,), f"{self.values[other]:.10g}"
        twelfths = round(value * SIMPLE_DENOMINATOR) if abs(value) < LARGEST_SIMPLE else 0
        if twelfths:
            yield _ratio(Fraction(twelfths, SIMPLE_DENOMINATOR))
            if (whole := round(value)) and twelfths != whole * SIMPLE_DENOMINATOR:
                yield _ratio(Fraction(whole))
        turns = round(value / math.pi * SIMPLE_DENOMINATOR) if abs(value) < LARGEST_SIMPLE else 0
        if turns:
            product = apply(MULTIPLY, [_ratio(Fraction(turns, SIMPLE_DENOMINATOR))[0], (PI,)])
            yield product, str(Expression(product))
        if numbers:
            nearest = min(numbers, key=lambda number: abs(number - value))
            yield (nearest,), f"{nearest:.10g}"


class Simplification(NamedTuple):
    """A form with one part less.

    Attributes
    ----------
    fitted : FittedForm
        What remains.
    part : tuple of Item
        What is gone: the name of a constant, or a term, by the names in it.
    text, kept : str
        The same with numbers, and what stands in its place; empty for a term.
    """

    fitted: FittedForm
    part: Postfix
    text: str
    kept: str


@dataclass(frozen=True)
class Pruning:
    """A form that was made simpler, and how.

    Attributes
    ----------
    fitted : FittedForm
        What remains.
    spare : tuple of SpareTerm
        What is gone, each with how far outputs are moved by then.
    """

    fitted: FittedForm
    spare: tuple[SpareTerm, ...] = ()

    @property
    def effect(self) -> float:
        """How far outputs moved in all, by their spread."""
        return self.spare[-1].effect if self.spare else 0.0


def prunings(
    begin: Pruning,
    before: Floats,
    tolerance: Tolerance,
    max_effect: float,
    numbers: tuple[float, ...] | None = None,
    leaves_out_terms: bool = True,
    keeps: Callable[[FittedForm], bool] | None = None,
    rank: Callable[[FittedForm], int] | None = None,
) -> Iterator[Pruning]:
    """Ever simpler forms; each leaves out or fixes what moves the outputs the least.

    Parameters
    ----------
    begin : Pruning
        The form to begin with.
    before : ndarray of shape (n_points,)
        The outputs of the formula as it was found.
    tolerance : Tolerance
        How outputs are compared.
    max_effect : float
        How far they may move in all.
    numbers : tuple of float, optional
        Numbers of the truth, which constants may stand for; None only puts them at 0.
    leaves_out_terms : bool
        Whether terms of sums are left out, too. Without, each form is a special case of the one
        before it: no constant makes ``cos(C*x)`` vanish.
    keeps : callable, optional
        Whether a simpler form still has what it must; what it lacks without is not spare.
    rank : callable, optional
        The effective parameters of a form. What leaves the fewest is tried first: ``C*x + C*x^1``
        rather than ``C*x + C*x^(pi/3)`` for an exponent of 1.05.
    """
    current = begin
    # To ask whether a form keeps what it must is a search for a relation: never twice for a part.
    # Told by its names: two constants may have the same value, and one of them be spare.
    needed: set[tuple[Postfix, str]] = set()
    while len(current.spare) < MAX_STEPS:
        tried: list[tuple[tuple[float, ...], float, Simplification]] = []
        terms = current.fitted.without_terms() if leaves_out_terms else ()
        for simpler in itertools.chain(current.fitted.with_fixed_constants(numbers), terms):
            moved = tolerance.effect(before, simpler.fitted.outputs(tolerance))
            if moved <= max_effect and (simpler.part, simpler.kept) not in needed:
                # What is left out goes before what is put at 0, which leaves a 0*x behind.
                n_effective = rank(simpler.fitted) if rank else 0
                order = n_effective, moved, bool(simpler.kept), len(tried)
                tried.append((order, moved, simpler))
        for _, moved, simpler in sorted(tried, key=lambda one: one[0]):
            if keeps is None or keeps(simpler.fitted):
                gone = SpareTerm(simpler.text, moved, simpler.kept)
                current = Pruning(simpler.fitted, (*current.spare, gone))
                break
            needed.add((simpler.part, simpler.kept))
        else:
            return
        yield current


def _ratio(ratio: Fraction) -> tuple[Postfix, str]:
    over: Postfix = (float(ratio.numerator),)
    if ratio.denominator == 1:
        return over, str(ratio)
    return apply(DIVIDE, [over, (float(ratio.denominator),)]), str(ratio)

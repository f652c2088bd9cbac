"""Spare terms of found formulas: what changes nothing beyond rounding is named and dropped.

Tools print offsets of -3e-6, factors of 0.9999998 and exponents of 2.0000001. Each is tried
without: a term of a sum left out, a number next to a whole one taken as that.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import TypeGuard

import numpy as np

from symbed._types import Floats
from symbed.language.expression import Expression, Item, Postfix, apply, spans
from symbed.language.operators import ADD, NEG, SUBTRACT
from symbed.workbench.evaluation import evaluate

NEARLY_WHOLE = 1e-2  # relative; numbers farther from a whole one are not tried
MOST_NODES = 400  # in longer formulas nothing is looked for: it would take seconds
MOST_DROPPED = 32


@dataclass(frozen=True)
class SpareTerm:
    """A part of a formula that does nothing beyond rounding.

    Attributes
    ----------
    text : str
        The term that was left out, or the number that was taken as a whole one.
    effect : float
        How far outputs moved when it was gone too, by their spread: at most, or as a root mean
        square where noise excuses it.
    kept : str
        What stands in its place; empty for a term that was left out.
    """

    text: str
    effect: float
    kept: str = ""

    def __str__(self) -> str:
        what = f"{self.text} taken as {self.kept}" if self.kept else f"{self.text} left out"
        return f"{what} (changes {self.effect:.1g})"


@dataclass(frozen=True, eq=False)
class Tolerance:
    """What rounding and noise excuse: how far outputs may move, by their spread.

    Rounding is bounded at every point, corners of the domain included. Noise is a root mean square,
    and what it hides is measured as one: a term of 1/x near 0 is much at one point and nothing in
    the data.

    Attributes
    ----------
    points, corners : ndarray of shape (n, n_variables)
        Where outputs are compared.
    variables : tuple of str
        The names of the columns.
    rounding : float
        What printed digits excuse, at most anywhere.
    noise : float
        What noise excuses, as a root mean square; 0 without.
    """

    points: Floats
    corners: Floats
    variables: tuple[str, ...]
    rounding: float
    noise: float = 0.0

    @property
    def is_of_noise(self) -> bool:
        """Whether noise excuses more than rounding does."""
        return self.noise > self.rounding

    @property
    def size(self) -> float:
        """How far outputs may move in all, by their spread."""
        return max(self.rounding, self.noise)

    @cached_property
    def inputs(self) -> Floats:
        """The points that count."""
        if self.is_of_noise:
            return self.points
        return np.ascontiguousarray(np.concatenate([self.points, self.corners]))

    def effect(self, before: Floats, after: Floats) -> float:
        """How far outputs moved, by their spread; infinite where they are no longer defined.

        A pole at a corner of the domain is no such place: no data come from there, and a term of
        1e-13 decides what stands at it.
        """
        n_points = len(self.points)
        defined = np.isfinite(before)
        if not defined.any() or not np.isfinite(after[:n_points][defined[:n_points]]).all():
            return np.inf
        counted = defined & np.isfinite(after)
        with np.errstate(over="ignore"):
            scale = spread(before[:n_points] if defined[:n_points].any() else before)
            moved = np.abs(after[counted] - before[counted]) / scale
            return float(np.sqrt(np.mean(moved**2)) if self.is_of_noise else moved.max())


def drop_spare_terms(
    expression: Expression, tolerance: Tolerance
) -> tuple[Expression, tuple[SpareTerm, ...]]:
    """A formula without its spare terms, and what they were.

    Parameters
    ----------
    expression : Expression
        The formula, without free parameters.
    tolerance : Tolerance
        How far outputs may move in all.

    Examples
    --------
    >>> from symbed import parse
    >>> grid = np.linspace(0, 8, 100).reshape(-1, 1)
    >>> found = parse("-3e-6 + 1.9988*cos(2.501*t)", ["t"])
    >>> kept, dropped = drop_spare_terms(found, Tolerance(grid, grid[:0], ("t",), 1e-4))
    >>> print(kept, *dropped, sep="; ")
    1.9988*cos(2.501*t); -3e-6 left out (changes 2e-06)
    """
    if expression.size > MOST_NODES:
        return expression, ()
    points, variables = tolerance.inputs, tolerance.variables
    before = evaluate(expression, points, variables)
    dropped: list[SpareTerm] = []
    current = expression
    while len(dropped) < MOST_DROPPED:
        best: tuple[float, Expression, SpareTerm] | None = None
        for postfix, text, kept in _candidates(current.postfix):
            simpler = Expression(postfix, expression.declared)
            # Against the formula as found, not the last step: small moves add up.
            moved = tolerance.effect(before, evaluate(simpler, points, variables))
            if moved <= tolerance.size and (best is None or moved < best[0]):
                best = moved, simpler, SpareTerm(text, moved, kept)
        if best is None:
            break
        current = best[1]
        dropped.append(best[2])
    return current, tuple(dropped)


def spread(outputs: Floats) -> float:
    """How far outputs are apart: their standard deviation, or their size where they are alike."""
    defined = outputs[np.isfinite(outputs)]
    if not len(defined):
        return 1.0
    # Not by their size: beside an offset of 1000, a slope of a twentieth of the law was rounding.
    largest = float(np.abs(defined).max())
    with np.errstate(over="ignore", invalid="ignore"):
        deviation = float(np.std(defined))
    # Outputs that are alike deviate by rounding, and by that unit every change is huge.
    return deviation if deviation > 1e-12 * largest else largest or 1.0


def _candidates(postfix: Postfix) -> Iterator[tuple[Postfix, str, str]]:
    """Simpler formulas, with what is gone and what stands in its place."""
    starts = spans(postfix)
    for place, item in enumerate(postfix):
        if item is ADD or item is SUBTRACT:
            middle = starts[place - 1]
            left, right = postfix[starts[place] : middle], postfix[middle:place]
            before, after = postfix[: starts[place]], postfix[place + 1 :]
            yield before + left + after, shown_term(right, item is SUBTRACT), ""
            rest = right if item is ADD else apply(NEG, [right])
            yield before + rest + after, shown_term(left), ""
        elif is_broken(item):
            whole = float(round(item))
            if whole and abs(item - whole) <= NEARLY_WHOLE * abs(whole):
                text = f"{item:.10g}"
                yield (*postfix[:place], whole, *postfix[place + 1 :]), text, f"{whole:g}"


def shown_term(postfix: Postfix, is_negative: bool = False) -> str:
    """A term as text, cut where it is long."""
    term = str(Expression(apply(NEG, [postfix]) if is_negative else postfix))
    return term if len(term) <= 60 else term[:57] + "..."


def is_broken(item: Item) -> TypeGuard[float]:
    """Whether an item is a number that is not whole."""
    return isinstance(item, float) and np.isfinite(item) and not item.is_integer()


def largest_change(before: Floats, after: Floats) -> float:
    """The largest change where outputs were defined; infinite where they no longer are."""
    defined = np.isfinite(before)
    if not defined.any() or not np.isfinite(after[defined]).all():
        return np.inf
    return float(np.abs(after[defined] - before[defined]).max())

"""What rounding and noise excuse in found formulas: spare terms, and digits that were not printed.

Tools print offsets of -3e-6, factors of 0.9999998 and exponents of 2.0000001. Each is tried
without: a term of a sum left out, a number next to a whole one taken as that. They also print five
digits of a constant that they fitted to seven or seventeen: a formula whose constants are those of
a member of the true form, to the digits that it has, is that member.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TypeGuard

import numpy as np

from symbed._types import Floats
from symbed.language.expression import Expression, Item, Postfix, apply, spans
from symbed.language.operators import ADD, NEG, SUBTRACT
from symbed.workbench.evaluation import evaluate

NEARLY_WHOLE = 1e-2  # relative; numbers farther from a whole one are not tried
MAX_NODES = 400  # in longer formulas nothing is looked for: it would take seconds
MAX_DROPPED = 128  # MAX_NODES is met before, but by sums of bare numbers
FINEST = 1e-5  # of outputs by their spread, and of constants: fits in single precision stop there
COARSEST = 1e-3  # printed digits excuse no more than this
SLACK = 1.5  # of half a unit in the last place: squares find the member, and know no box
STEP = 1e-6  # of parameters, for slopes
SMALLEST = 1e-300  # instead of 0, where a constant changes nothing at all


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

    Examples
    --------
    >>> from symbed import parse
    >>> grid = np.linspace(0, 8, 100).reshape(-1, 1)
    >>> found = parse("-3e-6 + 1.9988*cos(2.501*t)", ["t"])
    >>> kept, dropped = drop_spare_terms(found, Tolerance(grid, grid[:0], ("t",), 1e-4))
    >>> print(kept, *dropped, sep="; ")
    1.9988*cos(2.501*t); -3e-6 left out (changes 2e-06)
    """
    if expression.size > MAX_NODES:
        return expression, ()
    points, variables = tolerance.inputs, tolerance.variables
    before = evaluate(expression, points, variables)
    dropped: list[SpareTerm] = []
    current = expression
    while len(dropped) < MAX_DROPPED:
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
        for simpler, term, is_negative in without_terms(postfix, place, starts):
            yield simpler, shown_term(term, is_negative), ""
        if is_broken(item):
            whole = float(round(item))
            if whole and abs(item - whole) <= NEARLY_WHOLE * abs(whole):
                text = f"{item:.10g}"
                yield (*postfix[:place], whole, *postfix[place + 1 :]), text, f"{whole:g}"


def without_terms(
    postfix: Postfix, place: int, starts: Sequence[int]
) -> Iterator[tuple[Postfix, Postfix, bool]]:
    """A formula without either term of the sum at a place: the term, whether it was subtracted.

    ``starts`` are the `symbed.language.expression.spans` of the formula.
    """
    item = postfix[place]
    if item is not ADD and item is not SUBTRACT:
        return
    start, middle = starts[place], starts[place - 1]
    left, right = postfix[start:middle], postfix[middle:place]
    before, after = postfix[:start], postfix[place + 1 :]
    yield before + left + after, right, item is SUBTRACT
    yield before + (right if item is ADD else apply(NEG, [right])) + after, left, False


def shown_term(postfix: Postfix, is_negative: bool = False) -> str:
    """A term as text, cut where it is long."""
    term = str(Expression(apply(NEG, [postfix]) if is_negative else postfix))
    return term if len(term) <= 60 else term[:57] + "..."


def is_broken(item: Item) -> TypeGuard[float]:
    """Whether an item is a number that is not whole."""
    return isinstance(item, float) and np.isfinite(item) and not item.is_integer()


def rounding(expression: Expression, points: Floats, variables: tuple[str, ...]) -> float:
    """How far the digits that were not printed may move the outputs, by their spread.

    All numbers of a formula are taken to be printed with as many digits as the longest has.
    """
    literals = _literals(expression)
    if not literals or expression.size > MAX_NODES:
        return FINEST
    digits = max(map(_significant_digits, literals.values()))
    before = evaluate(expression, points, variables)
    scale, total = spread(before), 0.0
    for place, number in literals.items():
        # Half a unit in the last digit is that share of 1.000, and less of what begins with 9.
        moved = _moved(expression, place, number * (1.0 + 5.0 * 10.0**-digits), points, variables)
        total += _largest_change(before, moved) / scale
    return float(np.clip(total, FINEST, COARSEST))


def is_member_to_its_digits(
    expression: Expression,
    form: Expression,
    values: Floats,
    points: Floats,
    variables: tuple[str, ...],
) -> bool:
    """Whether a formula is a member of a form but for digits that were not printed.

    Its constants are moved by as little as makes it a member; none may move by more than half a
    unit in the last place that was printed, by what a fit in single precision leaves, or by what
    changes no output beyond that. ``values`` are of the member that is nearest to the formula.
    """
    outputs = evaluate(expression, points, variables)
    gaps = outputs - evaluate(form, points, variables, values.tolist())
    literals = _literals(expression)
    units = _half_units(literals)
    if not units:
        return False
    slopes = []
    for place, by in units.items():
        moved = _moved(expression, place, literals[place] + by, points, variables) - outputs
        # An offset of 1e-7 is many units from 0, and may go there: that changes nothing.
        nothing = FINEST * spread(outputs) / max(np.abs(moved).max(initial=0.0), SMALLEST)
        slopes.append(moved * max(1.0, nothing))
    slopes += [_slope(form, values, place, points, variables) for place in range(len(values))]
    columns = np.column_stack(slopes)
    defined = np.isfinite(outputs)
    if not defined.any() or not np.isfinite(np.column_stack([columns, gaps])[defined]).all():
        return False
    # Least squares of what remains, in units that make it nothing, and of the moves of literals in
    # half units: the first dominate, so that of all members to its digits the nearest is found.
    unit = FINEST * spread(outputs)
    held = np.zeros((len(units), columns.shape[1]))
    held[:, : len(units)] = np.eye(len(units))
    stacked = np.vstack([columns[defined] / (unit * STEP), held])
    goal = np.concatenate([-gaps[defined] / (unit * STEP), np.zeros(len(units))])
    # Columns of very different size would have the small ones cut off as rounding.
    sizes = np.linalg.norm(stacked, axis=0)
    sizes[sizes == 0.0] = 1.0
    moves = np.linalg.lstsq(stacked / sizes, goal, rcond=None)[0] / sizes
    left = gaps[defined] + columns[defined] @ moves
    return bool(
        np.abs(left).max() <= unit and np.abs(moves[: len(units)]).max(initial=0.0) <= SLACK
    )


def _half_units(literals: dict[int, float]) -> dict[int, float]:
    """Half a unit in the last printed place of each broken number, by its place."""
    # Trailing zeros are not seen: all are printed with the digits or the decimals of the longest.
    digits = max(map(_significant_digits, literals.values()), default=1)
    decimals = max(map(_decimals, literals.values()), default=0)
    units = {}
    for place, number in literals.items():
        last = max(-decimals, math.floor(math.log10(abs(number))) + 1 - digits)
        units[place] = max(0.5 * 10.0**last, FINEST * abs(number))
    return units


def _literals(expression: Expression) -> dict[int, float]:
    """The numbers that are not whole, by their places."""
    return {place: item for place, item in enumerate(expression.postfix) if is_broken(item)}


def _moved(
    expression: Expression, place: int, number: float, points: Floats, variables: tuple[str, ...]
) -> Floats:
    """The outputs with another number at a place."""
    items = (*expression.postfix[:place], number, *expression.postfix[place + 1 :])
    return evaluate(Expression(items, expression.declared), points, variables)


def _slope(
    form: Expression, values: Floats, place: int, points: Floats, variables: tuple[str, ...]
) -> Floats:
    """What a small step of a parameter does to the outputs, by the step."""
    step = STEP * max(abs(float(values[place])), STEP)
    sides = []
    for sign in (1.0, -1.0):
        at = values.copy()
        at[place] += sign * step
        sides.append(evaluate(form, points, variables, at.tolist()))
    slope: Floats = (sides[0] - sides[1]) / (2.0 * step)
    return slope


def _decimals(number: float) -> int:
    mantissa, _, exponent = repr(number).lower().partition("e")
    return max(0, len(mantissa.partition(".")[2]) - int(exponent or 0))


def _significant_digits(number: float) -> int:
    mantissa = repr(number).lower().split("e")[0]
    return max(1, len(mantissa.replace(".", "").lstrip("-0")))


def _largest_change(before: Floats, after: Floats) -> float:
    """The largest change where outputs were defined; infinite where they no longer are."""
    defined = np.isfinite(before)
    if not defined.any() or not np.isfinite(after[defined]).all():
        return np.inf
    return float(np.abs(after[defined] - before[defined]).max())

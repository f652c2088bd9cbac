"""What the printed digits of a formula's constants leave open.

Tools print five digits of a constant that they fitted to seven or seventeen. Numbers that were
rounded move the outputs a little, and a formula whose constants are those of a member of the true
form, to the digits that it has, is that member.
"""

from __future__ import annotations

import math

import numpy as np

from symbed._types import Floats
from symbed.language.expression import Expression, Item
from symbed.scoring.spare_terms import MOST_NODES, is_broken, largest_change, spread
from symbed.workbench.evaluation import evaluate

FINEST = 1e-5  # of outputs by their spread, and of constants: fits in single precision stop there
COARSEST = 1e-3  # printed digits excuse no more than this
SLACK = 1.5  # of half a unit in the last place: squares find the member, and know no box
STEP = 1e-6  # of parameters, for slopes
SMALLEST = 1e-300  # instead of 0, where a constant changes nothing at all


def rounding(expression: Expression, points: Floats, variables: tuple[str, ...]) -> float:
    """How far the digits that were not printed may move the outputs, by their spread.

    All numbers of a formula are taken to be printed with as many digits as the longest has.
    """
    literals = _literals(expression)
    if not literals or expression.size > MOST_NODES:
        return FINEST
    digits = max(_significant_digits(expression.postfix[place]) for place in literals)
    before = evaluate(expression, points, variables)
    scale, total = spread(before), 0.0
    for place in literals:
        # Half a unit in the last digit is that share of 1.000, and less of what begins with 9.
        moved = _moved(expression, place, 5.0 * 10.0**-digits, points, variables)
        total += largest_change(before, moved) / scale
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
    changes no output beyond that.

    Parameters
    ----------
    expression : Expression
        The formula with its numbers.
    form : Expression
        The form with free parameters.
    values : ndarray of shape (n_parameters,)
        The member of the form that is nearest to the formula.
    points : ndarray of shape (n_points, n_variables)
        Where they are compared.
    variables : tuple of str
        The names of the columns.
    """
    outputs = evaluate(expression, points, variables)
    gaps = outputs - evaluate(form, points, variables, values.tolist())
    units = _half_units(expression)
    literal_slopes = []
    for place, by in units.items():
        moved = _moved(expression, place, by, points, variables, is_relative=False) - outputs
        # An offset of 1e-7 is many units from 0, and may go there: that changes nothing.
        nothing = FINEST * spread(outputs) / max(np.abs(moved).max(initial=0.0), SMALLEST)
        literal_slopes.append(moved * max(1.0, nothing))
    parameter_slopes = [
        _slope(form, values, place, points, variables) for place in range(len(values))
    ]
    if not literal_slopes:
        return False
    columns = np.column_stack([*literal_slopes, *parameter_slopes])
    defined = np.isfinite(outputs)
    if not defined.any() or not np.isfinite(columns[defined]).all():
        return False
    if not np.isfinite(gaps[defined]).all():
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


def _half_units(expression: Expression) -> dict[int, float]:
    """Half a unit in the last printed place of each broken number, by its place."""
    literals = _literals(expression)
    numbers = [expression.postfix[place] for place in literals]
    # Trailing zeros are not seen: all are printed with the digits or the decimals of the longest.
    digits = max((_significant_digits(number) for number in numbers), default=1)
    decimals = max((_decimals(number) for number in numbers), default=0)
    units = {}
    for place, number in zip(literals, numbers, strict=True):
        size = abs(float(number))  # type: ignore[arg-type]
        last = max(-decimals, math.floor(math.log10(size)) + 1 - digits)
        units[place] = max(0.5 * 10.0**last, FINEST * size)
    return units


def _literals(expression: Expression) -> list[int]:
    return [place for place, item in enumerate(expression.postfix) if is_broken(item)]


def _moved(
    expression: Expression,
    place: int,
    by: float,
    points: Floats,
    variables: tuple[str, ...],
    is_relative: bool = True,
) -> Floats:
    """The outputs with one of the numbers moved."""
    items = list(expression.postfix)
    number = items[place]
    assert isinstance(number, float)
    items[place] = number * (1.0 + by) if is_relative else number + by
    return evaluate(Expression(tuple(items), expression.declared), points, variables)


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


def _decimals(item: Item) -> int:
    mantissa, _, exponent = repr(item).lower().partition("e")
    return max(0, len(mantissa.partition(".")[2]) - int(exponent or 0))


def _significant_digits(item: Item) -> int:
    mantissa = repr(item).lower().split("e")[0]
    return max(1, len(mantissa.replace(".", "").lstrip("-0")))

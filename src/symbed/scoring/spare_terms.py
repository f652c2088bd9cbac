"""Spare terms of found formulas: what changes nothing beyond rounding is named and dropped.

Tools print offsets of -3e-6, factors of 0.9999998 and exponents of 2.0000001. Each is tried
without: a term of a sum left out, a number next to a whole one taken as that.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from symbed._types import Floats
from symbed.language.expression import Expression, Item, Postfix, apply, spans
from symbed.language.operators import ADD, NEG, SUBTRACT
from symbed.workbench.evaluation import evaluate

FINEST = 1e-5  # of the spread of the outputs: fits in single precision stop there
COARSEST = 1e-3  # printed digits excuse no more than this
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
        How far outputs move without it, at most, by the spread of the outputs.
    kept : str
        What stands in its place; empty for a term that was left out.
    """

    text: str
    effect: float
    kept: str = ""

    def __str__(self) -> str:
        what = f"{self.text} taken as {self.kept}" if self.kept else f"{self.text} left out"
        return f"{what} (changes {self.effect:.1g})"


def drop_spare_terms(
    expression: Expression, points: Floats, variables: tuple[str, ...], tolerance: float
) -> tuple[Expression, tuple[SpareTerm, ...]]:
    """A formula without its spare terms, and what they were.

    Parameters
    ----------
    expression : Expression
        The formula, without free parameters.
    points : ndarray of shape (n_points, n_variables)
        Where outputs are compared.
    variables : tuple of str
        The names of the columns.
    tolerance : float
        How far outputs may move in all, by their spread.

    Examples
    --------
    >>> from symbed import parse
    >>> grid = np.linspace(0, 8, 100).reshape(-1, 1)
    >>> found = parse("-3e-6 + 1.9988*cos(2.501*t)", ["t"])
    >>> kept, dropped = drop_spare_terms(found, grid, ("t",), 1e-4)
    >>> print(kept, *dropped, sep="; ")
    1.9988*cos(2.501*t); -3e-6 left out (changes 2e-06)
    """
    if expression.size > MOST_NODES:
        return expression, ()
    before = evaluate(expression, points, variables)
    scale = spread(before)
    dropped: list[SpareTerm] = []
    current = expression
    while len(dropped) < MOST_DROPPED:
        best: tuple[float, Expression, SpareTerm] | None = None
        for postfix, text, kept in _candidates(current.postfix):
            simpler = Expression(postfix, expression.declared)
            moved = _largest_change(before, evaluate(simpler, points, variables)) / scale
            if moved <= tolerance and (best is None or moved < best[0]):
                best = moved, simpler, SpareTerm(text, moved, kept)
        if best is None:
            break
        current = best[1]
        dropped.append(best[2])
    return current, tuple(dropped)


def rounding(expression: Expression, points: Floats, variables: tuple[str, ...]) -> float:
    """How far the digits that were not printed may move the outputs, by their spread.

    All numbers of a formula are taken to be printed with as many digits as the longest has.
    """
    literals = [place for place, item in enumerate(expression.postfix) if _is_broken(item)]
    if not literals or expression.size > MOST_NODES:
        return FINEST
    digits = max(_significant_digits(expression.postfix[place]) for place in literals)
    before = evaluate(expression, points, variables)
    scale, total = spread(before), 0.0
    for place in literals:
        number = expression.postfix[place]
        assert isinstance(number, float)
        items = list(expression.postfix)
        items[place] = number * (1.0 + 5.0 * 10.0**-digits)
        moved = evaluate(Expression(tuple(items), expression.declared), points, variables)
        total += _largest_change(before, moved) / scale
    return float(np.clip(total, FINEST, COARSEST))


def spread(outputs: Floats) -> float:
    """How far outputs are apart: their standard deviation, or their size where they are alike."""
    defined = outputs[np.isfinite(outputs)]
    if not len(defined):
        return 1.0
    largest = float(np.abs(defined).max())
    with np.errstate(over="ignore", invalid="ignore"):
        deviation = float(np.std(defined))
    return deviation if deviation > 1e-12 * largest else largest or 1.0


def _candidates(postfix: Postfix) -> Iterator[tuple[Postfix, str, str]]:
    """Simpler formulas, with what is gone and what stands in its place."""
    starts = spans(postfix)
    for place, item in enumerate(postfix):
        if item is ADD or item is SUBTRACT:
            middle = starts[place - 1]
            left, right = postfix[starts[place] : middle], postfix[middle:place]
            before, after = postfix[: starts[place]], postfix[place + 1 :]
            yield before + left + after, _text(right, item is SUBTRACT), ""
            rest = right if item is ADD else apply(NEG, [right])
            yield before + rest + after, _text(left), ""
        elif _is_broken(item):
            assert isinstance(item, float)
            whole = float(round(item))
            if whole and abs(item - whole) <= NEARLY_WHOLE * abs(whole):
                text = f"{item:.10g}"
                yield (*postfix[:place], whole, *postfix[place + 1 :]), text, f"{whole:g}"


def _text(postfix: Postfix, is_negative: bool = False) -> str:
    term = str(Expression(apply(NEG, [postfix]) if is_negative else postfix))
    return term if len(term) <= 60 else term[:57] + "..."


def _is_broken(item: Item) -> bool:
    return isinstance(item, float) and np.isfinite(item) and not item.is_integer()


def _significant_digits(item: Item) -> int:
    mantissa = repr(item).lower().split("e")[0]
    return max(1, len(mantissa.replace(".", "").lstrip("-0")))


def _largest_change(before: Floats, after: Floats) -> float:
    """The largest change where outputs were defined; infinite where they no longer are."""
    defined = np.isfinite(before)
    if not defined.any() or not np.isfinite(after[defined]).all():
        return np.inf
    return float(np.abs(after[defined] - before[defined]).max())

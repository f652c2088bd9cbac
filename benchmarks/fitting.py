"""Compare fitting with SciPy: times and losses of random expressions on one data set.

    python -m benchmarks.fitting [--quick] [--json]

Both sides see the same data and go down from the same number of places: SciPy from the first ones
that symbed considers, and once more from the ones that symbed chooses among them. SciPy gets a
residual function that evaluates the expression by NumPy on all points at once, and the 2-point
Jacobian that it makes by default; further runs give it the exact Jacobian, or MINPACK's method.
"""

from __future__ import annotations

import argparse
import math
import sys
import time
import warnings
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

import symbed
from benchmarks.common import Goal, Report, Row, argument_parser, finish, median_time
from benchmarks.grammar_sampler import sample, text
from symbed.engine.program import parameter_slots
from symbed.language.expression import ANONYMOUS, Expression, Item
from symbed.language.operators import Operator
from symbed.workbench import fit_many
from symbed.workbench.fit_problem import Bounds
from symbed.workbench.fitting import SCREENED

Floats = NDArray[np.float64]
Function = Callable[[Floats], Floats]

VARIABLES = ("X_0", "X_1")
N_POINTS, N_STARTS, MAX_PARAMETERS = 1000, 8, 8
UFUNCS: dict[str, Callable[..., Any]] = {
    "+": np.add, "-": np.subtract, "*": np.multiply, "/": np.divide, "neg": np.negative,
    "sin": np.sin, "cos": np.cos, "sqrt": np.sqrt, "exp": np.exp, "ln": np.log,
    "^2": np.square, "^3": lambda a: a * a * a, "^4": lambda a: np.square(a * a),
}  # fmt: skip


class Rival(NamedTuple):
    """One way to call SciPy."""

    name: str
    exact: bool = False  # gets the exact Jacobian
    chosen: bool = False  # goes down from the best of symbed's places, not from the first
    method: str = "trf"  # SciPy's default


RIVALS = (
    Rival("SciPy least_squares"),
    Rival("SciPy, exact Jacobian", exact=True),
    Rival("SciPy, MINPACK's lm", method="lm"),
    Rival("SciPy, from symbed's starts", chosen=True),
)


def main() -> int:
    arguments = _arguments()
    X, y = _data()
    fit_many(["C*X_0"], X, y)  # opens the library
    reports = [
        compare_with_scipy(300 if not arguments.quick else 40, X, y),
        fit_candidates(100_000 if not arguments.quick else 5000, X, y),
    ]
    return finish(reports, arguments.json)


def compare_with_scipy(n_expressions: int, X: Floats, y: Floats) -> Report:
    """Time per fit, and how often the loss is as good."""
    texts = _distinct(n_expressions)
    ours, fits = median_time(lambda: fit_many(texts, X, y, n_starts=N_STARTS, workers=1), 5)
    report = Report(
        f"1. {n_expressions} random expressions x {N_POINTS} points, {N_STARTS} starts, one core"
    )
    report.rows = [Row("symbed, text in, values out", ours, n_expressions, "median of 5")]
    named = [_named(symbed.parse(source, VARIABLES)) for source in texts]
    for rival in RIVALS:
        seconds, losses = _fit_by_scipy(named, X, y, rival)
        report.rows.append(Row(rival.name, seconds, n_expressions))
        report.facts.append(f"{rival.name}: {_verdict(fits.rmse, losses)}")
        if rival is RIVALS[0]:
            good = _is_as_good(fits.rmse, losses).mean()
            report.goals += [
                Goal("times faster than SciPy's default", seconds / ours, 50),
                Goal("share with a loss equal or better", float(good), 0.95),
            ]
    return report


def fit_candidates(n_expressions: int, X: Floats, y: Floats) -> Report:
    """A whole set of candidates on all cores."""
    texts = [text(tokens) for tokens in sample(n_expressions, 2, seed=11)]
    began = time.perf_counter()
    fits = fit_many(texts, X, y, n_starts=N_STARTS)
    seconds = time.perf_counter() - began
    report = Report(f"2. {n_expressions:,} candidates on one data set, all cores")
    report.facts = [f"{fits!r}; best: {fits.best(1)[0].expression}"]
    report.rows = [Row("symbed, text in, values out", seconds, n_expressions)]
    report.goals = [Goal("seconds", seconds, 120 * n_expressions / 100_000, at_least=False)]
    return report


def _data() -> tuple[Floats, Floats]:
    generator = np.random.default_rng(0)
    X = generator.uniform(1.0, 5.0, (N_POINTS, 2))
    noise = 0.1 * generator.standard_normal(N_POINTS)
    return X, 2.5 * np.sin(1.3 * X[:, 0]) + 0.7 * X[:, 1] ** 1.5 + noise


def _distinct(n_expressions: int) -> list[str]:
    """Expressions with parameters, different up to commutativity."""
    by_program: dict[int, str] = {}
    for tokens in sample(100 * n_expressions, 2, seed=5):
        if 0 < tokens.count("C") <= MAX_PARAMETERS:
            source = text(tokens)
            by_program.setdefault(symbed.parse(source, VARIABLES).canonical_hash, source)
        if len(by_program) == n_expressions:
            break
    return list(by_program.values())


def _named(expression: Expression) -> Expression:
    """The expression with a name for each anonymous parameter, to differentiate by."""
    numbers = iter(range(expression.size))

    def named(item: Item) -> Item:
        return f"p{next(numbers)}" if item == ANONYMOUS else item

    return Expression(tuple(map(named, expression.postfix)), VARIABLES)


def _fit_by_scipy(
    expressions: Sequence[Expression], X: Floats, y: Floats, rival: Rival
) -> tuple[float, Floats]:
    """Seconds for all fits, and the root mean squared error of each."""
    columns = dict(zip(VARIABLES, X.T, strict=True))
    losses, seconds = [], 0.0
    for expression in expressions:
        model = _function(expression, expression.parameters, columns)
        options: dict[str, Any] = {"method": rival.method}
        if rival.exact:
            options["jac"] = _slopes(expression, columns)
        starts = _starts(expression, model, y, rival.chosen)
        began = time.perf_counter()
        losses.append(_best_loss(model, y, starts, options))
        seconds += time.perf_counter() - began
    return seconds, np.array(losses)


def _best_loss(model: Function, y: Floats, starts: Floats, options: dict[str, Any]) -> float:
    from scipy.optimize import least_squares

    best = math.inf
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        for start in starts:
            try:
                minimum = least_squares(lambda values: model(values) - y, start, **options)
            except (ValueError, np.linalg.LinAlgError):  # undefined outputs or slopes
                continue
            best = min(best, math.sqrt(2.0 * minimum.cost / len(y)))
    return best


def _starts(expression: Expression, model: Function, y: Floats, chosen: bool) -> Floats:
    """The first of the places that symbed considers, or the best, in order of appearance."""
    rows = {name: row for row, name in enumerate(VARIABLES)}
    slots = parameter_slots(expression, rows, lambda _: 0)
    places: Floats = Bounds(None).starts(SCREENED * N_STARTS, len(slots), 0)[0][:, list(slots)]
    if not chosen:
        return places[:N_STARTS]
    with np.errstate(all="ignore"):
        losses = np.array([np.sum((model(place) - y) ** 2) for place in places])
    return places[np.argsort(losses, kind="stable")[:N_STARTS]]


def _function(
    expression: Expression, parameters: Sequence[str], columns: dict[str, Floats]
) -> Function:
    """The expression by NumPy: one pass over a list of ufuncs."""
    places = {name: place for place, name in enumerate(parameters)}
    steps: list[tuple[int, Any]] = []
    for item in expression.postfix:
        if isinstance(item, Operator):
            steps.append((item.arity, UFUNCS[item.name]))
        elif item in places:
            steps.append((-2, places[item]))
        else:
            steps.append((-1, columns[item] if isinstance(item, str) else item))

    def run(values: Floats) -> Floats:
        stack: list[Any] = []
        for arity, thing in steps:
            if arity == -1:
                stack.append(thing)
            elif arity == -2:
                stack.append(values[thing])
            elif arity == 1:
                stack[-1] = thing(stack[-1])
            else:
                right = stack.pop()
                stack[-1] = thing(stack[-1], right)
        return np.broadcast_to(stack[0], N_POINTS)

    return run


def _slopes(expression: Expression, columns: dict[str, Floats]) -> Function:
    parameters = expression.parameters
    parts = [_function(expression.derivative(name), parameters, columns) for name in parameters]
    return lambda values: np.stack([part(values) for part in parts], axis=1)


def _is_as_good(ours: Floats, theirs: Floats) -> NDArray[np.bool_]:
    return (ours <= theirs * (1.0 + 1e-9)) | (np.isinf(ours) & np.isinf(theirs))


def _verdict(ours: Floats, theirs: Floats) -> str:
    better = (ours < theirs * (1.0 - 1e-9)).mean()
    worse = (~_is_as_good(ours, theirs)).mean()
    return f"symbed's loss is smaller on {better:.1%}, larger on {worse:.1%} of them"


def _arguments() -> argparse.Namespace:
    parser = argument_parser(__doc__, "a tenth of the work")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())

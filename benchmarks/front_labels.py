"""Labels for fronts of real tools, by a method of its own: fits with SciPy, checked with mpmath.

Run with ``python -m benchmarks.front_labels > benchmarks/fresh_fronts/fitted_labels.csv``. Nothing
of symbed is used. Formulas are read with Python's ``ast``; numbers with a decimal point are free,
but for those that may be 0 without moving the outputs by 1e-5 of their spread, which are 0. Random
members of the true form are fitted by the found form from many starts, and the other way round; a
fit that ends below 1e-7 is polished by Gauss-Newton steps with 40 digits, and counts if it ends
below 1e-25. Both ways is ``same``, one way ``contains`` or ``special case``, none ``other``. What
was then decided by hand stands in ``fresh_fronts/hand_labels.csv`` with its reason, and wins.
"""

from __future__ import annotations

import ast
import csv
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import mpmath
import numpy as np
from scipy.optimize import least_squares

from benchmarks.front_problems import FRESH_NOISES, FRESH_PROBLEMS, FrontProblem

FOLDER = Path(__file__).parent / "fresh_fronts"
MAX_NODES = 60
FROM_EACH = 4  # formulas of a front, by size from the shortest to the longest
N_POINTS = 60
N_STARTS = 9
NEGLIGIBLE = 1e-5
NEARLY = 1e-7
DIGITS, REACHED = 40, 1e-25


class Formula:
    """A formula of a tool as a function of points and constants, in floats or with many digits."""

    def __init__(self, text: str, names: tuple[str, ...]) -> None:
        self.tree = ast.parse(text.replace("^", "**"), mode="eval").body
        self.names = names
        self.places: list[ast.AST] = []
        self.constants: list[float] = []
        self._collect(self.tree)
        self.fixed: dict[int, float] = {}

    def _collect(self, node: ast.AST) -> None:
        if isinstance(node, ast.Constant) and isinstance(node.value, float):
            self.places.append(node)
            self.constants.append(node.value)
        for child in ast.iter_child_nodes(node):
            self._collect(child)

    @property
    def free(self) -> list[int]:
        """The places of the constants that are free."""
        return [k for k in range(len(self.constants)) if k not in self.fixed]

    def __call__(self, columns: Any, values: Any, kit: Any = np) -> Any:
        given = iter(np.asarray(values, float) if kit is np else values)
        numbers = {
            id(place): (0.0 if kit is not np else np.float64(0.0))
            if k in self.fixed
            else next(given)
            for k, place in enumerate(self.places)
        }
        return self._value(self.tree, columns, numbers, kit)

    def _value(self, node: Any, columns: Any, numbers: dict[int, Any], kit: Any) -> Any:
        def of(child: Any) -> Any:
            return self._value(child, columns, numbers, kit)

        if isinstance(node, ast.Constant):
            return numbers.get(id(node), node.value)
        if isinstance(node, ast.Name):
            return columns[self.names.index(node.id)]
        if isinstance(node, ast.UnaryOp):
            return -of(node.operand) if isinstance(node.op, ast.USub) else of(node.operand)
        if isinstance(node, ast.BinOp):
            left, right = of(node.left), of(node.right)
            return _BINARY[type(node.op)](left, right)
        assert isinstance(node, ast.Call)
        assert isinstance(node.func, ast.Name)
        arguments = [of(one) for one in node.args]
        name = node.func.id
        if name in _PREFIX:
            return _PREFIX[name](*arguments)
        if name == "sqrt":  # gplearn protects it, Operon's has no negative argument here
            return kit.sqrt(abs(arguments[0]))
        return getattr(kit, name)(*arguments)


_BINARY: dict[type, Callable[[Any, Any], Any]] = {
    ast.Add: lambda a, b: a + b, ast.Sub: lambda a, b: a - b, ast.Mult: lambda a, b: a * b,
    ast.Div: lambda a, b: a / b, ast.Pow: lambda a, b: a**b,
}  # fmt: skip
_PREFIX: dict[str, Callable[..., Any]] = {
    "add": lambda a, b: a + b, "sub": lambda a, b: a - b, "mul": lambda a, b: a * b,
    "div": lambda a, b: a / b, "neg": lambda a: -a,
}  # fmt: skip


class Law:
    """A true form as a function of points and constants."""

    def __init__(self, problem: FrontProblem) -> None:
        names, parameters = list(problem.domain), list(problem.values)
        tree = Formula(problem.truth, (*names, *parameters))
        self.formula, self.n_variables = tree, len(names)
        self.constants = list(problem.values.values())
        self.free = range(len(parameters))

    def member(self, rng: Any) -> Any:
        """Constants near the true ones."""
        return np.array(self.constants) * np.exp(rng.uniform(-0.5, 0.5, len(self.constants)))

    def __call__(self, columns: Any, values: Any, kit: Any = np) -> Any:
        return self.formula([*columns, *values], (), kit)


def label(text: str, tool: str, problem: FrontProblem) -> str:
    """What a formula is to the true form."""
    rng = np.random.default_rng(7)
    first = 0 if tool == "gplearn" else 1
    names = tuple(f"X{k + first}" for k in range(len(problem.domain)))
    found, law = Formula(text, names), Law(problem)
    lows, highs = np.array(list(problem.domain.values())).T
    points = lows + (highs - lows) * rng.random((N_POINTS, len(lows)))
    _fix_nothing(found, points)
    contains = all(_reaches(found, points, law, law.member(rng), rng) for _ in range(2))
    own = np.array([found.constants[k] for k in found.free])
    is_case = all(
        _reaches(law, points, found, own * np.exp(0.2 * rng.standard_normal(len(own))), rng)
        for _ in range(2)
    )
    return {(True, True): "same", (True, False): "contains", (False, True): "special case",
            (False, False): "other"}[contains, is_case]  # fmt: skip


def _fix_nothing(found: Formula, points: Any) -> None:
    """Constants at 0 that do nothing."""
    with np.errstate(all="ignore"):
        before = found(points.T, found.constants) + np.zeros(len(points))
        for k in range(len(found.constants)):
            values = list(found.constants)
            values[k] = 0.0
            moved = found(points.T, values) - before
            if np.abs(moved).max() <= NEGLIGIBLE * (np.std(before) or 1.0):
                found.fixed[k] = 0.0


def _reaches(outer: Any, points: Any, inner: Any, values: Any, rng: Any) -> bool:
    """Whether a member of the inner form is one of the outer form."""
    with np.errstate(all="ignore"):
        goal = inner(points.T, values) + np.zeros(len(points))
        if not np.isfinite(goal).all() or not np.std(goal):
            return False
        scale = float(np.abs(goal).max())

        def gaps(at: Any) -> Any:
            off = (outer(points.T, at) + np.zeros(len(points)) - goal) / scale
            return np.where(np.isfinite(off), np.clip(off, -1e6, 1e6), 1e6)

        own = np.array([outer.constants[k] for k in outer.free])
        if not len(own):
            return bool(np.abs(gaps(own)).max() < NEARLY)
        for start in _starts(own, rng):
            fit = least_squares(gaps, start, xtol=1e-15, ftol=1e-15, gtol=1e-15, max_nfev=100)
            if np.abs(fit.fun).max() < NEARLY:
                try:
                    if _polished(outer, points, inner, values, fit.x):
                        return True
                except ZeroDivisionError:  # the fit ended where the formula is not defined
                    continue
    return False


def _starts(own: Any, rng: Any) -> Any:
    yield own
    yield own * 0.9
    for k in range(N_STARTS):
        moved = own * np.exp(0.3 * rng.standard_normal(len(own)))
        if k % 3 == 1:  # spare terms vanish where their factors do
            moved = np.where(rng.random(len(own)) < 0.4, 0.0, moved)
        if k % 3 == 2:
            moved = rng.choice([-1.0, 1.0], len(own)) * np.exp(rng.uniform(-2, 2, len(own)))
        yield moved


def _polished(outer: Any, points: Any, inner: Any, values: Any, start: Any) -> bool:
    """Whether Gauss-Newton steps with many digits end at the member."""
    with mpmath.workdps(DIGITS):
        columns = [[mpmath.mpf(float(x)) for x in row] for row in points[:40]]
        given = [mpmath.mpf(float(value)) for value in values]
        goal = [inner(row, given, mpmath.mp) for row in columns]
        scale = max(map(abs, goal))
        at = [mpmath.mpf(float(x)) for x in start]
        step = mpmath.mpf(10) ** (-DIGITS // 2)
        for _ in range(6):
            gaps = [(outer(row, at, mpmath.mp) - want) / scale
                    for row, want in zip(columns, goal, strict=True)]  # fmt: skip
            if max(map(abs, gaps)) < REACHED:
                return True
            slopes = []
            for k in range(len(at)):
                moved = [x + step if j == k else x for j, x in enumerate(at)]
                after = [(outer(row, moved, mpmath.mp) - want) / scale
                         for row, want in zip(columns, goal, strict=True)]  # fmt: skip
                slopes.append([(b - a) / step for a, b in zip(gaps, after, strict=True)])
            at = _stepped(at, slopes, gaps)
        return False


def _stepped(at: list[Any], slopes: list[Any], gaps: list[Any]) -> list[Any]:
    """A step of least squares; a little damping where constants do the same."""
    n = len(at)
    square = mpmath.matrix(n, n)
    right = mpmath.matrix(n, 1)
    for i in range(n):
        for j in range(i, n):
            square[i, j] = square[j, i] = mpmath.fdot(slopes[i], slopes[j])
        right[i] = -mpmath.fdot(slopes[i], gaps)
    largest = max(square[i, i] for i in range(n)) or mpmath.mpf(1)
    for i in range(n):
        square[i, i] += largest * mpmath.mpf(10) ** -24
    move = mpmath.lu_solve(square, right)
    return [x + move[i] for i, x in enumerate(at)]


def chosen(rows: list[dict[str, str]]) -> list[int]:
    """The lines of a front that are labeled, from the shortest to the longest."""
    short = [k for k, row in enumerate(rows) if int(row["complexity"]) <= MAX_NODES]
    places = np.unique(np.linspace(0, len(short) - 1, FROM_EACH).round().astype(int))
    return [short[place] for place in places]


def main() -> None:
    """Write the table."""
    writer = csv.writer(sys.stdout, lineterminator="\n")
    writer.writerow(["tool", "problem", "noise", "line", "nodes", "label", "formula"])
    for problem in FRESH_PROBLEMS:
        for noise in FRESH_NOISES:
            for tool in ("gplearn", "operon"):
                path = FOLDER / f"{tool}_{problem.name}_{round(100 * noise)}.csv"
                with open(path, newline="") as file:
                    rows = list(csv.DictReader(file))
                for line in chosen(rows):
                    text, nodes = rows[line]["formula"], rows[line]["complexity"]
                    place = tool, problem.name, round(100 * noise), line + 2, nodes
                    writer.writerow([*place, label(text, tool, problem), text])
                    sys.stdout.flush()


if __name__ == "__main__":
    main()

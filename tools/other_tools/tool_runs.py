"""Runs other tools and leaves their raw output in a folder, with the tools' own numbers.

``benchmarks.front_door`` runs it in an environment that has the tools; it imports nothing of ours::

    python tools/other_tools/tool_runs.py FOLDER [--quick]

For each tool there are ``NAME.txt`` (what it prints, one formula on each line) and
``NAME.values.json`` (its own evaluation of each formula at the rows of ``points.csv``).
"""

from __future__ import annotations

import argparse
import json
import math
import operator
import random
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

SEED = 20
N_POINTS = 40


def main() -> None:
    """Run all tools."""
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=Path)
    parser.add_argument("--quick", action="store_true")
    arguments = parser.parse_args()
    warnings.filterwarnings("ignore")
    arguments.folder.mkdir(parents=True, exist_ok=True)
    rng = np.random.default_rng(SEED)
    X = rng.uniform(-2.0, 3.0, (200, 2))
    y = 2.5 * np.exp(-0.7 * X[:, 0]) * np.cos(1.3 * X[:, 1]) + 0.5
    points = rng.uniform(-2.0, 3.0, (N_POINTS, 2))
    np.savetxt(arguments.folder / "points.csv", points, delimiter=",", fmt="%.17g")
    for name, run in TOOLS.items():
        texts, values = run(X, y, points, arguments.quick)
        (arguments.folder / f"{name}.txt").write_text("\n".join(texts) + "\n")
        plain = [[v if math.isfinite(v) else None for v in row] for row in values]
        (arguments.folder / f"{name}.values.json").write_text(json.dumps(plain))
        print(f"{name}: {len(texts)} formulas")


def _gplearn(X: Any, y: Any, points: Any, quick: bool) -> tuple[list[str], list[list[float]]]:
    from gplearn.genetic import SymbolicRegressor

    words = [
        "add",
        "sub",
        "mul",
        "div",
        "sqrt",
        "log",
        "abs",
        "neg",
        "inv",
        "max",
        "min",
        "sin",
        "cos",
        "tan",
    ]
    model = SymbolicRegressor(
        population_size=200 if quick else 1000, generations=3 if quick else 6, function_set=words,
        random_state=SEED, const_range=None,
    )  # fmt: skip
    # Without constants, since gplearn prints only three decimals of them.
    model.fit(X, y)
    programs = [p for p in model._programs[-1] if p is not None]
    return [str(p) for p in programs], [p.execute(points).tolist() for p in programs]


def _operon(X: Any, y: Any, points: Any, quick: bool) -> tuple[list[str], list[list[float]]]:
    from pyoperon.sklearn import SymbolicRegressor

    texts, values = [], []
    for seed in range(2 if quick else 8):
        model = SymbolicRegressor(
            population_size=200, generations=10 if quick else 30, random_state=seed,
            allowed_symbols="add,sub,mul,div,exp,log,sin,cos,sqrt,constant,variable,pow,square,tanh",
        )  # fmt: skip
        model.fit(X, y)
        for entry in model.pareto_front_:
            text = model.get_model_string(entry["tree"], 17)
            exact = _by_sympy(text, points)
            own = np.asarray(model.evaluate_model(entry["tree"], points), np.float64)
            # pyoperon computes in single precision; SymPy supplies the further digits.
            assert np.allclose(own, exact, rtol=1e-3, atol=1e-4, equal_nan=True), text
            texts.append(text)
            values.append(exact.tolist())
    return texts, values


def _by_sympy(text: str, points: Any) -> Any:
    import sympy

    x1, x2 = sympy.symbols("X1 X2", real=True)
    function = sympy.lambdify((x1, x2), sympy.sympify(text.replace("^", "**")), "numpy")
    with np.errstate(all="ignore"):
        return np.broadcast_to(np.asarray(function(*points.T), np.float64), (len(points),))


def _deap(X: Any, y: Any, points: Any, quick: bool) -> tuple[list[str], list[list[float]]]:
    from deap import gp

    del X, y

    def protectedDiv(left: float, right: float) -> float:
        try:
            return left / right
        except ZeroDivisionError:
            return 1.0

    words = gp.PrimitiveSet("MAIN", 2)
    for function, arity in ((operator.add, 2), (operator.sub, 2), (operator.mul, 2),
                            (protectedDiv, 2), (operator.neg, 1), (math.cos, 1),
                            (math.sin, 1)):  # fmt: skip
        words.addPrimitive(function, arity)
    random.seed(SEED)
    words.addEphemeralConstant("rand101", _ephemeral)
    trees = [
        gp.PrimitiveTree(gp.genHalfAndHalf(words, min_=1, max_=4))
        for _ in range(50 if quick else 300)
    ]
    functions = [gp.compile(tree, words) for tree in trees]
    values = [[float(function(*row)) for row in points] for function in functions]
    return [str(tree) for tree in trees], values


def _ephemeral() -> float:
    return random.uniform(-1, 1)


def _pysindy(X: Any, y: Any, points: Any, quick: bool) -> tuple[list[str], list[list[float]]]:
    import pysindy

    del X, y, quick
    times = np.arange(0, 10, 0.01)
    state = np.empty((len(times), 2))
    state[0] = (2.0, 0.0)
    for step in range(1, len(times)):  # a damped oscillator, by small Euler steps
        x, v = state[step - 1]
        state[step] = (x + 0.01 * v, v + 0.01 * (-x - 0.1 * v - 0.5 * x**3))
    model = pysindy.SINDy(feature_library=pysindy.PolynomialLibrary(degree=3))
    model.fit(state, t=times)
    return list(model.equations(precision=17)), np.asarray(model.predict(points)).T.tolist()


TOOLS: dict[str, Callable[..., tuple[list[str], list[list[float]]]]] = {
    "gplearn": _gplearn,
    "operon": _operon,
    "deap": _deap,
    "pysindy": _pysindy,
}

if __name__ == "__main__":
    main()

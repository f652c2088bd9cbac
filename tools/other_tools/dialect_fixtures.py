"""Other tools' formulas and the numbers the tools give for them: made here, kept for the tests.

Run it where the tools are installed (gplearn, pyoperon, sympy, symbolic-regression-toolkit,
bingo-nasa, eggp, s2generator, formulas, pysr without Julia), from the root of the repository::

    python tools/other_tools/dialect_fixtures.py [NAME ...]

Formulas of tools that cannot run here (SymbolicRegression.jl needs Julia; DSO, ProGED, AI Feynman
and ESR are on no package index) were collected from their documentation, tests and issue trackers
in ``tests/language/dialects/data/NAME.txt``, with their origins. Their numbers are computed from
what the tool documents: by SymPy with the tool's own definitions, or by the plain functions below.
"""

from __future__ import annotations

import json
import re
import sys
import warnings
from collections.abc import Iterable
from pathlib import Path

import dialect_documented
import numpy as np
from dialect_common import (
    DATA,
    N_POINTS,
    Formula,
    collected,
    listed,
    make_document,
    points,
    usable,
    values_at,
)


def run_gplearn() -> Formula:
    """Programs of a gplearn population, with the constants as they are printed."""
    from gplearn.genetic import SymbolicRegressor

    x = points(3)
    wide = np.random.default_rng(1).uniform(-1.5, 2.5, (200, 3))
    estimator = SymbolicRegressor(
        population_size=200, generations=4, random_state=3, const_range=(-2.0, 2.0),
        function_set=("add", "sub", "mul", "div", "sqrt", "log", "abs", "neg", "inv", "max", "min",
                      "sin", "cos", "tan"),
    )  # fmt: skip
    estimator.fit(wide, wide[:, 0] * wide[:, 1] / (wide[:, 2] + 0.5))
    signed = x - 1.2  # protected functions differ from plain ones left of zero
    formulas: dict[str, Formula] = {}
    for program in estimator._programs[-1] + estimator._programs[0]:
        if program is None or not 3 <= len(program.program) <= 25:
            continue
        text = str(program)
        rounded = [float(f"{n:.3f}") if isinstance(n, float) else n for n in program.program]
        program.program = rounded
        formulas[text] = {"source": text, "values": listed(program.execute(signed))}
    return make_document("gplearn", "run of the tool", signed, list(formulas.values())[:40])


def run_operon() -> Formula:
    """Models of pyoperon runs; its arithmetic has single precision, so SymPy adds the digits."""
    import sympy
    from pyoperon.sklearn import SymbolicRegressor

    x = points(3)
    wide = np.random.default_rng(0).uniform(0.5, 3, (100, 3))
    target = 2.3 * np.sin(wide[:, 0]) / wide[:, 1] + wide[:, 2] ** 2 - 0.5 * np.log(wide[:, 0])
    sets = (
        "add,sub,mul,div,sin,cos,exp,log,sqrt,square,constant,variable",
        "add,sub,mul,aq,pow,tanh,cbrt,abs,constant,variable",
        "add,mul,fmin,fmax,asin,logabs,log1p,sqrtabs,floor,ceil,powabs,sinh,constant,variable",
    )
    formulas: dict[str, Formula] = {}
    for seed in range(1, 11):
        for symbols in sets:
            estimator = SymbolicRegressor(
                allowed_symbols=symbols, generations=4, population_size=60, pool_size=60,
                random_state=seed, max_length=16, n_threads=1,
            )  # fmt: skip
            estimator.fit(wide, target)
            text = estimator.get_model_string(estimator.model_, 12)
            names = {f"X{n + 1}": sympy.Symbol(f"X{n + 1}") for n in range(3)}
            exact = sympy.sympify(text.replace("^", "**"), locals={**names, **OPERON_WORDS})
            formulas[text] = {
                "source": text,
                "values": listed(values_at(exact, list(names.values()), x)),
                "single": listed(estimator.evaluate_model(estimator.model_, x)),
            }
    how = "run of the tool (single precision); the digits beyond by SymPy"
    return make_document("pyoperon", how, x, list(formulas.values()))


def run_sympy() -> Formula:
    """What SymPy prints for results of its own, as str and as srepr."""
    return make_document(
        "sympy", "run of the tool", points(3), list(_sympy_formulas(("str", "srepr")))
    )


def run_latex() -> Formula:
    """What SymPy prints as LaTeX for the same results."""
    return make_document(
        "sympy", "LaTeX printed by SymPy", points(3), list(_sympy_formulas(("latex",)))
    )


def _sympy_formulas(kinds: tuple[str, ...]) -> Iterable[Formula]:
    import sympy as sp

    x, y, z = symbols = sp.symbols("x y z")
    a, b = sp.symbols("alpha b_1")
    results = [
        sp.diff(sp.exp(-(x**2)) * sp.sin(y * x), x),
        sp.integrate(x * sp.exp(-x) * sp.cos(x), x),
        sp.series(sp.log(1 + x), x, 0, 6).removeO(),
        sp.expand((x + y) ** 4),
        sp.factor(x**3 - y**3),
        sp.apart(1 / (x**2 - 9)),
        sp.diff(sp.atan(x / y), y),
        sp.sqrt(x**2 + y**2 + z**2),
        sp.simplify(sp.sin(x) ** 2 - 2 * sp.cos(y) ** 2),
        sp.Rational(2, 3) * x ** sp.Rational(5, 2),
        sp.Abs(x - y) * sp.sign(x - z),
        sp.Max(x, y, z) - sp.Min(x, y),
        sp.floor(3 * x) + sp.ceiling(y),
        sp.exp(x) / (1 + sp.exp(-y)),
        sp.log(x) / sp.log(10),
        sp.pi * x**2 - sp.E * y,
        sp.cosh(x) ** 2,
        sp.tanh(x * y) + sp.sinh(z),
        sp.asin(x / 3) + sp.acos(y / 4),
        1 / sp.sqrt(x),
        sp.cot(x) + sp.sec(y),
        sp.Float("1.25e-7") * x + sp.Float("2.5"),
        (x + 1) ** (-3),
        sp.diff(sp.tan(x) ** 3, x),
        x**y**2,
        sp.sqrt(sp.sqrt(x) + sp.sqrt(y)),
        -x,
        -(x**2) + 3,
        (-x) ** 3 / 7,
        sp.Integer(4) / 5 - x / 3,
        2 * (x + y) * (x - z) / 5,
        sp.diff(sp.log(x + sp.sqrt(x**2 + 1)), x),
        x ** sp.Rational(1, 3) + y,
        a * x + b * y**2,
    ]
    table = points(3)
    given = {a: 0.75, b: -1.5}
    for expression in results:
        values = listed(values_at(expression.subs(given), symbols, table))
        parameters = {n: v for n, v in (("alpha", 0.75), ("b_1", -1.5)) if n in str(expression)}
        for kind in kinds:
            text = {"str": sp.sstr, "srepr": sp.srepr, "latex": sp.latex}[kind](expression)
            made: Formula = {"source": text, "values": values, "names": ["x", "y", "z"]}
            yield made | ({"parameters": parameters} if parameters else {})


def run_srtoolkit() -> Formula:
    """Token lists of SRToolkit's benchmarks and its generator, by its compiled functions."""
    from SRToolkit.utils import SymbolLibrary, compile_expr, generate_n_expressions

    source = Path(sys.modules["SRToolkit"].__file__ or "").parent / "dataset" / "feynman.py"
    lists = re.findall(r"ground_truth=(\[.*?\])", source.read_text(), re.DOTALL)
    tokens = [json.loads(text) for text in lists]
    np.random.seed(7)  # noqa: NPY002 - the tool draws from the global state
    library = SymbolLibrary.default_symbols(3)
    tokens += generate_n_expressions(library, 60, max_expression_length=25, verbose=False)
    tokens += [
        ["C", "*", "X_0", "^2", "+", "log", "(", "X_1", ")"],
        ["u-", "ln", "(", "X_0", ")", "+", "X_1", "^-1"],
        ["C", "*", "exp", "(", "C", "*", "X_0", ")", "-", "arctan", "(", "X_1", "/", "C", ")"],
    ]
    x = points(9)
    rows = []
    chosen = {tuple(expression): expression for expression in tokens[:25] + tokens[-45:]}
    for expression in chosen.values():
        if len(expression) < 3:
            continue
        constants = [0.7 + 0.4 * k for k in range(expression.count("C"))]
        with SymbolLibrary.default_symbols(9):
            values = compile_expr(expression)(x, np.array(constants))
        made: Formula = {"source": expression, "values": listed(np.broadcast_to(values, N_POINTS))}
        rows.append(made | ({"anonymous": constants} if constants else {}))
    return make_document("symbolic-regression-toolkit", "run of the tool", x, rows)


def run_bingo() -> Formula:
    """Random graphs of Bingo, printed for the console and evaluated by Bingo."""
    from bingo.symbolic_regression import AGraphGenerator, ComponentGenerator
    from bingo.symbolic_regression.agraph.agraph import force_use_of_python_backends

    force_use_of_python_backends()
    np.random.seed(4)  # noqa: NPY002 - the tool draws from the global state
    rng = np.random.default_rng(4)
    components = ComponentGenerator(3, constant_probability=0.3, terminal_probability=0.3)
    for word in [
        "+",
        "-",
        "*",
        "/",
        "sin",
        "cos",
        "exp",
        "log",
        "sqrt",
        "pow",
        "tanh",
        "square",
        "sinh",
    ]:
        components.add_operator(word)
    generate = AGraphGenerator(14, components, use_simplification=False, use_python=True)
    x = points(3) - 1.0  # its logarithm and root are those of magnitudes
    formulas: dict[str, Formula] = {}
    while len(formulas) < 45:
        graph = generate()
        count = graph.get_number_local_optimization_params()
        graph.set_local_optimization_params(list(rng.uniform(-2, 2, count).round(4)))
        text = graph.get_formatted_string("console")
        values = graph.evaluate_equation_at(x).ravel()
        made = {"source": text, "values": listed(np.broadcast_to(values, N_POINTS))}
        if 6 < len(text) < 200 and usable(made):
            formulas[text] = made
    return make_document("bingo-nasa", "run of the tool", x, list(formulas.values()))


def run_eggp() -> tuple[Formula, Formula]:
    """Pareto fronts of eggp: srtree's expressions, and the Python source it prints for them."""
    import contextlib
    import io

    from eggp import EGGP

    wide = np.random.default_rng(2).uniform(0.4, 3, (80, 2))
    a, b = wide.T
    targets = [1.5 * np.sin(a) * b + np.sqrt(b), a**1.7 / (b + 1), np.exp(-a) * b - np.log(b),
               np.abs(a - b) * a, np.tanh(a * b) + b**3, (a + 1) / (a * b + 2)]  # fmt: skip
    x = points(2)
    trees: dict[str, Formula] = {}
    sources: dict[str, Formula] = {}
    for target in targets:
        model = EGGP(
            gen=12, nPop=50, maxSize=14,
            nonterminals="add,sub,mul,div,log,sqrt,sin,exp,power,abs,square,cube,tanh,recip,logabs,sqrtabs",
        )  # fmt: skip
        with contextlib.redirect_stdout(io.StringIO()):
            model.fit(wide, target)
        for row in range(len(model.results)):
            values = listed(np.broadcast_to(model.evaluate_model(row, x), N_POINTS))
            line = model.results.iloc[row]
            if line.Numpy.count("**") > 1:
                continue  # its Python source leaves out the brackets of a power of a power
            trees[line.Expression] = {"source": line.Expression, "values": values}
            theta = [float(t) for t in str(line.theta).split(";") if t]
            named = {f"t_{k}": value for k, value in enumerate(theta)}
            sources[line.Numpy] = {"source": line.Numpy, "values": values, "parameters": named}
    how = "run of the tool"
    return (
        make_document("eggp", how, x, list(trees.values())),
        make_document("eggp", "Python source printed by eggp", x, list(sources.values())),
    )


def run_srtree() -> Formula:
    """Srtree's expressions."""
    return _eggp()[0]


def run_python() -> Formula:
    """Python source."""
    return _eggp()[1]


_EGGP: list[tuple[Formula, Formula]] = []


def _eggp() -> tuple[Formula, Formula]:
    if not _EGGP:
        _EGGP.append(run_eggp())
    return _EGGP[0]


def run_e2e() -> Formula:
    """Random trees of S2Generator, which has E2E's node class: infix in words, and prefix lists."""
    from s2generator.symbol import SymbolParams, parse_symbol

    rng = np.random.default_rng(11)
    x = points(3)
    texts = list(collected("e2e"))
    texts += [tree for _ in range(40) for tree in [_e2e_tree(rng, 3)] if tree.count(",") > 3]
    formulas: dict[str, Formula] = {}
    for text in texts:
        tree = parse_symbol(text, SymbolParams(use_abs=False))  # E2E's default
        values = listed(tree.val(x.copy()).ravel())
        for printed in (text, tree.infix(), tree.prefix()):
            formulas[printed] = {"source": printed, "values": values}
    return make_document(
        "s2generator", "run of S2Generator, whose nodes are E2E's", x, formulas.values()
    )


def _e2e_tree(rng: np.random.Generator, depth: int) -> str:
    """A random prefix list in E2E's words."""
    if depth == 0 or rng.random() < 0.2:
        return f"x_{rng.integers(3)}" if rng.random() < 0.6 else f"{rng.uniform(-3, 3):.3f}"
    if rng.random() < 0.5:
        word = rng.choice(["add", "sub", "mul", "div"])
        return f"{word},{_e2e_tree(rng, depth - 1)},{_e2e_tree(rng, depth - 1)}"
    word = rng.choice(
        ["abs", "inv", "sqrt", "log", "exp", "sin", "arctan", "cos", "tan", "pow2", "pow3"]
    )
    return f"{word},{_e2e_tree(rng, depth - 1)}"


def run_excel() -> Formula:
    """Spreadsheet formulas as we write them, computed by the package ``formulas``."""
    import formulas

    import symbed

    x = points(3)
    rows = []
    for text in EXCEL:
        written = symbed.parse(text).to("excel")
        function = formulas.Parser().ast(written)[1].compile()
        cells = [str(name) for name in function.inputs]
        values = [function(*(row["ABC".index(name[0])] for name in cells)) for row in x]
        rows.append({"source": text, "text": written, "values": listed(np.ravel(values))})
    return make_document("formulas", "spreadsheet formulas computed by formulas", x, rows)


OPERON_WORDS: dict[str, object] = {}
EXCEL = [
    "x0 + 2.5*x1", "-x0^2", "(-x0)^2 - x1^-2", "x0^x1^x2", "sqrt(x0)/ln(x1 + 1)",
    "log10(x0)*log2(x1)",
    "exp(-x0)*sin(x1) + cos(x2)", "tan(x0/3) + asin(x1/4) - acos(x2/4) + atan(x0)",
    "sinh(x0) - cosh(x1)*tanh(x2)", "sech(x0)", "cbrt(x0 - 1)", "abs(x0 - x1)*sign(x2 - 1)",
    "min(x0, x1) + max(x1, x2)", "pi*x0^2 - e", "x0^3 + x1^4 - x2^5", "1/(x0 + 1/(x1 + 1/x2))",
    "x0 - (x1 - x2)", "x0/(x1*x2)", "pdiv(x0, x1 - x1) + pdiv(x0, x1)", "plog(x0 - 1) + pinv(x1)",
    "cond(x0 - 1, x1) + floor(3*x2)", "1.5e-7*x0 + 2e12", "-(x0 + x1)*-x2", "2^-x0", "(x0 + 1)^0.5",
]  # fmt: skip


def main(names: list[str]) -> None:
    """Write the documents that were asked for, or all."""
    import sympy

    OPERON_WORDS.update(
        abs=sympy.Abs, max=sympy.Max, min=sympy.Min,
        cbrt=lambda v: sympy.sign(v) * sympy.cbrt(sympy.Abs(v)), ceil=sympy.ceiling,
    )  # fmt: skip
    named = globals() | vars(dialect_documented)
    runs = {key.removeprefix("run_"): run for key, run in named.items() if key[:4] == "run_"}
    del runs["eggp"]
    for name in names or runs:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            document = runs[name]()
        text = json.dumps(document, indent=None, ensure_ascii=False).replace(
            '{"source"', '\n{"source"'
        )
        (DATA / f"{name}.json").write_text(text + "\n", encoding="utf-8")
        print(f"{name:10} {len(document['formulas']):4} formulas, {document['how']}")


if __name__ == "__main__":
    main(sys.argv[1:])

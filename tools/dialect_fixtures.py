"""Other tools' formulas and the numbers the tools give for them: made here, kept for the tests.

Run it where the tools are installed (gplearn, pyoperon, sympy, symbolic-regression-toolkit,
bingo-nasa, eggp, s2generator, formulas, pysr without Julia), from the root of the repository::

    python tools/dialect_fixtures.py [NAME ...]

Formulas of tools that cannot run here (SymbolicRegression.jl needs Julia; DSO, ProGED, AI Feynman
and ESR are on no package index) were collected from their documentation, tests and issue trackers
in ``tests/language/dialects/data/NAME.txt``, with their origins. Their numbers are computed from
what the tool documents: by SymPy with the tool's own definitions, or by the plain functions below.
"""

from __future__ import annotations

import importlib.util
import json
import math
import re
import sys
import warnings
from collections.abc import Callable, Iterable
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np

DATA = Path(__file__).resolve().parents[1] / "tests" / "language" / "dialects" / "data"
N_POINTS = 6
LARGEST = 1e9  # beyond, an absolute error of 1e-9 asks for more digits than floats have
Formula = dict[str, Any]


def points(n_variables: int) -> np.ndarray:
    """The same few points for every tool."""
    return np.random.default_rng(5).uniform(0.3, 2.5, (N_POINTS, n_variables)).round(6)


def collected(name: str) -> list[str]:
    """The formulas of a file, without comments."""
    lines = (DATA / f"{name}.txt").read_text(encoding="utf-8").splitlines()
    return [line for line in lines if line.strip() and not line.startswith("#")]


def listed(values: Iterable[Any]) -> list[float | None]:
    """Values as JSON has them: None where undefined."""
    return [_real(value) for value in values]


def _real(value: Any) -> float | None:
    number = complex(value)
    return number.real if math.isfinite(number.real) and abs(number.imag) < 1e-12 else None


def usable(formula: Formula) -> bool:
    """Whether something can be compared: a defined value, of ordinary size."""
    values = [value for value in formula["values"] if value is not None]
    return bool(values) and max(map(abs, values)) < LARGEST


# ---- tools that run here ------------------------------------------------------------------------


def run_gplearn() -> Formula:
    """Programs of a gplearn population, with the constants as they are printed."""
    from gplearn.genetic import SymbolicRegressor

    x = points(3)
    wide = np.random.default_rng(1).uniform(-1.5, 2.5, (200, 3))
    estimator = SymbolicRegressor(
        population_size=200, generations=4, random_state=3, const_range=(-2.0, 2.0),
        function_set=tuple("add sub mul div sqrt log abs neg inv max min sin cos tan".split()),
    )  # fmt: skip
    estimator.fit(wide, wide[:, 0] * wide[:, 1] / (wide[:, 2] + 0.5))
    signed = x - 1.2  # protected functions differ from plain ones left of zero
    found: dict[str, Formula] = {}
    for program in estimator._programs[-1] + estimator._programs[0]:
        if program is None or not 3 <= len(program.program) <= 25:
            continue
        text = str(program)
        rounded = [float(f"{n:.3f}") if isinstance(n, float) else n for n in program.program]
        program.program = rounded
        found[text] = {"source": text, "values": listed(program.execute(signed))}
    return _document("gplearn", "run of the tool", signed, list(found.values())[:40])


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
    found: dict[str, Formula] = {}
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
            found[text] = {
                "source": text,
                "values": listed(_at(exact, list(names.values()), x)),
                "single": listed(estimator.evaluate_model(estimator.model_, x)),
            }
    how = "run of the tool (single precision); the digits beyond by SymPy"
    return _document("pyoperon", how, x, list(found.values()))


def run_sympy() -> Formula:
    """What SymPy prints for results of its own, as str and as srepr."""
    return _document("sympy", "run of the tool", points(3), list(_sympy_formulas(("str", "srepr"))))


def run_latex() -> Formula:
    """What SymPy prints as LaTeX for the same results."""
    return _document("sympy", "LaTeX printed by SymPy", points(3), list(_sympy_formulas(("latex",))))


def _sympy_formulas(kinds: tuple[str, ...]) -> Iterable[Formula]:
    import sympy as sp

    x, y, z = symbols = sp.symbols("x y z")
    a, b = sp.symbols("alpha b_1")
    results = [
        sp.diff(sp.exp(-(x**2)) * sp.sin(y * x), x), sp.integrate(x * sp.exp(-x) * sp.cos(x), x),
        sp.series(sp.log(1 + x), x, 0, 6).removeO(), sp.expand((x + y) ** 4), sp.factor(x**3 - y**3),
        sp.apart(1 / (x**2 - 9)), sp.diff(sp.atan(x / y), y), sp.sqrt(x**2 + y**2 + z**2),
        sp.simplify(sp.sin(x) ** 2 - 2 * sp.cos(y) ** 2), sp.Rational(2, 3) * x ** sp.Rational(5, 2),
        sp.Abs(x - y) * sp.sign(x - z), sp.Max(x, y, z) - sp.Min(x, y), sp.floor(3 * x) + sp.ceiling(y),
        sp.exp(x) / (1 + sp.exp(-y)), sp.log(x) / sp.log(10), sp.pi * x**2 - sp.E * y, sp.cosh(x) ** 2,
        sp.tanh(x * y) + sp.sinh(z), sp.asin(x / 3) + sp.acos(y / 4), 1 / sp.sqrt(x), sp.cot(x) + sp.sec(y),
        sp.Float("1.25e-7") * x + sp.Float("2.5"), (x + 1) ** (-3), sp.diff(sp.tan(x) ** 3, x), x**y**2,
        sp.sqrt(sp.sqrt(x) + sp.sqrt(y)), -x, -(x**2) + 3, (-x) ** 3 / 7, sp.Integer(4) / 5 - x / 3,
        2 * (x + y) * (x - z) / 5, sp.diff(sp.log(x + sp.sqrt(x**2 + 1)), x), x ** sp.Rational(1, 3) + y,
        a * x + b * y**2,
    ]  # fmt: skip
    table = points(3)
    given = {a: 0.75, b: -1.5}
    for expression in results:
        values = listed(_at(expression.subs(given), symbols, table))
        parameters = {n: v for n, v in (("alpha", 0.75), ("b_1", -1.5)) if n in str(expression)}
        for kind in kinds:
            text = {"str": sp.sstr, "srepr": sp.srepr, "latex": sp.latex}[kind](expression)
            made: Formula = {"source": text, "values": values, "names": ["x", "y", "z"]}
            yield made | ({"parameters": parameters} if parameters else {})


def run_srtoolkit() -> Formula:
    """Token lists of SRToolkit's benchmarks and its generator, by SRToolkit's compiled functions."""
    from SRToolkit.utils import SymbolLibrary, compile_expr, generate_n_expressions

    source = Path(sys.modules["SRToolkit"].__file__ or "").parent / "dataset" / "feynman.py"
    lists = re.findall(r"ground_truth=(\[.*?\])", source.read_text(), re.DOTALL)
    tokens = [json.loads(text) for text in lists]
    np.random.seed(7)
    library = SymbolLibrary.default_symbols(3)
    tokens += generate_n_expressions(library, 60, max_expression_length=25, verbose=False)
    tokens += [
        ["C", "*", "X_0", "^2", "+", "log", "(", "X_1", ")"],
        ["u-", "ln", "(", "X_0", ")", "+", "X_1", "^-1"],
        ["C", "*", "exp", "(", "C", "*", "X_0", ")", "-", "arctan", "(", "X_1", "/", "C", ")"],
    ]
    x = points(9)
    found = []
    chosen = {tuple(expression): expression for expression in tokens[:25] + tokens[-45:]}
    for expression in chosen.values():
        if len(expression) < 3:
            continue
        constants = [0.7 + 0.4 * k for k in range(expression.count("C"))]
        with SymbolLibrary.default_symbols(9):
            values = compile_expr(expression)(x, np.array(constants))
        made: Formula = {"source": expression, "values": listed(np.broadcast_to(values, N_POINTS))}
        found.append(made | ({"anonymous": constants} if constants else {}))
    return _document("symbolic-regression-toolkit", "run of the tool", x, found)


def run_bingo() -> Formula:
    """Random graphs of Bingo, printed for the console and evaluated by Bingo."""
    from bingo.symbolic_regression import AGraphGenerator, ComponentGenerator
    from bingo.symbolic_regression.agraph.agraph import force_use_of_python_backends

    force_use_of_python_backends()
    np.random.seed(4)
    components = ComponentGenerator(3, constant_probability=0.3, terminal_probability=0.3)
    for word in "+ - * / sin cos exp log sqrt pow tanh square sinh".split():
        components.add_operator(word)
    generate = AGraphGenerator(14, components, use_simplification=False, use_python=True)
    x = points(3) - 1.0  # its logarithm and root are those of magnitudes
    found: dict[str, Formula] = {}
    while len(found) < 45:
        graph = generate()
        count = graph.get_number_local_optimization_params()
        graph.set_local_optimization_params(list(np.random.uniform(-2, 2, count).round(4)))
        text = graph.get_formatted_string("console")
        values = graph.evaluate_equation_at(x).ravel()
        made = {"source": text, "values": listed(np.broadcast_to(values, N_POINTS))}
        if 6 < len(text) < 200 and usable(made):
            found[text] = made
    return _document("bingo-nasa", "run of the tool", x, list(found.values()))


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
        _document("eggp", how, x, list(trees.values())),
        _document("eggp", "Python source printed by eggp", x, list(sources.values())),
    )


def run_srtree() -> Formula:
    """srtree's expressions."""
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
    found: dict[str, Formula] = {}
    for text in texts:
        tree = parse_symbol(text, SymbolParams(use_abs=False))  # E2E's default
        values = listed(tree.val(x.copy()).ravel())
        for printed in (text, tree.infix(), tree.prefix()):
            found[printed] = {"source": printed, "values": values}
    return _document("s2generator", "run of S2Generator, whose nodes are E2E's", x, found.values())


def _e2e_tree(rng: np.random.Generator, depth: int) -> str:
    """A random prefix list in E2E's words."""
    if depth == 0 or rng.random() < 0.2:
        return f"x_{rng.integers(3)}" if rng.random() < 0.6 else f"{rng.uniform(-3, 3):.3f}"
    if rng.random() < 0.5:
        word = rng.choice("add sub mul div".split())
        return f"{word},{_e2e_tree(rng, depth - 1)},{_e2e_tree(rng, depth - 1)}"
    word = rng.choice("abs inv sqrt log exp sin arctan cos tan pow2 pow3".split())
    return f"{word},{_e2e_tree(rng, depth - 1)}"


def run_excel() -> Formula:
    """Spreadsheet formulas as we write them, computed by the package ``formulas``."""
    import formulas
    import symbed

    x = points(3)
    found = []
    for text in EXCEL:
        written = symbed.parse(text).to("excel")
        function = formulas.Parser().ast(written)[1].compile()
        cells = [str(name) for name in function.inputs]
        values = [function(*(row["ABC".index(name[0])] for name in cells)) for row in x]
        found.append({"source": text, "text": written, "values": listed(np.ravel(values))})
    return _document("formulas", "spreadsheet formulas computed by formulas", x, found)


# ---- tools that do not run here -----------------------------------------------------------------


def run_pysr() -> Formula:
    """PySR's formulas by PySR's own translation to SymPy; the search itself needs Julia."""
    return _by_pysr("pysr", 0)


def run_srjl() -> Formula:
    """SymbolicRegression.jl prints the same words, with variables from 1."""
    return _by_pysr("srjl", 1)


def _by_pysr(name: str, base: int) -> Formula:
    import sympy

    module = _pysr_module()
    x = points(31)
    found = []
    for text in collected(name):
        extra = {"logm": lambda v: sympy.log(abs(v) + sympy.Float("1e-8"))}
        numbered = [f"x{column + base}" for column in range(31)]
        named = [word for word in ("theta", "f0", "f3") if re.search(rf"\b{word}\b", text)]
        names = named or numbered
        made = module.pysr2sympy(
            text.replace("^", "**"), feature_names_in=names, extra_sympy_mappings=extra
        )
        values = listed(_at(sympy.sympify(made), [sympy.Symbol(n) for n in names], x))
        found.append({"source": text, "values": values} | ({"names": named} if named else {}))
    how = "the tool's own translation to SymPy; the search itself needs Julia"
    return _document("pysr", how, x, found)


def _pysr_module() -> Any:
    """``pysr.export_sympy`` alone: importing the package would start Julia."""
    found = importlib.util.find_spec("pysr")
    folder = Path(next(iter(found.submodule_search_locations)))  # type: ignore[union-attr,arg-type]
    source = (folder / "export_sympy.py").read_text().replace("from .utils import ArrayLike", "")
    copy = Path(sys.prefix) / "pysr_export_sympy.py"
    copy.write_text(source)
    spec = importlib.util.spec_from_file_location("pysr_export_sympy", copy)
    module = importlib.util.module_from_spec(spec)  # type: ignore[arg-type]
    spec.loader.exec_module(module)  # type: ignore[union-attr]
    return module


def run_dso() -> Formula:
    """DSO's traversals by the NumPy functions of its functions.py."""
    x = points(4)
    found = []
    for text in collected("dso"):
        constants = [0.7 + 0.4 * k for k in range(text.split(",").count("const"))]
        value, rest = _traverse(text.split(","), x, list(constants))
        assert not rest, text
        made: Formula = {"source": text, "values": listed(np.broadcast_to(value, N_POINTS))}
        found.append(made | ({"anonymous": constants} if constants else {}))
    return _document("", "by the functions that DSO documents (functions.py)", x, found)


def _traverse(tokens: list[str], x: np.ndarray, constants: list[float]) -> tuple[Any, list[str]]:
    word, rest = tokens[0], tokens[1:]
    if re.fullmatch("x[0-9]+", word):
        return x[:, int(word[1:]) - 1], rest
    if word not in DSO_WORDS:
        return (constants.pop(0) if word == "const" else float(word)), rest
    arity, function = DSO_WORDS[word]
    operands = []
    for _ in range(arity):
        value, rest = _traverse(rest, x, constants)
        operands.append(value)
    return function(*operands), rest


DSO_WORDS: dict[str, tuple[int, Callable[..., Any]]] = {
    "add": (2, np.add), "sub": (2, np.subtract), "mul": (2, np.multiply), "div": (2, np.divide),
    "sin": (1, np.sin), "cos": (1, np.cos), "tan": (1, np.tan), "exp": (1, np.exp),
    "log": (1, np.log), "sqrt": (1, np.sqrt), "n2": (1, np.square), "neg": (1, np.negative),
    "abs": (1, np.abs), "tanh": (1, np.tanh), "inv": (1, np.reciprocal),
    "logabs": (1, lambda v: np.log(np.abs(v))), "expneg": (1, lambda v: np.exp(-v)),
    "n3": (1, lambda v: np.power(v, 3)), "n4": (1, lambda v: np.power(v, 4)),
    "sigmoid": (1, lambda v: 1 / (1 + np.exp(-v))),
}  # fmt: skip


def run_proged() -> Formula:
    """ProGED's models are SymPy expressions; its constants get fixed values."""
    return _by_sympy("proged", ["n"], {f"C{k}": 0.3 - 0.25 * k for k in range(5)}, {})


def run_aifeynman() -> Formula:
    """AI Feynman's solutions are SymPy expressions."""
    import sympy

    words = "theta theta1 sigma q1 q2 r epsilon G m1 m2 r1 r2 h omega c kb T lambd n d V1 V2 m q"
    names = [f"x{k}" for k in range(10)] + words.split()
    return _by_sympy("aifeynman", names, {}, {"arcsin": sympy.asin, "ln": sympy.log})


def run_esr() -> Formula:
    """ESR's functions by the symbols that it defines (sympy_symbols.py): pow(a, b) is |a|^b."""
    import sympy

    words = {
        "pow": lambda a, b: abs(a) ** b, "sqrt_abs": lambda a: sympy.sqrt(abs(a)),
        "log_abs": lambda a: sympy.log(abs(a)), "square": lambda a: a * a,
        "cube": lambda a: a * a * a, "inv": lambda a: 1 / a,
    }  # fmt: skip
    return _by_sympy("esr", ["x"], {"a0": -0.65, "a1": 1.4}, words)


def _by_sympy(
    name: str, names: list[str], parameters: dict[str, float], words: dict[str, Any]
) -> Formula:
    import sympy

    table = points(len(names))
    symbols = [sympy.Symbol(n) for n in names]
    given = {sympy.Symbol(n): value for n, value in parameters.items()}
    local = {**{n: sympy.Symbol(n) for n in [*names, *parameters]}, **words}
    found = []
    for text in collected(name):
        exact = sympy.sympify(text, locals=local).subs(given)
        used = {n: v for n, v in parameters.items() if re.search(rf"\b{n}\b", text)}
        values = listed(_at(exact, symbols, table))
        found.append({"source": text, "values": values} | ({"parameters": used} if used else {}))
    document = _document("sympy", "by SymPy with the tool's definitions", table, found)
    return document | {"names": names}


def _at(expression: Any, symbols: Iterable[Any], table: np.ndarray) -> list[complex]:
    """Values of a SymPy expression at points."""
    import sympy

    out = []
    for row in table:
        known = {symbol: sympy.Float(float(v), 40) for symbol, v in zip(symbols, row, strict=False)}
        value = expression.xreplace(known).evalf(30)
        out.append(complex(value) if value.is_number and value.is_finite else complex("nan"))
    return out


OPERON_WORDS: dict[str, Any] = {}
EXCEL = [
    "x0 + 2.5*x1", "-x0^2", "(-x0)^2 - x1^-2", "x0^x1^x2", "sqrt(x0)/ln(x1 + 1)", "log10(x0)*log2(x1)",
    "exp(-x0)*sin(x1) + cos(x2)", "tan(x0/3) + asin(x1/4) - acos(x2/4) + atan(x0)",
    "sinh(x0) - cosh(x1)*tanh(x2)", "sech(x0)", "cbrt(x0 - 1)", "abs(x0 - x1)*sign(x2 - 1)",
    "min(x0, x1) + max(x1, x2)", "pi*x0^2 - e", "x0^3 + x1^4 - x2^5", "1/(x0 + 1/(x1 + 1/x2))",
    "x0 - (x1 - x2)", "x0/(x1*x2)", "pdiv(x0, x1 - x1) + pdiv(x0, x1)", "plog(x0 - 1) + pinv(x1)",
    "cond(x0 - 1, x1) + floor(3*x2)", "1.5e-7*x0 + 2e12", "-(x0 + x1)*-x2", "2^-x0", "(x0 + 1)^0.5",
]  # fmt: skip


def _document(package: str, how: str, x: np.ndarray, formulas: Iterable[Formula]) -> Formula:
    kept = [formula for formula in formulas if usable(formula)]
    made = f"{package} {version(package)}" if package else ""
    return {"made_by": made, "how": how, "points": x.tolist(), "formulas": kept}


def main(names: list[str]) -> None:
    """Write the documents that were asked for, or all."""
    import sympy

    OPERON_WORDS.update(
        abs=sympy.Abs, max=sympy.Max, min=sympy.Min,
        cbrt=lambda v: sympy.sign(v) * sympy.cbrt(sympy.Abs(v)), ceil=sympy.ceiling,
    )  # fmt: skip
    runs = {key.removeprefix("run_"): run for key, run in globals().items() if key[:4] == "run_"}
    del runs["eggp"]
    for name in names or runs:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            document = runs[name]()
        text = json.dumps(document, indent=None, ensure_ascii=False).replace('{"source"', '\n{"source"')
        (DATA / f"{name}.json").write_text(text + "\n", encoding="utf-8")
        print(f"{name:10} {len(document['formulas']):4} formulas, {document['how']}")


if __name__ == "__main__":
    main(sys.argv[1:])

"""Compute the documented values of collected formulas from tools that cannot run here.

SymbolicRegression.jl and the search of PySR need Julia; DSO, ProGED, AI Feynman and ESR are on no
package index. Numbers come from PySR's own translation to SymPy, from SymPy with the tool's
definitions, or from the functions that the tool documents.
"""

from __future__ import annotations

import importlib.util
import re
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from dialect_common import N_POINTS, Formula, collected, listed, make_document, points, values_at


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
    rows = []
    for text in collected(name):
        extra = {"logm": lambda v: sympy.log(abs(v) + sympy.Float("1e-8"))}
        numbered = [f"x{column + base}" for column in range(31)]
        named = [word for word in ("theta", "f0", "f3") if re.search(rf"\b{word}\b", text)]
        names = named or numbered
        made = module.pysr2sympy(
            text.replace("^", "**"), feature_names_in=names, extra_sympy_mappings=extra
        )
        values = listed(values_at(sympy.sympify(made), [sympy.Symbol(n) for n in names], x))
        rows.append({"source": text, "values": values} | ({"names": named} if named else {}))
    how = "the tool's own translation to SymPy; the search itself needs Julia"
    return make_document("pysr", how, x, rows)


def _pysr_module() -> Any:
    """``pysr.export_sympy`` alone: importing the package would start Julia."""
    package = importlib.util.find_spec("pysr")
    folder = Path(next(iter(package.submodule_search_locations)))  # type: ignore[union-attr,arg-type]
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
    rows = []
    for text in collected("dso"):
        constants = [0.7 + 0.4 * k for k in range(text.split(",").count("const"))]
        value, rest = _traverse(text.split(","), x, list(constants))
        assert not rest, text
        made: Formula = {"source": text, "values": listed(np.broadcast_to(value, N_POINTS))}
        rows.append(made | ({"anonymous": constants} if constants else {}))
    return make_document("", "by the functions that DSO documents (functions.py)", x, rows)


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
    rows = []
    for text in collected(name):
        exact = sympy.sympify(text, locals=local).subs(given)
        used = {n: v for n, v in parameters.items() if re.search(rf"\b{n}\b", text)}
        values = listed(values_at(exact, symbols, table))
        rows.append({"source": text, "values": values} | ({"parameters": used} if used else {}))
    document = make_document("sympy", "by SymPy with the tool's definitions", table, rows)
    return document | {"names": names}

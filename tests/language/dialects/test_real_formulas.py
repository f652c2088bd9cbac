"""Each tool's own formulas are read, and give the numbers that the tool gives.

The formulas and numbers are made by ``tools/other_tools/dialect_fixtures.py``.
"""

from __future__ import annotations

import json
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from symbed.engine.reference.elementary.functions import FUNCTIONS
from symbed.errors import SymbedError
from symbed.language.dialects.tool_table import TOOLS
from symbed.language.expression import Expression, Item, fold
from symbed.language.operators import Operator
from symbed.language.parser import parse

DATA = Path(__file__).parent / "data"
DOCUMENTS = {path.stem: json.loads(path.read_text()) for path in sorted(DATA.glob("*.json"))}
CASES = [
    pytest.param(name, document, formula, id=f"{name}-{number}")
    for name, document in DOCUMENTS.items()
    for number, formula in enumerate(document["formulas"])
]
# Why a formula cannot be said in other words.
REASONS = ("no word for", "no free parameters")
READ = [case for case in CASES if case.values[0] != "excel"]
WRITTEN = [case for case in READ if TOOLS[case.values[0]].style is not None]


def require_reason(error: SymbedError) -> None:
    assert any(reason in str(error) for reason in REASONS)


def names_of(document: dict[str, Any], formula: dict[str, Any]) -> tuple[str, ...]:
    """Columns are given names that no tool uses, so that they are found by number."""
    named = formula.get("names") or document.get("names")
    return tuple(named or [f"column_{place}" for place in range(len(document["points"][0]))])


def read(name: str, document: dict[str, Any], formula: dict[str, Any]) -> Expression:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return parse(formula["source"], names_of(document, formula), name)


def values_of(
    expression: Expression, document: dict[str, Any], formula: dict[str, Any]
) -> np.ndarray:
    """The expression's values by our own functions; parameters as the tool had them."""
    table = np.array(document["points"])
    known = dict(zip(names_of(document, formula), table.T, strict=False))
    known |= formula.get("parameters", {})
    anonymous = iter(formula.get("anonymous", []))

    def leaf(item: Item) -> Any:
        if isinstance(item, Operator):
            return {"pi": np.pi, "e": np.e}[item.name]
        return item if isinstance(item, float) else known[item] if item != "C" else next(anonymous)

    found = fold(expression.postfix, leaf, lambda row, below: FUNCTIONS[row.name](*below))
    return np.broadcast_to(found, len(table))


def assert_same_numbers(found: np.ndarray, expected: list[float | None], tolerance: float) -> None:
    known = np.array([np.nan if value is None else value for value in expected])
    found = np.where(np.isfinite(found), found, np.nan)
    np.testing.assert_allclose(found, known, rtol=tolerance, atol=tolerance)


@pytest.mark.parametrize(("name", "document", "formula"), READ)
def test_a_formula_gives_the_numbers_that_its_tool_gives(name, document, formula) -> None:
    expression = read(name, document, formula)
    found = values_of(expression, document, formula)
    assert_same_numbers(found, formula["values"], 1e-9)
    if "single" in formula:  # the tool's own arithmetic has single precision
        largest = max(abs(item) for item in expression.postfix if isinstance(item, float))
        assert_same_numbers(found, formula["single"], 1e-5 + 1e-6 * largest)


@pytest.mark.parametrize(("name", "document", "formula"), WRITTEN)
def test_a_formula_written_again_is_read_as_the_same(name, document, formula) -> None:
    expression = read(name, document, formula)
    columns = names_of(document, formula)
    written = expression.to(name, columns)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        again = parse(written, columns, name)
    renamed = formula
    if formula.get("parameters"):
        values = dict(zip(again.parameters, _in_order(expression, formula), strict=True))
        renamed = formula | {"parameters": values}
    assert_same_numbers(values_of(again, document, renamed), formula["values"], 1e-9)


def _in_order(expression: Expression, formula: dict[str, Any]) -> list[float]:
    return [formula["parameters"][name] for name in expression.parameters]


# No copy of these could be run; the strings in test_equation_tools.py are written after them by hand.
NOT_RUN = {"feyn", "eureqa"}


@pytest.mark.parametrize("name", [name for name in TOOLS if name not in NOT_RUN])
def test_each_dialect_has_at_least_20_formulas(name: str) -> None:
    assert len(DOCUMENTS[name]["formulas"]) >= 20
    sources = [str(formula["source"]) for formula in DOCUMENTS[name]["formulas"]]
    assert len(set(sources)) == len(sources)


@pytest.mark.parametrize(
    "formula", DOCUMENTS["excel"]["formulas"], ids=lambda formula: formula["source"]
)
def test_a_spreadsheet_computes_our_numbers(formula) -> None:
    expression = parse(formula["source"])
    assert expression.to("excel") == formula["text"]
    document = DOCUMENTS["excel"] | {"names": ["x0", "x1", "x2"]}
    assert_same_numbers(values_of(expression, document, formula), formula["values"], 1e-9)


@pytest.mark.parametrize(("name", "document", "formula"), READ[::3])
@pytest.mark.parametrize("target", ["sympy", "latex", "python", "srtree", "pysr"])
def test_a_formula_means_the_same_in_other_words(name, document, formula, target) -> None:
    expression = read(name, document, formula)
    columns = names_of(document, formula)
    try:
        written = expression.to(target, columns)
        again = parse(written, columns, target)
    except SymbedError as error:
        require_reason(error)
        return
    if formula.get("parameters"):
        values = dict(zip(again.parameters, _in_order(expression, formula), strict=True))
        formula = formula | {"parameters": values}
    if formula.get("anonymous") and "C" not in again.names:
        values = dict(zip(again.parameters, formula["anonymous"], strict=True))
        formula = formula | {"parameters": values}
    assert_same_numbers(values_of(again, document, formula), formula["values"], 1e-9)

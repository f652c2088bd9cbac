"""Rows of result files: a found formula each, its problem, and what the file says of it.

Columns of tables, and names of JSON objects, have roles (which is the formula, which the truth ...)
that are found by their names: those that benchmarks and papers use stand in one table, and for
others the user says so. JSON is SRBench's, LLM-SRBench's, LLM-SR's, SRToolkit's, or any objects.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from symbed.errors import DataError
from symbed.formula_files.table_rows import EXPRESSION_COLUMNS

# Role of a column: the names that it has in result files, the likeliest first. Names that say that
# something was *found* come before plain ones, since a plain ``formula`` may be the truth.
FOUND_COLUMNS = (
    "symbolic_model", "discovered_equation", "predicted_tree", "recovered_expression",
    "predicted_expression", "predicted_equation", "predicted_formula", "eqs_orig",
)  # fmt: skip
ROLES: dict[str, tuple[str, ...]] = {
    "formula": (*FOUND_COLUMNS, *EXPRESSION_COLUMNS),
    "truth": (
        "true_model", "truth", "true_equation", "true_expression", "true_formula", "gt_equation",
        "ground_truth", "ground_truth_equation",
    ),
    "problem": (
        "dataset", "problem", "equation_id", "dataset_name", "problem_name", "task", "task_name",
        "name",
    ),
    "noise": ("target_noise", "noise"),
    "verdict": ("symbolic_solution", "solved", "success", "is_solution"),
}  # fmt: skip
# What SRBench's own script takes together for its column symbolic_solution.
# A difference or ratio that simplifies to a constant, after numbers are rounded to three digits.
SRBENCH_CHECKS = (
    "symbolic_error_is_zero", "symbolic_error_is_constant", "symbolic_fraction_is_constant",
)  # fmt: skip
# E2E writes ??? for what it does not know; a spreadsheet makes #NAME? of what begins with a minus.
NO_FORMULA = frozenset(
    {"", "nan", "none", "null", "not implemented", "???", "#name?", "#value!", "#ref!", "#n/a"}
)
FIRST_VARIABLE = re.compile(r"\b[xX]_?0\b")


@dataclass(frozen=True)
class ResultRow:
    """A found formula with its problem, from a result file.

    Attributes
    ----------
    file : str
        The file.
    line : int
        The line or the entry of the file, from 1.
    formula : str, list of str or None
        What was found, as text or tokens; None where the file has nothing.
    problem : str
        The name of the problem, or an empty string.
    truth : str or None
        The true formula, where the file says it.
    values : tuple of float or None
        Values of the formula's free parameters, where it is written with them.
    noise : float or None
        The noise of the data, by the spread of the outputs, where the file says it.
    accepted : bool or None
        Whether the file says that the truth was found; None where it does not say.
    dialect : str
        Whose formulas they are; ``auto`` finds out.
    counts_from_zero : bool
        Whether ``x1`` is the second variable, as other formulas of the file tell.
    columns : mapping of str to plain values
        The row as it stands in the file.
    """

    file: str
    line: int
    formula: Any
    problem: str = ""
    truth: str | None = None
    values: tuple[float, ...] | None = None
    noise: float | None = None
    accepted: bool | None = None
    dialect: str = "auto"
    counts_from_zero: bool = False
    columns: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class ResultFile:
    """The rows of one file, and whose file it is.

    Attributes
    ----------
    path : str
        The file or folder.
    format : str
        Whose results these are, in words.
    rows : tuple of ResultRow
        Its rows.
    """

    path: str
    format: str
    rows: tuple[ResultRow, ...]


def find_roles(
    path: str,
    names: Sequence[str],
    given: Mapping[str, str] | None,
    problems: Sequence[str] = (),
) -> dict[str, str]:
    """Which column of a table has which role: as the user says, or by its name.

    ``problems`` are columns that hold nothing but names of problems that ship: some tables call
    that column ``equation``.
    """
    roles = dict(given or {})
    for role, known in ROLES.items():
        if role in roles and roles[role] not in names:
            raise DataError(
                f"{path}: there is no column {roles[role]!r}; it has {', '.join(names)}"
            )
        column = _column([one for one in names if one not in problems], known)
        if column is not None:
            roles.setdefault(role, column)
    if problems:
        roles.setdefault("problem", problems[0])
    # The table of E2E and TPSR: its ``formula`` is the true one.
    if roles.get("formula") == "predicted_tree" and "formula" in names:
        roles.setdefault("truth", "formula")
    if "formula" not in roles:
        problem = f"{path}: no column of formulas is known among {', '.join(names[:20]) or 'none'}"
        error = DataError(f"{problem}; say which it is with columns={{'formula': NAME}}")
        error.in_command = (
            f"{problem}; say which it is with --columns formula=NAME (and truth=NAME, problem=NAME)"
        )
        raise error
    return roles


def row_of(
    path: str, line: int, cells: Mapping[str, Any], roles: Mapping[str, str], dialect: str = "auto"
) -> ResultRow:
    """The row of a table, or of an object with names."""

    def cell(role: str) -> Any:
        return cells.get(roles[role]) if role in roles else None

    return ResultRow(
        path, line, _formula(cell("formula")),
        problem=str(cell("problem") or "").strip(),
        truth=_formula(cell("truth")),
        noise=_noise(cell("noise")),
        accepted=_accepted(cells, cell("verdict")),
        dialect=dialect,
        columns=cells,
    )  # fmt: skip


def counts_from_zero(formulas: Iterable[Any]) -> bool:
    """Whether variables are numbered from 0, as far as the formulas of a file tell."""
    return any(isinstance(one, str) and FIRST_VARIABLE.search(one) for one in formulas)


def _accepted(cells: Mapping[str, Any], verdict: Any) -> bool | None:
    given = _truth_value(verdict)
    if given is not None:
        return given
    checks = [_truth_value(cells.get(name)) for name in SRBENCH_CHECKS]
    return any(checks) if any(check is not None for check in checks) else None


def _truth_value(cell: Any) -> bool | None:
    words = {"true": True, "false": False, "1": True, "0": False, "1.0": True, "0.0": False}
    return words.get(str(cell).strip().lower())


def _formula(cell: Any) -> str | None:
    text = "" if cell is None else str(cell).strip()
    return None if text.lower() in NO_FORMULA else text


def _noise(cell: Any) -> float | None:
    """A share of the outputs; other numbers, such as decibels, are no noise that we know."""
    try:
        noise = float(cell)
    except (TypeError, ValueError):
        return None
    return noise if 0 <= noise < 1 else None


def _column(names: Iterable[str], known: Iterable[str]) -> str | None:
    # Backwards, so that of titles which differ in case only the first counts.
    lower = {name.lower(): name for name in reversed(list(names))}
    return next((lower[name] for name in known if name in lower), None)


def read_json(path: str, text: str, given: Mapping[str, str] | None) -> tuple[str, list[ResultRow]]:
    """Whose results a JSON file holds, one object, a list, or one on each line; and its rows."""
    documents = _documents(path, text)
    first = documents[0][1]
    if "eval_results" in first:
        rows = [row for line, one in documents for row in _llm_srbench_rows(path, line, one)]
        return "LLM-SRBench's lines", rows
    if first.get("type") == "SR_results" or "top_models" in first:
        results = [result for _, one in documents for result in one.get("results", [one])]
        return "SRToolkit's results", [row for one in results for row in _srtoolkit_rows(path, one)]
    if {"sample_order", "function", "score"} <= first.keys():
        return "LLM-SR's samples", [_llm_sr_row(path, line, one) for line, one in documents]
    documents = [row for line, one in documents for row in _unnested(line, one)]
    names = list(dict.fromkeys(name for _, one in documents for name in one))
    roles = find_roles(path, names, given)
    kind = "SRBench's JSON" if roles["formula"] == "symbolic_model" else "a list of results"
    return kind, [row_of(path, line, one, roles) for line, one in documents]


def _documents(path: str, text: str) -> list[tuple[int, Mapping[str, Any]]]:
    """The objects of a JSON file, a list of them, or one on each line."""
    try:
        whole = json.loads(text)
        listed = list(enumerate(whole if isinstance(whole, list) else [whole], 1))
    except (json.JSONDecodeError, RecursionError) as one_document:
        listed = []
        for line, part in enumerate(text.splitlines(), 1):
            try:
                listed += [(line, json.loads(part))] if part.strip() else []
            except (json.JSONDecodeError, RecursionError) as error:
                # If not even the first line is JSON, this is one document, broken elsewhere.
                problem = one_document if line == 1 else error
                where = getattr(problem, "lineno", 1) if line == 1 else line
                raise DataError(
                    f"{path}: line {where} is no JSON ({getattr(problem, 'msg', problem)}); the "
                    "file may be cut off"
                ) from None
    if not listed or not all(isinstance(one, Mapping) for _, one in listed):
        raise DataError(f"{path}: a result file holds objects with names, not bare values")
    return listed


def _unnested(line: int, document: Mapping[str, Any]) -> list[tuple[int, Mapping[str, Any]]]:
    """An object, or the objects of the one list in it: ``{"generation": 3, "models": [...]}``."""
    lists = {
        name: cells
        for name, cells in document.items()
        if isinstance(cells, list) and cells and all(isinstance(one, Mapping) for one in cells)
    }
    if len(lists) != 1 or set(map(str.lower, document)) & set(ROLES["formula"]):
        return [(line, document)]
    name, inner = next(iter(lists.items()))
    shared = {key: cell for key, cell in document.items() if key != name}
    return [(place, {**shared, **one}) for place, one in enumerate(inner, 1)]


def _llm_srbench_rows(path: str, line: int, document: Mapping[str, Any]) -> Iterator[ResultRow]:
    shared = {name: cell for name, cell in document.items() if name != "eval_results"}
    # A problem without results is a row, too, one without a formula.
    for place, result in enumerate(document["eval_results"] or [{}], 1):
        columns = {**shared, "result": place, **_flattened(result)}
        program = columns.pop("discovered_program", None)
        row = row_of(path, line, columns, {
            "formula": "discovered_equation", "truth": "gt_equation", "problem": "equation_id",
        })  # fmt: skip
        # LLM-SR finds functions of Python, and its log has no other formula. They are read, and
        # never run; their constants are not in the log.
        if program and not row.formula:
            row = replace(row, formula=str(program), dialect="python")
        yield row


def _llm_sr_row(path: str, line: int, sample: Mapping[str, Any]) -> ResultRow:
    """A function of Python with free parameters, of which the log has no values."""
    row = row_of(path, line, sample, {"formula": "function"}, "python")
    return row if "return" in str(row.formula) else replace(row, formula=None)


def _srtoolkit_rows(path: str, result: Mapping[str, Any]) -> Iterator[ResultRow]:
    shared = {
        name: result.get(name)
        for name in ("dataset_name", "approach_name", "min_error", "success", "num_evaluated")
    }
    models = result.get("top_models") or [{"error": result.get("min_error")}]
    for place, model in enumerate(models, 1):
        parameters = model.get("parameters")
        yield ResultRow(
            path, place, model.get("expr"),
            problem=str(result.get("dataset_name") or ""),
            values=None if parameters is None else tuple(map(float, _flat(parameters))),
            accepted=bool(result.get("success")) if place == 1 else None,
            dialect="tokens",
            columns={**shared, "rank": place, "error": model.get("error"),
                     "expr": "".join(map(str, model.get("expr") or []))},
        )  # fmt: skip


def _flattened(result: Mapping[str, Any]) -> dict[str, Any]:
    """Nested numbers by joined names: ``id_metrics.nmse``."""
    flat: dict[str, Any] = {}
    for name, cell in result.items():
        if isinstance(cell, Mapping):
            flat |= {f"{name}.{inner}": value for inner, value in cell.items()}
        else:
            flat[name] = cell
    return flat


def _flat(cells: Any) -> list[Any]:
    """Numbers of a list, whatever its nesting; SRToolkit writes arrays as objects with a list."""
    if isinstance(cells, Mapping):
        cells = next((value for value in cells.values() if isinstance(value, list)), [])
    return [one for cell in cells for one in (_flat(cell) if isinstance(cell, list) else [cell])]

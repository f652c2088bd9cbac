"""Reads the result files of benchmarks and tools, each told by what is in it.

SRBench's tables and JSON files, LLM-SRBench's lines of JSON, SRToolkit's ``exp_{seed}.json``, the
folder of a run of PySR, and plain tables with a column of formulas.
"""

from __future__ import annotations

import csv
import json
import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from symbed._text_files import read_text
from symbed.errors import DataError
from symbed.formula_files.table_rows import BYTE_ORDER_MARK, EXPRESSION_COLUMNS, is_hall_of_fame
from symbed.scoring.result_files.result_row import ResultFile, ResultRow

TRUTH_COLUMNS = ("true_model", "truth", "true_equation", "gt_equation", "ground_truth")
PROBLEM_COLUMNS = ("dataset", "problem", "equation_id", "dataset_name", "name")
VERDICT_COLUMNS = ("symbolic_solution", "solved", "success", "is_solution")
NOISE_COLUMNS = ("target_noise", "noise")
FORMULA_COLUMNS = ("symbolic_model", "discovered_equation", *EXPRESSION_COLUMNS)
# What SRBench's own script takes together for its column symbolic_solution.
SRBENCH_CHECKS = (
    "symbolic_error_is_zero", "symbolic_error_is_constant", "symbolic_fraction_is_constant",
)  # fmt: skip
NO_FORMULA = frozenset({"", "nan", "none", "not implemented"})
HALLS_OF_FAME = ("hall_of_fame.csv", "hall_of_fame.csv.bak", "hall_of_fame.csv.bkup")


def read_result_file(path: str | os.PathLike[str]) -> ResultFile:
    """The rows of a result file or of a run's folder.

    Parameters
    ----------
    path : path
        A ``.csv``, ``.tsv``, ``.json``, ``.jsonl`` file, or a folder of PySR.

    Raises
    ------
    DataError
        The file is of no known kind; the message says what it has.
    """
    place = Path(path)
    if place.is_dir():
        return _read_folder(place)
    text = read_text(place).removeprefix(BYTE_ORDER_MARK)
    if not text.strip():
        raise DataError(f"{place}: the file is empty")
    if text.lstrip()[0] in "{[":
        return _read_json(str(place), text)
    return _read_table(str(place), text)


def _read_table(path: str, text: str) -> ResultFile:
    header = text.lstrip().split("\n", 1)[0]
    separator = max(",\t;", key=header.count)
    reader = csv.DictReader(text.lstrip("\r\n").splitlines(keepends=True), delimiter=separator)
    try:
        rows = [(reader.line_num, row) for row in reader]
    except csv.Error as error:
        raise DataError(f"{path}: line {reader.line_num} cannot be read: {error}") from None
    names = [name.strip() for name in reader.fieldnames or []]
    if is_hall_of_fame(names):
        kind = "PySR's hall of fame"
    else:
        kind = "SRBench's columns" if "symbolic_model" in names else "a table"
    formula = _column(names, FORMULA_COLUMNS)
    if formula is None:
        raise DataError(
            f"{path}: no column of formulas; one of {', '.join(FORMULA_COLUMNS)} is needed, "
            f"it has {', '.join(names) or 'none'}"
        )
    if not rows:
        raise DataError(f"{path}: the table has no rows")
    dialect = "pysr" if is_hall_of_fame(names) else "auto"
    return ResultFile(
        path, kind, tuple(_table_row(path, line, cells, formula, dialect) for line, cells in rows)
    )


def _table_row(
    path: str, line: int, cells: Mapping[Any, Any], formula: str, dialect: str
) -> ResultRow:
    columns = {name.strip(): cell for name, cell in cells.items() if isinstance(name, str)}
    return ResultRow(
        path, line, _formula(columns.get(formula)),
        problem=str(_first(columns, PROBLEM_COLUMNS) or ""),
        truth=_text(_first(columns, TRUTH_COLUMNS)),
        noise=_number(_first(columns, NOISE_COLUMNS)),
        accepted=_accepted(columns),
        dialect=dialect,
        columns=columns,
    )  # fmt: skip


def _read_json(path: str, text: str) -> ResultFile:
    documents = _documents(path, text)
    first = documents[0][1] if documents else {}
    if "eval_results" in first:
        rows = [row for line, one in documents for row in _llm_srbench_rows(path, line, one)]
        return ResultFile(path, "LLM-SRBench's lines", _not_none(path, rows))
    if first.get("type") == "SR_results" or "top_models" in first:
        results = [result for _, one in documents for result in one.get("results", [one])]
        rows = [row for result in results for row in _srtoolkit_rows(path, result)]
        return ResultFile(path, "SRToolkit's results", _not_none(path, rows))
    formula = _column(list(first), FORMULA_COLUMNS)
    if formula is None:
        raise DataError(
            f"{path}: no results that are known: SRBench's have 'symbolic_model', LLM-SRBench's "
            f"'eval_results', SRToolkit's 'results'; it has {', '.join(list(first)[:12]) or 'none'}"
        )
    kind = "SRBench's JSON" if formula == "symbolic_model" else "a list of results"
    rows = [_table_row(path, line, one, formula, "auto") for line, one in documents]
    return ResultFile(path, kind, _not_none(path, rows))


def _documents(path: str, text: str) -> list[tuple[int, Mapping[str, Any]]]:
    """The objects of a JSON file, a list of them, or one on each line."""
    try:
        whole = json.loads(text)
        listed = list(enumerate(whole if isinstance(whole, list) else [whole], 1))
    except json.JSONDecodeError as one_document:
        listed = []
        for line, part in enumerate(text.splitlines(), 1):
            try:
                listed += [(line, json.loads(part))] if part.strip() else []
            except json.JSONDecodeError as error:
                problem = one_document if line == 1 else error
                raise DataError(
                    f"{path}: line {line if line > 1 else one_document.lineno} is no JSON "
                    f"({problem.msg}); the file may be cut off"
                ) from None
    if not listed or not all(isinstance(one, Mapping) for _, one in listed):
        raise DataError(f"{path}: a result file holds objects with names, not bare values")
    return listed


def _llm_srbench_rows(path: str, line: int, document: Mapping[str, Any]) -> Iterable[ResultRow]:
    shared = {name: cell for name, cell in document.items() if name != "eval_results"}
    results = document["eval_results"] or [{}]
    for place, result in enumerate(results, 1):
        columns = {**shared, "result": place, **_flattened(result)}
        columns.pop("discovered_program", None)  # a program of Python, which nobody runs here
        yield ResultRow(
            path, line, _formula(result.get("discovered_equation")),
            problem=str(document.get("equation_id", "")),
            truth=_text(document.get("gt_equation")),
            columns=columns,
        )  # fmt: skip


def _srtoolkit_rows(path: str, result: Mapping[str, Any]) -> Iterable[ResultRow]:
    shared = {
        name: result.get(name)
        for name in ("dataset_name", "approach_name", "min_error", "success", "num_evaluated")
    }
    models = result.get("top_models") or []
    if not models:
        models = [{"expr": None, "error": result.get("min_error"), "parameters": None}]
    for place, model in enumerate(models, 1):
        parameters = model.get("parameters")
        is_best = place == 1
        yield ResultRow(
            path, place, model.get("expr"),
            problem=str(result.get("dataset_name") or ""),
            values=None if parameters is None else tuple(map(float, _flat(parameters))),
            accepted=bool(result.get("success")) if is_best else None,
            dialect="tokens",
            columns={**shared, "rank": place, "error": model.get("error"),
                     "expr": "".join(map(str, model.get("expr") or []))},
        )  # fmt: skip


def hall_of_fame(folder: str | os.PathLike[str]) -> Path:
    """The one table of a run of PySR.

    Raises
    ------
    DataError
        There is none in the folder, or more than one.
    """
    halls = _all_halls(Path(folder))
    if len(halls) > 1:
        raise DataError(
            f"{folder}: {len(halls)} runs or outputs; give one table, such as {halls[0]}"
        )
    return halls[0]


def _all_halls(folder: Path) -> list[Path]:
    """The tables of a run, or of the runs in a folder."""
    halls = _halls_of_fame(folder) or [
        hall for run in sorted(folder.iterdir()) if run.is_dir() for hall in _halls_of_fame(run)
    ]
    if not halls:
        raise DataError(f"{folder}: the folder has no hall_of_fame.csv, which a run of PySR writes")
    return halls


def _read_folder(folder: Path) -> ResultFile:
    """A run of PySR, or a folder of such runs."""
    halls = _all_halls(folder)
    parts = [read_result_file(hall) for hall in halls]
    return ResultFile(str(folder), "PySR's run", tuple(row for part in parts for row in part.rows))


def _halls_of_fame(folder: Path) -> list[Path]:
    """The tables of a run: one, or one for each output; the copy where the table is missing."""
    for name in HALLS_OF_FAME:
        if (folder / name).is_file():
            return [folder / name]
    return sorted(folder.glob("hall_of_fame_output*.csv"))


def _accepted(columns: Mapping[str, Any]) -> bool | None:
    given = _truth_value(_first(columns, VERDICT_COLUMNS))
    if given is not None:
        return given
    checks = [_truth_value(columns.get(name)) for name in SRBENCH_CHECKS]
    return any(checks) if any(check is not None for check in checks) else None


def _truth_value(cell: Any) -> bool | None:
    words = {"true": True, "false": False, "1": True, "0": False, "1.0": True, "0.0": False}
    return words.get(str(cell).strip().lower())


def _formula(cell: Any) -> str | None:
    text = "" if cell is None else str(cell).strip()
    return None if text.lower() in NO_FORMULA else text


def _text(cell: Any) -> str | None:
    return str(cell).strip() or None if cell is not None else None


def _number(cell: Any) -> float | None:
    try:
        return float(cell)
    except (TypeError, ValueError):
        return None


def _column(names: Iterable[str], known: Iterable[str]) -> str | None:
    lower = {name.lower(): name for name in reversed(list(names))}
    return next((lower[name] for name in known if name in lower), None)


def _first(columns: Mapping[str, Any], known: Iterable[str]) -> Any:
    name = _column(columns, known)
    return None if name is None else columns[name]


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


def _not_none(path: str, rows: list[ResultRow]) -> tuple[ResultRow, ...]:
    if not rows:
        raise DataError(f"{path}: the file has no results")
    return tuple(rows)

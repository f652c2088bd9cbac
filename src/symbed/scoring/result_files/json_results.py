"""Result files in JSON: SRBench's, LLM-SRBench's, LLM-SR's, SRToolkit's, and lists of objects."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from symbed.errors import DataError
from symbed.scoring.result_files.result_row import ROLES, ResultRow, find_roles, row_of


def read_json(path: str, text: str, given: Mapping[str, str] | None) -> tuple[str, list[ResultRow]]:
    """Whose results a JSON file holds, and its rows.

    Parameters
    ----------
    path : str
        The file.
    text : str
        Its text: one object, a list of them, or one on each line.
    given : mapping of str to str, optional
        Columns that the user named, by role.

    Raises
    ------
    DataError
        It is no JSON, or holds no results.
    """
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
        yield (
            row
            if row.formula or not program
            else replace(row, formula=str(program), dialect="python")
        )


def _llm_sr_row(path: str, line: int, sample: Mapping[str, Any]) -> ResultRow:
    """A function of Python with free parameters, of which the log has no values."""
    row = row_of(path, line, sample, {"formula": "function"}, "python")
    return row if "return" in str(row.formula) else replace(row, formula=None)


def _srtoolkit_rows(path: str, result: Mapping[str, Any]) -> Iterator[ResultRow]:
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

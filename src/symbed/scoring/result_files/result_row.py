"""One row of a result file: a found formula, its problem, and what the file says of it.

A file's columns have roles (which is the formula, which the truth ...), found by their names: those
that benchmarks and papers use stand in one table, and for others the user says so.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from symbed.errors import DataError, RangeError
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
    is_problem: Mapping[str, bool] | None = None,
) -> dict[str, str]:
    """Which column of a table has which role.

    Parameters
    ----------
    path : str
        The file, for messages.
    names : sequence of str
        Its columns.
    given : mapping of str to str, optional
        Columns that the user named, by role.
    is_problem : mapping of str to bool, optional
        Which columns hold nothing but names of problems that ship: some tables call that column
        ``equation``.

    Raises
    ------
    DataError
        There is no column of formulas, or none of a given name.
    """
    roles = {}
    problems = [name for name in names if (is_problem or {}).get(name)]
    for role, known in ROLES.items():
        if given and role in given:
            if given[role] not in names:
                raise DataError(
                    f"{path}: there is no column {given[role]!r}; it has {', '.join(names)}"
                )
            roles[role] = given[role]
            continue
        column = _column([one for one in names if one not in problems], known)
        if column is not None:
            roles[role] = column
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


def checked_roles(given: Mapping[str, str] | None) -> Mapping[str, str] | None:
    """Columns by role, as a user gave them.

    Raises
    ------
    RangeError
        A role that there is not.
    """
    for role in given or ():
        if role not in ROLES:
            raise RangeError(f"a column is one of {', '.join(ROLES)}, got {role!r}")
    return given


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
        noise=_number(cell("noise")),
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


def _number(cell: Any) -> float | None:
    try:
        return float(cell)
    except (TypeError, ValueError):
        return None


def _column(names: Iterable[str], known: Iterable[str]) -> str | None:
    # Backwards, so that of titles which differ in case only the first counts.
    lower = {name.lower(): name for name in reversed(list(names))}
    return next((lower[name] for name in known if name in lower), None)

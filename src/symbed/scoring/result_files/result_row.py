"""One row of a result file: a found formula, its problem, and what the file says of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


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

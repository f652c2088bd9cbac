"""Formula files: the text of a hall of fame or of a plain list goes in, its formulas come out."""

from __future__ import annotations

import csv
import math
from dataclasses import dataclass
from io import StringIO

from symbed.cli.inputs import EXPRESSION_COLUMNS
from symbed.errors import DataError
from symbed.language.dialects.translator import is_hall_of_fame


@dataclass(frozen=True)
class Listed:
    """One formula of a file, with what the file tells about it."""

    line: int
    text: str
    complexity: float | None = None
    loss: float | None = None


def read_formulas(text: str) -> list[Listed]:
    r"""The formulas of a file: a table with an equation column, or one formula on each line.

    >>> read_formulas("Complexity,Loss,Equation\n1,0.5,x0\n3,0.1,x0 + 1.5\n")[1]
    Listed(line=3, text='x0 + 1.5', complexity=3.0, loss=0.1)
    >>> [row.text for row in read_formulas("# mine\na*x + b\n\nsin(x)")]
    ['a*x + b', 'sin(x)']
    """
    text = text.removeprefix("\N{BYTE ORDER MARK}")
    separator, _ = _header(text)
    return _some(_table(text, separator) if separator else _lines(text))


def is_from_pysr(text: str) -> bool:
    r"""Whether the text is a table with PySR's columns.

    >>> is_from_pysr("Complexity,Loss,Equation\n1,0.5,x0\n"), is_from_pysr("x0\n")
    (True, False)
    """
    return is_hall_of_fame(_header(text.removeprefix("\N{BYTE ORDER MARK}"))[1])


def _header(text: str) -> tuple[str, list[str]]:
    """The separator and the columns of a table; nothing if the text is none."""
    header = next((line for line in text.splitlines() if line.strip()), "")
    for separator in (",", "\t", ";"):
        columns = [word.strip().strip('"').lower() for word in header.split(separator)]
        if set(columns) & set(EXPRESSION_COLUMNS) and (len(columns) > 1 or separator == ","):
            return separator, columns
    return "", []


def _some(found: list[Listed]) -> list[Listed]:
    if not found:
        raise DataError("the file has no formulas; write one on each line, or a hall_of_fame.csv")
    return found


def _lines(text: str) -> list[Listed]:
    lines = ((number, line.strip()) for number, line in enumerate(text.splitlines(), 1))
    return [Listed(number, line) for number, line in lines if line and not line.startswith("#")]


def _table(text: str, separator: str) -> list[Listed]:
    reader = csv.reader(StringIO(text.lstrip()), delimiter=separator)
    try:
        columns = [word.strip().lower() for word in next(reader)]
        place = next(columns.index(name) for name in EXPRESSION_COLUMNS if name in columns)
        return [
            Listed(reader.line_num, row[place].strip(), *_figures(columns, row))
            for row in reader
            if len(row) > place and row[place].strip()
        ]
    except csv.Error as error:
        raise DataError(f"line {reader.line_num} of the table cannot be read: {error}") from None


def _figures(columns: list[str], row: list[str]) -> tuple[float | None, float | None]:
    complexity, loss = (_number(columns, row, name) for name in ("complexity", "loss"))
    return complexity, loss


def _number(columns: list[str], row: list[str], name: str) -> float | None:
    try:
        value = float(row[columns.index(name)])
    except (ValueError, IndexError):
        return None
    return value if math.isfinite(value) else None

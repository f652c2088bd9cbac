"""Spreadsheets: formulas as Excel and its like read them, with one cell for each variable."""

from __future__ import annotations

import re

from symbed.language.dialects.tool_table import Style, Tool
from symbed.language.notation.printers import number


def cell(column: int) -> str:
    """The cell of a column in the first row.

    >>> cell(0), cell(25), cell(26), cell(702)
    ('A1', 'Z1', 'AA1', 'AAA1')
    """
    letters = ""
    column += 1
    while column:
        column, letter = divmod(column - 1, 26)
        letters = chr(ord("A") + letter) + letters
    return letters + "1"


def _number(value: float) -> str:
    return number(value).replace("e", "E")


EXCEL = Tool(
    name="excel",
    title="Excel",
    base=0,
    log="base 10",
    protected={},
    constants="15 digits",
    words={},
    spelled=cell,
    taken=re.compile("[A-Za-z]{1,3}[0-9]+|[CRcr]"),
    parameters="C_{}",
    reads=False,
    style=Style(head="=", number=_number),
)

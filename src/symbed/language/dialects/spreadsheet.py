"""Spreadsheets: formulas as Excel and its like read them, with one cell for each variable."""

from __future__ import annotations

import re

from symbed.language.dialects.notation import Style
from symbed.language.dialects.tool import Tool
from symbed.language.dialects.vocabulary import words
from symbed.language.printers import Pieces, number

# Written with the operand twice where there is no function; a formula that grows too large is
# refused like any other.
SPECIAL: dict[str, Pieces] = {
    "cbrt": ("(SIGN(", 0, ")*ABS(", 0, ")^(1/3))"),
    "^-1": ("(1/(", 0, "))"),
    "log2": ("LOG(", 0, ",2)"),
    "sech": ("(1/COSH(", 0, "))"),
    "min": ("MIN(", 0, ",", 1, ")"),
    "max": ("MAX(", 0, ",", 1, ")"),
    "pdiv": ("IF(ABS(", 1, ")<=0.001,1,(", 0, ")/(", 1, "))"),
    "plog": ("IF(ABS(", 0, ")<=0.001,0,LN(ABS(", 0, ")))"),
    "pinv": ("IF(ABS(", 0, ")<=0.001,0,1/(", 0, "))"),
    "cond": ("IF((", 0, ")>0,", 1, ",0)"),
    "pi": ("PI()",),
    "e": ("EXP(1)",),
}


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
    words=words(
        "",
        SIN="sin",
        COS="cos",
        TAN="tan",
        ASIN="asin",
        ACOS="acos",
        ATAN="atan",
        SINH="sinh",
        COSH="cosh",
        TANH="tanh",
        SQRT="sqrt",
        EXP="exp",
        LN="ln",
        LOG10="log10",
        ABS="abs",
        SIGN="sign",
        INT="floor",
    ),
    spelled=cell,
    taken=re.compile("[A-Za-z]{1,3}[0-9]+|[CRcr]"),
    parameters="C_{}",
    reads=False,
    style=Style(head="=", special=SPECIAL, number=_number),
)

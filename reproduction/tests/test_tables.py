from __future__ import annotations

import csv
import io
import math

import numpy as np
import pytest

from symbed.errors import ShapeError
from symbed_reproduction import Table


def test_csv_keeps_nine_digits_and_markdown_rounds() -> None:
    table = Table("t", "Title", ("name", "value"), (("a", 1 / 3), ("b", 2)))
    assert table.csv() == "name,value\na,0.333333333\nb,2\n"
    assert table.markdown().splitlines()[2:] == ["| a | 0.333 |", "| b | 2 |"]


def test_decimals_may_differ_by_column() -> None:
    table = Table("t", "", ("x", "y", "z"), ((0.25, 0.25, 0.25),), decimals={"x": 1, "y": 2})
    assert table.markdown().splitlines()[2] == "| 0.2 | 0.25 | 0.250 |"


def test_what_csv_must_quote_comes_back() -> None:
    row = ("a,b", 'say "x"', "two\nlines", "x|y")
    table = Table("t", "", ("1", "2", "3", "4"), (row,))
    assert list(csv.reader(io.StringIO(table.csv())))[1] == list(row)
    assert table.markdown().splitlines()[2] == r'| a,b | say "x" | two lines | x\|y |'


def test_missing_infinite_and_tiny_numbers_can_be_told_apart() -> None:
    cells = (None, math.inf, math.nan, 0.0, -0.0, 1e-12, -1e-7, 1e30, np.float64(1.5))
    table = Table("t", "", tuple("abcdefghi"), (cells,), decimals=2)
    shown = [cell.strip() for cell in table.markdown().splitlines()[2].strip("|").split("|")]
    assert shown == ["", "inf", "nan", "0.00", "0.00", "1.0e-12", "-1.0e-07", "1.0e+30", "1.50"]


def test_stars_of_formulas_are_no_emphasis_in_markdown() -> None:
    table = Table("t", "", ("C*x",), (("2*C_0*x and `a*b`",), ("**bold**",)))
    assert table.markdown().splitlines() == [
        r"| C\*x |", "|---|", r"| 2\*C_0\*x and `a*b` |", "| **bold** |",
    ]  # fmt: skip
    assert "2*C_0*x" in table.csv()


def test_a_row_of_the_wrong_length_is_refused() -> None:
    with pytest.raises(ShapeError, match="'t' has 2 columns, got the row"):
        Table("t", "", ("a", "b"), ((1, 2), (3,)))

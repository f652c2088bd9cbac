"""A data file on the page: its columns, their ranges, and rows to draw."""

from __future__ import annotations

import base64
from typing import Any

import numpy as np
import pytest

from symbed.limits import PAGE_ROWS
from symbed.web.data_view import MAX_DRAWN, read_table
from symbed.web.json_fields import BadRequest, Fields


def table(text: str) -> dict[str, Any]:
    return read_table(Fields({"text": text}))


def test_columns_come_with_their_ranges_and_values() -> None:
    shown = table("\ufefft;y\n0;1\n2;-3\n1;0.5\n")
    assert [(column["name"], column["range"]) for column in shown["columns"]] == [
        ("t", [0.0, 2.0]), ("y", [-3.0, 1.0]),
    ]  # fmt: skip
    values = np.frombuffer(base64.b64decode(shown["columns"][1]["values"]), "<f4")
    assert values.tolist() == [1.0, -3.0, 0.5]
    assert (shown["n_rows"], shown["n_dropped"]) == (3, 0)


def test_rows_with_gaps_are_left_out_and_counted() -> None:
    shown = table("t,y\n0,1\n1,\n2,nan\n3,4\n")
    assert (shown["n_rows"], shown["n_dropped"]) == (2, 2)


def test_of_many_rows_some_are_drawn_and_all_are_counted() -> None:
    shown = table("t,y\n" + "\n".join(f"{k},{k}" for k in range(3 * MAX_DRAWN)))
    assert (shown["n_rows"], shown["n_drawn"]) == (3 * MAX_DRAWN, MAX_DRAWN)
    assert shown["columns"][0]["range"] == [0.0, 3 * MAX_DRAWN - 1.0]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "header"),
        ("1,2\n3,4\n", "header"),
        ("t,y\n1,two\n", "needs numbers, got 'two' in row 2, column y"),
        ("t,t\n1,2\n", "a name of its own"),
        ("t,y\n1,2,3\n", "2 columns in its header and 3 in row 2"),
        ("t,y\n" + "1,2\n" * (PAGE_ROWS.maximum + 1), "over the limit"),
    ],
)
def test_what_is_no_table_of_numbers_is_told_in_words(text: str, words: str) -> None:
    assert words in table(text)["problem"]


def test_a_table_is_a_text() -> None:
    with pytest.raises(BadRequest):
        read_table(Fields({"text": 3}))

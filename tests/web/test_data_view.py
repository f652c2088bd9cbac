"""A data file on the page: its columns, their ranges, and rows to draw."""

from __future__ import annotations

import base64
from typing import Any

import numpy as np
import pytest

import symbed
from symbed.errors import DataError
from symbed.limits import PAGE_ROWS
from symbed.web._collection import OpenCollections
from symbed.web._collection_view import MapRequest, chart, equals
from symbed.web._json_fields import BadRequest, Fields
from symbed.web._open_files import MAX_DRAWN, OpenTables, show_table
from symbed.workbench import errors_on


def table(text: str) -> dict[str, Any]:
    return show_table(Fields({"text": text}), OpenTables())


def test_columns_come_with_their_ranges_and_values() -> None:
    shown = table("\ufefft;y\n0;1\n2;-3\n1;0.5\n")
    assert [(column["name"], column["range"]) for column in shown["columns"]] == [
        ("t", [0.0, 2.0]), ("y", [-3.0, 1.0]),
    ]  # fmt: skip
    values = np.frombuffer(base64.b64decode(shown["columns"][1]["values"]), "<f8")
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
        ("t,y\n1,\n,2\n", "all of its 2 rows have a gap"),
        ("t,y\n" + "1,2\n" * (PAGE_ROWS.maximum + 1), "over the limit"),
    ],
)
def test_what_is_no_table_of_numbers_is_told_in_words(text: str, words: str) -> None:
    assert words in table(text)["problem"]["message"]


def test_without_parameters_the_error_on_data_is_the_root_mean_squared_one() -> None:
    tables = OpenTables()
    text = "t,y\n" + "\n".join(f"{k / 4},{k / 2 + k % 3}" for k in range(40))
    data = tables.get(show_table(Fields({"text": text}), tables)["key"]).data
    atlas = symbed.survey(["2*t", "t^2", "ln(t - 1)"], symbed.Probe({"t": (0, 5)}))
    t, y = data.X.T
    wanted = [np.sqrt(np.mean((2 * t - y) ** 2)), np.sqrt(np.mean((t**2 - y) ** 2)), np.inf]
    assert errors_on(data, "y", atlas).tolist() == pytest.approx(wanted, rel=1e-12)
    with pytest.raises(DataError, match="no column 'z'"):
        errors_on(data, "z", atlas)
    other = symbed.survey(["x"], symbed.Probe({"x": (0, 5)}))
    with pytest.raises(DataError, match="no column 'x'; their columns are t, y"):
        errors_on(data, "y", other)


def test_the_front_goes_by_the_error_on_data() -> None:
    opened, tables = OpenCollections(), OpenTables()
    text = "t,y\n" + "\n".join(f"{k / 4},{k / 2}" for k in range(1, 40))
    data = show_table(Fields({"text": text}), tables)["key"]
    shown = chart(MapRequest.of(Fields({"text": "t\n2*t\n2*t + 0.1"})), opened)
    question = {"key": shown["key"], "data": data, "target": "y"}
    answer = equals(Fields(question), opened, tables)
    assert answer["front"] == [0, 1]
    losses = np.frombuffer(base64.b64decode(answer["loss"]), "<f8")
    assert losses[1:].tolist() == pytest.approx([0, 0.1], abs=1e-6)
    lost = equals(Fields(question | {"data": "nobody"}), opened, tables)
    assert "open the file again" in lost["problem"]["message"]


def test_the_oldest_table_is_forgotten() -> None:
    tables = OpenTables()
    keys = [
        show_table(Fields({"text": "t,y\n1,2"}), tables)["key"]
        for _ in range(OpenTables.most_uploads + 1)
    ]
    tables.get(keys[-1])
    with pytest.raises(DataError, match="no longer kept"):
        tables.get(keys[0])


def test_a_table_that_is_shown_again_stays_where_it_was() -> None:
    tables = OpenTables()
    first, second = (show_table(Fields({"text": "t,y\n1,2"}), tables)["key"] for _ in range(2))
    for _ in range(OpenTables.most_uploads):
        assert show_table(Fields({"key": first}), tables)["key"] == first
    tables.get(second)


def test_a_table_is_a_text() -> None:
    with pytest.raises(BadRequest):
        show_table(Fields({"text": 3}), OpenTables())

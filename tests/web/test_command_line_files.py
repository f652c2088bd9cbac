"""Files of the command line: told apart, said once, and read again when they were written again."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import symbed
from symbed.cli import main
from symbed.errors import DataError
from symbed.web import server as serving
from symbed.web._collection import OpenCollections
from symbed.web._collection_view import MapRequest, chart
from symbed.web._json_fields import Fields
from symbed.web._open_files import OpenTables, show_table
from symbed.web.server import CommandLineFiles
from tests.web.live import running
from tests.web.reader import Reader, until

DATA = "t,y\n" + "\n".join(f"{k / 10},{2 - k / 50}" for k in range(81)) + "\n"
FILES = {
    "decay.csv": (DATA, "data"),
    "gaps.tsv": ("t\ty\n1\t2\n\t3\n", "data"),
    "blanks.dat": ("t  y\n1  2\n3  4\n", "data"),
    "hall_of_fame.csv": ("complexity,loss,equation\n1,0.5,x0\n", "formulas"),
    "numbers.csv": ("complexity,loss,equation\n1,0.5,2.5\n", "formulas"),
    "scores.csv": ("Expression,score\n3,1\n", "formulas"),
    "formulas.txt": ("a*x + b\nsin(x)\n", "formulas"),
    "one_column.txt": ("x\n1\n2\n", "formulas"),
    "calls.txt": ("add(X0, X1)\nmul(X0, X1)\n", "formulas"),
}


@pytest.mark.parametrize("name", FILES)
def test_data_and_formulas_are_told_apart(name: str, tmp_path: Path) -> None:
    text, kind = FILES[name]
    (tmp_path / name).write_text(text)
    files = CommandLineFiles.open([str(tmp_path / name)])
    assert (len(files.tables), len(files.collections)) == ((1, 0) if kind == "data" else (0, 1))
    (told,) = files.told()
    assert told.startswith(f"{name}: ")
    assert kind in told


def test_what_each_was_taken_for_is_said(tmp_path: Path) -> None:
    (tmp_path / "gaps.csv").write_text("a,b,c,d,e,f,g\n1,2,3,4,5,6,7\n1,2,3,4,5,6,\n")
    np.save(tmp_path / "table.npy", np.ones((3, 2)))
    symbed.survey(["x"], symbed.Probe({"x": (0, 1)}), out=tmp_path / "my.atlas")
    (tmp_path / "one.txt").write_text("x\n1\n2\n")
    paths = [str(tmp_path / name) for name in ("gaps.csv", "table.npy", "my.atlas")]
    files = CommandLineFiles.open(paths, [str(tmp_path / "one.txt")])
    assert list(files.told()) == [
        "my.atlas: an atlas of 1 formulas",
        "gaps.csv: data, 1 rows of a, b, c, d, e, f, ..., 1 with gaps left out",
        "table.npy: data, 3 rows of X_0, X_1",
        "one.txt: data, 2 rows of x",
    ]


def test_a_file_that_is_said_to_be_data_and_is_not_is_told_by_name(tmp_path: Path) -> None:
    (tmp_path / "run.csv").write_text("complexity,loss,equation\n1,0.5,x0\n")
    with pytest.raises(DataError, match=r"run\.csv needs numbers, got 'x0'"):
        CommandLineFiles.open((), [str(tmp_path / "run.csv")])


def test_the_command_says_it_before_the_page_is_served(
    tmp_path: Path, capsys: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "decay.csv").write_text(DATA)

    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(serving, "bind", interrupted)
    with pytest.raises(KeyboardInterrupt):
        serving.explore(paths=[str(tmp_path / "decay.csv")], browser=False)
    assert "decay.csv: data, 81 rows of t, y" in capsys.readouterr().err
    assert main(["explore", "--no-browser", "--data", str(tmp_path / "none.csv")]) == 1
    assert "none.csv" in capsys.readouterr().err


def rewritten(path: Path, text: str) -> None:
    path.write_text(text)
    os.utime(path, ns=(1, path.stat().st_mtime_ns + 1_000_000_000))


def test_what_a_search_wrote_since_is_read(tmp_path: Path) -> None:
    path, table = tmp_path / "hall_of_fame.csv", tmp_path / "decay.csv"
    path.write_text("complexity,loss,equation\n1,0.5,x0\n")
    table.write_text(DATA)
    files = CommandLineFiles.open([str(path), str(table)])
    opened, tables = OpenCollections(files.collections), OpenTables(files.tables)
    question = Fields({"key": opened.offered[0]["key"]})
    asked = Fields({"key": tables.offered[0]["key"]})
    assert chart(MapRequest.of(question), opened)["texts"] == ["x0"]
    assert show_table(asked, tables)["n_rows"] == 81
    rewritten(path, "complexity,loss,equation\n1,0.5,x0\n3,0.1,x0 + 1\n")
    rewritten(table, DATA + "9,1\n")
    assert chart(MapRequest.of(question), opened)["texts"] == ["x0", "x0 + 1"]
    assert show_table(asked, tables)["n_rows"] == 82
    path.unlink()
    table.unlink()
    assert chart(MapRequest.of(question), opened)["texts"] == ["x0", "x0 + 1"]
    assert show_table(asked, tables)["n_rows"] == 82


def test_data_of_the_command_line_are_drawn_and_set_the_ranges(
    browser: Any, tmp_path: Path
) -> None:
    (tmp_path / "decay.csv").write_text(DATA)
    files = CommandLineFiles.open([str(tmp_path / "decay.csv")])
    with running(tables=files.tables) as explorer:
        reader = Reader(browser, explorer)
        page = reader.enter("#tab=compare")
        until(page, "document.getElementById('data-told').textContent.includes('81 rows')")
        assert page.input_value("#formula-0") == "a*exp(-b*t)"
        until(page, "document.getElementById('ranges-high-t')?.value === '8'")
        page.fill("#ranges-high-t", "4")
        until(page, "location.hash.includes('range.t=0%3A4')")
        page.reload()
        until(page, "document.getElementById('data-told').textContent.includes('81 rows')")
        assert page.input_value("#ranges-high-t") == "4"  # what a link says comes first
        page.click("#opened-data button")
        until(page, "document.getElementById('ranges-high-t')?.value === '8'")
        assert reader.wrong == []
        reader.context.close()

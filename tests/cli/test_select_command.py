from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import pytest

from symbed.cli import main

RANGES = ["--domain", "x0=1:3"]


@pytest.fixture
def hall(tmp_path: Path) -> str:
    path = tmp_path / "hall_of_fame.csv"
    path.write_text(
        "Complexity,Loss,Equation\n1,0.5,x0\n3,0.1,square(x0) + 1.5\n5,0.11,x0*x0 + 1.5\n"
        "7,0.3,exp(x0) - 0.2*x0\n9,0.31,exp(x0)\n"
    )
    return str(path)


def test_the_selected_are_printed_with_losses_and_distances(capsys, hall: str) -> None:
    assert main(["select", hall, "-k", "3", *RANGES]) == 0
    out = capsys.readouterr().out.splitlines()
    assert "best" in out[1]
    assert "square(x0) + 1.5" in out[1]
    assert out[-1].startswith("3 selected of 5 candidates")


def test_json_csv_and_a_picture(capsys, hall: str, tmp_path: Path) -> None:
    picture = tmp_path / "map.png"
    assert main(["select", hall, "-k", "9", *RANGES, "--json", "--plot", str(picture)]) == 0
    said = capsys.readouterr()
    document = json.loads(said.out)
    assert len(document["selected"]) == 4
    assert "no more than 4 candidates differ" in said.err
    assert picture.stat().st_size > 1000
    assert main(["select", hall, "-k", "9", "--within", "0.4", *RANGES, "--csv"]) == 0
    rows = list(csv.DictReader(io.StringIO(capsys.readouterr().out)))
    assert [float(row["loss"]) for row in rows] == [0.1, 0.31, 0.3]


def test_forms_are_compared_whatever_their_constants(capsys, hall: str) -> None:
    words = ["--metric", "form", "--constants", "lift", "--parameters", "0.2:5"]
    assert main(["select", hall, *words, *RANGES, "--json"]) == 0
    rows = json.loads(capsys.readouterr().out)["selected"]
    assert sorted(row["index"] for row in rows) == [0, 1, 3, 4]


def test_wrong_input_is_one_line(capsys, hall: str, tmp_path: Path) -> None:
    plain = tmp_path / "plain.txt"
    plain.write_text("x0\n")
    for words, said in [
        (["select", hall, "--loss", "rmse", *RANGES], "--loss takes one of complexity, loss"),
        (["select", str(plain), *RANGES], "a table with losses"),
        (["select", hall, "--within", "0.01", *RANGES], "the lowest is 0.1"),
        (["select", hall, "--json", "--csv", *RANGES], "not both"),
        (["select", hall, "--metric", "form", "--plot", "m.png", *RANGES], "leave out"),
    ]:
        assert main(words) == 1
        err = capsys.readouterr().err
        assert err.removeprefix("symbed: read as pysr\n").count("\n") == 1
        assert said in err

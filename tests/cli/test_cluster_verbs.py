from __future__ import annotations

import json
from pathlib import Path

import pytest

from symbed.cli import main

RANGES = ["--domain", "x=1:5", "--parameters", "1:5"]


@pytest.fixture
def formulas(tmp_path: Path) -> str:
    path = tmp_path / "formulas.txt"
    path.write_text("C*x\nsin(x)\nx*C + 0.01\nsin(x) + 0.02\nC*x^2\n")
    return str(path)


def test_clusters_are_printed_around_their_medoids(capsys, formulas: str) -> None:
    assert main(["cluster", formulas, "-n", "3", *RANGES]) == 0
    out = capsys.readouterr().out
    assert out.startswith("Clusters(5 expressions in 3 clusters)")
    assert "sin(x) + 0.02" in out


def test_json_has_labels_and_members(capsys, formulas: str, tmp_path: Path) -> None:
    picture = tmp_path / "map.png"
    words = ["cluster", formulas, "--threshold", "0.1", *RANGES, "--json", "--plot", str(picture)]
    assert main(words) == 0
    document = json.loads(capsys.readouterr().out)
    assert document["labels"] == [0, 1, 0, 1, 2]
    assert document["clusters"][1]["members"] == ["sin(x)", "sin(x) + 0.02"]
    assert picture.stat().st_size > 1000


def test_infinite_distances_are_one_line_with_a_remedy(capsys, tmp_path: Path) -> None:
    path = tmp_path / "formulas.txt"
    path.write_text("x\nlog(x - 2)\nx^2\n")
    words = ["--method", "average", "--metric", "wasserstein"]
    assert main(["cluster", str(path), "-n", "2", *RANGES, *words]) == 1
    err = capsys.readouterr().err
    assert err.count("\n") == 1
    assert "--metric relative" in err
    assert main(["cluster", str(path), "-n", "2", *RANGES]) == 0
    cemetery = ["--metric", "wasserstein", "--undefined", "cemetery", "--penalty", "50"]
    assert main(["cluster", str(path), "-n", "2", *RANGES, *cemetery]) == 0


def test_a_number_and_a_method_are_chosen_and_told(capsys, formulas: str) -> None:
    assert main(["cluster", formulas, *RANGES]) == 0
    assert "--metric relative -n 2 --method medoids" in capsys.readouterr().err
    assert main(["cluster", formulas, "-n", "2", "--threshold", "1", *RANGES]) == 1
    assert "-n or --threshold" in capsys.readouterr().err


def test_a_row_of_the_table_names_its_line(capsys, formulas: str) -> None:
    assert main(["cluster", formulas, *RANGES, "-n", "2", "--csv"]) == 0
    header, first, *_ = capsys.readouterr().out.splitlines()
    assert header == "label,cluster,is_medoid,line"
    assert first.endswith(",1")

"""``--plot FILE``: the result is printed as ever, and a picture is written."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import numpy as np
import pytest

from symbed.cli import main

pytest.importorskip("matplotlib")

PROBE = ["--domain", "x=-1:3", "--parameters", "1:5", "--points", "16", "--draws", "8"]


@pytest.fixture
def formulas(tmp_path: Path) -> str:
    path = tmp_path / "formulas.txt"
    path.write_text("C*x\nx*C\nln(x)\nx^2\n")
    return str(path)


@pytest.fixture
def hall(tmp_path: Path) -> str:
    path = tmp_path / "hall.csv"
    path.write_text("Complexity,Loss,Equation\n1,2.0,x\n3,1.0,x * 2.5\n3,1.0,2.5 * x\n")
    return str(path)


def test_distance_draws_its_four_panels(tmp_path: Path, capsys) -> None:
    picture = tmp_path / "d.png"
    assert main(["distance", "C*x", "C*ln(x)", *PROBE, "--json", "--plot", str(picture)]) == 0
    printed = capsys.readouterr()
    assert json.loads(printed.out)["distance"] == "inf"
    assert printed.err == f"picture written to {picture}\n"
    assert picture.read_bytes().startswith(b"\x89PNG")


def test_distance_can_look_along_another_variable(tmp_path: Path) -> None:
    words = ["distance", "C*x*y", "y", "--domain", "x=1:3,y=0:1", "--parameters", "1:5"]
    assert main([*words, "--plot", str(tmp_path / "y.svg"), "--along", "y"]) == 0
    assert main([*words, "--plot", str(tmp_path / "z.svg"), "--along", "z"]) == 1


@pytest.mark.parametrize(
    "command", [["matrix", "FILE"], ["nearest", "FILE", "C*x", "-k", "3"], ["duplicates", "FILE"]],
    ids=lambda command: command[0],
)  # fmt: skip
def test_commands_on_files_draw(command: list[str], formulas: str, tmp_path: Path) -> None:
    words = [formulas if word == "FILE" else word for word in command]
    assert main([*words, *PROBE, "--plot", str(tmp_path / "p.pdf")]) == 0
    assert (tmp_path / "p.pdf").read_bytes().startswith(b"%PDF")


def test_duplicates_of_a_hall_of_fame_draw_its_front(hall: str, tmp_path: Path) -> None:
    picture = tmp_path / "front.svg"
    assert main(["duplicates", hall, *PROBE, "--plot", str(picture)]) == 0
    assert picture.read_text().count("<use") > 5


def test_duplicates_draw_their_groups_where_there_is_no_loss(formulas: str, tmp_path: Path) -> None:
    picture = tmp_path / "groups.svg"
    assert main(["duplicates", formulas, *PROBE, "--plot", str(picture)]) == 0
    drawn = picture.read_text()
    assert "4 expressions, 3 behaviors" in drawn
    assert "expressions in the group" in drawn
    assert "C*x" in drawn


def test_a_front_needs_a_loss_and_not_the_name_loss(formulas: str, tmp_path: Path) -> None:
    run, picture = tmp_path / "run.csv", tmp_path / "front.svg"
    run.write_text("equation,rmse,complexity\nx,2.0,1\nx*2.5,1.0,3\n2.5*x,1.0,3\n")
    for words in ([], ["--prefer", "complexity"], ["--prefer", "shortest"]):
        assert main(["duplicates", str(run), *PROBE, *words, "--plot", str(picture)]) == 0
        assert "3 formulas, 2 behaviors" in picture.read_text()


def test_fit_draws_data_and_curve(tmp_path: Path) -> None:
    data = tmp_path / "data.csv"
    x = np.linspace(0, 1, 9)
    data.write_text("x,y\n" + "".join(f"{a},{2 * a + 1}\n" for a in x))
    picture = tmp_path / "fit.png"
    assert main(["fit", "a*x + b", str(data), "--plot", str(picture)]) == 0
    assert picture.exists()


def test_another_ending_is_wrong_usage(capsys) -> None:
    with pytest.raises(SystemExit) as caught:
        main(["distance", "x", "x", *PROBE, "--plot", "a.bmp"])
    assert caught.value.code == 2
    assert "must end in .png, .svg, .pdf" in capsys.readouterr().err


def test_without_matplotlib_the_result_is_still_printed(monkeypatch, tmp_path, capsys) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    assert main(["distance", "x", "2*x", *PROBE, "--plot", str(tmp_path / "a.png")]) == 1
    printed = capsys.readouterr()
    assert printed.out.startswith("distance")
    assert "pip install 'symbed[plot]'" in printed.err


def test_without_scipy_the_heatmap_keeps_the_order_of_the_file(
    formulas: str, monkeypatch, tmp_path: Path
) -> None:
    monkeypatch.setitem(sys.modules, "scipy.cluster", None)
    monkeypatch.setitem(sys.modules, "scipy", None)
    assert main(["matrix", formulas, *PROBE, "--plot", str(tmp_path / "m.png")]) == 0

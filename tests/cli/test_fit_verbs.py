from __future__ import annotations

import json
from pathlib import Path

import pytest

from symbed.cli import main
from symbed.workbench import fit


@pytest.fixture
def data(tmp_path: Path) -> str:
    path = tmp_path / "data.csv"
    rows = [f"{x},{x * x},{3 * x - 1}" for x in range(1, 9)]
    path.write_text("x,z,y\n" + "\n".join(rows) + "\n")
    return str(path)


def run(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str, str]:
    code = main(["fit", *words])
    captured = capsys.readouterr()
    return code, captured.out, captured.err


def test_it_prints_values_and_errors(capsys, data: str) -> None:
    code, out, err = run(capsys, "C*x + C", data)
    assert (code, err) == (0, "")
    shown = dict(line.split(maxsplit=1) for line in out.splitlines())
    value, _, error = shown["C[0]"].split()
    assert float(value) == pytest.approx(3)
    assert float(error) < 1e-9
    assert float(shown["C[1]"].split()[0]) == pytest.approx(-1)
    assert shown["rows"] == "8"
    assert {"rmse", "mae", "r2", "fitted"} <= set(shown)


def test_json_is_one_document_with_the_numbers_of_the_library(capsys, data: str) -> None:
    words = ["a*sin(b*x)", data, "--target", "z", "--starts", "3", "--seed", "5", "--json"]
    code, out, err = run(capsys, *words)
    document = json.loads(out)
    found = fit("a*sin(b*x)", data, "z", n_starts=3, seed=5)
    assert (code, err) == (0, "")
    assert document["values"] == dict(found.values)
    assert (document["rmse"], document["mae"]) == (found.rmse, found.mae)
    assert document["variables"] == ["x", "y"]
    assert document["converged"] is found.converged
    assert document["fitted"] == str(found.expression)


def test_the_target_is_the_last_column_or_the_one_named_or_numbered(capsys, data: str) -> None:
    _, last, _ = run(capsys, "C*x + C", data, "--json")
    _, named, _ = run(capsys, "C*x + C", data, "--json", "--target", "y")
    _, numbered, _ = run(capsys, "C*x + C", data, "--json", "--target", "2")
    _, other, _ = run(capsys, "C*x + C", data, "--json", "--target", "z")
    assert last == named == numbered
    assert other != last


def test_bounds_hold_for_all_or_for_one(capsys, data: str) -> None:
    _, out, _ = run(capsys, "a*x + b", data, "--bounds", "-2:2", "--json")
    assert all(-2 <= value <= 2 for value in json.loads(out)["values"].values())
    _, out, _ = run(capsys, "a*x + b", data, "--bounds", "a=0:2.5,b=-9:inf", "--json")
    assert json.loads(out)["values"]["a"] == 2.5


def test_undefined_outputs_are_said(capsys, data: str) -> None:
    code, out, _ = run(capsys, "a*ln(-x)", data)
    assert code == 0
    assert "no start has outputs at every row" in out
    _, out, _ = run(capsys, "a*ln(-x)", data, "--json")
    assert json.loads(out)["rmse"] == "inf"


def test_a_descent_that_was_cut_off_is_said(capsys, data: str) -> None:
    _, out, _ = run(capsys, "a*sin(b*x)", data, "--iterations", "1", "--starts", "1")
    assert "did not come to rest" in out


@pytest.mark.parametrize(
    ("words", "parts"),
    [
        (["C*x", "nothing.csv"], ["nothing.csv"]),
        (["C*x", "text.csv"], ["'two'", "column x"]),
        (["a*x + b", "short.csv"], ["2 free parameters", "1 rows"]),
        (["C*x", "short.csv", "--target", "q"], ["'q'", "x, y"]),
        (["C*x", "short.csv", "--bounds", "5"], ["low:high", "'5'"]),
        (["C*x", "short.csv", "--bounds", "1:2,3:4"], ["one range"]),
        (["C*x", "short.csv", "--bounds", "a=1:2,3:4"], ["name=low:high"]),
        (["C*x", "short.csv", "--bounds", "2:1"], ["low <= high"]),
        (["C*x", "lone.csv"], ["no column beside the target"]),
        (["C*sn(x)", "short.csv"], ["unknown function 'sn'"]),
    ],
)
def test_a_users_error_is_one_line(
    words: list[str], parts: list[str], capsys, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("text.csv").write_text("x,y\n1,2\ntwo,3\n")
    Path("short.csv").write_text("x,y\n1,2\n")
    Path("lone.csv").write_text("x\n1\n2\n")
    code, out, err = run(capsys, *words)
    assert (code, out) == (1, "")
    assert err.startswith("symbed: ")
    assert err.count("\n") == 1
    for part in parts:
        assert part in err

"""``--dialect`` and ``--constants`` on the commands that read files: other tools' files as they are."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from symbed.cli import main

GPLEARN = "# a run\nadd(mul(X0, X1), X2)\nadd(X2, mul(X1, X0))\ndiv(X0, X1)\n"
OPERON = "((0.5 * X1) + (X2 ^ 2))\n((X2 ^ 2) + (0.7 * X1))\nsquare(X2)\n"
PYSR = 'Complexity,Loss,Equation\n3,0.5,"greater(x0, x1)"\n3,0.4,"x0 > x1"\n4,0.3,"x0 * 1.5"\n'
CUBE = ["--domain", "x0=1:5,x1=1:5,x2=1:5"]


@pytest.fixture
def file(tmp_path: Path):
    def write(text: str, name: str = "formulas.txt") -> str:
        path = tmp_path / name
        path.write_text(text)
        return str(path)

    return write


def run(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str, str]:
    code = main(list(words))
    captured = capsys.readouterr()
    return code, captured.out, captured.err


@pytest.mark.parametrize("option", ["--dialect", "--from"])
def test_duplicates_of_a_gplearn_file(capsys, file, option: str) -> None:
    code, out, err = run(capsys, "duplicates", file(GPLEARN), *CUBE, option, "gplearn", "--all")
    assert (code, err) == (0, "")
    assert out.splitlines()[0] == "x0*x1 + x2"
    assert "pdiv(x0, x1)" in out
    assert out.splitlines()[-1] == "3 expressions, 2 that differ, 1 duplicates"


def test_auto_names_its_guess(capsys, file) -> None:
    code, _, err = run(capsys, "duplicates", file(GPLEARN), *CUBE, "--dialect", "auto")
    assert (code, err) == (0, "symbed: read as gplearn\n")


def test_forms_are_compared_with_lifted_constants(capsys, file) -> None:
    words = ["duplicates", file(OPERON), *CUBE, "--dialect", "operon", "--json"]
    kept = json.loads(run(capsys, *words)[1])
    lifted = json.loads(run(capsys, *words, "--constants", "lift", "--parameters", "1:5")[1])
    assert (kept["n_duplicates"], lifted["n_duplicates"]) == (0, 1)
    assert lifted["groups"][0]["label"] == "C*x0 + x1^2"


def test_a_hall_of_fame_is_read_as_pysr_writes(capsys, file) -> None:
    path = file(PYSR, "hall_of_fame.csv")
    code, out, _ = run(capsys, "duplicates", path, *CUBE)
    assert code == 0
    assert out.splitlines()[-1] == "3 expressions, 2 that differ, 1 duplicates"
    assert run(capsys, "convert", path)[1].splitlines()[0] == "x0 > x1"


def test_every_command_that_reads_a_file_takes_the_dialect(capsys, file, tmp_path: Path) -> None:
    path, atlas = file(OPERON), str(tmp_path / "my.atlas")
    dialect = [*CUBE, "--dialect", "operon"]
    assert "0.5*x0 + x1^2" in run(capsys, "matrix", path, *dialect)[1]
    assert "0.5*x0 + x1^2" in run(capsys, "cluster", path, *dialect, "-n2")[1]
    assert "square" not in run(capsys, "nearest", path, "x1^2", *dialect, "-k1")[1]
    assert run(capsys, "survey", path, "-o", atlas, *dialect)[0] == 0
    assert run(capsys, "survey", path, "-o", atlas, "--append", "--dialect", "operon")[0] == 0
    assert run(capsys, "nearest", atlas, "x1^2", "-k2")[1].split()[2] == "x1^2"


def test_columns_can_be_named(capsys, file) -> None:
    words = ["--dialect", "operon", "--variables", "mass,speed", "--domain", "mass=1:2,speed=1:2"]
    assert "0.5*mass + speed^2" in run(capsys, "duplicates", file(OPERON), *words, "--all")[1]


def test_a_line_that_cannot_be_read_is_told_or_skipped(capsys, file) -> None:
    path = file(GPLEARN + "foo(X0)\nadd(X0, 0.125)\n")
    code, out, err = run(capsys, "duplicates", path, *CUBE, "--dialect", "gplearn")
    assert (code, out) == (1, "")
    assert "symbed: line 5: unknown function 'foo' at column 1" in err
    words = [path, *CUBE, "--dialect", "gplearn", "--skip", "--json"]
    code, out, err = run(capsys, "duplicates", *words)
    assert code == 0
    assert [row["line"] for row in json.loads(out)["skipped"]] == [5]
    assert "three decimals" in err


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--dialect", "gpleam"], "got 'gpleam'"),
        (["--dialect", "excel"], "can be written, not read"),
    ],
)
def test_a_dialect_that_cannot_be_is_one_line(capsys, file, words: list[str], said: str) -> None:
    code, out, err = run(capsys, "duplicates", file(GPLEARN), *CUBE, *words)
    assert (code, out) == (1, "")
    assert said in err
    assert err.count("\n") == 1


def test_an_atlas_has_its_language_already(capsys, file, tmp_path: Path) -> None:
    atlas = str(tmp_path / "my.atlas")
    run(capsys, "survey", file("x0\n"), "-o", atlas, *CUBE)
    code, _, err = run(capsys, "duplicates", atlas, "--dialect", "pysr")
    assert code == 1
    assert "were read when it was made" in err

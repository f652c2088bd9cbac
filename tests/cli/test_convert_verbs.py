"""``symbed convert``: formulas of one tool in the words of another."""

from __future__ import annotations

import io
import json

import pytest

from symbed.cli import main


def run(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str, str]:
    code = main(words)
    captured = capsys.readouterr()
    return code, captured.out, captured.err


def test_one_formula_is_converted(capsys) -> None:
    words = ("convert", "square(x0) - 1.5", "--from", "pysr", "--to", "operon")
    assert run(capsys, *words) == (0, "X1^2 - 1.5\n", "")


def test_the_guess_is_named_on_stderr(capsys) -> None:
    code, out, err = run(capsys, "convert", "add(X0, X1)", "--to", "latex")
    assert (code, out) == (0, "x_{0} + x_{1}\n")
    assert err == "symbed: read as gplearn\n"


def test_two_readings_end_in_an_error(capsys) -> None:
    code, out, err = run(capsys, "convert", "x1 + 1")
    assert (code, out) == (1, "")
    assert "one counts variables from 0, the other from 1" in err


def test_a_hall_of_fame_is_read(capsys, tmp_path) -> None:
    file = tmp_path / "hall_of_fame.csv"
    file.write_text('Complexity,Loss,Equation\n1,0.5,"x1"\n4,0.1,"cond(x0, 2.5) * x1"\n')
    code, out, err = run(capsys, "convert", str(file), "--constants", "lift")
    assert (code, out) == (0, "x1\ncond(x0, C)*x1\n")
    assert "read as pysr" in err


def test_standard_input_is_read_and_comments_are_passed_over(capsys, monkeypatch) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO("# of a run\nx1 + x2\n\ncos(x4)\n"))
    code, out, _ = run(capsys, "convert", "--from", "srjl", "--to", "pysr")
    assert (code, out) == (0, "x0 + x1\ncos(x3)\n")


def test_json_tells_names_and_notes(capsys) -> None:
    words = ("convert", "mul(0.500, X1)", "--from", "gplearn", "--to", "excel", "--json")
    code, out, err = run(capsys, *words)
    document = json.loads(out)
    assert (code, err, document["from"], document["to"]) == (0, "", "gplearn", "excel")
    (row,) = document["formulas"]
    assert (row["text"], row["infix"], row["variables"]) == ("=0.5*B1", "0.5*x1", ["x1"])
    assert "three decimals" in row["notes"][0]


def test_variables_name_the_columns(capsys) -> None:
    words = ("convert", "x1*x2", "--from", "srjl", "--variables", "mass, speed")
    assert run(capsys, *words) == (0, "mass*speed\n", "")


def test_the_dialects_are_listed(capsys) -> None:
    _, out, _ = run(capsys, "convert", "--dialects")
    assert "gplearn: variables from 0, log protected" in out
    _, out, _ = run(capsys, "convert", "--dialects", "--json")
    assert {row["name"] for row in json.loads(out)["dialects"]} >= {"pysr", "latex", "excel"}


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("x0/x1", "--from", "pysr", "--to", "gplearn"), "its div is protected"),
        (("x0", "--to", "nobody"), "dialect must be one of"),
        (("x0", "--constants", "drop"), "constants must be 'keep' or 'lift'"),
    ],
)
def test_an_error_is_one_line(capsys, words, message: str) -> None:
    code, out, err = run(capsys, "convert", *words)
    assert (code, out) == (1, "")
    assert message in err

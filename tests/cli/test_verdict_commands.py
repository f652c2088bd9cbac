"""``symbed decide``, ``relate`` and ``effective`` print what the verbs of that name say."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import symbed
from symbed.cli import main

pytest.importorskip("flint")


def run(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str, str]:
    code = main(list(words))
    captured = capsys.readouterr()
    return code, captured.out, captured.err


def test_decide_prints_the_verdict_with_its_witness(capsys) -> None:
    words = ("decide", "ln(x^2)", "2*ln(x)", "--domain", "x=-5:5")
    code, out, err = run(capsys, *words, "--json")
    assert (code, err) == (0, "")
    assert json.loads(out) == symbed.decide("ln(x^2)", "2*ln(x)", {"x": (-5, 5)}).to_dict()
    assert "different" in run(capsys, *words)[1]


def test_decide_takes_two_columns_of_a_table(capsys, tmp_path: Path) -> None:
    table = tmp_path / "pairs.csv"
    table.write_text("name,truth,answer\na,x + x,2*x\nb,x,x + 1\n")
    words = ["decide", str(table), "--domain", "x=1:5", "--workers", "1"]
    code, out, _ = run(capsys, *words, "--columns", "truth,answer")
    assert code == 0
    assert [line.split()[0] for line in out.splitlines()] == ["equal", "different"]
    code, out, err = run(capsys, *words, "--columns", "truth,nobody")
    assert (code, out) == (1, "")
    assert "it has name, truth, answer" in err


def test_relate_prints_the_relation(capsys) -> None:
    code, out, _ = run(capsys, "relate", "a*exp(b + x)", "C*exp(x)", "--domain", "x=0:5", "--json")
    assert code == 0
    assert json.loads(out)["relation"] == "same"
    positive = ["--parameters", "0:inf", "--json"]
    _, out, _ = run(capsys, "relate", "C*x", "C^2*x", "--domain", "x=1:5", *positive)
    assert json.loads(out)["relation"] == "same"


def test_relate_takes_a_file_of_formulas(capsys, tmp_path: Path) -> None:
    path = tmp_path / "formulas.txt"
    path.write_text("# mine\nb*x\na*x + b\n")
    code, out, _ = run(capsys, "relate", "C*x", str(path), "--domain", "x=1:5")
    assert code == 0
    assert [line.split()[0] for line in out.splitlines()] == ["same", "e_in_f"]


def test_effective_prints_what_acts_together(capsys) -> None:
    words = ("effective", "a*b*x + c", "--domain", "x=0:5")
    code, out, _ = run(capsys, *words)
    assert (code, out.split()[0]) == (0, "2")
    document = json.loads(run(capsys, *words, "--json")[1])
    assert (document["rank"], document["redundant"]) == (2, [["a", "b"]])


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["decide", "x", "x"], "add --domain x=1:5"),
        (["decide", "a*x", "x", "--domain", "x=1:5"], "free parameter"),
        (["relate", "a*x", "b*x", "--domain", "x=1"], "--domain x needs low:high"),
        (["effective", "a*sn(x)", "--domain", "x=1:5"], "unknown function 'sn'"),
    ],
)
def test_a_users_error_is_one_line(capsys, words: list[str], message: str) -> None:
    code, out, err = run(capsys, *words)
    assert (code, out, err.count("\n")) == (1, "", 1)
    assert message in err


def test_errors_speak_of_flags(capsys) -> None:
    _, _, err = run(capsys, "decide", "C*x", "x", "--domain", "x=1:5")
    assert "symbed relate judges families, or add --domain C=low:high" in err
    _, _, err = run(capsys, "relate", "C*y", "C*x", "--domain", "x=1:5")
    assert "--parameters y=low:high" in err


def test_redundant_parameters_are_told_beside_the_document(capsys, tmp_path: Path) -> None:
    words = ("distance", "a*b*x", "C*x", "--domain", "x=1:5", "--parameters", "1:5", "--json")
    code, out, err = run(capsys, *words)
    assert (code, json.loads(out)["redundant"]) == (0, [[["a", "b"]], []])
    assert err == "symbed: a and b of E act only together; symbed effective says through what\n"
    data = tmp_path / "data.csv"
    data.write_text("x,y\n1,2\n2,4\n3,6\n")
    code, out, err = run(capsys, "fit", "a*b*x", str(data), "--target", "y", "--json")
    assert (code, json.loads(out)["redundant"]) == (0, [["a", "b"]])
    assert "act only together" in err


@pytest.mark.parametrize("separator", [",", ";", "\t"])
def test_a_table_of_pairs_may_have_any_separator_and_tells_its_lines(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, separator: str
) -> None:
    path = tmp_path / "pairs.csv"
    path.write_text(f"e{separator}f\nx{separator}x\nx{separator}x + 1\n")
    assert main(["decide", str(path), "--domain", "x=0:1", "--csv"]) == 0
    rows = [line.split(",")[:4] for line in capsys.readouterr().out.split("\n")[1:3]]
    assert rows == [["2", "x", "x", "equal"], ["3", "x", "x + 1", "different"]]

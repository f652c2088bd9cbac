"""``symbed score`` prints what ``score`` and ``judge_results`` say."""

from __future__ import annotations

import csv
import json
import sys
from io import StringIO
from pathlib import Path

import pytest

import symbed
from symbed.cli import main

pytest.importorskip("flint")

FOUND = "-3e-6 + 1.9988*cos(2.501*t)*exp(-0.2998*t)"
TRUTH = "A*exp(-g*t)*cos(w*t)"
WORDS = ("--truth", TRUTH, "--domain", "t=0:8")


def run(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str, str]:
    code = main(["score", *words])
    captured = capsys.readouterr()
    return code, captured.out, captured.err


@pytest.fixture
def table(tmp_path: Path) -> str:
    path = tmp_path / "results.csv"
    path.write_text(
        "dataset,true_model,symbolic_model,symbolic_solution\n"
        "feynman_I_12_1,Nn*mu,1.0*mu*Nn,True\n"
        "feynman_I_12_1,Nn*mu,mu + Nn,True\n"
        "feynman_I_12_1,Nn*mu,mu +,False\n"
    )
    return str(path)


def test_a_formula_is_scored_with_its_spare_terms_named(capsys) -> None:
    code, out, err = run(capsys, FOUND, *WORDS)
    assert code == 0
    assert "yes          same" in out
    assert "-3e-6 left out" in out
    assert out.endswith("the true form was found (line 1)\n")
    assert "free parameters of the truth: A, g, w" in err


def test_json_is_the_dictionary_of_the_score(capsys) -> None:
    code, out, _ = run(capsys, FOUND, *WORDS, "--json")
    expected = symbed.score(FOUND, TRUTH, {"t": (0, 8)}).to_dict()
    document = json.loads(out)
    assert code == 0
    assert document["rows"][0]["dropped"] == expected["rows"][0]["dropped"]
    assert document["rows"][0]["function"] == "nan"


def test_runs_are_tables_of_tools_with_data_and_a_picture(capsys, tmp_path: Path) -> None:
    hall, data, picture = tmp_path / "hall_of_fame.csv", tmp_path / "d.csv", tmp_path / "p.png"
    hall.write_text("Complexity,Loss,Equation\n1,0.5,x0\n3,0.1,2.5 * x0\n5,bad,2.5 * \n")
    data.write_text("t,y\n" + "".join(f"{t},{2.5 * t}\n" for t in range(1, 9)))
    words = (str(tmp_path), "--truth", "a*t", "--data", str(data), "--csv")
    code, out, err = run(capsys, *words, "--plot", str(picture))
    rows = list(csv.DictReader(StringIO(out)))
    assert code == 0
    assert [row["right"] for row in rows] == ["True", "False"]
    assert float(rows[0]["data_error"]) < 1e-12
    assert "line 4 not read" in err
    assert picture.stat().st_size > 1000


def test_result_files_come_back_with_our_columns(capsys, table: str) -> None:
    code, out, err = run(capsys, table, "--csv", "--workers", "1")
    rows = list(csv.DictReader(StringIO(out)))
    assert code == 0
    assert [row["symbed_right"] for row in rows] == ["True", "False", "False"]
    assert [row["symbolic_solution"] for row in rows] == ["True", "True", "False"]
    assert "3 rows, read as SRBench's columns" in err


def test_result_files_are_summed_up_with_their_disagreements(capsys, table: str) -> None:
    code, out, _ = run(capsys, table, "--workers", "1")
    assert code == 0
    assert "3 rows, 1 with the true form" in out
    assert "we agree on 2 of 3 rows" in out
    assert "they accept, we reject: 1" in out
    assert "  line 3 feynman_I_12_1  mu + Nn" in out
    assert "not judged: 1" in out


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("nobody.csv",), "no such file"),
        (("2*x", *WORDS), "no formula of the run could be read"),
        (("2*t", "--truth", "A*x", "--domain", "t=0:8"), "looks like a variable"),
        (("2*t", "--truth", "A*t"), "a domain is needed"),
        (("2*t", *WORDS, "--values", "A"), "--values needs name=number"),
        (("2*t", *WORDS, "--noise", "7"), "noise must be a share"),
        (("a.csv", "b.csv"), "several runs must be files"),
    ],
)
def test_wrong_words_are_one_line(capsys, words: tuple[str, ...], message: str) -> None:
    code, out, err = run(capsys, *words)
    assert (code, out) == (1, "")
    assert message in err.splitlines()[-1]


def test_options_of_one_run_are_refused_for_result_files(capsys, table: str) -> None:
    code, _, err = run(capsys, table, "--data", "d.csv")
    assert code == 1
    assert "--data is for one run" in err


def test_an_interrupted_score_prints_what_is_finished(capsys, table: str, monkeypatch) -> None:
    from symbed.scoring.result_files import results_judging

    monkeypatch.setattr(results_judging, "_answers", _interrupted)
    code, out, err = run(capsys, table, "--csv", "--workers", "1")
    assert code == 130
    assert "1 of 3 rows judged" in err
    assert out.count("\n") == 0  # the row before the one that is finished is not


def _interrupted(*_: object) -> object:
    raise KeyboardInterrupt


def test_a_bloated_formula_names_few_of_its_spare_terms(capsys) -> None:
    spare = " + ".join(f"0.00000000{k}*t" for k in range(1, 7))
    assert main(["score", f"2*exp(-t) + {spare}", "--truth", "A*exp(-t)", "--domain", "t=0:8"]) == 0
    told = capsys.readouterr().out
    assert told.count("left out") == 3
    assert "3 more terms too; then it is 2*exp(-t)" in told


def test_one_run_of_another_shape_is_ranked_like_any(capsys, tmp_path: Path) -> None:
    path = tmp_path / "solution_data.txt"
    path.write_text("9.5 0.25 exp((x0))\n17.5 0.0 2.5*x0\n")
    code, out, err = run(capsys, str(path), "--truth", "a*x0", "--domain", "x0=1:2", "--csv")
    rows = list(csv.DictReader(StringIO(out)))
    assert code == 0
    assert [(row["line"], row["right"], row["complexity"]) for row in rows] == [
        ("2", "True", "17.5"), ("1", "False", "9.5"),
    ]  # fmt: skip
    assert "read as AI Feynman's solutions" in err


def test_the_truths_of_a_table_are_not_scored_as_its_findings(capsys, tmp_path: Path) -> None:
    path = tmp_path / "e2e.csv"
    path.write_text("formula,problem,predicted_tree\n2.5*t,one,(t add 1.5)\n")
    code, out, _ = run(capsys, str(path), "--truth", "a*t", "--domain", "t=1:2", "--csv")
    assert code == 0
    assert [row["right"] for row in csv.DictReader(StringIO(out))] == ["False"]


def test_columns_are_named_by_role(capsys, tmp_path: Path) -> None:
    path = tmp_path / "own.csv"
    path.write_text("task,best,other\nI.12.5,q2*Ef,q2 + Ef\n")
    for column, right in (("best", 1), ("other", 0)):
        code, out, _ = run(capsys, str(path), "--columns", f"formula={column}", "--workers", "1")
        assert code == 0
        assert out.startswith(f"1 row, {right} with the true form\n")
    for words, message in (
        (("--columns", "best"), "--columns needs role=name"),
        (("--columns", "model=best"), "a column is one of formula"),
        ((), "say which it is with --columns formula=NAME"),
    ):
        code, _, err = run(capsys, str(path), *words)
        assert code == 1
        assert message in err


def test_folders_and_many_files_are_told_together(capsys, tmp_path: Path) -> None:
    row = {"dataset": "feynman_I_12_1", "true_model": "Nn*mu", "symbolic_model": "x0*x1"}
    for number in range(7):
        (tmp_path / f"run_{number}.json").write_text(json.dumps(row))
    (tmp_path / "notes.json").write_text("{}")
    code, out, err = run(capsys, str(tmp_path), "--workers", "1")
    assert code == 0
    assert out.startswith("7 rows, 7 with the true form\n")
    assert "7 files, 7 rows, read as SRBench's JSON" in err
    assert "notes.json: left out: no column of formulas" in err


def test_rows_without_a_domain_say_what_to_give(capsys, tmp_path: Path) -> None:
    (tmp_path / "r.csv").write_text("problem,truth,formula\nmine,2*t,2.1*t\n")
    code, _, err = run(capsys, str(tmp_path / "r.csv"))
    assert code == 1
    assert "give --domain x=low:high" in err


def test_a_target_with_two_minus_signs_is_a_name_and_no_traceback(capsys, tmp_path: Path) -> None:
    (tmp_path / "d.csv").write_text("t,y\n1,2\n2,4\n3,6\n")
    data = ["--data", str(tmp_path / "d.csv")]
    code, _, err = run(capsys, "2*t", "--truth", "a*t", *data, "--target=--3")
    assert code == 1
    assert "has no column '--3'" in err


def test_a_narrow_terminal_folds_lines_and_a_pipe_does_not(capsys, table: str, monkeypatch) -> None:
    _, whole, _ = run(capsys, table, "--workers", "1")
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    monkeypatch.setenv("COLUMNS", "60")
    _, folded, _ = run(capsys, table, "--workers", "1")
    assert max(map(len, whole.splitlines())) > 80
    assert max(map(len, folded.splitlines())) <= 60
    assert " ".join(folded.split()) == " ".join(whole.split())
    _, ranked, _ = run(capsys, FOUND, *WORDS)
    assert max(map(len, ranked.splitlines())) <= 72

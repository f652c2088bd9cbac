from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import pytest

from symbed.cli import main

FILE = Path(__file__).parents[1] / "scoring" / "benchmark_methods.py"
RUN = ["--problems", "cooling,Nguyen-1", "--method", f"{FILE}:Truth", "--method", f"line={FILE}:Line",
       "--seeds", "1", "--seconds", "60", "--grace", "60"]  # fmt: skip


def test_run_then_report(capsys, tmp_path: Path) -> None:
    folder = str(tmp_path / "results")
    assert main(["benchmark", "run", folder, *RUN, "--option", "line.decimals=2"]) == 0
    out = capsys.readouterr().out.splitlines()
    assert out[0].split()[:2] == ["method", "form"]
    assert out[1].startswith("Truth   0.50")
    assert out[-1] == "4 runs"
    assert main(["benchmark", "report", folder, "-o", str(tmp_path / "page"), "--json"]) == 0
    said = capsys.readouterr()
    assert json.loads(said.out)["methods"] == ["Truth", "line"]
    assert "leaderboard.html" in said.err
    assert (tmp_path / "page" / "leaderboard.html").stat().st_size > 5000
    assert main(["benchmark", "report", folder, "--csv", "--again"]) == 0
    rows = list(csv.DictReader(io.StringIO(capsys.readouterr().out)))
    assert len(rows) == 4


def test_problems_are_listed(capsys) -> None:
    assert main(["benchmark", "problems", "--problems", "hidden"]) == 0
    assert "michaelis-menten" in capsys.readouterr().out
    assert main(["benchmark", "problems", "--problems", "nguyen:2", "--json"]) == 0
    assert len(json.loads(capsys.readouterr().out)["problems"]) == 2
    assert main(["benchmark", "problems", "--problems", "nguyen:2", "--csv"]) == 0
    assert capsys.readouterr().out.startswith("name,collection")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["run"], "a folder is needed"),
        (["run", "new"], "add --method"),
        (["run", "new", "--method", "gplern"], "there is no method 'gplern'"),
        (["run", "new", "--method", "nowhere.py:Mine"], "there is no file"),
        (["run", "new", "--method", f"{FILE}:Gone"], "has no class Gone"),
        (["run", "new", "--method", f"{FILE}:Line", "--problems", "coling"], "did you mean cooling"),
        (["run", "new", "--method", f"{FILE}:Line", "--noise", "much"], "--noise needs numbers"),
        (["run", "new", "--method", f"{FILE}:Line", "--memory", "lots"], "--memory needs a size"),
        (["run", "new", "--method", f"{FILE}:Line", "--option", "x"], "--option needs NAME.KEY=VALUE"),
        (["run", "new", "--method", f"{FILE}:Line", "--python", "b=c"], "there is no method 'b'"),
        (["run", "new", "--method", f"{FILE}:Line", "--python", "/no/python"], "is no Python"),
        (["run", "new", "--method", f"{FILE}:Line", "--again"], "--again goes with report"),
        (["report", "new"], "has no benchmark"),
        (["report", "new", "--json", "--csv"], "not both"),
        (["problems", "new"], "needs no folder"),
    ],
)  # fmt: skip
def test_wrong_input_is_one_line(capsys, tmp_path: Path, monkeypatch, words, said) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["benchmark", *words]) == 1
    err = capsys.readouterr().err
    assert err.count("\n") == 1
    assert said in err
    assert not Path("new").exists()


def test_a_size_has_a_unit() -> None:
    from symbed.cli.commands.benchmark import _megabytes

    assert [_megabytes(text) for text in ("500MB", "2GB", "1.5g", "300")] == [500, 2048, 1536, 300]

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from symbed.cli import main
from symbed_reproduction import EXPERIMENTS, Claim, Outcome, Table

OUTCOME = Outcome(
    (Table("sums", "Sums", ("n",), ((1,),)),),
    (Claim("sums grow", "yes", "no", "differs", "tables/sums.csv", "they shrink"),),
)


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, dict[str, Any]]]:
    """What the command asks of the library, which answers at once."""
    seen: list[tuple[str, dict[str, Any]]] = []

    def reproduce(name: str, out: str, **settings: Any) -> Outcome:
        seen.append((name, settings))
        return OUTCOME

    monkeypatch.setattr("symbed_reproduction.reproduce", reproduce)
    return seen


def test_all_runs_every_experiment_the_short_ones_first(asked, tmp_path, capsys) -> None:
    assert main(["reproduce", "all", "-o", str(tmp_path), "--no-figures"]) == 0
    names = [name for name, _ in asked]
    assert names == list(EXPERIMENTS)
    assert names == ["taylor", "figures", "limits", "clustering", "consistency", "smoothness"]


def test_claims_are_printed_with_verdict_and_reason(asked, tmp_path, capsys) -> None:
    assert main(["reproduce", "taylor", "-o", str(tmp_path), "--no-figures"]) == 0
    said = capsys.readouterr()
    assert "differs      sums grow" in said.out
    assert "paper: yes; here: no" in said.out
    assert "they shrink" in said.out
    assert said.err == f"taylor: tables and figures are in {tmp_path / 'taylor'}\n"


def test_json_is_one_document_and_nothing_else(asked, tmp_path, capsys) -> None:
    assert main(["reproduce", "all", "-o", str(tmp_path), "--no-figures", "--json"]) == 0
    said = capsys.readouterr()
    document = json.loads(said.out)
    assert said.err == ""
    assert document["scale"] == "small"
    first = document["experiments"][0]
    assert first["name"] == "taylor"
    assert first["report"] == str(tmp_path / "taylor" / "report.md")
    assert first["claims"][0]["verdict"] == "differs"
    assert first["figures"] == []


def test_options_reach_the_library(asked, tmp_path: Path) -> None:
    words = ["reproduce", "figures", "-o", str(tmp_path), "--no-figures", "--scale", "paper"]
    assert main([*words, "--workers", "3", "--json"]) == 0
    ((_, settings),) = asked
    assert settings == {"scale": "paper", "workers": 3, "executor": None, "progress": False}


def test_expressions_reach_the_experiment_that_takes_them(asked, tmp_path: Path) -> None:
    words = ["-o", str(tmp_path), "--no-figures", "--json"]
    assert main(["reproduce", "consistency", "--expressions", "sets", *words]) == 0
    ((_, settings),) = asked
    assert settings["expressions"] == "sets"


def test_of_all_experiments_only_consistency_gets_expressions(
    asked, tmp_path: Path, monkeypatch
) -> None:
    monkeypatch.setattr("symbed_reproduction.consistency.experiment.read_sets", lambda *_: {})
    words = ["-o", str(tmp_path), "--no-figures", "--json"]
    assert main(["reproduce", "all", "--expressions", "sets", *words]) == 0
    assert [name for name, settings in asked if "expressions" in settings] == ["consistency"]


def test_bad_expressions_end_all_before_it_begins(asked, tmp_path: Path, capsys) -> None:
    words = ["-o", str(tmp_path), "--no-figures", "--expressions", str(tmp_path / "sets")]
    assert main(["reproduce", "all", *words]) == 1
    said = capsys.readouterr()
    assert (asked, said.out) == ([], "")
    assert said.err.startswith(f"symbed: {tmp_path / 'sets' / 'expressions_1.txt'} is not there; ")
    assert said.err.count("\n") == 1


def test_expressions_for_an_experiment_without_any_are_one_line(tmp_path: Path, capsys) -> None:
    words = ["-o", str(tmp_path), "--no-figures", "--expressions", str(tmp_path)]
    assert main(["reproduce", "taylor", *words]) == 1
    message = "symbed: experiment 'taylor' takes no expressions; give them to consistency\n"
    assert capsys.readouterr().err == message


def test_a_real_run_writes_tables_and_figures(tmp_path: Path, capsys) -> None:
    assert main(["reproduce", "taylor", "-o", str(tmp_path), "--workers", "1", "--json"]) == 0
    said = capsys.readouterr()
    (document,) = json.loads(said.out)["experiments"]
    assert said.err == ""
    written = [*document["tables"], *document["figures"], document["report"]]
    assert len(document["figures"]) == 4
    assert all(Path(path).stat().st_size > 0 for path in written)


@pytest.mark.parametrize(
    ("words", "problem"),
    [
        (
            ["tailor"],
            r"argument name: invalid choice: 'tailor' \(choose from '?taylor'?, .*all'?\)",
        ),
        (
            ["taylor", "--scale", "huge"],
            r"argument --scale: invalid choice: 'huge' \(choose from '?small'?, '?paper'?\)",
        ),
        ([], "missing: name"),
    ],
)
def test_unknown_names_and_scales_are_wrong_usage(words: list[str], problem: str, capsys) -> None:
    with pytest.raises(SystemExit) as left:
        main(["reproduce", *words])
    assert left.value.code == 2
    said = capsys.readouterr()
    assert said.out == ""
    remedy = re.escape(" (symbed reproduce --help tells more)\n")
    assert re.fullmatch(f"symbed reproduce: {problem}{remedy}", said.err)


def test_a_folder_that_cannot_be_written_is_one_line(tmp_path: Path, capsys) -> None:
    (tmp_path / "results").write_text("a file")
    assert main(["reproduce", "taylor", "-o", str(tmp_path / "results"), "--no-figures"]) == 1
    said = capsys.readouterr()
    assert said.out == ""
    assert said.err.startswith("symbed: cannot write ")
    assert said.err.count("\n") == 1


def test_an_interruption_ends_without_a_traceback(tmp_path: Path, monkeypatch, capsys) -> None:
    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("symbed_reproduction.core.job_runner.compute", interrupt)
    words = ["reproduce", "taylor", "-o", str(tmp_path), "--workers", "1", "--no-figures"]
    assert main(words) == 130
    assert capsys.readouterr().err == "symbed: interrupted\n"


@pytest.mark.slow
def test_control_c_ends_all_processes_at_once_and_without_a_traceback(tmp_path: Path) -> None:
    words = ["reproduce", "limits", "--scale", "paper", "-o", str(tmp_path), "--workers", "2"]
    run = subprocess.Popen(
        [sys.executable, "-m", "symbed", *words],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True,
        env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)},
    )  # fmt: skip
    units = tmp_path / "limits" / "units" / "paper"
    while not list(units.glob("*.npz")):
        assert run.poll() is None
        time.sleep(0.02)
    os.killpg(run.pid, signal.SIGINT)
    out, err = run.communicate(timeout=60)
    assert (run.returncode, out, err) == (130, "", "symbed: interrupted\n")
    assert _is_empty(run.pid)


def _is_empty(group: int) -> bool:
    for _ in range(250):  # the kernel may need a moment to clear a group away
        try:
            os.killpg(group, 0)
        except ProcessLookupError:
            return True
        time.sleep(0.02)
    return False

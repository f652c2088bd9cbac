"""Whole benchmarks: run, resumed, judged again; and what their folders refuse."""

from __future__ import annotations

import errno
import json
import os
import re
import signal
import subprocess
import sys
import time
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import pytest

from symbed.errors import DataError, RangeError, StorageError
from symbed.scoring.benchmark import (
    Leaderboard,
    Limits,
    read_leaderboard,
    remove_runs,
    run_benchmark,
)
from symbed.scoring.benchmark.tasks import ResultFolder

FILE = Path(__file__).with_name("benchmark_methods.py")
LIMITS = Limits(seconds=60.0, grace=60.0)
PROBLEMS = ["cooling", "I.29.4"]


def contents(folder: Path) -> dict[str, object]:
    """What a benchmark found and what that is worth; not the seconds that it took."""
    scores = {file.name: file.read_bytes() for file in (folder / "scores").glob("*.json")}
    runs = {}
    for file in (folder / "runs").glob("*.json"):
        ending = json.loads(file.read_text())["ending"]
        runs[file.name] = {k: v for k, v in ending.items() if k not in ("seconds", "megabytes")}
    return {"scores": scores, "runs": runs}


@pytest.fixture(scope="module")
def made(tmp_path_factory) -> tuple[Path, Leaderboard]:
    folder = tmp_path_factory.mktemp("benchmark") / "results"
    methods = [f"{FILE}:Truth", f"{FILE}:Line", f"{FILE}:Crash"]
    board = run_benchmark(folder, PROBLEMS, methods, seeds=2, noises=(0.0, 0.1), limits=LIMITS,
                          workers=2, progress=False)  # fmt: skip
    return folder, board


def test_every_method_runs_on_every_problem_seed_and_noise_level(made) -> None:
    _, board = made
    assert len(board.runs) == board.n_tasks == 3 * 2 * 2 * 2
    assert board.is_finished
    assert board.statuses["Crash"]["crashed"] == 8


def test_the_right_form_is_recovered_whatever_its_constants(made) -> None:
    _, board = made
    (one, *_) = board.runs_of("Truth", "problem", "cooling")
    assert one.recovered
    assert one.form_distance == 0.0
    assert 0 < one.error < 0.05
    assert not board.runs_of("Truth", "problem", "I.29.4")[0].recovered
    assert board.methods[0] == "Truth"


def test_formulas_that_cannot_be_read_are_listed_with_the_reason(made) -> None:
    _, board = made
    (one, *_) = board.runs_of("Truth", "problem", "cooling")
    assert [row["read"] for row in one.formulas] == [True, False, False]
    assert "parameter" in one.formulas[2]["verdict"] or "variable" in one.formulas[2]["verdict"]


def test_failures_count_as_the_farthest(made) -> None:
    _, board = made
    (one,) = [row for row in board.summaries("all") if row.method == "Crash"]
    assert (one.recovery, one.form_distance, one.failed) == (0.0, 1.0, 8)
    assert one.error == float("inf")


def test_called_again_nothing_is_run_or_judged_anew(made) -> None:
    folder, _ = made
    times = {file: file.stat().st_mtime_ns for file in folder.glob("*s/*.json")}
    run_benchmark(folder, PROBLEMS, [f"{FILE}:Truth"], seeds=2, limits=LIMITS, progress=False)
    assert {file: file.stat().st_mtime_ns for file in folder.glob("*s/*.json")} == times


def test_judging_again_gives_the_same_bytes(made) -> None:
    folder, _ = made
    before = contents(folder)
    again = read_leaderboard(folder, again=True, workers=1, progress=False)
    assert contents(folder) == before
    assert len(again.runs) == again.n_tasks


def test_more_seeds_add_to_what_is_there(made, tmp_path: Path) -> None:
    folder = tmp_path / "results"
    for seeds in (1, 2):
        board = run_benchmark(folder, ["cooling"], [f"{FILE}:Line"], seeds=seeds, limits=LIMITS,
                              progress=False)  # fmt: skip
        assert len(board.runs) == seeds


def test_an_unfinished_benchmark_says_so(made, tmp_path: Path) -> None:
    folder = tmp_path / "results"
    run_benchmark(folder, ["cooling"], [f"{FILE}:Line"], seeds=2, limits=LIMITS, progress=False)
    next((folder / "runs").glob("*.json")).unlink()
    board = read_leaderboard(folder)
    assert not board.is_finished
    assert "1 runs of 2, unfinished" in repr(board)


def test_other_processes_run_it_just_as_well(made, tmp_path: Path) -> None:
    folder, _ = made
    elsewhere = tmp_path / "results"
    with ProcessPoolExecutor(1) as pool:
        run_benchmark(elsewhere, ["cooling"], [f"{FILE}:Truth"], seeds=1, limits=LIMITS,
                      executor=pool, progress=False)  # fmt: skip
    mine, theirs = contents(elsewhere), contents(folder)
    for kind in ("runs", "scores"):
        assert mine[kind].items() <= theirs[kind].items()  # type: ignore[attr-defined]


def test_tables_have_a_row_for_each_run_and_each_formula(made) -> None:
    _, board = made
    assert len(board.to_frame()) == 24
    assert {row["by"] for row in board.summary_rows()} == {
        "all", "noise", "n_variables", "collection", "problem",
    }  # fmt: skip
    assert len(board.formula_rows()) == 8 * 3 + 8 * 2
    assert board.to_dict()["n_ended"] == 24


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"noises": (-1.0,)}, "noise is a share"),
        ({"noises": ()}, "noise is a share"),
        ({"seeds": 0}, "seeds must be"),
        ({"n_rows": 2}, "n_rows must be a whole number of at least 10"),
        ({"n_judged": 0}, "n_judged must be"),
        ({"limits": Limits(seconds=0.0)}, "seconds must be a positive number"),
    ],
)
def test_settings_that_cannot_be_are_one_clear_error(tmp_path: Path, change, words: str) -> None:
    with pytest.raises(RangeError, match=words):
        run_benchmark(tmp_path / "new", ["cooling"], [f"{FILE}:Line"], **change)
    assert not (tmp_path / "new").exists()


def test_a_folder_of_other_things_is_not_touched(tmp_path: Path) -> None:
    (tmp_path / "thesis.txt").write_text("mine")
    with pytest.raises(StorageError, match="has other files"):
        run_benchmark(tmp_path, ["cooling"], [f"{FILE}:Line"], limits=LIMITS)
    with pytest.raises(StorageError, match="is a file"):
        run_benchmark(tmp_path / "thesis.txt", ["cooling"], [f"{FILE}:Line"], limits=LIMITS)
    with pytest.raises(DataError, match="has no benchmark"):
        read_leaderboard(tmp_path / "nowhere")


def test_a_damaged_file_is_named(made, tmp_path: Path) -> None:
    folder = tmp_path / "results"
    run_benchmark(folder, ["cooling"], [f"{FILE}:Line"], seeds=1, limits=LIMITS, progress=False)
    (file,) = (folder / "runs").glob("*.json")
    file.write_text("{")
    with pytest.raises(DataError, match=f"{file.name} cannot be read"):
        read_leaderboard(folder)


SCRIPT = """
import sys
from symbed.scoring.benchmark import Limits, run_benchmark
run_benchmark(sys.argv[1], ["nguyen:6"], [sys.argv[2], "random-search"], seeds=6, workers=2,
              noises=(0.0, 0.05), limits=Limits(seconds=600.0, grace=60.0), progress=False,
              options={"random-search": {"n_candidates": 100}})
"""


@pytest.mark.slow
def test_killed_twenty_times_and_resumed_the_results_are_the_same(tmp_path: Path) -> None:
    def start(folder: Path) -> subprocess.Popen[bytes]:
        words = [sys.executable, "-c", SCRIPT, str(folder), f"{FILE}:Line"]
        return subprocess.Popen(words, start_new_session=True)

    whole, broken = tmp_path / "whole", tmp_path / "broken"
    assert start(whole).wait() == 0
    for kill in range(20):
        n_before = len(list(broken.glob("runs/*.json")))
        process = start(broken)
        while process.poll() is None and len(list(broken.glob("runs/*.json"))) == n_before:
            time.sleep(0.01)
        time.sleep(0.07 * (kill % 7))  # somewhere in a run, in a judgment, between two files
        assert process.poll() is None, "the benchmark was over before it could be killed"
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
    assert start(broken).wait() == 0
    assert contents(broken) == contents(whole)
    assert not list(broken.glob("**/.partial*"))


def test_runs_of_a_changed_adapter_are_told_apart_and_can_be_removed(tmp_path: Path) -> None:
    adapter, folder = tmp_path / "own.py", tmp_path / "results"
    text = "class Own:\n    def fit(self, X, y): pass\n    def formulas(self): return ['{}*X_0']\n"
    for factor in (2, 3):
        adapter.write_text(text.format(factor))
        board = run_benchmark(folder, ["cooling"], [f"{adapter}:Own"], seeds=1, limits=LIMITS,
                              progress=False)  # fmt: skip
    old = next(name for name in board.methods if name != "Own")
    assert re.fullmatch(r"Own \(adapter [0-9a-f]{6}\)", old)
    assert {run.method: run.answer["formula"] for run in board.runs if run.answer} == {
        "Own": "3*X_0", old: "2*X_0",
    }  # fmt: skip
    assert {one.method for one in board.summaries("all")} == {"Own", old}
    with pytest.raises(RangeError, match="has no method 'Owm'; it has Own, Own"):
        remove_runs(folder, ["Owm"])
    assert remove_runs(folder, [old]) == {old: 1}
    assert read_leaderboard(folder).methods == ("Own",)
    assert len(list((folder / "runs").iterdir())) == 1


def test_other_limits_and_rows_are_told_apart_too(tmp_path: Path) -> None:
    for rows in (20, 30):
        board = run_benchmark(tmp_path / "results", ["cooling"], [f"{FILE}:Line"], seeds=1,
                              limits=LIMITS, n_rows=rows, progress=False)  # fmt: skip
    assert set(board.methods) == {"Line (20 rows)", "Line (30 rows)"}


def test_two_commands_do_not_run_in_one_folder(tmp_path: Path) -> None:
    folder = tmp_path / "results"
    with (
        ResultFolder(folder).opened(),
        pytest.raises(StorageError, match=r"another command runs the benchmark in .*results; wait"),
    ):
        run_benchmark(folder, ["cooling"], [f"{FILE}:Line"], seeds=1, limits=LIMITS, progress=False)
    board = run_benchmark(
        folder, ["cooling"], [f"{FILE}:Line"], seeds=1, limits=LIMITS, progress=False
    )
    assert board.is_finished


def test_a_disk_that_is_full_is_one_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    folder = ResultFolder(tmp_path / "results")
    with folder.opened():
        monkeypatch.setattr(os, "fsync", full)
        with pytest.raises(StorageError, match=r"benchmark.json cannot be written \(No space"):
            folder.write_settings([])
    assert not list(tmp_path.glob("**/.partial-*"))

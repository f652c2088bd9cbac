"""``symbed matrix`` in full: every option reaches the verb, and trouble is one line."""

from __future__ import annotations

import json
import os
import resource
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

import symbed
from symbed.cli import main

RANGES = ["--domain", "x=1:5", "--parameters", "1:5"]
TEXTS = ["C*x + C", "sin(x)", "log(x - 2)", "C*x^2", "sin(x)"]


@pytest.fixture
def formulas(tmp_path: Path) -> str:
    path = tmp_path / "formulas.txt"
    path.write_text("\n".join(TEXTS) + "\n")
    return str(path)


def expected(**choices) -> np.ndarray:
    probe = symbed.Probe({"x": (1, 5)}, parameters=(1, 5))
    return symbed.pairwise(symbed.survey(TEXTS, probe), **choices).values


@pytest.mark.parametrize(
    ("words", "choices"),
    [
        (["--metric", "relative"], {"metric": "relative"}),
        (["--metric", "arcsinh", "--p", "2"], {"metric": "arcsinh", "p": 2}),
        (["--mismatch", "7"], {"mismatch": 7.0}),
        (["--undefined", "cemetery", "--penalty", "3"], {"undefined": "cemetery", "penalty": 3.0}),
        (["--screen", "0.5", "--workers", "1"], {"screen": 0.5}),
    ],
    ids=str,
)
def test_options_reach_the_verb(capsys, formulas: str, tmp_path: Path, words, choices) -> None:
    path = tmp_path / "distances.npy"
    assert main(["matrix", formulas, *RANGES, "-o", str(path), *words]) == 0
    assert capsys.readouterr().out == ""
    np.testing.assert_array_equal(np.load(path), expected(**choices))


def test_an_atlas_is_taken_instead_of_a_file(capsys, formulas: str, tmp_path: Path) -> None:
    folder, path = str(tmp_path / "my.atlas"), tmp_path / "distances.npy"
    assert main(["survey", formulas, *RANGES, "-o", folder]) == 0
    assert main(["matrix", folder, "-o", str(path)]) == 0
    np.testing.assert_array_equal(np.load(path), expected())


def test_json_with_a_file_tells_where_the_distances_are(capsys, formulas, tmp_path: Path) -> None:
    path = tmp_path / "distances.npy"
    assert main(["matrix", formulas, *RANGES, "-o", str(path), "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert document == {"labels": TEXTS, "output": str(path), "skipped": []}


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["-o", "/nonexistent/distances.npy"], "No such file or directory; choose another folder"),
        (["-o", "/proc/distances.npy"], "cannot write /proc/distances.npy"),
        (["-o", "distances.xls"], "must end in .csv, .npy or .parquet"),
        (["--screen", "-1"], "screen must be a distance of at least 0"),
        (["--screen", "1", "--metric", "relative"], "screen goes with metric"),
        (["--metric", "best"], "metric must be one of"),
    ],
)
def test_trouble_is_one_line(capsys, formulas: str, words: list[str], message: str) -> None:
    assert main(["matrix", formulas, *RANGES, *words]) == 1
    said = capsys.readouterr()
    assert said.out == ""
    assert said.err.startswith("symbed: ")
    assert said.err.count("\n") == 1
    assert message in said.err


def test_a_scheduler_that_is_not_there_is_told(capsys, formulas: str, monkeypatch) -> None:
    pytest.importorskip("distributed")
    monkeypatch.setattr("symbed.parallel.PATIENCE", 0.3)
    assert main(["matrix", formulas, *RANGES, "--scheduler", "tcp://127.0.0.1:9"]) == 1
    said = capsys.readouterr()
    assert "no Dask scheduler answers at tcp://127.0.0.1:9" in said.err
    assert said.err.count("\n") == 1


def test_a_full_disk_is_told_in_one_line(capsys, tmp_path: Path) -> None:
    path = tmp_path / "formulas.txt"
    path.write_text("\n".join(f"x + {k}" for k in range(300)))
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, before[1]))
    try:
        code = main(["matrix", str(path), *RANGES, "-o", str(tmp_path / "distances.npy")])
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    said = capsys.readouterr()
    assert code == 1
    assert "File too large; the matrix needs 0.00072 GB" in said.err
    assert said.err.count("\n") == 1


def test_ctrl_c_leaves_one_line_and_what_is_finished(tmp_path: Path) -> None:
    formulas, output = tmp_path / "formulas.txt", tmp_path / "distances.npy"
    formulas.write_text("\n".join(f"a*x + {k}" for k in range(12_000)))
    words = ["matrix", str(formulas), *RANGES, "-o", str(output), "--workers", "1"]
    script = "import sys; from symbed.cli import main; sys.exit(main())"
    process = subprocess.Popen(
        [sys.executable, "-c", script, *words], stderr=subprocess.PIPE, text=True,
        env=os.environ | {"PYTHONPATH": str(Path(symbed.__file__).parents[1])},
    )  # fmt: skip
    journal = tmp_path / "distances.npy.journal"
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline and (not journal.exists() or not journal.stat().st_size):
        time.sleep(0.02)
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=60)
    assert process.returncode == 130
    assert err == "symbed: interrupted\n"
    assert journal.exists()

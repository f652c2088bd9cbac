from __future__ import annotations

import io
import json
from pathlib import Path

import numpy as np
import pytest

from symbed import Atlas, Probe, limits, survey
from symbed.cli import main
from symbed.errors import DataError
from symbed.formula_files.formulas import open_formulas

DOMAIN = ["--domain", "x=1:5", "--parameters", "1:5"]
PROBE = Probe({"x": (1, 5)}, parameters=(1, 5))


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("formulas.txt").write_text("# mine\na*x + b\nb + a*x\nsin(x)\n")
    Path("bad.txt").write_text("x\nsn(x)\nx + 1\n")
    Path("hall_of_fame.csv").write_text(
        'Complexity,Loss,Equation,Note\n1,0.5,x,"a, b"\n3,,a*x,\n5,1e-3,"min(x, 2)",c\n'
    )
    return tmp_path


def test_a_file_becomes_an_atlas(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["survey", "formulas.txt", *DOMAIN, "-o", "my.atlas"]) == 0
    said = capsys.readouterr()
    assert said.out.split() == [
        "expressions",
        "3",
        "distinct",
        "2",
        "skipped",
        "0",
        "atlas",
        "my.atlas",
    ]
    assert said.err == "symbed: free parameters: a, b\n"
    found, expected = Atlas.open("my.atlas"), survey(["a*x + b", "b + a*x", "sin(x)"], PROBE)
    assert found.labels == expected.labels
    for one, two in zip(found, expected, strict=True):
        np.testing.assert_array_equal(one.values, two.values)


def test_json_is_one_document(capsys: pytest.CaptureFixture[str]) -> None:
    words = [
        "survey",
        "bad.txt",
        *DOMAIN,
        "-o",
        "my.atlas",
        "--skip",
        "--json",
        "--keep",
        "programs",
    ]
    assert main(words) == 0
    said = capsys.readouterr()
    document = json.loads(said.out)
    assert (document["n_expressions"], document["n_distinct"], document["n_skipped"]) == (2, 2, 1)
    assert document["skipped"][0]["line"] == 2
    assert "line 2 skipped: unknown function 'sn'" in said.err
    assert document["atlas"] == "my.atlas"


def test_programs_are_kept_of_many_and_that_is_said(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(limits, "KEPT", limits.KEPT._replace(maximum=2 * 64 * 32))
    assert main(["survey", "formulas.txt", *DOMAIN, "-o", "my.atlas", "--json"]) == 0
    said = capsys.readouterr()
    assert json.loads(said.out)["keep"] == "programs"
    assert said.err == (
        "symbed: 3 expressions kept as programs, outputs are evaluated when needed "
        "(--keep behaviors keeps them)\n"
        "symbed: free parameters: a, b\n"
    )
    for keep in ("behaviors", "programs"):
        assert main(["survey", "formulas.txt", *DOMAIN, "-o", keep, "--keep", keep]) == 0
        assert capsys.readouterr().err == "symbed: free parameters: a, b\n"
        assert Atlas.open(keep).keep == keep


def test_only_the_first_skipped_lines_are_told(capsys: pytest.CaptureFixture[str]) -> None:
    Path("worse.txt").write_text("x\n" + "sn(x)\n" * 50)
    assert main(["survey", "worse.txt", *DOMAIN, "-o", "my.atlas", "--skip"]) == 0
    told = capsys.readouterr().err.splitlines()
    assert len(told) == 21
    assert told[-1] == "symbed: 30 more lines skipped"


def test_a_table_brings_its_columns_along(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["survey", "hall_of_fame.csv", *DOMAIN, "-o", "my.atlas"]) == 0
    assert "metadata     complexity, loss, note" in capsys.readouterr().out
    atlas = Atlas.open("my.atlas")
    assert atlas.labels == ["x", "a*x", "min(x, 2)"]
    np.testing.assert_array_equal(atlas.metadata["loss"], [0.5, np.nan, 1e-3])
    assert list(atlas.metadata["note"]) == ["a, b", "", "c"]


def test_more_can_be_appended(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["survey", "formulas.txt", *DOMAIN, "-o", "my.atlas"]) == 0
    assert main(["survey", "hall_of_fame.csv", "-o", "my.atlas", "--append"]) == 0
    atlas = Atlas.open("my.atlas")
    assert len(atlas) == 6
    np.testing.assert_array_equal(atlas.metadata["complexity"], [np.nan] * 3 + [1, 3, 5])
    assert main(["survey", "formulas.txt", *DOMAIN, "-o", "my.atlas", "--append"]) == 0
    assert len(Atlas.open("my.atlas")) == 9


def test_standard_input_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO("x\nx^2\n"))
    assert main(["survey", "-", *DOMAIN, "-o", "my.atlas"]) == 0
    assert Atlas.open("my.atlas").labels == ["x", "x^2"]


ERRORS = [
    (["survey", "bad.txt", *DOMAIN, "-o", "a"], ["line 2", "'sn'"]),
    (["survey", "nowhere.txt", *DOMAIN, "-o", "a"], ["nowhere.txt", "No such file"]),
    (["survey", "formulas.txt", "-o", "a"], ["--domain x=1:5"]),
    (["survey", "formulas.txt", *DOMAIN, "-o", "done"], ["done is complete", "--append"]),
    (["survey", "formulas.txt", *DOMAIN, "--seed", "1", "-o", "done", "--append"], ["probed differently"]),
    (["survey", "formulas.txt", "-o", "nowhere", "--append"], ["No such atlas: nowhere"]),
    (["survey", "formulas.txt", *DOMAIN, "-o", "full"], ["full is no atlas and not empty"]),
    (["survey", "formulas.txt", *DOMAIN, "-o", "formulas.txt"], ["formulas.txt is a file"]),
    (["survey", "formulas.txt", *DOMAIN, "-o", "/proc/a"], ["/proc/a cannot be written"]),
    (["survey", "formulas.txt", *DOMAIN, "-o", "a", "--scheduler", "nonsense"], ["no Dask scheduler"]),
]  # fmt: skip


@pytest.mark.parametrize(("words", "parts"), ERRORS, ids=[" ".join(words) for words, _ in ERRORS])
def test_a_users_error_is_one_line(
    words: list[str], parts: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    survey(["x"], PROBE, out="done")
    Path("full").mkdir()
    Path("full", "thesis.tex").touch()
    if "--scheduler" in words:
        pytest.importorskip("distributed")
    assert main(words) == 1
    said = capsys.readouterr()
    assert said.out == ""
    assert said.err.startswith("symbed: ")
    assert said.err.count("\n") == 1
    for part in parts:
        assert part in said.err


def test_an_output_is_needed() -> None:
    with pytest.raises(SystemExit) as caught:
        main(["survey", "formulas.txt", *DOMAIN])
    assert caught.value.code == 2


@pytest.mark.parametrize(
    ("content", "told"),
    [
        ("a,b\n1,2\n", "needs a column of expressions named equation"),
        ("Equation,Loss\nx,1\nx\n", "row 3 has 1 cells, the first one 2"),
        ("", "needs a column of expressions"),
    ],
)
def test_a_table_that_is_none_is_told(content: str, told: str) -> None:
    Path("table.csv").write_text(content)
    with pytest.raises(DataError, match=told), open_formulas("table.csv"):
        pass


def test_a_table_of_one_column_needs_no_name_for_it() -> None:
    Path("table.csv").write_text("whatever\nx\n\n2\n")
    with open_formulas("table.csv") as formulas:
        assert list(formulas.sources) == ["x", "2"]
        assert formulas.columns == {}

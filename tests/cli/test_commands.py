from __future__ import annotations

import io
import json
from pathlib import Path

import numpy as np
import pytest

import symbed
from symbed.cli import main

RANGES = ["--domain", "x=1:5", "--parameters", "1:5"]


def run(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str, str]:
    code = main(list(words))
    captured = capsys.readouterr()
    return code, captured.out, captured.err


class TestDistance:
    def test_it_prints_the_number_that_the_library_gives(self, capsys) -> None:
        code, out, err = run(capsys, "distance", "C*x + C", "C*sin(x)", *RANGES)
        value = symbed.bed("C*x + C", "C*sin(x)", domain={"x": (1, 5)}, parameters=(1, 5))
        assert (code, err) == (0, "")
        assert f"{value:.6g}" in out

    def test_json_is_one_document_with_the_figures_of_the_contract(self, capsys) -> None:
        code, out, err = run(capsys, "distance", "C*x + C", "C*sin(x)", *RANGES, "--json")
        document = json.loads(out)
        assert (code, err) == (0, "")
        assert {
            "distance", "stderr", "interval", "noise_floor", "coverage", "mismatched_points",
            "n_points", "n_draws", "seed", "variables", "parameters",
        } <= set(document)  # fmt: skip
        assert document["parameters"] == [["C", "C"], ["C"]]
        assert document["variables"] == [["x"], ["x"]]
        assert document["interval"][0] <= document["distance"] <= document["interval"][1]

    def test_an_infinite_distance_is_the_string_inf(self, capsys) -> None:
        code, out, _ = run(capsys, "distance", "x", "log(x - 2)", "--domain", "x=1:5", "--json")
        document = json.loads(out)
        assert code == 0
        assert document["distance"] == "inf"
        assert document["mismatched_points"] == 16
        _, shown, _ = run(capsys, "distance", "x", "log(x - 2)", "--domain", "x=1:5")
        assert "at 16 of 64 points only one side is defined" in shown

    def test_nothing_in_common_is_said(self, capsys) -> None:
        _, out, _ = run(capsys, "distance", "log(-x)", "sqrt(-x)", "--domain", "x=1:5")
        assert "neither expression is defined anywhere" in out
        _, out, _ = run(capsys, "distance", "log(x - 2)", "log(x - 2)", "--domain", "x=1:5")
        assert "neither side is defined at 16 points" in out

    def test_formulas_and_ranges_may_start_with_a_minus(self, capsys) -> None:
        code, out, _ = run(
            capsys,
            "distance",
            "-x",
            "-x^2 + 1",
            "--domain",
            "x=-1:1",
            "--parameters",
            "-5:5",
            "--json",
        )
        assert code == 0
        assert json.loads(out)["labels"] == ["-x", "-x^2 + 1"]

    def test_options_reach_the_probe(self, capsys) -> None:
        words = ["distance", "a*x + b", "y", "--domain", "x=0:1,y=2:3", "--parameters", "a=0:1"]
        words += [
            "--parameters",
            "b=5:6",
            "--points",
            "16",
            "--draws",
            "8",
            "--seed",
            "3",
            "--p",
            "2",
        ]
        _, out, _ = run(capsys, *words, "--design", "shared", "--json")
        document = json.loads(out)
        probe = symbed.Probe(
            {"x": (0, 1), "y": (2, 3)}, {"a": (0, 1), "b": (5, 6)},
            n_points=16, n_draws=8, seed=3, design="shared",
        )  # fmt: skip
        want = symbed.distance(symbed.observe("a*x + b", probe), symbed.observe("y", probe), p=2)
        assert document["distance"] == want
        assert (document["n_points"], document["n_draws"], document["seed"]) == (16, [8, 8], 3)

    def test_points_can_come_from_a_file(self, capsys, tmp_path: Path) -> None:
        table = tmp_path / "data.csv"
        table.write_text("x,y\n1,4\n2,2\n")
        _, out, _ = run(capsys, "distance", "x", "y", "--data", str(table), "--json")
        assert json.loads(out)["distance"] == 1.5
        np.save(tmp_path / "data.npy", np.array([[1.0, 4.0], [2.0, 2.0]]))
        _, out, _ = run(
            capsys, "distance", "X_0", "X_1", "--data", str(tmp_path / "data.npy"), "--json"
        )
        assert json.loads(out)["distance"] == 1.5


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (
            ["distance", "a*sn(x)", "x", *RANGES],
            "unknown function 'sn' at column 3; did you mean 'sin'?",
        ),
        (["distance", "x", "y", *RANGES], "'y' in 'y' looks like a variable"),
        (["distance", "a*x", "x", "--domain", "x=1:5"], "parameter a; add --parameters low:high"),
        (
            ["distance", "a*x + b", "x", "--domain", "x=1:5", "--parameters", "b=0:1"],
            "has free parameter a; add --parameters a=low:high",
        ),
        (["distance", "x", "x"], "a domain is needed: add --domain x=1:5"),
        (["distance", "x", "x", "--domain", "x=5:0"], "domain of 'x' needs low < high"),
        (["distance", "x", "x", "--domain", "x"], "--domain needs name=low:high, got 'x'"),
        (["distance", "x", "x", "--domain", "x=1"], "--domain x needs low:high"),
        (["distance", "x", "x", *RANGES, "--parameters", "2:3"], "--parameters needs one range"),
        (["distance", "x", "x", *RANGES, "--p", "3"], "p must be 1 or 2"),
        (["distance", "x", "x", *RANGES, "--design", "best"], "unknown design 'best'"),
        (["distance", "x", "x", *RANGES, "--data", "none.csv"], "give --domain or --data"),
        (["distance", "x", "x", "--data", "/nonexistent/none.csv"], "No such file"),
        (["matrix", "/nonexistent/none.txt", *RANGES], "No such file"),
        (["distance", "", "x", *RANGES], "empty"),
    ],
)
def test_a_users_error_is_one_line_and_exit_code_1(capsys, words: list[str], message: str) -> None:
    code, out, err = run(capsys, *words)
    assert code == 1
    assert out == ""
    assert message in err
    assert err.startswith("symbed: ")
    assert err.count("\n") == 1


@pytest.mark.parametrize("words", [["distance", "x"], ["distance", "x", "x", "--points", "many"]])
def test_wrong_usage_is_exit_code_2(capsys, words: list[str]) -> None:
    with pytest.raises(SystemExit) as caught:
        main(words)
    assert caught.value.code == 2
    assert capsys.readouterr().err.endswith(f"(symbed {words[0]} --help tells more)\n")


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("1,2\n3,4\n", "needs a header"),
        ("x,y\n", "needs a header"),
        ("x,y\n1,2\n3\n", "2 columns in its header and 1 in row 3"),
        ("x,y\n1,two\n", "got 'two' in row 2, column y"),
        ("x\nnan\n", "nan"),
        ("", "needs a header"),
    ],
)
def test_a_data_file_that_cannot_be_used_is_told(
    capsys, tmp_path: Path, content: str, message: str
) -> None:
    table = tmp_path / "data.csv"
    table.write_text(content)
    code, _, err = run(capsys, "distance", "x", "x", "--data", str(table))
    assert code == 1
    assert message in err


class TestMatrix:
    @pytest.fixture
    def formulas(self, tmp_path: Path) -> str:
        path = tmp_path / "formulas.txt"
        path.write_text("# three\nC*x + C\n\nsin(x)\nlog(x - 2)\n")
        return str(path)

    def test_it_prints_a_table(self, capsys, formulas: str) -> None:
        code, out, _ = run(capsys, "matrix", formulas, *RANGES)
        lines = out.splitlines()
        assert code == 0
        assert lines[0] == ",C*x + C,sin(x),log(x - 2)"
        assert lines[1].split(",")[1] == "0.0"
        assert lines[3].split(",")[1] == "inf"

    @pytest.mark.parametrize("ending", [".csv", ".npy", ".parquet"])
    def test_it_writes_files(self, capsys, formulas: str, tmp_path: Path, ending: str) -> None:
        if ending == ".parquet":
            pytest.importorskip("pyarrow")
        output = tmp_path / f"distances{ending}"
        code, out, err = run(capsys, "matrix", formulas, *RANGES, "-o", str(output))
        assert (code, out) == (0, "")
        assert "written to" in err
        want = symbed.bed("C*x + C", "sin(x)", domain={"x": (1, 5)}, parameters=(1, 5))
        if ending == ".npy":
            assert np.load(output)[0, 1] == want
        elif ending == ".csv":
            assert float(output.read_text().splitlines()[1].split(",")[2]) == want
        else:
            import pyarrow.parquet

            assert pyarrow.parquet.read_table(output)["distances"][0].as_py()[1] == want

    def test_json_holds_labels_and_distances(self, capsys, formulas: str) -> None:
        _, out, _ = run(capsys, "matrix", formulas, *RANGES, "--json")
        document = json.loads(out)
        assert document["labels"] == ["C*x + C", "sin(x)", "log(x - 2)"]
        assert document["distances"][2][0] == "inf"

    def test_standard_input_is_read(self, capsys, monkeypatch) -> None:
        monkeypatch.setattr("sys.stdin", io.StringIO("x\nx + 1\n"))
        code, out, _ = run(capsys, "matrix", "-", *RANGES)
        assert code == 0
        assert len(out.splitlines()) == 3

    def test_bad_lines_stop_it_or_are_skipped(self, capsys, tmp_path: Path) -> None:
        path = tmp_path / "formulas.txt"
        path.write_text("x\nsn(x)\nx + 1\n")
        code, _, err = run(capsys, "matrix", str(path), *RANGES)
        assert code == 1
        assert err.startswith("symbed: line 2: unknown function 'sn'")
        code, out, err = run(capsys, "matrix", str(path), *RANGES, "--skip")
        assert code == 0
        assert "line 2 skipped" in err
        assert len(out.splitlines()) == 3

    def test_an_unknown_ending_is_told(self, capsys, formulas: str) -> None:
        code, _, err = run(capsys, "matrix", formulas, *RANGES, "-o", "distances.xls")
        assert code == 1
        assert "must end in .csv, .npy or .parquet" in err


class TestShow:
    def test_it_tells_how_the_text_was_read(self, capsys) -> None:
        code, out, _ = run(capsys, "show", "C*x^2 + sin(b)/2")
        assert code == 0
        for words in ["variables   x", "parameters  C, b", "LaTeX", "program", "sin"]:
            assert words in out

    def test_json_and_dialects(self, capsys) -> None:
        _, out, _ = run(
            capsys, "show", "+ C t", "--dialect", "prefix", "--variables", "t", "--json"
        )
        document = json.loads(out)
        assert document["text"] == "C + t"
        assert document["variables"] == ["t"]
        assert document["parameters"] == ["C"]
        assert document["program"] == ["parameter 0", "variable 0", "+"]
        assert len(document["canonical_hash"]) == 16

from __future__ import annotations

import io
import json
from pathlib import Path

import pytest

import symbed
from symbed.cli import main
from symbed.workbench import equivalents, paper_grammar, sample


def run(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str, str]:
    code = main(list(words))
    captured = capsys.readouterr()
    return code, captured.out, captured.err


class TestSample:
    def test_it_prints_what_the_library_draws(self, capsys) -> None:
        words = [
            "--variables",
            "3",
            "--seed",
            "4",
            "--unique",
            "--min-length",
            "3",
            "--max-length",
            "9",
        ]
        code, out, err = run(capsys, "sample", "-n", "50", *words)
        found = sample(paper_grammar(3), 50, seed=4, unique=True, min_length=3, max_length=9)
        assert (code, err) == (0, "")
        assert out.splitlines() == list(found.texts())

    def test_what_it_prints_can_be_compared(self, capsys, tmp_path: Path) -> None:
        _, out, _ = run(capsys, "sample", "-n", "20", "--variables", "x,t")
        formulas = tmp_path / "formulas.txt"
        formulas.write_text(out)
        ranges = ["--domain", "x=1:5,t=1:5", "--parameters", "1:5"]
        code, _, _ = run(capsys, "matrix", str(formulas), *ranges)
        assert code == 0

    def test_json_tells_the_rules_that_were_used(self, capsys) -> None:
        _, out, _ = run(capsys, "sample", "-n", "30", "--json")
        document = json.loads(out)
        assert len(document["expressions"]) == document["n_attempts"] == 30
        assert document["rule_counts"]["E -> F [0.6888]"] >= 30

    def test_a_grammar_comes_from_a_file_or_from_stdin(self, capsys, monkeypatch, tmp_path) -> None:
        text = "E -> E + v [0.5] | v [0.5]\n"
        file = tmp_path / "sums.txt"
        file.write_text(text)
        _, from_file, _ = run(capsys, "sample", "-n", "5", "--grammar", str(file))
        monkeypatch.setattr("sys.stdin", io.StringIO(text))
        _, from_stdin, _ = run(capsys, "sample", "-n", "5", "--grammar", "-")
        assert from_file == from_stdin
        assert set(from_file.split()) == {"v", "+"}

    @pytest.mark.parametrize(
        ("words", "message"),
        [
            (["--variables", "0"], "at least one"),
            (["--grammar", "nowhere.txt"], "nowhere.txt: No such file"),
            (["--grammar", "nowhere.txt", "--variables", "2"], "nowhere.txt has its own variables"),
            (["--min-length", "9", "--max-length", "3"], "min_length 9 is above max_length 3"),
            (["-n", "-3"], "n must be a whole number from 0 on"),
        ],
    )
    def test_a_users_error_is_one_line(self, capsys, words: list[str], message: str) -> None:
        code, out, err = run(capsys, "sample", *words)
        assert (code, out) == (1, "")
        assert message in err
        assert err.count("\n") == 1

    @pytest.mark.parametrize("text", ["E -> x x", "E -> x +"])
    def test_words_that_are_no_expressions_are_not_printed(
        self, capsys, monkeypatch, text: str
    ) -> None:
        monkeypatch.setattr("sys.stdin", io.StringIO(text))
        code, out, err = run(capsys, "sample", "--grammar", "-")
        assert (code, out) == (1, "")
        assert err.startswith("symbed: ")


class TestEquivalents:
    def test_it_prints_what_the_library_finds(self, capsys) -> None:
        code, out, err = run(capsys, "equivalents", "C*sin(X_0)", "-n", "10", "--seed", "2")
        assert (code, err) == (0, "")
        assert out.splitlines() == [str(e) for e in equivalents("C*sin(X_0)", 10, seed=2)]

    def test_json_tells_the_transformations(self, capsys) -> None:
        words = ["-C*x", "-n", "8", "--json", "--named", "--variables", "x,y"]
        _, out, _ = run(capsys, "equivalents", *words)
        document = json.loads(out)
        assert document["expression"] == "-C_0*x"
        assert len(document["equivalents"]) == 8
        assert all("C_0" in text for text in document["equivalents"])
        assert sum(document["transformations"].values()) >= 8
        for text in document["equivalents"]:
            symbed.parse(text)

    @pytest.mark.parametrize(
        ("words", "message"),
        [
            (["a*sn(x)"], "unknown function 'sn'"),
            (["a*x", "--domain", "5:1"], "domain needs finite low < high"),
            (["a*x", "--parameters", "5"], "--parameters needs low:high"),
        ],
    )
    def test_a_users_error_is_one_line(self, capsys, words: list[str], message: str) -> None:
        code, out, err = run(capsys, "equivalents", *words)
        assert (code, out) == (1, "")
        assert message in err
        assert err.count("\n") == 1

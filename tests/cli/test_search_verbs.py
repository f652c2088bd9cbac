"""``symbed nearest`` and ``symbed duplicates``: what the library finds, printed."""

from __future__ import annotations

import io
import json
from pathlib import Path

import pytest

import symbed
from symbed.cli import main

RANGES = ["--domain", "x=1:5", "--parameters", "1:5"]
FORMULAS = "# some\nC*x\nx*C\nC*x^2\nsin(x)\nC*exp(ln(x))\nln(-x)\nsqrt(-x)\n"
HALL_OF_FAME = Path(__file__).parents[2] / "examples" / "hall_of_fame.csv"
SQUARE = ["--domain", "x0=-3:3,x1=-3:3"]


@pytest.fixture
def formulas(tmp_path: Path) -> str:
    path = tmp_path / "formulas.txt"
    path.write_text(FORMULAS)
    return str(path)


def run(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str, str]:
    code = main(list(words))
    captured = capsys.readouterr()
    return code, captured.out, captured.err


class TestNearest:
    def test_it_prints_the_nearest_first(self, capsys, formulas: str) -> None:
        code, out, err = run(capsys, "nearest", formulas, "a*x", "-k", "3", *RANGES)
        assert (code, err) == (0, "symbed: free parameters: C\n")
        assert [line.split()[2] for line in out.splitlines()] == ["C*x", "x*C", "C*exp(ln(x))"]

    def test_json_has_the_numbers_of_the_library(self, capsys, formulas: str) -> None:
        code, out, _ = run(
            capsys, "nearest", formulas, "tanh(x)", "-x", "-k2", *RANGES, "--json"
        )  # fmt: skip
        probe = symbed.Probe({"x": (1, 5)}, parameters=(1, 5))
        atlas = symbed.survey(FORMULAS.split("\n"), probe)
        document = json.loads(out)
        assert code == 0
        assert [result["query"] for result in document["results"]] == ["tanh(x)", "-x"]
        for result in document["results"]:
            found = symbed.nearest(result["query"], atlas, 2)
            listed = result["neighbors"]
            assert [one["index"] for one in listed] == found.indices.tolist()
            assert [one["distance"] for one in listed] == found.distances.tolist()

    def test_infinite_distances_are_words(self, capsys, formulas: str) -> None:
        _, out, _ = run(capsys, "nearest", formulas, "ln(x - 2)", "-k1", *RANGES, "--json")
        assert json.loads(out)["results"][0]["neighbors"][0]["distance"] == "inf"

    def test_an_atlas_on_disk_is_searched_with_its_own_probe(
        self, capsys, formulas: str, tmp_path: Path
    ) -> None:
        atlas = str(tmp_path / "my.atlas")
        run(capsys, "survey", formulas, "-o", atlas, *RANGES)
        code, out, _ = run(capsys, "nearest", atlas, "a*x", "-k", "2")
        assert code == 0
        assert [line.split()[2] for line in out.splitlines()] == ["C*x", "x*C"]

    def test_another_probe_than_the_atlas_has_is_an_error(
        self, capsys, formulas: str, tmp_path: Path
    ) -> None:
        atlas = str(tmp_path / "my.atlas")
        run(capsys, "survey", formulas, "-o", atlas, *RANGES)
        code, _, err = run(capsys, "nearest", atlas, "a*x", *RANGES, "--seed", "3")
        assert code == 1
        assert "probed differently" in err

    def test_of_formulas_that_behave_the_same_only_the_shortest_is_listed(
        self, capsys, formulas: str
    ) -> None:
        words = ["nearest", formulas, "1.01*a*x", "sin(x)", *RANGES, "--distinct", "--json"]
        code, out, err = run(capsys, *words, "-k", "3")
        assert (code, err) == (0, "symbed: free parameters: C\n")
        first, second = json.loads(out)["results"]
        assert [one["label"] for one in first["neighbors"]] == ["C*x", "sin(x)", "C*x^2"]
        assert [one["label"] for one in second["neighbors"]] == ["sin(x)", "C*x", "C*x^2"]
        probe = symbed.Probe({"x": (1, 5)}, parameters=(1, 5))
        for one in first["neighbors"]:
            a, b = (symbed.observe(text, probe) for text in ("1.01*a*x", one["label"]))
            assert one["distance"] == symbed.distance(a, b)

    def test_more_than_there_are_different_ones_gives_all_of_these(
        self, capsys, formulas: str
    ) -> None:
        words = ["nearest", formulas, "C*x", *RANGES, "--distinct", "-k", "7"]
        code, out, _ = run(capsys, *words)
        assert code == 0
        assert [line.split()[2] for line in out.splitlines()] == [
            "C*x", "sin(x)", "C*x^2", "ln(-x)",
        ]  # fmt: skip

    def test_the_search_for_different_ones_goes_past_a_large_group(
        self, capsys, tmp_path: Path
    ) -> None:
        path = tmp_path / "many.txt"
        path.write_text("\n".join([f"x + {k} - {k}" for k in range(60)] + ["x^2", "x^3"]))
        words = ["nearest", str(path), "x", "--domain", "x=1:5", "--distinct", "-k", "3", "--json"]
        _, out, _ = run(capsys, *words)
        labels = [one["label"] for one in json.loads(out)["results"][0]["neighbors"]]
        assert labels == ["x + 0 - 0", "x^2", "x^3"]

    @pytest.mark.parametrize(
        ("words", "said"),
        [
            (["a*x", "-k", "8", *RANGES], "k is 8, but the atlas has only 7 expressions"),
            (["a*y", *RANGES], "'y'"),
            (["a*x"], "--domain"),
            (["a*x", *RANGES, "--metric", "l9"], "wasserstein"),
        ],
    )
    def test_errors_are_one_line(self, capsys, formulas: str, words: list[str], said: str) -> None:
        code, out, err = run(capsys, "nearest", formulas, *words)
        assert (code, out) == (1, "")
        assert said in err
        assert err.count("\n") == 1


class TestDuplicates:
    def test_groups_of_a_text_file_are_printed(self, capsys, formulas: str) -> None:
        code, out, _ = run(capsys, "duplicates", formulas, *RANGES)
        assert code == 0
        assert out.splitlines()[0] == "C*x"
        assert "C*exp(ln(x))" in out.splitlines()[2]
        assert "ln(-x)   (defined nowhere: equal by definition only)" in out
        assert out.splitlines()[-1] == "7 expressions, 4 that differ, 3 duplicates"

    def test_a_hall_of_fame_is_represented_by_its_lowest_losses(self, capsys) -> None:
        code, out, _ = run(capsys, "duplicates", str(HALL_OF_FAME), *SQUARE, "--json")
        document = json.loads(out)
        assert code == 0
        assert document["prefer"] == "loss"
        assert (document["n_expressions"], document["n_groups"]) == (16, 11)
        sizes = [len(group["members"]) for group in document["groups"]]
        largest = document["groups"][sizes.index(max(sizes))]
        losses = [member["loss"] for member in largest["members"]]
        assert len(losses) == 5
        assert losses[0] == min(losses)
        assert largest["members"][0]["complexity"] == 15

    def test_another_column_or_the_shortest_text_can_be_preferred(self, capsys) -> None:
        for words, text in (
            (["--prefer", "complexity"], "((x0 * x0) - x0) + (cos(x1) * 2.0)"),
            (["--prefer", "shortest"], "((x0 * x0) - x0) + (cos(x1) * 2.0)"),
        ):
            _, out, _ = run(capsys, "duplicates", str(HALL_OF_FAME), *SQUARE, *words)
            assert out.splitlines()[0] == text

    def test_a_threshold_can_be_given(self, capsys) -> None:
        _, out, _ = run(capsys, "duplicates", str(HALL_OF_FAME), *SQUARE, "--within", "0.02")
        assert out.splitlines()[-1] == "16 expressions, 9 that differ, 7 duplicates"

    def test_stdin_is_read(self, capsys, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr("sys.stdin", io.StringIO("x\nx + 0\n"))
        _, out, _ = run(capsys, "duplicates", "-", "--domain", "x=1:5", "--all")
        assert out.splitlines()[-1] == "2 expressions, 1 that differ, 1 duplicates"

    def test_an_unknown_column_is_an_error_that_names_those_there_are(self, capsys) -> None:
        code, _, err = run(capsys, "duplicates", str(HALL_OF_FAME), *SQUARE, "--prefer", "score")
        assert code == 1
        assert "shortest, complexity, loss" in err

    @pytest.mark.parametrize(
        "name", ["rmse", "MSE", "mae", "Error", "fitness", "objective", "cost"]
    )
    def test_a_loss_is_known_by_its_usual_names_and_that_is_said(
        self, capsys, tmp_path: Path, name: str
    ) -> None:
        path = tmp_path / "run.csv"
        path.write_text(f"formula,{name}\nx,0.3\nx + 0*x,0.1\nx^2,0.2\n")
        code, out, err = run(capsys, "duplicates", str(path), "--domain", "x=1:5")
        assert code == 0
        assert out.splitlines()[0] == "x + 0*x"
        assert err == f"symbed: groups are represented by the lowest {name.lower()} (--prefer)\n"

    def test_of_equal_losses_the_shortest_represents_the_group(
        self, capsys, tmp_path: Path
    ) -> None:
        path = tmp_path / "run.csv"
        rows = ["x*x*x/x,0.1", "x^2,0.1", "x*x + 0,0.1", "x*x,0.5", "(x)^2,nan"]
        path.write_text("\n".join(["equation,loss", *rows]))
        _, out, err = run(capsys, "duplicates", str(path), "--domain", "x=1:5", "--json")
        (group,) = json.loads(out)["groups"]
        assert group["members"][0]["label"] == "x^2"
        assert err == ""

    def test_texts_in_a_column_called_error_are_no_losses(self, capsys, tmp_path: Path) -> None:
        pytest.importorskip("matplotlib")
        path, picture = tmp_path / "run.csv", tmp_path / "groups.png"
        path.write_text("equation,error\nx + 0*x,none\nx,none\nx^2,slow\n")
        words = ["duplicates", str(path), "--domain", "x=1:5", "--plot", str(picture)]
        code, out, err = run(capsys, *words)
        assert (code, err) == (0, f"picture written to {picture}\n")
        assert out.splitlines()[0] == "x"
        assert picture.stat().st_size > 5_000

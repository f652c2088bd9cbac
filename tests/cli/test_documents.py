"""What ``--json`` prints is the ``to_dict()`` of what the library's verb gives; ``--csv`` its rows."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pytest

import symbed
from symbed._export import json_values
from symbed.cli import main
from symbed.cli.command_table import COMMANDS
from symbed.language.dialects.translator import Translator
from symbed.scoring.benchmark.tasks import read_problems
from symbed.scoring.result_files.result_file_reader import read_result_file
from symbed.verdicts import decide_pairs, relate_many
from symbed.workbench import Rewriter, fit, read_data, sample
from symbed.workbench.grammar.text_format import named_grammar

DOMAIN, RANGE = {"x": (1.0, 5.0)}, (1.0, 2.0)
WORDS = ["--domain", "x=1:5", "--parameters", "1:2", "--points", "8", "--draws", "4"]
PROBE = symbed.Probe(DOMAIN, RANGE, n_points=8, n_draws=4)
FORMULAS = ["a*x", "x*a", "x + 100"]
FILES = {
    "formulas.txt": "".join(f"{text}\n" for text in FORMULAS),
    "losses.csv": "equation,loss\nx,1\nx^2,2\n",
    "results.csv": "dataset,true_model,symbolic_model\nd,2*x,x + x\n",
    "data.csv": "x,y\n1,2\n2,4.5\n3,6\n",
    "pairs.csv": "e,f\n2*x,x + x\nx,x^2\n",
}


class Case(NamedTuple):
    """A command, what the library gives for it, and what the command adds: what was asked for."""

    words: list[str]
    result: Callable[[], dict[str, Any]]
    added: tuple[str, ...] = ()


def atlas() -> symbed.Atlas:
    return symbed.survey(FORMULAS, PROBE, metadata={"line": [1, 2, 3]})


def compared() -> dict[str, Any]:
    return symbed.compare(symbed.observe("a*x", PROBE), symbed.observe("x", PROBE)).to_dict()


def fitted() -> dict[str, Any]:
    data = read_data("data.csv", -1)
    made = fit(symbed.parse("a*x", ["x"]), data.X, data.y, variables=data.names)
    return made.to_dict() | made.standard_errors(data.X, data.y).to_dict()


def rewritten() -> dict[str, Any]:
    rewriter = Rewriter("C*sin(X_0)")
    rewriter.take(2)
    return rewriter.to_dict()


def converted() -> dict[str, Any]:
    return {"formulas": [Translator("infix").convert("x + 1", "latex").to_dict()]}


CASES = {
    "distance": Case(["a*x", "x", *WORDS], compared, ("seed", "design", "variables", "parameters")),
    "decide": Case(
        ["2*x", "x + x", "--domain", "x=1:5"],
        lambda: symbed.decide("2*x", "x + x", DOMAIN).to_dict(),
    ),
    "decide a table": Case(
        ["pairs.csv", "--domain", "x=1:5", "--workers", "1"],
        lambda: decide_pairs(["2*x", "x"], ["x + x", "x^2"], DOMAIN).to_dict(),
    ),
    "relate": Case(
        ["a*x", "b*x^2", "--domain", "x=1:5"],
        lambda: symbed.relate("a*x", "b*x^2", DOMAIN).to_dict(),
    ),
    "relate a file": Case(
        ["a*x", "formulas.txt", "--domain", "x=1:5", "--workers", "1"],
        lambda: relate_many(
            symbed.parse("a*x", ["x"]), [symbed.parse(text, ["x"]) for text in FORMULAS], DOMAIN
        ).to_dict(),
    ),
    "effective": Case(
        ["a*b*x", "--domain", "x=1:5"], lambda: symbed.effective("a*b*x", DOMAIN).to_dict()
    ),
    "score": Case(
        ["losses.csv", "--truth", "a*x", "--domain", "x=1:5"],
        lambda: symbed.score("losses.csv", "a*x", DOMAIN).to_dict(),
    ),
    "score result files": Case(
        ["results.csv", "--domain", "x=1:5", "--workers", "1"],
        lambda: symbed.scoring.judge_results(
            [read_result_file("results.csv")], domain=DOMAIN, workers=1
        ).to_dict(),
    ),
    "show": Case(["a*x"], lambda: symbed.parse("a*x").to_dict(), ("program",)),
    "matrix": Case(
        ["formulas.txt", *WORDS], lambda: symbed.pairwise(atlas()).to_dict(), ("output", "skipped")
    ),
    "sample": Case(
        ["-n", "2"], lambda: sample(named_grammar("paper", 2), 2).to_dict(), ("seed", "unique")
    ),
    "equivalents": Case(["C*sin(X_0)", "-n", "2"], rewritten, ("seed",)),
    "survey": Case(
        ["formulas.txt", *WORDS, "-o", "my.atlas"],
        lambda: symbed.survey("formulas.txt", PROBE).to_dict(),
        ("atlas",),
    ),
    "nearest": Case(
        ["formulas.txt", "x", *WORDS, "-k", "2"],
        lambda: symbed.nearest(["x"], atlas(), 2).to_dict(),
    ),
    "duplicates": Case(
        ["formulas.txt", *WORDS], lambda: symbed.duplicates(atlas()).to_dict(), ("prefer",)
    ),
    "cluster": Case(
        ["formulas.txt", *WORDS, "-n", "2", "--method", "medoids"],
        lambda: symbed.cluster(atlas(), 2, method="medoids", metric="relative").to_dict(),
    ),
    "select": Case(
        ["losses.csv", "-k", "1", *WORDS],
        lambda: symbed.select(
            symbed.survey("losses.csv", PROBE, metadata={"line": [2, 3]}), 1
        ).to_dict(),
    ),
    "convert": Case(["x + 1", "--from", "infix", "--to", "latex"], converted, ("from", "to")),
    "fit": Case(["a*x", "data.csv"], fitted, ("n_starts", "seed")),
    "benchmark": Case(
        ["problems", "--problems", "nguyen:2"],
        lambda: {"problems": [{"name": one.name} for one in read_problems(["nguyen:2"])]},
    ),
}
# They print no result of a verb: a script, and where the page is.
WITHOUT_RESULT = {"completion", "explore"}


def test_every_command_is_among_them() -> None:
    assert {name.split()[0] for name in CASES} == COMMANDS.keys() - WITHOUT_RESULT


def run(capsys: Any, name: str, flag: str) -> str:
    assert main([name.split()[0], *CASES[name].words, flag]) == 0
    return str(capsys.readouterr().out)


@pytest.fixture(autouse=True)
def _files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, text in FILES.items():
        (tmp_path / name).write_text(text)
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize("name", CASES)
def test_json_is_what_the_verb_gives(name: str, capsys: Any) -> None:
    document, case = json.loads(run(capsys, name, "--json")), CASES[name]
    expected = json_values(case.result())
    if name == "benchmark":  # the problems of the table, each with what the command lists of it
        document["problems"] = [{"name": row["name"]} for row in document["problems"]]
    for one in (document, expected):  # how long it took, twice
        one.get("summary", {}).pop("seconds", None)
    assert document.keys() == expected.keys() | set(case.added)
    assert {key: document[key] for key in expected} == expected


@pytest.mark.parametrize("name", CASES)
def test_a_table_has_plain_cells_and_as_many_in_each_row(name: str, capsys: Any) -> None:
    header, *rows = csv.reader(io.StringIO(run(capsys, name, "--csv")))
    assert rows
    assert len(set(header)) == len(header)
    assert {len(row) for row in rows} == {len(header)}
    assert not [cell for row in rows for cell in row if cell.startswith(("{'", '{"', "['"))]


@pytest.mark.parametrize("name", ["matrix", "duplicates", "cluster", "select", "decide a table"])
def test_a_row_of_a_file_names_its_line(name: str, capsys: Any) -> None:
    rows = list(csv.DictReader(io.StringIO(run(capsys, name, "--csv"))))
    text = {"decide a table": "e", "matrix": ""}.get(name, "label")
    path = next(word for word in CASES[name].words if word in FILES)
    lines = Path(path).read_text().splitlines()
    assert all(row[text] in lines[int(float(row["line"])) - 1] for row in rows)


def test_relations_of_a_file_are_columns_not_dictionaries(capsys: Any) -> None:
    first, *_ = csv.DictReader(io.StringIO(run(capsys, "relate a file", "--csv")))
    assert first["e_in_f.contained"] == "True"
    assert first["e_in_f.substitution.a"] == "a"


def test_skipped_lines_are_those_of_the_file(capsys: Any) -> None:
    Path("broken.csv").write_text("equation,loss\nx,1\nx +* 1,2\n")
    for command in (["matrix", "broken.csv"], ["survey", "broken.csv", "-o", "my.atlas"]):
        assert main([*command, *WORDS, "--skip", "--json"]) == 0
        out, err = capsys.readouterr()
        assert [one["line"] for one in json.loads(out)["skipped"]] == [3]
        assert "line 3 skipped" in err

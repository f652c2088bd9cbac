"""One rule of names in every verb and command: variable, declared parameter, free one, or mistake.

A name that looks like a variable, or misses one by case or by a letter, is an error with a
suggestion; every other name is a free parameter, and the answer lists it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import symbed
from symbed.cli import main
from symbed.cli.command_table import command_parsers, option_flags
from symbed.errors import MissingVariable
from symbed.verdicts import form_distance, grade
from symbed.workbench.fitting import fit

DOMAIN = {"x": (0.5, 1.0), "time": (0.5, 1.0)}
PROBE = symbed.Probe(DOMAIN, parameters=(1, 2))
DATA = {"x": [1.0, 2.0, 3.0, 4.0], "time": [1.0, 2.5, 3.0, 3.5], "out": [2.0, 4.1, 6.3, 7.9]}

# A name in a formula, and the variable that the error suggests; empty if it only looks like one.
MISTAKES = [("z", ""), ("t2", ""), ("X", "x"), ("Time", "time"), ("xx", "x"), ("tmie", "time"),
            ("tim", "time"), ("timee", "time"), ("xtime", "x*time"), ("Pi", "pi"), ("M_E", "e")]  # fmt: skip

VERBS: dict[str, Callable[[str], Any]] = {
    "observe": lambda f: symbed.observe(f, PROBE),
    "survey": lambda f: symbed.survey(["x", f], PROBE),
    "bed": lambda f: symbed.bed("x", f, domain=DOMAIN, parameters=(1, 2)),
    "pairwise": lambda f: symbed.pairwise(["x", f], probe=PROBE),
    "nearest, in the list": lambda f: symbed.nearest("x", ["x", f], k=1, probe=PROBE),
    "nearest, the query": lambda f: symbed.nearest(f, ["x", "x^2"], k=1, probe=PROBE),
    "duplicates": lambda f: symbed.duplicates(["x", f], probe=PROBE),
    "cluster": lambda f: symbed.cluster(["x", "x^2", f], n_clusters=2, probe=PROBE),
    "select": lambda f: symbed.select(["x", f], 1, [1.0, 2.0], probe=PROBE),
    "decide": lambda f: symbed.decide("x", f, DOMAIN),
    "relate, E": lambda f: symbed.relate(f, "C*x", DOMAIN),
    "relate, F": lambda f: symbed.relate("C*x", f, DOMAIN),
    "effective": lambda f: symbed.effective(f, DOMAIN),
    "form_distance": lambda f: form_distance(f, "C*x", DOMAIN),
    "score, the truth": lambda f: symbed.score(["x"], f, DOMAIN),
    "fit": lambda f: fit(f, *_columns()),
}


def _columns() -> tuple[Any, Any]:
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(DATA)
    return frame[["x", "time"]], frame["out"]


@pytest.mark.parametrize("verb", VERBS)
@pytest.mark.parametrize(("name", "meant"), MISTAKES)
def test_a_verb_refuses_a_name_that_is_a_mistake(verb: str, name: str, meant: str) -> None:
    with pytest.raises(MissingVariable) as caught:
        VERBS[verb](f"{name}*x")
    said = str(caught.value)
    assert f"'{name}'" in said
    assert (f"did you mean '{meant}'" if meant else "looks like a variable") in said


@pytest.mark.parametrize(("name", "meant"), [("z", ""), ("tmie", "time")])
def test_an_answer_with_such_a_name_is_not_graded(name: str, meant: str) -> None:
    graded = str(grade(f"{name}*x", "x*time", DOMAIN))
    assert graded.startswith("cannot tell")
    assert (f"did you mean '{meant}'" if meant else "looks like a variable") in graded


DECLARED = {"z": (1, 2), "xx": (1, 2), "T": (1, 2)}


@pytest.mark.parametrize("name", DECLARED)
def test_what_is_declared_by_name_is_a_parameter_in_every_verb(name: str) -> None:
    formula, probe = f"{name}*x", symbed.Probe(DOMAIN, parameters={name: (1, 2)})
    ranges = {name: (1.0, 2.0), "C": (1.0, 2.0)}
    assert symbed.observe(formula, probe).n_draws == 32
    assert symbed.survey([formula], probe).parameters == (name,)
    assert symbed.bed("x", formula, domain=DOMAIN, parameters={name: (1, 2)}) > 0
    assert symbed.relate(formula, "C*x", DOMAIN, ranges).relation == "same"
    assert symbed.effective(formula, DOMAIN, ranges).rank == 1
    assert form_distance(formula, "C*x", DOMAIN, ranges) == 0
    assert len(symbed.score(["2*x"], formula, DOMAIN, values={name: 2.0}).rows) == 1
    assert set(fit(formula, *_columns(), bounds={name: (-9, 9)}).values) == {name}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    rows = zip(*DATA.values(), strict=True)
    lines = [",".join(DATA), *(",".join(map(str, row)) for row in rows)]
    (tmp_path / "data.csv").write_text("\n".join(lines) + "\n")
    return tmp_path


BOX = ("--domain", "x=0.5:1,time=0.5:1")
RANGES = ("--parameters", "1:2")
# FILE is a table with the formula among others, F the formula.
COMMANDS: dict[str, tuple[str, ...]] = {
    "distance": ("x", "F", *BOX, *RANGES),
    "matrix": ("FILE", *BOX, *RANGES),
    "survey": ("FILE", "-o", "some.atlas", *BOX, *RANGES),
    "nearest": ("FILE", "x", "-k", "1", *BOX, *RANGES),
    "duplicates": ("FILE", *BOX, *RANGES),
    "cluster": ("FILE", "-n", "2", *BOX, *RANGES),
    "select": ("FILE", "-k", "1", *BOX, *RANGES),
    "decide": ("x", "F", *BOX),
    "relate": ("C*x", "F", *BOX),
    "effective": ("F", *BOX),
    "score": ("FOUND", "--truth", "F", *BOX),
    "fit": ("F", "data.csv"),
}
# What has no domain: there, names are told as they were read.
WITHOUT_DOMAIN = {
    "show", "convert", "sample", "equivalents", "benchmark", "explore", "completion", "reproduce",
}  # fmt: skip


def test_every_command_is_looked_at() -> None:
    assert set(command_parsers()) <= COMMANDS.keys() | WITHOUT_DOMAIN


def _run(capsys: Any, command: str, formula: str, *more: str) -> tuple[int, str, str]:
    Path("formulas.csv").write_text(f"loss,equation\n1,x\n2,x^2 + time\n3,{formula}\n")
    Path("found.csv").write_text("loss,equation\n1,2*x\n2,x^2 + time\n")
    given = {"F": formula, "FILE": "formulas.csv", "FOUND": "found.csv"}
    code = main([command, *(given.get(word, word) for word in COMMANDS[command]), *more])
    out, err = capsys.readouterr()
    return code, out, err


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize(("name", "meant"), MISTAKES)
def test_a_command_refuses_a_name_that_is_a_mistake(
    capsys, folder: Path, command: str, name: str, meant: str
) -> None:
    code, _, err = _run(capsys, command, f"{name}*x")
    assert code == 1
    last = err.strip().split("\n")[-1]
    assert f"'{name}'" in last
    assert (f"did you mean '{meant}'" if meant else "looks like a variable") in last
    flags = option_flags(command_parsers()[command])
    assert set(re.findall(r"(?<!\S)--?[a-z]+", last)) <= set(flags)


@pytest.mark.parametrize("command", [name for name in COMMANDS if name != "decide"])
def test_every_answer_lists_its_free_parameters(capsys, folder: Path, command: str) -> None:
    code, out, err = _run(capsys, command, "rate*x + shift", "--json")
    assert code == 0, err
    for name in ("rate", "shift"):
        assert name in _listed(json.loads(out)) or re.search(rf"parameters[^\n]*\b{name}\b", err)


def test_decide_refuses_free_parameters_by_name(capsys, folder: Path) -> None:
    code, _, err = _run(capsys, "decide", "rate*x")
    assert code == 1
    assert "'rate' in 'rate*x' is a free parameter" in err


def _listed(document: Any) -> str:
    """What a document says under names that hold parameters, as text."""
    if isinstance(document, dict):
        held = [
            repr(value)
            for key, value in document.items()
            if "parameters" in key or key in ("values", "substitution")
        ]
        return " ".join(held) + " ".join(_listed(value) for value in document.values())
    return ""

"""What bad input gets: the right type, and a sentence that says what would work."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import symbed
from symbed import errors
from symbed.cli import main

PROBE = symbed.Probe({"x": (1, 5)}, parameters=(1, 5))
LINE = "a*x + b"


def _observed(text: str, n_points: int = 64) -> symbed.Behavior:
    probe = symbed.Probe({"x": (1, 5)}, parameters=(1, 5), n_points=n_points)
    return symbed.observe(text, probe)


# What is done, the exception, and parts that its message must hold.
CASES: list[tuple[Callable[[], Any], type[Exception], list[str]]] = [
    (lambda: symbed.parse("a*sn(x)"), errors.ParseError,
     ["unknown function 'sn' at column 3", "did you mean 'sin'?", "\n    a*sn(x)\n      ^"]),
    (lambda: symbed.parse("a*(x + 1"), errors.ParseError, ["column"]),
    (lambda: symbed.parse("x +"), errors.ParseError, ["column"]),
    (lambda: symbed.parse(""), errors.ParseError, ["empty"]),
    (lambda: symbed.parse("x ? 2"), errors.ParseError, ["'?'", "column 3"]),
    (lambda: symbed.parse("().__class__"), errors.ParseError, ["column"]),
    (lambda: symbed.parse("(" * 1000 + "x" + ")" * 1000), errors.LimitError, ["over the limit"]),
    (lambda: symbed.parse("x" * 65), errors.LimitError, ["65", "over the limit of 64"]),
    (lambda: symbed.Probe({"x": (5, 0)}), errors.RangeError,
     ["domain of 'x' needs low < high, got (5, 0)"]),
    (lambda: symbed.Probe({"x": (1, 5)}, parameters=(5, 1)), errors.RangeError,
     ["low < high", "(5, 1)"]),
    (lambda: symbed.Probe({"x": (1, 5)}, n_points=0), errors.RangeError, ["n_points", "0"]),
    (lambda: symbed.Probe({"x": (1, 5)}, design="sobal"), errors.RangeError,
     ["sobal", "lattice"]),
    (lambda: symbed.Probe.at([[1.0], [np.nan]], ["x"]), errors.SymbedError, ["x", "nan"]),
    (lambda: symbed.observe(LINE, symbed.Probe({"x": (1, 5)})), errors.MissingRange,
     ["'a*x + b' has free parameters a, b; give parameters=(low, high)"]),
    (lambda: symbed.observe("a*x", symbed.Probe({"x": (1, 5)}, parameters={"b": (1, 2)})),
     errors.MissingRange, ["'a'", "parameters"]),
    (lambda: symbed.bed("x", "x"), errors.MissingRange, ["domain={'x': (low, high)}"]),
    (lambda: symbed.observe("X_3 + X_0", symbed.Probe({"X_0": (1, 2), "X_1": (1, 2)},
                                                      parameters=(1, 5))),
     errors.MissingVariable, ["'X_3'", "X_0, X_1"]),
    (lambda: symbed.distance(_observed(LINE), _observed("a*sin(x)", 128)), errors.PointsMismatch,
     ["'a*x + b' was observed at 64 points and 'a*sin(x)' at 128; observe both with one probe"]),
    (lambda: symbed.compare(_observed("x"), "x"), errors.ShapeError, ["str", "observe("]),  # type: ignore[arg-type]
    (lambda: symbed.distance(_observed("x"), _observed("x"), p=3), errors.RangeError, ["p", "3"]),
    (lambda: symbed.distance(_observed("x"), _observed("x"), metric="l3"), errors.RangeError,
     ["l3", "wasserstein"]),
    (lambda: symbed.distance(_observed("x"), _observed("x"), mismatch=-1.0), errors.RangeError,
     ["mismatch", "-1"]),
    (lambda: symbed.survey([], PROBE), errors.DataError, ["nothing to survey"]),
    (lambda: symbed.survey(["x"], PROBE, workers=0), errors.RangeError, ["workers", "0"]),
    (lambda: symbed.observe(np.sin, PROBE), errors.ShapeError, ["Family("]),  # type: ignore[arg-type]
    (lambda: symbed.Behavior.from_samples([1.0, 2.0], [1.0, 2.0], "m"), errors.DataError,
     ["'m'", "(2,)"]),
    (lambda: symbed.bed("x", "y", points=[1.0, 2.0]), errors.DataError, ["x, y", "mapping"]),
    (lambda: symbed.bed("x", "y", points=[[1, 2]], domain={"x": (1, 2)}), errors.RangeError,
     ["not both"]),
]  # fmt: skip

DOMAIN = ["--domain", "x=1:5"]
COMMANDS: list[tuple[list[str], list[str]]] = [
    (["distance", "a*sn(x)", "x", *DOMAIN], ["unknown function 'sn'", "did you mean 'sin'?"]),
    (["distance", "a*x", "x", *DOMAIN], ["free parameter a", "parameters"]),
    (["distance", "x", "x"], ["--domain x=1:5"]),
    (["distance", "x", "x", "--domain", "x=5:1"], ["low < high"]),
    (["distance", "x", "x", "--domain", "x=5"], ["low:high", "'5'"]),
    (["distance", "x", "y", *DOMAIN], ["'y'", "domain"]),
    (["matrix", "no-such-file.txt", *DOMAIN], ["no-such-file.txt", "No such file"]),
    (["matrix", "bad.txt", *DOMAIN], ["line 2", "'sn'"]),
    (["matrix", "empty.txt", *DOMAIN], ["nothing to survey"]),
    (["matrix", "good.txt", "-o", "out.xls", *DOMAIN], [".csv, .npy or .parquet", "out.xls"]),
    (["matrix", "good.txt", "--data", "columns.csv"], ["columns.csv", "row 3"]),
]


@pytest.mark.parametrize(("act", "kind", "parts"), CASES, ids=[str(k) for k in range(len(CASES))])
def test_a_message_says_what_was_wrong_and_what_would_work(
    act: Callable[[], Any], kind: type[Exception], parts: list[str]
) -> None:
    with pytest.raises(symbed.SymbedError) as caught:
        act()
    assert isinstance(caught.value, kind)
    for part in parts:
        assert part in str(caught.value)


@pytest.mark.parametrize(("words", "parts"), COMMANDS, ids=[" ".join(w) for w, _ in COMMANDS])
def test_a_command_answers_a_users_error_in_one_line_and_exits_with_1(
    words: list[str],
    parts: list[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "good.txt").write_text("x\nx + 1\n")
    (tmp_path / "bad.txt").write_text("x\nsn(x)\n")
    (tmp_path / "empty.txt").write_text("# nothing\n")
    (tmp_path / "columns.csv").write_text("x,y\n1,2\n3\n")
    assert main(words) == 1
    said = capsys.readouterr()
    assert said.out == ""
    assert said.err.startswith("symbed: ")
    assert said.err.count("\n") == 1
    for part in parts:
        assert part in said.err


@pytest.mark.parametrize("words", [["distance", "x"], ["matrix", "--points", "x"]])
def test_wrong_usage_exits_with_2(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as caught:
        main(words)
    assert caught.value.code == 2
    assert capsys.readouterr().err.endswith(f"(symbed {words[0]} --help tells more)\n")


def test_every_error_derives_from_ours_and_from_a_builtin_one() -> None:
    kinds = [
        kind
        for _, kind in inspect.getmembers(errors, inspect.isclass)
        if issubclass(kind, errors.SymbedError) and kind is not errors.SymbedError
    ]
    assert len(kinds) >= 9
    for kind in kinds:
        builtins = [base for base in kind.__mro__ if base.__module__ == "builtins"]
        assert builtins[0] is not Exception


def test_the_tree_in_the_docstring_names_every_error() -> None:
    for name, kind in inspect.getmembers(errors, inspect.isclass):
        if issubclass(kind, errors.SymbedError):
            assert name in (errors.__doc__ or "")

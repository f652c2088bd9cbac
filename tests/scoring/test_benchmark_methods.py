"""Methods in processes of their own: what they are told, and how every ending is recorded."""

from __future__ import annotations

import sys
import time
from pathlib import Path

import numpy as np
import pytest

from symbed.errors import DataError, MissingExtra, RangeError
from symbed.scoring.benchmark import Limits, Method, read_method, read_problems
from symbed.scoring.benchmark.adapters.pysr_adapter import Pysr
from symbed.scoring.benchmark.methods import SHIPPED, check_method, read_methods, run_method
from symbed.scoring.benchmark.tasks import sample_data
from symbed.workbench import dataset

FILE = Path(__file__).with_name("benchmark_methods.py")
X, Y = np.linspace(0, 1, 20)[:, None], np.linspace(1, 3, 20)
QUICK = Limits(seconds=60.0, grace=60.0)


def ended(name: str, limits: Limits = QUICK):
    return run_method(read_method(f"{FILE}:{name}"), X, Y, ("X_0",), 0, limits)


def test_a_class_with_fit_and_formulas_is_a_method() -> None:
    found = ended("Line")
    assert found.status == "done"
    assert [row["formula"] for row in found.formulas] == ["2.0*X_0 + 1.0", "X_0"]
    assert found.megabytes > 1


def test_fit_is_told_what_it_asks_for_and_rows_may_have_more() -> None:
    found = ended("Truth")
    assert found.formulas[0]["loss"] == 0.1


@pytest.mark.parametrize(
    ("name", "status", "message"),
    [
        ("Crash", "crashed", "ArithmeticError: this went wrong"),
        ("Refused", "out of memory", "MemoryError"),
        ("Silent", "nothing", ""),
        ("Leaves", "crashed", "it ended without an answer"),
        ("Killed", "crashed", "killed by signal 11"),
        ("Garbage", "crashed", "ValueError: the end  [31m of it"),
        ("Unnamed", "crashed", "KeyError: \"a row of formulas() needs 'formula', it has expr\""),
        ("Number", "crashed", "TypeError: formulas() must give a list, got int"),
    ],
)
def test_how_a_method_fails_is_recorded(name: str, status: str, message: str) -> None:
    found = ended(name)
    assert (found.status, found.formulas) == (status, ())
    assert found.message.startswith(message)


def test_a_method_that_hangs_is_killed() -> None:
    found = ended("Hang", Limits(seconds=1.0, grace=1.0))
    assert found.status == "timed out"
    assert 2.0 <= found.seconds < 60.0


def test_a_method_that_heeds_no_signal_is_killed_just_as_well() -> None:
    assert ended("Stubborn", Limits(seconds=1.0, grace=2.0)).status == "timed out"


def test_what_a_method_leaves_running_is_ended_with_it() -> None:
    children = [int(row["formula"]) for row in ended("Forks").formulas]
    assert len(children) == 3
    end = time.monotonic() + 30.0  # the kernel takes its time on a busy machine
    while any(map(is_running, children)) and time.monotonic() < end:
        time.sleep(0.05)
    assert not any(map(is_running, children))


def is_running(process: int) -> bool:
    """Whether a process is neither gone nor a zombie that waits for its new parent."""
    try:
        return ") Z " not in Path(f"/proc/{process}/stat").read_text()
    except OSError:
        return False


def test_a_method_without_end_is_cut() -> None:
    formulas = ended("Endless").formulas
    assert (len(formulas), formulas[-1]["formula"]) == (1000, "X_0 + 999")


def test_formulas_are_texts_that_any_file_can_hold() -> None:
    huge, odd, plain = ended("Huge").formulas
    assert huge["formula"].endswith("... (a formula of 1,200,003 characters)")
    assert odd == {"formula": "X_0 ?"}
    assert plain == {"formula": "X_0"}


def test_a_method_that_eats_memory_is_killed() -> None:
    found = ended("Hungry", Limits(seconds=60.0, grace=60.0, megabytes=300.0))
    assert found.status == "out of memory"


def test_options_reach_the_class() -> None:
    method = read_method(f"{FILE}:Line", options={"decimals": 1})
    found = run_method(method, X, 0.123 * Y, ("X_0",), 0, QUICK)
    assert found.formulas[0]["formula"] == "0.2*X_0 + 0.1"


def test_a_method_is_known_by_its_text_and_not_by_its_place(tmp_path: Path) -> None:
    copy = tmp_path / "copy.py"
    copy.write_bytes(FILE.read_bytes())
    one, other = read_method(f"{FILE}:Line"), read_method(f"{copy}:Line")
    assert one.identity == other.identity
    copy.write_text(copy.read_text() + "\n# changed\n")
    assert one.identity != read_method(f"{copy}:Line").identity


@pytest.mark.parametrize(
    ("text", "error", "words"),
    [
        ("gplern", RangeError, "there is no method 'gplern'; known are random-search"),
        ("nowhere.py:Mine", DataError, "there is no file 'nowhere.py'"),
        ("my module:not a class", RangeError, "there is no method"),
    ],
)
def test_a_method_that_cannot_be_is_one_clear_error(text: str, error, words: str) -> None:
    with pytest.raises(error, match=words):
        read_method(text)


def test_two_methods_need_two_names_and_settings_an_owner() -> None:
    with pytest.raises(RangeError, match="two methods are called 'gplearn'"):
        read_methods(["gplearn", "gplearn"])
    assert [one.name for one in read_methods(["gplearn", "big=gplearn"])] == ["gplearn", "big"]
    with pytest.raises(RangeError, match="there is no method 'pysr' in this benchmark"):
        read_methods(["gplearn"], options={"pysr": {"niterations": 1}})
    with pytest.raises(RangeError, match="needs a method"):
        read_methods([])
    with pytest.raises(RangeError, match="plain values"):
        read_method("gplearn", options={"function_set": {1, 2}})


@pytest.mark.parametrize(
    ("method", "error", "words"),
    [
        (f"{FILE}:Missing", MissingExtra, "has no class Missing"),
        (f"{FILE}:NoFormulas", MissingExtra, "has no method formulas"),
        ("no_such_package:Mine", MissingExtra, "No module named 'no_such_package'"),
    ],
)
def test_an_adapter_that_cannot_be_had_is_told_before_anything_runs(method, error, words) -> None:
    with pytest.raises(error, match=words):
        check_method(read_method(method))


def test_a_python_that_is_none_is_told() -> None:
    with pytest.raises(DataError, match="is no Python"):
        check_method(Method("mine", str(FILE), "Line", "/nowhere/python"))


@pytest.mark.parametrize("name", SHIPPED)
def test_every_adapter_that_ships_has_fit_and_formulas(name: str) -> None:
    from symbed.scoring.benchmark.worker import load_adapter

    method = read_method(name)
    before = list(sys.path)
    try:
        adapter = load_adapter(method.place, method.class_name)
    finally:
        sys.path[:] = before
    assert adapter.__doc__


def test_pysr_is_read_from_what_a_run_saved(tmp_path: Path) -> None:
    folder = tmp_path / "outputs" / "20260101_000000_abc"
    folder.mkdir(parents=True)
    (folder / "hall_of_fame.csv").write_text(
        "Complexity,Loss,Equation\n1,7.3,2.0\n5,0.9,cos(x1) + square(x0)\n"
    )
    method = Pysr(saved=str(tmp_path))
    method.fit(X, Y, ["x0", "x1"], 1.0, 0)
    assert method.formulas()[0] == {"formula": "cos(x1) + square(x0)", "loss": 0.9, "complexity": 5}
    empty = tmp_path / "empty"
    empty.mkdir()
    with pytest.raises(FileNotFoundError, match=r"no hall_of_fame\.csv"):
        Pysr(saved=str(empty)).fit(X, Y, [], 1.0, 0)


@pytest.mark.slow
def test_proged_draws_and_fits() -> None:
    method = read_method("proged", options={"max_evaluations": 5})
    check_method(method)
    found = run_method(method, X, Y, ("X_0",), 1, QUICK)
    assert found.status in ("done", "nothing"), found.message
    assert all("C" not in row["formula"].split() for row in found.formulas)


def test_random_search_gives_the_same_front_for_the_same_seed() -> None:
    method = read_method("random-search", options={"n_candidates": 200})
    one, two = (run_method(method, X, Y, ("X_0",), 5, QUICK) for _ in range(2))
    assert one.status == "done"
    assert one.formulas == two.formulas
    losses = [row["loss"] for row in one.formulas]
    assert losses == sorted(losses)


def test_problems_are_chosen_by_collection_count_and_name() -> None:
    assert len(read_problems(["hidden"])) == 26
    found = [one.name for one in read_problems(["nguyen:3", "Nguyen-1", "cooling"])]
    assert len(found) == 4
    assert found[::3] == ["Nguyen-1", "cooling"]
    for words, said in [
        (["nguyen:99"], "nguyen has 12 problems"),
        (["nothing:3"], "collection must be one of"),
        (["I.29.5"], "did you mean"),
        ([], "needs problems"),
    ]:
        with pytest.raises(RangeError, match=said):
            read_problems(words)


def test_data_are_the_same_for_the_same_seed_and_noisier_with_noise() -> None:
    law = dataset("cooling")
    clean, noisy = sample_data(law, 4000, 0.0, 3), sample_data(law, 4000, 0.1, 3)
    assert np.array_equal(clean[0], noisy[0])
    noise = (noisy[1] - clean[1]) / clean[1].std()
    assert abs(noise.std() - 0.1) < 0.005
    assert abs(noise.mean()) < 0.01
    assert np.array_equal(noisy[1], sample_data(law, 4000, 0.1, 3)[1])
    assert not np.array_equal(noisy[1], sample_data(law, 4000, 0.1, 4)[1])

"""Surveys that are interrupted, killed or run out of room, and how they are gone on with."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import symbed
from symbed import Atlas, Probe, limits, nearest, observe, survey
from symbed.behavior import collector as collecting
from symbed.behavior import surveying as reading
from symbed.behavior.store.segments import Store
from symbed.errors import DataError, ParseError, SymbedError, UnfinishedSurvey

PROBE = Probe({"x": (1, 5)}, parameters=(1, 5), n_points=8, n_draws=4)
SOURCE = str(Path(symbed.__file__).parents[1])


def run(script: str, *arguments: object) -> subprocess.CompletedProcess[str]:
    """Run Python code in a process of its own."""
    return subprocess.run(
        [sys.executable, "-c", script, *map(str, arguments)],
        env=os.environ | {"PYTHONPATH": SOURCE},
        capture_output=True,
        text=True,
        timeout=300,
    )


def _begin(path: Path, lines: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """Leave a survey that was interrupted after its third batch."""
    monkeypatch.setattr(collecting, "BATCH_SOURCES", 10)
    monkeypatch.setattr(reading, "CHUNK", 10)

    def interrupt(n_read: int) -> None:
        if n_read == 40:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        survey(lines, PROBE, out=path, progress=interrupt)


def test_an_interrupted_survey_goes_on_where_it_was(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lines = [f"a*x + {k % 31}" for k in range(100)]
    _begin(tmp_path / "a", lines, monkeypatch)
    with pytest.warns(UnfinishedSurvey, match="holds 40 of an unfinished survey"):
        assert len(Atlas.open(tmp_path / "a")) == 40
    survey(lines, PROBE, out=tmp_path / "a")
    survey(lines, PROBE, out=tmp_path / "b")
    assert _files(tmp_path / "a") == _files(tmp_path / "b")


def test_an_unfinished_survey_says_so_wherever_it_is_used(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _begin(tmp_path / "a", [f"a*x + {k}" for k in range(100)], monkeypatch)
    with pytest.warns(UnfinishedSurvey, match=r"or end it: Atlas.open\(path, accept=True\)"):
        atlas = Atlas.open(tmp_path / "a")
    assert repr(atlas).startswith("Atlas(40 of an unfinished survey, 40 distinct, ")
    assert atlas.to_dict()["unfinished"] is True
    assert "40 of an unfinished survey" in atlas._repr_html_()
    with pytest.warns(UnfinishedSurvey, match="40 of an unfinished survey"):
        nearest("x", atlas, k=1)
    with pytest.warns(UnfinishedSurvey, match="40 of an unfinished survey"):
        atlas.save(tmp_path / "copy")
    with pytest.raises(DataError, match="holds an unfinished survey; survey the same sources"):
        atlas.append(["x"])


def test_accepting_an_unfinished_survey_makes_it_whole(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _begin(tmp_path / "a", [f"a*x + {k}" for k in range(100)], monkeypatch)
    assert repr(Atlas.open(tmp_path / "a", accept=True)).startswith("Atlas(40 expressions, ")
    assert not Atlas.open(tmp_path / "a").is_unfinished
    assert len(Atlas.open(tmp_path / "a").append(["x"])) == 41


def test_a_copy_of_an_unfinished_survey_can_be_gone_on_with(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lines = [f"a*x + {k}" for k in range(100)]
    _begin(tmp_path / "a", lines, monkeypatch)
    with pytest.warns(UnfinishedSurvey):
        Atlas.open(tmp_path / "a").save(tmp_path / "copy")
    assert survey(lines, PROBE, out=tmp_path / "copy").labels == lines


def test_what_a_broken_survey_in_memory_finished_says_that_it_is_not_all() -> None:
    with pytest.raises(ParseError) as caught:
        survey(["x", "sn(x)"], PROBE)
    assert repr(caught.value.finished).startswith("Atlas(1 of an unfinished survey")


def test_a_survey_is_not_taken_up_with_something_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lines = [f"a*x + {k}" for k in range(100)]
    _begin(tmp_path / "a", lines, monkeypatch)
    for others in (["x", *lines[1:]], lines[:35]):
        with pytest.raises(DataError, match="was begun with other sources"):
            survey(others, PROBE, out=tmp_path / "a")
    with pytest.raises(DataError, match="was begun with keep='behaviors'"):
        survey(lines, PROBE, out=tmp_path / "a", keep="programs")
    assert len(survey(lines, PROBE, out=tmp_path / "a")) == 100


def test_what_was_chosen_for_a_folder_stays_while_it_is_gone_on_with(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lines = [f"a*x + {k}" for k in range(100)]
    _begin(tmp_path / "few", lines, monkeypatch)
    whole = limits.KEPT
    monkeypatch.setattr(limits, "KEPT", whole._replace(maximum=99 * 64))
    assert survey(lines, PROBE, out=tmp_path / "few").keep == "behaviors"
    _begin(tmp_path / "many", lines, monkeypatch)
    monkeypatch.setattr(limits, "KEPT", whole)
    assert survey(lines, PROBE, out=tmp_path / "many").keep == "programs"
    larger = Atlas.open(tmp_path / "many").append(["x"])
    assert larger.keep == "programs"
    np.testing.assert_array_equal(larger[99].values, observe(lines[99], PROBE).values)


def test_an_error_midway_keeps_the_batches_before_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(collecting, "BATCH_SOURCES", 10)
    monkeypatch.setattr(reading, "CHUNK", 10)
    lines = [f"x + {k}" for k in range(50)]
    with pytest.raises(ParseError) as caught:
        survey([*lines[:34], "sn(x)", *lines[35:]], PROBE, out=tmp_path / "a")
    assert caught.value.line == 35
    finished = caught.value.finished
    assert isinstance(finished, Atlas)
    assert finished.labels == lines[:30]
    assert survey(lines, PROBE, out=tmp_path / "a").labels == lines, "the line was mended"


def test_a_survey_that_failed_at_once_leaves_its_name_free(tmp_path: Path) -> None:
    for sources in (["sn(x)"], ["# remark"]):
        with pytest.raises(SymbedError):
            survey(sources, PROBE, out=tmp_path / "a")
    other = PROBE.with_(seed=5)
    assert survey(["x"], other, out=tmp_path / "a", keep="programs").probe == other


FULL_DISK = """
import resource, sys, symbed
from symbed.behavior import collector as collecting
from symbed.behavior import surveying as reading
collecting.BATCH_SOURCES = reading.CHUNK = 50
probe = symbed.Probe({"x": (1, 5)}, parameters=(1, 5))
def lines():
    for k in range(5000):
        if k == 120:  # from now on, no file grows beyond 100 KB
            resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000))
        yield f"a*x + {k}"
try:
    symbed.survey(lines(), probe, out=sys.argv[1], keep="behaviors")
except symbed.SymbedError as error:
    print(type(error).__name__, len(error.finished), error)
"""


def test_a_disk_that_fills_up_leaves_the_batches_before(tmp_path: Path) -> None:
    done = run(FULL_DISK, tmp_path / "a")
    assert done.stdout.startswith("StorageError 100 "), done.stderr
    assert "File too large; what was written before is complete" in done.stdout
    lines = [f"a*x + {k}" for k in range(200)]
    with pytest.warns(UnfinishedSurvey, match="100 of an unfinished survey"):
        assert Atlas.open(tmp_path / "a", verify=True).labels == lines[:100]


KILLED_APPENDS = """
import json, os, random, signal, sys, time
import symbed
from symbed import Atlas, Probe
path, n_kills = sys.argv[1], int(sys.argv[2])
rng = random.Random(n_kills)
def sources(number):
    return [f"a*x^{number} + {j}" for j in range(number % 5 + 1)]
def append_forever(tell):
    atlas = Atlas.open(path)
    while True:
        number = len(atlas.store.batches)
        new = sources(number)
        atlas = atlas.append(new, metadata={"n": [number] * len(new)}, workers=1)
        os.write(tell, b".")
def check(atlas):
    expected = [text for k in range(len(atlas.store.batches)) for text in sources(k)]
    assert list(atlas.labels) == expected
    assert len(atlas.metadata["n"]) == len(atlas.numbers) == len(expected)
    assert list(atlas.metadata["n"]) == [
        k for k in range(len(atlas.store.batches)) for _ in sources(k)]
    for k in rng.choices(range(len(atlas)), k=2):
        assert (atlas[k].values == symbed.observe(expected[k], atlas.probe).values).all()
symbed.survey(sources(0), Probe({"x": (1, 2)}, (1, 2), n_points=4, n_draws=4),
              metadata={"n": [0]}).save(path)
committed, left_behind = 1, 0
for _ in range(n_kills):
    ear, tell = os.pipe()
    child = os.fork()
    if not child:
        append_forever(tell)
    os.close(tell)
    time.sleep(rng.uniform(0.0, 0.08))
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    told = 0
    while more := os.read(ear, 1000):
        told += len(more)
    os.close(ear)
    atlas = Atlas.open(path, verify=True)
    names = {b.path.name for b in atlas.store.batches} | {"manifest.sqlite", "writer.lock"}
    left_behind += bool(set(os.listdir(path)) - names)
    n = len(atlas.store.batches)
    assert committed + told <= n <= committed + told + 1, (committed, told, n)
    committed = n
    check(atlas)
print(json.dumps({"committed": committed, "left_behind": left_behind}))
"""


@pytest.mark.parametrize("n_kills", [15, pytest.param(200, marks=pytest.mark.slow)])
def test_a_killed_writer_tears_nothing_and_loses_nothing(tmp_path: Path, n_kills: int) -> None:
    done = run(KILLED_APPENDS, tmp_path / "a", n_kills)
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    assert told["committed"] > n_kills // 20
    assert told["left_behind"] > 0, "no kill came in the middle of a write: the test proves nothing"


KILLED_SURVEY = """
import os, random, signal, sys, time
import symbed
from symbed.behavior import collector as collecting
from symbed.behavior import surveying as reading
collecting.BATCH_SOURCES, reading.CHUNK, collecting.MAX_KNOWN = 200, 50, 700
path, n_kills = sys.argv[1], int(sys.argv[2])
rng = random.Random(1)
names = "abcdfgh"
lines = [f"{rng.choice(names)}*x + {rng.choice(names)} + {rng.randrange(900)}" for _ in range(3000)]
lines = [rng.choice(["1e3*x", "sn(x)", "# remark", line, line, line]) for line in lines]
def go():
    symbed.survey(lines, symbed.Probe({"x": (1, 2)}, (1, 2), n_points=4, n_draws=4), errors="skip",
                  metadata={"n": range(len(lines))}, workers=2, out=path)
for _ in range(n_kills):
    child = os.fork()
    if not child:
        go()
        os._exit(0)
    time.sleep(rng.uniform(0.0, 0.1))
    os.kill(child, signal.SIGKILL)
    if not os.WIFSIGNALED(os.waitpid(child, 0)[1]):
        break
else:
    go()
"""


def test_a_survey_killed_again_and_again_ends_in_the_same_bytes(tmp_path: Path) -> None:
    for path, n_kills in ((tmp_path / "a", 40), (tmp_path / "b", 0)):
        done = run(KILLED_SURVEY, path, n_kills)
        assert done.returncode == 0, done.stderr
    assert _files(tmp_path / "a") == _files(tmp_path / "b")
    assert len(_files(tmp_path / "b")) > 5
    Store.open(tmp_path / "a").verify()


def _files(path: Path) -> list[str]:
    """The files of the batches in order: they are named by their content."""
    store = Store.open(path)
    assert store.meta["complete"]
    return [batch.path.name for batch in store.batches] + [json.dumps(store.meta, sort_keys=True)]


MEMORY = """
import resource, sys, symbed
from symbed.behavior import collector as collecting
collecting.BATCH_SOURCES, collecting.MAX_KNOWN = 4_000, 6_000
def lines(n):
    for k in range(n):
        yield f"C*sin({k}*x) + C" if k % 50 else f"C*sn({k}*x)"
probe = symbed.Probe({"x": (1, 5)}, parameters=(1, 5), n_points=16, n_draws=8)
symbed.survey(lines(int(sys.argv[2])), probe, out=sys.argv[1], keep=sys.argv[3], errors="skip")
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024)
"""


@pytest.mark.parametrize("keep", ["behaviors", "programs"])
def test_memory_does_not_grow_with_the_number_of_lines(tmp_path: Path, keep: str) -> None:
    peaks = []
    for n_lines in (15_000, 75_000):
        done = run(MEMORY, tmp_path / str(n_lines), n_lines, keep)
        assert done.returncode == 0, done.stderr
        peaks.append(int(done.stdout))
        shutil.rmtree(tmp_path / str(n_lines))
    assert peaks[1] < peaks[0] + 8, f"MB at 15,000 and 75,000 lines: {peaks}"

from __future__ import annotations

import io
import json
import os
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

import symbed
from symbed import Atlas, Family, Probe, limits, nearest, observe, pairwise, survey
from symbed.behavior import collector as collecting
from symbed.behavior import surveying as reading
from symbed.behavior.collector import Keep
from symbed.behavior.store import encoding as packing
from symbed.behavior.store import segments as writing
from symbed.behavior.store.segments import Store
from symbed.errors import DataError, ParseError, SymbedError, UnfinishedSurvey

PROBE = Probe({"x": (1, 5)}, parameters=(1, 5), n_points=8, n_draws=4)
TEXTS = ["a*x + b", "x^2", "b + a*x", "sin(C*x)", "log(x - 3)", "α*x", "x^2"]
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


def assert_same(one: Atlas, two: Atlas) -> None:
    assert list(one.labels) == list(two.labels)
    np.testing.assert_array_equal(one.numbers, two.numbers)
    for a, b in zip(one, two, strict=True):
        np.testing.assert_array_equal(a.values, b.values)
    assert list(one.skipped) == list(two.skipped)
    assert one.metadata.keys() == two.metadata.keys()


@pytest.mark.parametrize("keep", ["behaviors", "programs"])
def test_a_saved_atlas_opens_as_it_was(tmp_path: Path, keep: str) -> None:
    columns = {"loss": [0.5, 1, None, 2, 3, 4, 5], "source": list("abcdefg")}
    atlas = survey(TEXTS, PROBE, keep=keep, metadata=columns)  # type: ignore[arg-type]
    saved = atlas.save(tmp_path / "my.atlas")
    again = Atlas.open(tmp_path / "my.atlas", verify=True)
    for found in (saved, again):
        assert_same(atlas, found)
        np.testing.assert_array_equal(found.metadata["loss"], [0.5, 1, np.nan, 2, 3, 4, 5])
        assert list(found.metadata["source"]) == list("abcdefg")
        assert found.probe == PROBE
        assert repr(found) == repr(atlas)
    np.testing.assert_array_equal(pairwise(atlas).values, pairwise(again).values)
    assert nearest("x^2 + 0.1", again, k=1).labels == ["x^2"]


def test_a_saved_atlas_can_be_saved_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from symbed.behavior.store import atlas_folder as disk

    monkeypatch.setattr(disk, "BATCH_SOURCES", 3)
    first = survey(["x", "sn(x)", *TEXTS], PROBE, errors="skip").save(tmp_path / "a")
    assert len(Store.open(tmp_path / "a").batches) == 3
    monkeypatch.undo()
    second = first.with_metadata(n=range(len(first))).save(tmp_path / "b")
    assert len(Store.open(tmp_path / "b").batches) == 1
    assert_same(first.with_metadata(n=range(len(first))), second)


def test_appending_gives_a_larger_atlas_and_leaves_the_old_one(tmp_path: Path) -> None:
    old = survey(TEXTS, PROBE, metadata={"loss": range(7)}).save(tmp_path / "a")
    new = old.append(["x + 1", "x*a + b", "cos(x)"], metadata={"loss": [7.5, 8, 9]})
    new = new.append(["k0*x"], errors="skip").append(["tan(x)"])
    assert len(old) == 7
    assert list(new.labels) == [*TEXTS, "x + 1", "x*a + b", "cos(x)", "k0*x", "tan(x)"]
    assert new.numbers[8] == new.numbers[0], "it was known before"
    np.testing.assert_array_equal(new.metadata["loss"][6:], [6, 7.5, 8, 9, np.nan, np.nan])
    for label, behavior in zip(new.labels, new, strict=True):
        np.testing.assert_array_equal(behavior.values, observe(label, PROBE).values)


def test_what_is_appended_with_bad_lines_is_told(tmp_path: Path) -> None:
    atlas = survey(["x"], PROBE).save(tmp_path / "a")
    lines = ["# remark", "x + 1", "sn(x)", "", "x + 2"]
    new = atlas.append(lines, errors="skip", metadata={"loss": [0, 1, 2, 3, 4]})
    assert new.labels == ["x", "x + 1", "x + 2"]
    np.testing.assert_array_equal(new.metadata["loss"], [np.nan, 1, 4])
    assert [(bad.line, bad.text) for bad in new.skipped] == [(3, "sn(x)")]
    assert new.skipped[0].error.startswith("unknown function")
    with pytest.raises(ParseError):
        new.append(lines)
    assert len(Atlas.open(tmp_path / "a")) == 3


@pytest.mark.parametrize("keep", ["behaviors", "programs"])
def test_a_survey_to_disk_is_the_survey_in_memory(
    tmp_path: Path, keep: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(collecting, "BATCH_SOURCES", 100)
    monkeypatch.setattr(reading, "CHUNK", 30)
    lines = [f"a*x + {k % 300}\n" for k in range(1000)] + ["sn(x)\n", "\n", "sin(x)\n"]
    memory = survey(lines, PROBE, errors="skip", metadata={"n": range(1003)})
    disk = survey(
        io.StringIO("".join(lines)), PROBE, errors="skip", keep=keep,  # type: ignore[arg-type]
        out=tmp_path / "a", metadata={"n": iter(range(1003))},
    )  # fmt: skip
    assert len(Store.open(tmp_path / "a").batches) == 9
    assert_same(memory, disk)
    np.testing.assert_array_equal(disk.metadata["n"][-2:], [999, 1002])


def test_programs_that_were_forgotten_are_kept_twice_and_nothing_else_changes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(collecting, "BATCH_SOURCES", 100)
    monkeypatch.setattr(collecting, "MAX_KNOWN", 110)
    monkeypatch.setattr(reading, "CHUNK", 50)
    lines = [f"a*x + {k % 120}" for k in range(600)]
    atlas = survey(lines, PROBE, out=tmp_path / "a")
    assert 120 < atlas.n_distinct < 600
    assert atlas.labels == lines
    for number in (0, 119, 120, 300, 599):
        np.testing.assert_array_equal(atlas[number].values, observe(lines[number], PROBE).values)


def test_a_complete_or_different_folder_is_not_surveyed_into(tmp_path: Path) -> None:
    survey(TEXTS, PROBE, out=tmp_path / "a")
    with pytest.raises(DataError, match="is complete; append to it"):
        survey(TEXTS, PROBE, out=tmp_path / "a")
    with pytest.raises(DataError, match="exists already"):
        survey(TEXTS, PROBE).save(tmp_path / "a")
    with pytest.raises(DataError, match="probed differently, with Probe"):
        survey(TEXTS, PROBE.with_(seed=1), out=tmp_path / "a")
    with pytest.raises(DataError, match="probed differently, with Probe"):
        Atlas.open(tmp_path / "a", PROBE.with_(n_points=9))
    with pytest.raises(DataError, match="not on disk; write it there with save"):
        survey(TEXTS, PROBE).append(["x"])


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


def test_nothing_to_survey_is_an_error_also_on_disk(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="nothing to survey"):
        survey(["# remark"], PROBE, out=tmp_path / "a")


def test_callables_and_samples_cannot_be_written(tmp_path: Path) -> None:
    line = Family(lambda x, c: c[0] * x[:, 0], parameters=("a",), label="line")
    with pytest.raises(DataError, match="'line' is not a formula"):
        survey(["x", line], PROBE, out=tmp_path / "a")
    with pytest.raises(DataError, match="'line' is not a formula"):
        survey(["x", line], PROBE).save(tmp_path / "b")
    with pytest.raises(DataError, match="made of samples"):
        Atlas.from_behaviors([observe("x", PROBE)]).save(tmp_path / "c")


def test_token_lists_and_expressions_are_written_as_text(tmp_path: Path) -> None:
    sources = [["C", "*", "x", "^2"], symbed.parse("a*x", ["x"]), "x"]
    atlas = survey(sources, PROBE, out=tmp_path / "a")
    for text, behavior in zip(atlas.labels, survey(sources, PROBE), strict=True):
        np.testing.assert_array_equal(observe(text, PROBE).values, behavior.values)


@pytest.mark.parametrize(
    "probe",
    [
        Probe({"x": (1, 5), "y": (0, 0.1)}, {"a": (1, 2), "C": (0, 3)}, limit=1e6, seed=3),
        Probe.at([[0.1, 1 / 3], [2.0, 3.0]], ["x", "y"], parameters=(1, 5)),
        Probe.paper({"x": (1, 5), "y": (1, 2)}, (1, 5)),
        Probe({"x": (1, 5), "y": (1, 2)}, (1, 5)).half(1),
        Probe({"x": (1, 5), "y": (1, 2)}, design="shared"),
    ],
    ids=repr,
)
def test_the_probe_comes_back(tmp_path: Path, probe: Probe) -> None:
    survey(["x + y"], probe).save(tmp_path / "a")
    found = Atlas.open(tmp_path / "a").probe
    assert found is not None
    assert found == probe
    np.testing.assert_array_equal(found.points, probe.points)


def test_a_law_that_cannot_be_written_must_be_given_again(tmp_path: Path) -> None:
    from scipy.stats import norm

    probe = Probe({"x": norm(0, 1)}, n_points=8)
    survey(["x"], probe, out=tmp_path / "a")
    with pytest.raises(DataError, match="cannot be read from a file; give the probe"):
        Atlas.open(tmp_path / "a")
    assert len(Atlas.open(tmp_path / "a", probe)) == 1


@pytest.mark.parametrize(
    ("metadata", "told"),
    [
        ({"loss": [1]}, "'loss' has only 1 entries"),
        ({"loss": [1, 2, 3]}, "'loss' has more entries than the 2 sources"),
        ({"loss": [1, "a"]}, "'loss' must be numbers or texts, got int, str"),
        ({"loss": [1, {}]}, "'loss' must be numbers or texts, got dict, int"),
        ({"": [1, 2]}, "needs a name, got ''"),
    ],
)
def test_metadata_must_fit(tmp_path: Path, metadata: dict[str, list[object]], told: str) -> None:
    for out in (None, tmp_path / "a"):
        with pytest.raises(DataError, match=told):
            survey(["x", "x + 1"], PROBE, metadata=metadata, out=out)


def test_numbers_and_texts_do_not_mix_in_a_column(tmp_path: Path) -> None:
    atlas = survey(["x"], PROBE, metadata={"n": [1], "t": ["a"]}).save(tmp_path / "a")
    with pytest.raises(DataError, match="'n' is texts here and numbers in the atlas"):
        atlas.append(["x"], metadata={"n": ["a"]})
    with pytest.raises(DataError, match="'t' is numbers here and texts in the atlas"):
        atlas.append(["x"], metadata={"t": [1]})
    with pytest.raises(DataError, match="one entry for each of the 1 sources, got 2"):
        atlas.with_metadata(n=[1, 2])


@pytest.mark.parametrize("key", ["kind", "probe", "known_from", "keep"])
def test_a_manifest_without_what_it_must_say_is_damaged(tmp_path: Path, key: str) -> None:
    survey(["x"], PROBE).save(tmp_path / "a")
    with writing.open_writer(tmp_path / "a") as writer:
        writer.commit([], {key: None})
    with pytest.raises(DataError, match=r"damaged|is no symbed atlas"):
        Atlas.open(tmp_path / "a")


@pytest.mark.parametrize("place", [1, -3])
def test_arrays_that_do_not_belong_together_are_damage(tmp_path: Path, place: int) -> None:
    survey(["x", "a*x", "b*x^2"], PROBE).save(tmp_path / "a")
    texts = packing.pack_texts("labels", ["x"])
    with writing.open_writer(tmp_path / "a") as writer:
        writer.commit([writer.stage({"places": np.array([place]), **texts})], {})
    with pytest.raises(DataError, match="damaged: its arrays do not belong together"):
        Atlas.open(tmp_path / "a")


def test_an_atlas_of_a_version_with_other_numbers_is_told(tmp_path: Path) -> None:
    survey(["x"], PROBE).save(tmp_path / "a")
    with writing.open_writer(tmp_path / "a") as writer:
        writer.commit([], {"fingerprint": "0123"})
    with pytest.raises(DataError, match="whose probes gave other numbers; install that version"):
        Atlas.open(tmp_path / "a")


SMALL, LARGE = (0, 1), (100, 200)
ALPHABETICAL = Probe({"x": (1, 5)}, {"a": SMALL, "b": LARGE}, n_points=8, n_draws=4)
OTHER_ORDER = ALPHABETICAL.with_(parameters={"b": LARGE, "a": SMALL})


@pytest.mark.parametrize("keep", ["behaviors", "programs"])
@pytest.mark.parametrize("is_older", [False, True])
@pytest.mark.parametrize("probe", [ALPHABETICAL, OTHER_ORDER])
def test_ranges_in_another_order_are_matched_by_name(
    tmp_path: Path, probe: Probe, is_older: bool, keep: Keep
) -> None:
    survey(["a*x", "b + x"], probe, out=tmp_path / "a", keep=keep)
    if is_older:  # as atlases were written whose fingerprints do not tell the order
        with writing.open_writer(tmp_path / "a") as writer:
            writer.commit([], {"fingerprint": probe.unordered_fingerprint})
    for given in (None, ALPHABETICAL, OTHER_ORDER):
        atlas = Atlas.open(tmp_path / "a", given).append(["a - b"])
        assert atlas.probe == probe
        assert len(pairwise(atlas, probe=OTHER_ORDER).values) == len(atlas)
        for label, behavior in zip(atlas.labels, atlas, strict=True):
            np.testing.assert_array_equal(behavior.values, observe(label, probe).values)
    with pytest.raises(DataError, match="probed differently, with Probe"):
        Atlas.open(tmp_path / "a", probe.with_(parameters={"a": LARGE, "b": SMALL}))


def test_a_survey_is_gone_on_with_in_its_own_order_of_ranges(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(collecting, "BATCH_SOURCES", 1)
    monkeypatch.setattr(reading, "CHUNK", 1)
    with pytest.raises(ParseError):
        survey(["a*x", "sn(b)"], ALPHABETICAL, out=tmp_path / "a", keep="programs")
    assert Store.open(tmp_path / "a").meta["lines"] == 1
    atlas = survey(["a*x", "b + x"], OTHER_ORDER, out=tmp_path / "a", keep="programs")
    for label, behavior in zip(["a*x", "b + x"], atlas, strict=True):
        np.testing.assert_array_equal(behavior.values, observe(label, ALPHABETICAL).values)


def test_two_threads_that_append_take_turns(tmp_path: Path) -> None:
    survey(["x"], PROBE).save(tmp_path / "a")

    def append(number: int) -> None:
        Atlas.open(tmp_path / "a").append([f"x + {number}"], workers=1)

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(append, range(12)))
    assert sorted(Atlas.open(tmp_path / "a").labels) == sorted(
        ["x"] + [f"x + {k}" for k in range(12)]
    )


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

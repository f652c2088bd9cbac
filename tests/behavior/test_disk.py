"""Atlases on disk: saved, opened, appended to, and surveyed into."""

from __future__ import annotations

import io
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

import symbed
from symbed import Atlas, Family, Probe, nearest, observe, pairwise, survey
from symbed.behavior import collector as collecting
from symbed.behavior import surveying as reading
from symbed.behavior.collector import Keep
from symbed.behavior.store.segments import Store, open_writer
from symbed.errors import DataError, ParseError

PROBE = Probe({"x": (1, 5)}, parameters=(1, 5), n_points=8, n_draws=4)
TEXTS = ["a*x + b", "x^2", "b + a*x", "sin(C*x)", "log(x - 3)", "α*x", "x^2"]


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
        with open_writer(tmp_path / "a") as writer:
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

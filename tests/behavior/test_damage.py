from __future__ import annotations

import shutil
import sqlite3
from pathlib import Path

import numpy as np
import pytest

from benchmarks.damage import report
from symbed import Atlas, Probe, survey
from symbed.behavior.store import encoding, segments
from symbed.behavior.store._manifest import MANIFEST
from symbed.errors import DataError, StorageError

PROBE = Probe({"x": (1, 5)}, parameters=(1, 5), n_points=8, n_draws=4)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A small atlas of programs."""
    survey(["a*x", "x", "sin(a*x) + b"], PROBE, out=tmp_path / "a", keep="programs")
    return tmp_path / "a"


def flip(file: Path, bit: int) -> None:
    """Flip one bit of a file."""
    content = bytearray(file.read_bytes())
    content[bit // 8] ^= 1 << bit % 8
    file.write_bytes(content)


@pytest.mark.parametrize("verify", [True, False])
def test_random_flipped_bits_neither_pass_in_silence_nor_hang(verify: bool) -> None:
    seen = report(150, 1, 30.0, verify=verify)
    assert [goal.name for goal in seen.goals if not goal.met] == [], seen.facts


def test_any_flipped_bit_of_the_manifest_is_found_even_without_verify(path: Path) -> None:
    size = (path / MANIFEST).stat().st_size
    for bit in np.random.default_rng(0).integers(8 * size, size=200).tolist():
        flip(path / MANIFEST, bit)
        with pytest.raises(DataError, match=MANIFEST):
            Atlas.open(path)
        flip(path / MANIFEST, bit)
    Atlas.open(path, verify=True)


def test_a_flipped_bit_of_a_small_segment_is_found_when_it_is_read(path: Path) -> None:
    (file,) = path.glob("*.seg")
    flip(file, 77)
    with pytest.raises(DataError, match=f"{file.name} is damaged: its content has changed"):
        Atlas.open(path)


@pytest.mark.parametrize(
    ("array", "place", "value"),
    [
        ("varied_parameters", 0, 1 << 30),  # would ask for a billion draws
        ("varied_parameters", 1, 0),
        ("varied_parameters", 0, -1),
        ("varied_starts", 1, 1 << 40),
        ("varied_starts", 1, -1),
        ("varied_starts", 2, 5),
        ("places", 0, 7),
        ("places", 0, -(1 << 62)),
    ],
)
def test_what_is_mapped_is_checked_against_its_limits(
    path: Path, monkeypatch: pytest.MonkeyPatch, array: str, place: int, value: int
) -> None:
    monkeypatch.setattr(segments, "READ_WHOLE", 0)  # as if the segment were large
    (batch,) = segments.Store.open(path).batches
    dtype, _, offset = batch.places[array]
    content = bytearray(batch.path.read_bytes())
    numbers = np.frombuffer(content, dtype, offset=offset)
    numbers[place] = value
    batch.path.write_bytes(content)
    with pytest.raises(DataError, match="is damaged"):
        Atlas.open(path)


def test_words_that_are_no_program_are_damage_of_their_folder(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(segments, "READ_WHOLE", 0)
    (batch,) = segments.Store.open(path).batches
    content = bytearray(batch.path.read_bytes())
    np.frombuffer(content, np.int32, offset=batch.places["varied_words"].offset)[0] = -1
    batch.path.write_bytes(content)
    atlas = Atlas.open(path)
    with pytest.raises(DataError, match=f"{path} is damaged"):
        _ = atlas[0].outputs


def unsealed(path: Path) -> None:
    """Make the manifest one of format 1, as earlier versions wrote it."""
    with sqlite3.connect(path / MANIFEST) as database:
        database.execute("PRAGMA secure_delete = ON")
        database.execute("DELETE FROM meta WHERE key = 'seal'")
        database.execute("UPDATE meta SET value = '1' WHERE key = 'format'")
    database.close()


def test_an_atlas_of_an_earlier_version_opens_and_is_sealed_when_it_grows(path: Path) -> None:
    unsealed(path)
    atlas = Atlas.open(path)
    assert atlas.labels == ["a*x", "x", "sin(a*x) + b"]
    with pytest.raises(DataError, match="without a digest, and cannot be verified; open it"):
        Atlas.open(path, verify=True)
    atlas.append(["x^2"])
    assert len(Atlas.open(path, verify=True)) == 4


def test_a_probe_with_nul_in_a_name_is_told_as_damage(path: Path) -> None:
    unsealed(path)
    with sqlite3.connect(path / MANIFEST) as database:
        database.execute("UPDATE meta SET value = replace(value, '[\"x\"]', '[\"x\\u0000\"]')")
    database.close()
    with pytest.raises(DataError):
        Atlas.open(path)


def test_a_file_that_cannot_be_read_is_named(path: Path, tmp_path: Path) -> None:
    shutil.copytree(path, tmp_path / "b")
    (file,) = (tmp_path / "b").glob("*.seg")
    size = file.stat().st_size
    file.unlink()
    file.mkdir()
    with pytest.raises((DataError, StorageError), match=file.name):
        Atlas.open(tmp_path / "b")
    assert size > 0


@pytest.mark.parametrize("key", ["kind", "probe", "known_from", "keep"])
def test_a_manifest_without_what_it_must_say_is_damaged(tmp_path: Path, key: str) -> None:
    survey(["x"], PROBE).save(tmp_path / "a")
    with segments.open_writer(tmp_path / "a") as writer:
        writer.commit([], {key: None})
    with pytest.raises(DataError, match=r"damaged|is no symbed atlas"):
        Atlas.open(tmp_path / "a")


@pytest.mark.parametrize("place", [1, -3])
def test_arrays_that_do_not_belong_together_are_damage(tmp_path: Path, place: int) -> None:
    survey(["x", "a*x", "b*x^2"], PROBE).save(tmp_path / "a")
    texts = encoding.pack_texts("labels", ["x"])
    with segments.open_writer(tmp_path / "a") as writer:
        writer.commit([writer.stage({"places": np.array([place]), **texts})], {})
    with pytest.raises(DataError, match="damaged: its arrays do not belong together"):
        Atlas.open(tmp_path / "a")


def test_an_atlas_of_a_version_with_other_numbers_is_told(tmp_path: Path) -> None:
    survey(["x"], PROBE).save(tmp_path / "a")
    with segments.open_writer(tmp_path / "a") as writer:
        writer.commit([], {"fingerprint": "0123"})
    with pytest.raises(DataError, match="whose probes gave other numbers; install that version"):
        Atlas.open(tmp_path / "a")

from __future__ import annotations

import errno
import json
import os
import sqlite3
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from symbed.behavior.store import segments as storing
from symbed.behavior.store._manifest import MANIFEST
from symbed.behavior.store.segments import Store, keep_derived, open_writer
from symbed.errors import DataError, StorageError

NUMBERS = np.arange(12.0).reshape(3, 4)
NAMES = np.frombuffer(b"abc", np.uint8)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A store with two batches."""
    with open_writer(tmp_path / "store", {"who": "me"}) as writer:
        writer.commit([writer.stage({"numbers": NUMBERS, "names": NAMES})], {"n": 1})
        writer.commit([writer.stage({"numbers": NUMBERS[:0]})], {"n": 2})
    return tmp_path / "store"


def segment_file(path: Path) -> Path:
    """The file of the first batch."""
    return Store.open(path).batches[0].path


def test_what_was_written_is_read(path: Path) -> None:
    store = Store.open(path)
    first, second = store.batches
    np.testing.assert_array_equal(first["numbers"], NUMBERS)
    assert first["names"].tobytes() == b"abc"
    assert second["numbers"].shape == (0, 4)
    assert set(second) == {"numbers"}
    assert (store.meta["who"], store.meta["n"]) == ("me", 2)
    assert [batch.count("numbers") for batch in store.batches] == [3, 0]
    assert [batch.count("names") for batch in store.batches] == [3, 0]


def test_an_array_can_be_written_in_pieces(tmp_path: Path) -> None:
    with open_writer(tmp_path, {}) as writer:
        store = writer.commit([writer.stage({"n": [NUMBERS[:1], NUMBERS[1:]]})], {})
    np.testing.assert_array_equal(store.batches[0]["n"], NUMBERS)


@pytest.mark.parametrize("dtype", storing.DTYPES)
def test_each_type_of_number_comes_back(tmp_path: Path, dtype: str) -> None:
    array = np.array([0, 1, 1], dtype)
    with open_writer(tmp_path, {}) as writer:
        found = writer.commit([writer.stage({"n": array})], {}).batches[0]["n"]
    assert found.dtype == array.dtype
    np.testing.assert_array_equal(found, array)


def test_large_segments_are_mapped_and_small_ones_read(tmp_path: Path) -> None:
    large = np.zeros(storing.READ_WHOLE // 8 + 1)
    with open_writer(tmp_path, {}) as writer:
        store = writer.commit([writer.stage({"n": large}), writer.stage({"n": large[:9]})], {})
    mapped, read = (batch["n"] for batch in store.batches)
    assert _owner(mapped) is np.memmap
    assert _owner(read) is np.ndarray
    assert not mapped.flags.writeable
    assert not read.flags.writeable


def _owner(array: np.ndarray) -> type:
    while isinstance(array.base, np.ndarray):
        array = array.base
    return type(array)


def test_arrays_begin_where_vector_units_like_it(path: Path) -> None:
    for batch in Store.open(path).batches:
        assert [place.offset % 64 for place in batch.places.values()] == [0] * len(batch)


def test_the_same_content_has_the_same_name(path: Path, tmp_path: Path) -> None:
    with open_writer(tmp_path / "other", {}) as writer:
        writer.commit([writer.stage({"numbers": NUMBERS, "names": NAMES})], {})
    assert segment_file(tmp_path / "other").name == segment_file(path).name


def test_an_open_store_stays_as_it_is_while_others_append(path: Path) -> None:
    before = Store.open(path)
    with open_writer(path) as writer:
        writer.commit([writer.stage({"numbers": NUMBERS})], {"n": 3})
    assert (len(before.batches), before.meta["n"]) == (2, 2)
    assert len(Store.open(path).batches) == 3


def test_staged_segments_are_committed_together_or_not_at_all(path: Path) -> None:
    with open_writer(path) as writer:
        writer.stage({"numbers": NUMBERS + 1})
        staged = [writer.stage({"numbers": NUMBERS + k}) for k in (2, 3)]
        assert len(Store.open(path).batches) == 2
        writer.commit(staged, {})
    assert len(Store.open(path).batches) == 4


def test_the_next_writer_sweeps_away_what_no_transaction_names(path: Path) -> None:
    (path / "0123.seg").write_bytes(b"half")
    (path / "77.tmp").write_bytes(b"less")
    (path / "mine.txt").write_text("not a file of the store")
    with open_writer(path):
        pass
    assert {file.name for file in path.iterdir()} >= {"mine.txt", MANIFEST, storing.LOCK}
    assert not (path / "0123.seg").exists()
    assert not (path / "77.tmp").exists()
    Store.open(path).verify()


def test_derived_arrays_last_until_there_are_more_batches(path: Path) -> None:
    store = Store.open(path)
    assert keep_derived(store, "sketches", {"means": NUMBERS})
    np.testing.assert_array_equal(Store.open(path).derived["sketches"]["means"], NUMBERS)
    assert keep_derived(store, "sketches", {"means": NUMBERS + 1})
    np.testing.assert_array_equal(Store.open(path).derived["sketches"]["means"], NUMBERS + 1)
    with open_writer(path) as writer:
        writer.commit([writer.stage({"numbers": NUMBERS})], {})
    assert Store.open(path).derived == {}
    assert not keep_derived(store, "sketches", {"means": NUMBERS}), "the store has grown since"


def test_derived_arrays_are_not_kept_where_nothing_can_be_written(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = Store.open(path)
    monkeypatch.setattr(os, "fsync", _failing(errno.EROFS))
    assert not keep_derived(store, "sketches", {"means": NUMBERS})
    assert Store.open(path).derived == {}


# What somebody does to a store, and what is said then.
DAMAGE: list[tuple[Callable[[Path], object], str]] = [
    (lambda p: segment_file(p).unlink(), "seg is missing"),
    (lambda p: os.truncate(segment_file(p), 5), "has 5 of"),
    (lambda p: (p / MANIFEST).write_bytes(b"garbage" * 99), "manifest.sqlite cannot be read"),
    (lambda p: (p / MANIFEST).write_bytes(b""), "manifest.sqlite cannot be read"),
    (lambda p: os.truncate(p / MANIFEST, 4096), "damaged"),
    (lambda p: (p / MANIFEST).unlink(), "is no atlas: it has no manifest.sqlite"),
    (lambda p: _sql(p, "UPDATE meta SET value = '{' WHERE key = 'who'"), "its format"),
    (lambda p: _sql(p, "UPDATE meta SET value = ? WHERE key = 'who'", "[" * 9**6), "its format"),
    (lambda p: _sql(p, "UPDATE meta SET value = 'Infinity' WHERE key = 'format'"), "its format"),
    (lambda p: _sql(p, "UPDATE segments SET file = ?", "a\0b.seg"), "describes"),
    (lambda p: _sql(p, "UPDATE segments SET bytes = 'many'"), "describes|bytes"),
    (lambda p: _without_seal(p), "its seal is missing"),
    (lambda p: _sql(p, "DELETE FROM meta WHERE key = 'format'"), "its format"),
    (lambda p: _sql(p, "DROP TABLE segments"), "no such table"),
    (lambda p: _sql(p, "UPDATE segments SET arrays = 'x'"), "describes"),
    (lambda p: _sql(p, "UPDATE segments SET file = '../' || file"), "describes"),
    (lambda p: _place(p, ["|O", [3], 0]), "describes"),
    (lambda p: _place(p, ["<f8", [3000], 0]), "describes"),
    (lambda p: _place(p, ["<f8", [-3], 0]), "describes"),
    (lambda p: _place(p, ["<f8", [1], -8]), "describes"),
    (lambda p: _sql(p, "UPDATE meta SET value = '3' WHERE key = 'format'"),
     "has atlas format 3, this symbed reads formats 1 and 2; install the version that wrote it"),
]  # fmt: skip


def _sql(path: Path, statement: str, *values: object) -> None:
    """Change the manifest, which is made one of format 1 first: those have no seal to break."""
    with sqlite3.connect(path / MANIFEST) as database:
        database.execute("DELETE FROM meta WHERE key = 'seal'")
        database.execute("UPDATE meta SET value = '1' WHERE key = 'format'")
        database.execute(statement, values)
    database.close()
    _without_seal(path)


def _without_seal(path: Path) -> None:
    """Blot the old seal out of the pages that SQLite has freed."""
    content = (path / MANIFEST).read_bytes()
    (path / MANIFEST).write_bytes(content.replace(b"symbed seal", b"...... ...."))


def _place(path: Path, place: list[object]) -> None:
    _sql(path, "UPDATE segments SET arrays = ?", json.dumps({"n": place}))


@pytest.mark.parametrize(("damage", "told"), DAMAGE, ids=[told for _, told in DAMAGE])
def test_a_damaged_store_is_told_as_one(
    path: Path, damage: Callable[[Path], object], told: str
) -> None:
    damage(path)
    with pytest.raises(DataError, match=told):
        Store.open(path)
    files = sorted(file.name for file in path.iterdir())
    with pytest.raises(DataError), open_writer(path):
        pass
    assert sorted(file.name for file in path.iterdir()) == files, "it is left as it is"


@pytest.mark.parametrize("at", [0, 100, -1])
def test_a_flipped_bit_is_found_when_asked_for(path: Path, at: int) -> None:
    Store.open(path).verify()
    content = bytearray(segment_file(path).read_bytes())
    content[at] ^= 4
    segment_file(path).write_bytes(content)
    with pytest.raises(DataError, match="its content has changed"):
        Store.open(path).verify()


def test_a_foreign_folder_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "thesis.tex").write_text("precious")
    with pytest.raises(DataError, match="no atlas and not empty"), open_writer(tmp_path, {}):
        pass
    with pytest.raises(DataError, match="is no atlas"):
        Store.open(tmp_path)
    with pytest.raises(DataError, match="no such folder"):
        Store.open(tmp_path / "nowhere")
    with pytest.raises(DataError, match="is a file"), open_writer(tmp_path / "thesis.tex", {}):
        pass
    assert [file.name for file in tmp_path.iterdir()] == ["thesis.tex"]


def test_a_writer_killed_before_the_manifest_was_whole_leaves_an_empty_folder(
    tmp_path: Path,
) -> None:
    (tmp_path / storing.LOCK).touch()
    (tmp_path / f"{MANIFEST}.tmp").write_bytes(b"half")
    with open_writer(tmp_path, {"n": 0}) as writer:
        assert writer.store.meta["n"] == 0


def test_a_second_writer_is_told_to_wait(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(storing, "PATIENCE", 0.05)
    with open_writer(path):
        with pytest.raises(StorageError, match="being written to by somebody else"):
            open_writer(path).__enter__()
        assert len(Store.open(path).batches) == 2, "readers need not wait"
    with open_writer(path):
        pass


def _failing(number: int) -> Callable[..., None]:
    def fail(*_: object) -> None:
        raise OSError(number, os.strerror(number))

    return fail


@pytest.mark.parametrize("function", ["fsync", "replace", "open"])
@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EROFS, errno.EIO])
def test_a_full_or_read_only_disk_leaves_what_was_written_before(
    path: Path, monkeypatch: pytest.MonkeyPatch, function: str, number: int
) -> None:
    with open_writer(path) as writer:
        monkeypatch.setattr(os, function, _failing(number))
        with pytest.raises(StorageError, match=f"{os.strerror(number)}; what was written before"):
            writer.commit([writer.stage({"numbers": NUMBERS + 1})], {})
        monkeypatch.undo()
    assert len(Store.open(path).batches) == 2
    assert not list(path.glob("*.tmp"))
    Store.open(path).verify()


def test_a_folder_that_cannot_be_made_is_told() -> None:
    with pytest.raises(StorageError, match="cannot be written"), open_writer("/proc/atlas", {}):
        pass

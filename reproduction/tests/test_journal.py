from __future__ import annotations

import errno
import os
from pathlib import Path

import numpy as np
import pytest

from reproduction.tests import toy
from symbed.errors import StorageError
from symbed_reproduction import Unit
from symbed_reproduction.core.experiments import Finished, compute
from symbed_reproduction.core.journal import Journal, hold, keep_only, write_text

UNIT = Unit("square-3", toy.square, (3,))
NOBODY = 65534


@pytest.fixture
def journal(tmp_path: Path) -> Journal:
    return Journal(tmp_path / "units")


def test_what_was_put_is_there_again(journal: Journal) -> None:
    finished = compute(UNIT)
    journal.put(UNIT, finished)
    found = Journal(journal.folder).get(UNIT)
    assert found is not None
    assert found.cost == finished.cost
    assert set(found.arrays) == {"square", "label"}
    np.testing.assert_array_equal(found.arrays["square"], finished.arrays["square"])
    np.testing.assert_array_equal(found.arrays["label"], finished.arrays["label"])


def test_an_unknown_unit_is_none(journal: Journal) -> None:
    assert journal.get(UNIT) is None


def test_a_file_made_by_other_arguments_does_not_count(journal: Journal) -> None:
    journal.put(UNIT, compute(UNIT))
    assert journal.get(Unit(UNIT.name, toy.square, (4,))) is None
    assert journal.get(UNIT) is not None


def test_torn_and_foreign_files_do_not_count(journal: Journal) -> None:
    journal.put(UNIT, compute(UNIT))
    path = journal.folder / "square-3.npz"
    whole = path.read_bytes()
    contents = [whole[:length] for length in range(0, len(whole), 7)]
    contents += [b"", b"{}", b"\x93NUMPY\x01\x00", os.urandom(100), b"PK\x03\x04" + bytes(50)]
    for content in contents:
        path.write_bytes(content)
        assert journal.get(UNIT) is None
    path.write_bytes(whole)
    assert journal.get(UNIT) is not None


def test_flipped_bytes_never_give_other_numbers(journal: Journal) -> None:
    journal.put(UNIT, compute(UNIT))
    path = journal.folder / "square-3.npz"
    whole, expected = path.read_bytes(), compute(UNIT).arrays
    for place in range(0, len(whole), 3):
        path.write_bytes(whole[:place] + bytes([whole[place] ^ 0x10]) + whole[place + 1 :])
        found = journal.get(UNIT)
        if found is not None:
            assert set(found.arrays) == set(expected)
            for name in expected:
                np.testing.assert_array_equal(found.arrays[name], expected[name])


def test_an_array_alone_is_no_unit(journal: Journal) -> None:
    np.save(journal.folder / "square-3.npy", np.zeros(3))
    os.replace(journal.folder / "square-3.npy", journal.folder / "square-3.npz")
    assert journal.get(UNIT) is None


def test_opening_sweeps_what_was_being_written_and_nothing_else(journal: Journal) -> None:
    unit = Unit("a.part1", toy.square, (1,))  # not a scratch file, in spite of its name
    journal.put(unit, compute(unit))
    torn = journal.folder / "square-3.npz.123.part"
    torn.write_bytes(b"PK")
    again = Journal(journal.folder)
    assert not torn.exists()
    assert again.get(unit) is not None


def test_the_same_numbers_give_the_same_arrays_whatever_the_cost(journal: Journal) -> None:
    finished = compute(UNIT)
    journal.put(UNIT, Finished(finished.arrays, finished.cost._replace(cpu_seconds=7.0)))
    found = journal.get(UNIT)
    assert found is not None
    assert found.cost.cpu_seconds == 7.0


def test_a_folder_that_is_a_file_is_one_clear_error(tmp_path: Path) -> None:
    (tmp_path / "units").write_text("not a folder")
    with pytest.raises(StorageError, match=r"cannot write .*units: File exists; .*call again"):
        Journal(tmp_path / "units")


def test_a_file_that_is_a_folder_is_one_clear_error(journal: Journal) -> None:
    (journal.folder / "square-3.npz").mkdir()
    with pytest.raises(StorageError, match=r"cannot read .*square-3\.npz"):
        journal.get(UNIT)


def test_a_disk_that_turns_read_only_is_one_clear_error(journal: Journal, monkeypatch) -> None:
    def refuse(*_: object) -> None:
        raise OSError(errno.EROFS, os.strerror(errno.EROFS))

    monkeypatch.setattr("os.replace", refuse)
    with pytest.raises(StorageError, match="Read-only file system; finished units are kept"):
        journal.put(UNIT, compute(UNIT))
    assert list(journal.folder.iterdir()) == []


def test_a_read_only_folder_is_one_clear_error(journal: Journal) -> None:
    finished, user = compute(UNIT), os.geteuid()
    journal.folder.chmod(0o500)
    try:
        if user == 0:  # root may write anywhere
            os.seteuid(NOBODY)
        with pytest.raises(StorageError, match="Permission denied; finished units are kept"):
            journal.put(UNIT, finished)
    finally:
        os.seteuid(user)
        journal.folder.chmod(0o700)


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a device that is always full")
def test_a_full_disk_is_one_clear_error_and_leaves_nothing_behind(journal: Journal) -> None:
    path = journal.folder / "report.md"
    scratch = path.with_name(f"{path.name}.{os.getpid()}.part")
    scratch.symlink_to("/dev/full")
    with pytest.raises(StorageError, match="No space left on device; finished units are kept"):
        write_text(path, "text")
    assert not path.exists()
    assert not scratch.is_symlink()


def test_text_is_written_with_plain_line_ends(tmp_path: Path) -> None:
    write_text(tmp_path / "deep" / "a.md", "é\n")
    assert (tmp_path / "deep" / "a.md").read_bytes() == b"\xc3\xa9\n"
    assert [path.name for path in (tmp_path / "deep").iterdir()] == ["a.md"]


def test_only_wanted_files_are_kept_and_others_left_alone(tmp_path: Path) -> None:
    for name in ("new.csv", "old.csv", "mine.txt", "x.csv.7.part"):
        (tmp_path / name).write_text("")
    keep_only(tmp_path, ["new.csv"], (".csv",))
    assert {path.name for path in tmp_path.iterdir()} == {"new.csv", "mine.txt"}
    keep_only(tmp_path / "nowhere", [], (".csv",))


def test_a_folder_is_held_by_one_run_at_a_time(tmp_path: Path) -> None:
    with hold(tmp_path), pytest.raises(StorageError, match="another run is using"), hold(tmp_path):
        pass
    with hold(tmp_path):
        pass

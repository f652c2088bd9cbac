"""Matrices in files: the same bytes as in memory, whatever happens on the way."""

from __future__ import annotations

import os
import resource
import signal
import subprocess
import sys
import textwrap
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

from symbed import Atlas, DistanceMatrix, Family, Probe, observe, pairwise, survey
from symbed.distances.matrix import _files as matrix_files
from symbed.distances.matrix import tiles as tiling
from symbed.errors import RangeError, StorageError

PROBE = Probe({"x": (1, 5), "y": (1, 5)}, parameters=(1, 5), n_points=16, n_draws=8)
TEXTS = [f"a*x + {k}*y" for k in range(70)] + [f"x + {k}" for k in range(90)] + ["log(x - 2)"]
REPEATED = ["y*2 + x", *TEXTS[40:120], "x + 2*y", *TEXTS[60:], "a*x + 5*y"]


@pytest.fixture(autouse=True)
def _small_tiles(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tiling, "ROWS", 32)


@pytest.fixture(scope="module")
def atlas() -> Atlas:
    return survey(TEXTS, PROBE)


def stored(path: Path) -> bytes:
    return path.read_bytes()


def leftovers(path: Path) -> list[str]:
    return sorted(file.name for file in path.parent.iterdir() if file != path)


@pytest.mark.parametrize("texts", [TEXTS, REPEATED], ids=["all different", "with repetitions"])
@pytest.mark.parametrize("keep", ["behaviors", "programs"])
def test_a_file_holds_what_memory_holds(tmp_path: Path, texts: list[str], keep) -> None:
    atlas = survey(texts, PROBE, keep=keep)
    inside = pairwise(atlas)
    path = tmp_path / "distances.npy"
    found = pairwise(atlas, out=path)
    assert isinstance(found.values, np.memmap)
    np.testing.assert_array_equal(found.values, inside.values)
    np.testing.assert_array_equal(np.load(path), inside.values)
    assert repr(found) == f"DistanceMatrix({len(texts)} x {len(texts)}, in a file)"
    assert leftovers(path) == []
    np.testing.assert_array_equal(
        inside.values,
        [[inside.values[texts.index(a), texts.index(b)] for b in texts] for a in texts],
    )


def test_entries_do_not_depend_on_tiles(atlas: Atlas, monkeypatch: pytest.MonkeyPatch) -> None:
    small = pairwise(atlas, p=2).values
    monkeypatch.setattr(tiling, "ROWS", 1000)
    monkeypatch.setattr(tiling, "FEWEST", 1000)
    assert pairwise(atlas, p=2).values.tobytes() == small.tobytes()


def test_a_cross_matrix_can_be_a_file(atlas: Atlas, tmp_path: Path) -> None:
    rows = survey(REPEATED[:50], PROBE)
    found = pairwise(rows, atlas, out=tmp_path / "cross.npy")
    np.testing.assert_array_equal(found.values, pairwise(rows, atlas).values)
    assert found.shape == (50, len(TEXTS))


@pytest.mark.parametrize("texts", [TEXTS, REPEATED], ids=["all different", "with repetitions"])
def test_a_parquet_file_has_a_row_for_each_expression(
    tmp_path: Path, texts: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    parquet = pytest.importorskip("pyarrow.parquet")
    monkeypatch.setattr(matrix_files, "STRIP", 1000)
    atlas = survey(texts, PROBE)
    path = tmp_path / "distances.parquet"
    found = pairwise(atlas, metric="arcsinh", out=str(path))
    inside = pairwise(atlas, metric="arcsinh").values
    table = parquet.read_table(path)
    assert table["expression"].to_pylist() == texts
    np.testing.assert_array_equal(np.array(table["distances"].to_pylist()), inside)
    assert b"arcsinh" in table.schema.metadata[b"symbed"]
    assert parquet.ParquetFile(path).num_row_groups > 5
    np.testing.assert_array_equal(found.values, inside)
    assert leftovers(path) == []


class Stopped(Exception):
    pass


def stop_after(n_entries: int):
    def stop(done: int) -> None:
        if done > n_entries:
            raise Stopped

    return stop


@pytest.mark.parametrize("texts", [TEXTS, REPEATED], ids=["all different", "with repetitions"])
def test_an_interrupted_call_goes_on_where_it_was(
    tmp_path: Path, texts: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    atlas = survey(texts, PROBE)
    path = tmp_path / "distances.npy"
    with pytest.raises(Stopped):
        pairwise(atlas, out=path, progress=stop_after(9000))
    assert leftovers(path) == ["distances.npy.journal", "distances.npy.tiles"]
    computed = count_tiles(monkeypatch)
    started: list[int] = []
    monkeypatch.setattr(tiling, "ROWS", 50)  # the tiles of the journal are kept all the same
    found = pairwise(atlas, out=path, workers=1, progress=started.append)
    assert started[0] > 9000
    n_tiles = -(-atlas.n_distinct // 32)
    assert 0 < len(computed) < n_tiles * (n_tiles + 1) // 2
    np.testing.assert_array_equal(found.values, pairwise(atlas).values)


def count_tiles(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    computed: list[int] = []

    def measure_tile(*arguments):
        computed.append(1)
        return tiling.measure_tile(*arguments)

    monkeypatch.setattr(matrix_files, "measure_tile", measure_tile)
    return computed


def test_a_torn_line_in_the_journal_is_no_line(tmp_path: Path, atlas: Atlas) -> None:
    path = tmp_path / "distances.npy"
    with pytest.raises(Stopped):
        pairwise(atlas, out=path, progress=stop_after(5000))
    journal = tmp_path / "distances.npy.journal"
    journal.write_text(journal.read_text() + "3 ")
    np.testing.assert_array_equal(pairwise(atlas, out=path).values, pairwise(atlas).values)


@pytest.mark.parametrize("change", [{"p": 2}, {"screen": 1.0}, {"mismatch": 3.0}])
def test_the_files_of_another_computation_are_not_touched(
    tmp_path: Path, atlas: Atlas, change: dict
) -> None:
    path = tmp_path / "distances.npy"
    with pytest.raises(Stopped):
        pairwise(atlas, out=path, progress=stop_after(5000))
    before = [stored(tmp_path / name) for name in leftovers(path)]
    with pytest.raises(StorageError, match="belong to another computation; remove them"):
        pairwise(atlas, out=path, **change)
    with pytest.raises(StorageError, match="belong to another computation"):
        pairwise(survey(TEXTS[:-1], PROBE), out=path)
    assert [stored(tmp_path / name) for name in leftovers(path)] == before
    pairwise(atlas, out=path)


def test_a_complete_file_is_replaced_when_the_new_one_is_complete(
    tmp_path: Path, atlas: Atlas
) -> None:
    path = tmp_path / "distances.npy"
    pairwise(atlas, out=path)
    first = stored(path)
    with pytest.raises(Stopped):
        pairwise(atlas, p=2, out=path, progress=stop_after(5000))
    assert stored(path) == first
    pairwise(atlas, p=2, out=path)
    assert stored(path) != first


KILLED = """
import sys
from symbed import pairwise, survey
from tests.distances.matrix.test_matrix_files import PROBE, TEXTS
from symbed.distances.matrix import _files as matrix_files
from symbed.distances.matrix import tiles as tiling

tiling.ROWS, matrix_files.SYNC = 16, 0.0
pairwise(survey(TEXTS, PROBE), out=sys.argv[1], progress=lambda done: print(done, flush=True))
"""


def test_a_killed_process_leaves_finished_tiles_and_the_same_bytes_in_the_end(
    tmp_path: Path, atlas: Atlas
) -> None:
    path = tmp_path / "distances.npy"
    pairwise(atlas, out=tmp_path / "whole.npy")
    for n_lines in (3, 9):
        process = subprocess.Popen(
            [sys.executable, "-c", KILLED, str(path)], stdout=subprocess.PIPE, text=True
        )
        assert process.stdout is not None
        lines = [process.stdout.readline() for _ in range(n_lines)]
        process.kill()
        process.wait()
        process.stdout.close()
        assert lines[-1]
        assert (tmp_path / "distances.npy.journal").read_text().count("\n") > 2
    pairwise(atlas, out=path)
    assert stored(path) == stored(tmp_path / "whole.npy")


def test_ctrl_c_keeps_what_is_finished(tmp_path: Path, atlas: Atlas) -> None:
    path = tmp_path / "distances.npy"

    def press(done: int) -> None:
        if done > 6000:
            signal.raise_signal(signal.SIGINT)

    with pytest.raises(KeyboardInterrupt):
        pairwise(atlas, out=path, progress=press)
    assert (tmp_path / "distances.npy.journal").read_text().count("\n") > 2
    np.testing.assert_array_equal(pairwise(atlas, out=path).values, pairwise(atlas).values)


def test_a_disk_that_is_too_small_is_found_out_at_once(tmp_path: Path, atlas: Atlas) -> None:
    path = tmp_path / "distances.npy"
    with limited_files(100_000), pytest.raises(StorageError, match=r"needs 0\.000207 GB"):
        pairwise(atlas, out=path)
    assert leftovers(path) == []


def test_a_disk_that_fills_up_keeps_what_is_finished(
    tmp_path: Path, atlas: Atlas, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "distances.npy"
    monkeypatch.setattr(matrix_files, "SYNC", 0.0)
    monkeypatch.setattr(os, "posix_fallocate", no_reservation)
    monkeypatch.setattr(os, "ftruncate", lambda *_: None)
    with limited_files(100_000), pytest.raises(
        StorageError, match=r"cannot go on with .*distances\.npy: File too large; the matrix needs .*"
        r"\d+ finished tiles are kept, call again to go on"
    ):  # fmt: skip
        pairwise(atlas, out=path)
    monkeypatch.undo()
    monkeypatch.setattr(tiling, "ROWS", 32)
    np.testing.assert_array_equal(pairwise(atlas, out=path).values, pairwise(atlas).values)


def no_reservation(*_: int) -> None:
    raise OSError(95, "Operation not supported")


class limited_files:
    """No file may grow beyond so many bytes, as on a full disk."""

    def __init__(self, size: int) -> None:
        self.size = size

    def __enter__(self) -> None:
        self.before = resource.getrlimit(resource.RLIMIT_FSIZE)
        resource.setrlimit(resource.RLIMIT_FSIZE, (self.size, self.before[1]))

    def __exit__(self, *_: object) -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, self.before)


def test_a_folder_that_cannot_be_written_is_told(tmp_path: Path, atlas: Atlas) -> None:
    for folder in (tmp_path / "missing", Path("/proc")):
        with pytest.raises(StorageError, match=r"cannot write .*; choose another folder"):
            pairwise(atlas, out=folder / "distances.npy")


def test_an_unknown_ending_is_told_before_anything_is_computed(
    tmp_path: Path, atlas: Atlas
) -> None:
    with pytest.raises(RangeError, match=r"out must end in \.npy or \.parquet"):
        pairwise(atlas, out=tmp_path / "distances.zarr")
    assert list(tmp_path.iterdir()) == []


def test_two_processes_do_not_write_one_file(tmp_path: Path, atlas: Atlas) -> None:
    path = tmp_path / "distances.npy"
    grid = tiling.Grid(10, 10, 5, symmetric=True)
    file = matrix_files.MatrixFile(path, grid, "key")
    with pytest.raises(StorageError, match="written by another process"):
        matrix_files.MatrixFile(path, grid, "key")
    file.close()


def test_memory_does_not_limit_what_goes_to_a_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from symbed import limits

    monkeypatch.setattr(limits, "MATRIX", limits.MATRIX._replace(maximum=10_000))
    atlas = survey(TEXTS, PROBE)
    with pytest.raises(ValueError, match="over the limit"):
        pairwise(atlas)
    assert pairwise(atlas, out=tmp_path / "distances.npy").shape == (len(TEXTS), len(TEXTS))


def test_samples_and_callables_can_be_written_and_gone_on_with(tmp_path: Path) -> None:
    line = Family(lambda x, c: c[0] * x[:, 0], parameters=("a",), label="line")
    behaviors = [observe(text, PROBE) for text in TEXTS[:40]] + [observe(line, PROBE)]
    path = tmp_path / "distances.npy"
    with pytest.raises(Stopped):
        pairwise(behaviors, out=path, progress=stop_after(500))
    again = [observe(text, PROBE) for text in TEXTS[:40]] + [observe(line, PROBE)]
    np.testing.assert_array_equal(pairwise(again, out=path).values, pairwise(behaviors).values)
    assert isinstance(pairwise(survey([line, "x"], PROBE)), DistanceMatrix)


MEMORY = """
import resource, sys
import numpy as np
from symbed import Probe, pairwise, survey

probe = Probe({"x": (1, 5)}, n_points=16)
atlas = survey([f"x + {k}/7" for k in range(int(sys.argv[2]))], probe, keep="programs")
pairwise(atlas, out=sys.argv[1], workers=2)
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
"""


def test_memory_does_not_grow_with_the_matrix(tmp_path: Path) -> None:
    def peak(n_rows: int) -> float:
        arguments = [str(tmp_path / "distances.npy"), str(n_rows)]
        done = subprocess.run(
            [sys.executable, "-c", textwrap.dedent(MEMORY), *arguments],
            capture_output=True, text=True, check=True,
        )  # fmt: skip
        return int(done.stdout) / 1024

    small, large = peak(2000), peak(6000)  # matrices of 32 and 288 MB
    assert large - small < 120


def test_no_thread_stays_behind(tmp_path: Path, atlas: Atlas) -> None:
    before = threading.active_count()
    with pytest.raises(Stopped):
        pairwise(atlas, out=tmp_path / "distances.npy", progress=stop_after(100))
    time.sleep(0.05)
    assert threading.active_count() == before


def test_an_executor_of_threads_is_as_good(atlas: Atlas) -> None:
    with ThreadPoolExecutor(3) as pool:
        found = pairwise(atlas, executor=pool)
    assert found.values.tobytes() == pairwise(atlas, workers=1).values.tobytes()

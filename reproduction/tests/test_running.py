from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

from reproduction.tests import toy as toy_module
from symbed.errors import RangeError, StorageError, WorkerError
from symbed_reproduction import Experiment, Unit, reproduce
from symbed_reproduction.core.job_runner import run_anywhere
from symbed_reproduction.core.journal import hold


def files(folder: Path) -> dict[str, bytes]:
    """What a run must give again, byte for byte: all but the units and the time it took."""
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and "units" not in path.parts and path.name not in ("cost.json", ".lock")
    }


@pytest.fixture
def undisturbed(toy: Experiment, tmp_path: Path) -> dict[str, bytes]:
    reproduce("toy", tmp_path / "undisturbed", workers=1)
    return files(tmp_path / "undisturbed")


def test_a_run_writes_tables_claims_and_a_report(undisturbed: dict[str, bytes]) -> None:
    tables = {f"toy/tables/{name}{end}" for name in ("sums", "claims") for end in (".csv", ".md")}
    assert set(undisturbed) == {"toy/report.md", *tables}
    assert undisturbed["toy/tables/sums.csv"].startswith(b"n,sum\nn = 0,0\nn = 1,0.428571429\n")


def test_units_that_are_there_are_not_computed_again(toy, tmp_path, monkeypatch) -> None:
    reproduce("toy", tmp_path, workers=1)
    monkeypatch.setattr("symbed_reproduction.core.job_runner.compute", _never)
    reproduce("toy", tmp_path, workers=1)


def test_a_resumed_run_gives_the_same_bytes(undisturbed, tmp_path: Path) -> None:
    """The units that the journal has come first; the rows must stay in the order of the plan."""
    out = tmp_path / "resumed"
    reproduce("toy", out, workers=1)
    units = out / "toy" / "units" / "small"
    (units / "square-0.npz").unlink()
    (units / "square-3.npz").write_bytes(b"torn")
    (out / "toy" / "tables" / "sums.csv").write_text("torn")
    reproduce("toy", out, workers=1)
    assert files(out) == undisturbed


def test_two_workers_give_the_same_bytes_as_one(undisturbed, tmp_path: Path) -> None:
    reproduce("toy", tmp_path / "two", workers=2)
    assert files(tmp_path / "two") == undisturbed


def test_an_executor_gives_the_same_bytes(undisturbed, tmp_path: Path) -> None:
    with ThreadPoolExecutor(3) as threads:
        reproduce("toy", tmp_path / "threads", executor=threads)
    assert files(tmp_path / "threads") == undisturbed
    assert len(list((tmp_path / "threads" / "toy" / "units" / "small").glob("*.npz"))) == 5


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
def test_a_dask_cluster_gives_the_same_bytes(undisturbed, tmp_path: Path) -> None:
    distributed = pytest.importorskip("distributed")
    with (
        distributed.LocalCluster(2, threads_per_worker=1, dashboard_address=None) as cluster,
        distributed.Client(cluster) as client,
    ):
        reproduce("toy", tmp_path / "dask", executor=client)
    assert files(tmp_path / "dask") == undisturbed


def test_each_scale_has_its_own_units(toy: Experiment, tmp_path: Path) -> None:
    reproduce("toy", tmp_path, workers=1)
    outcome = reproduce("toy", tmp_path, scale="paper", workers=1)
    assert len(outcome.table("sums").rows) == 9
    units = tmp_path / "toy" / "units"
    assert [len(list((units / scale).glob("*.npz"))) for scale in ("small", "paper")] == [5, 9]


def test_progress_counts_units(toy: Experiment, tmp_path: Path) -> None:
    seen: list[int] = []
    reproduce("toy", tmp_path, workers=1, progress=seen.append)
    assert seen == [1, 2, 3, 4, 5]


def test_tables_of_another_run_do_not_stay(toy: Experiment, tmp_path: Path) -> None:
    stale = tmp_path / "toy" / "tables" / "stale.csv"
    stale.parent.mkdir(parents=True)
    stale.write_text("n\n1\n")
    reproduce("toy", tmp_path, workers=1)
    assert not stale.exists()


def test_unknown_names_scales_and_workers_are_clear_errors(toy, tmp_path: Path) -> None:
    with pytest.raises(RangeError, match=r"experiment must be one of taylor, .*, got 'tailor'"):
        reproduce("tailor", tmp_path)
    with pytest.raises(RangeError, match="scale must be one of small, paper, got 'huge'"):
        reproduce("toy", tmp_path, scale="huge")  # type: ignore[arg-type]
    with pytest.raises(RangeError, match="positive whole number, or -1 for all cores, got 0"):
        reproduce("toy", tmp_path, workers=0)
    with ThreadPoolExecutor(1) as threads, pytest.raises(RangeError, match="not both"):
        reproduce("toy", tmp_path, workers=2, executor=threads)


def test_two_units_of_one_name_are_refused(toy, tmp_path: Path, monkeypatch) -> None:
    twice = [Unit("one", toy_module.square, (n,)) for n in range(2)]
    monkeypatch.setattr(toy_module, "plan", lambda scale: twice)
    with pytest.raises(RangeError, match="two units of the experiment 'toy' have one name"):
        reproduce("toy", tmp_path)


def test_a_second_run_in_one_folder_is_refused(toy: Experiment, tmp_path: Path) -> None:
    with hold(tmp_path / "toy"), pytest.raises(StorageError, match="another run is using"):
        reproduce("toy", tmp_path, workers=1)


def test_a_folder_that_cannot_be_made_is_one_clear_error(toy, tmp_path: Path) -> None:
    (tmp_path / "results").write_text("a file")
    with pytest.raises(StorageError, match=r"cannot write .*Not a directory; .*another folder"):
        reproduce("toy", tmp_path / "results", workers=1)


def test_a_disk_that_fills_up_keeps_what_is_finished(toy, tmp_path: Path, monkeypatch) -> None:
    import os

    replace, done = os.replace, []

    def fill_up(*arguments: Path) -> None:
        if len(done) == 2:
            raise OSError(28, "No space left on device")
        replace(*arguments)
        done.append(arguments)

    monkeypatch.setattr("os.replace", fill_up)
    with pytest.raises(StorageError, match="No space left on device; finished units are kept"):
        reproduce("toy", tmp_path, workers=1)
    assert len(list((tmp_path / "toy" / "units" / "small").iterdir())) == 2


class TestProcesses:
    def test_every_block_is_computed(self) -> None:
        found = [float(a["pid"].size) for a in run_anywhere(2, toy_module.sleep, [(0.0,)] * 4)]
        assert found == [1.0] * 4

    def test_an_error_in_a_worker_is_the_error_of_the_run(self) -> None:
        with pytest.raises(ValueError, match="no square of 1"):
            list(run_anywhere(2, toy_module.stumble, [(1,)]))

    def test_a_lost_process_is_one_clear_error(self) -> None:
        with pytest.raises(WorkerError, match="a process was lost, perhaps for lack of memory"):
            list(run_anywhere(1, toy_module.end_process, [(1,)]))

    def test_giving_up_does_not_wait_for_units_under_way(self) -> None:
        stream = run_anywhere(2, toy_module.sleep, [(0.0,), (600.0,)])
        assert np.all(next(stream)["pid"] > 0)
        stream.close()
        assert not [t for t in threading.enumerate() if "QueueManager" in t.name]


def _never(unit: Unit) -> None:
    raise AssertionError(f"{unit.name} was computed again")

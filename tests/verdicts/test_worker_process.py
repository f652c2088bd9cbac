"""A process that decides may be stopped or closed by one thread while another asks it."""

from __future__ import annotations

import threading
import time

import pytest

from symbed.errors import WorkerError
from symbed.scoring.result_files import results_judging
from symbed.verdicts.worker_process import WorkerProcess

READY = {"task": "ready"}


def _asked_in_a_thread(process: WorkerProcess) -> tuple[threading.Thread, list[Exception]]:
    """A thread that asks until an error ends it, and the errors."""
    errors: list[Exception] = []

    def ask() -> None:
        try:
            while True:
                process.ask(READY, 60.0)
        except Exception as error:
            errors.append(error)

    thread = threading.Thread(target=ask, daemon=True)
    thread.start()
    return thread, errors


@pytest.mark.parametrize("seconds", [0.0, 0.005, 0.3, 1.5])
def test_closing_ends_whoever_asks_with_one_clear_error(seconds: float) -> None:
    process = WorkerProcess(module=results_judging.WORKER)
    thread, errors = _asked_in_a_thread(process)
    time.sleep(seconds)
    process.close()
    thread.join(10.0)
    assert not thread.is_alive()
    assert [type(error) for error in errors] == [WorkerError]


def test_a_closed_one_starts_no_process_any_more() -> None:
    process = WorkerProcess(module=results_judging.WORKER)
    process.close()
    with pytest.raises(WorkerError, match="was closed"):
        process.ask(READY, 60.0)
    process.close()


def test_a_stopped_one_starts_again() -> None:
    process = WorkerProcess(module=results_judging.WORKER)
    try:
        first = process.ask(READY, 60.0)
        process.stop()
        assert process.ask(READY, 60.0) == first
    finally:
        process.close()

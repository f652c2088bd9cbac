"""Matrices computed elsewhere: what is sent is small and complete, and the bytes are the same."""

from __future__ import annotations

import multiprocessing
import os
import pickle
import signal
from concurrent.futures import Executor, Future, ProcessPoolExecutor

import numpy as np
import pytest

from symbed import Atlas, Family, Probe, observe, pairwise, survey
from symbed.distances.matrix import tiles as tiling
from symbed.errors import RangeError, ShapeError, WorkerError

PROBE = Probe({"x": (1, 5), "y": (1, 5)}, parameters=(1, 5), n_points=64, n_draws=32)
TEXTS = [f"a*x + {k}*y" for k in range(70)] + [f"x + {k}" for k in range(30)] + ["log(x - 2)", "x"]


@pytest.fixture(autouse=True)
def _small_tiles(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tiling, "ROWS", 32)


class Elsewhere(Executor):
    """Computes from what was sent only, and counts the bytes that traveled."""

    def __init__(self) -> None:
        self.sent: list[int] = []

    def submit(self, function, /, *arguments, **_):
        message = pickle.dumps((function, arguments))
        self.sent.append(len(message))
        future: Future = Future()
        try:
            function, arguments = pickle.loads(message)
            future.set_result(pickle.loads(pickle.dumps(function(*arguments))))
        except Exception as error:
            future.set_exception(error)
        return future


def atlas_of_samples() -> Atlas:
    return Atlas.from_behaviors([observe(text, PROBE) for text in TEXTS])


def atlas_with_a_callable() -> Atlas:
    line = Family(lambda x, c: c[0] * x[:, 0], parameters=("a",), label="line")
    return survey([*TEXTS, line], PROBE)


@pytest.mark.parametrize(
    "atlas",
    [
        survey(TEXTS, PROBE),
        survey(TEXTS, PROBE, keep="programs"),
        atlas_of_samples(),
        atlas_with_a_callable(),
    ],
    ids=["behaviors", "programs", "samples", "a callable among them"],
)
@pytest.mark.parametrize("choices", [{}, {"metric": "relative"}, {"p": 2, "screen": 3.0}], ids=str)
def test_whoever_computes_gives_the_same_bytes(atlas: Atlas, choices: dict) -> None:
    there = pairwise(atlas, executor=Elsewhere(), **choices)
    assert there.values.tobytes() == pairwise(atlas, workers=1, **choices).values.tobytes()


def test_programs_are_sent_instead_of_outputs() -> None:
    elsewhere = Elsewhere()
    pairwise(survey(TEXTS, PROBE), executor=elsewhere)
    assert len(elsewhere.sent) == 10
    assert max(elsewhere.sent) < 32 * 64 * 32 * 8 / 20


def test_processes_compute_the_same_bytes_and_a_lost_one_is_told() -> None:
    atlas = survey(TEXTS, PROBE)
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(2, context) as pool:
        found = pairwise(atlas, executor=pool)
        assert found.values.tobytes() == pairwise(atlas).values.tobytes()
        os.kill(pool.submit(os.getpid).result(), signal.SIGKILL)
        with pytest.raises(WorkerError, match="lost a worker"):
            _ask_again_and_again(atlas, pool)


def _ask_again_and_again(atlas, pool) -> None:
    for _ in range(20):
        pairwise(atlas, executor=pool)


def test_an_executor_that_is_none_is_refused() -> None:
    atlas = survey(["x", "y"], PROBE)
    with pytest.raises(ShapeError, match=r"concurrent\.futures"):
        pairwise(atlas, executor="tcp://somewhere")  # type: ignore[arg-type]
    with pytest.raises(RangeError, match="workers or executor"):
        pairwise(atlas, executor=Elsewhere(), workers=2)


def test_an_error_on_the_way_is_told_as_it_is() -> None:
    class Broken(Elsewhere):
        def submit(self, function, /, *arguments, **_):
            future: Future = Future()
            future.set_exception(MemoryError("no memory there"))
            return future

    with pytest.raises(MemoryError, match="no memory there"):
        pairwise(survey(["x", "y"], PROBE), executor=Broken())


def test_screening_is_exact_up_to_the_threshold() -> None:
    atlas = survey(TEXTS, PROBE)
    exact, screened = pairwise(atlas).values, pairwise(atlas, screen=5.0).values
    np.testing.assert_array_equal(screened[exact <= 5], exact[exact <= 5])
    assert (screened != exact).any()
    # Behaviors with undefined outputs are always exact, so nothing is allowed for them.
    sizes = np.nan_to_num([np.abs(behavior.values).mean() for behavior in atlas])
    finite = np.isfinite(exact)
    off = np.abs(screened[finite] - exact[finite])
    assert (off <= 1.7e-5 * np.add.outer(sizes, sizes)[finite]).all()
    np.testing.assert_array_equal(screened, screened.T)


@pytest.mark.parametrize(
    ("choices", "words"),
    [
        ({"screen": -1.0}, "at least 0"),
        ({"screen": "0.1"}, "at least 0"),
        ({"screen": 0.1, "metric": "relative"}, "goes with metric"),
        ({"screen": 0.1, "undefined": "cemetery", "penalty": 1.0}, "goes with metric"),
    ],
)
def test_screening_that_cannot_be_is_refused(choices: dict, words: str) -> None:
    with pytest.raises(RangeError, match=words):
        pairwise(survey(["x", "y"], PROBE), **choices)

"""A toy experiment for the tests of the frame: squares of small numbers, and what they add up to."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Mapping

import numpy as np

from symbed_reproduction import Claim, Outcome, Table, Unit

N = {"small": 5, "paper": 9}


def plan(scale: str) -> list[Unit]:
    return [Unit(f"square-{n}", square, (n,)) for n in range(N[scale])]


def square(n: int) -> dict[str, object]:
    return {"square": np.full(3, n * n / 7), "label": np.array([f"n = {n}"])}


def conclude(scale: str, results: Mapping[str, Mapping[str, np.ndarray]]) -> Outcome:
    rows = [(str(a["label"][0]), float(a["square"].sum())) for a in results.values()]
    claim = Claim("sums grow", "yes", "yes", "confirmed", "tables/sums.csv")
    table = Table("sums", "Sums", ("n", "sum"), tuple(rows))
    return Outcome((table,), (claim,), "A note.", {"sums": [value for _, value in rows]})


def stumble(n: int) -> dict[str, object]:
    raise ValueError(f"no square of {n}")


def end_process(n: int) -> dict[str, object]:
    os.kill(os.getpid(), signal.SIGKILL)
    return {}


def sleep(seconds: float) -> dict[str, object]:
    time.sleep(seconds)
    return {"pid": np.array([os.getpid()])}


def hold_objects() -> dict[str, object]:
    return {"bad": np.array([object()])}

from __future__ import annotations

import sys

import pytest

from reproduction.tests import toy as toy_module
from symbed_reproduction import EXPERIMENTS, Experiment


@pytest.fixture
def toy(monkeypatch: pytest.MonkeyPatch) -> Experiment:
    """An experiment of five units that take no time, in the registry for the while."""
    experiment = Experiment("toy", "What do squares add up to?")
    monkeypatch.setitem(sys.modules, "symbed_reproduction.toy.experiment", toy_module)
    monkeypatch.setitem(EXPERIMENTS, "toy", experiment)
    return experiment

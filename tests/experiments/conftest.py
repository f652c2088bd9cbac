from __future__ import annotations

import sys

import pytest

from symbed.experiments import EXPERIMENTS, Experiment
from tests.experiments import toy as toy_module


@pytest.fixture
def toy(monkeypatch: pytest.MonkeyPatch) -> Experiment:
    """An experiment of five units that take no time, in the registry for the while."""
    experiment = Experiment("toy", "What do squares add up to?", "toy")
    monkeypatch.setitem(sys.modules, "symbed.experiments.toy", toy_module)
    monkeypatch.setitem(EXPERIMENTS, "toy", experiment)
    return experiment

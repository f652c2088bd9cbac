from __future__ import annotations

import time

import numpy as np
import pytest

from reproduction.tests import toy
from symbed.errors import RangeError, ShapeError
from symbed_reproduction import Unit
from symbed_reproduction.core.experiments import compute


def test_a_unit_gives_its_arrays_and_what_they_cost() -> None:
    before = time.time()
    found = compute(Unit("square", toy.square, (3,)))
    np.testing.assert_array_equal(found.arrays["square"], np.full(3, 9 / 7))
    assert found.arrays["label"].tolist() == ["n = 3"]
    assert 0 <= found.cost.seconds < 10
    assert found.cost.peak_bytes > 1e6
    assert before <= found.cost.began <= time.time()


@pytest.mark.parametrize("name", ["", "a/b", "a b", "../up", "C*x", ".hidden", "-o"])
def test_names_that_are_no_names_of_files_are_refused(name: str) -> None:
    with pytest.raises(RangeError, match=r"letters, digits, '\.', '_' and '-' only"):
        Unit(name, toy.square, (1,))


def test_the_key_tells_functions_arguments_and_versions_apart(monkeypatch) -> None:
    unit = Unit("a", toy.square, (3,))
    before = unit.key
    assert before == Unit("b", toy.square, (3,)).key
    others = [
        Unit("a", toy.square, (4,)),
        Unit("a", toy.square, (3.0,)),
        Unit("a", toy.stumble, (3,)),
    ]
    assert len({before, *(other.key for other in others)}) == 4
    monkeypatch.setattr("symbed_reproduction.core.experiments.__version__", "another")
    assert unit.key != before


def test_arrays_of_objects_are_refused() -> None:
    with pytest.raises(ShapeError, match="'bad' of unit 'odd' holds objects"):
        compute(Unit("odd", toy.hold_objects))

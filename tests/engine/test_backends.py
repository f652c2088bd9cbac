"""The choice of engine."""

from __future__ import annotations

import warnings
from collections.abc import Iterator

import pytest

from symbed.engine import backend as backends
from symbed.engine import native
from symbed.errors import RangeError


@pytest.fixture(autouse=True)
def _choose_anew(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.delenv("SYMBED_ENGINE", raising=False)
    backends.backend.cache_clear()
    yield
    backends.backend.cache_clear()


@pytest.mark.skipif(not native.is_available(), reason="no native core in this build")
def test_the_native_core_is_used_where_it_was_built() -> None:
    assert backends.backend().name == "native"


def test_the_environment_forces_the_twin(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SYMBED_ENGINE", "numpy")
    assert (backends.backend().name, backends.backend().isa()) == ("numpy", "numpy")


def test_without_a_core_the_twin_is_used_and_says_so_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(native, "is_available", lambda: False)
    with pytest.warns(backends.EngineWarning, match="without its native core and uses NumPy"):
        assert backends.backend().name == "numpy"
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert backends.backend().name == "numpy"


def test_a_missing_library_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(native, "LIBRARY", "symbed.engine._no_such_core")
    native._library.cache_clear()
    assert not native.is_available()
    monkeypatch.undo()
    native._library.cache_clear()


def test_forcing_a_core_that_is_not_there_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SYMBED_ENGINE", "native")
    monkeypatch.setattr(native, "is_available", lambda: False)
    with pytest.raises(RangeError, match="installed without its native core"):
        backends.backend()


def test_an_unknown_engine_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SYMBED_ENGINE", "fortran")
    with pytest.raises(RangeError, match="native or numpy, got 'fortran'"):
        backends.backend()

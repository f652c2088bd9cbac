"""Both engines as tests call them: with plain arrays in, and arrays of the test filled."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from symbed.engine._native import CoreUnusable, NativeBackend, find_core
from symbed.engine.backend import Backend, active_backend
from symbed.engine.reference.numpy_backend import ReferenceBackend
from symbed.engine.structures.observations import Wasserstein


class Engine:
    """A backend whose distances go into given arrays; everything else is passed on."""

    def __init__(self, backend: Backend) -> None:
        self.backend = backend

    def __getattr__(self, name: str) -> Any:
        return getattr(self.backend, name)

    def cross(self, a, a_defined, b, b_defined, p, mismatch, out) -> None:
        out[...] = self.backend.cross((a, a_defined), (b, b_defined), Wasserstein(p, mismatch))

    def screen(self, a, a_defined, b, b_defined, p, mismatch, within, out) -> None:
        distance = Wasserstein(p, mismatch)
        out[...] = self.backend.screen((a, a_defined), (b, b_defined), distance, within)

    def profile(self, u, u_defined, v, v_defined, p, mismatch, out) -> None:
        sides = (u[None], u_defined[None]), (v[None], v_defined[None])
        out[...] = self.backend.profile(*sides, Wasserstein(p, mismatch))


def _open_native() -> Any:
    try:
        return Engine(NativeBackend(find_core()))
    except CoreUnusable:
        return None


native: Any = _open_native()
has_core = native is not None
twin: Any = Engine(ReferenceBackend())
needs_core = pytest.mark.skipif(not has_core, reason="no native core in this build")


@contextmanager
def engine_in_use(name: str) -> Iterator[None]:
    """Everything computes on the engine of this name, ``native`` or ``numpy``."""
    before = os.environ.get("SYMBED_ENGINE")
    os.environ["SYMBED_ENGINE"] = name
    active_backend.cache_clear()
    try:
        yield
    finally:
        if before is None:
            del os.environ["SYMBED_ENGINE"]
        else:
            os.environ["SYMBED_ENGINE"] = before
        active_backend.cache_clear()

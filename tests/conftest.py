"""What holds for all tests: no deadlines, Ctrl-C can be pressed, and which count for coverage."""

from __future__ import annotations

import signal

import pytest
from hypothesis import settings

settings.register_profile("symbed", deadline=None)  # a busy machine is no failure
settings.load_profile("symbed")


def pytest_configure() -> None:
    # Scripts start what runs in their background deaf to Ctrl-C, and children inherit that.
    if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    # Random examples may take other lines tomorrow: what is covered only by luck is not covered.
    # It saves time, too, since tracing makes pure Python four times slower. Plain tests that go
    # over the same lines thousands of times say ``no_cover`` themselves.
    for item in items:
        if getattr(getattr(item, "obj", None), "is_hypothesis_test", False):
            item.add_marker(pytest.mark.no_cover)

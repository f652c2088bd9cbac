"""What holds for every run of the tests: a last line that names what was not tested, and why.

``--strict-skips`` makes a run fail if a test was skipped for a reason that is not listed here;
``.ci/run`` uses it. A test that nobody runs is no test.
"""

from __future__ import annotations

from collections import Counter

import pytest

# Reasons for which a test may be skipped in ``.ci/run``, and why that is no gap.
ALLOWED_SKIPS = {
    "needs a device that is always full": "only Linux has /dev/full; the code is the same elsewhere",
}
NOT_TESTED = pytest.StashKey[Counter[str]]()


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--strict-skips", action="store_true", help="fail on skips that conftest.py does not allow"
    )


@pytest.hookimpl(wrapper=True)
def pytest_sessionfinish(session: pytest.Session) -> object:
    reporter = session.config.pluginmanager.get_plugin("terminalreporter")
    if reporter is not None and not hasattr(session.config, "workerinput"):  # no worker of xdist
        skips = Counter(_reason(report) for report in reporter.stats.get("skipped", []))
        session.config.stash[NOT_TESTED] = skips
        strict = session.config.getoption("strict_skips")
        if strict and set(skips) - set(ALLOWED_SKIPS) and session.exitstatus == pytest.ExitCode.OK:
            session.exitstatus = pytest.ExitCode.TESTS_FAILED
    return (yield)  # what is written after the summary is written by pytest_unconfigure


@pytest.hookimpl(trylast=True)
def pytest_unconfigure(config: pytest.Config) -> None:
    skips = config.stash.get(NOT_TESTED, None)
    if skips is None:
        return
    parts = [
        f"{count} skipped ({reason}{'; allowed' if reason in ALLOWED_SKIPS else ''})"
        for reason, count in sorted(skips.items())
    ]
    told = "; ".join(parts) or "nothing, every selected test ran"
    config.get_terminal_writer().line(f"not tested: {told}")


def _reason(report: pytest.TestReport | pytest.CollectReport) -> str:
    """Why a test, or a whole module, was skipped: pytest keeps file, line and message."""
    text = report.longrepr[2] if isinstance(report.longrepr, tuple) else str(report.longrepr)
    return text.removeprefix("Skipped: ")

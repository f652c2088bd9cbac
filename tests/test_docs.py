"""The documents are kept honest: their examples run, their tables and commands are complete."""

from __future__ import annotations

import doctest
import importlib
import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import symbed
from symbed import limits
from symbed.cli.commands import COMMANDS

ROOT = Path(__file__).parents[1]
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md"))]
BLOCK = re.compile(r"^```(?P<kind>\w*)\n(?P<body>.*?)^```", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\]\((?!https?://|#)(?P<target>[^)#]+)")
MAIN = "import sys; from symbed.cli import main; sys.exit(main())"
OPTIONS = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS
PACKAGE = Path(symbed.__file__).parent
MODULES = [
    ".".join(path.relative_to(PACKAGE.parent).with_suffix("").parts).removesuffix(".__init__")
    for path in sorted(PACKAGE.rglob("*.py"))
    if path.stem != "__main__"
]


def _blocks(page: Path, kind: str) -> list[str]:
    return [m["body"] for m in BLOCK.finditer(page.read_text()) if m["kind"] == kind]


def _console() -> list[tuple[str, str]]:
    """The commands of ours that documents show, each with the output that follows it."""
    shown = []
    for page in PAGES:
        for block in _blocks(page, "console"):
            for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
                command, _, output = part.replace("\\\n", "").partition("\n")
                if command.startswith("symbed "):
                    shown.append((command, output))
    return shown


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_python_examples_of_documents_hold(page: Path) -> None:
    text = "\n".join(_blocks(page, "python"))
    examples = doctest.DocTestParser().get_doctest(text, {}, page.name, str(page), 0)
    results = doctest.DocTestRunner(optionflags=OPTIONS).run(examples)
    assert results.failed == 0
    assert results.attempted or not text.strip(), "a python block without >>> is not checked"


@pytest.mark.parametrize(("command", "output"), _console(), ids=[c for c, _ in _console()])
def test_shown_commands_print_what_is_shown(command: str, output: str, tmp_path: Path) -> None:
    shutil.copytree(ROOT / "examples", tmp_path / "examples")
    arguments = shlex.split(command, comments=True)[1:]
    done = subprocess.run(
        [sys.executable, "-c", MAIN, *arguments],
        cwd=tmp_path,
        env=os.environ | {"PYTHONPATH": str(PACKAGE.parent)},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    if output.strip():
        assert done.stdout.split() == output.split()


@pytest.mark.parametrize("name", MODULES)
def test_examples_in_docstrings_hold(name: str) -> None:
    assert doctest.testmod(importlib.import_module(name), optionflags=OPTIONS).failed == 0


def test_documents_show_commands_at_all() -> None:
    assert len(_console()) >= 3


def test_every_command_is_documented() -> None:
    pages = "\n".join(page.read_text() for page in PAGES)
    assert [c.name for c in COMMANDS if f"symbed {c.name} " not in pages] == []


def test_the_page_of_limits_lists_each_limit_with_its_value() -> None:
    page = (ROOT / "docs" / "limits.md").read_text()
    rows = [f"| {limit.what} | {limit.maximum:,} |" for limit in limits.ALL]
    assert [line for line in page.splitlines() if re.match(r"\| .* \| [\d,]+ \|$", line)] == rows


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_somewhere(page: Path) -> None:
    targets = [match["target"] for match in LINK.finditer(page.read_text())]
    assert [t for t in targets if not (page.parent / t).exists()] == []


def test_documents_name_only_make_targets_that_exist() -> None:
    rules = set(re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    named = {
        target
        for page in PAGES
        for target in re.findall(r"(?:`|\$ )make ([a-z]+)", page.read_text())
    }
    assert named
    assert named <= rules


def test_the_changelog_knows_the_current_version() -> None:
    assert f"## {symbed.__version__}" in (ROOT / "CHANGELOG.md").read_text()

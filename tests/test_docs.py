"""The documents are kept honest: their examples run, their tables and commands are complete."""

from __future__ import annotations

import doctest
import importlib
import inspect
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

import symbed
import symbed_reproduction as experiments
from symbed import errors, limits, plots, workbench
from symbed.cli.command_table import COMMANDS, build_parser
from tools.make_page_pictures import own_pictures
from tools.make_reference import PAGE, page
from tools.page_examples import (
    DOCS,
    OPTIONS,
    PAGES,
    ROOT,
    Session,
    blocks,
    page_name,
    shown_commands,
)

LINK = re.compile(r"\]\((?!https?://)(?P<target>[^)#]*)(?:#(?P<anchor>[^)]*))?\)")
HEADING = re.compile(r"^#+ (.*)$", re.MULTILINE)
# Blocks that no test runs, since they need a network, a browser or other machines.
UNTESTED = {"sh", "py", "text", "diff", ""}
TESTED = {"python", "console", "bash"}
PACKAGE = Path(symbed.__file__).parent
MODULES = [
    ".".join(path.relative_to(PACKAGE.parent).with_suffix("").parts).removesuffix(".__init__")
    for path in sorted(PACKAGE.rglob("*.py"))
    if path.stem != "__main__"
]
RUNNING = [page for page in PAGES if {kind for kind, _ in blocks(page)} & TESTED]
PUBLIC = [
    (module.__name__, name)
    for module in (symbed, workbench, plots, experiments)
    for name in module.__all__
]


@pytest.mark.parametrize("document", RUNNING, ids=page_name)
def test_examples_of_documents_hold(document: Path, tmp_path: Path) -> None:
    assert "\n".join(Session(tmp_path).run(document)) == ""


@pytest.mark.parametrize("name", MODULES)
def test_examples_in_docstrings_hold(name: str) -> None:
    assert doctest.testmod(importlib.import_module(name), optionflags=OPTIONS).failed == 0


def test_a_session_finds_what_is_wrong(tmp_path: Path) -> None:
    bad = tmp_path / "bad.md"
    bad.write_text(
        "```python\n>>> 1 + 1\n3\n```\n```python\n1 + 1\n```\n"
        '```console\n$ symbed show "x" --json\nno\n$ symbed show "sn(x)"\n```\n'
        "```bash\nsymbed show 'x' | grep -q nothing\n```\n"
    )
    assert len(Session(tmp_path).run(bad)) == 5


def test_blocks_are_of_kinds_that_are_known() -> None:
    kinds = {kind for document in PAGES for kind, _ in blocks(document)}
    directives = {kind for kind in kinds if kind.startswith("{")}
    assert directives == {"{toctree}", "{eval-rst}"}
    assert kinds - directives <= TESTED | UNTESTED


def test_commands_that_are_not_run_can_at_least_be_read() -> None:
    shown = [
        line
        for document in PAGES
        for kind, body in blocks(document)
        if kind in UNTESTED
        for line in body.splitlines()
        if line.startswith("symbed ")
    ]
    assert shown
    for line in shown:
        if "." not in line.split()[0]:  # `symbed.parse(...)` is Python
            words = shlex.split(line, comments=True)[1:]
            assert build_parser().parse_args(words)


def test_documents_show_commands_at_all() -> None:
    shown = [
        command
        for document in PAGES
        for kind, body in blocks(document)
        if kind == "console"
        for command, _ in shown_commands(body)
    ]
    assert len(shown) >= 3


def test_every_command_is_documented() -> None:
    pages = "\n".join(document.read_text() for document in PAGES)
    assert [name for name in COMMANDS if f"symbed {name}" not in pages] == []


def test_the_page_of_the_command_line_is_what_the_parser_says() -> None:
    assert PAGE.read_text() == page(), "run: python tools/make_reference.py"


def test_the_page_of_limits_lists_each_limit_with_its_value() -> None:
    text = (DOCS / "limits.md").read_text()
    rows = [f"| {limit.what} | {limit.maximum:,} |" for limit in limits.ALL]
    assert [line for line in text.splitlines() if re.match(r"\| .* \| [\d,]+ \|$", line)] == rows


def _kinds() -> list[type[Exception]]:
    return [
        kind
        for _, kind in inspect.getmembers(errors, inspect.isclass)
        if issubclass(kind, errors.SymbedError)
    ]


@pytest.mark.parametrize("kind", _kinds(), ids=lambda kind: kind.__name__)
def test_every_error_has_its_section(kind: type[Exception]) -> None:
    text = (DOCS / "reference" / "errors.md").read_text()
    builtin = next(base for base in kind.__mro__ if base.__module__ == "builtins")
    name = kind.__name__
    assert f"| [`{name}`](#{name.lower()}) | `{builtin.__name__}` |" in text
    assert f"\n## {name}\n" in text
    section = text.split(f"\n## {name}\n")[1].split("\n## ")[0]
    assert "```" in section
    assert "**Remedy**" in section


@pytest.mark.parametrize(("module", "name"), PUBLIC, ids=lambda word: word)
def test_every_public_name_is_in_the_reference(module: str, name: str) -> None:
    text = "\n".join(document.read_text() for document in (DOCS / "reference").glob("*.md"))
    assert re.search(rf"(:: {re.escape(module)}\.{name}\n|`{name}`)", text)


@pytest.mark.parametrize("document", PAGES, ids=page_name)
def test_links_lead_somewhere(document: Path) -> None:
    for link in LINK.finditer(document.read_text()):
        target = (document.parent / link["target"]) if link["target"] else document
        assert target.exists(), link[0]
        if link["anchor"] and target.suffix == ".md" and not link["anchor"].startswith("symbed."):
            anchors = [_anchor(title) for title in HEADING.findall(target.read_text())]
            assert link["anchor"] in anchors, link[0]


def _anchor(title: str) -> str:
    return re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-")


def test_every_page_is_on_the_landing_page() -> None:
    landing = (DOCS / "index.md").read_text()
    names = [path.relative_to(DOCS) for path in DOCS.rglob("*.md") if path.stem != "index"]
    assert [str(name) for name in names if f"({name.as_posix()})" not in landing] == []
    assert [str(name) for name in names if f"\n{name.with_suffix('')}\n" not in landing] == []


def test_pictures_of_a_page_are_kept_in_its_own_folder() -> None:
    assert sum(len(own_pictures(document)) for document in PAGES) >= 10
    kept = [path.relative_to(DOCS).as_posix() for path in (DOCS / "images").rglob("*.png")]
    text = "\n".join(document.read_text() for document in PAGES)
    assert [name for name in sorted(kept) if name not in text] == []


def test_documents_name_only_make_targets_that_exist() -> None:
    rules = set(re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    named = {
        target
        for document in PAGES
        for target in re.findall(r"(?:`|\$ )make ([a-z]+)", document.read_text())
    }
    assert named
    assert named <= rules


def test_the_changelog_knows_the_current_version() -> None:
    assert f"## {symbed.__version__}" in (ROOT / "CHANGELOG.md").read_text()


@pytest.mark.slow
def test_the_site_is_built_without_a_warning(tmp_path: Path) -> None:
    pytest.importorskip("sphinx")
    command = [sys.executable, "-m", "sphinx", "-W", "--keep-going", "-n", "-q", "-b", "html"]
    places = ["-d", str(tmp_path / "trees"), str(DOCS), str(tmp_path / "site")]
    done = subprocess.run([*command, *places], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    written = [path.read_text() for path in (tmp_path / "site").rglob("*.html")]
    assert len(written) > len(list(DOCS.rglob("*.md")))
    fetched = r"<(?:script|link|img)[^>]+(?:src|href)=[\"'](?:https?:)?//"
    assert [page[:80] for page in written if re.search(fetched, page)] == []

"""Runs the examples of a Markdown page and tells what went wrong.

A page is one session in one folder, from top to bottom, with a copy of ``examples/`` in it:

- ``python`` blocks with ``>>>`` are doctests that share their names,
- in ``console`` blocks each ``$ symbed ...`` is run, and prints what is shown below it,
- ``bash`` blocks are scripts, in which ``symbed`` is ours.

Other blocks (``sh``, ``py``, ``text``) are not run: they need a network or another machine.
"""

from __future__ import annotations

import contextlib
import doctest
import io
import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import symbed
from symbed.cli import main

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted(DOCS.rglob("*.md"))]
BLOCK = re.compile(r"^```(?P<kind>[^\n`]*)\n(?P<body>.*?)^```$", re.MULTILINE | re.DOTALL)
COMMAND = re.compile(r"^\$ ", re.MULTILINE)
OPTIONS = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS


def page_name(page: Path) -> str:
    """The page's path from the root, for people."""
    return page.relative_to(ROOT).as_posix()


def blocks(page: Path) -> Iterator[tuple[str, str]]:
    """Kind and text of each fenced block, in order."""
    for block in BLOCK.finditer(page.read_text(encoding="utf-8")):
        yield block["kind"], block["body"]


def shown_commands(block: str) -> Iterator[tuple[str, str]]:
    """The commands of a console block, each with the output that follows it."""
    for part in COMMAND.split(block)[1:]:
        command, _, output = part.replace("\\\n", "").partition("\n")
        yield command, output


@dataclass
class Session:
    """One page's examples at work in one folder."""

    folder: Path
    names: dict[str, Any] = field(default_factory=dict)
    problems: list[str] = field(default_factory=list)

    def run(self, page: Path) -> list[str]:
        """Run every example of a page; returns what went wrong."""
        shutil.copytree(ROOT / "examples", self.folder / "examples", dirs_exist_ok=True)
        kinds = {"python": self._doctest, "console": self._console, "bash": self._script}
        with contextlib.chdir(self.folder):
            for kind, body in blocks(page):
                if kind in kinds:
                    kinds[kind](body)
        return self.problems

    def _doctest(self, body: str) -> None:
        test = doctest.DocTestParser().get_doctest(body, self.names, "page", None, 0)
        report = io.StringIO()
        runner = doctest.DocTestRunner(optionflags=OPTIONS)
        results = runner.run(test, out=report.write, clear_globs=False)
        self.names |= test.globs
        if results.failed:
            self.problems.append(report.getvalue())
        if not results.attempted:
            self.problems.append(f"a python block without >>> is not checked:\n{body}")

    def _console(self, body: str) -> None:
        for command, expected in shown_commands(body):
            words = shlex.split(command, comments=True)
            if words[0] == "symbed":
                self._compare(command, expected, *call(words[1:]))

    def _compare(self, command: str, expected: str, code: int, told: str, complaint: str) -> None:
        if code:
            self.problems.append(f"{command}\nended with {code}: {complaint}")
        elif expected.strip() and told.split() != expected.split():
            self.problems.append(f"{command}\nprinted\n{told}\nnot\n{expected}")

    def _script(self, body: str) -> None:
        path = f"{own_command(self.folder)}{os.pathsep}{os.environ['PATH']}"
        done = subprocess.run(
            ["bash", "-euo", "pipefail", "-c", body],
            env=os.environ | {"PATH": path},
            capture_output=True,
            text=True,
        )
        if done.returncode:
            self.problems.append(f"{body}\nended with {done.returncode}: {done.stderr}")


def call(words: list[str]) -> tuple[int, str, str]:
    """Exit code, output and complaints of one command of ours."""
    told, complaint = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(told), contextlib.redirect_stderr(complaint):
        try:
            code = main(words)
        except SystemExit as stop:  # wrong usage
            code = int(stop.code or 0)
    return code, told.getvalue(), complaint.getvalue()


def own_command(folder: Path) -> Path:
    """A folder in which ``symbed`` is the package that runs now."""
    place = folder / ".bin"
    place.mkdir(exist_ok=True)
    source = Path(symbed.__file__).parents[1]
    script = f'#!/bin/sh\nPYTHONPATH="{source}" exec "{sys.executable}" -m symbed "$@"\n'
    (place / "symbed").write_text(script, encoding="utf-8")
    (place / "symbed").chmod(0o755)
    return place

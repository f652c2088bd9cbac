"""Text files of any tool as text: UTF-8, or UTF-16 where a byte order mark says so.

Windows' PowerShell writes UTF-16 when output is redirected. Whatever is no text in the encoding
becomes U+FFFD, so that one odd byte in a comment does not keep the rest from being read; the
reader of formulas says what that character means where it stands in one.
"""

from __future__ import annotations

import codecs
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from io import StringIO, TextIOWrapper
from typing import TextIO

MARKS = {codecs.BOM_UTF16_LE: "utf-16", codecs.BOM_UTF16_BE: "utf-16"}
STANDARD_INPUT = "-"


@contextmanager
def open_text(path: str | os.PathLike[str], errors: str = "replace") -> Iterator[TextIO]:
    """A file as text, its line ends as they are; ``-`` is standard input."""
    if path == STANDARD_INPUT:
        yield from _standard_input(errors)
        return
    with open(path, "rb") as file:
        # Peeked at, not read: pipes cannot be wound back.
        encoding = _encoding(file.peek(2))
        with TextIOWrapper(file, encoding, errors=errors, newline="") as text:
            yield text


def read_text(path: str | os.PathLike[str]) -> str:
    """All of a file, or of standard input."""
    with open_text(path) as file:
        return file.read()


def decoded(content: bytes) -> str:
    """Bytes as text."""
    return content.decode(_encoding(content), errors="replace")


def _standard_input(errors: str) -> Iterator[TextIO]:
    raw = getattr(sys.stdin, "buffer", None)
    if raw is None:  # something of a program's own in its place, or closed
        yield StringIO() if sys.stdin is None else sys.stdin
        return
    text = TextIOWrapper(raw, _encoding(raw.peek(2)), errors=errors, newline="")
    try:
        yield text
    finally:
        text.detach()  # closing it would close standard input for everybody


def _encoding(beginning: bytes) -> str:
    # utf-8-sig reads plain UTF-8 too, and drops the mark of those who write one.
    return MARKS.get(beginning[:2], "utf-8-sig")
